// The work of a move, for some seconds at a time: its place is a row, so that a process that dies leaves the rest to the next one.
import { type Actor, recordAudit } from "../accounts/audit.ts";
import { failureReason, SLICE_MS } from "../audience/contacts/jobs.ts";
import { type Context, inTransaction, perService } from "../context.ts";
import { q } from "../db/queries.ts";
import type { Queries } from "../db/queries.gen.ts";
import { guardOf } from "../guard.ts";
import { Problem } from "../problem/mod.ts";
import { csvExportSource } from "./csv_export.ts";
import type { ContactState } from "./export_presets.ts";
import { assertOpen, receivedDeed } from "./incoming.ts";
import {
  type Incoming,
  type IncomingCounts,
  type IncomingSource,
  noCounts,
  SourceFault,
  sumOf,
  TryLater,
} from "./incoming_types.ts";
import type { Reading } from "./json_api.ts";
import { listmonkSource } from "./listmonk.ts";
import { filesOfMove } from "./move_files.ts";
import { endMove, enqueueMove, isExporter, type MoveSource, openAccess } from "./moves.ts";
import { plunkSource } from "./plunk.ts";
import { type Journal, MAX_PAGES, NotOurs, type Place, takeAll, toLine } from "./walk.ts";

type Row = NonNullable<Awaited<ReturnType<Queries["moves"]["work"]>>>;

/** One run of a move. */
interface Run {
  projectId: string;
  moveId: string;
  row: Row;
}

/** How often in a row the other service may fail: with the pauses in between, that is for half an hour. */
const MAX_FAILURES = 11;
const MAX_PAUSE_S = 3_600;
/** What is left out is kept up to here; the rest is counted. */
const MAX_LEFT_OUT = 10_000;
/** Of a process: other work of its lane goes on while a server is slow. */
const MAX_AT_ONCE = 2;
const TURN_MS = 2_000;

interface Turns {
  atWork: number;
  /** When one was last turned away, as a reading of performance.now(). */
  turnedAwayAt: number;
}

const turnsOf = perService((): Turns => ({ atWork: 0, turnedAwayAt: -Infinity }));

/** Goes on with a move for some seconds, and leaves the rest to a new job. A second run continues where the first one ended. */
export async function runMove(
  ctx: Context,
  projectId: string,
  moveId: string,
  { sliceMs = SLICE_MS, reading = {} }: { sliceMs?: number; reading?: Partial<Reading> } = {},
): Promise<void> {
  const turns = turnsOf(ctx);
  if (turns.atWork >= MAX_AT_ONCE) {
    turns.turnedAwayAt = performance.now();
    return await enqueueMove(ctx, projectId, moveId, later(ctx, TURN_MS));
  }
  turns.atWork += 1;
  try {
    const row = await q.moves.work(ctx, { projectId, moveId });
    if (row) await workAWhile(ctx, { projectId, moveId, row }, sliceMs, reading);
  } finally {
    turns.atWork -= 1;
  }
}

async function workAWhile(ctx: Context, run: Run, sliceMs: number, reading: Partial<Reading>): Promise<void> {
  try {
    const source = await openSource(ctx, run, reading);
    if (source && (await workOn(ctx, run, source, performance.now() + sliceMs))) await finish(ctx, run);
  } catch (error) {
    await giveUp(ctx, run, error);
  }
}

function later(ctx: Context, ms: number): Date {
  return new Date(ctx.now().getTime() + ms);
}

/** The other service. Null where its files cannot be read as they are: then others, or a word about them, are waited for. */
async function openSource(
  ctx: Context,
  { projectId, moveId, row }: Run,
  reading: Partial<Reading>,
): Promise<IncomingSource | null> {
  const source = row.source as MoveSource;
  if (!isExporter(source)) {
    const access = openAccess(ctx, projectId, moveId, row.access);
    if (access === null) throw new SourceFault("Cannot read the key: the installation has a new SECRET_KEY");
    const how = { guard: guardOf(ctx), ...reading };
    if ("key" in access) return plunkSource({ url: row.url!, name: source, ...access }, how);
    return listmonkSource({ url: row.url!, from: row.sender, ...access }, how);
  }
  try {
    const files = await filesOfMove(ctx, projectId, moveId);
    return await csvExportSource(source, files, row.asState as ContactState | null);
  } catch (error) {
    const isFault = error instanceof SourceFault || error instanceof Problem;
    if (!isFault || row.state !== "CHECKING") throw error;
    await q.moves.askForFiles(ctx, { projectId, moveId, reason: error.message, now: ctx.now() });
    return null;
  }
}

/** Whether everything has been read. */
async function workOn(ctx: Context, run: Run, source: IncomingSource, until: number): Promise<boolean> {
  const { projectId, moveId, row } = run;
  await assertOpen(ctx, projectId);
  const place: Place = { step: row.step as Place["step"], page: row.page, done: row.itemsDone };
  for await (const _ of takeAll(ctx, source, await journalOf(ctx, run), place)) {
    if (performance.now() <= until) continue;
    // Those who were turned away come first.
    const isAwaited = performance.now() - turnsOf(ctx).turnedAwayAt < 2 * TURN_MS;
    await enqueueMove(ctx, projectId, moveId, isAwaited ? later(ctx, 2 * TURN_MS) : null);
    return false;
  }
  return true;
}

async function journalOf(ctx: Context, { projectId, moveId, row }: Run): Promise<Journal> {
  const known = await q.moves.ids(ctx, { projectId, moveId });
  const ids = new Map(known.map(({ theirs, ours }) => [theirs, ours]));
  const lists = known.filter(({ isList }) => isList).map(({ theirs }) => theirs);
  const dryRun = row.state === "CHECKING";
  return {
    lists: () => lists.toSorted(),
    async commit(from, to, work) {
      const { newIds } = await inTransaction(ctx, async (tx) => {
        const { step, page, done: itemsDone } = from;
        const held = await q.moves.hold(tx, { projectId, moveId, state: row.state, step, page, itemsDone });
        if (!held) throw new NotOurs();
        if (held.pages >= MAX_PAGES)
          throw new SourceFault(`Cannot go on: there are more than ${MAX_PAGES} pages`);
        const incoming: Incoming = { projectId, dryRun, ids, counts: noCounts(), leftOut: [], newIds: [] };
        await work(tx, incoming);
        await note(tx, { projectId, moveId }, held, to, incoming);
        return incoming;
      });
      if (dryRun) return;
      for (const { theirs, ours, isList } of newIds) {
        ids.set(theirs, ours);
        if (isList) lists.push(theirs);
      }
    },
  };
}

type Held = NonNullable<Awaited<ReturnType<Queries["moves"]["hold"]>>>;

/** Notes what a chunk came to, and where it goes on. */
async function note(
  tx: Context,
  move: { projectId: string; moveId: string },
  held: Held,
  to: Place,
  { dryRun, counts, leftOut, newIds }: Incoming,
): Promise<void> {
  const before = held.leftOutTotal;
  await q.moves.advance(tx, {
    ...move,
    step: to.step,
    page: to.page,
    itemsDone: to.done,
    pages: held.pages + (to.done === 0 ? 1 : 0),
    counts: { ...sumOf(held.counts as Partial<IncomingCounts>, counts) },
    leftOutTotal: before + leftOut.length,
    now: tx.now(),
  });
  const rows = leftOut
    .slice(0, Math.max(0, MAX_LEFT_OUT - before))
    .map((line, n) => ({ position: before + n + 1, ...toLine(line) }));
  if (rows.length > 0) await q.moves.leaveOut(tx, { ...move, rows });
  if (newIds.length === 0 || dryRun) return;
  await q.moves.noteIds(tx, {
    ...move,
    rows: newIds.map(({ theirs, ours, isList }) => ({ theirs, ours, is_list: isList })),
  });
}

async function finish(ctx: Context, { projectId, moveId, row }: Run): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    if (row.state === "CHECKING")
      return void (await q.moves.checked(tx, { projectId, moveId, now: tx.now() }));
    const [move] = await q.moves.list(tx, { projectId, moveId, beforeId: null, limit: 1 });
    if (!move || !(await endMove(tx, projectId, moveId, "DONE", null))) return;
    const report = {
      ...sumOf(move.counts as Partial<IncomingCounts>, noCounts()),
      leftOutTotal: move.leftOutTotal,
    };
    const actor = row.startedBy as unknown as Actor;
    await recordAudit(tx, { ...receivedDeed(projectId, row.source, report), actor });
  });
}

/** What follows from a failure: another try later, or the end of the move. */
async function giveUp(ctx: Context, { projectId, moveId }: Run, error: unknown): Promise<void> {
  if (error instanceof NotOurs) return;
  if (error instanceof TryLater) {
    const stumbled = await q.moves.stumble(ctx, { projectId, moveId, now: ctx.now() });
    if (!stumbled) return;
    const pauseS = Math.min(Math.max(error.waitS ?? 0, 2 ** (stumbled.failures - 1)), MAX_PAUSE_S);
    if (stumbled.failures < MAX_FAILURES) {
      return await enqueueMove(ctx, projectId, moveId, later(ctx, pauseS * 1_000));
    }
  }
  const reason = error instanceof SourceFault ? error.message : failureReason(error);
  if (reason !== null) await endMove(ctx, projectId, moveId, "FAILED", reason.slice(0, 2_000));
  if (!(error instanceof SourceFault || error instanceof Problem)) throw error;
}
