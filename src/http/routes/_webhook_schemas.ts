// What endpoints and their deliveries look like.
import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { WEBHOOK_EVENTS } from "../../automation/endpoints/types.ts";
import { documented } from "../entry/document.ts";
import { Int, Nullable, Text, Timestamp, Uuid, Words } from "../entry/schemas.ts";
import { PeriodQuery } from "./_periods.ts";

const Url = Text({
  maxLength: 2_048,
  description: "Where to send to, with http or https. Redirects are not followed.",
  examples: ["https://example.com/webhooks"],
});
const Description = Text({ minLength: 0, maxLength: 255, description: "What it is for.", examples: ["CRM"] });
const Events = t.Array(Words(WEBHOOK_EVENTS), {
  minItems: 1,
  maxItems: 50,
  description: "Types, such as `email.bounced`; `email.*` for all of a group, `*` for everything.",
  examples: [["email.bounced", "contact.*"]],
});
const EventNames = documented(
  t.Optional(Nullable(t.Array(Text({ maxLength: 255 }), { minItems: 1, maxItems: 100 }))),
  {
    anyOf: [{ type: "array", items: { type: "string" }, minItems: 1, maxItems: 100 }, { type: "null" }],
    description: "Of `event.tracked`: only events with these names. Null: all.",
    examples: [["ordered"]],
  },
);
const Enabled = t.Boolean({
  description: "While it is paused (false), nothing is sent, and nothing new is collected.",
});

export const CreateWebhookBody = t.Object(
  {
    url: Url,
    description: t.Optional(Description),
    events: Events,
    eventNames: EventNames,
    enabled: t.Optional(Enabled),
  },
  { title: "CreateWebhookBody" },
);

export const PatchWebhookBody = t.Object(
  {
    url: t.Optional(Url),
    description: t.Optional(Description),
    events: t.Optional(Events),
    eventNames: EventNames,
    enabled: t.Optional(Enabled),
  },
  { title: "PatchWebhookBody" },
);

const Endpoint = {
  id: Uuid,
  url: t.String(),
  description: t.String(),
  events: t.Array(Words(WEBHOOK_EVENTS)),
  eventNames: Nullable(t.Array(t.String())),
  enabled: t.Boolean(),
  pausedAt: Nullable(Timestamp),
  pauseReason: Nullable(
    Words(["USER", "FAILING", "GONE"], {
      description:
        "`USER`: somebody paused it. `FAILING`: every call failed for three days. `GONE`: it responded with 410.",
    }),
  ),
  failingSince: Nullable(
    t.Unsafe<Date>({
      ...Timestamp,
      description: "Since when no call has succeeded. Null: the last calls did.",
    }),
  ),
  retryAt: Nullable(t.Unsafe<Date>({ ...Timestamp, description: "Until then it is not called." })),
  pending: Type.Integer({ description: "How many deliveries wait, counted up to 10,000." }),
  delivered: Type.Integer({ description: "Successful calls of the last 7 days." }),
  failed: Type.Integer({ description: "Failed calls of the last 7 days." }),
  secretHint: Nullable(
    t.String({ description: "The last characters of the secret. Null if it cannot be decrypted." }),
  ),
  previousSecretUntil: Nullable(
    t.Unsafe<Date>({
      ...Timestamp,
      description: "Until then deliveries are signed with the previous secret, too.",
    }),
  ),
  createdBy: t.String({ description: "The address of the member who created it, or which key." }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const WebhookEndpoint = t.Object(Endpoint, { title: "WebhookEndpoint" });

const secret = t.String({ examples: ["whsec_…"] });
export const NewWebhookEndpoint = t.Object({ ...Endpoint, secret }, { title: "NewWebhookEndpoint" });
export const EndpointSecret = t.Object(
  { secret, previousUntil: Nullable(Timestamp) },
  { title: "EndpointSecret" },
);

const DELIVERY_STATUSES = ["PENDING", "DELIVERED", "FAILED"] as const;

const Attempt = t.Object({
  at: Timestamp,
  ms: Type.Integer({ description: "How long it took." }),
  status: Nullable(Type.Integer({ description: "Of the response. Null if there was none." })),
  error: Nullable(t.String({ description: "Why there was none, as half a sentence." })),
});

const Delivery = {
  id: t.String({ format: "uuid", description: "The `webhook-id` of every attempt." }),
  type: t.String({ examples: ["email.bounced"] }),
  eventName: Nullable(t.String({ description: "The name of the event, if it is one." })),
  status: Words(DELIVERY_STATUSES, {
    description: "`PENDING`: it will be tried, at `nextAttemptAt`. `FAILED`: ten attempts failed.",
  }),
  attempts: Type.Integer({ description: "Since it was created or last replayed." }),
  nextAttemptAt: Nullable(Timestamp),
  createdAt: Timestamp,
  lastAttempt: Nullable(Attempt),
};

export const WebhookDelivery = t.Object(Delivery, { title: "WebhookDelivery" });

export const WebhookDeliveryDetails = t.Object(
  {
    ...Delivery,
    tries: t.Array(Attempt, { description: "The latest 20 attempts, oldest first." }),
    requestBody: Nullable(
      t.String({ description: "What is sent. Null if the contact it is about was deleted." }),
    ),
    response: Nullable(
      t.Object(
        {
          status: Int,
          headers: t.Record(t.String(), t.String()),
          body: t.Unknown({ description: "The first 4 KB, as text." }),
          truncated: t.Optional(t.Boolean()),
        },
        { description: "The last response." },
      ),
    ),
  },
  { title: "WebhookDeliveryDetails" },
);

export const DeliveryQuery = {
  status: t.Optional(Words(DELIVERY_STATUSES)),
  types: t.Optional(
    Text({ maxLength: 1_000, description: "Types, separated by commas.", examples: ["email.bounced"] }),
  ),
  ...PeriodQuery,
};

export const ReplayBody = t.Object(
  {
    status: t.Optional(Words(["DELIVERED", "FAILED"], { description: "Left out: both." })),
    startDate: t.Optional(Text({ maxLength: 40, description: PeriodQuery.startDate.description! })),
    endDate: t.Optional(Text({ maxLength: 40, description: PeriodQuery.endDate.description! })),
  },
  { title: "ReplayBody" },
);
