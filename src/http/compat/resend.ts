// /compat/resend: the sending part of Resend's API, for its SDKs.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { type Problem, problems } from "../../problem/mod.ts";
import { cancelEmail, rescheduleEmail } from "../../sending/delivery/scheduled.ts";
import { type Email, getEmail, namedRecipients } from "../../sending/delivery/emails.ts";
import { showMail } from "../../sending/delivery/shown_mail.ts";
import { MAX_BATCH, type MessageOfBatch, sendTogether } from "../../sending/send/batch.ts";
import type { ReplayableRequest, SendResult } from "../../sending/send/mod.ts";
import { readSendAt, sendAtErrors } from "../../sending/send/send_at.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { SEND_BODY_LIMIT } from "../entry/body.ts";
import { bounded } from "../entry/body_bounds.ts";
import { IdempotencyHeaders } from "../entry/idempotency.ts";
import { type ForeignRefusal, toProblem } from "../entry/problems.ts";
import { isUuid, PathId } from "../entry/schemas.ts";
import * as message from "./_message.ts";
import { inNames } from "./_names.ts";
import { readResend, RESEND_NAMES } from "./_resend_message.ts";

const Messages = bounded(t.Array(t.Unknown(), { minItems: 1, maxItems: MAX_BATCH }), message.SDK_SIZE);
const Rescheduled = t.Object({ scheduled_at: t.String({ maxLength: 40 }) });

/** `/compat/resend/emails` and what is below it. It is no part of the OpenAPI document: the guide on SDKs describes it. */
export function resendRoutes(ctx: Context) {
  const big = () => authenticateKey(ctx, "secret", { bodyLimit: SEND_BODY_LIMIT });
  const one = { params: t.Object({ id: PathId }) };
  return new Elysia({ prefix: "/compat/resend/emails", detail: { hide: true } })
    .use(
      new Elysia()
        .use(big())
        .post(
          "/",
          async ({ project, headers, body }) => {
            const call = message.callOf("POST /compat/resend/emails", project.id, headers);
            return answerOf(await message.sendTranslated(ctx, call, readResend(body), RESEND_NAMES));
          },
          { headers: IdempotencyHeaders, body: message.SdkMessage },
        )
        .post(
          "/batch",
          async ({ project, headers, body, request }) => {
            const call = message.callOf("POST /compat/resend/emails/batch", project.id, headers);
            const accepted = request.headers.get("x-batch-validation") === "permissive" ? "each" : "together";
            const translated = body.map(readResend);
            const given = await message.readTranslated(ctx, project.id, translated, RESEND_NAMES, accepted);
            if (accepted === "together") return { data: (await strict(ctx, call, given)).map(answerOf) };
            const results = await message.sendEachTranslated(ctx, call, given, () => RESEND_NAMES);
            return await permissive(results, request);
          },
          { headers: IdempotencyHeaders, body: Messages },
        ),
    )
    .use(
      new Elysia()
        .use(authenticateKey(ctx, "secret"))
        .get("/:id", async ({ project, params: { id } }) => await shown(ctx, project.id, emailId(id)), one)
        .patch(
          "/:id",
          async ({ project, params: { id }, body }) => {
            const sendAt = sendAtOf(ctx, body.scheduled_at);
            return naming(await rescheduleEmail(ctx, project.id, emailId(id), sendAt));
          },
          { ...one, body: Rescheduled },
        )
        .post(
          "/:id/cancel",
          async ({ project, params: { id } }) => naming(await cancelEmail(ctx, project.id, emailId(id))),
          one,
        ),
    );
}

/** The mail of the first recipient stands for all. */
const answerOf = ({ emails }: SendResult) => ({ id: emails[0]!.email });

/** All, or none: the fields of a message begin with its place. */
async function strict(ctx: Context, call: ReplayableRequest, given: MessageOfBatch[]) {
  const errors = given.flatMap(({ errors: own }, i) =>
    own.map((error) => ({ ...error, field: `${i}.${error.field}` })),
  );
  if (errors.length > 0) throw problems.invalid(errors);
  return await inNames({ ...RESEND_NAMES, messages: "" }, () => sendTogether(ctx, call, given));
}

async function permissive(results: (SendResult | Error)[], request: Request) {
  const errors: { index: number; message: string }[] = [];
  for (const [index, result] of results.entries()) {
    if (!(result instanceof Error)) continue;
    errors.push({ index, message: message.refusalText(await toProblem(result, request)) });
  }
  const data = results.flatMap((result) => (result instanceof Error ? [] : [answerOf(result)]));
  return { data, errors };
}

const EVENTS: Partial<Record<Email["status"], string>> = {
  SENT: "sent",
  DELIVERED: "delivered",
  OPENED: "opened",
  CLICKED: "clicked",
  BOUNCED: "bounced",
  COMPLAINED: "complained",
  FAILED: "failed",
};

async function shown(ctx: Context, projectId: string, id: string) {
  const [mail, shownMail, to] = await Promise.all([
    getEmail(ctx, projectId, id),
    showMail(ctx, projectId, id),
    namedRecipients(ctx, projectId, id),
  ]);
  const { status, from, fromName, scheduledFor } = mail;
  const waits = scheduledFor === null ? "queued" : "scheduled";
  const closed = /cancelled/i.test(mail.error ?? "") ? "canceled" : "suppressed";
  return {
    object: "email",
    id,
    to: mailboxesOf(to),
    from: fromName ? `${fromName} <${from}>` : from,
    created_at: mail.queuedAt,
    subject: shownMail.subject ?? mail.subject,
    html: shownMail.html,
    text: shownMail.text,
    cc: mailboxesOf(mail.cc),
    bcc: mailboxesOf(mail.bcc),
    reply_to: [],
    tags: mail.tags ?? [],
    last_event: EVENTS[status] ?? (status === "SUPPRESSED" ? closed : waits),
    scheduled_at: scheduledFor,
  };
}

/** As the SDK gave them. */
function mailboxesOf(named: unknown): string[] {
  const list = named as { email: string; name: string | null }[];
  return list.map(({ email, name }) => (name === null ? email : `${name} <${email}>`));
}

const naming = ({ id }: Email) => ({ object: "email", id });

function emailId(id: string): string {
  if (!isUuid(id)) throw problems.notFound("email", id);
  return id;
}

function sendAtOf(ctx: Context, text: string): Date {
  const errors = sendAtErrors(text, ctx.now()).map((error) => ({ ...error, field: "scheduled_at" }));
  if (errors.length > 0) throw problems.invalid(errors);
  return readSendAt(text)!;
}

const ERROR_NAMES: Readonly<Record<string, string>> = {
  MISSING_AUTH: "missing_api_key",
  INVALID_API_KEY: "invalid_api_key",
  RATE_LIMIT_EXCEEDED: "rate_limit_exceeded",
  BILLING_LIMIT_EXCEEDED: "monthly_quota_exceeded",
  IDEMPOTENCY_KEY_REUSED: "invalid_idempotent_request",
  PROJECT_DISABLED: "invalid_access",
};

/** A refusal in the shape of Resend's. */
export function resendError(problem: Problem): ForeignRefusal {
  const { status, problemCode, extras } = problem;
  const name = nameOf(status, problemCode, extras);
  return { status, body: { statusCode: status, message: message.refusalText(problem), name } };
}

function nameOf(status: number, code: string, { details }: Problem["extras"]): string {
  if (Object.hasOwn(ERROR_NAMES, code)) return ERROR_NAMES[code]!;
  if (status >= 500) return "internal_server_error";
  if (details?.needed !== undefined) return "restricted_api_key";
  if (status === 404) return "not_found";
  return status === 405 ? "method_not_allowed" : "validation_error";
}
