// /webhooks: what the infrastructure tells us. No key: what comes in proves by its signature whom it is from.
import { Elysia, t } from "elysia";
import { snsTopics } from "../config.ts";
import type { Context } from "../context.ts";
import { readSesMessage } from "../mail/ses_notices.ts";
import {
  createSnsVerifier,
  fetchShortText,
  readSnsMessage,
  type SnsMessage,
  type SnsVerifier,
  snsUrl,
} from "../mail/sns.ts";
import { problems } from "../problem.ts";
import { takeNotification } from "../sending/notifications.ts";
import { readBytes } from "./_body.ts";
import { type KnowsAddress, takePublicRequest } from "./_public_limits.ts";
import { answers } from "./_schemas.ts";

/** SNS has messages of 256 KB, which grow when they are written as JSON in JSON. */
const SNS_BODY_LIMIT = 512 * 1024;

/** Stands for a body that nobody has read yet. */
const UNREAD = {};

const SnsBody = t.Object({
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
});

/** How the service asks Amazon for something; a test puts another server in its place. */
export interface WebhookOptions {
  fetchText?: (url: URL) => Promise<string | null>;
}

/** `POST /webhooks/sns`. */
export function webhooksRoutes(ctx: Context, { fetchText = fetchShortText }: WebhookOptions = {}) {
  const verifier = createSnsVerifier({ fetchCertificate: fetchText, now: ctx.now });
  const topics = new Set(snsTopics(ctx.config));
  return new Elysia({ prefix: "/webhooks", detail: { tags: ["Webhooks"] } })
    .onParse(() => UNREAD)
    .derive(async ({ request, server, body }) => {
      if (body !== UNREAD) return;
      const beforeFetch = () => allowFetch(ctx, request, server);
      Object.assign(body, await readGenuine(request, topics, verifier, beforeFetch));
    })
    .post(
      "/sns",
      async ({ body }) => {
        await take(ctx, body as SnsMessage, fetchText);
        return { success: true as const };
      },
      {
        body: SnsBody,
        response: answers(t.Object({ success: t.Literal(true) }), { refusals: [400, 413] }),
        detail: {
          summary: "Notifications of Amazon SNS: what became of mails, and mail that came in",
          description:
            "Subscribe this address to the topic of your configuration set or identity; the subscription confirms itself. Signatures of version 1 and 2 are checked, and a message that is repeated counts once.",
          security: [],
        },
      },
    );
}
