// Some changes take more than an open browser: the password is asked for when the service asks for it, and the change goes on.
import { Button, Group, Modal, PasswordInput, Text } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { call, Refusal } from "../../api.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";

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
      show({ proven, cancelled: () => reject(new Error("Nothing was changed: the password was not given")) });
    });
    return await act();
  }
}

/** Where the password is asked for. Stands once on the page. */
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
      {question && <PasswordQuestion question={question} cancel={cancel} />}
    </Modal>
  );
}

function PasswordQuestion({ question, cancel }: { question: Asked; cancel: () => void }) {
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { password: "" } },
    async (body) => {
      await call("POST /auth/reauthenticate", { body });
      question.proven();
      show(null);
    },
  );
  return (
    <form onSubmit={submit} noValidate>
      <Text size="sm" mb="md">
        An open browser is not enough for this. It is not asked again for ten minutes.
      </Text>
      <PasswordInput
        label="Your password"
        autoComplete="current-password"
        data-autofocus
        key={form.key("password")}
        {...form.getInputProps("password")}
      />
      <FormError error={error} />
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={cancel}>
          Cancel
        </Button>
        <Button type="submit" loading={isSending}>
          Go on
        </Button>
      </Group>
    </form>
  );
}
