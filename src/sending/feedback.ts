// What became of mails after they were handed over: the ledger, the events, and who gets no mail any more. Whoever says
// it (a provider's notices, bounce mails, complaint reports), in whatever order and however often: it comes to the same.
import { createHash } from "node:crypto";
import { claimReceipts } from "../accounts/webhook_receipts.ts";
import { optOutContacts } from "../audience/contacts.ts";
import { type NewEvent, recordEvents } from "../audience/events.ts";
import { type Context, newId } from "../context.ts";
import { q } from "../db/queries.ts";
import type { Queries } from "../db/queries.gen.ts";
import type { Notice } from "../mail/notice.ts";
import { isMachine } from "./_machines.ts";
import { messageIdOf } from "./compose.ts";
import { suppressAddresses, type SuppressionReason } from "./suppressions.ts";

type HeldMail = Awaited<ReturnType<Queries["feedback"]["holdMails"]>>[number];

/** A mail, and what is said about it. */
interface Report {
  mail: HeldMail;
  notices: Notice[];
}

/** What is to be written about one mail, as `feedback.write` takes it. */
interface Change {
  project_id: string;
  id: string;
  sent_at: Date | null;
  delivered_at: Date | null;
  bounced_at: Date | null;
  complained_at: Date | null;
  rejected: boolean;
  reason: string | null;
  remark: string | null;
  message_id: string | null;
  provider_id: string | null;
}

/**
 * Writes down what these notices say, in the transaction of `tx`: in the ledger, which only moves forward, and with the
 * events, the subscriptions and the suppressions that follow from it, each once. Answers the notices about mails that
 * nobody knows here, or that were never sent.
 */
export async function applyNotices(tx: Context, notices: Notice[]): Promise<Notice[]> {
  if (notices.length === 0) return [];
  const names = notices.map(({ mail }, n) => ({
    n,
    project_id: mail.projectId,
    email_id: mail.emailId,
    provider_id: mail.providerId,
  }));
  const held = await q.feedback.holdMails(tx, { names });
  const reports = reportsOf(notices, held);
  const softBounces = await newSoftBounces(tx, reports);
  await q.feedback.write(tx, { changes: reports.flatMap((report) => changeOf(report) ?? []) });
  await recordEvents(
    tx,
    reports.flatMap((report) => eventsOf(report, softBounces)),
  );
  await recordEngagement(tx, reports);
  await giveUpOn(tx, reports);
  const known = new Set(held.map((mail) => mail.n));
  return notices.filter((_, n) => !known.has(n));
}

function reportsOf(notices: Notice[], held: HeldMail[]): Report[] {
  const reports = new Map<string, Report>();
  for (const mail of held) {
    const report = reports.get(mail.id) ?? { mail, notices: [] };
    reports.set(mail.id, report);
    report.notices.push(notices[mail.n]!);
  }
  return [...reports.values()];
}

const isPermanent = (notice: Notice) => notice.kind === "bounce" && notice.bounceType === "Permanent";
const isSoft = (notice: Notice) => notice.kind === "bounce" && notice.bounceType !== "Permanent";

/** When it first happened by these notices; null when none of them says that it did. */
function firstTime(notices: Notice[], isMeant: (notice: Notice) => boolean): Date | null {
  const times = notices.filter(isMeant).map((notice) => notice.at.getTime());
  return times.length === 0 ? null : new Date(Math.min(...times));
}

/** What these notices say that the ledger does not know; a time is null where it does, or where they do not say it. */
function newsOf({ mail, notices }: Report) {
  const unless = (known: Date | null, time: () => Date | null) => (known === null ? time() : null);
  return {
    // Whatever is said about a mail, it has left.
    sentAt: unless(mail.sentAt, () => notices.find(({ sentAt }) => sentAt)?.sentAt ?? firstTime(notices, () => true)),
    deliveredAt: unless(mail.deliveredAt, () => firstTime(notices, ({ kind }) => kind === "delivery")),
    bouncedAt: unless(mail.bouncedAt, () => firstTime(notices, isPermanent)),
    complainedAt: unless(mail.complainedAt, () => firstTime(notices, ({ kind }) => kind === "complaint")),
  };
}

/** Null where there is nothing to write, as for most notices that a mail was sent. */
function changeOf(report: Report): Change | null {
  const { mail, notices } = report;
  const { sentAt, deliveredAt, bouncedAt, complainedAt } = newsOf(report);
  const rejection = notices.find(({ kind }) => kind === "rejection");
  const reason = bouncedAt ? notices.find(isPermanent) : rejection;
  const remark = notices.findLast((notice) => isSoft(notice) || notice.kind === "delay");
  if (!(sentAt ?? deliveredAt ?? bouncedAt ?? complainedAt ?? rejection ?? remark)) return null;
  return {
    project_id: mail.projectId,
    id: mail.id,
    sent_at: sentAt,
    delivered_at: deliveredAt,
    bounced_at: bouncedAt,
    complained_at: complainedAt,
    rejected: rejection !== undefined,
    reason: wordsOf(reason),
    remark: wordsOf(remark),
    message_id: mail.fromEmail === null ? null : messageIdOf(mail.id, mail.fromEmail),
    provider_id: notices.find((notice) => notice.mail.providerId)?.mail.providerId ?? null,
  };
}

function wordsOf(notice: Notice | undefined): string | null {
  return notice && "diagnostic" in notice ? notice.diagnostic : null;
}

/** Of the soft bounces those that were not reported before. They change no state that would tell. */
async function newSoftBounces(tx: Context, reports: Report[]): Promise<Set<string>> {
  const keys = reports.flatMap(({ mail, notices }) => notices.filter(isSoft).map((notice) => softKey(mail, notice)));
  return await claimReceipts(tx, "soft bounce", [...new Set(keys)]);
}

function softKey(mail: HeldMail, { at }: Notice): string {
  return `${mail.id} ${at.toISOString()}`;
}

/** The events of wire.md section 8 that follow, in the order in which the things happen. */
function eventsOf(report: Report, softBounces: ReadonlySet<string>): NewEvent[] {
  const { mail, notices } = report;
  const { sentAt, deliveredAt, bouncedAt, complainedAt } = newsOf(report);
  const common = {
    subject: mail.subject,
    from: mail.fromEmail,
    fromName: mail.fromName,
    messageId: mail.messageId ?? (mail.fromEmail && messageIdOf(mail.id, mail.fromEmail)),
    emailId: mail.id,
    templateId: mail.templateId,
    campaignId: mail.campaignId,
    sourceType: mail.sourceType,
  };
  const keys = new Set(notices.filter(isSoft).map((notice) => softKey(mail, notice)));
  const soft = [...keys].filter((key) => softBounces.has(key));
  const particulars: [name: string, data: object][] = [
    ...(sentAt ? [["email.sent", { sentAt }] as [string, object]] : []),
    ...soft.map((): [string, object] => ["email.bounce", { transientBounce: true }]),
    ...(deliveredAt ? [["email.delivery", { deliveredAt }] as [string, object]] : []),
    ...(bouncedAt ? [["email.bounce", { bounceType: "Permanent", bouncedAt }] as [string, object]] : []),
    ...(complainedAt ? [["email.complaint", { complainedAt }] as [string, object]] : []),
  ];
  return particulars.map(([name, data]) => ({
    projectId: mail.projectId,
    contactId: mail.contactId,
    emailId: mail.id,
    name,
    data: { ...common, ...data },
  }));
}

/** Opens and clicks that the provider has seen, by the same rules as our own. */
async function recordEngagement(tx: Context, reports: Report[]): Promise<void> {
  const seen = reports.flatMap(({ mail, notices }) =>
    notices.flatMap((notice) => (notice.kind === "open" || notice.kind === "click" ? [{ mail, notice }] : [])),
  );
  if (seen.length === 0) return;
  const hits = seen.map(({ mail, notice }, n) => ({
    n,
    project_id: mail.projectId,
    email_id: mail.id,
    event_id: newId(tx),
    link: notice.kind === "click" ? notice.link : null,
    machine: isMachine(headersOf(notice.userAgent)),
    at: notice.at,
  }));
  await q.engagement.record(tx, { hits });
}

function headersOf(userAgent: string | null): Headers {
  return new Headers({ "user-agent": (userAgent ?? "").replace(/[^ -~]/g, "?") });
}

/** Nothing is sent any more to addresses that bounced or complained, and their contacts are unsubscribed. */
async function giveUpOn(tx: Context, reports: Report[]): Promise<void> {
  const lost = reports.flatMap((report) => {
    const { bouncedAt, complainedAt } = newsOf(report);
    if (!bouncedAt && !complainedAt) return [];
    const reason: SuppressionReason = complainedAt ? "COMPLAINT" : "BOUNCE";
    return [{ ...report, reason }];
  });
  if (lost.length === 0) return;
  await suppressAddresses(
    tx,
    lost.flatMap(({ mail: { projectId }, ...report }) =>
      addressesOf(report).map((email) => ({ projectId, email, reason: report.reason })),
    ),
  );
  await optOutContacts(
    tx,
    lost.flatMap(({ mail: { projectId, contactId } }) => (contactId === null ? [] : [{ projectId, contactId }])),
  );
}
