// A new account: by oneself, or by an invitation. Who is invited and has an account joins with its password.
import { Link } from "wouter";
import type { AccountLink } from "../api.gen.ts";
import { call } from "../api.ts";
import { WithLink } from "../parts/account_link.tsx";
import { useServerForm } from "../parts/form.tsx";
import { Letter } from "../parts/letter.tsx";
import { AddressField, GoOn, LetterForm, PasswordField } from "../parts/letter_form.tsx";
import { OtherWays } from "../parts/other_ways.tsx";
import { logInPath, useWayIn } from "../parts/way_in.tsx";
import { useUrlState } from "../place.ts";
import { useFeatures } from "../session.ts";

/** `/sign-up`, and `/sign-up?email=…&invitation=…` from the mail of an invitation. */
export default function SignUpPage() {
  const [{ email, invitation }] = useUrlState({ email: "", invitation: "" });
  const isClosed = useFeatures()?.signupsDisabled;
  if (invitation !== "") {
    return (
      <WithLink token={invitation} purpose="INVITATION" dead={<DeadInvitation email={email} />}>
        {(link) => <Join token={invitation} link={link} />}
      </WithLink>
    );
  }
  return isClosed ? <Closed email={email} /> : <SignUp email={email} />;
}

const aside = (email: string) => (
  <>
    <Link href={logInPath({ email })}>Log in instead</Link>
    <Link href={resetPath(email)}>Forgot your password?</Link>
  </>
);

const resetPath = (email: string) => `/reset-password${email && `?${new URLSearchParams({ email })}`}`;

function SignUp({ email }: { email: string }) {
  const wayIn = useWayIn({ to: "/", email });
  const { form, ...state } = useServerForm(
    { initialValues: { email, password: "" } },
    async (body) => await wayIn.enter(() => call("POST /auth/signup", { body })),
  );
  return (
    <Letter title="Create an account" about="All you need is an address and a password." aside={aside(email)}>
      <LetterForm {...state} button="Create the account">
        <AddressField form={form} autoFocus />
        <PasswordField form={form} isNew />
      </LetterForm>
      <OtherWays returnTo="/app" />
    </Letter>
  );
}

const ROLES = { MEMBER: "a member", ADMIN: "an admin", OWNER: "an owner" };

function Join({ token, link: { email, account, invitation } }: { token: string; link: AccountLink }) {
  const wayIn = useWayIn({ to: invitation ? `/p/${invitation.projectId}` : "/", email });
  const { form, ...state } = useServerForm({ initialValues: { email, password: "" } }, async ({ password }) =>
    wayIn.enter(() => call("POST /auth/signup", { body: { email, password, invitation: token } })),
  );
  if (wayIn.secondStep) return wayIn.secondStep;
  const role = invitation ? ROLES[invitation.role] : "a member";
  return (
    <Letter
      title={`Join ${invitation?.project ?? "the project"}`}
      about={
        account
          ? `You are invited as ${role}. There is an account with this address already: enter its password, and you are in.`
          : `You are invited as ${role}. Choose a password, and you are in.`
      }
      aside={
        account ? (
          <>
            <span>Lost the password, or not your account? Reset the password to make it yours and join.</span>
            <Link href={resetPath(email)}>Reset the password</Link>
          </>
        ) : null
      }
    >
      <LetterForm {...state} button={account ? "Join" : "Create the account and join"}>
        <AddressField form={form} isFixed />
        <PasswordField form={form} isNew={account === null} autoFocus />
      </LetterForm>
    </Letter>
  );
}

function DeadInvitation({ email }: { email: string }) {
  return (
    <Letter
      title="This invitation is no longer valid"
      about="It was used or withdrawn, or it is older than two weeks. If you used it yourself, you are a member: log in. If not, ask the person who invited you for a new one."
      aside={<Link href={resetPath(email)}>Forgot your password?</Link>}
    >
      <GoOn to={logInPath({ email })}>Log in</GoOn>
    </Letter>
  );
}

function Closed({ email }: { email: string }) {
  return (
    <Letter
      title="By invitation only"
      about="New accounts need an invitation here: ask an owner or admin of a project for one."
      aside={aside(email)}
    />
  );
}
