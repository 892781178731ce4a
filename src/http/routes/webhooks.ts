// /webhooks: notifications from the infrastructure. No key: their signature proves where they come from.
import { Elysia, t } from "elysia";
import { takeBillingEvent } from "../../accounts/billing/events.ts";
import { REMEMBER_RECEIPTS_MS } from "../../accounts/webhook_receipts.ts";
import { snsTopics } from "../../config/mod.ts";
import type { Context } from "../../context.ts";
import { describeError } from "../../log.ts";
import { readSesMessage } from "../../mail/ses_notices.ts";
import {
  createSnsVerifier,
  fetchShortText,
  readSnsMessage,
  type SnsMessage,
  snsTime,
  snsUrl,
} from "../../mail/sns.ts";
import { problems } from "../../problem/mod.ts";
import { takeNotification } from "../../sending/feedback/notifications.ts";
import { readBytes, UNREAD } from "../entry/body.ts";
import { bounded } from "../entry/body_bounds.ts";
import { assertWithin } from "../entry/json_scan.ts";
import { Data, ProblemEnvelope } from "../entry/schemas.ts";
import { countingRefusals } from "./_counted_refusals.ts";
import { providerWebhooksRoutes } from "./provider_webhooks.ts";

/** SNS has messages of 256 KB, which grow when they are written as JSON in JSON. */
const SNS_BODY_LIMIT = 512 * 1024;

/** An event of Stripe holds one object, with all that belongs to it. */
const STRIPE_BODY_LIMIT = 1_048_576;

/** What is older may have been taken before and forgotten since; an hour is for clocks that differ. */
const TOO_OLD_MS = REMEMBER_RECEIPTS_MS - 3_600_000;

/** Of a message of SNS: some texts, and nothing in them. */
const SNS_SIZE = { bytes: SNS_BODY_LIMIT, values: 1_000, levels: 64 };

const SnsBody = bounded(
  t.Object({
    Type: t.String({ examples: ["Notification"] }),
    MessageId: t.String(),
    TopicArn: t.String(),
    Message: t.String({ description: "JSON of Amazon SES: an event, feedback, or mail that was received." }),
    Timestamp: t.String(),
    Subject: t.Optional(t.String()),
    Token: t.Optional(t.String()),
    SubscribeURL: t.Optional(t.String()),
    SignatureVersion: t.String({ examples: ["1", "2"] }),
    Signature: t.String(),
    SigningCertURL: t.String(),
  }),
  SNS_SIZE,
);

/** How the service asks Amazon for something; a test puts another server in its place. */
export interface WebhookOptions {
  fetchText?: FetchText;
}

type FetchText = (url: URL) => Promise<string | null>;

/** The receivers of notifications. */
export function webhooksRoutes(ctx: Context, options: WebhookOptions = {}) {
  return new Elysia().use(snsRoutes(ctx, options)).use(stripeRoutes(ctx)).use(providerWebhooksRoutes(ctx));
}

function snsRoutes(ctx: Context, options: WebhookOptions) {
  const fetchText = patiently(ctx, options.fetchText ?? fetchShortText);
  const verifier = createSnsVerifier({ fetchCertificate: fetchText, now: ctx.now });
  const topics = snsTopics(ctx.config);
  return new Elysia({ prefix: "/webhooks", detail: { tags: ["Webhooks"] } })
    .onParse(() => UNREAD)
    .derive(async (visit) => {
      const { request, server } = visit;
      visit.body = await countingRefusals(ctx, request, server, async (count) => {
        const message = await readMessage(request, topics);
        const reason = await verifier.whyForged(message, count);
        if (reason !== null) throw problems.forgedNotification(reason);
        return message;
      });
    })
    .post(
      "/sns",
      async ({ body }) => {
        await take(ctx, body as SnsMessage, fetchText);
        return { success: true as const };
      },
      {
        body: SnsBody,
        response: {
          200: t.Object({ success: t.Literal(true) }),
          ...Object.fromEntries(
            [400, 403, 413, 422, 429, 500, 503].map((status) => [status, ProblemEnvelope]),
          ),
        },
        detail: {
          operationId: "receiveSns",
          summary: "Amazon SNS notifications: outcomes of mails, and received mail",
          description:
            "Subscribe this address to the topic of your configuration set or identity; the subscription confirms itself. Signatures of version 1 and 2 are checked, and a repeated message counts once; one that is nearly 7 days old is ignored.",
          security: [],
        },
      },
    );
}

/** Fetches from Amazon. Throws 503 if that fails: nothing is wrong with the request. */
function patiently(ctx: Context, fetchText: FetchText): FetchText {
  return async (url) => {
    try {
      return await fetchText(url);
    } catch (error) {
      ctx.log.warn("Amazon SNS cannot be reached", { host: url.host, ...describeError(error) });
      throw problems.away("Amazon SNS", false);
    }
  };
}

/** What is signed is the body as it came, byte for byte. */
function stripeRoutes(ctx: Context) {
  return new Elysia({ prefix: "/webhooks/incoming", detail: { tags: ["Webhooks"] } })
    .onParse(() => UNREAD)
    .post(
      "/stripe",
      async ({ request, server }) => {
        await countingRefusals(ctx, request, server, async () => {
          const bytes = await readBytes(request, STRIPE_BODY_LIMIT);
          await takeBillingEvent(ctx, bytes, request.headers.get("stripe-signature"));
        });
        return { success: true as const };
      },
      {
        body: Data,
        response: {
          200: t.Object({ success: t.Literal(true) }),
          ...Object.fromEntries(
            [400, 403, 404, 413, 429, 500, 503].map((status) => [status, ProblemEnvelope]),
          ),
        },
        detail: {
          operationId: "receiveStripe",
          summary: "Stripe events: a subscription has changed",
          description:
            "Set this address up as a webhook for events of customers, subscriptions, checkouts and invoices. Signatures are checked, and a repeated event counts once. The current state is read from Stripe, so the order of events does not matter.",
          security: [],
        },
      },
    );
}

/** Throws for anything too large, not an SNS message, or from a topic that is not accepted here. */
async function readMessage(request: Request, topics: string[]): Promise<SnsMessage> {
  const bytes = await readBytes(request, SNS_BODY_LIMIT);
  await assertWithin(bytes, SNS_SIZE);
  const message = readSnsMessage(Buffer.from(bytes).toString());
  if (!message) throw problems.badRequest("Cannot read this as an SNS message");
  if (topics.length > 0 && !topics.includes(message.TopicArn)) {
    throw problems.forgedNotification("its topic is not in SNS_TOPIC_ARNS");
  }
  return message;
}

/** Does what a genuine message asks for, unless it is too old. Throws if that fails, so that SNS repeats it. */
async function take(ctx: Context, message: SnsMessage, fetchText: FetchText): Promise<void> {
  const { Type, MessageId, TopicArn, Message, Timestamp } = message;
  if (ctx.now().getTime() - snsTime(message)!.getTime() > TOO_OLD_MS) {
    return ctx.log.warn("SNS notification is too old", {
      topic: TopicArn,
      messageId: MessageId,
      Timestamp,
    });
  }
  if (Type === "SubscriptionConfirmation") {
    await confirmSubscription(message, fetchText);
    ctx.log.info("subscribed to SNS", { topic: TopicArn });
  } else if (Type === "UnsubscribeConfirmation") {
    ctx.log.warn("unsubscribed from SNS", { topic: TopicArn });
  } else {
    const report = readSesMessage(Message, ctx.now());
    if (report) await takeNotification(ctx, { messageId: MessageId, ...report });
  }
}

async function confirmSubscription({ SubscribeURL = "" }: SnsMessage, fetchText: FetchText): Promise<void> {
  const url = snsUrl(SubscribeURL);
  if (!url) throw problems.forgedNotification("its SubscribeURL is not an SNS address");
  // Sent again, it may be taken.
  if ((await fetchText(url)) === null) throw problems.away("the SubscribeURL of Amazon SNS", false);
}
