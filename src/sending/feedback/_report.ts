// The reports about one mail, and what follows from them: its row, its events, and who gets no more mail.
import { createHash } from "node:crypto";
import type { NewEvent } from "../../audience/events.ts";
import type { Queries } from "../../db/queries.gen.ts";
import type { Notice } from "../../mail/notice.ts";
import { messageIdOf } from "../compose/message_id.ts";
import type { MailAttempt, AttemptEnd } from "../delivery/figures.ts";
import type { Lost } from "../giving_up.ts";

/** A mail that notices are about, before they are applied. */
export type HeldMail = Awaited<ReturnType<Queries["feedback"]["holdMails"]>>[number];

/** A mail, everything reported about it, and what of that is new. */
export interface Report {
  mail: HeldMail;
  notices: Notice[];
  news: News;
}

/** Times that the ledger does not have yet; null if it has, or where they were not reported. */
interface News {
  sentAt: Date | null;
  deliveredAt: Date | null;
  bouncedAt: Date | null;
  complainedAt: Date | null;
}

/** What is written about one mail, as `feedback.write` takes it. */
export interface Change {
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

/** Groups the notices by mail. `held` identifies them by their index. */
export function reportsOf(notices: Notice[], held: HeldMail[]): Report[] {
  const about = new Map<string, { mail: HeldMail; notices: Notice[] }>();
  for (const mail of held) {
    const report = about.get(mail.id) ?? { mail, notices: [] };
    about.set(mail.id, report);
    report.notices.push(notices[mail.n]!);
  }
  return [...about.values()].map((report) => ({ ...report, news: newsOf(report) }));
}

function newsOf({ mail, notices }: Pick<Report, "mail" | "notices">): News {
  const unlessKnown = (known: Date | null, isMeant: (notice: Notice) => boolean) =>
    known === null ? firstTime(notices.filter(isMeant)) : null;
  return {
    sentAt: mail.sentAt === null ? sendingTime(notices) : null,
    deliveredAt: unlessKnown(mail.deliveredAt, ({ kind }) => kind === "delivery"),
    bouncedAt: unlessKnown(mail.bouncedAt, isPermanent),
    complainedAt: unlessKnown(mail.complainedAt, ({ kind }) => kind === "complaint"),
  };
}

/** Whatever is reported about a mail: it has been sent. */
function sendingTime(notices: Notice[]): Date | null {
  return notices.find(({ sentAt }) => sentAt !== null)?.sentAt ?? firstTime(notices);
}

function firstTime(notices: Notice[]): Date | null {
  return notices.length === 0 ? null : new Date(Math.min(...notices.map(({ at }) => at.getTime())));
}

function isPermanent(notice: Notice): boolean {
  return notice.kind === "bounce" && notice.bounceType === "Permanent";
}

/** The mail did not arrive, but the next one may. */
function isSoft(notice: Notice): boolean {
  return notice.kind === "bounce" && notice.bounceType !== "Permanent";
}

/** Names each soft bounce once: they leave no time in the ledger by which a repeat could be told. */
export function softBounceKeys({ mail, notices }: Report): string[] {
  return [...new Set(notices.filter(isSoft).map(({ at }) => `${mail.id} ${at.toISOString()}`))];
}

/** Null if there is nothing to write, as for most notices that only say that a mail was sent. */
export function changeOf({ mail, notices, news }: Report): Change | null {
  const rejection = notices.find(({ kind }) => kind === "rejection");
  const remark = notices.findLast((notice) => isSoft(notice) || notice.kind === "delay");
  const isNews = Object.values(news).some((time) => time !== null);
  if (!isNews && !rejection && !remark) return null;
  return {
    project_id: mail.projectId,
    id: mail.id,
    sent_at: news.sentAt,
    delivered_at: news.deliveredAt,
    bounced_at: news.bouncedAt,
    complained_at: news.complainedAt,
    rejected: rejection !== undefined,
    reason: wordsOf(news.bouncedAt ? notices.find(isPermanent) : rejection),
    remark: wordsOf(remark),
    message_id: messageId(mail),
    provider_id: notices.find((notice) => notice.mail.providerId !== null)?.mail.providerId ?? null,
  };
}

function wordsOf(notice: Notice | undefined): string | null {
  return notice && "diagnostic" in notice ? notice.diagnostic : null;
}

function messageId(mail: HeldMail): string | null {
  return (
    mail.messageId ??
    (mail.fromEmail === null ? null : messageIdOf(mail.id, mail.fromEmail, mail.messageFrom))
  );
}

/** The events that follow (guides/events.md), in the order in which such things happen. Of soft bounces the new ones. */
export function eventsOf(report: Report, newSoftBounces: ReadonlySet<string>): NewEvent[] {
  const { mail, news } = report;
  const { sentAt, deliveredAt, bouncedAt, complainedAt } = news;
  const events: [name: string, particulars: object][] = [];
  if (sentAt) events.push(["email.sent", { sentAt }]);
  for (const key of softBounceKeys(report)) {
    if (newSoftBounces.has(key)) events.push(["email.bounce", { transientBounce: true }]);
  }
  if (deliveredAt) events.push(["email.delivery", { deliveredAt }]);
  if (bouncedAt) events.push(["email.bounce", { bounceType: "Permanent", bouncedAt }]);
  if (complainedAt) events.push(["email.complaint", { complainedAt }]);
  const common = {
    subject: mail.subject,
    from: mail.fromEmail,
    fromName: mail.fromName,
    messageId: messageId(mail),
    emailId: mail.id,
    templateId: mail.templateId,
    campaignId: mail.campaignId,
    sourceType: mail.sourceType,
    ...(mail.tags !== null && { tags: mail.tags }),
    ...(mail.role !== null && { role: mail.role, parentId: mail.parentId }),
  };
  const about = { projectId: mail.projectId, contactId: mail.contactId, emailId: mail.id };
  return events.map(([name, particulars]) => ({ ...about, name, data: { ...common, ...particulars } }));
}

/** What is counted of a report, as of the hour in which it came. */
export function returnsOf({ mail, notices, news }: Report, at: Date): MailAttempt[] {
  const ends: AttemptEnd[] = [
    ...(news.bouncedAt ? (["returned"] as const) : []),
    ...(news.complainedAt ? (["complained"] as const) : []),
    ...notices.flatMap(({ kind }) => (kind === "delay" ? (["deferred"] as const) : [])),
  ];
  const { projectId, address, transportId, mailboxProvider: provider, fromEmail: from } = mail;
  return from === null
    ? []
    : ends.map((end) => ({ end, at, projectId, address, from, transportId, provider }));
}

/** Why nothing will be sent any more to whom this mail went; null if nothing new speaks against it. */
export function reasonToGiveUp({ news }: Report): Lost["reason"] | null {
  if (news.complainedAt) return "COMPLAINT";
  return news.bouncedAt ? "BOUNCE" : null;
}

/**
 * The address that a mail was sent to; null if it is unknown by now. Not the reported one, which may be a forwarding
 * address, unless the contact was deleted and it matches the remaining hash.
 */
export function sentTo({ mail, notices }: Report): string | null {
  const { address, projectId } = mail;
  if (address.includes("@")) return address;
  const isMeant = (email: string | null) =>
    email !== null && createHash("sha256").update(`${projectId} ${email}`).digest("hex") === address;
  return notices.map(({ recipient }) => recipient).find(isMeant) ?? null;
}
