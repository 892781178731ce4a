// The first step: who sends it, and what it says.
import { Button, Modal, TextInput } from "@mantine/core";
import { useState } from "react";
import { call } from "../../api.ts";
import { EditIcon, TemplatesIcon } from "../../parts/icons.tsx";
import { Content } from "../../parts/mail_editor/content.tsx";
import { SenderFields } from "../../parts/mail_editor/sender_fields.tsx";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { TemplateChoice } from "../new_campaign/choices.tsx";
import classes from "./campaign.module.css";
import type { CampaignDraft, Words } from "./kind.ts";

/** The envelope, with the editor below it. */
export default function Write({ draft }: { draft: CampaignDraft }) {
  const { words, faults } = draft;
  const [isOpen, setOpen] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const isWrong = faults.some(({ field }) => IN_ENVELOPE.includes(field)) || !words.name || !words.from;
  return (
    <div className={classes.write}>
      <div className={classes.envelope}>
        <span className={classes.sender}>
          From <strong>{words.fromName || words.from || "nobody yet"}</strong>
          {words.fromName && ` ${words.from}`}
          {words.replyTo && `, reply to ${words.replyTo}`}
        </span>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<EditIcon size={14} />}
          aria-expanded={isOpen || isWrong}
          onClick={() => setOpen(!isOpen)}
        >
          Name and sender
        </Button>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<TemplatesIcon size={14} />}
          onClick={() => setChoosing(true)}
        >
          Use a template
        </Button>
      </div>
      {(isOpen || isWrong) && <Envelope draft={draft} />}
      <Content draft={draft} />
      <Modal opened={isChoosing} onClose={() => setChoosing(false)} title="Use a template" size="lg">
        <UseTemplate draft={draft} close={() => setChoosing(false)} />
      </Modal>
    </div>
  );
}

const IN_ENVELOPE = ["name", "from", "fromName", "replyTo"];

function Envelope({ draft: { words, set, faults } }: { draft: CampaignDraft }) {
  const errorOf = (field: keyof Words) => faults.find((fault) => fault.field === field)?.message;
  return (
    <div className={classes.fields}>
      <TextInput
        label="Name of the campaign"
        placeholder="Only your team sees it"
        maxLength={255}
        value={words.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={errorOf("name")}
      />
      <SenderFields draft={{ words, set, faults }} />
    </div>
  );
}

/** Puts the words of a template in place of those that are there; that can be taken back. */
function UseTemplate({ draft: { words, set }, close }: { draft: CampaignDraft; close: () => void }) {
  const projectId = useProjectId();
  const choose = async (id: string) => {
    try {
      const template = await call("GET /templates/{id}", { path: { id } }, { projectId });
      const { subject, preheader, body, templateId } = words;
      set({
        subject: template.subject,
        preheader: template.preheader ?? "",
        body: template.body,
        templateId: id,
      });
      close();
      const undo = () => set({ subject, preheader, body, templateId });
      toast.done(`The content of ${template.name} was copied`, { undo });
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <>
      <p className={classes.lead}>
        Its subject, preview text and body replace the current ones. Changes that you make here do not affect
        the template.
      </p>
      <TemplateChoice choose={(id) => void choose(id)} />
    </>
  );
}
