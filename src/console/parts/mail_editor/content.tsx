// What the mail says: subject, preview text and body, with the mail beside them.
import { SegmentedControl, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useState } from "react";
import { useUrlState } from "../../place.ts";
import { BodyEditor } from "./body_editor.tsx";
import type { MailDraft, MailWords } from "./mail.ts";
import { useLivePreview } from "./preview.ts";
import { PreviewPane } from "./preview_pane.tsx";
import classes from "./mail_editor.module.css";

/** The fields of the content, the editor, and the preview; on a phone one of the two at a time. */
export function Content({ draft }: { draft: MailDraft }) {
  const { words, set, faults } = draft;
  const [{ contact }] = useUrlState({ contact: "" });
  const isNarrow = useMediaQuery("(max-width: 62em)") ?? false;
  const [side, setSide] = useState<"write" | "look">("write");
  const preview = useLivePreview(words, contact);
  const wrong = preview.faults.length > 0 ? preview.faults : faults;
  const errorOf = (field: keyof MailWords) => wrong.find((fault) => fault.field === field)?.message;
  return (
    <div className={classes.content}>
      <div className={classes.pair}>
        <TextInput
          label="Subject"
          maxLength={998}
          value={words.subject}
          onChange={(event) => set({ subject: event.currentTarget.value })}
          error={errorOf("subject")}
        />
        <TextInput
          label="Preview text"
          placeholder="What inboxes show next to the subject (optional)"
          maxLength={255}
          value={words.preheader}
          onChange={(event) => set({ preheader: event.currentTarget.value })}
          error={errorOf("preheader")}
        />
      </div>
      {isNarrow && (
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label="Show"
          data={[
            { value: "write", label: "Write" },
            { value: "look", label: "Preview" },
          ]}
          value={side}
          onChange={(next) => setSide(next as typeof side)}
        />
      )}
      <div className={classes.halves}>
        <BodyEditor draft={draft} preview={preview} faults={wrong} isHidden={isNarrow && side === "look"} />
        {!(isNarrow && side === "write") && <PreviewPane words={words} preview={preview} />}
      </div>
    </div>
  );
}
