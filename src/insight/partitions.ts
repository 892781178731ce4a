// The partitions of the events: one for each month (UTC), made ahead.
import { type Context, inTransaction, patiently } from "../context.ts";
import { isHeld, isTimeout } from "../database_errors.ts";
import { q } from "../db/queries.ts";
import { describeError } from "../log.ts";

/** How many months after this one have their partition already. */
const MONTHS_AHEAD = 2;
/** Ids of events that are older were not made by their time. */
const MONTHS_BACK = 120;
/** Other work with events waits at most that long. */
const LONGEST_MS = 1_000;
const ATTEMPTS = 5;
const PAUSE_MS = 300;
/** Plans that were made for fewer events are still good ones. */
const GROWTH = 1.2;
const FEW_EVENTS = 1_000;

/** Which partitions there are now that were not there before, and which could not be made, by their months: `2026-11`. */
export interface Making {
  made: string[];
  notMade: string[];
}

/**
 * Creates the missing partitions, of this month and those ahead, and of months whose events had to be put into the
 * default partition: they move. Nobody waits longer than a second for it: what cannot be done now is left to the next
 * time, unless it is `patient`.
 */
export async function makePartitions(ctx: Context, { patient = false } = {}): Promise<Making> {
  const making: Making = { made: [], notMade: [] };
  let isInUse = false;
  for (const month of await missingMonths(ctx)) {
    const name = nameOf(month);
    try {
      if (isInUse) making.notMade.push(name);
      else if (await make(ctx, month, patient)) making.made.push(name);
    } catch (error) {
      if (!isHeld(error) && !isTimeout(error)) throw error;
      isInUse = isHeld(error);
      making.notMade.push(name);
      tellWhy(ctx, name, error);
    }
  }
  return making;
}

async function make(ctx: Context, month: Date, patient: boolean): Promise<boolean> {
  return await briefly(ctx, { patient }, async (tx) => (await q.partitions.make(tx, { month })).isMade);
}

/**
 * Creates the missing partitions of the months from a moment until now, for events that are about to be written with
 * times of the past. A month for which nobody makes room is left out: its events go into the default partition.
 */
export async function makePastPartitions(ctx: Context, since: Date): Promise<void> {
  for (let month = monthStart(since); month <= ctx.now(); month = monthStart(month, 1)) {
    try {
      await make(ctx, month, false);
    } catch (error) {
      if (!isHeld(error) && !isTimeout(error)) throw error;
      tellWhy(ctx, nameOf(month), error);
    }
  }
}

/** Drops a partition with all its rows, and returns whether it is gone: it stays while somebody is using the events. */
export async function dropPartition(ctx: Context, name: string): Promise<boolean> {
  try {
    await briefly(ctx, {}, (tx) => q.partitions.drop(tx, { name }));
    return true;
  } catch (error) {
    if (!isHeld(error) && !isTimeout(error)) throw error;
    ctx.log.warn("partition not dropped yet: events are in use", { partition: name });
    return false;
  }
}

/** The partitions of months, oldest first. */
export async function listPartitions(ctx: Context): Promise<{ name: string; month: Date }[]> {
  return await q.partitions.list(ctx);
}

/** What the tables that grow with time hold: rows, as Postgres estimates it, and bytes with all that belongs to them. */
export async function partitionSizes(ctx: Context) {
  return await q.partitions.sizes(ctx);
}

/** Has Postgres look at all events together again, once there are many more than the last time: plans depend on it. */
export async function analyzeEvents(ctx: Context): Promise<void> {
  const { events, analyzed } = await q.partitions.growth(ctx);
  if (events < GROWTH * Math.max(analyzed, FEW_EVENTS)) return;
  await inTransaction(patiently(ctx), async (tx) => {
    await q.partitions.bound(tx, { timeoutMs: 0 });
    await q.partitions.analyze(tx);
  });
}

/** The beginning of a month (UTC), that many months after that of a moment. */
export function monthStart(moment: Date, later = 0): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + later, 1));
}

async function missingMonths(ctx: Context): Promise<Date[]> {
  const now = ctx.now();
  const ahead = Array.from({ length: MONTHS_AHEAD + 1 }, (_, n) => monthStart(now, n));
  const [since, until] = [monthStart(now, -MONTHS_BACK), monthStart(now, MONTHS_AHEAD + 1)];
  const strays = (await q.partitions.strayMonths(ctx, { since, until })).map(({ month }) => month);
  const existing = new Set((await q.partitions.list(ctx)).map(({ month }) => nameOf(month)));
  const wanted = new Map([...ahead, ...strays].map((month) => [nameOf(month), month]));
  return [...wanted].filter(([name]) => !existing.has(name)).map(([, month]) => month);
}

/** Tries several times, each for a moment: everybody else would have to wait behind the one that is waiting for a lock. */
async function briefly<T>(ctx: Context, { patient = false }, work: (tx: Context) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(patient ? patiently(ctx) : ctx, async (tx) => {
        await q.partitions.bound(tx, { timeoutMs: patient ? 0 : LONGEST_MS });
        return await work(tx);
      });
    } catch (error) {
      if (!isHeld(error) || attempt === ATTEMPTS) throw error;
    }
    await Bun.sleep(PAUSE_MS);
  }
}

function tellWhy(ctx: Context, month: string, error: unknown): void {
  const about = { month, ...describeError(error) };
  if (isHeld(error)) return ctx.log.warn("partition not made yet: events are in use", about);
  ctx.log.error(
    "partition not created: moving its events would block everything for a while. Run `bun run admin partitions --move` at a quiet moment",
    about,
  );
}

function nameOf(month: Date): string {
  return month.toISOString().slice(0, 7);
}
