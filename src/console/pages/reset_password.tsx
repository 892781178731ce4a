// A new password: asked for by mail, and set with what the mail brought. Then one is logged in, or asked for the second factor.
import { useState } from "react";
import { Link } from "wouter";
import { call } from "../api.ts";
import { isDeadLink, WithLink } from "../parts/account_link.tsx";
import { useServerForm } from "../parts/form.tsx";
import { Letter } from "../parts/letter.tsx";
import { AskForMail, GoOn, LetterForm, PasswordField } from "../parts/letter_form.tsx";
import { logInPath, useWayIn } from "../parts/way_in.tsx";
import { useUrlState } from "../place.ts";

/** `/reset-password` asks for the mail; with `?token=`, from the mail, it asks for the new password. */
export default function ResetPasswordPage() {
  const [{ token, email }] = useUrlState({ token: "", email: "" });
  const [isDead, setDead] = useState(false);
  const dead = (
    <Ask
      email={email}
      title="This link no longer works"
      about="It was used, or it is older than an hour. We will send you a new one."
    />
  );
  if (token === "")
    return <Ask email={email} title="A new password" about="We will send a link to this address." />;
  if (isDead) return dead;
  return (
    <WithLink token={token} purpose="RESET_PASSWORD" dead={dead}>
      {(link) => <NewPassword token={token} email={link.email} dead={() => setDead(true)} />}
    </WithLink>
  );
}

function Ask({ email, ...words }: { email: string; title: string; about: string }) {
  return (
    <AskForMail
      {...words}
      email={email}
      endpoint="POST /auth/request-password-reset"
      sent={(to) =>
        `If there is an account with ${to}, a mail with a link is on its way. The link works for an hour, once.`
      }
      aside={<Link href={logInPath({ email })}>Log in</Link>}
    />
  );
}

interface NewPasswordProps {
  token: string;
  email: string;
  dead: () => void;
}

function NewPassword({ token, email, dead }: NewPasswordProps) {
  const wayIn = useWayIn({ to: "/", email });
  const [isChanged, setChanged] = useState(false);
  const { form, ...state } = useServerForm(
    { initialValues: { newPassword: "" } },
    async ({ newPassword }) => {
      try {
        await call("POST /auth/reset-password", { body: { token, newPassword } });
      } catch (refusal) {
        if (isDeadLink(refusal)) return dead();
        throw refusal;
      }
      // As anybody who knows the password: the second factor is asked for if there is one.
      const body = { email, password: newPassword };
      await wayIn.enter(() => call("POST /auth/login", { body })).catch(() => setChanged(true));
    },
  );
  if (wayIn.secondStep) return wayIn.secondStep;
  if (isChanged) {
    return (
      <Letter
        title="Your password has been changed"
        about="All sessions have ended: log in with the new one."
      >
        <GoOn to={logInPath({ email })}>Log in</GoOn>
      </Letter>
    );
  }
  return (
    <Letter
      title="A new password"
      about={`For ${email}. It replaces the old one and ends all sessions of the account.`}
      aside={<Link href={logInPath({ email })}>Log in instead</Link>}
    >
      <LetterForm {...state} button="Set the password and log in">
        {/* For what keeps passwords: it has to know whose this one is. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <PasswordField form={form} name="newPassword" isNew autoFocus />
      </LetterForm>
    </Letter>
  );
}
