// /v1: the public API. Responses in the success envelope.
import { Elysia, t } from "elysia";
import { track, trackErrors } from "../../audience/tracking.ts";
import { type Context, perService } from "../../context.ts";
import { parseAddress } from "../../mail/address.ts";
import { type BatchMessage, type MessageOfBatch, sendEach, sendTogether } from "../../sending/send/batch.ts";
import { type ReplayableRequest, send, type SendResult } from "../../sending/send/mod.ts";
import type { SendInput } from "../../sending/send/input.ts";
import { verifyAddress } from "../../sending/send/verify.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { SEND_BODY_LIMIT } from "../entry/body.ts";
import { bodyWarnings, checkBody } from "../entry/body_plans.ts";
import { withRules } from "../entry/field_errors.ts";
import { idempotencyKey, IdempotencyHeaders, ReplayHeaders, wantsReplay } from "../entry/idempotency.ts";
import { toEnvelope, toProblem } from "../entry/problems.ts";
import { requestIdOf } from "../entry/requests.ts";
import { answers, Data, EmailAddress, Nullable, Text, Timestamp, Uuid, Warnings } from "../entry/schemas.ts";
import { BatchBody, batchMessage, sendBody, SentBatch, SentEmails } from "./_send_schemas.ts";

const TrackBody = t.Object(
  {
    email: EmailAddress,
    event: Text({
      minLength: 1,
      maxLength: 255,
      trimmed: true,
      description: "Must not be a name of the service's own events.",
    }),
    subscribed: t.Optional(
      t.Boolean({ description: "Default: new contacts are subscribed, existing ones keep their state." }),
    ),
    data: t.Optional(Data),
  },
  { title: "TrackBody" },
);

const Tracked = t.Object(
  {
    success: t.Literal(true),
    data: t.Object({
      contact: Uuid,
      event: Uuid,
      timestamp: Timestamp,
    }),
    ...Warnings,
  },
  { title: "TrackedEvent" },
);

const Verification = t.Object(
  {
    success: t.Literal(true),
    data: t.Object({
      email: t.String(),
      valid: t.Boolean(),
      isDisposable: t.Boolean(),
      isAlias: t.Boolean(),
      isTypo: t.Boolean(),
      isPlusAddressed: t.Boolean(),
      isPersonalEmail: t.Boolean(),
      domainExists: Nullable(t.Boolean({ description: "Null if DNS could not be queried: see `reasons`." })),
      hasWebsite: t.Boolean(),
      hasMxRecords: Nullable(t.Boolean({ description: "Null if DNS could not be queried: see `reasons`." })),
      reasons: t.Array(t.String()),
    }),
  },
  { title: "Verification" },
);

/** `POST /v1/send`, `/v1/track` and `/v1/verify`. */
export function v1Routes(ctx: Context) {
  return new Elysia({ prefix: "/v1" })
    .use(
      new Elysia().use(authenticateKey(ctx, "secret", { bodyLimit: SEND_BODY_LIMIT })).post(
        "/send",
        async ({ project, body, headers, request, set }) => {
          const { result: data, isReplay } = await send(
            ctx,
            callOf("POST /v1/send", project, headers),
            body as SendInput,
          );
          if (isReplay) set.headers["idempotent-replayed"] = "true";
          return { success: true as const, data, ...bodyWarnings(request) };
        },
        {
          headers: ReplayHeaders,
          body: sendBody(ctx),
          response: answers(SentEmails, { refusals: [400, 402, 404, 409, 413, 415, 422] }),
          detail: {
            operationId: "sendEmail",
            summary: "Send a transactional email",
            description:
              "Sends one message to 1 to 1,000 recipients, right away or at `sendAt`. Contacts that do not exist are created, `data` is merged into those of `to`, and every recipient gets a separate mail. With `cc` or `bcc`, up to 50 recipients get the same message: all see those of `to` and `cc`, variables show the first of `to`, and the ledger has a mail for each recipient, with the first one as `parentId`. Everything is checked first and then committed together: either every mail is accepted, or none. After a 200, the mails will not be lost. Refused for a sender whose domain is not verified (403), an unknown template (404), a `MARKETING` template to a recipient who has opted out (400, `details.recipients`), and an `Idempotency-Key` that was used before (409, with the original response).",
            tags: ["Public API"],
          },
        },
      ),
    )
    .use(
      new Elysia().use(authenticateKey(ctx, "secret", { bodyLimit: SEND_BODY_LIMIT })).post(
        "/send/batch",
        async ({ project, body, headers, request }) => {
          const call = callOf("POST /v1/send/batch", project, headers);
          const given = await readMessages(ctx, body.messages);
          if (body.atomic) {
            const results = await sendTogether(ctx, call, given);
            return {
              success: true as const,
              data: results.map((data) => ({ success: true as const, data })),
            };
          }
          const results = await sendEach(ctx, call, given);
          return {
            success: true as const,
            data: await Promise.all(results.map((each) => answerOf(each, request))),
          };
        },
        {
          headers: ReplayHeaders,
          body: BatchBody,
          response: answers(SentBatch, { refusals: [400, 402, 404, 409, 413, 415, 422] }),
          detail: {
            operationId: "sendEmails",
            summary: "Send up to 1,000 different messages",
            description:
              "Each message is what `POST /v1/send` takes, with up to 5,000 recipients in all. Each is accepted or refused by itself: the answer is 200 with one entry for each, in order, which is either the answer or the error that `POST /v1/send` would give. With `atomic`, all are accepted in one transaction, or none: the answer is then the error of the first that is refused, with its `details.index`. `Idempotency-Key` stands for all messages: a repeated request accepts those that the first one did not, and gets 409 for the others, with the original response; or that response itself, with `Idempotency-Replay: true`. A message can have an `idempotencyKey` of its own.",
            tags: ["Public API"],
          },
        },
      ),
    )
    .use(
      new Elysia().use(authenticateKey(ctx, "public")).post(
        "/track",
        async ({ project, body, headers, request }) => {
          const call = { projectId: project.id, key: idempotencyKey(headers), request: "POST /v1/track" };
          const email = parseAddress(body.email)!.email;
          const data = await track(ctx, call, { ...body, email, event: body.event.trim() });
          return { success: true as const, data, ...bodyWarnings(request) };
        },
        {
          headers: IdempotencyHeaders,
          body: withRules(TrackBody, trackErrors),
          response: answers(Tracked, { refusals: [400, 409, 413, 415, 422] }),
          detail: {
            operationId: "trackEvent",
            summary: "Track an event of a contact",
            description:
              "Records that a contact did something. The contact is created if it does not exist, `data` is merged into its data and stored with the event, and the event starts workflows and ends their waits. It takes the public key, so web pages may call it. Names of the service's own events are refused with 422 `reserved_event`.",
            tags: ["Public API"],
          },
        },
      ),
    )
    .use(
      new Elysia()
        .use(authenticateKey(ctx, "secret"))
        .post(
          "/verify",
          async ({ body }) => ({ success: true as const, data: await verifyAddress(ctx, body.email) }),
          {
            body: t.Object({ email: EmailAddress }),
            response: answers(Verification, { refusals: [400, 413, 415, 422] }),
            detail: {
              operationId: "verifyEmail",
              summary: "Check an email address",
              description:
                "Checks the syntax of an address, the DNS of its domain, and lists of disposable and forwarding services. No mail server is contacted. `valid` is false if there is a reason not to write to it, and `reasons` lists them. Results that could not be found within 5 seconds are null.",
              tags: ["Public API"],
            },
          },
        ),
    );
}

function callOf(
  request: string,
  project: { id: string },
  headers: (typeof ReplayHeaders)["static"],
): ReplayableRequest {
  return { projectId: project.id, key: idempotencyKey(headers), request, replays: wantsReplay(headers) };
}

const messageSchemas = perService(batchMessage);

/** Messages as they were given, each by itself: without unknown fields, with what its schema says against it. */
export async function readMessages(ctx: Context, given: unknown[]): Promise<MessageOfBatch[]> {
  const schema = messageSchemas(ctx);
  const messages: MessageOfBatch[] = [];
  for (const message of given) {
    const { body, errors } = await checkBody(schema, message);
    messages.push({ input: body as unknown as BatchMessage, errors });
  }
  return messages;
}

async function answerOf(result: SendResult | Error, request: Request) {
  if (!(result instanceof Error)) return { success: true as const, data: result };
  return toEnvelope(await toProblem(result, request), requestIdOf(request));
}
