// Whose an address is, and whose its account: what the mail of a new account asks. A button says so: opening a link changes nothing.
import { useState } from "react";
import { Link } from "wouter";
import { useQueryClient } from "@tanstack/react-query";
import type { AccountLink } from "../api.gen.ts";
import { call } from "../api.ts";
import { isDeadLink, WithLink } from "../parts/account_link.tsx";
import { useServerForm } from "../parts/form.tsx";
import { Letter } from "../parts/letter.tsx";
import { AskForMail, GoOn, LetterForm } from "../parts/letter_form.tsx";
import { logInPath } from "../parts/way_in.tsx";
import { useUrlState } from "../place.ts";
import { readAgain, useAccountApi } from "../queries.ts";
import { useSession } from "../session.ts";

/** `/verify-email?token=…`, from the mail; without a token it offers a new mail. */
export default function VerifyEmailPage() {
  const [{ token, email }] = useUrlState({ token: "", email: "" });
  const [isDead, setDead] = useState(false);
  if (token === "")
    return (
      <Ask
        email={email}
        title="Is your address verified?"
        about="If not, we will send a mail with the verification link to it."
      />
    );
  const dead = <DeadLink email={email} />;
  if (isDead) return dead;
  return (
    <WithLink token={token} purpose="VERIFY_EMAIL" dead={dead}>
      {(link) => <Question token={token} link={link} dead={() => setDead(true)} />}
    </WithLink>
  );
}

const TO_CONSOLE = <Link href="/">To the console</Link>;

interface QuestionProps {
  token: string;
  link: AccountLink;
  dead: () => void;
}

/** Asks as the mail does: whether the address is theirs, or, once that is known, whether the account is. */
function Question({ token, link: { email, account }, dead }: QuestionProps) {
  const cache = useQueryClient();
  const [isDone, setDone] = useState(false);
  const { submit, isSending, error } = useServerForm({ initialValues: {} }, async () => {
    try {
      await call("POST /auth/verify-email", { body: { token } });
    } catch (refusal) {
      if (isDeadLink(refusal)) return dead();
      throw refusal;
    }
    setDone(true);
    await readAgain(cache, null, ["GET /users/@me", "GET /auth/session"]);
  });
  const isOwn = account?.own === true;
  // Back to this link, which is good until it is used in a session of the account.
  const logIn = logInPath({ email, to: `/verify-email?${new URLSearchParams({ token, email })}` });
  if (account?.proven) return <Verified />;
  if (isDone && isOwn) return <Proven />;
  if (isDone) return <NotYetProven logIn={logIn} />;
  if (account?.verified && !isOwn) return <LogInFirst email={email} logIn={logIn} />;
  return (
    <Letter
      title={account?.verified ? "Is this your account?" : "Is this your address?"}
      about={
        account?.verified
          ? `You are logged in to the account ${email}. If you created it, confirm it: after that you can invite people, and you join the projects that you are invited to.`
          : `An account was created with ${email}. If it was you, confirm it. If it was not, follow the other link in the mail.`
      }
      aside={
        account?.verified && <Link href={resetPath(email)}>Not yours? Set a password to make it yours</Link>
      }
    >
      <LetterForm
        submit={submit}
        isSending={isSending}
        error={error}
        button={account?.verified ? "Yes, it is mine" : "Yes, it was me"}
      />
    </Letter>
  );
}

const resetPath = (email: string) => `/reset-password?${new URLSearchParams({ email })}`;

const Verified = () => (
  <Letter title="Your address is verified" about="There is nothing left to do.">
    <GoOn to="/">To the console</GoOn>
  </Letter>
);

const Proven = () => (
  <Letter
    title="Your address is verified"
    about="You can now invite people, and you have joined the projects that you were invited to."
  >
    <GoOn to="/">To the console</GoOn>
  </Letter>
);

const NotYetProven = ({ logIn }: { logIn: string }) => (
  <Letter
    title="Your address is verified"
    about="You are not logged in to the account in this browser. Log in to confirm that it is yours: you can then invite people, and join the projects that you are invited to."
    aside={TO_CONSOLE}
  >
    <GoOn to={logIn}>Log in</GoOn>
  </Letter>
);

const LogInFirst = ({ email, logIn }: { email: string; logIn: string }) => (
  <Letter
    title="Log in first"
    about={`Your address is verified. To confirm that the account ${email} is yours, log in to it.`}
    aside={<Link href={resetPath(email)}>Did you not create it? Set a password, and it is yours</Link>}
  >
    <GoOn to={logIn}>Log in</GoOn>
  </Letter>
);

function DeadLink({ email }: { email: string }) {
  const user = useSession().data?.user;
  const { data: me } = useAccountApi("GET /users/@me", {}, { enabled: Boolean(user) });
  if (me?.emailProven && (email === "" || me.email === email)) return <Verified />;
  return (
    <Ask
      email={email}
      title="This link no longer works"
      about="It was used, or it is older than an hour. If the address is not verified yet, we will send you a new one."
    />
  );
}

function Ask({ email, ...words }: { email: string; title: string; about: string }) {
  const own = useSession().data?.user?.email ?? "";
  return (
    <AskForMail
      {...words}
      key={own}
      email={email || own}
      endpoint="POST /auth/request-verification"
      sent={(to) =>
        `If ${to} has an account and is not verified yet, a mail is on its way. Its link works for an hour.`
      }
      aside={TO_CONSOLE}
    />
  );
}
