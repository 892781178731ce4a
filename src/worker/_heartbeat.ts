// Says every few seconds that this process lives, and looks after what must be noticed within seconds.
import { hostname } from "node:os";
import type postgres from "postgres";
import type { RunningLane } from "./_lane.ts";
import { LostGrip } from "./_lost_grip.ts";
import type { LanePatience } from "./patience.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { describeError } from "../log.ts";

/** What the heart beats for. */
export interface HeartParts {
  /** A connection of its own: waiting behind busy ones would look like death. */
  heartPool: postgres.Sql;
  /** The names under which this process locks jobs. */
  pools: Set<string>;
  lanes: RunningLane[];
  patience: LanePatience;
  care: Care;
}

/** What is done with every heartbeat. */
export interface Care {
  /** Reaps processes that are gone. Not called before the silent have had time to say that they live. */
  reap: (ctx: Context) => Promise<void>;
  /** Whatever else must be noticed within seconds. */
  onBeat: (ctx: Context) => Promise<void>;
}

/** Beats, and holds a lock that Postgres frees when this process is gone. */
export function startHeart(ctx: Context, { heartPool, pools, lanes, patience, care }: HeartParts) {
  const own = { sql: heartPool };
  const giveBack = lostGrip(ctx, own, { pools, lanes, patience });
  const standing = () => lanes.filter((lane) => lane.isStanding()).map(({ lane }) => lane);
  let stopped = false;
  let heardAt = performance.now();
  // The database may have come back with us: the others have to find that out.
  let quietUntil = heardAt + patience.gapMs;
  const beat = async () => {
    if (stopped) return;
    // Registers again when it was taken for dead, as after a long freeze: what it held is settled.
    const { lockId } = await q.workers.beat(own, {
      id: ctx.workerId,
      host: hostname(),
      pid: process.pid,
      pools: [...pools],
      standing: standing(),
      captures: ctx.config.SMTP_URL === undefined,
    });
    // The lock goes with its connection, as when Postgres restarts: the next beat takes it again.
    await q.workers.holdLock(own, { lockId });
    const now = performance.now();
    if (now - heardAt > patience.gapMs) quietUntil = now + patience.gapMs;
    heardAt = now;
  };
  /** Connections that our own shutdown closes are no news. */
  const warn = (message: string) => (error: unknown) => {
    if (!stopped) ctx.log.warn(message, describeError(error));
  };
  const beatSafely = () => beat().catch(warn("no heartbeat"));
  const firstBeat = beat();
  const takeCare = async () => {
    if (performance.now() >= quietUntil) await care.reap(ctx);
    await care.onBeat(ctx);
  };
  let recovering = false;
  const recover = async () => {
    if (recovering || stopped) return;
    recovering = true;
    await takeCare().catch(warn("recovery failed"));
    recovering = false;
  };
  const look = async () => {
    const before = standing().length;
    for (const lane of lanes) await lane.look(own);
    // A readiness probe sees it at once.
    if (standing().length > before) await beat();
    await giveBack();
  };
  void (async () => {
    while (!stopped) {
      await Bun.sleep(patience.beatMs);
      await beatSafely();
      if (stopped) return;
      void recover();
      await look().catch(warn("queues not looked at"));
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

/**
 * Gives back the jobs that are locked in our name but not being worked on: the reply that gave them to us, or the
 * message that they are done, was lost with its connection. And those that are locked in the name of a process that was gone
 * before its heartbeat told that name. Otherwise nobody would get them for 4 hours.
 */
function lostGrip(
  ctx: Context,
  own: { sql: postgres.Sql },
  { pools, lanes, patience }: Pick<HeartParts, "pools" | "lanes" | "patience">,
): () => Promise<void> {
  const lost = new LostGrip();
  const isOurs = (pool: string) => pools.has(pool);
  let lookedAt = performance.now();
  return async () => {
    if (performance.now() - lookedAt < patience.gripMs) return;
    const held = await q.jobs.held(own, { pools: [...pools] });
    const mistaken = held.filter(({ id, pool }) => !isOurs(pool) || !lanes.some((lane) => lane.holds(id)));
    const { ours, strange } = lost.look(mistaken, isOurs);
    lookedAt = performance.now();
    if (ours.length + strange.length === 0) return;
    await q.jobs.giveBack(own, { ids: ours.map(({ id }) => id), pools: [...pools] });
    // They may be what that process has died of: the attempt counts.
    await q.jobs.forceUnlock(own, { pools: strange.map(({ pool }) => pool) });
    ctx.log.warn("gave back jobs of processes that are gone", { jobs: ours.length + strange.length });
  };
}
