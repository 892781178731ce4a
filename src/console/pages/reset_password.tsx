// A new password: asked for by mail, and set with what the mail brought.
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { call, Refusal } from "../api.ts";
import { FormError, useServerForm } from "../parts/form.tsx";
import { Letter } from "../parts/letter.tsx";
import { useUrlState } from "../place.ts";

/** `/reset-password` asks for the mail; with `?token=`, from the mail, it asks for the new password. */
export default function ResetPasswordPage() {
  const [{ token, email }] = useUrlState({ token: "", email: "" });
  const [isDead, setDead] = useState(false);
  if (token && !isDead) return <NewPassword token={token} dead={() => setDead(true)} />;
  return <AskForMail email={email} wasDead={isDead} />;
}

const LOG_IN = <Link href="/log-in">Log in</Link>;

function AskForMail({ email, wasDead }: { email: string; wasDead: boolean }) {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const { form, submit, isSending, error } = useServerForm({ initialValues: { email } }, async (body) => {
    await call("POST /auth/request-password-reset", { body });
    setSentTo(body.email);
  });
  if (sentTo !== null) {
    return (
      <Letter
        title="Look into your mail"
        about={`If there is an account with ${sentTo}, a mail with a link is on its way. The link works for an hour.`}
        aside={LOG_IN}
      />
    );
  }
  return (
    <Letter
      title={wasDead ? "This link is no longer good" : "A new password"}
      about={
        wasDead
          ? "It was used, or it is older than an hour. We will send you a new one."
          : "We will send a link to this address."
      }
      aside={LOG_IN}
    >
      <form onSubmit={submit} noValidate>
        <TextInput
          label="Address"
          type="email"
          name="email"
          autoComplete="username"
          autoFocus
          required
          withAsterisk={false}
          size="md"
          key={form.key("email")}
          {...form.getInputProps("email")}
        />
        <FormError error={error} />
        <Button type="submit" size="md" loading={isSending}>
          Send the mail
        </Button>
      </form>
    </Letter>
  );
}

function NewPassword({ token, dead }: { token: string; dead: () => void }) {
  const [, navigate] = useLocation();
  const [isDone, setDone] = useState(false);
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { newPassword: "" } },
    async ({ newPassword }) => {
      try {
        await call("POST /auth/reset-password", { body: { token, newPassword } });
        setDone(true);
      } catch (refusal) {
        // 400 with no field: the token itself.
        if (refusal instanceof Refusal && refusal.status === 400 && refusal.fields.length === 0)
          return dead();
        throw refusal;
      }
    },
  );
  if (isDone) {
    return (
      <Letter
        title="Your password has been changed"
        about="Every session has ended: log in with the new one."
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            navigate("/log-in", { replace: true });
          }}
        >
          <Button type="submit" size="md" autoFocus>
            Log in
          </Button>
        </form>
      </Letter>
    );
  }
  return (
    <Letter
      title="A new password"
      about="It replaces the old one, and ends every session of the account."
      aside={LOG_IN}
    >
      <form onSubmit={submit} noValidate>
        <PasswordInput
          label="New password"
          description="At least 8 characters, and not one that is easy to guess."
          name="new-password"
          autoComplete="new-password"
          autoFocus
          required
          withAsterisk={false}
          size="md"
          key={form.key("newPassword")}
          {...form.getInputProps("newPassword")}
        />
        <FormError error={error} />
        <Button type="submit" size="md" loading={isSending}>
          Set the password
        </Button>
      </form>
    </Letter>
  );
}
