// The outcomes of mails after they were handed over: the ledger, the events, and who gets no more mail. Whatever the
// source (a provider's notices, bounce mails, complaint reports), their order and number: the result is the same.
import { claimReceipts } from "../../accounts/webhook_receipts.ts";
import { recordEvents } from "../../audience/events.ts";
import { type Context, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Notice } from "../../mail/notice.ts";
import { countReturns } from "../delivery/figures.ts";
import {
  sentTo,
  changeOf,
  eventsOf,
  reasonToGiveUp,
  returnsOf,
  type Report,
  reportsOf,
  softBounceKeys,
} from "./_report.ts";
import { giveUpOn, type Lost } from "../giving_up.ts";
import { isBot } from "./_bots.ts";

/**
 * Records these notices in the transaction of `tx`: in the ledger, which only moves forward, and with the events, the
 * subscriptions and the suppressions that follow, each once (counted by the trigger `emails_count`). Returns the
 * notices about mails that are unknown here, or were never sent.
 */
export async function applyNotices(tx: Context, notices: Notice[]): Promise<Notice[]> {
  if (notices.length === 0) return [];
  const names = notices.map(({ mail }, n) => ({
    n,
    project_id: mail.projectId,
    email_id: mail.emailId,
    provider_id: mail.providerId,
    within: mail.within ?? null,
  }));
  const held = await q.feedback.holdMails(tx, { names });
  const reports = reportsOf(notices, held);
  const changes = reports.flatMap((report) => changeOf(report) ?? []);
  if (changes.length > 0) await q.feedback.write(tx, { changes });
  const softBounces = await claimReceipts(tx, "soft bounce", reports.flatMap(softBounceKeys));
  const events = reports.flatMap((report) => eventsOf(report, softBounces));
  await recordEvents(tx, events);
  await recordEngagement(tx, reports);
  await countReturns(
    tx,
    reports.flatMap((report) => returnsOf(report, tx.now())),
  );
  await giveUpOn(tx, reports.flatMap(lostIn));
  const known = new Set(held.map(({ n }) => n));
  return notices.filter((_, n) => !known.has(n));
}

/** Opens and clicks that the provider has seen, by the rules of our own. */
async function recordEngagement(tx: Context, reports: Report[]): Promise<void> {
  const hits = reports.flatMap(({ mail, notices }) =>
    notices.flatMap((notice) => {
      if (notice.kind !== "open" && notice.kind !== "click") return [];
      return {
        project_id: mail.projectId,
        email_id: mail.id,
        // Of its own time, as the order of the ids is that of the events: a provider may tell it days later.
        event_id: newId(tx, notice.at),
        link: notice.kind === "click" ? notice.link : null,
        is_bot: isBot(headersOf(notice.userAgent)),
        at: notice.at.toISOString(),
      };
    }),
  );
  if (hits.length > 0) await q.engagement.record(tx, { hits: hits.map((hit, n) => ({ n, ...hit })) });
}

/** As a request would have had them; in a header there is nothing but ASCII. */
function headersOf(userAgent: string | null): Headers {
  return new Headers({ "user-agent": (userAgent ?? "").replace(/[^ -~]/g, "?") });
}

/** Whom nothing will be sent to any more after this. */
function lostIn(report: Report): Lost[] {
  const reason = reasonToGiveUp(report);
  const { projectId, contactId } = report.mail;
  return reason === null ? [] : [{ projectId, contactId, address: sentTo(report), reason }];
}
