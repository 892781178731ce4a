// The address that somebody logs in with.
import { Alert, Button, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { User } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { Section } from "../../parts/section.tsx";
import { Status } from "../../parts/status.tsx";
import { toast } from "../../parts/toast.tsx";
import { readAgain, useAccountChange } from "../../queries.ts";
import classes from "./account.module.css";
import { withProof } from "./proof.tsx";

export function AddressSection({ me }: { me: User }) {
  const cache = useQueryClient();
  const { form, submit, isSending, error } = useServerForm(
    {
      initialValues: { email: "" },
      validate: { email: (email) => (email.trim() ? null : "Give an address") },
    },
    async ({ email }) => {
      const { message } = await withProof(() =>
        call("POST /users/@me/email", { body: { email: email.trim() } }),
      );
      await readAgain(cache, null, ["GET /users/@me"]);
      form.reset();
      toast.done(message);
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
      {me.pendingEmail && (
        <Alert color="yellow" variant="light" mb="md">
          A mail to {me.pendingEmail} is on its way: the link in it changes the address, within an hour.
        </Alert>
      )}
      <form onSubmit={submit} noValidate className={classes.fields}>
        <TextInput
          label="New address"
          description="It gets a mail with a link. Until that is opened, the present one stays."
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

function Unverified({ email }: { email: string }) {
  const again = useAccountChange("POST /auth/request-verification", {
    onSuccess: () => toast.done(`Another mail to ${email} is on its way`),
  });
  return (
    <Alert color="yellow" variant="light" mb="md" title="Open the link in the mail that you got">
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
