// The address that somebody logs in with.
import { Alert, Button, Group, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { User } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { Section } from "../../parts/section.tsx";
import { Status } from "../../parts/status.tsx";
import { toast } from "../../parts/toast.tsx";
import { useState } from "react";
import { readAgain, useAccountChange } from "../../queries.ts";
import classes from "./account.module.css";
import { withProof } from "../../parts/proof.tsx";

export function AddressSection({ me }: { me: User }) {
  const cache = useQueryClient();
  // Until its mail is sent the service does not name it.
  const [asked, setAsked] = useState<string | null>(null);
  const pending = me.pendingEmail ?? (asked === me.email ? null : asked);
  const ask = async (email: string) => {
    const { message } = await withProof(() => call("POST /users/@me/email", { body: { email } }));
    setAsked(email);
    await readAgain(cache, null, ["GET /users/@me"]);
    toast.done(message);
  };
  const { form, submit, isSending, error } = useServerForm(
    {
      initialValues: { email: "" },
      validate: { email: (email) => (email.trim() ? null : "Give an address") },
    },
    async ({ email }) => {
      await ask(email.trim());
      form.reset();
    },
  );
  return (
    <Section
      title="Address"
      about={me.email}
      actions={
        <Status status={me.emailVerified ? "verified" : "unverified"}>
          {me.emailVerified ? "Verified" : "Not verified yet"}
        </Status>
      }
    >
      {!me.emailVerified && <Unverified email={me.email} />}
      {pending && <Pending email={pending} ask={ask} withdrawn={() => setAsked(null)} />}
      <form onSubmit={submit} noValidate className={classes.fields}>
        <TextInput
          label="New address"
          description="We will send a link to it. Your current address stays until you open that link."
          type="email"
          autoComplete="email"
          key={form.key("email")}
          {...form.getInputProps("email")}
        />
        <FormError error={error} />
        <Button type="submit" variant="default" size="xs" loading={isSending}>
          Change the address
        </Button>
      </form>
    </Section>
  );
}

interface PendingProps {
  email: string;
  ask: (email: string) => Promise<void>;
  withdrawn: () => void;
}

/** A new address waits for its mail to be answered. */
function Pending({ email, ask, withdrawn }: PendingProps) {
  const [isAsking, setAsking] = useState(false);
  const withdraw = useAccountChange("DELETE /users/@me/email", {
    reads: ["GET /users/@me"],
    onSuccess: () => {
      withdrawn();
      toast.done("The address was not changed");
    },
  });
  const again = async () => {
    setAsking(true);
    await ask(email).catch((refusal: unknown) => toast.failed(refusal));
    setAsking(false);
  };
  return (
    <Alert color="yellow" variant="light" mb="md" title={`Waiting for ${email}`}>
      We have sent a mail to it. The link in it changes the address and works for an hour.
      <Group gap="xs" mt="sm">
        <Button variant="default" size="xs" loading={isAsking} onClick={() => void again()}>
          Send the mail again
        </Button>
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          loading={withdraw.isPending}
          onClick={() => withdraw.mutate({})}
        >
          Keep the current address
        </Button>
      </Group>
    </Alert>
  );
}

function Unverified({ email }: { email: string }) {
  const again = useAccountChange("POST /auth/request-verification", {
    onSuccess: () => toast.done(`Another mail to ${email} is on its way`),
  });
  return (
    <Alert color="yellow" variant="light" mb="md" title="Open the link in the mail we sent you">
      You can be invited to projects, and invite others, once the address is verified.
      <br />
      <Button
        variant="default"
        size="xs"
        mt="sm"
        loading={again.isPending}
        onClick={() => again.mutate({ body: { email } })}
      >
        Send the mail again
      </Button>
    </Alert>
  );
}
