// Whether an address is somebody's: what the mail of a new account asks. A button does it: opening a link changes nothing.
import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { call, Refusal } from "../api.ts";
import { FormError, useServerForm } from "../parts/form.tsx";
import { Letter } from "../parts/letter.tsx";
import { useUrlState } from "../place.ts";
import { useSession } from "../session.ts";

/** `/verify-email?token=…`, from the mail; without a token it offers a new mail. */
export default function VerifyEmailPage() {
  const [{ token }] = useUrlState({ token: "" });
  const [isDead, setDead] = useState(false);
  return token && !isDead ? (
    <Confirm token={token} dead={() => setDead(true)} />
  ) : (
    <AskForMail wasDead={isDead} />
  );
}

const ASIDE = <Link href="/">To the console</Link>;

function Confirm({ token, dead }: { token: string; dead: () => void }) {
  const [done, setDone] = useState<string | null>(null);
  const { submit, isSending, error } = useServerForm({ initialValues: {} }, async () => {
    try {
      const { data } = await call("POST /auth/verify-email", { body: { token } });
      setDone(data.message);
    } catch (refusal) {
      if (refusal instanceof Refusal && refusal.status === 400) return dead();
      throw refusal;
    }
  });
  if (done !== null) return <Letter title={done} about="There is nothing left to do." aside={ASIDE} />;
  return (
    <Letter
      title="Is this your address?"
      about="An account was created with it. If it was you, confirm it. If it was not, follow the other link in the mail."
      aside={ASIDE}
    >
      <form onSubmit={submit}>
        <FormError error={error} />
        <Button type="submit" size="md" loading={isSending} autoFocus>
          Yes, it was me
        </Button>
      </form>
    </Letter>
  );
}

function AskForMail({ wasDead }: { wasDead: boolean }) {
  const email = useSession().data?.user?.email ?? "";
  const [isSent, setSent] = useState(false);
  const { form, submit, isSending, error } = useServerForm({ initialValues: { email } }, async (body) => {
    await call("POST /auth/request-verification", { body });
    setSent(true);
  });
  if (isSent) {
    return (
      <Letter
        title="Look into your mail"
        about="If this address has an account and is not verified yet, a mail is on its way."
        aside={ASIDE}
      />
    );
  }
  return (
    <Letter
      title={wasDead ? "This link is no longer good" : "Is your address verified?"}
      about={
        wasDead
          ? "It was used, or it is older than an hour. We will send you a new one."
          : "If not, we will send a mail with the link to it."
      }
      aside={ASIDE}
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
