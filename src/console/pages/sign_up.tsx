// A new account: by oneself, or by an invitation.
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { Link, useLocation } from "wouter";
import { call } from "../api.ts";
import { FormError, useServerForm } from "../parts/form.tsx";
import { Letter } from "../parts/letter.tsx";
import { OtherWays } from "../parts/other_ways.tsx";
import { useUrlState } from "../place.ts";
import { useAccountApi } from "../queries.ts";
import { useBegin } from "../session.ts";

/** `/sign-up`, and `/sign-up?email=…&invitation=…` from the mail of an invitation. */
export default function SignUpPage() {
  const [{ email, invitation }] = useUrlState({ email: "", invitation: "" });
  const { data: config } = useAccountApi("GET /config", {}, { staleTime: Infinity });
  const isInvited = invitation !== "";
  const begin = useBegin();
  const [, navigate] = useLocation();
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { email, password: "" } },
    async ({ password, email: given }) => {
      const body = { email: given, password, ...(isInvited && { invitation }) };
      await call("POST /auth/signup", { body });
      await begin();
      navigate("/", { replace: true });
    },
  );
  const aside = (
    <>
      <Link href={`/log-in${email && `?email=${encodeURIComponent(email)}`}`}>Log in instead</Link>
      <Link href="/reset-password">Lost the password?</Link>
    </>
  );
  if (config?.features.signupsDisabled && !isInvited) {
    return (
      <Letter
        title="By invitation only"
        about="New accounts need an invitation here: ask an owner or admin of a project for one."
        aside={aside}
      />
    );
  }
  return (
    <Letter
      title={isInvited ? "Join the project" : "Create an account"}
      about={
        isInvited
          ? "With this address you join the project at once. If there is an account with it already, enter its password."
          : "All you need is an address and a password."
      }
      aside={aside}
    >
      <form onSubmit={submit} noValidate>
        <TextInput
          label="Address"
          type="email"
          name="email"
          autoComplete="username"
          autoFocus={!isInvited}
          readOnly={isInvited}
          required
          withAsterisk={false}
          size="md"
          key={form.key("email")}
          {...form.getInputProps("email")}
        />
        <PasswordInput
          label="Password"
          description="At least 8 characters, and not one that is easy to guess."
          name="password"
          autoComplete="new-password"
          autoFocus={isInvited}
          required
          withAsterisk={false}
          size="md"
          key={form.key("password")}
          {...form.getInputProps("password")}
        />
        <FormError error={error} />
        <Button type="submit" size="md" loading={isSending}>
          {isInvited ? "Join" : "Create the account"}
        </Button>
      </form>
      {!isInvited && <OtherWays returnTo="/app" />}
    </Letter>
  );
}
