// Who sends a mail, and where answers go: the same fields for templates and campaigns.
import { Autocomplete, TextInput } from "@mantine/core";
import type { FieldFault } from "../../api.ts";
import { useSenders } from "../senders.ts";

/** What is written of a sender. */
interface SenderWords {
  from: string;
  fromName: string;
  replyTo: string;
}

interface Props {
  draft: { words: SenderWords; set: (change: Partial<SenderWords>) => void; faults: FieldFault[] };
}

/** Three fields, for a grid. */
export function SenderFields({ draft: { words, set, faults } }: Props) {
  const senders = useSenders();
  const errorOf = (field: keyof SenderWords) => faults.find((fault) => fault.field === field)?.message;
  return (
    <>
      <TextInput
        label="Sender name"
        placeholder="Your company"
        maxLength={255}
        value={words.fromName}
        onChange={(event) => set({ fromName: event.currentTarget.value })}
        error={errorOf("fromName")}
      />
      <Autocomplete
        label="Sender"
        placeholder="hello@example.com"
        data={senders.data?.choices ?? []}
        value={words.from}
        onChange={(from) => set({ from })}
        error={errorOf("from")}
      />
      <TextInput
        label="Reply to"
        type="email"
        placeholder="The sender"
        value={words.replyTo}
        onChange={(event) => set({ replyTo: event.currentTarget.value })}
        error={errorOf("replyTo")}
      />
    </>
  );
}
