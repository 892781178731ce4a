// How much of a project's requests is written down: all of most, and of one with very many a sample. A bucket for each
// project, so that none fills the disk, and none takes the room of another.
import { createCache } from "../../cache.ts";
import { type Context, perService } from "../../context.ts";

/** What a bucket holds, in minutes: so much comes at once where little came before. */
const BURST_MINUTES = 5;
/** Bodies are large: a tenth as many. */
const BODIES = 0.1;
/** Projects whose buckets are remembered; a forgotten one is full again. */
const MAX_PROJECTS = 10_000;

/** What there is room for. Those that were refused have room of their own: no flood of others hides them. */
export type Kind = "answered" | "refused" | "body";

interface Bucket extends Record<Kind, number> {
  at: number;
  leftOut: number;
}

/** The room of a project. */
export interface LogRoom {
  /** Takes room for one, if there is any. */
  take(kind: Kind): boolean;
  /** What was not written down, for the next row to tell. */
  leaveOut(count: number): void;
  /** How many were left out since it was last asked. */
  takeLeftOut(): number;
}

/** The room of a project now. */
export function roomOf(ctx: Context, projectId: string): LogRoom {
  const perMinute = ctx.config.REQUEST_LOG_PER_MINUTE;
  const limits: Record<Kind, number> = { answered: perMinute, refused: perMinute, body: perMinute * BODIES };
  const buckets = bucketsOf(ctx);
  const now = ctx.now().getTime();
  let bucket = buckets.get(projectId);
  if (bucket) refill(bucket, limits, now);
  else buckets.set(projectId, (bucket = fullBucket(limits, now)));
  const held = bucket;
  return {
    take(kind) {
      if (held[kind] < 1) return false;
      held[kind]--;
      return true;
    },
    leaveOut(count) {
      held.leftOut += count;
    },
    takeLeftOut() {
      const { leftOut } = held;
      held.leftOut = 0;
      return leftOut;
    },
  };
}

const bucketsOf = perService(() => createCache<Bucket>({ maxEntries: MAX_PROJECTS }));

function fullBucket(limits: Record<Kind, number>, at: number): Bucket {
  const full = (kind: Kind) => limits[kind] * BURST_MINUTES;
  return { answered: full("answered"), refused: full("refused"), body: full("body"), at, leftOut: 0 };
}

function refill(bucket: Bucket, limits: Record<Kind, number>, now: number): void {
  const minutes = Math.max(0, now - bucket.at) / 60_000;
  bucket.at = now;
  if (minutes === 0) return;
  for (const kind of ["answered", "refused", "body"] as const) {
    bucket[kind] = Math.min(limits[kind] * BURST_MINUTES, bucket[kind] + limits[kind] * minutes);
  }
}
