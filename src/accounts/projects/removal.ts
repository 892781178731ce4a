// The deletion and the reset of a project, as they are asked for. What is promised holds from the commit on; jobs take the
// rows away, in small batches.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type Jobs, priorityBehind } from "../../jobs.ts";
import { problems } from "../../problem/mod.ts";
import { type Actor, recordAudit } from "../audit.ts";
import { countToday } from "../daily_limits.ts";

/**
 * Deletes a project. From the commit on it cannot be found (and the trigger `projects_stay_deleted` keeps it so), and
 * nothing of it is sent except what is being handed over at that moment; a job deletes its rows. Its sandbox goes with it. Joins the transaction of
 * `ctx` when there is one. Throws not-found when there is none, or it was deleted before.
 */
export async function requestDeletion(ctx: Context, projectId: string, actor: Actor): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const now = tx.now();
    if (!(await q.removals.beginDeletion(tx, { projectId, now })))
      throw problems.notFound("project", projectId);
    const sandbox = await q.removals.sandbox(tx, { projectId });
    if (sandbox) await q.removals.beginDeletion(tx, { projectId: sandbox.id, now });
    const turn = await turnOf(tx, actor);
    // The sandbox first: its project cannot end before it.
    for (const id of [...(sandbox ? [sandbox.id] : []), projectId]) {
      await q.removals.letGo(tx, { projectId: id });
      await q.removals.stop(tx, { projectId: id, now, reason: "The project was deleted" });
      await enqueueRemoval(tx, "delete_project", { projectId: id, turn });
    }
  });
  // The audit goes with the project: this line stays.
  ctx.log.warn("project deleted", {
    projectId,
    by: actor.kind,
    ...(actor.kind === "user" && { userId: actor.userId }),
  });
}

/**
 * Resets a project: what it holds now is taken away by a job, and nothing of it goes out any more but what is being handed
 * over now. Members, domains, keys, settings, and what is counted of it for limits and reputation stay, and so
 * does what is made later. Writes the line of the audit. Joins the transaction of `ctx` when there is one. Throws
 * not-found.
 */
export async function requestReset(ctx: Context, projectId: string, actor: Actor): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const now = tx.now();
    if ((await q.projects.hold(tx, { projectId })) === 0) throw problems.notFound("project", projectId);
    // All that makes rows by itself comes to its end first: then what there is can be told from what comes later.
    await q.removals.keepOutStarts(tx, { projectId });
    await q.removals.stop(tx, { projectId, now, reason: "The project was reset" });
    await q.removals.beginReset(tx, { projectId, now });
    await enqueueRemoval(tx, "reset_project", { projectId, turn: await turnOf(tx, actor) });
    await recordAudit(tx, { projectId, actor, action: "project.reset" });
  });
}

/** How many removals of the same person come before this one: somebody who removes many does not hold others up. */
async function turnOf(tx: Context, actor: Actor): Promise<number> {
  const who = actor.kind === "user" ? actor.userId : actor.kind;
  return priorityBehind("delete_project", (await countToday(tx, `removals by ${who}`)) - 1);
}

/** Has a removal begin, or continue, in the transaction of `tx`. One that waits already is replaced. */
export async function enqueueRemoval(
  tx: Context,
  task: "delete_project" | "reset_project",
  job: Jobs["reset_project"],
  runAt: Date | null = null,
): Promise<void> {
  const { projectId, turn: priority = priorityBehind(task, Infinity) } = job;
  await q.removals.enqueue(tx, { task, projectId, payload: job, runAt, priority });
}

/** Gives a job to removals that have none any more, as after one that has failed too often. */
export async function sweepRemovals(ctx: Context): Promise<void> {
  for (const { task, projectId } of await q.removals.withoutJob(ctx)) {
    await enqueueRemoval(ctx, task as "delete_project" | "reset_project", { projectId });
  }
}
