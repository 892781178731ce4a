// Keys with a name, for one program each.
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ProjectKey } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { FormDialog } from "../../parts/form_dialog.tsx";
import { Gate } from "../../parts/gate.tsx";
import { KeysIcon } from "../../parts/icons.tsx";
import { Row, Rows, Section } from "../../parts/section.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain, useApi } from "../../queries.ts";
import { useIsTest } from "../../session.ts";
import { KeyForm, wordOfScope } from "./key_form.tsx";
import type { Once } from "./shown_once.tsx";

interface Props {
  isCreating: boolean;
  setCreating: (isCreating: boolean) => void;
  show: (once: Once) => void;
}

export function NamedKeys({ isCreating, setCreating, show }: Props) {
  const id = useProjectId();
  const list = useApi("GET /projects/{id}/keys", { path: { id } });
  const [edited, setEdited] = useState<ProjectKey | null>(null);
  return (
    <Section
      title="Named keys"
      about="One for each program, with only the scopes it needs: you can revoke one without affecting the others."
    >
      <Loaded query={list}>
        {({ keys }) =>
          keys.length === 0 ? (
            <Empty
              icon={KeysIcon}
              title="No named key yet"
              action={
                <Gate role="ADMIN">
                  <Button onClick={() => setCreating(true)}>Create the first key</Button>
                </Gate>
              }
            >
              For example, a key for your shop that may only send, and one for a report that may only read.
            </Empty>
          ) : (
            <Rows label="Named keys">
              {keys.map((key) => (
                <KeyRow key={key.id} named={key} edit={() => setEdited(key)} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      <FormDialog opened={isCreating} onClose={() => setCreating(false)} title="Create a key">
        <KeyForm
          done={(made) => {
            setCreating(false);
            if (made) {
              show({
                title: `The key “${made.name}”`,
                value: made.key,
                label: "key",
                about: "If it is lost, revoke it and create another.",
              });
            }
          }}
        />
      </FormDialog>
      <FormDialog opened={edited !== null} onClose={() => setEdited(null)} title="Change the key">
        {edited && <KeyForm named={edited} done={() => setEdited(null)} />}
      </FormDialog>
    </Section>
  );
}

function KeyRow({ named, edit }: { named: ProjectKey; edit: () => void }) {
  const revoke = useRevoke(named);
  const isTest = useIsTest();
  const { name, kind, hint, scopes, createdAt, createdBy, expiresAt, lastUsedAt } = named;
  return (
    <Row
      name={name}
      badge={<Expiry at={expiresAt} />}
      about={
        <>
          <code>
            {kind === "public" ? "pk" : "sk"}_{isTest && "test_"}…{hint}
          </code>
          {" · "}
          {scopes.map(wordOfScope).join(", ")}
          {" · "}
          {lastUsedAt ? (
            <>
              used <Time at={lastUsedAt} />
            </>
          ) : (
            "never used"
          )}
          <br />
          Created <Time at={createdAt} /> by {createdBy}
        </>
      }
      actions={
        <>
          <Gate role="ADMIN">
            <Button variant="default" size="xs" onClick={edit} aria-label={`Change ${name}`}>
              Change
            </Button>
          </Gate>
          <Gate role="ADMIN">
            <Button variant="subtle" color="red" size="xs" onClick={revoke} aria-label={`Revoke ${name}`}>
              Revoke
            </Button>
          </Gate>
        </>
      }
    />
  );
}

const SOON_MS = 14 * 86_400_000;

function Expiry({ at }: { at: string | null }) {
  if (at === null) return null;
  const left = new Date(at).getTime() - Date.now();
  if (left <= 0) return <Status status="expired" tone="bad" />;
  return (
    <Status status="expires" tone={left < SOON_MS ? "warn" : "quiet"}>
      Expires <Time at={at} />
    </Status>
  );
}

function useRevoke({ id: keyId, name, lastUsedAt }: ProjectKey) {
  const id = useProjectId();
  const cache = useQueryClient();
  return () =>
    confirm({
      title: `Revoke “${name}”?`,
      action: "Revoke",
      children: (
        <>
          {lastUsedAt ? (
            <>
              It was last used <Time at={lastUsedAt} />.{" "}
            </>
          ) : (
            "It was never used. "
          )}
          The next request with it is refused. A key cannot be brought back: create another one instead.
        </>
      ),
      act: async () => {
        await call("DELETE /projects/{id}/keys/{keyId}", { path: { id, keyId } });
        await readAgain(cache, id, ["GET /projects/{id}/keys"]);
        toast.done(`“${name}” was revoked`);
      },
    });
}
