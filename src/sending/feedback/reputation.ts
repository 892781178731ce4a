// What mailbox providers think of a project: how many of its mails bounce, and how many are complained about.
import { SERVICE } from "../../accounts/audit.ts";
import { disableProject, EMAIL_REPUTATION } from "../../accounts/projects/mod.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { rollUpAll } from "../../rollup.ts";
import { addJobs } from "../../jobs.ts";
import { problems } from "../../problem/mod.ts";
import { notifyMembers } from "../platform/mod.ts";
import {
  type Counts,
  faultsOf,
  LEVELS,
  levelOf,
  ratesOf,
  type Rates,
  WORSE_THAN,
} from "./_reputation_levels.ts";
import { noticeOf } from "./_reputation_notices.ts";

/** Where a project stands, as `GET /projects/:id/security` shows it. */
export interface Security {
  status: {
    /** The last seven days, today among them, and since the last suspension for reputation was lifted. */
    sevenDay: Rates;
    allTime: Rates;
    /** False when a critical level is exceeded. */
    isHealthy: boolean;
    /** A sentence for each critical level that is exceeded. */
    violations: string[];
    /** A sentence for each warning level that is exceeded, and no critical one. */
    warnings: string[];
  };
  levels: typeof LEVELS;
  isDisabled: boolean;
  /** The newest first. */
  suspensions: { at: Date; reason: string | null; liftedAt: Date | null }[];
}

const WINDOW_DAYS = 7;
const MAX_SUSPENSIONS = 100;

/**
 * Adds what has been counted since the last time to the days, and enqueues an assessment of each project whose level
 * has changed. Checked are projects with new counts, and those that were not HEALTHY. Returns whether there was
 * anything.
 */
export async function rollUpReputation(ctx: Context): Promise<boolean> {
  return await rollUpAll(ctx, async (tx, batch) => {
    const rolledUp = await q.reputation.rollUp(tx, batch);
    await enqueueJudgements(
      tx,
      rolledUp.map(({ projectId }) => projectId),
    );
    return rolledUp.reduce((sum, project) => sum + project.deltas, 0);
  });
}

async function enqueueJudgements(tx: Context, projectIds: string[]): Promise<void> {
  const standings = await q.reputation.standings(tx, { projectIds, now: tx.now(), days: WINDOW_DAYS });
  const changed = standings.filter(
    ({ level, ...counts }) => levelOf(counts, level) !== level || mustDisable(tx, counts),
  );
  await addJobs(
    tx,
    "judge_reputation",
    changed.map(({ projectId }) => ({ projectId })),
  );
}

/**
 * Updates the level of a project, with its consequences: its members are notified when it gets worse, and at CRITICAL
 * it is disabled where the installation wants that. Of concurrent calls one finds a change.
 */
export async function judgeReputation(ctx: Context, projectId: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    if ((await q.projects.hold(tx, { projectId })) === 0) return;
    const now = tx.now();
    const standing = await q.reputation.standing(tx, { projectId, now, days: WINDOW_DAYS });
    if (!standing || standing.disabled) return;
    const level = levelOf(standing, standing.level);
    if (level !== standing.level) await q.reputation.setLevel(tx, { projectId, level, now });
    const disabled =
      mustDisable(tx, standing) && (await disableProject(tx, projectId, EMAIL_REPUTATION, SERVICE));
    if (!disabled && !WORSE_THAN[standing.level].includes(level)) return;
    const turn = disabled ? "DISABLED" : (level as "WARNING" | "CRITICAL");
    const { AUTO_PROJECT_DISABLE: disables } = tx.config;
    await notifyMembers(tx, projectId, noticeOf(standing.name, turn, standing, disables));
  });
}

/** Where a project is now. Throws not-found. */
export async function securityOf(ctx: Context, projectId: string): Promise<Security> {
  const [standing, suspensions] = await Promise.all([
    q.reputation.standing(ctx, { projectId, now: ctx.now(), days: WINDOW_DAYS }),
    q.reputation.suspensions(ctx, { projectId, limit: MAX_SUSPENSIONS }),
  ]);
  if (!standing) throw problems.notFound("project", projectId);
  const { allTotal: total, allBounces: bounces, allComplaints: complaints } = standing;
  const { violations, warnings } = faultsOf(standing);
  return {
    status: {
      sevenDay: ratesOf(standing),
      allTime: ratesOf({ total, bounces, complaints }),
      isHealthy: violations.length === 0,
      violations,
      warnings,
    },
    levels: LEVELS,
    isDisabled: standing.disabled,
    suspensions,
  };
}

/** Not for a rate that is on its way down from a critical one. */
function mustDisable(ctx: Context, counts: Counts): boolean {
  return ctx.config.AUTO_PROJECT_DISABLE && levelOf(counts, "HEALTHY") === "CRITICAL";
}
