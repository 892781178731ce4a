// A mail that waits for its time: it gets another one, or is cancelled.
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Email } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { FormDialog } from "../../parts/form_dialog.tsx";
import { ClockIcon, CloseIcon } from "../../parts/icons.tsx";
import { localTime, zoneAt } from "../../parts/local_time.ts";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";

/** Whether it waits for a time that somebody has named. */
export const isScheduled = ({ status, attempts, scheduledFor }: Email) =>
  status === "PENDING" && attempts === 0 && scheduledFor !== null && new Date(scheduledFor) > new Date();

/** What can be done with it meanwhile. */
export function ScheduleActions({ mail }: { mail: Email }) {
  const [isOpen, setOpen] = useState(false);
  const projectId = useProjectId();
  const cache = useQueryClient();
  const { id, to, parentId } = mail;
  const cancel = () =>
    confirm({
      title: "Cancel this mail?",
      children: `It is not sent to ${parentId === id ? "any of its recipients" : (to ?? "its recipient")}, and stays in the list.`,
      action: "Cancel the mail",
      stay: "Keep it",
      act: async () => {
        await call("POST /emails/{id}/cancel", { path: { id } }, { projectId });
        toast.done("Cancelled");
        await readAgain(cache, projectId, ["GET /emails"]);
      },
    });
  return (
    <Group gap="xs">
      <Button variant="default" leftSection={<ClockIcon size={15} />} onClick={() => setOpen(true)}>
        Change time
      </Button>
      <Button variant="default" leftSection={<CloseIcon size={15} />} onClick={cancel}>
        Cancel
      </Button>
      <FormDialog opened={isOpen} onClose={() => setOpen(false)} title="Send it at another time">
        <OtherTime mail={mail} done={() => setOpen(false)} />
      </FormDialog>
    </Group>
  );
}

function OtherTime({ mail: { id, parentId, scheduledFor }, done }: { mail: Email; done: () => void }) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const initial = localTime(new Date(scheduledFor!));
  const { form, submit, isSending, error } = useServerForm(
    {
      initialValues: { sendAt: initial },
      validate: {
        sendAt: (text) => (Number.isNaN(new Date(text).getTime()) ? "Choose a day and a time" : null),
      },
    },
    async ({ sendAt }) => {
      const body = { sendAt: new Date(sendAt).toISOString() };
      await call("PATCH /emails/{id}", { path: { id }, body }, { projectId });
      toast.done("It has another time");
      done();
      await readAgain(cache, projectId, ["GET /emails"]);
    },
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          type="datetime-local"
          label="Day and time"
          description={`In the time of this computer: ${zoneAt(initial)}${parentId === id ? ". For all recipients" : ""}`}
          data-autofocus
          key={form.key("sendAt")}
          {...form.getInputProps("sendAt")}
        />
        <FormError error={error} />
        <Group justify="flex-end">
          <Button type="submit" loading={isSending}>
            Change time
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
