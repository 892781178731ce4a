// How somebody shows who they are: by the password, a code, a passkey or a recovery code. One at a time, with the others a click
// away; what was typed stays.
import { Anchor, Button, PasswordInput, TextInput } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import type { PasskeyOptions, ReauthenticateBody } from "../api.gen.ts";
import { Refusal } from "../api.ts";
import { answerWithPasskey, canUsePasskeys } from "../passkeys.ts";
import classes from "./factor.module.css";
import { FormError } from "./form.tsx";

/** What can be given. */
export type Proof = ReauthenticateBody;
export type Method = "password" | "code" | "passkey" | "recoveryCode";

interface Props {
  /** The first is asked for. */
  methods: Method[];
  /** What the browser needs for a passkey. */
  passkeyOptions: () => Promise<PasskeyOptions>;
  /** Throws if it is refused. */
  give: (proof: Proof) => Promise<unknown>;
  button: string;
  size?: "sm" | "md";
  /** Beside the button: a way back. */
  children?: ReactNode;
}

const WORDS: Record<Method, { use: string; label: string; wrong: string }> = {
  password: {
    use: "Use the password",
    label: "Your password",
    wrong: "This is not the password of your account",
  },
  code: {
    use: "Use the app",
    label: "Code",
    wrong: "This code is wrong, or was used before: take the one that the app shows now",
  },
  passkey: {
    use: "Use a passkey",
    label: "",
    wrong: "This passkey was not accepted: try it again, or use another way",
  },
  recoveryCode: {
    use: "Use a recovery code",
    label: "Recovery code",
    wrong: "This code is wrong, or was used before: each works once",
  },
};

/** The form of it. */
export function FactorForm({ methods: known, passkeyOptions, give, button, size = "sm", children }: Props) {
  const methods = known.filter((method) => method !== "passkey" || canUsePasskeys);
  const [chosen, setMethod] = useState<Method | null>(null);
  const method = chosen ?? methods[0] ?? "recoveryCode";
  const [typed, setTyped] = useState({ password: "", code: "", recoveryCode: "" });
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const field = useRef<HTMLInputElement>(null);

  const send = async (by: Method, proof: () => Promise<Proof>) => {
    if (isSending) return;
    setMethod(by);
    setSending(true);
    setError(null);
    try {
      await give(await proof());
    } catch (refusal) {
      setError(refusal);
      setSending(false);
      // Typing replaces it.
      setTimeout(() => field.current?.select());
    }
  };
  const byPasskey = () =>
    send("passkey", async () => ({ passkey: await answerWithPasskey(await passkeyOptions()) }));
  const sendTyped = (text: string) =>
    method === "passkey" ? byPasskey() : send(method, () => Promise.resolve(proofOf(method, text.trim())));
  const choose = (next: Method) => {
    setError(null);
    if (next === "passkey") void byPasskey();
    else setMethod(next);
  };
  const type = (text: string) => {
    setTyped({ ...typed, [method]: text });
    setError(null);
    if (method === "code" && /^\s*(\d\s*){6}$/.test(text)) void sendTyped(text);
  };

  const isWrong = error instanceof Refusal && error.code === "INVALID_CREDENTIALS";
  const text = method === "passkey" ? "" : typed[method];
  const others = methods.filter((other) => other !== method);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void sendTyped(text);
      }}
    >
      {method !== "passkey" && (
        <Field
          key={method}
          method={method}
          size={size}
          value={text}
          error={isWrong ? WORDS[method].wrong : null}
          ref={field}
          change={type}
        />
      )}
      <FormError
        error={isWrong && method !== "passkey" ? null : isWrong ? new Error(WORDS.passkey.wrong) : error}
      />
      <div className={classes.foot} data-size={size}>
        <Button
          type="submit"
          size={size}
          loading={isSending}
          disabled={method !== "passkey" && text.trim() === ""}
          autoFocus={method === "passkey"}
        >
          {method === "passkey" ? WORDS.passkey.use : button}
        </Button>
        {children}
      </div>
      {others.length > 0 && (
        <div className={classes.others}>
          {others.map((other) => (
            <Anchor key={other} component="button" type="button" size="sm" onClick={() => choose(other)}>
              {WORDS[other].use}
            </Anchor>
          ))}
        </div>
      )}
    </form>
  );
}

function proofOf(method: Exclude<Method, "passkey">, text: string): Proof {
  if (method === "password") return { password: text };
  return method === "code" ? { code: text } : { recoveryCode: text };
}

interface FieldProps {
  method: Exclude<Method, "passkey">;
  size: "sm" | "md";
  value: string;
  error: string | null;
  ref: React.Ref<HTMLInputElement>;
  change: (text: string) => void;
}

function Field({ method, change, ...props }: FieldProps) {
  const common = {
    ...props,
    label: WORDS[method].label,
    "data-autofocus": true,
    autoFocus: true,
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => change(event.currentTarget.value),
  };
  if (method === "password") {
    const isWrong = props.error !== null || undefined;
    return <PasswordInput {...common} autoComplete="current-password" aria-invalid={isWrong} />;
  }
  if (method === "recoveryCode") return <TextInput {...common} {...PLAIN} autoComplete="off" />;
  return <CodeInput {...common} />;
}

const PLAIN = {
  autoCapitalize: "off",
  autoCorrect: "off",
  spellCheck: false,
  classNames: { input: classes.recovery! },
};

/** Six digits of an app: filled in by the device where it knows them, and pasted with or without a space. */
export function CodeInput(props: React.ComponentProps<typeof TextInput>) {
  return (
    <TextInput
      inputMode="numeric"
      autoComplete="one-time-code"
      placeholder="000000"
      classNames={{ input: classes.code! }}
      {...props}
    />
  );
}
