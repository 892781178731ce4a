// A new webhook, or what is changed of one: where to, about what, and what it is for.
import { Button, MultiSelect, Switch, TagsInput, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { WebhookEndpoint } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";
import { type Asked, asksForTracked, CHOICES, wordOfType } from "./words.ts";

interface Props {
  /** The one that is changed. Left out: a new one. */
  webhook?: WebhookEndpoint;
  done: (webhook: WebhookEndpoint) => void;
}

type Values = { url: string; description: string; isAll: boolean; events: Asked[]; eventNames: string[] };

export function WebhookForm({ webhook, done }: Props) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const { form, submit, isSending, error } = useServerForm<Values>(
    {
      mode: "controlled",
      initialValues: initialOf(webhook),
      validate: {
        url: (url) => (url.trim() === "" ? "Enter the address of your server" : null),
        events: (events, { isAll }) =>
          !isAll && events.length === 0 ? "Choose at least one, or everything" : null,
      },
    },
    async (values) => {
      const body = bodyOf(values);
      const saved = webhook
        ? await call("PATCH /webhooks/{id}", { path: { id: webhook.id }, body }, { projectId })
        : await call("POST /webhooks", { body }, { projectId });
      form.resetDirty();
      await readAgain(cache, projectId, ["GET /webhooks"]);
      toast.done(webhook ? "The webhook was changed" : "The webhook was created");
      done(saved);
    },
    { "events.0": "events" },
  );
  const { isAll, events } = form.values;
  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        label="URL"
        description="Your server gets a POST with JSON there."
        placeholder="https://example.com/webhooks"
        type="url"
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        key={form.key("url")}
        {...form.getInputProps("url")}
      />
      <TextInput
        mt="md"
        label="Description"
        description="What it is for, such as “CRM”. Optional."
        autoComplete="off"
        maxLength={255}
        key={form.key("description")}
        {...form.getInputProps("description")}
      />
      <Switch
        mt="md"
        label="Everything that happens"
        key={form.key("isAll")}
        {...form.getInputProps("isAll", { type: "checkbox" })}
      />
      {!isAll && (
        <MultiSelect
          mt="md"
          label="Events"
          data={choicesWith(events)}
          placeholder={events.length === 0 ? "Choose what to send" : undefined}
          searchable
          nothingFoundMessage="There is no such event"
          maxDropdownHeight={260}
          hidePickedOptions
          clearable
          clearButtonProps={{ "aria-label": "Clear" }}
          key={form.key("events")}
          {...form.getInputProps("events")}
        />
      )}
      {(isAll || asksForTracked(events)) && (
        <TagsInput
          mt="md"
          label="Names of tracked events"
          description="Press Enter after each name. Empty: all names."
          maxTags={100}
          acceptValueOnBlur
          key={form.key("eventNames")}
          {...form.getInputProps("eventNames")}
        />
      )}
      <FormError error={error} />
      <Button type="submit" mt="lg" fullWidth loading={isSending}>
        {webhook ? "Save" : "Create the webhook"}
      </Button>
    </form>
  );
}

function initialOf(webhook: WebhookEndpoint | undefined): Values {
  const {
    url = "",
    description = "",
    events = ["email.bounced", "email.complaint"],
    eventNames,
  } = webhook ?? {};
  const isAll = events.includes("*");
  return { url, description, isAll, events: isAll ? [] : events, eventNames: eventNames ?? [] };
}

function bodyOf({ url, description, isAll, events, eventNames }: Values) {
  const wanted: Asked[] = isAll ? ["*"] : events;
  const hasNames = asksForTracked(wanted) && eventNames.length > 0;
  return {
    url: url.trim(),
    description: description.trim(),
    events: wanted,
    eventNames: hasNames ? eventNames : null,
  };
}

/** With those that were chosen through the API, and are not offered here. */
function choicesWith(events: Asked[]) {
  const offered = new Set<string>(CHOICES.flatMap(({ items }) => items.map(({ value }) => value)));
  const others = events.filter((event) => !offered.has(event));
  if (others.length === 0) return CHOICES;
  return [
    ...CHOICES,
    { group: "Others", items: others.map((value) => ({ value, label: wordOfType(value) })) },
  ];
}
