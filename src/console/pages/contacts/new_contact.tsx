// A contact made by hand.
import { Button, Group, Switch, TextInput } from "@mantine/core";
import { useLocation } from "wouter";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { FormDialog } from "../../parts/form_dialog.tsx";
import { toast } from "../../parts/toast.tsx";
import { useApi, useChange } from "../../queries.ts";
import { fieldName } from "../../parts/field_value.tsx";
import { readText } from "./field_text.ts";

/** The form has the fields that most contacts have; others can be added to the contact afterwards. */
const FIELDS = 3;

export function NewContact({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  return (
    <FormDialog opened={isOpen} onClose={close} title="New contact" isInAddress>
      <NewContactForm close={close} />
    </FormDialog>
  );
}

function NewContactForm({ close }: { close: () => void }) {
  const [, navigate] = useLocation();
  const { data } = useApi("GET /contacts/fields", {});
  const fields = (data?.fields ?? [])
    .filter(({ field, type }) => field.startsWith("data.") && type !== "boolean")
    .toSorted((a, b) => b.coverage - a.coverage)
    .slice(0, FIELDS);
  const save = useChange("POST /contacts", {
    reads: ["GET /contacts", "GET /segments"],
    showsErrors: true,
  });
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { email: "", subscribed: true, data: {} as Record<string, string> } },
    async ({ email, subscribed, data: texts }) => {
      const given = fields.flatMap(({ field, type }) => {
        const key = field.slice("data.".length);
        const text = (texts[key] ?? "").trim();
        if (text === "") return [];
        const kind = type === "number" || type === "date" ? type : "text";
        return [[key, readText(kind, text).value] as const];
      });
      const { id, _meta } = await save.mutateAsync({
        body: { email, subscribed, data: Object.fromEntries(given) },
      });
      toast.done(_meta.isNew ? `${email} added` : `${email} was a contact already: it was updated`);
      close();
      navigate(`/contacts/${id}`);
    },
  );
  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        label="Address"
        type="email"
        autoComplete="off"
        required
        withAsterisk={false}
        data-autofocus
        key={form.key("email")}
        {...form.getInputProps("email")}
      />
      {fields.map(({ field, type }) => {
        const key = field.slice("data.".length);
        return (
          <TextInput
            key={form.key(`data.${key}`)}
            mt="sm"
            label={fieldName(key)}
            description={type === "number" ? "A number" : undefined}
            type={type === "date" ? "date" : "text"}
            inputMode={type === "number" ? "decimal" : "text"}
            {...form.getInputProps(`data.${key}`)}
          />
        );
      })}
      <Switch
        mt="md"
        label="Subscribed to marketing mails"
        description="Only with their consent"
        key={form.key("subscribed")}
        {...form.getInputProps("subscribed", { type: "checkbox" })}
      />
      <FormError error={error} />
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={isSending}>
          Add the contact
        </Button>
      </Group>
    </form>
  );
}
