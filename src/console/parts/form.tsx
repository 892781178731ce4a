// Forms whose faults come from the service: each at its field, the rest above the button.
import { Alert } from "@mantine/core";
import { type UseFormInput, type UseFormReturnType, useForm } from "@mantine/form";
import { useContext, useEffect, useRef, useState } from "react";
import { type FieldFault, Refusal } from "../api.ts";
import { ProjectContext } from "../place.ts";
import { WarningIcon } from "./icons.tsx";
import { useUnsaved } from "./unsaved.ts";
import classes from "./form.module.css";

/** A form with what happened to sending it. */
export interface ServerForm<T> {
  form: UseFormReturnType<T>;
  /** For `onSubmit` of the form. */
  submit: (event?: React.FormEvent<HTMLFormElement>) => void;
  isSending: boolean;
  /** What belongs to no field: for {@linkcode FormError}. */
  error: unknown;
}

/**
 * A form that `send` sends. What the service finds wrong with a field is shown at it, and the first such field has the
 * focus; anything else is `error`. `names` says which field of the form a field of the API is, where they differ. In a project,
 * what is written in it is not left without a question; where one logs in, it is.
 */
export function useServerForm<T extends Record<string, unknown>>(
  options: UseFormInput<T>,
  send: (values: T) => Promise<unknown>,
  names: Record<string, keyof T & string> = {},
): ServerForm<T> {
  const form = useForm<T>({ mode: "uncontrolled", ...options });
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isOnItsWay = useRef(false);
  const isGuarded = useContext(ProjectContext) !== null;
  useUnsaved(() => isGuarded && !isOnItsWay.current && form.isDirty());
  const submit = form.onSubmit(async (values) => {
    // From here on the form leads on by itself.
    isOnItsWay.current = true;
    setSending(true);
    setError(null);
    try {
      await send(values);
      form.resetDirty();
    } catch (refusal) {
      const fields = Object.keys(form.getValues());
      const { known, others } = sorted(refusal, fields, names);
      form.setErrors(known);
      const [first] = Object.keys(known);
      if (first) form.getInputNode(first)?.focus();
      setError(first ? others : refusal);
    } finally {
      isOnItsWay.current = false;
      setSending(false);
    }
  });
  return { form, submit, isSending, error };
}

/** The faults by field of the form, and an error with those that belong to none. */
function sorted(refusal: unknown, fields: string[], names: Record<string, string>) {
  const known: Record<string, string> = {};
  const others: FieldFault[] = [];
  for (const fault of refusal instanceof Refusal ? refusal.fields : []) {
    const name = names[fault.field] ?? fault.field;
    if (fields.includes(name.split(".")[0]!)) known[name] ??= fault.message;
    else others.push(fault);
  }
  const text = others.map(({ field, message }) => `${field}: ${message}`).join(". ");
  return { known, others: text ? new Error(text) : null };
}

/** What is wrong with the whole, in the words of the service, with what to do about it. */
export function FormError({ error }: { error: unknown }) {
  const shown = useRef<HTMLDivElement>(null);
  // Of a long form the end may be out of sight, and the button may not be.
  useEffect(() => {
    if (error) shown.current?.scrollIntoView({ block: "nearest" });
  }, [error]);
  if (!error) return null;
  const { message } = error as Error;
  const refusal = error instanceof Refusal ? error : null;
  const loose = refusal?.fields.map(({ field, message: fault }) => `${field}: ${fault}`) ?? [];
  return (
    <Alert
      ref={shown}
      color="red"
      variant="light"
      icon={<WarningIcon />}
      title={message}
      mt="md"
      role="alert"
      className={classes.error!}
    >
      {[...loose, refusal?.suggestion].filter(Boolean).join(". ") || null}
    </Alert>
  );
}
