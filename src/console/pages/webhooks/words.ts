// What endpoints can ask for, in words.
import type { CreateWebhookBody, WebhookEndpoint } from "../../api.gen.ts";

/** What can be asked for: a type, all of a group, or everything. */
export type Asked = CreateWebhookBody["events"][number];

interface Group {
  group: string;
  items: { value: Asked; label: string }[];
}

/** In the order of the form. */
export const CHOICES: Group[] = [
  {
    group: "Mails",
    items: [
      { value: "email.*", label: "Everything about mails" },
      { value: "email.sent", label: "Mail sent" },
      { value: "email.delivered", label: "Mail delivered" },
      { value: "email.opened", label: "Mail opened" },
      { value: "email.clicked", label: "Link clicked" },
      { value: "email.bounced", label: "Mail bounced" },
      { value: "email.complaint", label: "Complaint" },
      { value: "email.received", label: "Mail received" },
    ],
  },
  {
    group: "Contacts",
    items: [
      { value: "contact.*", label: "Everything about contacts" },
      { value: "contact.created", label: "Contact created" },
      { value: "contact.updated", label: "Contact changed" },
      { value: "contact.subscribed", label: "Contact subscribed" },
      { value: "contact.unsubscribed", label: "Contact unsubscribed" },
      { value: "segment.entry", label: "Segment joined" },
      { value: "segment.exit", label: "Segment left" },
    ],
  },
  {
    group: "Campaigns, workflows, domains",
    items: [
      { value: "campaign.sent", label: "Campaign sent" },
      { value: "workflow.started", label: "Workflow started" },
      { value: "workflow.completed", label: "Workflow completed" },
      { value: "workflow.failed", label: "Workflow failed" },
      { value: "domain.verified", label: "Domain verified" },
      { value: "domain.failed", label: "Domain failed" },
      { value: "deliverability.alert_opened", label: "Deliverability alert opened" },
      { value: "deliverability.alert_closed", label: "Deliverability alert closed" },
    ],
  },
  {
    group: "Your application",
    items: [{ value: "event.tracked", label: "Events that you track" }],
  },
];

const OTHER_WORDS: Record<string, string> = {
  "*": "Everything",
  "segment.*": "Everything about segments",
  "campaign.*": "Everything about campaigns",
  "workflow.*": "Everything about workflows",
  "deliverability.*": "Everything about deliverability",
  "domain.*": "Everything about domains",
  "event.*": "Events that you track",
  "webhook.test": "Test",
};

/** `email.bounced` as `Mail bounced`. */
export function wordOfType(type: string): string {
  const known = CHOICES.flatMap(({ items }) => items).find(({ value }) => value === type);
  return known?.label ?? OTHER_WORDS[type] ?? type;
}

/** Whether tracked events are among what is asked for: then their names matter. */
export const asksForTracked = (events: readonly string[]) =>
  events.some((event) => ["*", "event.*", "event.tracked"].includes(event));

const SHOWN = 3;

/** What an endpoint asks for, in a line. */
export function asked({ events, eventNames }: Pick<WebhookEndpoint, "events" | "eventNames">): string {
  const words = events.map((event) =>
    event === "event.tracked" && eventNames
      ? eventNames.map((name) => `“${name}”`).join(", ")
      : wordOfType(event),
  );
  const rest = words.length - SHOWN;
  return words.slice(0, SHOWN).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
