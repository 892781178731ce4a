// How a person gets in: with a password, with a passkey or an account elsewhere, and with the second factor if there is one.
import { Alert } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { call } from "../api.ts";
import { useServerForm } from "../parts/form.tsx";
import { Letter } from "../parts/letter.tsx";
import { AddressField, LetterForm, PasswordField } from "../parts/letter_form.tsx";
import { OtherWays } from "../parts/other_ways.tsx";
import { useWayIn } from "../parts/way_in.tsx";
import { useUrlState } from "../place.ts";
import { useSession } from "../session.ts";

/** Why somebody is here again, by `because` of the address. */
const REASONS: Record<string, string> = {
  expired: "That took more than ten minutes, so the log-in has ended. Enter the password once more.",
  again: "Log in again to confirm that it is you. You then return to where you were.",
};

/** `/log-in`, and then to where `return` says: an address below the console. */
export function LogInPage() {
  const [{ return: after, email: given, because }] = useUrlState({ return: "", email: "", because: "" });
  const [email, setEmail] = useState(given);
  const wayIn = useWayIn({ to: after || "/", email });
  const user = useSession().data?.user;
  const { form, ...state } = useServerForm(
    { initialValues: { email, password: "" }, onValuesChange: (values) => setEmail(values.email) },
    async (body) => await wayIn.enter(() => call("POST /auth/login", { body })),
  );
  if (wayIn.secondStep) return wayIn.secondStep;
  const known = email && `?email=${encodeURIComponent(email)}`;
  return (
    <Letter
      title="Log in"
      about={
        user && `You are logged in as ${user.email}. Log in as somebody else, or continue to the console.`
      }
      aside={
        <>
          <Link href="/sign-up">Create an account</Link>
          <Link href={`/reset-password${known}`}>Forgot your password?</Link>
          {user && <Link href="/">Go on</Link>}
        </>
      }
    >
      {REASONS[because] && (
        <Alert color="yellow" variant="light" mt="lg" role="status">
          {REASONS[because]}
        </Alert>
      )}
      <LetterForm {...state} button="Log in">
        <AddressField form={form} autoFocus={given === ""} />
        <PasswordField form={form} autoFocus={given !== ""} />
      </LetterForm>
      <OtherWays returnTo={`/app${after}`} wayIn={wayIn} />
    </Letter>
  );
}
