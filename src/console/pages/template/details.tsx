// What a template is called, who sends it, and what it is for.
import { Radio, Textarea, TextInput } from "@mantine/core";
import { MAIL_TYPES, type MailType } from "../../parts/mail_types.ts";
import { SenderFields } from "../../parts/mail_editor/sender_fields.tsx";
import type { TemplateDraft } from "./kind.ts";
import classes from "./template.module.css";
import type { Field } from "./words.ts";

/** The fields besides the content. */
export function Details({ draft: { words, set, faults } }: { draft: TemplateDraft }) {
  const errorOf = (field: Field) => faults.find((fault) => fault.field === field)?.message;
  return (
    <div className={classes.details}>
      <TextInput
        label="Name"
        description="Only you and your team see it."
        maxLength={255}
        value={words.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={errorOf("name")}
      />
      <TextInput
        label="Alias"
        description="What applications with the SDK of another provider call it, such as welcome or d-12ab."
        placeholder="None"
        maxLength={128}
        spellCheck={false}
        autoCapitalize="off"
        value={words.alias}
        onChange={(event) => set({ alias: event.currentTarget.value.trim() })}
        error={errorOf("alias")}
      />
      <Textarea
        label="Description"
        placeholder="What it is for (optional)"
        maxLength={1000}
        autosize
        minRows={2}
        value={words.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        error={errorOf("description")}
      />
      <div className={classes.pair}>
        <SenderFields draft={{ words, set, faults }} />
      </div>
      <Radio.Group
        label="Kind"
        value={words.type}
        onChange={(type) => set({ type: type as MailType })}
        error={errorOf("type")}
      >
        <div className={classes.kinds}>
          {Object.entries(MAIL_TYPES).map(([value, { label, about }]) => (
            <Radio key={value} value={value} label={label} description={about} />
          ))}
        </div>
      </Radio.Group>
    </div>
  );
}
