// The work of an import: the file row by row, a chunk and the place where it ends in one transaction.
import { isRefusal } from "../../database_errors.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJobs } from "../../jobs.ts";
import { Problem } from "../../problem/mod.ts";
import { type CsvPlace, type CsvRow, readRows, type Separator } from "../../csv.ts";
import {
  type ColumnMapping,
  type ContactRow,
  type CsvColumns,
  readContact,
  readHeader,
  type RefusedRow,
} from "./_csv.ts";
import { givenColumns } from "../standard_fields.ts";
import { examplesOf } from "./_import_examples.ts";
import { failureReason, MAX_JOB_ERRORS, refusalReason, SLICE_MS } from "./jobs.ts";
import { type ContactWrite, upsertContacts, type WrittenContact } from "./mod.ts";

// Rows of one transaction: more gain little time, lock contacts for longer, and their objects outlive the small collections of
// the heap.
const CHUNK_ROWS = 500;
const PIECE_BYTES = 65_536;
// Parsed in one go: a hundred rows or so wait beside those of a transaction.
const PARSED_BYTES = 4_096;

/** What one run of an import knows. */
interface ImportRun {
  projectId: string;
  importId: string;
  dryRun: boolean;
  mapping: ColumnMapping | null;
  subscribes: boolean;
  /** Addresses that a dry run would have created by now, as hashes: 2,000,000 of them have to fit. */
  seen: Set<number>;
  failures: number;
}

/**
 * Imports the file, a chunk and the place where it ends in one transaction: a second run continues where the first one
 * ended. The whole file is read once before anything is changed, so one that cannot be read changes nothing.
 */
export async function runImport(
  ctx: Context,
  projectId: string,
  importId: string,
  { sliceMs = SLICE_MS } = {},
): Promise<void> {
  const begun = await q.contactImports.begin(ctx, { projectId, importId });
  if (!begun) return;
  const { dryRun, failureCount: failures, subscribes } = begun;
  const mapping = begun.mapping as ColumnMapping | null;
  const run: ImportRun = { projectId, importId, dryRun, mapping, subscribes, seen: new Set(), failures };
  try {
    if (begun.rowCount === null) {
      await q.contactImports.counted(ctx, { projectId, importId, rowCount: await countRows(ctx, run) });
    }
    const at = { bytes: Number(begun.bytesDone), lines: begun.linesDone };
    await importRows(ctx, run, { rowsDone: begun.rowsDone, at }, performance.now() + sliceMs);
  } catch (error) {
    const reason = failureReason(error);
    if (reason !== null) await q.contactImports.fail(ctx, { projectId, importId, reason });
    if (!(error instanceof Problem)) throw error;
  }
}

async function countRows(ctx: Context, run: ImportRun): Promise<number> {
  let columns: CsvColumns | undefined;
  let count = 0;
  const take = (row: CsvRow, separator: Separator): void => {
    if (columns) count++;
    else columns = readHeader(row, separator, run.mapping);
  };
  for await (const _ of readRows(filePieces(ctx, run, 0), take));
  columns ??= readHeader(undefined);
  return count;
}

/** How far an import has come. */
interface Reached {
  rowsDone: number;
  at: CsvPlace;
}

async function importRows(ctx: Context, run: ImportRun, reached: Reached, until: number): Promise<void> {
  const { projectId, importId } = run;
  const { rowsDone } = reached;
  let position = rowsDone;
  let writing = Promise.resolve(true);
  for await (const rows of readChunks(ctx, run, reached)) {
    // While one chunk is written, the next one has been read.
    if (!(await writing)) return;
    const isOver = position > rowsDone && performance.now() > until;
    if (isOver) return await addJobs(ctx, "import_contacts", [{ projectId, importId }]);
    writing = writeRows(ctx, run, position, rows);
    writing.catch(() => {});
    position += rows.length;
  }
  if (await writing) await q.contactImports.complete(ctx, { projectId, importId, rowsDone: position });
}

/** The rows that are not done, in chunks. A dry run reads those before them again, because it has written down none. */
async function* readChunks(
  ctx: Context,
  run: ImportRun,
  { rowsDone, at }: Reached,
): AsyncGenerator<(ContactRow | RefusedRow)[]> {
  const goesOn = rowsDone > 0 && !run.dryRun;
  const header = goesOn ? await readFirst(ctx, run) : undefined;
  let columns = header && readHeader(header.row, header.separator, run.mapping);
  let position = 0;
  let chunk: (ContactRow | RefusedRow)[] = [];
  const take = (row: CsvRow, separator: Separator): void => {
    if (!columns) columns = readHeader(row, separator, run.mapping);
    else if (goesOn || position++ >= rowsDone) chunk.push(readContact(columns, row));
    else {
      const done = readContact(columns, row);
      if (!isRefused(done)) run.seen.add(hashOf(done.email));
    }
  };
  const rows = header
    ? readRows(filePieces(ctx, run, at.bytes), take, { at, separator: header.separator })
    : readRows(filePieces(ctx, run, 0), take);
  for await (const _ of rows) {
    while (chunk.length >= CHUNK_ROWS) yield chunk.splice(0, CHUNK_ROWS);
  }
  if (chunk.length > 0) yield chunk;
}

/** The first row of the file. */
async function readFirst(ctx: Context, run: ImportRun): Promise<{ row: CsvRow; separator: Separator }> {
  let first: { row: CsvRow; separator: Separator } | undefined;
  const rows = readRows(filePieces(ctx, run, 0), (row, separator) => void (first ??= { row, separator }));
  for await (const _ of rows) if (first) break;
  return first!;
}

/** The file from a byte on. */
async function* filePieces(
  ctx: Context,
  { projectId, importId }: ImportRun,
  start: number,
): AsyncGenerator<Uint8Array> {
  let skipped = start % PIECE_BYTES;
  for (let position = Math.floor(start / PIECE_BYTES); ; position++) {
    const piece = await q.contactImports.piece(ctx, { projectId, importId, position });
    if (!piece) return;
    const bytes = Bun.inflateSync(piece.deflated as Uint8Array<ArrayBuffer>);
    for (let from = skipped; from < bytes.length; from += PARSED_BYTES)
      yield bytes.subarray(from, from + PARSED_BYTES);
    skipped = 0;
  }
}

/**
 * Writes the rows that follow on `rowsDone`, and what happened to them, in one transaction. If the database refuses
 * one of them, it is found by halving. False when another process has taken the import further.
 */
async function writeRows(
  ctx: Context,
  run: ImportRun,
  rowsDone: number,
  rows: (ContactRow | RefusedRow)[],
): Promise<boolean> {
  try {
    return await writeTogether(ctx, run, rowsDone, rows);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (rows.length === 1) {
      const { row, end, email } = rows[0]!;
      return await writeTogether(ctx, run, rowsDone, [{ row, end, email, error: refusalReason(error) }]);
    }
    const middle = rows.length >> 1;
    const goesOn = await writeRows(ctx, run, rowsDone, rows.slice(0, middle));
    return goesOn && (await writeRows(ctx, run, rowsDone + middle, rows.slice(middle)));
  }
}

async function writeTogether(
  ctx: Context,
  run: ImportRun,
  rowsDone: number,
  rows: (ContactRow | RefusedRow)[],
): Promise<boolean> {
  const { projectId, importId, dryRun } = run;
  const errors = rows.filter(isRefused);
  const good = rows.filter((row): row is ContactRow => !isRefused(row));
  const writes = mergeRows(run, good);
  const examples = dryRun && rowsDone === 0 ? await examplesOf(ctx, run, good) : null;
  const tried = dryRun ? await tryOut(ctx, (tx) => createdBy(tx, writes)) : null;
  const place = { projectId, importId };
  const goesOn = await rolledBackAt(TAKEN_FURTHER, ctx, async (tx) => {
    // Statements that need nothing of each other are sent together. Where the import is elsewhere, all of it is rolled back.
    const [held] = await Promise.all([
      q.contactImports.hold(tx, { ...place, rowsDone }),
      tried ?? noteExisting(tx, run, writes),
    ]);
    if (!held) throw TAKEN_FURTHER;
    const made = tried ?? (await createdBy(tx, writes));
    const created = made.filter(({ email }) => !run.seen.has(hashOf(email))).length;
    if (examples) await q.contactImports.showExamples(tx, { ...place, examples });
    const { row: linesDone, end: bytesDone } = rows.at(-1)!;
    await Promise.all([
      tried ?? noteNew(tx, run, made),
      q.contactImports.advance(tx, {
        ...place,
        rowsDone,
        rows: rows.length,
        bytesDone: String(bytesDone),
        linesDone,
        created,
        updated: good.length - created,
        failed: errors.length,
        errors: errors
          .slice(0, Math.max(0, MAX_JOB_ERRORS - run.failures))
          .map(({ row, email, error }) => ({ row, email, error })),
      }),
    ]);
    return true;
  });
  run.failures += errors.length;
  for (const { email } of tried ?? []) run.seen.add(hashOf(email));
  return goesOn ?? false;
}

function isRefused(row: ContactRow | RefusedRow): row is RefusedRow {
  return "error" in row;
}

/** 53 bits: two addresses of 2,000,000 look the same once in 5,000 files, and a dry run is off by one. */
function hashOf(email: string): number {
  return Number(BigInt.asUintN(53, Bun.hash(email) as bigint));
}

/** Notes what contacts have that are about to be written, so that it can be undone. */
async function noteExisting(
  tx: Context,
  { projectId, importId }: ImportRun,
  writes: ContactWrite[],
): Promise<void> {
  if (writes.length === 0) return;
  const rows = writes.map(({ email, given, change }) => ({
    email,
    given: givenColumns(given),
    sets: change.sets,
  }));
  await q.contactImports.noteExisting(tx, { projectId, importId, rows });
}

/** Notes the contacts that the import has made. With the import, `contact_imports_drop_changes` deletes these notes. */
async function noteNew(
  tx: Context,
  { projectId, importId }: ImportRun,
  made: WrittenContact[],
): Promise<void> {
  if (made.length === 0) return;
  await q.contactImports.noteNew(tx, { projectId, importId, contactIds: made.map(({ id }) => id) });
}

/** Writes contacts, and returns the new ones. */
async function createdBy(tx: Context, writes: ContactWrite[]): Promise<WrittenContact[]> {
  if (writes.length === 0) return [];
  const saved = await upsertContacts(tx, writes);
  return [...saved.values()].filter((contact) => contact.isNew);
}

/** One write for each address. If several rows have it, the later ones go over the earlier ones. */
function mergeRows({ projectId, subscribes }: ImportRun, rows: ContactRow[]): ContactWrite[] {
  const writes = new Map<string, ContactWrite>();
  for (const { email, given, change } of rows) {
    const earlier = writes.get(email);
    if (earlier) {
      // Copied key by key by spreading: a key named `__proto__` stays one.
      earlier.change = { ...earlier.change, sets: { ...earlier.change.sets, ...change.sets } };
      earlier.given = { ...earlier.given, ...given };
    } else writes.set(email, { projectId, email, given, subscribedDefault: subscribes, change });
  }
  return [...writes.values()];
}

/** Another process has taken the import further, or it was cancelled. */
const TAKEN_FURTHER = new Error("Taken further");
const TAKEN_BACK = new Error("Taken back");

/** Does `work` in a transaction, rolls it back, and returns its result. */
async function tryOut<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> {
  let answer: T;
  await rolledBackAt(TAKEN_BACK, ctx, async (tx) => {
    answer = await work(tx);
    throw TAKEN_BACK;
  });
  return answer!;
}

/** Does `work` in a transaction. Null where it threw `reason`, and everything was rolled back. */
async function rolledBackAt<T>(
  reason: Error,
  ctx: Context,
  work: (tx: Context) => Promise<T>,
): Promise<T | null> {
  try {
    return await inTransaction(ctx, work);
  } catch (error) {
    if (error === reason) return null;
    throw error;
  }
}
