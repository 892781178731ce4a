// Limits of a month, with how much of each is used.
import { Button, NumberInput, Progress, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { BillingLimit, BillingLimits } from "../api.gen.ts";
import { call } from "../api.ts";
import { formatNumber } from "./format.ts";
import { FormError, useServerForm } from "./form.tsx";
import { FormDialog } from "./form_dialog.tsx";
import { Gate } from "./gate.tsx";
import { Section } from "./section.tsx";
import { Loaded } from "./states.tsx";
import { toast } from "./toast.tsx";
import { useProjectId } from "../place.ts";
import { readAgain, useApi } from "../queries.ts";
import classes from "./usage.module.css";

const CATEGORIES: { key: keyof BillingLimits; name: string }[] = [
  { key: "transactional", name: "Transactional mail" },
  { key: "campaigns", name: "Campaigns" },
  { key: "workflows", name: "Mail of workflows" },
  { key: "inbound", name: "Incoming mail" },
];

export function Usage() {
  const id = useProjectId();
  const limits = useApi("GET /users/@me/projects/{id}/billing-limits", { path: { id } });
  const [isEditing, setEditing] = useState(false);
  return (
    <Section
      title="Limits of this month"
      about="Mail beyond a limit is refused until the month ends. You are notified when 80 % is used."
      actions={
        <Gate role="ADMIN">
          <Button variant="default" size="xs" onClick={() => setEditing(true)} disabled={!limits.data}>
            Change the limits
          </Button>
        </Gate>
      }
    >
      <Loaded query={limits}>
        {(shown) => (
          <Stack gap="md">
            {CATEGORIES.map(({ key, name }) => (
              <Bar key={key} name={name} limit={shown[key]} />
            ))}
          </Stack>
        )}
      </Loaded>
      <FormDialog opened={isEditing} onClose={() => setEditing(false)} title="Limits of a month">
        {limits.data && <LimitsForm limits={limits.data} done={() => setEditing(false)} />}
      </FormDialog>
    </Section>
  );
}

function Bar({
  name,
  limit: { limit, usage, percentage, isWarning, isBlocked },
}: {
  name: string;
  limit: BillingLimit;
}) {
  const color = isBlocked ? "red" : isWarning ? "yellow" : "terracotta";
  return (
    <div>
      <div className={classes.words}>
        <span>{name}</span>
        <span className={classes.count}>
          {formatNumber(usage)} {limit === null ? "used, no limit" : `of ${formatNumber(limit)}`}
          {isBlocked && <strong> · used up</strong>}
        </span>
      </div>
      <Progress.Root size="sm">
        <Progress.Section
          value={limit === null ? 0 : Math.min(100, percentage)}
          color={color}
          aria-label={`${name}: ${limit === null ? "no limit" : `${formatNumber(percentage)} % used`}`}
        />
      </Progress.Root>
    </div>
  );
}

type Values = Record<keyof BillingLimits, number | string>;

function LimitsForm({ limits, done }: { limits: BillingLimits; done: () => void }) {
  const id = useProjectId();
  const cache = useQueryClient();
  const initial = Object.fromEntries(CATEGORIES.map(({ key }) => [key, limits[key].limit ?? ""])) as Values;
  const { form, submit, isSending, error } = useServerForm<Values>(
    { initialValues: initial },
    async (values) => {
      const body = Object.fromEntries(
        CATEGORIES.map(({ key }) => [key, values[key] === "" ? null : Number(values[key])]),
      );
      await call("PUT /users/@me/projects/{id}/billing-limits", { path: { id }, body });
      await readAgain(cache, id, ["GET /users/@me/projects/{id}/billing"]);
      toast.done("Limits saved");
      done();
    },
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {CATEGORIES.map(({ key, name }) => (
          <NumberInput
            key={form.key(key)}
            label={name}
            placeholder="No limit"
            min={0}
            thousandSeparator=","
            allowDecimal={false}
            {...form.getInputProps(key)}
          />
        ))}
      </Stack>
      <FormError error={error} />
      <Button type="submit" mt="lg" fullWidth loading={isSending}>
        Save the limits
      </Button>
    </form>
  );
}
