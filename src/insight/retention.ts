// What is older than it has to be kept goes: events by whole partitions, everything else row by row, in batches.
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { requestsUnderway } from "../traffic.ts";
import { dropPartition, listPartitions, monthStart } from "./partitions.ts";
import { FIRST_ID } from "./ids.ts";
import { KEPT_DELIVERIES_DAYS } from "../automation/endpoints/types.ts";
import { KEPT_FIGURES_DAYS } from "./deliverability/figures.ts";
import { KEPT_DAYS } from "./requests/mod.ts";

/** How long a job works before it lets others have their turn and continues as a new job. */
const SLICE_MS = 10_000;
const BATCH = 1_000;
/** A message may have attachments of many megabytes. */
const BATCH_OF_CONTENTS = 500;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Before when something goes; null if it is kept for ever. */
export interface Horizons {
  /** Events and mails: the beginning of a month, so that both go together. */
  events: Date | null;
  bodies: Date | null;
  logs: Date | null;
}

/** Its time limit, and a clock besides that of this process. */
export interface RetentionPace {
  sliceMs?: number;
  databaseNow?: (ctx: Context) => Promise<Date>;
}

/** Looks at the next rows, after an id, and deletes what is not needed of them. */
type Batch = (tx: Context, after: string) => Promise<{ looked: number; lastId?: string | null }>;

/**
 * Deletes what is older than the settings allow, for some seconds, and returns whether all of it is gone. A second run
 * continues where the first one ended; counts stay. Deletion is final, so rows must be old by the clock of the database
 * too: a single clock that is ahead deletes nothing.
 */
export async function dropExpired(
  service: Context,
  { sliceMs = SLICE_MS, databaseNow = askDatabase }: RetentionPace = {},
): Promise<boolean> {
  const ctx = await withEarlierClock(service, databaseNow);
  const { events, bodies, logs } = horizonsOf(ctx);
  const until = performance.now() + sliceMs;
  return (
    (await dropRequests(ctx, until)) &&
    (await dropDeliveries(ctx, until)) &&
    (await dropFigures(ctx, until)) &&
    (!events || ((await dropEvents(ctx, events, until)) && (await dropMails(ctx, events, until)))) &&
    (!bodies ||
      ((await emptyBodies(ctx, bodies, until)) &&
        (await closeCaptured(ctx, bodies, until)) &&
        (await dropInbox(ctx, bodies, until)))) &&
    (!events || (await dropContents(ctx, { events, bodies: bodies ?? events }, until))) &&
    (!logs || (await dropLogs(ctx, logs, until)))
  );
}

/** What is old now. Bodies of deleted mails are not needed. */
export function horizonsOf({ config, now }: Pick<Context, "config" | "now">): Horizons {
  const ago = (days: number) => (days === 0 ? null : new Date(now().getTime() - days * DAY_MS));
  const oldest = ago(config.RETENTION_EVENTS_DAYS);
  const events = oldest && monthStart(oldest);
  const bodies = ago(config.RETENTION_BODIES_DAYS);
  return {
    events,
    bodies: bodies && events && events > bodies ? events : (bodies ?? events),
    logs: ago(config.RETENTION_LOGS_DAYS),
  };
}

async function withEarlierClock(ctx: Context, databaseNow: typeof askDatabase): Promise<Context> {
  const aheadMs = Math.max(0, ctx.now().getTime() - (await databaseNow(ctx)).getTime());
  if (aheadMs > HOUR_MS) ctx.log.warn("this clock is ahead of the database's", { seconds: aheadMs / 1_000 });
  return { ...ctx, now: () => new Date(ctx.now().getTime() - aheadMs) };
}

async function askDatabase(ctx: Context): Promise<Date> {
  return (await q.expired.now(ctx)).now;
}

/** Whole months, and rows older than any of them. It waits as long as a job has yet to read an event of that time. */
async function dropEvents(ctx: Context, horizon: Date, until: number): Promise<boolean> {
  const { since } = await q.retention.awaitedSince(ctx);
  // The id of an event is made up to a day before the time when it is noted.
  const needed = since && monthStart(new Date(since.getTime() - DAY_MS));
  const before = needed && needed < horizon ? needed : horizon;
  await q.expired.note(ctx, { kind: "events", until: before });
  for (const { name, month } of await listPartitions(ctx)) {
    // What cannot be dropped now is tried again an hour later, not at once.
    if (monthStart(month, 1) <= before && !(await dropPartition(ctx, name))) break;
  }
  return await sweep(ctx, until, BATCH, async (tx) => ({
    looked: await q.retention.dropEvents(tx, { before, limit: BATCH }),
  }));
}

async function dropMails(ctx: Context, before: Date, until: number): Promise<boolean> {
  await q.expired.note(ctx, { kind: "emails", until: before });
  const projects = await q.retention.projectsWithEmails(ctx, { before });
  return await inEach(projects, (projectId) =>
    sweep(ctx, until, BATCH, (tx, after) =>
      q.retention.dropEmails(tx, { projectId, before, after, limit: BATCH }),
    ),
  );
}

async function emptyBodies(ctx: Context, before: Date, until: number): Promise<boolean> {
  const now = ctx.now();
  const changedBefore = new Date(now.getTime() - HOUR_MS);
  const limit = BATCH_OF_CONTENTS;
  return await sweep(ctx, until, limit, (tx, after) =>
    q.retention.emptyContents(tx, { before, changedBefore, after, now, limit }),
  );
}

/** Mails that nobody has received, and that can no longer be sent. */
async function closeCaptured(ctx: Context, before: Date, until: number): Promise<boolean> {
  const projects = await q.retention.projectsWithCaptured(ctx);
  return await inEach(projects, (projectId) =>
    sweep(ctx, until, BATCH, (tx, after) =>
      q.retention.closeCaptured(tx, { projectId, before, after, limit: BATCH }),
    ),
  );
}

/** The copies that the inbox shows hold bodies too. */
async function dropInbox(ctx: Context, before: Date, until: number): Promise<boolean> {
  return await sweep(ctx, until, BATCH_OF_CONTENTS, async (tx) => ({
    looked: await q.capturedMails.dropOld(tx, { before, limit: BATCH_OF_CONTENTS }),
  }));
}

/** A message is emptied when its body is old at the earliest, so anything younger by that much need not be read. */
async function dropContents(
  ctx: Context,
  { events, bodies }: { events: Date; bodies: Date },
  until: number,
): Promise<boolean> {
  const keptMs = ctx.now().getTime() - bodies.getTime();
  const madeBefore = new Date(events.getTime() - keptMs);
  const projects = await q.retention.projectsWithContents(ctx, { before: madeBefore });
  return await inEach(projects, (projectId) =>
    sweep(ctx, until, BATCH, (tx, after) =>
      q.retention.dropContents(tx, { projectId, madeBefore, emptiedBefore: events, after, limit: BATCH }),
    ),
  );
}

async function dropRequests(ctx: Context, until: number): Promise<boolean> {
  const before = new Date(ctx.now().getTime() - KEPT_DAYS * DAY_MS);
  return await sweep(ctx, until, BATCH, (tx, after) =>
    q.retention.dropRequests(tx, { before, after, limit: BATCH }),
  );
}

/** Deliveries to endpoints, with what was sent; those that still wait, too. */
async function dropDeliveries(ctx: Context, until: number): Promise<boolean> {
  const before = new Date(ctx.now().getTime() - KEPT_DELIVERIES_DAYS * DAY_MS);
  const batch = { before, limit: BATCH };
  return (
    (await sweep(ctx, until, BATCH, (tx, after) =>
      q.retention.dropWebhookDeliveries(tx, { ...batch, after }),
    )) &&
    (await sweep(ctx, until, BATCH, (tx, after) => q.retention.dropWebhookMessages(tx, { ...batch, after })))
  );
}

/** Of how mails were taken, and of alerts that are closed. */
async function dropFigures(ctx: Context, until: number): Promise<boolean> {
  const before = new Date(ctx.now().getTime() - KEPT_FIGURES_DAYS * DAY_MS);
  const batch = { before, limit: BATCH };
  return (
    (await sweep(ctx, until, BATCH, async (tx) => ({ looked: await q.deliverability.dropOld(tx, batch) }))) &&
    (await sweep(ctx, until, BATCH, async (tx) => ({ looked: await q.deliverability.dropAlerts(tx, batch) })))
  );
}

async function dropLogs(ctx: Context, before: Date, until: number): Promise<boolean> {
  const batch = { before, limit: BATCH };
  const projects = await q.retention.projectsWithHistory(ctx, { before });
  const areGone = await inEach(projects, (projectId) =>
    sweep(ctx, until, BATCH, (tx, after) => q.retention.dropHistory(tx, { projectId, after, ...batch })),
  );
  return (
    areGone &&
    (await sweep(ctx, until, BATCH, async (tx) => ({ looked: await q.retention.dropImports(tx, batch) }))) &&
    (await sweep(ctx, until, BATCH, async (tx) => ({ looked: await q.retention.dropMoves(tx, batch) }))) &&
    (await sweep(ctx, until, BATCH, async (tx) => ({ looked: await q.retention.dropBulkJobs(tx, batch) }))) &&
    (await sweep(ctx, until, BATCH, async (tx) => ({ looked: (await q.retention.dropJobs(tx, batch)).gone })))
  );
}

async function inEach(
  projects: { id: string }[],
  work: (projectId: string) => Promise<boolean>,
): Promise<boolean> {
  for (const { id } of projects) if (!(await work(id))) return false;
  return true;
}

/** Does it batch by batch, until one is not full any more. False when time is over before. */
async function sweep(ctx: Context, until: number, limit: number, batch: Batch): Promise<boolean> {
  for (let place = FIRST_ID; ;) {
    if (performance.now() > until) return false;
    const startedAt = performance.now();
    const { looked, lastId } = await inTransaction(ctx, async (tx) => {
      await q.removals.readByIndex(tx);
      return await batch(tx, place);
    });
    if (looked < limit) return true;
    place = lastId ?? place;
    // While somebody waits for an answer, half of the time is theirs.
    if (requestsUnderway(ctx) > 0) await Bun.sleep(performance.now() - startedAt);
  }
}
