// An authenticator app is set up: its secret as a picture and as text, and the first code that it shows.
import { Alert, Button, Group, Modal, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { call, Refusal } from "../../api.ts";
import { Copyable } from "../../parts/copy.tsx";
import { CodeInput } from "../../parts/factor.tsx";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { withProof } from "../../parts/proof.tsx";
import { QrCode } from "../../parts/qr.tsx";
import { SkeletonLines } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.tsx";
import classes from "./account.module.css";

interface Props {
  isOpen: boolean;
  /** There is an app already: it works until the new one is confirmed. */
  isMove: boolean;
  close: () => void;
  added: (recoveryCodes: string[] | null) => Promise<void>;
}

export function AppDialog({ isOpen, isMove, close, added }: Props) {
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={isMove ? "Move to another phone" : "Set up an authenticator app"}
      closeOnClickOutside={false}
    >
      {isOpen && <Steps isMove={isMove} close={close} added={added} />}
    </Modal>
  );
}

type Secret = { secret: string; uri: string };

function Steps({ isMove, close, added }: Omit<Props, "isOpen">) {
  const [secret, setSecret] = useState<Secret | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  const again = () => setAttempt((before) => before + 1);
  useEffect(() => {
    let isCurrent = true;
    setSecret(null);
    setError(null);
    withProof(() => call("POST /users/@me/two-factor/totp", {})).then(
      (made) => isCurrent && setSecret(made),
      (refusal: unknown) => isCurrent && setError(refusal),
    );
    return () => {
      isCurrent = false;
    };
  }, [attempt]);
  if (error) {
    return (
      <>
        <FormError error={error} />
        <Buttons close={close}>
          <Button onClick={again}>Try again</Button>
        </Buttons>
      </>
    );
  }
  if (!secret) return <SkeletonLines count={5} />;
  return <Confirm secret={secret} isMove={isMove} close={close} added={added} again={again} />;
}

function Confirm({
  secret: { secret, uri },
  isMove,
  close,
  added,
  again,
}: Omit<Props, "isOpen"> & { secret: Secret; again: () => void }) {
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { code: "" } },
    async ({ code }) => {
      const { recoveryCodes } = await call("POST /users/@me/two-factor/totp/confirm", { body: { code } });
      toast.done(
        isMove ? "The new app is set up, and the old one no longer works" : "The authenticator app is set up",
      );
      await added(recoveryCodes);
    },
  );
  const isOver = error instanceof Refusal && error.status === 409;
  return (
    <form onSubmit={submit} noValidate>
      <ol className={classes.steps}>
        <li>
          <Text size="sm" mb="xs">
            Scan this with the app{isMove && ": the old one works until you have confirmed the new one"}.
          </Text>
          <QrCode text={uri} label="QR code for your authenticator app" />
          <Text size="sm" c="dimmed" mt="xs" mb={4}>
            No camera? Enter this key:
          </Text>
          <Copyable value={secret} label="secret" />
        </li>
        <li>
          <CodeInput
            label="Enter the code that the app shows"
            // The dialog was open before.
            autoFocus
            key={form.key("code")}
            {...form.getInputProps("code")}
          />
        </li>
      </ol>
      {isOver ? (
        <Alert color="yellow" variant="light" mt="md" role="alert">
          This took more than an hour.{" "}
          <Button variant="default" size="xs" onClick={again}>
            Begin again
          </Button>
        </Alert>
      ) : (
        <FormError error={error} />
      )}
      <Buttons close={close}>
        <Button type="submit" loading={isSending}>
          Confirm
        </Button>
      </Buttons>
    </form>
  );
}

function Buttons({ close, children }: { close: () => void; children: React.ReactNode }) {
  return (
    <Group justify="flex-end" mt="lg" gap="xs">
      <Button variant="default" onClick={close}>
        Cancel
      </Button>
      {children}
    </Group>
  );
}
