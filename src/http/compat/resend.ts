// /compat/resend: the sending part of Resend's API, for its SDKs.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { type Problem, problems } from "../../problem/mod.ts";
import { cancelEmail, rescheduleEmail } from "../../sending/delivery/scheduled.ts";
import { type Email, getEmail } from "../../sending/delivery/emails.ts";
import { showMail } from "../../sending/delivery/shown_mail.ts";
import { MAX_BATCH, sendEach, sendTogether } from "../../sending/send/batch.ts";
import type { SendResult } from "../../sending/send/mod.ts";
import { readSendAt, sendAtErrors } from "../../sending/send/send_at.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { SEND_BODY_LIMIT } from "../entry/body.ts";
import { bounded } from "../entry/body_bounds.ts";
import { IdempotencyHeaders } from "../entry/idempotency.ts";
import { type ForeignRefusal, toProblem } from "../entry/problems.ts";
import { isUuid, PathId } from "../entry/schemas.ts";
import * as content from "./_content.ts";
import * as message from "./_message.ts";

const Message = bounded(t.Record(t.String(), t.Unknown()), message.SDK_SIZE);
const Messages = bounded(t.Array(t.Unknown(), { minItems: 1, maxItems: MAX_BATCH }), message.SDK_SIZE);
const Rescheduled = t.Object({ scheduled_at: t.String({ maxLength: 40 }) });

const NAMES: message.Names = {
  body: "html",
  sendAt: "scheduled_at",
  replyTo: "reply_to",
  template: "template.id",
  data: "template.variables",
};
const KNOWN =
  "from to cc bcc subject html text reply_to headers tags attachments scheduled_at template".split(" ");
const REFUSED = {
  topic_id: "Topics are not supported: a template of the type MARKETING goes to subscribed contacts only",
};

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
            return answerOf(await message.sendTranslated(ctx, call, translated(body), NAMES));
          },
          { headers: IdempotencyHeaders, body: Message },
        )
        .post(
          "/batch",
          async ({ project, headers, body, request }) => {
            const call = message.callOf("POST /compat/resend/emails/batch", project.id, headers);
            const given = await message.readTranslated(ctx, project.id, body.map(translated), NAMES);
            if (request.headers.get("x-batch-validation") !== "permissive") {
              return { data: (await sendTogether(ctx, call, given)).map(answerOf) };
            }
            return await permissive(await sendEach(ctx, call, given), request);
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

function translated(given: unknown): message.Translated {
  const { from, to, cc, bcc, subject, html, text, headers, tags, scheduled_at, ...rest } =
    message.filled(given);
  const template = message.filled(rest.template);
  const all = message.filled(given);
  return {
    body: {
      from,
      to,
      cc,
      bcc,
      subject: content.subjectOf(subject),
      body: content.bodyOf(html, text),
      headers,
      tags,
      sendAt: scheduled_at,
      replyTo: Array.isArray(rest.reply_to)
        ? rest.reply_to.map(content.bareAddress)
        : content.bareAddress(rest.reply_to),
      attachments: Array.isArray(rest.attachments) ? rest.attachments.map(fileOf) : rest.attachments,
      template: rest.template === undefined ? undefined : (template.id ?? ""),
      data: content.variablesOf(template.variables),
    },
    errors: [...message.fieldErrorsOf(all, KNOWN, REFUSED), ...fileErrors(rest.attachments)],
  };
}

function fileOf(given: unknown) {
  const { filename, content: bytes, content_type, content_id } = message.filled(given);
  return {
    filename,
    content: isBuffer(bytes) ? Buffer.from(bytes.data).toString("base64") : bytes,
    contentType: content_type ?? content.typeOfFile(filename),
    ...(content_id !== undefined && { contentId: content_id, disposition: "inline" }),
  };
}

/** A Buffer of Node, as it is written to JSON. */
function isBuffer(bytes: unknown): bytes is { data: number[] } {
  const { type, data } = message.filled(bytes);
  return type === "Buffer" && Array.isArray(data);
}

function fileErrors(attachments: unknown) {
  if (!Array.isArray(attachments)) return [];
  const text = "Files are not fetched: send the content of the file as base64";
  return attachments.flatMap((file, i) =>
    message.filled(file).path === undefined
      ? []
      : [{ field: `attachments.${i}.path`, code: "custom" as const, message: text }],
  );
}

/** The mail of the first recipient stands for all. */
const answerOf = ({ emails }: SendResult) => ({ id: emails[0]!.email });

async function permissive(results: (SendResult | Error)[], request: Request) {
  const errors: { index: number; message: string }[] = [];
  for (const [index, result] of results.entries()) {
    if (result instanceof Error)
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
  const [mail, shownMail] = await Promise.all([getEmail(ctx, projectId, id), showMail(ctx, projectId, id)]);
  const { status, from, fromName, scheduledFor } = mail;
  const waits = scheduledFor === null ? "queued" : "scheduled";
  const closed = /cancelled/i.test(mail.error ?? "") ? "canceled" : "suppressed";
  return {
    object: "email",
    id,
    to: mail.to === null ? [] : [mail.to],
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
