// The half of the service that takes jobs: graphile-worker over the tasks, in three lanes, and the heartbeat.
import { EventEmitter } from "node:events";
import { hostname } from "node:os";
import { Logger, run, type Runner, type TaskList, type WorkerEvents } from "graphile-worker";
import type pg from "pg";
import type postgres from "postgres";
import type { Context } from "./context.ts";
import { q } from "./db/queries.ts";
import { type Jobs, type Lane, LANES } from "./jobs.ts";
import { describeError } from "./log.ts";
import { metersOf } from "./meters.ts";

/** What a worker needs of the rooms above it. */
export interface WorkerParts {
  tasks: Record<keyof Jobs, (ctx: Context, payload: never) => Promise<void>>;
  crontab: string;
  /** Called with every heartbeat: whatever must be noticed within seconds. */
  onBeat: (ctx: Context) => Promise<void>;
  /** Called when no more jobs will be taken. */
  onStop: (ctx: Context) => void;
}

/** The connections of its own that a worker needs. */
export interface WorkerConnections {
  /** graphile-worker's. */
  workerPool: pg.Pool;
  /** One connection that lives as long as the process does: it holds the process's lock. */
  heartPool: postgres.Sql;
}

/** The running worker. */
export interface Worker {
  /** Takes no more jobs, waits up to 25 s for what is under way, and leaves the table of workers. */
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
const BEAT_MS = 3_000;
const RESTART_MS = 1_000;
const DRAIN_MS = 25_000;

/** Starts taking jobs. Keeps at it: when the database goes away, it waits for it to come back. */
export async function startWorker(
  ctx: Context,
  connections: WorkerConnections,
  parts: WorkerParts,
): Promise<Worker> {
  const pools = new Set<string>();
  const { workerPool: pgPool, heartPool } = connections;
  const heart = startHeart(ctx, heartPool, pools, parts.onBeat);
  await heart.firstBeat;
  const lanes = (["fast", "workflows", "bulk"] as const).map((lane) =>
    keepRunning(ctx, pgPool, parts, lane, pools, heart.beat),
  );
  return {
    async stop() {
      const drained = Promise.all(lanes.map((lane) => lane.stop()));
      parts.onStop(ctx);
      const inTime = await Promise.race([drained.then(() => true), Bun.sleep(DRAIN_MS).then(() => false)]);
      if (inTime) await q.jobs.forceUnlock(ctx, { pools: [...pools] }).catch(() => {});
      // What is still under way keeps its heartbeat row: whoever survives settles it.
      await heart.stop({ leave: inTime });
    },
  };
}

/** Runs one lane until told to stop, and starts it again whenever it ends by itself. */
function keepRunning(
  ctx: Context,
  pgPool: pg.Pool,
  parts: WorkerParts,
  lane: Lane,
  pools: Set<string>,
  beat: () => Promise<void>,
) {
  let stopping = false;
  let runner: Runner | undefined;
  const loop = async () => {
    while (!stopping) {
      try {
        runner = await startRunner(ctx, pgPool, parts, lane, pools, beat);
        if (stopping) await runner.stop();
        await runner.promise;
      } catch (error) {
        ctx.log.warn("worker stopped", { lane, ...describeError(error) });
      }
      if (!stopping) await Bun.sleep(RESTART_MS);
    }
  };
  const ended = loop();
  return {
    async stop() {
      stopping = true;
      await runner?.stop().catch(() => {});
      await ended;
    },
  };
}

async function startRunner(
  ctx: Context,
  pgPool: pg.Pool,
  { tasks, crontab }: WorkerParts,
  lane: Lane,
  pools: Set<string>,
  beat: () => Promise<void>,
): Promise<Runner> {
  const events = new EventEmitter() as WorkerEvents;
  const concurrentJobs = {
    fast: ctx.mailer.connections * JOBS_PER_CONNECTION,
    workflows: WORKFLOW_JOBS,
    bulk: BULK_JOBS,
  }[lane];
  // Jobs are locked in the name of the pool: whoever buries this process must know it.
  events.on("pool:create", ({ workerPool }) => {
    pools.add(workerPool.id);
    void beat();
  });
  return await run({
    pgPool,
    events,
    noHandleSignals: true,
    taskList: taskListOf(ctx, tasks, lane),
    ...(lane === "bulk" ? { crontabFile: crontab } : { parsedCronItems: [] }),
    logger: quietLogger(ctx),
    preset: {
      worker: {
        concurrentJobs,
        localQueue: { size: concurrentJobs, refetchDelay: { durationMs: LOOK_AGAIN_MS[lane] } },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        pollInterval: 1_000,
        gracefulShutdownAbortTimeout: DRAIN_MS,
      },
    },
  });
}

/** The tasks of one lane as graphile-worker takes them, each run written to the log. */
export function taskListOf(ctx: Context, tasks: WorkerParts["tasks"], lane?: Lane): TaskList {
  const names = (Object.keys(tasks) as (keyof Jobs)[]).filter(
    (name) => lane === undefined || LANES[name] === lane,
  );
  return Object.fromEntries(
    names.map((name) => [
      name,
      async (payload: unknown, { job }: { job: { id: string; attempts: number } }) => {
        const startedAt = performance.now();
        const line = () => ({
          job: name,
          id: job.id,
          attempt: job.attempts,
          ms: Math.round(performance.now() - startedAt),
        });
        const { jobs } = metersOf(ctx);
        const seconds = () => (performance.now() - startedAt) / 1000;
        try {
          await tasks[name](ctx, payload as never);
          ctx.log.info("job", line());
          jobs.observe({ task: name, outcome: "done" }, seconds());
        } catch (error) {
          ctx.log.error("job failed", { ...line(), ...describeError(error) });
          jobs.observe({ task: name, outcome: "failed" }, seconds());
          throw error;
        }
      },
    ]),
  );
}

/** Says every few seconds that this process lives, and holds a lock that Postgres frees when it does not. */
function startHeart(
  ctx: Context,
  heartPool: postgres.Sql,
  pools: Set<string>,
  onBeat: WorkerParts["onBeat"],
) {
  // Not the pool of the requests: who waits there behind busy ones would be taken for dead.
  const own = { sql: heartPool };
  let stopped = false;
  const beat = async () => {
    if (stopped) return;
    // Registers anew when it was taken for dead, as after a long freeze: what it held is settled.
    const { lockId } = await q.workers.beat(own, {
      id: ctx.workerId,
      host: hostname(),
      pid: process.pid,
      pools: [...pools],
    });
    // The lock goes with its connection, as when Postgres restarts: the next beat takes it again.
    await q.workers.holdLock(own, { lockId });
  };
  const beatSafely = () => beat().catch((error) => ctx.log.warn("no heartbeat", describeError(error)));
  const firstBeat = beat();
  let recovering = false;
  const recover = async () => {
    if (recovering || stopped) return;
    recovering = true;
    await onBeat(ctx).catch((error) => ctx.log.warn("recovery failed", describeError(error)));
    recovering = false;
  };
  void (async () => {
    while (!stopped) {
      await Bun.sleep(BEAT_MS);
      await beatSafely();
      void recover();
    }
  })();
  return {
    firstBeat,
    beat: beatSafely,
    async stop({ leave }: { leave: boolean }) {
      stopped = true;
      if (leave) await q.workers.leave(own, { id: ctx.workerId }).catch(() => {});
    },
  };
}

// Said at every start because a pool may have fewer connections than there are jobs at once. Ours has on purpose: it
// serves the queue alone, a batch at a time, and the jobs use the pool of the service.
const POOL_ADVICE = /^WARNING: having maxPoolSize \(\d+\) smaller than concurrency/;

/** graphile-worker's own lines, as far as they are about trouble. */
function quietLogger(ctx: Context): Logger {
  return new Logger(() => (level, message) => {
    if (POOL_ADVICE.test(message)) return;
    if (level === "error" || level === "warning") ctx.log.warn("queue", { detail: message });
  });
}
