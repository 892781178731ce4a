// Whether an account is to have a new address: what the mail to that address asks. Elsewhere than in a session of the account its
// password is asked for, too.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { AccountLink } from "../api.gen.ts";
import { call } from "../api.ts";
import { isDeadLink, WithLink } from "../parts/account_link.tsx";
import { useServerForm } from "../parts/form.tsx";
import { Letter } from "../parts/letter.tsx";
import { GoOn, LetterForm, PasswordField } from "../parts/letter_form.tsx";
import { Proofs, withProof } from "../parts/proof.tsx";
import { logInPath } from "../parts/way_in.tsx";
import { useUrlState } from "../place.ts";
import { readAgain, useAccountApi } from "../queries.ts";
import { useSession } from "../session.ts";

/** `/change-email?token=…&email=…`, from the mail to the new address. */
export default function ChangeEmailPage() {
  const [{ token, email }] = useUrlState({ token: "", email: "" });
  const [isDead, setDead] = useState(false);
  const dead = <DeadLink email={email} />;
  if (isDead || token === "") return dead;
  return (
    <WithLink token={token} purpose="CHANGE_EMAIL" dead={dead}>
      {(link) => <Question token={token} link={link} dead={() => setDead(true)} />}
    </WithLink>
  );
}

const TO_ACCOUNT = <Link href="/account">To your account</Link>;

interface QuestionProps {
  token: string;
  link: AccountLink;
  dead: () => void;
}

function Question({ token, link: { email, newEmail, account }, dead }: QuestionProps) {
  const cache = useQueryClient();
  const [changed, setChanged] = useState<string | null>(null);
  const isOwn = account?.own === true;
  const { form, ...state } = useServerForm({ initialValues: { password: "" } }, async ({ password }) => {
    try {
      const { data } = await call("POST /auth/change-email", {
        body: { token, ...(!isOwn && { password }) },
      });
      setChanged(data.message);
    } catch (refusal) {
      if (isDeadLink(refusal)) return dead();
      throw refusal;
    }
    await readAgain(cache, null, ["GET /users/@me", "GET /auth/session"]);
  });
  const to = `/change-email?${new URLSearchParams({ token, email: newEmail ?? "" })}`;
  if (changed !== null) {
    return (
      <Letter title="The address has been changed" about={`${changed} Use it to log in from now on.`}>
        <GoOn to={isOwn ? "/account" : logInPath({ email: newEmail ?? "" })}>
          {isOwn ? "To your account" : "Log in"}
        </GoOn>
      </Letter>
    );
  }
  if (!isOwn && !account?.hasPassword) {
    return (
      <Letter title="Log in first" about={`Log in to the account ${email}: then it can get this address.`}>
        <GoOn to={logInPath({ email, to })}>Log in</GoOn>
      </Letter>
    );
  }
  return (
    <Letter
      title="Is this your new address?"
      about={`The account ${email} will get the address ${newEmail}: mails about the account go there, and you log in with it.${isOwn ? "" : " You are not logged in to that account in this browser, so enter its password."}`}
      aside={isOwn ? TO_ACCOUNT : <Link href={logInPath({ email, to })}>Log in to it instead</Link>}
    >
      <LetterForm {...state} button="Use this address">
        {!isOwn && <PasswordField form={form} autoFocus />}
      </LetterForm>
    </Letter>
  );
}

/** Another mail to the same address, where it is known who asks for it. */
function DeadLink({ email }: { email: string }) {
  const user = useSession().data?.user;
  const { data: me } = useAccountApi("GET /users/@me", {}, { enabled: Boolean(user) });
  const [sent, setSent] = useState<string | null>(null);
  const state = useServerForm({ initialValues: {} }, async () => {
    const { message } = await withProof(() => call("POST /users/@me/email", { body: { email } }));
    setSent(message);
  });
  if (sent !== null) return <Letter title="Check your mail" about={sent} aside={TO_ACCOUNT} />;
  if (me && me.email === email) {
    return (
      <Letter title="This is your address" about="The change is done.">
        <GoOn to="/account">To your account</GoOn>
      </Letter>
    );
  }
  const to = email ? `/change-email?${new URLSearchParams({ email })}` : "/account";
  return (
    <Letter
      title="This link no longer works"
      about={`It was used, withdrawn, or is older than an hour. ${user ? `If your account still needs ${email || "another address"}, ask for it again.` : "If your account still needs another address, log in and ask for it again."}`}
      aside={user && TO_ACCOUNT}
    >
      {user && email ? (
        <LetterForm {...state} button={`Send a new mail to ${email}`} />
      ) : (
        <GoOn to={user ? "/account" : logInPath({ to })}>{user ? "To your account" : "Log in"}</GoOn>
      )}
      <Proofs />
    </Letter>
  );
}
