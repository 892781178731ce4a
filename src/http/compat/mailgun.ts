// /compat/mailgun: the sending part of Mailgun's API, for its SDKs.
import { Elysia, t } from "elysia";
import { inboundHost } from "../../config/mod.ts";
import type { Context } from "../../context.ts";
import { parseAddress } from "../../mail/address.ts";
import { readWhole, type SubmittedMessage, UnfitMessage } from "../../mail/submitted.ts";
import { type Problem, problems } from "../../problem/mod.ts";
import { messageIdOf } from "../../sending/compose/message_id.ts";
import { type ReplayableRequest, submit } from "../../sending/send/mod.ts";
import { maxMessageBytes } from "../../sending/submission/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { SEND_BODY_LIMIT } from "../entry/body.ts";
import type { FormPart } from "../entry/form.ts";
import { IdempotencyHeaders } from "../entry/idempotency.ts";
import type { ForeignRefusal } from "../entry/problems.ts";
import * as content from "./_content.ts";
import { wrong } from "./_fields.ts";
import { mailboxesIn } from "./_mailboxes.ts";
import { type MailgunForm, readMailgunForm } from "./_mailgun_form.ts";
import { MAILGUN_NAMES, optionsOf, readMailgun } from "./_mailgun_message.ts";
import { callOf, refusalText, sendAllTranslated } from "./_message.ts";

const PREFIX = "/compat/mailgun/v3/:domain";

/** `POST /compat/mailgun/v3/:domain/messages` and `messages.mime`. They are no part of the OpenAPI document. */
export function mailgunRoutes(ctx: Context) {
  const parts = { params: t.Object({ domain: t.String() }), headers: IdempotencyHeaders };
  return new Elysia({ prefix: PREFIX, detail: { hide: true } })
    .use(
      authenticateKey(ctx, "secret", {
        bodyLimit: SEND_BODY_LIMIT,
        reads: "message form",
        keyIn: basicPassword,
      }),
    )
    .post(
      "/messages",
      async ({ project, headers, params: { domain }, body }) => {
        const call = callOf(`POST ${PREFIX}/messages`, project.id, headers);
        const form = readMailgunForm(body as FormPart[]);
        const messages = await readMailgun(form, ctx.now());
        const isTrial = form.isOn("o:testmode") === true;
        const results = await sendAllTranslated(ctx, call, messages, { names: MAILGUN_NAMES, isTrial });
        const from = String(content.bareAddress(form.text("from") ?? `@${domain}`));
        return answer(results?.[0]!.emails[0]!.email, from);
      },
      parts,
    )
    .post(
      "/messages.mime",
      async ({ project, headers, body }) => {
        const call = callOf(`POST ${PREFIX}/messages.mime`, project.id, headers);
        return await sendWhole(ctx, call, readMailgunForm(body as FormPart[], ["message"]));
      },
      parts,
    );
}

/** The key, which Mailgun's SDKs send as the password of a user `api`. */
function basicPassword({ authorization = "" }: Record<string, string | undefined>): string | null {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(authorization.trim())?.[1];
  if (encoded === undefined) return null;
  const pair = Buffer.from(encoded, "base64").toString();
  return pair.slice(pair.indexOf(":") + 1);
}

/** What was sent, by the Message-ID that it has; a trial gets one that no mail has. */
function answer(emailId = crypto.randomUUID() as string, from: string) {
  return { id: `<${messageIdOf(emailId, from.toLowerCase())}>`, message: "Queued. Thank you." };
}

/** A message in MIME, as it is: only its fields of who gets it are replaced. */
async function sendWhole(ctx: Context, call: ReplayableRequest, form: MailgunForm) {
  const recipients = form.texts("to").flatMap(mailboxesIn);
  const { errors, tags, sendAt, tracking } = optionsOf(form, ctx.now());
  const addresses = recipients.map((recipient) => parseAddress(String(content.bareAddress(recipient))));
  const wrongs = addresses.flatMap((address, i) =>
    address === null ? [wrong(`to.${i}`, "Expected an address, such as ada@example.com")] : [],
  );
  const found = [...form.errors, ...errors, ...wrongs, ...unusedErrors(form)];
  if (recipients.length === 0) found.push(wrong("to", "Expected one or more recipients"));
  if (recipients.length > 1_000) found.push(wrong("to", "A message has at most 1000 recipients"));
  if (found.length > 0) throw problems.invalid(found);
  const read = await readMime(ctx, form);
  const options = { tags, sendAt, tracking: tracking as { opens?: boolean; clicks?: boolean } | undefined };
  const named = addresses.map((address) => ({
    email: address!.email,
    name: read.names.get(address!.email) ?? null,
    role: addresses.length > 1 ? (read.roles.get(address!.email) ?? ("bcc" as const)) : null,
  }));
  if (form.isOn("o:testmode")) return answer(undefined, read.from.email);
  const { emails } = await submit(ctx, call, { ...read, recipients: named, options });
  return answer(emails[0]!.email, read.from.email);
}

/** What the message says itself. */
const OF_MESSAGES =
  /^(from|cc|bcc|subject|text|html|attachment|inline|template|t:.*|h:.*|recipient-variables)$/s;
function unusedErrors(form: MailgunForm) {
  return form.names
    .filter((name) => OF_MESSAGES.test(name))
    .map((name) => wrong(name, "The message says this itself: leave it out, or use /messages"));
}

async function readMime(ctx: Context, form: MailgunForm): Promise<SubmittedMessage> {
  const [file] = form.files("message");
  const text = form.text("message");
  if (file === undefined && text === undefined) {
    throw problems.invalid([wrong("message", "Expected a message in MIME")]);
  }
  const bytes = Buffer.from(file?.bytes ?? text!);
  const limit = maxMessageBytes(ctx.config);
  if (bytes.length > limit) throw problems.bodyTooLarge(limit);
  const by = inboundHost(ctx.config) ?? new URL(ctx.config.BASE_URL).hostname;
  try {
    const read = await readWhole(bytes, { from: "api", by, protocol: "HTTP", at: ctx.now() });
    const [control] = read.controls.keys();
    if (control === undefined) return read;
    throw new UnfitMessage(`X-Postrider-${control} is for SMTP: leave it out`);
  } catch (error) {
    throw error instanceof UnfitMessage ? problems.invalid([wrong("message", error.message)]) : error;
  }
}

/** As Mailgun answers it, where it differs. */
const STATUSES: Readonly<Record<string, number>> = { VALIDATION_ERROR: 400, TEMPLATE_NOT_FOUND: 400 };

/** A refusal in the shape of Mailgun's. */
export function mailgunError(problem: Problem): ForeignRefusal {
  const { status, problemCode } = problem;
  return { status: STATUSES[problemCode] ?? status, body: { message: refusalText(problem) } };
}
