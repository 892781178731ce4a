// Changes of the contact: fields of its data, and its subscription.
import { ActionIcon, Autocomplete, Button, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { AddIcon, CloseIcon } from "../../../parts/icons.tsx";
import type { StepFormProps } from "./form.ts";
import classes from "./forms.module.css";

type Kind = "text" | "number" | "boolean" | "remove" | "json";

interface Row {
  key: string;
  name: string;
  kind: Kind;
  text: string;
}

const KINDS = [
  { value: "text", label: "text" },
  { value: "number", label: "number" },
  { value: "boolean", label: "yes or no" },
  { value: "json", label: "JSON" },
  { value: "remove", label: "remove" },
];

export function UpdateContactForm({ step, names, setConfig, errorOf }: StepFormProps) {
  const { config } = step;
  const [rows, setRows] = useState<Row[]>(
    () => (step.writing as Row[] | undefined) ?? rowsOf((config.updates ?? {}) as Record<string, unknown>),
  );
  const known = names.vocabulary?.fields.map(({ field }) => field.replace(/^data\./, "")) ?? [];
  const write = (next: Row[]) => {
    setRows(next);
    const values = next.map(valueOf);
    const unique = new Set(next.map(({ name }) => name.trim()));
    const isFinished = unique.size === next.length && !unique.has("") && !values.includes(undefined);
    const updates = Object.fromEntries(
      next.flatMap(({ name }, n) =>
        name.trim() && values[n] !== undefined ? [[name.trim(), values[n]]] : [],
      ),
    );
    setConfig({ ...config, updates }, "updates", { writing: isFinished ? undefined : next });
  };
  const change = (key: string, patch: Partial<Row>) =>
    write(rows.map((row) => (row.key === key ? { ...row, ...patch } : row)));
  return (
    <>
      <div>
        <span className={classes.label}>Data</span>
        <div className={classes.rows}>
          {rows.map((row) => (
            <div
              key={row.key}
              className={classes.row}
              data-kind={row.kind}
              role="group"
              aria-label={row.name || "New field"}
            >
              <Autocomplete
                aria-label="Field"
                placeholder="plan"
                data={known}
                limit={50}
                value={row.name}
                onChange={(name) => change(row.key, { name })}
                error={errorOf(`config.updates.${row.name}`)}
              />
              <NativeSelect
                aria-label="Kind of value"
                data={KINDS}
                value={row.kind}
                onChange={(event) => change(row.key, { kind: event.currentTarget.value as Kind })}
              />
              <ActionIcon
                size="lg"
                aria-label={`Leave ${row.name || "this field"} as it is`}
                onClick={() => write(rows.filter(({ key }) => key !== row.key))}
              >
                <CloseIcon size={15} />
              </ActionIcon>
              <Value row={row} change={(text) => change(row.key, { text })} />
            </div>
          ))}
          <div>
            <Button
              variant="subtle"
              size="compact-sm"
              leftSection={<AddIcon size={14} />}
              onClick={() => write([...rows, { key: crypto.randomUUID(), name: "", kind: "text", text: "" }])}
            >
              Add a field
            </Button>
          </div>
        </div>
        {errorOf("config.updates") && <p className={classes.fault}>{errorOf("config.updates")}</p>}
      </div>
      <NativeSelect
        label="Subscription"
        data={[
          { value: "none", label: "Leave it as it is" },
          { value: "subscribe", label: "Subscribe" },
          { value: "unsubscribe", label: "Unsubscribe" },
        ]}
        value={String(config.subscriptionAction ?? "none")}
        onChange={(event) =>
          setConfig({ ...config, subscriptionAction: event.currentTarget.value }, "subscription", {
            writing: step.writing,
          })
        }
      />
    </>
  );
}

function Value({ row: { kind, text }, change }: { row: Row; change: (text: string) => void }) {
  if (kind === "remove") return null;
  if (kind === "boolean") {
    return (
      <NativeSelect
        aria-label="Value"
        data={[
          { value: "true", label: "yes" },
          { value: "false", label: "no" },
        ]}
        value={text === "false" ? "false" : "true"}
        onChange={(event) => change(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      aria-label="Value"
      placeholder={kind === "text" ? "{{event.source ?? unknown}}" : kind === "number" ? "0" : "[]"}
      inputMode={kind === "number" ? "decimal" : "text"}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

function rowsOf(updates: Record<string, unknown>): Row[] {
  return Object.entries(updates).map(([name, value]) => ({
    key: crypto.randomUUID(),
    name,
    ...writtenOf(value),
  }));
}

function writtenOf(value: unknown): { kind: Kind; text: string } {
  if (value === null) return { kind: "remove", text: "" };
  if (typeof value === "string") return { kind: "text", text: value };
  if (typeof value === "number") return { kind: "number", text: String(value) };
  if (typeof value === "boolean") return { kind: "boolean", text: String(value) };
  return { kind: "json", text: JSON.stringify(value) };
}

/** Undefined if it is not finished. */
function valueOf({ kind, text }: Row): unknown {
  switch (kind) {
    case "remove":
      return null;
    case "text":
      return text;
    case "boolean":
      return text !== "false";
    case "number":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case "json":
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return undefined;
      }
  }
}
