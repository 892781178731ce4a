// Two-factor log-in: the app, the passkeys and the recovery codes of an account.
import { Alert, Button } from "@mantine/core";
import { useEffect, useState } from "react";
import type { Passkey, TwoFactor, User } from "../../api.gen.ts";
import { formatNumber } from "../../parts/format.ts";
import { Row, Rows, Section } from "../../parts/section.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { canUsePasskeys } from "../../passkeys.ts";
import { useAccountApi } from "../../queries.ts";
import { AppDialog } from "./app_dialog.tsx";
import { namesOf, useFactorActions } from "./factor_actions.ts";
import { AddPasskeyDialog, RenamePasskeyDialog } from "./passkey_dialogs.tsx";
import { RecoveryCodes } from "./recovery_codes.tsx";

/** How many there are when they are new. */
const ALL_CODES = 10;
const FEW_CODES = 3;
/** Others lead here. */
const ID = "two-factor";

export function TwoFactorSection({ me }: { me: User }) {
  const state = useAccountApi("GET /users/@me/two-factor", {});
  const actions = useFactorActions();
  const { data } = state;
  const isLoaded = data !== undefined;
  useEffect(() => {
    if (isLoaded && window.location.hash === `#${ID}`) document.getElementById(ID)?.scrollIntoView();
  }, [isLoaded]);
  return (
    <Section
      id={ID}
      title="Two-factor log-in"
      about="A second step when you log in: a code of an app, or a passkey. Your password alone is then not enough."
      actions={
        data && (
          <>
            <Status status={data.enabled ? "enabled" : "disabled"}>{data.enabled ? "On" : "Off"}</Status>
            {data.enabled && (
              <Button variant="default" size="xs" onClick={() => actions.turnOff(data)}>
                Turn off
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded query={state}>{(factors) => <Factors me={me} factors={factors} actions={actions} />}</Loaded>
    </Section>
  );
}

type Dialog = "app" | "passkey" | Passkey | null;

interface FactorsProps {
  me: User;
  factors: TwoFactor;
  actions: ReturnType<typeof useFactorActions>;
}

function Factors({ me, factors, actions }: FactorsProps) {
  const [dialog, setDialog] = useState<Dialog>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const { totp, passkeys, enabled, requiredBy } = factors;
  const mayAdd = me.emailProven;
  const close = () => setDialog(null);
  /** Something was added. The first factor comes with recovery codes. */
  const added = async (recoveryCodes: string[] | null) => {
    close();
    setCodes(recoveryCodes);
    await actions.read();
  };
  return (
    <>
      {!enabled && requiredBy.length > 0 && (
        <Alert
          color="yellow"
          variant="light"
          mb="md"
          title={`${namesOf(requiredBy)} lets nobody in without it`}
        >
          Set up an app or a passkey here: then you are back in.
        </Alert>
      )}
      {!mayAdd && (
        <Alert color="yellow" variant="light" mb="md">
          First show that the address is yours: open the link of the verification mail in this browser.
        </Alert>
      )}
      <Rows label="Ways to show that it is you">
        <Row
          name="Authenticator app"
          about={
            totp ? (
              <>
                Six digits, new every half minute. Since <Time at={totp.since} />
              </>
            ) : (
              "Six digits, new every half minute, in an app on your phone such as 1Password, Aegis or Google Authenticator."
            )
          }
          actions={
            <>
              <Button variant="default" size="xs" disabled={!mayAdd} onClick={() => setDialog("app")}>
                {totp ? "Move to another phone" : "Set up the app"}
              </Button>
              {totp && (
                <Button variant="subtle" color="red" size="xs" onClick={() => actions.removeApp(factors)}>
                  Remove
                </Button>
              )}
            </>
          }
        />
        {passkeys.map((passkey) => (
          <PasskeyRow
            key={passkey.id}
            passkey={passkey}
            rename={() => setDialog(passkey)}
            remove={() => actions.removePasskey(passkey, factors)}
          />
        ))}
        <Row
          name={passkeys.length > 0 ? "Another passkey" : "Passkey"}
          about={
            canUsePasskeys
              ? "Your fingerprint, your face, or a security key. It also logs you in alone, without the password."
              : "This browser has none: open the console in a newer one, over https."
          }
          actions={
            <Button
              variant="default"
              size="xs"
              disabled={!mayAdd || !canUsePasskeys}
              onClick={() => setDialog("passkey")}
            >
              Add a passkey
            </Button>
          }
        />
        {enabled && (
          <CodesRow left={Number(factors.recoveryCodesLeft)} renew={() => actions.renewCodes(setCodes)} />
        )}
      </Rows>
      <AppDialog isOpen={dialog === "app"} isMove={totp !== null} close={close} added={added} />
      <AddPasskeyDialog isOpen={dialog === "passkey"} close={close} added={added} />
      <RenamePasskeyDialog
        passkey={dialog !== null && typeof dialog === "object" ? dialog : null}
        close={close}
      />
      <RecoveryCodes codes={codes} email={me.email} close={() => setCodes(null)} />
    </>
  );
}

interface PasskeyRowProps {
  passkey: Passkey;
  rename: () => void;
  remove: () => void;
}

function PasskeyRow({ passkey: { name, createdAt, lastUsedAt }, rename, remove }: PasskeyRowProps) {
  return (
    <Row
      name={name}
      about={
        <>
          Passkey,{" "}
          {lastUsedAt ? (
            <>
              used <Time at={lastUsedAt} />,{" "}
            </>
          ) : (
            "not used yet, "
          )}
          added <Time at={createdAt} />
        </>
      }
      actions={
        <>
          <Button variant="subtle" color="gray" size="xs" onClick={rename} aria-label={`Rename ${name}`}>
            Rename
          </Button>
          <Button variant="subtle" color="red" size="xs" onClick={remove} aria-label={`Remove ${name}`}>
            Remove
          </Button>
        </>
      }
    />
  );
}

function CodesRow({ left, renew }: { left: number; renew: () => void }) {
  return (
    <Row
      name="Recovery codes"
      badge={
        <Status status="codes" tone={left === 0 ? "bad" : left <= FEW_CODES ? "warn" : "fine"}>
          {left === 0 ? "None left" : `${formatNumber(left)} of ${ALL_CODES} left`}
        </Status>
      }
      about="For when you have neither phone nor passkey. Each works once."
      actions={
        <Button variant="default" size="xs" onClick={renew}>
          Generate new codes
        </Button>
      }
    />
  );
}
