import type { Phrases } from "./shape.ts";

/** English. */
export const en: Phrases = {
  footer: {
    reason: "You are receiving this email because you are subscribed to emails from {project}.",
    unsubscribe: "Unsubscribe",
    manage: "Manage your subscription",
  },
  leave: {
    heading: "Unsubscribe from these emails?",
    text: "{project} will stop sending newsletters and offers to {address}.",
    note: "Emails that concern you personally, such as receipts, may still reach you.",
    button: "Unsubscribe",
  },
  left: {
    heading: "You are unsubscribed",
    text: "{project} will no longer send newsletters or offers to {address}.",
    note: "Was this a mistake?",
    button: "Subscribe again",
  },
  join: {
    heading: "Subscribe to these emails?",
    text: "{project} will send newsletters and offers to {address}.",
    note: "You can unsubscribe at any time.",
    button: "Subscribe",
  },
  joined: {
    heading: "You are subscribed",
    text: "{project} will send newsletters and offers to {address}.",
    note: "Changed your mind?",
    button: "Unsubscribe",
  },
  manage: {
    heading: "Your subscription",
    text: "Choose what {project} may send to {address}.",
    yes: "Newsletters and offers",
    no: "No newsletters or offers",
    button: "Save",
    saved: "Your choice has been saved.",
  },
  missing: {
    heading: "This link does not work",
    text: "It is incomplete, or the address is no longer on the list. Please open the link in the most recent email once more.",
  },
  preview: {
    heading: "This is only a preview",
    text: "The link comes from a test email. In the real email every address has a link of its own.",
  },
  busy: {
    heading: "One moment, please",
    text: "Too many requests are coming from your network. Please try again in a minute.",
  },
  trouble: {
    heading: "That did not work",
    text: "Nothing has been changed. Please try again in a few minutes.",
  },
};
