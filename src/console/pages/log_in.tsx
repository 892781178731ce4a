// How a person gets in: with a password, with an account elsewhere, and with the second factor where the account has one.
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { call, Refusal } from "../api.ts";
import { FormError, useServerForm } from "../parts/form.tsx";
import { Letter } from "../parts/letter.tsx";
import { OtherWays } from "../parts/other_ways.tsx";
import { useUrlState } from "../place.ts";
import { useBegin, useSession } from "../session.ts";
import { SecondFactor } from "./second_factor.tsx";

/** `/log-in`, and then to where `return` says: an address below the console. */
export function LogInPage() {
  const [{ return: after, email }] = useUrlState({ return: "", email: "" });
  const [challenge, setChallenge] = useState<string | null>(null);
  const begin = useBegin();
  const [, navigate] = useLocation();
  const finish = async () => {
    await begin();
    // Only a path of our own: whoever made the link may not send people elsewhere.
    navigate(/^\/(?![/\\])/.test(after) ? after : "/", { replace: true });
  };
  if (challenge !== null) {
    return <SecondFactor challenge={challenge} finish={finish} cancel={() => setChallenge(null)} />;
  }
  return <Password email={email} finish={finish} challenge={setChallenge} returnTo={after} />;
}

interface PasswordProps {
  email: string;
  returnTo: string;
  finish: () => Promise<void>;
  /** The password is right, and a second factor is asked for. */
  challenge: (challenge: string) => void;
}

function Password({ email, returnTo, finish, challenge }: PasswordProps) {
  const user = useSession().data?.user;
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { email, password: "" } },
    async (body) => {
      try {
        await call("POST /auth/login", { body });
      } catch (refusal) {
        const asked = challengeOf(refusal);
        if (asked === null) throw refusal;
        return challenge(asked);
      }
      await finish();
    },
  );
  const kept = returnTo ? `?return=${encodeURIComponent(returnTo)}` : "";
  return (
    <Letter
      title="Log in"
      about={
        user ? `You are logged in as ${user.email}. Log in as somebody else, or go on to the console.` : null
      }
      aside={
        <>
          <Link href="/sign-up">Create an account</Link>
          <Link href="/reset-password">Lost the password?</Link>
          {user && <Link href="/">Go on</Link>}
        </>
      }
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
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          size="md"
          key={form.key("password")}
          {...form.getInputProps("password")}
        />
        <FormError error={error} />
        <Button type="submit" size="md" loading={isSending}>
          Log in
        </Button>
      </form>
      <OtherWays returnTo={`/app${returnTo}`} key={kept} />
    </Letter>
  );
}

/** What the second step answers to, where a log-in has come that far. */
export function challengeOf(refusal: unknown): string | null {
  if (!(refusal instanceof Refusal) || refusal.code !== "TWO_FACTOR_REQUIRED") return null;
  return String(refusal.details.challenge ?? "");
}
