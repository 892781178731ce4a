// The second step of a log-in: a code from an app, or one of the codes that were kept for the day when there is no app.
import { Anchor, Button, PinInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { BASE } from "../api.ts";
import { FormError } from "../parts/form.tsx";
import { Letter } from "../parts/letter.tsx";

const DIGITS = 6;

interface Props {
  challenge: string;
  finish: () => Promise<void>;
  cancel: () => void;
}

export function SecondFactor({ challenge, finish, cancel }: Props) {
  const [isRecovery, setRecovery] = useState(false);
  const [code, setCode] = useState("");
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = async (given: string) => {
    setSending(true);
    setError(null);
    try {
      await answerChallenge(challenge, given);
      await finish();
    } catch (refusal) {
      setError(refusal);
      setCode("");
    } finally {
      setSending(false);
    }
  };
  return (
    <Letter
      title="One more step"
      about={
        isRecovery
          ? "One of the recovery codes that you kept when you set this up. Each works once."
          : "The code that your authenticator app shows for Postrider now."
      }
      aside={
        <>
          <Anchor component="button" type="button" onClick={() => setRecovery(!isRecovery)}>
            {isRecovery ? "Use the app instead" : "Use a recovery code"}
          </Anchor>
          <Anchor component="button" type="button" onClick={cancel}>
            Start again
          </Anchor>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send(code);
        }}
      >
        {isRecovery ? (
          <TextInput
            label="Recovery code"
            size="md"
            autoFocus
            autoComplete="off"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        ) : (
          <PinInput
            length={DIGITS}
            type="number"
            size="lg"
            oneTimeCode
            autoFocus
            value={code}
            aria-label="Code"
            onChange={setCode}
            onComplete={(given) => void send(given)}
          />
        )}
        <FormError error={error} />
        <Button type="submit" size="md" loading={isSending} disabled={code.length < DIGITS}>
          Go on
        </Button>
      </form>
    </Letter>
  );
}

async function answerChallenge(challenge: string, code: string): Promise<void> {
  const response = await fetch(`${BASE}/auth/two-factor`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ challenge, code }),
  });
  if (response.ok) return;
  const { error } = (await response.json().catch(() => ({}))) as { error?: { message?: string } };
  throw new Error(error?.message ?? "The code could not be checked");
}
