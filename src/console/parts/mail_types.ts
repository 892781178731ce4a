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
    about: "For subscribed contacts. A footer with your address and an unsubscribe link is added.",
  },
  TRANSACTIONAL: {
    label: "Transactional",
    about: "About something the recipient did, such as an order. Also sent to unsubscribed contacts.",
  },
  HEADLESS: {
    label: "Marketing, without a footer",
    about: "For subscribed contacts. You add the unsubscribe link yourself: {{unsubscribeUrl}}.",
  },
};

/** For a choice. */
export const TYPE_CHOICES = Object.entries(MAIL_TYPES).map(([value, { label }]) => ({ value, label }));
