// What happened, in words.
import type { Activity } from "../../api.gen.ts";

/** What the contact of an item did, or what happened to its campaign. */
export const WORDS: Record<Activity["type"], string> = {
  "event.triggered": "did",
  "email.sent": "was sent",
  "email.delivered": "received",
  "email.received": "wrote",
  "email.opened": "opened",
  "email.clicked": "clicked in",
  "email.bounced": "did not receive",
  "email.complaint": "complained about",
  "contact.subscribed": "subscribed",
  "contact.unsubscribed": "unsubscribed",
  "campaign.sent": "was sent",
  "campaign.scheduled": "is scheduled",
  "workflow.started": "began",
  "workflow.completed": "finished",
};

/** A text of an item's details; empty if it has none. */
export function textOf({ metadata }: Pick<Activity, "metadata">, name: string): string {
  return typeof metadata[name] === "string" ? metadata[name] : "";
}

/** What an item is about: a subject, or the name of an event, a campaign or a workflow. */
export function thingOf(item: Pick<Activity, "type" | "metadata">): string {
  if (item.type.startsWith("contact.")) return "";
  const names = ["subject", "eventName", "campaignName", "workflowName"];
  return names.map((name) => textOf(item, name)).find(Boolean) ?? "";
}

/** An item as a sentence: `ada@example.com opened Welcome`. */
export function sentenceOf(item: Activity): string {
  const { type, contactEmail } = item;
  if (type.startsWith("campaign.")) return `Campaign ${thingOf(item)} ${WORDS[type]}`;
  return [contactEmail ?? "Somebody", WORDS[type], thingOf(item)].filter(Boolean).join(" ");
}
