// A new template: what it begins as, what it is called, and who sends it.
import { Alert, Autocomplete, Button, Group, TextInput } from "@mantine/core";
import { Link, useLocation } from "wouter";
import { FormError, useServerForm } from "../parts/form.tsx";
import { FormDialog } from "../parts/form_dialog.tsx";
import { InfoIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Loaded } from "../parts/states.tsx";
import { useUrlState } from "../place.ts";
import { useChange } from "../queries.ts";
import { MailStartCards } from "../parts/mail_starts/mail_start_cards.tsx";
import { type Start, STARTS } from "../parts/mail_starts/starts.ts";
import { type Senders, useSenders } from "../parts/senders.ts";

/** `/templates/new`. */
export default function NewTemplatePage() {
  const [{ start }, set] = useUrlState({ start: "" });
  const senders = useSenders();
  const chosen = Object.hasOwn(STARTS, start) ? STARTS[start] : undefined;
  const close = () => set({ start: "" });
  return (
    <>
      <PageHeader
        title="New template"
        about="Choose a starting point. You can change everything."
        back={{ label: "Templates", to: "/templates" }}
      />
      <MailStartCards choose={(name) => set({ start: name })} />
      <FormDialog
        opened={chosen !== undefined}
        onClose={close}
        title={`New template: ${chosen?.label ?? ""}`}
        isInAddress
      >
        {chosen && (
          <Loaded query={senders}>
            {(known) => <NewTemplateForm start={chosen} senders={known} close={close} />}
          </Loaded>
        )}
      </FormDialog>
    </>
  );
}

interface FormProps {
  start: Start;
  senders: Senders;
  close: () => void;
}

function NewTemplateForm({ start, senders, close }: FormProps) {
  const [, navigate] = useLocation();
  const create = useChange("POST /templates", { reads: ["GET /templates"], showsErrors: true });
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { name: start.name, from: senders.last.from } },
    async ({ name, from }) => {
      const { subject, body, type } = start;
      const { fromName, replyTo } = from === senders.last.from ? senders.last : {};
      const made = await create.mutateAsync({
        body: { name, from, subject, body, type, fromName: fromName ?? null, replyTo: replyTo ?? null },
      });
      navigate(`/templates/${made.id}`, { replace: true });
    },
  );
  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        label="Name"
        description="Only you and your team see it."
        maxLength={255}
        data-autofocus
        key={form.key("name")}
        {...form.getInputProps("name")}
        // After its own: it would replace this one.
        onFocus={(event) => event.currentTarget.select()}
      />
      <Autocomplete
        mt="sm"
        label="Sender"
        description="An address of one of your domains."
        placeholder="hello@example.com"
        data={senders.choices}
        key={form.key("from")}
        {...form.getInputProps("from")}
      />
      {!senders.hasDomain && (
        <Alert variant="light" color="gray" icon={<InfoIcon size={16} />} mt="sm">
          Mail is sent from domains that you have verified. <Link href="/domains">Add yours</Link>, then come
          back.
        </Alert>
      )}
      <FormError error={error} />
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={isSending}>
          Create template
        </Button>
      </Group>
    </form>
  );
}
