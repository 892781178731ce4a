// A new transport, or what is changed of one.
import { Button, Select, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { PatchTransportBody, Transport } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain, useApi } from "../../queries.ts";
import { useFeatures } from "../../session.ts";
import { NO_ADDRESS, readAddress, urlOf } from "./address.ts";
import type { TransportValues } from "./values.ts";
import { AddressFields } from "./address_fields.tsx";
import { DirectFields } from "./direct_fields.tsx";
import { LimitFields } from "./limit_fields.tsx";
import { limitsOf, NO_LIMITS, readLimits } from "./limits.ts";

interface Props {
  /** The one that is changed. Left out: a new one. */
  transport?: Transport;
  done: () => void;
}

const NO_PLAN = "";
const KINDS = [
  { value: "SMTP", label: "A mail server or provider" },
  { value: "DIRECT", label: "Direct, to the servers of recipients" },
  { value: "CAPTURE", label: "The inbox, for tests" },
];

export function TransportForm({ transport, done }: Props) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const mayBeDirect = useFeatures()?.directTransports ?? false;
  const plans = useApi("GET /warmup-plans", {});
  const allowed = useApi("GET /transports", {}).data?.directAddresses ?? null;
  const before = valuesOf(transport);
  const { form, submit, isSending, error } = useServerForm<TransportValues>(
    {
      mode: "controlled",
      initialValues: before,
      validate: {
        name: (name) => (name.trim() === "" ? "Give it a name" : null),
        host: (host, { kind }) => (kind === "SMTP" && host.trim() === "" ? "Name the mail server" : null),
        // Only a new one may take that of the installation: the API leaves a name as it is where none is given.
        heloName: (given, { kind }) =>
          kind === "DIRECT" && transport && given.trim() === "" ? "Name this machine" : null,
      },
    },
    async (values) => {
      const name = values.name.trim();
      const warmup = values.planId === NO_PLAN ? null : { planId: values.planId };
      const common = { name, ...readLimits(values), ...(values.planId !== before.planId && { warmup }) };
      const address = addressIn(values);
      if (transport) {
        const isMoved = JSON.stringify(address) !== JSON.stringify(addressIn(before));
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
        <Select
          mt="md"
          label="Kind"
          allowDeselect={false}
          data={KINDS.filter(({ value }) => mayBeDirect || value !== "DIRECT")}
          {...form.getInputProps("kind")}
        />
      )}
      {kind === "SMTP" && <AddressFields form={form} isKnown={transport !== undefined} />}
      {kind === "DIRECT" && <DirectFields form={form} isKnown={transport !== undefined} allowed={allowed} />}
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
    kind: transport?.kind ?? "SMTP",
    heloName: transport?.heloName ?? "",
    bindAddresses: transport?.bindAddresses ?? [],
    planId: transport?.warmup?.planId ?? NO_PLAN,
  };
}

/** Where a transport leads, as the API has it. */
function addressIn(values: TransportValues) {
  if (values.kind === "SMTP") return { url: urlOf(values) };
  if (values.kind === "CAPTURE") return {};
  const { bindAddresses, heloName } = values;
  return {
    ...(heloName.trim() !== "" && { heloName: heloName.trim() }),
    bindAddresses: bindAddresses.length > 0 ? bindAddresses : null,
  };
}
