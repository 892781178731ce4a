// The kinds of mails in words.
import type { Template } from "../api.gen.ts";

/** What a template, or a campaign, is for. */
export type MailType = Template["type"];

interface Words {
  label: string;
  about: string;
}

/** In the order in which they are offered. */
export const MAIL_TYPES: Record<MailType, Words> = {
  MARKETING: {
    label: "Marketing",
    about: "For those who are subscribed. Your address and a link to unsubscribe are put at its end.",
  },
  TRANSACTIONAL: {
    label: "Transactional",
    about:
      "About something that the recipient has done, such as an order. Also for those who are unsubscribed.",
  },
  HEADLESS: {
    label: "Marketing, without a footer",
    about:
      "For those who are subscribed. You put the link to unsubscribe into it yourself: {{unsubscribeUrl}}.",
  },
};

/** For a choice. */
export const TYPE_CHOICES = Object.entries(MAIL_TYPES).map(([value, { label }]) => ({ value, label }));
