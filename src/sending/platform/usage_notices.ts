// The notices to owners and admins of a project about its limits.
import {
  inWords,
  billingMonth,
  overLimit,
  type UsageCategory,
  usageOf,
  WARNING_PERCENT,
} from "../../accounts/billing/usage.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJobs } from "../../jobs.ts";
import { type MemberNotice, notifyMembers } from "./mod.ts";

/** The percentages of a limit at which members are notified, once a month and category. */
const TOLD_AT = [WARNING_PERCENT, 100];

/** What happens beyond a limit. */
const CONSEQUENCES: Record<UsageCategory, string> = {
  workflows: "mails of workflows are not sent: they are FAILED in the ledger, and the executions continue",
  campaigns:
    "a campaign that exceeds it is refused, and if a campaign reaches the limit while it is being sent, the rest is FAILED",
  transactional: "POST /v1/send is refused, with 402 BILLING_LIMIT_EXCEEDED",
  inbound: "received mails are not recorded",
};

/** Looks for limits that are nearly or fully used, by the usage rolled up so far, and enqueues a notice for each. */
export async function findReachedLimits(ctx: Context): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const found = await q.usage.exceeding(tx, { now: tx.now(), percents: TOLD_AT });
    // A notice that a limit is reached replaces the one that it is near.
    const worst = new Map(found.map((row) => [`${row.projectId} ${row.category}`, row]));
    await addJobs(
      tx,
      "warn_of_limit",
      [...worst.values()].map(({ projectId, category }) => ({ projectId, category })),
    );
  });
}

/** Tells the owners and admins how much of a limit is used, unless they were told this month or there is no need. */
export async function warnOfLimit(ctx: Context, projectId: string, category: UsageCategory): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    if ((await q.projects.hold(tx, { projectId })) === 0) return;
    const now = tx.now();
    const { limit, usage } = (await usageOf(tx, projectId))[category];
    if (limit === null) return;
    const reached = TOLD_AT.filter((percent) => usage * 100 >= limit * percent);
    const noted = await q.usage.warn(tx, { projectId, category, now, percents: reached });
    const worst = reached.at(-1);
    if (!noted.some(({ percent }) => percent === worst)) return;
    await notifyMembers(tx, projectId, noticeOf(category, limit, usage, now));
  });
}

/** The notice about a campaign that exceeded this month's limit. */
export function cutShort(
  { name, snapshotCount, overLimitCount }: { name: string; snapshotCount: number; overLimitCount: number },
  now: Date,
): MemberNotice {
  return {
    subject: `The campaign ${name} did not reach everybody: this month's limit is reached`,
    paragraphs: [
      `${inFigures(overLimitCount)} of the ${inFigures(snapshotCount)} recipients of the campaign ${name} get no mail, because this month's limit was reached.`,
      `${overLimit("campaigns", now)}.`,
      "Their mails are FAILED and will not be sent later. To reach the remaining recipients, send them a copy of the campaign.",
    ],
  };
}

function noticeOf(category: UsageCategory, limit: number, usage: number, now: Date): MemberNotice {
  const what = inWords(category);
  const isReached = usage >= limit;
  const percent = Math.floor((usage * 100) / limit);
  const restart = billingMonth(now).end.toISOString().slice(0, 10);
  return {
    subject: isReached
      ? `This month's limit of ${what} is reached`
      : `${percent} % of this month's ${what} are used`,
    paragraphs: [
      `${inFigures(usage)} of ${inFigures(limit)} ${what} of this month are used.`,
      `${isReached ? "From now on" : "When the limit is reached,"} ${CONSEQUENCES[category]}.`,
      `The count restarts on ${restart} (UTC). Owners and admins can change the limit at any time, in the billing limits of the project.`,
    ],
  };
}

function inFigures(count: number): string {
  return count.toLocaleString("en");
}
