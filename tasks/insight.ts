import type { Context } from "../src/context.ts";
import { auditProject, auditProjects, recountProject } from "../src/insight/counts/audit.ts";
import { judgeDeliverability, tellAlerts } from "../src/insight/deliverability/alerts.ts";
import { runEventDeletion } from "../src/insight/events/deletion.ts";
import { analyzeEvents, makePartitions } from "../src/insight/partitions.ts";
import { dropExpired, type RetentionPace } from "../src/insight/retention.ts";
import { addJob, type Jobs, type Tasks } from "../src/jobs.ts";

const PAUSE_MS = 1_000;

/** The jobs of `src/insight`. */
export const insightTasks = {
  /** Compares the counters of a project with the facts, or has it done for all. A second run finds the same. */
  async audit_counts(ctx, { projectId }) {
    await (projectId === undefined ? auditProjects(ctx) : auditProject(ctx, projectId));
  },
  /** Finds rates that get worse, or are good again. A second run finds the same. */
  judge_deliverability: judgeDeliverability,
  /** Tells the members of a project of its alerts. A second run tells nobody. */
  async tell_deliverability_alerts(ctx, { projectId }) {
    await tellAlerts(ctx, projectId);
  },
  /** Deletes all events of a name that were recorded before. A second run continues where the first one ended. */
  delete_events: runEventDeletion,
  /** Deletes what is older than it has to be kept, and continues as a new job while there is more. */
  async drop_expired(ctx: Context, _job: Jobs["drop_expired"] = {}, pace: RetentionPace = {}) {
    if (await dropExpired(ctx, pace)) return;
    await addJob(
      ctx,
      "drop_expired",
      {},
      { key: "drop_expired", runAt: new Date(ctx.now().getTime() + PAUSE_MS) },
    );
  },
  /** Makes the partitions that are missing. A second run finds none. */
  async make_partitions(ctx) {
    const { made } = await makePartitions(ctx);
    if (made.length > 0) ctx.log.info("partitions made", { months: made });
    await analyzeEvents(ctx);
  },
  /** Makes the counters of a project equal what a reset has left. A second run changes nothing. */
  async recount_counts(ctx, { projectId }) {
    await recountProject(ctx, projectId, { forgets: true });
  },
} satisfies Partial<Tasks>;
