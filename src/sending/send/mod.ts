import { hashOfBody, type IdempotentRequest, replayedData } from "../../accounts/idempotency.ts";
import { dataErrors, dataProblem } from "../../audience/contacts/data.ts";
import { heldContacts } from "../../audience/contacts/mod.ts";
import type { Context } from "../../context.ts";
import { groupCommit } from "../../group_commit.ts";
import { problems } from "../../problem/mod.ts";
import { contextNow } from "../../tracing.ts";
import { acceptAll, type AcceptedMessage, type CheckedMessage, type SendResult } from "./_accept.ts";
import { textOfBody } from "./_content.ts";
import { sendAtErrors } from "./send_at.ts";
import { optionErrors, type SendInput, sendErrors } from "./input.ts";
import { type Recipient, recipientsOf } from "./recipients.ts";

export type { SendResult } from "./_accept.ts";

// More gains nothing, and one transaction should stay short.
const MAX_MESSAGES = 100;
/** Characters of the requests of one transaction: what a larger one takes is its own time. */
const MAX_CHARS = 500_000;
/** What a recipient counts as. */
const CHARS_A_RECIPIENT = 5_000;

/**
 * Accepts one message for 1 to 1,000 recipients, or 50 with cc and bcc, to be sent at once or at its time. Everything is checked before anything is written; then contacts,
 * content, ledger rows, jobs and the idempotency key are one transaction: when this resolves, the mail is not lost. A
 * mail to a suppressed address is accepted as well, and its row in the ledger says why it is not sent. Requests that
 * arrive during a commit share the next one, and each succeeds or fails alone. Errors: 422 with all fields, 403 for a sender
 * domain that is not verified, 404 for an unknown template, 400 for recipients who have opted out of MARKETING mail, 409
 * for a used key, 402 if less is left of this month's limit.
 */
export async function send(ctx: Context, call: ReplayableRequest, input: SendInput): Promise<Sent> {
  const errors = await sendErrors(input, sendLimits(ctx, call.key));
  if (errors.length > 0) throw problems.invalid(errors);
  return await acceptOne(ctx, call, messageOf(call, input));
}

/** A message that was submitted whole, over SMTP. */
export interface WholeMessage {
  from: { email: string; name: string | null };
  replyTo: string | null;
  subject: string;
  recipients: Recipient[];
  /** As it is stored and sent: `mail/submitted.ts`. */
  source: Buffer;
  /** As of {@linkcode SendInput}. */
  options: Pick<SendInput, "data" | "tags" | "tracking" | "sendAt">;
}

/** Accepts a whole message, in every other way like {@linkcode send}. Nothing in it is a template. */
export async function submit(
  ctx: Context,
  call: IdempotentRequest,
  { from, replyTo, subject, recipients, source, options }: WholeMessage,
): Promise<SendResult> {
  const errors = [
    ...dataErrors(options.data),
    ...optionErrors(options),
    ...sendAtErrors(options.sendAt, ctx.now(), sendLimits(ctx, call.key)),
  ];
  if (errors.length > 0) throw problems.invalid(errors);
  const sender = { email: from.email, ...(from.name && { name: from.name }) };
  const to = recipients.map(({ email }) => email);
  const input = { to, from: sender, subject, body: "", reply: replyTo ?? undefined, ...options };
  const { key, request } = call;
  const trace = contextNow();
  const message = { input, recipients, text: "", submitted: source, key, request, bodyHash: null, trace };
  return (await acceptOne(ctx, call, message)).result;
}

/** A request that may ask for the first answer, where its key was used before by one that says the same. */
export interface ReplayableRequest extends IdempotentRequest {
  replays?: boolean;
}

/** What was accepted, now or by the first request with the key. */
export interface Sent {
  result: SendResult;
  isReplay: boolean;
}

/** A message whose input is without errors, as it is accepted. */
export function messageOf({ key, request }: IdempotentRequest, input: SendInput): CheckedMessage {
  const bodyHash = key === null ? null : hashOfBody(request, input);
  const trace = contextNow();
  return {
    input,
    recipients: recipientsOf(input),
    text: textOfBody(input.body),
    key,
    request,
    bodyHash,
    trace,
  };
}

/** Accepts one message; those that arrive during a commit share the next one. Throws as {@linkcode send} does. */
export async function acceptOne(
  ctx: Context,
  { projectId, replays = false }: ReplayableRequest,
  message: CheckedMessage,
): Promise<Sent> {
  try {
    const { result, handOff } = await groups(ctx)(projectId, message);
    handOff();
    return { result, isReplay: false };
  } catch (error) {
    const result = replays ? replayedResult(error, message) : null;
    if (result !== null) return { result, isReplay: true };
    throw dataProblem(error);
  }
}

/** What was answered to the first request with the key of a message that is refused for it, if that said the same; or null. */
export function replayedResult(refusal: unknown, { bodyHash }: CheckedMessage): SendResult | null {
  const data = bodyHash === null ? null : replayedData<Stored>(refusal, bodyHash);
  if (data === null) return null;
  const { emails, timestamp, scheduledFor } = data;
  return {
    emails,
    timestamp: new Date(timestamp),
    ...(scheduledFor !== undefined && { scheduledFor: new Date(scheduledFor) }),
  };
}

/** A result as the database has it. */
type Stored = Pick<SendResult, "emails"> & { timestamp: string; scheduledFor?: string };

/** What the input of a message is held against. */
export function sendLimits(
  ctx: Context,
  key: string | null = null,
): { attachmentBytes: number; now: Date; mayBeOver: boolean } {
  const attachmentBytes = ctx.config.MAX_ATTACHMENT_SIZE_MB * 1_048_576;
  return { attachmentBytes, now: ctx.now(), mayBeOver: key !== null };
}

const groups = groupCommit<CheckedMessage, AcceptedMessage>({
  name: "commit send",
  work: acceptAll,
  keysOf: ({ key, recipients }) => [
    ...(key === null ? [] : [`key ${key}`]),
    ...recipients.map((recipient) => recipient.email),
  ],
  heldAmong: async (ctx, projectId, messages) => {
    const emails = messages.flatMap(({ recipients }) => recipients.map((recipient) => recipient.email));
    const held = await heldContacts(ctx, projectId, emails);
    return new Set(messages.filter(({ recipients }) => recipients.some(({ email }) => held.has(email))));
  },
  maxItems: MAX_MESSAGES,
  sizes: { of: sizeOf, max: MAX_CHARS },
});

/** About what it takes to accept a message. */
function sizeOf({ input, recipients, submitted }: CheckedMessage): number {
  if (input.attachments?.length) return Infinity;
  const chars = (input.body?.length ?? 0) + (submitted?.length ?? 0);
  return chars + recipients.length * CHARS_A_RECIPIENT;
}
