// A new transport, or what is changed of one.
import { Button, Select, SegmentedControl, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { PatchTransportBody, Transport } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain, useApi } from "../../queries.ts";
import { NO_ADDRESS, readAddress, urlOf } from "./address.ts";
import type { TransportValues } from "./values.ts";
import { AddressFields } from "./address_fields.tsx";
import { LimitFields } from "./limit_fields.tsx";
import { limitsOf, NO_LIMITS, readLimits } from "./limits.ts";

interface Props {
  /** The one that is changed. Left out: a new one. */
  transport?: Transport;
  done: () => void;
}

const NO_PLAN = "";

export function TransportForm({ transport, done }: Props) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const plans = useApi("GET /warmup-plans", {});
  const before = valuesOf(transport);
  const { form, submit, isSending, error } = useServerForm<TransportValues>(
    {
      mode: "controlled",
      initialValues: before,
      validate: {
        name: (name) => (name.trim() === "" ? "Give it a name" : null),
        host: (host, { kind }) => (kind === "SMTP" && host.trim() === "" ? "Name the mail server" : null),
      },
    },
    async (values) => {
      const name = values.name.trim();
      const warmup = values.planId === NO_PLAN ? null : { planId: values.planId };
      const common = { name, ...readLimits(values), ...(values.planId !== before.planId && { warmup }) };
      const address = values.kind === "SMTP" && { url: urlOf(values) };
      if (transport) {
        const isMoved = urlOf(values) !== urlOf(before);
        const body: PatchTransportBody = { ...common, ...(isMoved && address) };
        await call("PATCH /transports/{id}", { path: { id: transport.id }, body }, { projectId });
      } else {
        await call("POST /transports", { body: { ...common, kind: values.kind, ...address } }, { projectId });
      }
      await readAgain(cache, projectId, ["GET /transports"]);
      toast.done(transport ? `${name} was changed` : `${name} was added: test it now`);
      done();
    },
    { url: "host", "warmup.planId": "planId" },
  );
  const { kind } = form.values;
  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        label="Name"
        placeholder="Amazon SES"
        autoComplete="off"
        maxLength={100}
        data-autofocus
        {...form.getInputProps("name")}
      />
      {!transport && (
        <SegmentedControl
          mt="md"
          fullWidth
          aria-label="Kind"
          data={[
            { value: "SMTP", label: "Mail server or provider" },
            { value: "CAPTURE", label: "Inbox, for tests" },
          ]}
          {...form.getInputProps("kind")}
        />
      )}
      {kind === "SMTP" && <AddressFields form={form} isKnown={transport !== undefined} />}
      <LimitFields form={form} />
      <Select
        mt="md"
        label="Warm-up"
        description="A plan of how much it may send on its first days."
        allowDeselect={false}
        data={[
          { value: NO_PLAN, label: "None" },
          ...(plans.data?.plans ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        {...form.getInputProps("planId")}
      />
      <FormError error={error} />
      <Button type="submit" mt="lg" fullWidth loading={isSending}>
        {transport ? "Save" : "Add"}
      </Button>
    </form>
  );
}

function valuesOf(transport: Transport | undefined): TransportValues {
  return {
    ...NO_ADDRESS,
    ...(transport?.url && readAddress(transport.url)),
    ...(transport ? limitsOf(transport) : NO_LIMITS),
    name: transport?.name ?? "",
    kind: transport?.kind === "CAPTURE" ? "CAPTURE" : "SMTP",
    planId: transport?.warmup?.planId ?? NO_PLAN,
  };
}
