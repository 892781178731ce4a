// A test mail by one transport alone, with the words of its server.
import { Alert, Autocomplete, Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import type { Transport, TransportTest } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { formatNumber } from "../../parts/format.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { DoneIcon, SendIcon, WarningIcon } from "../../parts/icons.tsx";
import { useProjectId } from "../../place.ts";
import { useApi } from "../../queries.ts";
import { useSession } from "../../session.ts";

const FAILURES: Record<NonNullable<TransportTest["failedAt"]>, string> = {
  CONNECT: "The server could not be reached",
  TLS: "The connection could not be encrypted",
  LOGIN: "The server refused the log-in",
  MAIL: "The server did not accept the mail",
};

export function Trial({ transport, close }: { transport: Transport; close: () => void }) {
  const projectId = useProjectId();
  const own = useSession().data?.user?.email ?? "";
  const members = useApi("GET /projects/{id}/members", { path: { id: projectId } });
  const [outcome, setOutcome] = useState<TransportTest | null>(null);
  const { form, submit, isSending, error } = useServerForm({ initialValues: { to: own } }, async ({ to }) => {
    setOutcome(null);
    const path = { id: transport.id };
    setOutcome(await call("POST /transports/{id}/test", { path, body: { to: to.trim() } }, { projectId }));
  });
  const active = (members.data?.data ?? []).filter(({ status }) => status === "ACTIVE");
  const addresses = new Set([own, ...active.map(({ email }) => email)]);
  return (
    <form onSubmit={submit} noValidate>
      <Text size="sm" c="dimmed" mb="sm">
        A mail goes to a member of the project, by this transport alone. It takes up to half a minute.
      </Text>
      <Autocomplete
        label="Address"
        type="email"
        data={[...addresses].filter(Boolean)}
        maxLength={254}
        key={form.key("to")}
        {...form.getInputProps("to")}
      />
      <FormError error={error} />
      {outcome && <Outcome outcome={outcome} />}
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={close}>
          Close
        </Button>
        <Button type="submit" data-autofocus loading={isSending} leftSection={<SendIcon size={15} />}>
          {outcome ? "Send another" : "Send"}
        </Button>
      </Group>
    </form>
  );
}

function Outcome({ outcome }: { outcome: TransportTest }) {
  const { success, failedAt, response, tookMs, isEncrypted, from, to } = outcome;
  const title = success ? `Sent to ${to}` : failedAt ? FAILURES[failedAt] : "It failed";
  const how = isEncrypted === null ? "" : isEncrypted ? ", encrypted" : ", not encrypted";
  return (
    <Alert
      mt="md"
      role="status"
      color={success ? "green" : "red"}
      variant="light"
      icon={success ? <DoneIcon /> : <WarningIcon />}
      title={title}
    >
      <code>{response}</code>
      <Text size="xs" mt={4}>
        From {from}, in {formatNumber(tookMs)} ms{how}.
      </Text>
    </Alert>
  );
}
