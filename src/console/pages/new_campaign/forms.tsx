// The last questions before a campaign is there: what it is called, and who sends it.
import { Alert, Autocomplete, Button, Group, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { Link, useLocation } from "wouter";
import type { CampaignBody } from "../../api.gen.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { InfoIcon } from "../../parts/icons.tsx";
import type { MailType } from "../../parts/mail_types.ts";
import { type Senders, useSenders } from "../../parts/senders.ts";
import { Loaded } from "../../parts/states.tsx";
import { useChange } from "../../queries.ts";

/** What it says: written out, or that of a template. */
type Content = { type: MailType } & ({ subject: string; body: string } | { templateId: string });

interface Props {
  /** What it is called until it is called something else. */
  name: string;
  content: Content;
  /** Left out: who sends the other mails. */
  sender?: string;
  /** The id of the segment that it is for; empty: everybody. */
  segment: string;
  close: () => void;
}

const MAX_NAME = 255;

/** Makes a draft. Whom it is for can be chosen in it, too. */
export function NewCampaignForm(props: Props) {
  const senders = useSenders();
  return <Loaded query={senders}>{(known) => <Form {...props} senders={known} />}</Loaded>;
}

function Form({ name, content, sender, segment, close, senders }: Props & { senders: Senders }) {
  const [, navigate] = useLocation();
  const create = useChange("POST /campaigns", { reads: ["GET /campaigns"], showsErrors: true });
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { name, from: sender ?? senders.last.from } },
    async (values) => {
      const { fromName, replyTo } = values.from === senders.last.from ? senders.last : {};
      const envelope =
        "templateId" in content ? {} : { fromName: fromName ?? null, replyTo: replyTo ?? null };
      const audience = segment
        ? ({ audienceType: "SEGMENT", segmentId: segment } as const)
        : ({ audienceType: "ALL" } as const);
      const body: CampaignBody = { ...values, ...content, ...envelope, ...audience };
      const { data } = await create.mutateAsync({ body });
      navigate(`/campaigns/${data.id}`, { replace: true });
    },
  );
  return (
    <form onSubmit={submit} noValidate>
      <NameField form={form} />
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
      <Buttons isSending={isSending} close={close} />
    </form>
  );
}

/** Makes a draft with the content and the audience of another campaign. */
export function CopyForm({ id, name, close }: { id: string; name: string; close: () => void }) {
  const [, navigate] = useLocation();
  const copy = useChange("POST /campaigns/{id}/duplicate", { showsErrors: true });
  const rename = useChange("PATCH /campaigns/{id}", { reads: ["GET /campaigns"], showsErrors: true });
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { name: `${name} (Copy)`.slice(0, MAX_NAME) } },
    async (values) => {
      const made = await copy.mutateAsync({ path: { id } });
      // There is a copy by now: what is wrong with its name is fixed in it.
      await rename.mutateAsync({ path: { id: made.id }, body: values }).catch(() => {});
      navigate(`/campaigns/${made.id}`, { replace: true });
    },
  );
  return (
    <form onSubmit={submit} noValidate>
      <NameField form={form} />
      <FormError error={error} />
      <Buttons isSending={isSending} close={close} />
    </form>
  );
}

function NameField<T extends { name: string }>({ form }: { form: UseFormReturnType<T> }) {
  return (
    <TextInput
      label="Name"
      description="Only you and your team see it."
      maxLength={MAX_NAME}
      data-autofocus
      onFocus={(event) => event.currentTarget.select()}
      key={form.key("name")}
      {...form.getInputProps("name")}
    />
  );
}

function Buttons({ isSending, close }: { isSending: boolean; close: () => void }) {
  return (
    <Group justify="flex-end" mt="lg" gap="xs">
      <Button variant="default" onClick={close}>
        Cancel
      </Button>
      <Button type="submit" loading={isSending}>
        Create campaign
      </Button>
    </Group>
  );
}
