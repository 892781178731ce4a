// Rates that get worse: found in the hours that delivery counts, told to owners and admins once, and to endpoints by triggers
// (`deliverability_alerts_note_opened_for_webhooks`, `deliverability_alerts_note_closed_for_webhooks`).
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJobs } from "../../jobs.ts";
import { percent } from "../../percent.ts";
import { notifyMembers } from "../../sending/platform/mod.ts";
import { alertNotice, type AlertKind, type RatedAlert } from "./alert_notices.ts";

/** An alert of a project. */
export interface DeliverabilityAlert extends RatedAlert {
  id: string;
  openedAt: Date;
  /** Null while it is open. */
  closedAt: Date | null;
}

/** Above which rates, in percent, there is an alert; with fewer mails, or fewer that went wrong, there is none. */
export const ALERT_LEVELS: Readonly<Record<AlertKind, number>> = {
  BOUNCES: 2,
  COMPLAINTS: 0.1,
  DEFERRALS: 10,
};
const MINIMUM_MAILS = 100;
const MINIMUM_COUNT = 3;

const HOUR_MS = 3_600_000;
/** Complaints come for days after a mail, and are few. */
const COMPLAINTS_MS = 24 * HOUR_MS;
/** A newsletter is complained about for days: its complaints are none of the few mails that came after it. */
const BUSIEST_MS = 7 * 24 * HOUR_MS;
/** Mails to members: of what is opened within an hour there is one. */
const TOLD_MS = HOUR_MS;
const MAX_LISTED = 100;

/**
 * Looks at the rates of all projects, and has the members of those with new alerts told. Bounces and deferrals are judged over
 * this hour and the one before, complaints over 24 hours: of the mails of that time, or of the busiest of the last 7 days. A second run changes nothing.
 */
export async function judgeDeliverability(ctx: Context): Promise<void> {
  const now = ctx.now();
  const ago = (ms: number) => new Date(now.getTime() - ms);
  const hourOf = (at: Date) => new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
  const { BOUNCES, COMPLAINTS, DEFERRALS } = ALERT_LEVELS;
  await inTransaction(ctx, async (tx) => {
    await q.deliverabilityAlerts.judge(tx, {
      now,
      recent: hourOf(ago(HOUR_MS)),
      since: hourOf(ago(COMPLAINTS_MS)),
      busiestSince: hourOf(ago(BUSIEST_MS)),
      overSince: ago(HOUR_MS),
      minimumMails: MINIMUM_MAILS,
      minimumCount: MINIMUM_COUNT,
      bounces: BOUNCES * 10,
      complaints: COMPLAINTS * 10,
      deferrals: DEFERRALS * 10,
    });
    const untold = await q.deliverabilityAlerts.untold(tx, { toldSince: ago(TOLD_MS) });
    await addJobs(tx, "tell_deliverability_alerts", untold);
  });
}

/** Tells the owners and admins of a project of its open alerts that they do not know. A second run tells nobody. */
export async function tellAlerts(ctx: Context, projectId: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const rows = await q.deliverabilityAlerts.tell(tx, { projectId, now: tx.now() });
    if (rows.length === 0) return;
    const project = await q.projects.presented(tx, { projectId });
    await notifyMembers(tx, projectId, alertNotice(project?.name ?? "", rows.map(toAlert)));
  });
}

/** The alerts of a project, at most 100: the open ones first. */
export async function listAlerts(
  ctx: Context,
  projectId: string,
  { isOpen = null }: { isOpen?: boolean | null },
): Promise<DeliverabilityAlert[]> {
  const rows = await q.deliverabilityAlerts.list(ctx, { projectId, isOpen, limit: MAX_LISTED });
  return rows.map(({ id, openedAt, closedAt, ...row }) => ({ id, ...toAlert(row), openedAt, closedAt }));
}

interface AlertRow {
  kind: string;
  senderDomain: string;
  provider: string;
  count: number;
  total: number;
}

function toAlert({ kind, senderDomain, provider, count, total }: AlertRow): RatedAlert {
  const known = kind as AlertKind;
  return {
    kind: known,
    domain: senderDomain,
    provider: provider || null,
    count,
    total,
    rate: percent(count, total),
    level: ALERT_LEVELS[known],
  };
}
