// What can be set of a project. Only what was changed is sent: two people can change different settings at once.
import { Alert, Button, Checkbox, Select, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { PatchBody, Project } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { formatNumber } from "../../parts/format.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { Section } from "../../parts/section.tsx";
import { toast } from "../../parts/toast.tsx";
import { readAgain } from "../../queries.ts";
import { useRole } from "../../session.ts";
import { LANGUAGES, RESENT, TRACKING, ZONES } from "./choices.ts";
import classes from "./settings.module.css";

type Values = {
  name: string;
  language: string;
  timezone: string;
  postalAddress: string;
  tracking: string;
  resendInDoubt: string[];
  requiresTwoFactor: boolean;
};

function valuesOf(project: Project): Values {
  const { name, language, timezone, tracking, resendInDoubt, requiresTwoFactor } = project;
  return {
    name,
    language,
    timezone,
    postalAddress: project.postalAddress ?? "",
    tracking,
    resendInDoubt,
    requiresTwoFactor,
  };
}

export function SettingsForm({ project }: { project: Project }) {
  const cache = useQueryClient();
  const { isAllowed, reason } = useRole("ADMIN");
  const sent = useServerForm<Values>(
    { mode: "controlled", initialValues: valuesOf(project) },
    async (values) => {
      const body = changesOf(valuesOf(project), values);
      const saved = await call("PATCH /users/@me/projects/{id}", { path: { id: project.id }, body });
      form.setInitialValues(valuesOf(saved));
      form.setValues(valuesOf(saved));
      toast.done("Settings saved");
      await readAgain(cache, null, ["GET /users/@me/projects"]);
      await readAgain(cache, project.id, ["GET /projects"]);
    },
    Object.fromEntries([0, 1, 2].map((i) => [`resendInDoubt.${i}`, "resendInDoubt"])),
  );
  const { form, submit, isSending, error } = sent;
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      {reason && (
        <Alert color="gray" variant="light">
          {reason}: you can see the settings, and not change them.
        </Alert>
      )}
      <ProjectFields form={form} isAllowed={isAllowed} />
      <MailFields form={form} isAllowed={isAllowed} sendRate={project.sendRate} />
      <AccessFields form={form} />
      <FormError error={error} />
      {form.isDirty() && <Save isSending={isSending} discard={() => form.reset()} />}
    </form>
  );
}

interface FieldsProps {
  form: UseFormReturnType<Values>;
  isAllowed: boolean;
}

function ProjectFields({ form, isAllowed }: FieldsProps) {
  return (
    <Section title="Project">
      <fieldset className={classes.fields} disabled={!isAllowed} aria-label="Project">
        <TextInput
          label="Name"
          description="Recipients may see it: the name of your shop or product."
          {...form.getInputProps("name")}
        />
        <Select
          label="Language"
          description="For the footer of mails, and the pages that recipients see."
          data={LANGUAGES}
          allowDeselect={false}
          disabled={!isAllowed}
          {...form.getInputProps("language")}
        />
        <Select
          label="Time zone"
          description="For times without a zone, such as schedules."
          data={ZONES}
          searchable
          allowDeselect={false}
          disabled={!isAllowed}
          {...form.getInputProps("timezone")}
        />
      </fieldset>
    </Section>
  );
}

function MailFields({ form, isAllowed, sendRate }: FieldsProps & { sendRate: number | null }) {
  return (
    <Section title="Mail">
      <fieldset className={classes.fields} disabled={!isAllowed} aria-label="Mail">
        <Textarea
          label="Postal address"
          description="Shown in the footer of marketing mail: many countries require it."
          autosize
          minRows={3}
          maxRows={8}
          {...form.getInputProps("postalAddress")}
        />
        <Select
          label="Opens and clicks"
          description="Whether opens and clicks are tracked."
          data={TRACKING}
          allowDeselect={false}
          disabled={!isAllowed}
          {...form.getInputProps("tracking")}
        />
        <Checkbox.Group
          label="Send again when in doubt"
          description="If a connection breaks at the last moment, it is unknown whether a mail was sent. The kinds chosen here are resent after 15 minutes, and may arrive twice."
          {...form.getInputProps("resendInDoubt")}
        >
          <Stack gap="xs" mt="xs">
            {RESENT.map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} disabled={!isAllowed} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Text size="sm" c="dimmed">
          Sending rate:{" "}
          {sendRate === null ? "no limit of its own" : `${formatNumber(sendRate)} mails a second`}. Only the
          operator of this service can change it.
        </Text>
      </fieldset>
    </Section>
  );
}

function AccessFields({ form }: Pick<FieldsProps, "form">) {
  const isOwner = useRole("OWNER").isAllowed;
  return (
    <Section title="Access">
      <Switch
        label="Members need two-factor log-in"
        description={
          isOwner
            ? "Members who have not set it up cannot open this project until they do. That includes you."
            : "Only owners of the project can change this."
        }
        disabled={!isOwner}
        {...form.getInputProps("requiresTwoFactor", { type: "checkbox" })}
      />
    </Section>
  );
}

/** Stays in sight as long as something is not saved. */
function Save({ isSending, discard }: { isSending: boolean; discard: () => void }) {
  return (
    <div className={classes.save} role="group" aria-label="Changes">
      <span>Not saved yet</span>
      <div>
        <Button variant="default" size="xs" onClick={discard}>
          Discard
        </Button>
        <Button type="submit" size="xs" loading={isSending}>
          Save
        </Button>
      </div>
    </div>
  );
}

/** What differs, as the API takes it. */
function changesOf(before: Values, after: Values): PatchBody {
  const names = Object.keys(after) as (keyof Values)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const patch = Object.fromEntries(changed.map((name) => [name, after[name]])) as PatchBody;
  return patch.postalAddress === "" ? { ...patch, postalAddress: null } : patch;
}
