// What a template is called, who sends it, and what it is for.
import { Autocomplete, Radio, Textarea, TextInput } from "@mantine/core";
import { MAIL_TYPES, type MailType } from "../../parts/mail_types.ts";
import { useSenders } from "../../parts/senders.ts";
import type { TemplateDraft } from "./kind.ts";
import classes from "./template.module.css";
import type { Field } from "./words.ts";

/** The fields besides the content. */
export function Details({ draft: { words, set, faults } }: { draft: TemplateDraft }) {
  const senders = useSenders();
  const choices = senders.data?.choices ?? [];
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
        <TextInput
          label="Name of the sender"
          placeholder="Your company"
          maxLength={255}
          value={words.fromName}
          onChange={(event) => set({ fromName: event.currentTarget.value })}
          error={errorOf("fromName")}
        />
        <Autocomplete
          label="Sender"
          placeholder="hello@example.com"
          data={choices}
          value={words.from}
          onChange={(from) => set({ from })}
          error={errorOf("from")}
        />
      </div>
      <TextInput
        className={classes.half!}
        label="Answers go to"
        type="email"
        placeholder="The sender"
        value={words.replyTo}
        onChange={(event) => set({ replyTo: event.currentTarget.value })}
        error={errorOf("replyTo")}
      />
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
