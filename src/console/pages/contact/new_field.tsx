// One field more for a contact: one that others have, or a new one.
import { Autocomplete, Button, Group, Select, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { Refusal } from "../../api.ts";
import { useUnsaved } from "../../parts/unsaved.ts";
import { useApi } from "../../queries.ts";
import { KINDS, readText } from "../contacts/field_text.ts";
import type { FieldKind } from "../../parts/field_value.tsx";
import { reasonOf } from "./value_editor.tsx";

interface Props {
  /** Keys that the contact has. */
  taken: string[];
  save: (key: string, value: unknown) => Promise<unknown>;
  close: () => void;
}

const KIND_OF_TYPE = { string: "text", number: "number", boolean: "boolean", date: "date" } as const;

export function NewField({ taken, save, close }: Props) {
  const [key, setKey] = useState("");
  const [chosenKind, setKind] = useState<FieldKind | null>(null);
  const [text, setText] = useState("");
  const [fault, setFault] = useState<{ of: "key" | "value"; message: string } | null>(null);
  const [isSaving, setSaving] = useState(false);
  useUnsaved(key.trim() !== "" || text !== "");
  const { data } = useApi("GET /contacts/fields", {});
  const known = (data?.fields ?? []).filter(({ field }) => field.startsWith("data."));
  const usual = known.find(({ field }) => field === `data.${key.trim()}`);
  const kind = chosenKind ?? (usual ? KIND_OF_TYPE[usual.type] : "text");
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    const name = key.trim();
    if (name === "") return setFault({ of: "key", message: "Enter a name for the field" });
    if (taken.includes(name))
      return setFault({ of: "key", message: "The contact has this field: edit its value" });
    const read = readText(kind, kind === "boolean" && text === "" ? "true" : text);
    if (read.error !== undefined) return setFault({ of: "value", message: read.error });
    setSaving(true);
    try {
      await save(name, read.value);
      close();
    } catch (refusal) {
      const isKey = refusal instanceof Refusal && /key/i.test(refusal.fields[0]?.message ?? "");
      setFault({ of: isKey ? "key" : "value", message: reasonOf(refusal) });
      setSaving(false);
    }
  };
  return (
    <form
      onSubmit={submit}
      aria-label="New field"
      onKeyDown={(event) => event.key === "Escape" && !event.defaultPrevented && close()}
    >
      <Stack gap="xs" mt="sm">
        <Autocomplete
          size="xs"
          label="Field"
          placeholder="firstName"
          data={known.map(({ field }) => field.slice("data.".length)).filter((name) => !taken.includes(name))}
          value={key}
          onChange={(next) => {
            setKey(next);
            setFault(null);
          }}
          error={fault?.of === "key" && fault.message}
          maxLength={200}
          autoFocus
        />
        <Group gap="xs" align="start" wrap="nowrap">
          <Select
            size="xs"
            w="8rem"
            label="Kind"
            data={KINDS}
            value={kind}
            onChange={(next) => setKind(next as FieldKind)}
            allowDeselect={false}
          />
          <NewValue
            kind={kind}
            text={text}
            onChange={setText}
            error={fault?.of === "value" && fault.message}
          />
        </Group>
        <Group gap="xs" justify="flex-end">
          <Button variant="default" size="xs" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" size="xs" loading={isSaving}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface ValueProps {
  kind: FieldKind;
  text: string;
  onChange: (text: string) => void;
  error: string | false | undefined;
}

function NewValue({ kind, text, onChange, error }: ValueProps) {
  if (kind === "boolean") {
    return (
      <Select
        size="xs"
        flex={1}
        label="Value"
        data={[
          { value: "true", label: "Yes" },
          { value: "false", label: "No" },
        ]}
        value={text === "false" ? "false" : "true"}
        onChange={(next) => onChange(next ?? "true")}
        allowDeselect={false}
      />
    );
  }
  return (
    <TextInput
      size="xs"
      flex={1}
      label="Value"
      type={kind === "date" ? "date" : "text"}
      inputMode={kind === "number" ? "decimal" : "text"}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
    />
  );
}
