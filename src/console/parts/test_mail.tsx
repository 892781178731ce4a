// A mail to try something out: to oneself, to another member, or to any address.
import { Autocomplete, Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Answer } from "../api.ts";
import { useProjectId } from "../place.ts";
import { useApi } from "../queries.ts";
import { useSession } from "../session.ts";
import { FormError, useServerForm } from "./form.tsx";
import { FormDialog } from "./form_dialog.tsx";
import { SendIcon } from "./icons.tsx";
import { toast } from "./toast.tsx";

interface Props {
  opened: boolean;
  close: () => void;
  /** Below the title: what is sent. */
  about?: ReactNode;
  send: (email: string) => Promise<Answer<"POST /templates/{id}/test">>;
}

/** Asks for the address, and sends it there. */
export function TestMail({ opened, close, ...props }: Props) {
  return (
    <FormDialog opened={opened} onClose={close} title="Send a test">
      <Form close={close} {...props} />
    </FormDialog>
  );
}

function Form({ close, about, send }: Omit<Props, "opened">) {
  const own = useSession().data?.user?.email ?? "";
  const members = useApi("GET /projects/{id}/members", { path: { id: useProjectId() } });
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { email: own } },
    async ({ email }) => {
      const { message } = await send(email.trim());
      close();
      toast.done(message);
    },
  );
  const addresses = new Set([own, ...(members.data?.data ?? []).map(({ email }) => email)]);
  return (
    <form onSubmit={submit}>
      <Text size="sm" c="dimmed" mb="sm">
        {about} It has [TEST] before its subject, and shows the data of the contact with this address, or the
        names of the fields.
      </Text>
      <Autocomplete
        label="Address"
        type="email"
        data={[...addresses].filter(Boolean)}
        required
        maxLength={254}
        key={form.key("email")}
        {...form.getInputProps("email")}
      />
      <FormError error={error} />
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        {/* Not the field: its list of addresses would open, and cover the buttons. */}
        <Button type="submit" data-autofocus loading={isSending} leftSection={<SendIcon size={15} />}>
          Send
        </Button>
      </Group>
    </form>
  );
}
