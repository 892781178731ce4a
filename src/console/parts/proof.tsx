// Some changes take more than an open browser: who it is is asked for when the service asks for it, and the change continues.
import { Button, Group, Modal, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { call, Refusal } from "../api.ts";
import { SESSION_KEY, useAccountApi } from "../queries.ts";
import { FactorForm, type Method } from "./factor.tsx";
import { SkeletonLines } from "./states.tsx";
import { logInPath } from "./way_in.tsx";

interface Asked {
  proven: () => void;
  cancelled: () => void;
}

let asked: Asked | null = null;
const listeners = new Set<() => void>();

function show(next: Asked | null): void {
  asked = next;
  for (const listener of listeners) listener();
}

/** Does something. Where the service asks who it is, so does the page, and then it is done again. */
export async function withProof<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "REAUTHENTICATION_REQUIRED") throw error;
    await new Promise<void>((proven, reject) => {
      show({
        proven,
        cancelled: () => reject(new Error("Nothing was changed: your identity was not confirmed")),
      });
    });
    return await act();
  }
}

/** Where it is asked. Stands once on the page. */
export function Proofs() {
  const question = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => asked,
  );
  const cancel = () => {
    question?.cancelled();
    show(null);
  };
  return (
    <Modal opened={question !== null} onClose={cancel} title="Is it you?" zIndex={500}>
      {question && <Question question={question} cancel={cancel} />}
    </Modal>
  );
}

function Question({ question, cancel }: { question: Asked; cancel: () => void }) {
  const me = useAccountApi("GET /users/@me", {});
  const factors = useAccountApi("GET /users/@me/two-factor", {});
  if (!me.data || factors.isPending) return <SkeletonLines count={2} />;
  const { totp, passkeys, recoveryCodesLeft } = factors.data ?? { passkeys: [] };
  const methods: Method[] = [
    ...(me.data.hasPassword ? (["password"] as const) : []),
    ...(totp ? (["code"] as const) : []),
    ...(passkeys.length > 0 ? (["passkey"] as const) : []),
    ...(Number(recoveryCodesLeft) > 0 ? (["recoveryCode"] as const) : []),
  ];
  if (methods.length === 0) return <LogInAgain email={me.data.email} cancel={cancel} />;
  return (
    <>
      <Text size="sm" mb="md">
        This needs a confirmation that it is you. You are not asked again for ten minutes.
      </Text>
      <FactorForm
        methods={methods}
        button="Go on"
        passkeyOptions={() => call("POST /auth/reauthenticate/passkey-options", {})}
        give={async (body) => {
          await call("POST /auth/reauthenticate", { body });
          question.proven();
          show(null);
        }}
      >
        <Button variant="default" onClick={cancel}>
          Cancel
        </Button>
      </FactorForm>
    </>
  );
}

/** For somebody who signs in elsewhere and has nothing to enter here. */
function LogInAgain({ email, cancel }: { email: string; cancel: () => void }) {
  const cache = useQueryClient();
  const [path, navigate] = useLocation();
  const leave = async () => {
    cancel();
    await call("GET /auth/logout", {});
    navigate(logInPath({ email, to: path, because: "again" }));
    cache.setQueryData(SESSION_KEY, { user: null });
  };
  return (
    <>
      <Text size="sm">
        This needs a confirmation that it is you, and you have no password and no second factor here. Log in
        again the same way: you can then do it for ten minutes.
      </Text>
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={cancel}>
          Cancel
        </Button>
        <Button onClick={() => void leave()}>Log in again</Button>
      </Group>
    </>
  );
}
