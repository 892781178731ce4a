import { type Context, newId } from "../../context.ts";
import type { Handover, Mailer, RetrySchedule } from "../../mail/mailer.ts";
import { meansTooManyConnections } from "../../mail/reply_meaning.ts";
import { sesMessageId } from "../../mail/ses_notices.ts";
import { messageIdOf } from "../compose/message_id.ts";
import { messageOfMail } from "../compose/message_of_mail.ts";
import type { Content } from "../compose/mod.ts";
import { DEFAULT_TRANSPORT, SANDBOX_TRANSPORT } from "../transports/routes.ts";
import type { ClaimedEmail } from "./emails.ts";
import { type MailAttempt, unsaidProvider } from "./figures.ts";

/** A tag of a mail, as its content has it. */
interface Tag {
  name: string;
  value: string;
}

/** As events have them: the function `tags_by_name` of the database. */
export function tagsByName(tags: readonly Tag[]): Record<string, string> {
  return Object.fromEntries(tags.map(({ name, value }) => [name, value]));
}

/** What happened to one mail, as `delivery.settle_and_claim` writes it. */
export interface MailOutcome {
  project_id: string;
  id: string;
  /** The contact to be opted out, and the address to be suppressed, when it bounces. */
  contact_id: string | null;
  address: string;
  status: "SENT" | "DELIVERED" | "CAPTURED" | "PENDING" | "BOUNCED" | "FAILED" | "IN_DOUBT" | "SUPPRESSED";
  /** The transport that it was given to: null for the one of the settings. */
  transport_id: string | null;
  /** With the values of its variables. Null where it has none, or the mail was not composed. */
  subject: string | null;
  message_id: string | null;
  /** How the provider will refer to it, where it has said so. */
  provider_id: string | null;
  /** Who keeps the mailbox, where the server that took it says more than the address. */
  mailbox_provider: string | null;
  error: string | null;
  at: Date;
  retry_at: Date | null;
  /** False: the connection was not accepted, or we withheld its end. It does not count as an attempt. */
  was_tried: boolean;
  event_id: string | null;
  event: string | null;
  event_data: Record<string, unknown> | null;
  /** Of the second event of a mail that the recipient's own server has taken. */
  delivery_event_id: string | null;
  /** What is counted of it; null where nothing was tried, or nobody knows how it ended. */
  attempt: MailAttempt | null;
}

/**
 * How long a mail is retried after its first attempt. Waiting for a rate or a project costs nothing: whatever takes
 * overdue mails back (`delivery.requeue_overdue`, `campaign_send.requeue`) restarts the day for each.
 */
export const GIVE_UP_AFTER_MS = 24 * 3_600_000;
/** Behind a server that takes over the waiting. A mailer without one has a schedule of its own. */
const RETRIES: RetrySchedule = { firstMs: 15_000, longestMs: 3_600_000, giveUpMs: GIVE_UP_AFTER_MS };
/** From here on a mail that is still tried again is said to be late. */
const LATE_AFTER_MS = 4 * 3_600_000;
/** Whose end we kept back: the database was away, and has enough to do. */
const WITHHELD_RETRY_MS = 5_000;
/** Where others, or another process of ours, have all connections that a server allows: one is free in a moment. */
const CROWDED = { firstMs: 15_000, longestMs: 120_000 };

const HAVE_NO_ROW: ReadonlySet<string> = new Set([DEFAULT_TRANSPORT, SANDBOX_TRANSPORT]);

const STATUS = {
  accepted: "SENT",
  captured: "CAPTURED",
  bounced: "BOUNCED",
  refused: "FAILED",
  in_doubt: "IN_DOUBT",
} as const;

/** The part of a mail that its events contain. */
interface SentMail {
  messageId: string;
  subject: string;
}

/** What the ledger keeps of a mail as it was composed, and where it went. */
interface Kept {
  messageId: string | null;
  subject: string | null;
  transportId: string | null;
}

/** A mail that was given to a transport. */
interface Given {
  email: ClaimedEmail;
  content: Content;
  transport: { id: string; mailer: Pick<Mailer, "retries"> };
}

/**
 * The outcome of a handover: a deferral is tried again with growing, random pauses, for a day behind a relay, and then FAILED. Outcomes
 * that say nothing about the mail leave it as it was.
 */
export function outcomeOf(
  ctx: Context,
  { email, content, transport }: Given,
  mail: SentMail,
  handover: Handover,
): MailOutcome {
  const kept = {
    messageId: mail.messageId,
    subject: mail.subject === content.subject ? null : mail.subject,
    transportId: HAVE_NO_ROW.has(transport.id) ? null : transport.id,
  };
  if (handover.state === "deferred") {
    return deferral(ctx, email, kept, handover.response, transport.mailer.retries);
  }
  if (handover.state === "unreached") return untried(ctx, email, kept, handover.response, 0);
  if (handover.state === "withheld") return untried(ctx, email, kept, handover.response, WITHHELD_RETRY_MS);
  const status: MailOutcome["status"] = handover.isDelivered ? "DELIVERED" : STATUS[handover.state];
  const outcome = { ...base(ctx, email, kept), status };
  return {
    ...outcome,
    provider_id: status === "SENT" ? (handover.providerId ?? sesMessageId(handover.response)) : null,
    mailbox_provider: handover.state === "accepted" ? unsaidProvider(email.address, handover.via) : null,
    error: handover.state === "accepted" || status === "CAPTURED" ? null : handover.response,
    ...eventOf(ctx, email, content, mail, outcome),
  };
}

/** The outcome of a mail that must not be sent any more. */
export function suppressed(
  ctx: Context,
  email: ClaimedEmail,
  fromEmail: string | null,
  reason: string,
): MailOutcome {
  return unsent(ctx, email, fromEmail, "SUPPRESSED", reason);
}

/** The outcome of a mail that cannot be sent, through no fault of its recipient. */
export function failed(
  ctx: Context,
  email: ClaimedEmail,
  fromEmail: string | null,
  reason: string,
): MailOutcome {
  return unsent(ctx, email, fromEmail, "FAILED", reason);
}

/** The same outcome without anything that came from outside. */
export function withoutWords(outcome: MailOutcome): MailOutcome {
  const { campaignId, templateId } = outcome.event_data ?? {};
  const ours = { emailId: outcome.id, campaignId, templateId };
  const eventData = outcome.event_data && ours;
  return {
    ...outcome,
    subject: null,
    error: outcome.error && "The server's reply could not be stored",
    event_data: eventData,
  };
}

function unsent(
  ctx: Context,
  email: ClaimedEmail,
  fromEmail: string | null,
  status: "SUPPRESSED" | "FAILED",
  reason: string,
): MailOutcome {
  const messageId =
    fromEmail === null ? null : messageIdOf(email.id, fromEmail, messageOfMail(email)?.idFrom);
  return { ...base(ctx, email, { messageId, subject: null, transportId: null }), status, error: reason };
}

/** When the attempt after this one may begin: 15 s, 30 s, 1 min … 1 h, each shortened at random by up to a half. */
export function retryAt(
  now: Date,
  attempts: number,
  random: number = Math.random(),
  { firstMs, longestMs }: RetrySchedule = RETRIES,
): Date {
  const pause = Math.min(longestMs, firstMs * 2 ** (attempts - 1));
  return new Date(now.getTime() + pause * (1 - random / 2));
}

function deferral(
  ctx: Context,
  email: ClaimedEmail,
  kept: Kept,
  response: string,
  retries: RetrySchedule = RETRIES,
): MailOutcome {
  const pauses = meansTooManyConnections(response) ? { ...retries, ...CROWDED } : retries;
  const retry = retryAt(ctx.now(), email.attempts, Math.random(), pauses);
  const outcome = base(ctx, email, kept);
  const triedForMs = (at: Date) => at.getTime() - email.triedAt.getTime();
  if (triedForMs(retry) > retries.giveUpMs) {
    const spent = `${Math.round(retries.giveUpMs / 3_600_000)} hours`;
    return { ...outcome, status: "FAILED", error: `Given up after ${spent}: ${response}` };
  }
  const isLate = triedForMs(ctx.now()) > LATE_AFTER_MS;
  const error = isLate ? `Late by more than 4 hours, and tried again: ${response}` : response;
  return { ...outcome, status: "PENDING", retry_at: retry, error };
}

function untried(ctx: Context, email: ClaimedEmail, kept: Kept, error: string, pauseMs: number): MailOutcome {
  const retry = new Date(ctx.now().getTime() + pauseMs);
  return { ...base(ctx, email, kept), status: "PENDING", error, retry_at: retry, was_tried: false };
}

function base(ctx: Context, email: ClaimedEmail, { messageId, subject, transportId }: Kept) {
  return {
    project_id: email.projectId,
    id: email.id,
    contact_id: email.contactId,
    address: email.address,
    transport_id: transportId,
    subject,
    message_id: messageId,
    provider_id: null,
    mailbox_provider: null,
    at: ctx.now(),
    retry_at: null,
    was_tried: true,
    event_id: null,
    event: null,
    event_data: null,
    delivery_event_id: null,
    attempt: null,
  };
}

/** The event that others receive (guides/events.md). */
function eventOf(
  ctx: Context,
  email: ClaimedEmail,
  content: Content,
  mail: SentMail,
  { status, at }: Pick<MailOutcome, "status" | "at">,
) {
  if (status !== "SENT" && status !== "DELIVERED" && status !== "BOUNCED") return {};
  const common = {
    subject: mail.subject,
    from: content.fromEmail,
    fromName: content.fromName,
    messageId: mail.messageId,
    emailId: email.id,
    templateId: content.templateId,
    campaignId: email.campaignId,
    sourceType: email.sourceType,
    ...(content.tags ? { tags: tagsByName(content.tags as Tag[]) } : {}),
    ...(email.role !== null && { role: email.role, parentId: email.parentId }),
  };
  const particulars = status === "BOUNCED" ? { bounceType: "Permanent", bouncedAt: at } : { sentAt: at };
  return {
    event_id: newId(ctx),
    event: status === "BOUNCED" ? "email.bounce" : "email.sent",
    event_data: { ...common, ...particulars },
    ...(status === "DELIVERED" && { delivery_event_id: newId(ctx) }),
  };
}
