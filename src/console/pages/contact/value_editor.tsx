// One value while it is edited, as its kind wants it.
import { Select, Textarea, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { Refusal } from "../../api.ts";
import { toast } from "../../parts/toast.tsx";
import { useUnsaved } from "../../parts/unsaved.ts";
import { readText, writeText } from "../contacts/field_text.ts";
import type { FieldKind } from "../../parts/field_value.tsx";

interface Props {
  /** Of which field. */
  label: string;
  kind: FieldKind;
  value: unknown;
  /** Refused, it stays open, with the reason. */
  save: (value: unknown) => Promise<unknown>;
  close: () => void;
}

const YES_OR_NO = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

/** Enter saves, and so does leaving it: nothing that was typed is lost. Escape leaves the value as it was. */
export function ValueEditor({ label, kind, value, save, close }: Props) {
  const before = writeText(kind, value);
  const [text, setText] = useState(before);
  const [error, setError] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const isOver = useRef(false);
  const isGone = useRef(false);
  useEffect(() => () => void (isGone.current = true), []);
  // What is on its way is saved, whatever else is opened.
  useUnsaved(() => text !== before && !isOver.current && !isSaving);
  const finish = async (next = text) => {
    if (isOver.current || isSaving) return;
    if (next === before) return end();
    const read = readText(kind, next);
    if (read.error !== undefined) return setError(read.error);
    setSaving(true);
    try {
      await save(read.value);
      end();
    } catch (refusal) {
      if (isGone.current) toast.failed(new Error(`${label} was not saved: ${reasonOf(refusal)}`));
      setError(reasonOf(refusal));
      setSaving(false);
    }
  };
  const end = () => {
    isOver.current = true;
    close();
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      end();
    }
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void finish();
    }
  };
  const common = {
    size: "xs",
    "aria-label": label,
    error,
    autoFocus: true,
    readOnly: isSaving,
    onKeyDown,
  } as const;
  if (kind === "boolean") {
    return (
      <Select
        {...common}
        data={YES_OR_NO}
        value={text}
        allowDeselect={false}
        defaultDropdownOpened
        onChange={(next) => {
          if (next === null) return;
          setText(next);
          void finish(next);
        }}
        onKeyDown={(event) => event.key === "Escape" && end()}
        onBlur={() => void finish()}
      />
    );
  }
  const Input = kind === "json" ? Textarea : TextInput;
  const isDay = kind === "date" && before.length <= 10;
  return (
    <Input
      {...common}
      {...(kind !== "json" && { type: isDay ? "date" : "text" })}
      {...(kind === "json" && { autosize: true, maxRows: 10 })}
      inputMode={kind === "number" ? "decimal" : "text"}
      value={text}
      onChange={(event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
        setText(event.currentTarget.value);
        setError(null);
      }}
      onBlur={() => void finish()}
    />
  );
}

/** What is wrong with the value, in the words of the service. */
export function reasonOf(refusal: unknown): string {
  const first = refusal instanceof Refusal ? refusal.fields[0]?.message : undefined;
  return first ?? (refusal as Error).message;
}
