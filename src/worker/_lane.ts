// One lane of jobs: graphile-worker over its tasks, watched, and rebuilt when it gets stuck.
import { EventEmitter } from "node:events";
import { Logger, run, type Runner, type TaskList, type WorkerEvents } from "graphile-worker";
import type pg from "pg";
import { keepAnnouncements } from "./_announcements.ts";
import type { LanePatience } from "./patience.ts";
import { followed, namesOf, taskListOf } from "./task_list.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { openRunnerPool, type RunnerPool } from "../db/runner_pool.ts";
import type { Db } from "../db/types.ts";
import type { WorkerPool } from "../db/worker_pool.ts";
import type { Lane } from "../job_kinds.ts";
import type { Tasks } from "../jobs.ts";
import { describeError } from "../log.ts";

/** What a lane is made of. */
export interface LaneParts {
  lane: Lane;
  pgPool: WorkerPool;
  tasks: Tasks;
  crontab: string;
  patience: LanePatience;
  /** Called with the name under which a runner locks jobs: reaping this process requires it. */
  onPool: (id: string) => void;
}

/** A lane that takes jobs. */
export interface RunningLane {
  lane: Lane;
  /** Jobs are due, and it makes no progress. */
  isStanding(): boolean;
  /** Whether this process is at the job, will be in a moment, or says that it is over. */
  holds(jobId: string): boolean;
  /** Checks whether the lane makes progress, and rebuilds its runner if not. */
  look(on: { sql: Db }): Promise<void>;
  /** Takes no more jobs, and waits for those that are running. */
  stop(): Promise<void>;
}

// A job of the fast lane waits for a connection of the mailer most of its time. Twice as many jobs as connections keep
// those busy; more would be kept from other processes.
const JOBS_PER_CONNECTION = 2;
// Jobs of workflows that run at the same time share transactions (`automation/execution_run.ts`).
const WORKFLOW_JOBS = 20;
const BULK_JOBS = 4;
// Every new job is announced to all lanes, and a lane that looks for its own passes those of the others. A lane that
// found nothing waits at least this long before it looks again, and a lane that found something looks at once:
// otherwise hundreds of jobs a second in one lane would make the others look hundreds of times, past thousands.
const LOOK_AGAIN_MS: Record<Lane, number> = { fast: 50, workflows: 10, bulk: 200 };
const RESTART_MS = 1_000;

/** How long running jobs may take when no more are taken. */
export const DRAIN_MS = 25_000;

/** Runs a lane until told to stop, and starts it again whenever it ends or is stalled. */
export function runLane(ctx: Context, parts: LaneParts): RunningLane {
  const { lane, patience } = parts;
  const names = namesOf(parts.tasks, lane);
  const concurrentJobs = concurrency(ctx, lane);
  const fetched = new Set<string>();
  const underway = new Set<string>();
  let fetchedAt = performance.now();
  let suspectedAt: number | undefined;
  let isStanding = false;
  let stopping = false;
  let renew = () => {};
  let runner: Runner | undefined;
  let connections: RunnerPool | undefined;

  const taskList = followed(taskListOf(ctx, parts.tasks, lane), {
    begin(id) {
      underway.add(id);
    },
    end(id) {
      parts.pgPool.noteOver(id);
      underway.delete(id);
      fetched.delete(id);
    },
  });

  /** What a runner reports, as long as it is the current one. */
  const listenTo = (given: { up: boolean }) => {
    const events = new EventEmitter() as WorkerEvents;
    keepAnnouncements(events);
    events.on("pool:create", ({ workerPool }) => parts.onPool(workerPool.id));
    events.on("localQueue:getJobs:complete", ({ jobs }) => {
      if (given.up) return;
      fetchedAt = performance.now();
      isStanding = false;
      for (const { id } of jobs) fetched.add(id);
    });
    events.on("localQueue:returnJobs", ({ jobs }) => {
      for (const { id } of jobs) fetched.delete(id);
    });
    return events;
  };
  /** Runs until it ends by itself, or is `given` up: then it is told to stop as soon as it can be. */
  const runOnce = async (given: { up: boolean }, { pgPool }: RunnerPool) => {
    const runs = { pgPool, events: listenTo(given), taskList, concurrentJobs };
    const started = await startRunner(ctx, parts, runs);
    // It may be another's turn by now.
    if (!given.up) runner = started;
    if (stopping || given.up) void started.stop().catch(() => {});
    await started.promise;
  };
  const loop = async () => {
    while (!stopping) {
      const { promise: renewed, resolve } = Promise.withResolvers<void>();
      const given = { up: false };
      renew = () => {
        given.up = true;
        resolve();
      };
      // Of the jobs that the previous runner had fetched, only those that it had begun will be done.
      for (const id of fetched) if (!underway.has(id)) fetched.delete(id);
      runner = undefined;
      connections = openRunnerPool(parts.pgPool);
      await Promise.race([runOnce(given, connections), renewed]).catch((error) =>
        ctx.log.warn("worker stopped", { lane, ...describeError(error) }),
      );
      if (stopping) return;
      if (given.up) {
        ctx.log.warn("worker is stuck, and is rebuilt", { lane });
        void stopQuietly(runner);
        void connections.giveUp();
      }
      await Bun.sleep(RESTART_MS);
    }
  };
  const ended = loop();
  return {
    lane,
    isStanding: () => isStanding,
    holds: (id) => fetched.has(id) || underway.has(id) || parts.pgPool.isBeingSettled(id),
    async look(on) {
      const since = suspectedAt;
      suspectedAt = undefined;
      if (performance.now() - fetchedAt < patience.staleMs || underway.size >= concurrentJobs) return;
      const { overdue } = await q.jobs.overdue(on, { tasks: names, staleMs: patience.staleMs });
      // It may have fetched some in the meantime.
      isStanding = overdue && performance.now() - fetchedAt > patience.staleMs;
      if (!isStanding) return;
      // A slow response is waited for: if asked again each time, it would never arrive.
      const { atWork } = await q.jobs.atWork(on, { pids: connections?.pids() ?? [] });
      if (atWork) return;
      suspectedAt = since ?? performance.now();
      if (performance.now() - suspectedAt < patience.doubtMs) return;
      suspectedAt = undefined;
      renew();
    },
    async stop() {
      stopping = true;
      await stopQuietly(runner);
      renew();
      await ended;
      while (underway.size > 0) await Bun.sleep(20);
    },
  };
}

async function stopQuietly(runner: Runner | undefined): Promise<void> {
  await runner?.stop().catch(() => {});
}

function concurrency(ctx: Context, lane: Lane): number {
  return {
    fast: ctx.mailer.connections * JOBS_PER_CONNECTION,
    workflows: WORKFLOW_JOBS,
    bulk: BULK_JOBS,
  }[lane];
}

async function startRunner(
  ctx: Context,
  { lane, crontab }: LaneParts,
  {
    concurrentJobs,
    ...runs
  }: { pgPool: pg.Pool; events: WorkerEvents; taskList: TaskList; concurrentJobs: number },
): Promise<Runner> {
  return await run({
    ...runs,
    noHandleSignals: true,
    ...(lane === "bulk" ? { crontabFile: crontab } : { parsedCronItems: [] }),
    logger: quietLogger(ctx),
    preset: {
      worker: {
        concurrentJobs,
        localQueue: { size: concurrentJobs, refetchDelay: { durationMs: LOOK_AGAIN_MS[lane] } },
        // A batch is given up at the first failure, and the runner with it (graphile/worker#636): our pool lets none fail.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        pollInterval: 1_000,
        gracefulShutdownAbortTimeout: DRAIN_MS,
      },
    },
  });
}

// Logged at every start because a pool may have fewer connections than there are concurrent jobs. Ours has on purpose:
// it serves only the queue, and the jobs use the pool of the service.
const POOL_ADVICE = /^WARNING: having maxPoolSize \(\d+\) smaller than concurrency/;

/** graphile-worker's own log lines, as far as they report trouble. */
function quietLogger(ctx: Context): Logger {
  return new Logger(() => (level, message) => {
    if (POOL_ADVICE.test(message)) return;
    if (level === "error" || level === "warning") ctx.log.warn("queue", { detail: message });
  });
}
