// What endpoints can be told about (guides/webhooks.md).

/** Every type of message. */
export const WEBHOOK_TYPES = [
  "email.sent",
  "email.delivered",
  "email.opened",
  "email.clicked",
  "email.bounced",
  "email.complaint",
  "email.received",
  "contact.created",
  "contact.updated",
  "contact.subscribed",
  "contact.unsubscribed",
  "segment.entry",
  "segment.exit",
  "campaign.sent",
  "domain.verified",
  "domain.failed",
  "deliverability.alert_opened",
  "deliverability.alert_closed",
  "workflow.started",
  "workflow.completed",
  "workflow.failed",
  "event.tracked",
] as const;

/** A type of message. */
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/** The type of a message that somebody has sent to try an endpoint. */
export const TEST_TYPE = "webhook.test";

/** What an endpoint can ask for: types, all of a group, or everything. */
export const WEBHOOK_EVENTS = [
  "*",
  ...new Set(WEBHOOK_TYPES.map((type) => `${type.split(".")[0]!}.*`)),
  ...WEBHOOK_TYPES,
] as const;

/** How long deliveries are kept. */
export const KEPT_DELIVERIES_DAYS = 30;
