// The half of the service that takes jobs: graphile-worker over the tasks, in three lanes, and the heartbeat.
import type postgres from "postgres";
import { startHeart } from "./_heartbeat.ts";
import { DRAIN_MS, runLane, type RunningLane, type Tasks } from "./_lane.ts";
import type { Context } from "./context.ts";
import { q } from "./db/queries.ts";
import type { WorkerPool } from "./db/worker_pool.ts";
import { LANE_NAMES } from "./jobs.ts";

export { taskListOf } from "./_lane.ts";

/** What a worker needs of the rooms above it. */
export interface WorkerParts {
  tasks: Tasks;
  crontab: string;
  /** Called with every heartbeat: whatever must be noticed within seconds. */
  onBeat: (ctx: Context) => Promise<void>;
  /** Called when no more jobs will be taken. Resolves when nothing is under way that no job waits for. */
  onStop: (ctx: Context) => Promise<void>;
}

/** The connections of its own that a worker needs. */
export interface WorkerConnections {
  /** graphile-worker's. */
  workerPool: WorkerPool;
  /** One connection that lives as long as the process does: it holds the process's lock. */
  heartPool: postgres.Sql;
}

/** The running worker. */
export interface Worker {
  /** Takes no more jobs, waits up to 25 s for what is under way, and leaves the table of workers. */
  stop(): Promise<void>;
}

/** Starts taking jobs. Keeps at it: when the database goes away, it waits for it to come back. */
export async function startWorker(
  ctx: Context,
  { workerPool, heartPool }: WorkerConnections,
  { tasks, crontab, onBeat, onStop }: WorkerParts,
): Promise<Worker> {
  const pools = new Set<string>();
  const lanes: RunningLane[] = [];
  const heart = startHeart(ctx, { heartPool, pools, lanes, onBeat });
  await heart.firstBeat;
  const onPool = (id: string) => {
    pools.add(id);
    void heart.beat();
  };
  for (const lane of LANE_NAMES) {
    lanes.push(runLane(ctx, { lane, pgPool: workerPool, tasks, crontab, onPool }));
  }
  return {
    async stop() {
      const stopping = lanes.map((lane) => lane.stop());
      const drained = Promise.all([...stopping, onStop(ctx)]);
      const inTime = await Promise.race([drained.then(() => true), Bun.sleep(DRAIN_MS).then(() => false)]);
      if (inTime) await q.jobs.forceUnlock(ctx, { pools: [...pools] }).catch(() => {});
      // What is still under way keeps its heartbeat row: whoever survives settles it.
      await heart.stop({ leave: inTime });
    },
  };
}
