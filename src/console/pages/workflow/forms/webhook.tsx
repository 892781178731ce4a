// A call to a server: where, how, and with what.
import { NativeSelect, SegmentedControl, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { StepFormProps } from "./form.ts";
import classes from "./forms.module.css";
import { Rows } from "./rows.tsx";

const METHODS = ["POST", "PUT", "PATCH", "GET", "DELETE"];

interface Writing {
  body?: string;
}

export function WebhookForm({ step: { config, writing }, setConfig, errorOf }: StepFormProps) {
  const headers = (config.headers ?? {}) as Record<string, string>;
  const hasBody = config.body !== undefined || writing !== undefined;
  const [text, setText] = useState(() => (writing as Writing | undefined)?.body ?? pretty(config.body));
  const set = (patch: Record<string, unknown>, key: string) =>
    setConfig({ ...config, ...patch }, key, { writing });
  const writeBody = (next: string) => {
    setText(next);
    const { body: _, ...rest } = config;
    const parsed = parse(next);
    if (parsed === undefined) setConfig(rest, "body", { writing: { body: next } });
    else setConfig({ ...rest, body: parsed }, "body", { writing: undefined });
  };
  return (
    <>
      <TextInput
        label="Address"
        description="The path and query may contain fields: ?contact={{id}}"
        placeholder="https://shop.example/hooks/welcome"
        type="url"
        maxLength={2048}
        value={String(config.url ?? "")}
        onChange={(event) => set({ url: event.currentTarget.value }, "url")}
        error={errorOf("config.url")}
      />
      <NativeSelect
        label="Method"
        data={METHODS}
        value={String(config.method ?? "POST")}
        onChange={(event) => set({ method: event.currentTarget.value }, "method")}
      />
      <div>
        <span className={classes.label}>Headers</span>
        <Rows
          noun="header"
          first={["Name", "Authorization"]}
          second={["Value", "Bearer …"]}
          value={headers}
          onChange={(next) => set({ headers: next }, "headers")}
          errorOf={(name) => errorOf(`config.headers.${name}`)}
        />
      </div>
      <div>
        <span className={classes.label}>What is sent</span>
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label="What is sent"
          data={[
            { value: "default", label: "Contact and event" },
            { value: "own", label: "Custom JSON" },
          ]}
          value={hasBody ? "own" : "default"}
          onChange={(next) => {
            const { body: _, ...rest } = config;
            const body = { email: "{{email}}" };
            setText(pretty(body));
            setConfig(next === "own" ? { ...rest, body } : rest, "kind", { writing: undefined });
          }}
        />
      </div>
      {hasBody && (
        <Textarea
          aria-label="JSON"
          autosize
          minRows={4}
          maxRows={16}
          spellCheck={false}
          classNames={{ input: classes.mono! }}
          value={text}
          onChange={(event) => writeBody(event.currentTarget.value)}
          error={errorOf("config.body")}
        />
      )}
    </>
  );
}

const pretty = (body: unknown) => (body === undefined ? "" : JSON.stringify(body, null, 2));

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
