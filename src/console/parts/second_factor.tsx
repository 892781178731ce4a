// The second step of a log-in: a code from an app, a passkey, or one of the codes that were kept for the day when there is neither.
import { Anchor } from "@mantine/core";
import { call, Refusal } from "../api.ts";
import { canUsePasskeys } from "../passkeys.ts";
import { FactorForm, type Proof } from "./factor.tsx";
import { Letter } from "./letter.tsx";

/** What the second step answers to. */
export interface Challenge {
  challenge: string;
  methods: ("code" | "passkey" | "recoveryCode")[];
}

interface Props {
  challenge: Challenge;
  finish: () => Promise<void>;
  cancel: () => void;
  /** It took too long: the first step has to be done again. */
  expired: () => void;
}

export function SecondFactor({ challenge: { challenge, methods }, finish, cancel, expired }: Props) {
  const give = async (proof: Proof) => {
    // The password was the first step: it is none of the methods.
    const answer = proof as Exclude<Proof, { password: string }>;
    try {
      await call("POST /auth/two-factor", { body: { challenge, ...answer } });
    } catch (refusal) {
      if (isOver(refusal)) return expired();
      throw refusal;
    }
    await finish();
  };
  const passkeyOptions = async () => {
    try {
      return await call("POST /auth/two-factor/passkey-options", { body: { challenge } });
    } catch (refusal) {
      if (isOver(refusal)) expired();
      throw refusal;
    }
  };
  return (
    <Letter
      title="One more step"
      about={aboutOf(methods)}
      aside={
        <Anchor component="button" type="button" size="sm" onClick={cancel}>
          Start again
        </Anchor>
      }
    >
      <FactorForm methods={methods} passkeyOptions={passkeyOptions} give={give} button="Log in" size="md" />
    </Letter>
  );
}

function aboutOf(methods: Challenge["methods"]): string {
  if (methods.includes("code")) return "Enter the code that your authenticator app shows for Postrider now.";
  return methods.includes("passkey") && canUsePasskeys
    ? "Confirm with your passkey."
    : "Enter one of the recovery codes that you kept when you set this up.";
}

/** Not the factor was wrong: the log-in has ended. */
function isOver(refusal: unknown): boolean {
  return refusal instanceof Refusal && refusal.status === 401 && refusal.code === "UNAUTHORIZED";
}
