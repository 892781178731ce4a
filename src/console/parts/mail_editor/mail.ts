// A mail that is being written: a template, or the content of a campaign.
import type { FieldFault } from "../../api.ts";
import type { MailType } from "../mail_types.ts";

/** What is written of a mail; what is not there is empty. */
export interface MailWords {
  subject: string;
  preheader: string;
  body: string;
  from: string;
  fromName: string;
  replyTo: string;
  type: MailType;
}

/** What the fields are called. */
export const MAIL_LABELS: Record<keyof MailWords, string> = {
  subject: "Subject",
  preheader: "Preview text",
  from: "Sender",
  fromName: "Sender name",
  replyTo: "Reply to",
  type: "Kind",
  body: "Body",
};

/** A mail as somebody is changing it; a draft of anything that has the words of a mail is one. */
export interface MailDraft {
  words: MailWords;
  set: (patch: Partial<MailWords>) => void;
  save: () => Promise<void>;
  /** What is wrong with what was sent. */
  faults: FieldFault[];
}
