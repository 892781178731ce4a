// Jobs about executions: those of one project share them.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type Jobs, priorityOf } from "../../jobs.ts";
import type { ExecutionKey } from "./run.ts";

const EXECUTIONS_A_JOB = 200;

/** A job that is to be enqueued. One that waits with the same key is replaced. */
export interface NewJob {
  task: keyof Jobs;
  payload: Jobs[keyof Jobs];
  run_at?: Date | undefined;
  key?: string | undefined;
  priority?: number | undefined;
}

/** What jobs about executions have in common, and what each adds. */
interface Sharing<Name extends keyof Jobs> {
  size?: number;
  more?: Omit<Jobs[Name], "projectId" | "executionIds">;
  /** The key of the n-th job of a project. */
  keyOf?: (executionIds: string[], n: number, projectId: string) => string;
  runAt?: Date;
  priority?: number | undefined;
}

/** Jobs for these executions, as many in each as may share one. */
export function jobsFor<Name extends "run_executions" | "wake_executions" | "recheck_waits">(
  task: Name,
  executions: ExecutionKey[],
  { size = EXECUTIONS_A_JOB, more, keyOf, runAt, priority }: Sharing<Name> = {},
): NewJob[] {
  const groups = Map.groupBy(executions, (execution) => execution.projectId);
  return [...groups].flatMap(([projectId, group]) =>
    inParts(group, size).map((part, n) => {
      const executionIds = part.map(({ id }) => id);
      return {
        task,
        payload: { projectId, executionIds, ...more } as Jobs[Name],
        priority,
        run_at: runAt,
        key: keyOf?.(executionIds, n, projectId),
      };
    }),
  );
}

/** Enqueues jobs in the transaction of `tx`, all in one statement. */
export async function enqueue(tx: Context, jobs: NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const rows = jobs.map(({ task, payload, run_at, key, priority }) => ({
    task,
    payload,
    run_at,
    key,
    priority,
  }));
  await q.executionRun.addJobs(tx, { rows });
}

/** Has executions run by jobs: `alone` each by itself, `patient` after all others. */
export async function addRuns(
  tx: Context,
  executions: ExecutionKey[],
  { alone = false, patient = false } = {},
): Promise<void> {
  const priority = patient ? priorityOf("run_executions", "patient") : undefined;
  await enqueue(tx, alone ? runsAlone(executions) : jobsFor("run_executions", executions, { priority }));
}

/** Jobs that run executions each by itself; each execution has at most one waiting. */
export function runsAlone(executions: ExecutionKey[], runAt?: Date): NewJob[] {
  return jobsFor("run_executions", executions, {
    size: 1,
    more: { alone: true },
    keyOf: ([id]) => `run_executions:${id}`,
    ...(runAt && { runAt }),
  });
}

/** Parts of a list, of at most that many items. */
export function inParts<T>(items: T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let i = 0; i < items.length; i += size) parts.push(items.slice(i, i + size));
  return parts;
}
