// Warm-up plans: how much a new transport may send on its first days.
import { Button, Textarea, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { WarmupPlan } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { formatCount, formatNumber } from "../../parts/format.ts";
import { FormDialog } from "../../parts/form_dialog.tsx";
import { Gate } from "../../parts/gate.tsx";
import { Row, Rows, Section } from "../../parts/section.tsx";
import { Loaded } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain, useApi } from "../../queries.ts";

/** Two weeks, at first twice as many mails each day, later about a third more. */
const USUAL = [50, 100, 200, 400, 800, 1_500, 2_500, 4_000, 6_000, 9_000, 13_000, 18_000, 25_000, 35_000];

export function Plans() {
  const list = useApi("GET /warmup-plans", {});
  const [edited, setEdited] = useState<{ plan: WarmupPlan | null } | null>(null);
  const close = () => setEdited(null);
  return (
    <Section
      title="Warm-up plans"
      about="A new address that sends much at once looks like spam. A plan limits its first days; what does not fit takes another transport."
      actions={
        <Gate role="OWNER">
          <Button variant="default" size="xs" onClick={() => setEdited({ plan: null })}>
            Add a plan
          </Button>
        </Gate>
      }
    >
      <Loaded query={list}>
        {({ plans }) =>
          plans.length === 0 ? null : (
            <Rows label="Warm-up plans">
              {plans.map((plan) => (
                <PlanRow key={plan.id} plan={plan} edit={() => setEdited({ plan })} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      <FormDialog
        opened={edited !== null}
        onClose={close}
        title={edited?.plan ? "Change the plan" : "Add a warm-up plan"}
      >
        {edited && <PlanForm plan={edited.plan} done={close} />}
      </FormDialog>
    </Section>
  );
}

function PlanRow({ plan, edit }: { plan: WarmupPlan; edit: () => void }) {
  const { id, name, dailyLimits } = plan;
  const projectId = useProjectId();
  const cache = useQueryClient();
  const remove = () =>
    confirm({
      title: `Remove ${name}?`,
      action: "Remove",
      children: "A plan that a transport is warmed up by cannot be removed.",
      act: async () => {
        await call("DELETE /warmup-plans/{id}", { path: { id } }, { projectId });
        await readAgain(cache, projectId, ["GET /warmup-plans"]);
        toast.done(`${name} was removed`);
      },
    });
  const days = formatCount(dailyLimits.length, "day");
  return (
    <Row
      name={name}
      about={`${days}, from ${formatNumber(dailyLimits[0]!)} to ${formatNumber(dailyLimits.at(-1)!)} mails`}
      actions={
        <>
          <Gate role="OWNER">
            <Button variant="default" size="xs" onClick={edit} aria-label={`Change ${name}`}>
              Change
            </Button>
          </Gate>
          <Gate role="OWNER">
            <Button variant="subtle" color="red" size="xs" onClick={remove} aria-label={`Remove ${name}`}>
              Remove
            </Button>
          </Gate>
        </>
      }
    />
  );
}

function PlanForm({ plan, done }: { plan: WarmupPlan | null; done: () => void }) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const { form, submit, isSending, error } = useServerForm(
    {
      initialValues: { name: plan?.name ?? "", dailyLimits: (plan?.dailyLimits ?? USUAL).join(", ") },
      validate: {
        name: (name) => (name.trim() === "" ? "Give it a name" : null),
        dailyLimits: (text) => (readLimits(text) ? null : "Write whole numbers, separated by commas"),
      },
    },
    async ({ name, dailyLimits }) => {
      const body = { name: name.trim(), dailyLimits: readLimits(dailyLimits)! };
      if (plan) await call("PATCH /warmup-plans/{id}", { path: { id: plan.id }, body }, { projectId });
      else await call("POST /warmup-plans", { body }, { projectId });
      await readAgain(cache, projectId, ["GET /warmup-plans", "GET /transports"]);
      toast.done(plan ? `${body.name} was changed` : `${body.name} was added: choose it in a transport`);
      done();
    },
    Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`dailyLimits.${i}`, "dailyLimits"])),
  );
  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        label="Name"
        maxLength={100}
        autoComplete="off"
        data-autofocus
        key={form.key("name")}
        {...form.getInputProps("name")}
      />
      <Textarea
        mt="md"
        label="Mails on the first day, the second and so on"
        description="Up to 90 days. After the last one there is no limit."
        autosize
        minRows={3}
        key={form.key("dailyLimits")}
        {...form.getInputProps("dailyLimits")}
      />
      <FormError error={error} />
      <Button type="submit" mt="lg" fullWidth loading={isSending}>
        {plan ? "Save" : "Add"}
      </Button>
    </form>
  );
}

/** Numbers as people write them; null where something else is among them. */
function readLimits(text: string): number[] | null {
  const parts = text.split(/[,;\s]+/).filter(Boolean);
  return parts.length > 0 && parts.every((part) => /^\d{1,10}$/.test(part)) ? parts.map(Number) : null;
}
