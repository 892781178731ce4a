// One lane of jobs: graphile-worker over its tasks, watched, and built anew when it stands still.
import { EventEmitter } from "node:events";
import { Logger, run, type Runner, type TaskList, type WorkerEvents } from "graphile-worker";
import type pg from "pg";
import type { Patience } from "./_patience.ts";
import { followed, namesOf, taskListOf } from "./_task_list.ts";
import type { Context } from "./context.ts";
import { q } from "./db/queries.ts";
import { openRunnerPool, type RunnerPool } from "./db/runner_pool.ts";
import type { Db } from "./db/types.ts";
import type { WorkerPool } from "./db/worker_pool.ts";
import type { Lane, Tasks } from "./jobs.ts";
import { describeError } from "./log.ts";

/** What a lane is made of. */
export interface LaneParts {
  lane: Lane;
  pgPool: WorkerPool;
  tasks: Tasks;
  crontab: string;
  patience: Patience;
  /** Called with the name under which a runner locks jobs: whoever reaps this process must know it. */
  onPool: (id: string) => void;
}

/** A lane that takes jobs. */
export interface RunningLane {
  lane: Lane;
  /** Something is due, and it does not get on with it. */
  isStanding(): boolean;
  /** Whether this process is at the job, or will be in a moment. */
  holds(jobId: string): boolean;
  /** Looks whether the lane gets on, and builds its runner anew where it does not. */
  look(on: { sql: Db }): Promise<void>;
  /** Takes no more jobs, and waits for what is under way. */
  stop(): Promise<void>;
}

// A job of the fast lane waits for a connection of the mailer most of its time. Twice as many jobs as connections keep
// those busy; more would be kept from other processes.
const JOBS_PER_CONNECTION = 2;
// Jobs of workflows that run at the same time share transactions (`automation/execution_run.ts`).
const WORKFLOW_JOBS = 20;
const BULK_JOBS = 4;
// Every new job is told to all lanes, and who looks for its own goes past those of the others. Who has found nothing looks
// again after this time at the earliest, and else at once: hundreds of jobs a second of one lane would else have the others
// look hundreds of times, past thousands.
const LOOK_AGAIN_MS: Record<Lane, number> = { fast: 50, workflows: 10, bulk: 200 };
const RESTART_MS = 1_000;

/** How long what is under way may take when no more jobs are taken. */
export const DRAIN_MS = 25_000;

/** Runs a lane until told to stop, and starts it again whenever it ends or stands still. */
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
      underway.delete(id);
      fetched.delete(id);
    },
  });

  /** What a runner tells, for as long as it is the present one. */
  const listenTo = (given: { up: boolean }) => {
    const events = new EventEmitter() as WorkerEvents;
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
  /** Runs until it ends by itself, or `given` up: then it is told to stop, whenever it can hear that. */
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
      // Of what the runner before this one had fetched, only what was begun will be done.
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
    holds: (id) => fetched.has(id) || underway.has(id),
    async look(on) {
      const since = suspectedAt;
      suspectedAt = undefined;
      if (performance.now() - fetchedAt < patience.staleMs || underway.size >= concurrentJobs) return;
      const { overdue } = await q.jobs.overdue(on, { tasks: names, staleMs: patience.staleMs });
      // It may have fetched meanwhile.
      isStanding = overdue && performance.now() - fetchedAt > patience.staleMs;
      if (!isStanding) return;
      // Who waits for a slow answer is left to wait: asked anew each time, it would never come.
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

// Said at every start because a pool may have fewer connections than there are jobs at once. Ours has on purpose: it
// serves the queue alone, and the jobs use the pool of the service.
const POOL_ADVICE = /^WARNING: having maxPoolSize \(\d+\) smaller than concurrency/;

/** graphile-worker's own lines, as far as they are about trouble. */
function quietLogger(ctx: Context): Logger {
  return new Logger(() => (level, message) => {
    if (POOL_ADVICE.test(message)) return;
    if (level === "error" || level === "warning") ctx.log.warn("queue", { detail: message });
  });
}
