// Why a transport is paused: others will want to know.
import { Button, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { Transport } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";

export function PauseForm({ transport: { id, name }, done }: { transport: Transport; done: () => void }) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { pauseReason: "" } },
    async ({ pauseReason }) => {
      const body = { paused: true, pauseReason: pauseReason.trim() };
      await call("PATCH /transports/{id}", { path: { id }, body }, { projectId });
      await readAgain(cache, projectId, ["GET /transports"]);
      toast.done(`${name} is paused`);
      done();
    },
  );
  return (
    <form onSubmit={submit} noValidate>
      <Text size="sm" mb="md">
        No mail takes it from now on, until somebody resumes it. Mails take another transport of this project,
        or wait.
      </Text>
      <TextInput
        label="Reason"
        description="Shown beside its name. May be left out."
        maxLength={200}
        data-autofocus
        key={form.key("pauseReason")}
        {...form.getInputProps("pauseReason")}
      />
      <FormError error={error} />
      <Button type="submit" mt="lg" fullWidth loading={isSending}>
        Pause
      </Button>
    </form>
  );
}
