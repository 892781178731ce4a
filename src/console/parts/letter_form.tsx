// The forms of the pages for people who are not logged in: fields of an address and a password, and the way to another mail.
import { Button, PasswordInput, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { type ReactNode, useState } from "react";
import { useLocation } from "wouter";
import { BASE, call } from "../api.ts";
import { useFeatures } from "../session.ts";
import { FormError, type ServerForm, useServerForm } from "./form.tsx";
import { Letter } from "./letter.tsx";

interface LetterFormProps extends Pick<ServerForm<never>, "submit" | "isSending" | "error"> {
  /** What the button says. */
  button: string;
  children?: ReactNode;
}

/** Fields, what went wrong, and the button. Without fields the button has the focus. */
export function LetterForm({ submit, isSending, error, button, children }: LetterFormProps) {
  return (
    <form onSubmit={submit} noValidate>
      {children}
      <FormError error={error} />
      <Button type="submit" size="md" loading={isSending} autoFocus={!children}>
        {button}
      </Button>
    </form>
  );
}

interface FieldProps {
  // oxlint-disable-next-line typescript/no-explicit-any
  form: UseFormReturnType<any>;
  autoFocus?: boolean;
}

/** The one thing to do on a page that is done: leads to another page. */
export function GoOn({ to, children }: { to: string; children: ReactNode }) {
  const [, navigate] = useLocation();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        navigate(to);
      }}
    >
      <Button type="submit" size="md" autoFocus>
        {children}
      </Button>
    </form>
  );
}

const FIELD = { required: true, withAsterisk: false, size: "md" } as const;

/** The address of an account. */
export function AddressField({ form, isFixed, ...more }: FieldProps & { isFixed?: boolean }) {
  return (
    <TextInput
      label="Address"
      type="email"
      name="email"
      autoComplete="username"
      readOnly={isFixed}
      {...FIELD}
      {...more}
      key={form.key("email")}
      {...form.getInputProps("email")}
    />
  );
}

/** The password of an account that is there, or one that is chosen now. */
export function PasswordField({
  form,
  name = "password",
  isNew,
  ...more
}: FieldProps & { name?: string; isNew?: boolean }) {
  const input = form.getInputProps(name);
  return (
    <PasswordInput
      // The library says it for other fields.
      aria-invalid={Boolean(input.error) || undefined}
      label={name === "newPassword" ? "New password" : "Password"}
      description={isNew && "At least 8 characters, and not one that is easy to guess."}
      name={name}
      autoComplete={isNew ? "new-password" : "current-password"}
      {...FIELD}
      {...more}
      key={form.key(name)}
      {...input}
    />
  );
}

interface AskForMailProps {
  title: string;
  about: ReactNode;
  /** Filled in. */
  email: string;
  /** What sends the mail. */
  endpoint: "POST /auth/request-verification" | "POST /auth/request-password-reset";
  /** What is said when it was, if there is such an account. */
  sent: (email: string) => ReactNode;
  button?: string;
  aside?: ReactNode;
}

/** Sends a mail with a link: the first one, or another one in place of one that has ended. */
export function AskForMail({ title, about, email, endpoint, sent, button, aside }: AskForMailProps) {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const { form, ...state } = useServerForm({ initialValues: { email } }, async (given) => {
    await call(endpoint, { body: { email: given.email.trim() } });
    setSentTo(given.email.trim());
  });
  if (sentTo !== null) return <Sent about={sent(sentTo)} again={() => setSentTo(null)} aside={aside} />;
  return (
    <Letter title={title} about={about} aside={aside}>
      <LetterForm {...state} button={button ?? "Send the mail"}>
        <AddressField form={form} autoFocus={email === ""} />
      </LetterForm>
    </Letter>
  );
}

/** A mail is on its way. */
function Sent({ about, again, aside }: { about: ReactNode; again: () => void; aside: ReactNode }) {
  const features = useFeatures();
  return (
    <Letter
      title="Check your mail"
      about={about}
      aside={
        <>
          <a
            href="#again"
            onClick={(event) => {
              event.preventDefault();
              again();
            }}
          >
            Nothing came? Send it again
          </a>
          {aside}
        </>
      }
    >
      {features && !features.smtp && (
        <p>
          This installation keeps its mails: <a href={`${BASE}/inbox`}>look into the inbox</a>.
        </p>
      )}
    </Letter>
  );
}
