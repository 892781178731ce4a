// Where a mail would go now, and why. Nothing is sent.
import { Button, Select, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { RoutesTest } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { formatPercent } from "../../parts/format.ts";
import { Status } from "../../parts/status.tsx";
import { useProjectId } from "../../place.ts";
import { providerName, STATES } from "./words.ts";
import classes from "./transports.module.css";

type Type = "TRANSACTIONAL" | "MARKETING";

export function RouteTrial() {
  const projectId = useProjectId();
  const [found, setFound] = useState<RoutesTest | null>(null);
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { type: "TRANSACTIONAL" as Type, from: "", to: "" } },
    async ({ type, from, to }) => {
      setFound(null);
      const body = { type, from: from.trim(), to: to.trim() };
      setFound(await call("POST /routes/test", { body }, { projectId }));
    },
  );
  return (
    <form onSubmit={submit} noValidate>
      <Select
        label="Mail"
        allowDeselect={false}
        data={[
          { value: "TRANSACTIONAL", label: "Transactional" },
          { value: "MARKETING", label: "Marketing" },
        ]}
        key={form.key("type")}
        {...form.getInputProps("type")}
      />
      <TextInput
        mt="md"
        label="From"
        type="email"
        placeholder="hello@shop.example"
        data-autofocus
        key={form.key("from")}
        {...form.getInputProps("from")}
      />
      <TextInput
        mt="md"
        label="To"
        type="email"
        placeholder="ada@gmail.com"
        key={form.key("to")}
        {...form.getInputProps("to")}
      />
      <FormError error={error} />
      <Button type="submit" mt="lg" fullWidth loading={isSending}>
        Look
      </Button>
      {found && <Found found={found} />}
    </form>
  );
}

function Found({ found: { provider, rule, owner, whenFull, transports } }: { found: RoutesTest }) {
  const whose = owner === "INSTALLATION" ? " of the installation" : "";
  return (
    <div role="status">
      <Text mt="lg" size="sm">
        {rule === null ? "No rule applies: by priority and weight" : `Rule ${rule}${whose} applies`}. The
        recipient is at {providerName(provider)}.
        {whenFull === "WAIT" && " When the day is full, the mail waits for tomorrow."}
      </Text>
      {transports.length === 0 && (
        <Text mt="xs" size="sm">
          All transports that it may take are paused: it waits.
        </Text>
      )}
      <ol className={classes.ways}>
        {transports.map(({ id, name, share, state }) => (
          <li key={id}>
            {name}
            {share < 1 && `, for ${formatPercent(share)} of such mails`}{" "}
            {state !== null && state !== "HEALTHY" && (
              <Status status={state} tone={STATES[state].tone}>
                {STATES[state].word}
              </Status>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
