// Workflows that start by the clock: for the members of a segment, or for all contacts, range by range.
import { type Context, inTransaction } from "../../context.ts";
import { isConflict, isDatabaseAway } from "../../database_errors.ts";
import { q } from "../../db/queries.ts";
import type { Fragment } from "../../db/types.ts";
import { describeError } from "../../log.ts";
import { compileAudience, defineAudience } from "../../sending/campaigns/audience.ts";
import { addRuns, enqueue } from "../runs/jobs.ts";
import { startRuns } from "./start.ts";
import { nextRunAt, type ScheduleTrigger } from "../workflows/trigger.ts";

const MAX_DUE = 500;
/** Contacts of one commit. */
const RANGE = 2_000;
/** Once a minute. The next scheduled time of the workflow does not depend on it. */
const MAX_TRIES = 10;

/**
 * Begins what is due, and continues what was begun, as after a crash. A missed time is made up for once, however often
 * it has recurred since.
 */
export async function startScheduledWorkflows(ctx: Context): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const now = tx.now();
    const due = await q.scheduledRuns.due(tx, { now, limit: MAX_DUE });
    const rows = due.map(({ projectId, id, triggerConfig, nextRunAt: dueAt }) => ({
      project_id: projectId,
      workflow_id: id,
      due_at: dueAt,
      next_run_at: nextRunAt(triggerConfig as unknown as ScheduleTrigger, now),
    }));
    if (rows.length > 0) await q.scheduledRuns.begin(tx, { rows, now });
    const unfinished = await q.scheduledRuns.unfinished(tx);
    await enqueue(
      tx,
      unfinished.map(({ projectId, id: runId }) => ({
        task: "start_scheduled_run",
        payload: { projectId, runId },
        key: `start_scheduled_run:${runId}`,
      })),
    );
  });
}

/**
 * Starts a workflow for everybody it is due for. Running it again continues after the last committed range; of two
 * concurrent runs one continues. What keeps failing although the database works is given up.
 */
export async function startScheduledRun(ctx: Context, projectId: string, runId: string): Promise<void> {
  try {
    while (await startRange(ctx, projectId, runId));
  } catch (error) {
    if (isDatabaseAway(error) || isConflict(error)) throw error;
    const noted = await q.scheduledRuns.noteFailure(ctx, { projectId, runId });
    if (noted === null || noted.tries < MAX_TRIES) throw error;
    await q.scheduledRuns.finish(ctx, { projectId, runId });
    ctx.log.error("a scheduled start was given up", { projectId, runId, ...describeError(error) });
  }
}

/** Starts it for the next contacts. False when there are none left. */
async function startRange(ctx: Context, projectId: string, runId: string): Promise<boolean> {
  return await inTransaction(ctx, async (tx) => {
    const run = await q.scheduledRuns.hold(tx, { projectId, runId });
    if (!run) return false;
    const contacts =
      run.enabled && run.triggerType === "SCHEDULE"
        ? await q.scheduledRuns.range(tx, {
            projectId,
            afterId: run.upTo,
            until: run.createdAt,
            audience: (await audienceOf(tx, projectId, run.triggerConfig as unknown as ScheduleTrigger))(),
            limit: RANGE,
          })
        : [];
    if (contacts.length === 0) {
      await q.scheduledRuns.finish(tx, { projectId, runId });
      return false;
    }
    const { workflowId, allowReentry, dueAt } = run;
    const started = await startRuns(
      tx,
      contacts.map(({ id: contactId }) => ({
        projectId,
        workflowId,
        versionId: null,
        allowReentry,
        contactId,
        depth: 0,
        history: { scheduledFor: dueAt.toISOString() },
      })),
    );
    const running = started.filter(({ status }) => status === "RUNNING");
    await addRuns(tx, running, { patient: true });
    await q.scheduledRuns.advance(tx, { projectId, runId, upTo: contacts.at(-1)!.id });
    return true;
  });
}

/** Whom a schedule is for, whether they are subscribed or not: that counts when a mail is sent. */
async function audienceOf(tx: Context, projectId: string, trigger: ScheduleTrigger): Promise<() => Fragment> {
  const segmentId = trigger.segmentId ?? null;
  const audienceType = segmentId === null ? "ALL" : "SEGMENT";
  const who = { type: "TRANSACTIONAL", audienceType, segmentId, audienceCondition: null } as const;
  const definition = await defineAudience(tx, projectId, who);
  await q.audience.allowHashing(tx);
  return compileAudience(tx, projectId, who.type, definition, { now: tx.now() });
}
