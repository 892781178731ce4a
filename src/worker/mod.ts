// The half of the service that takes jobs: graphile-worker over the tasks, in three lanes, and the heartbeat.
import type postgres from "postgres";
import { type Care, startHeart } from "./_heartbeat.ts";
import { DRAIN_MS, runLane, type RunningLane } from "./_lane.ts";
import { PATIENCE, type LanePatience } from "./patience.ts";
import type { Tasks } from "../jobs.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import type { WorkerPool } from "../db/worker_pool.ts";
import { LANE_NAMES } from "../job_kinds.ts";
import { describeError } from "../log.ts";

export { taskListOf } from "./task_list.ts";

/** What a worker needs of the modules above it. */
export interface WorkerParts extends Care {
  tasks: Tasks;
  crontab: string;
  /** Called when no more jobs will be taken. Resolves when nothing is in progress that no job waits for. */
  onStop: (ctx: Context) => Promise<void>;
  /** Where it is to be less, or more, than in production. */
  patience?: Partial<LanePatience>;
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
  /** Takes no more jobs, waits up to 25 s for those in progress, and leaves the table of workers. */
  stop(): Promise<void>;
}

/** Starts taking jobs. Keeps at it: when the database goes away, it waits for it to come back. */
export async function startWorker(
  ctx: Context,
  { workerPool, heartPool }: WorkerConnections,
  { tasks, crontab, onStop, patience: given, ...care }: WorkerParts,
): Promise<Worker> {
  const patience = { ...PATIENCE, ...given };
  const pools = new Set<string>();
  const lanes: RunningLane[] = [];
  const heart = startHeart(ctx, { heartPool, pools, lanes, patience, care });
  await heart.firstBeat;
  const onPool = (id: string) => {
    pools.add(id);
    void heart.beat();
  };
  for (const lane of LANE_NAMES) {
    lanes.push(runLane(ctx, { lane, pgPool: workerPool, tasks, crontab, patience, onPool }));
  }
  return {
    async stop() {
      const stopping = lanes.map((lane) => lane.stop());
      const drained = Promise.all([...stopping, onStop(ctx)]);
      const inTime = await Promise.race([drained.then(() => true), Bun.sleep(DRAIN_MS).then(() => false)]);
      const isUnlocked = inTime && (await unlock(ctx, pools));
      // Where something is still in progress, or locked in our name, the heartbeat row stays: a survivor settles it.
      await heart.stop({ leave: isUnlocked });
    },
  };
}

/** Whether what was locked in these names is free for others. */
async function unlock(ctx: Context, pools: Set<string>): Promise<boolean> {
  try {
    await q.jobs.forceUnlock(ctx, { pools: [...pools] });
    return true;
  } catch (error) {
    ctx.log.warn("jobs not given back", describeError(error));
    return false;
  }
}
