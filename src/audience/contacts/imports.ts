import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJobs } from "../../jobs.ts";
import { Problem, problems } from "../../problem.ts";
import { isRefusal } from "../../database_errors.ts";
import {
  type ContactRow,
  type CsvColumns,
  type CsvRow,
  readContact,
  readHeader,
  readRows,
  type RowError,
  type Separator,
} from "./_csv.ts";
import {
  type ContactJobState,
  failureReason,
  MAX_JOB_ERRORS,
  progressOf,
  refusalReason,
  SLICE_MS,
} from "./jobs.ts";
import { type ContactWrite, upsertContacts } from "./mod.ts";

/** How an import stands (guides/contacts.md). */
export interface ImportReport {
  id: string;
  state: ContactJobState;
  progress: number;
  result?: {
    totalRows: number;
    successCount: number;
    createdCount: number;
    updatedCount: number;
    failureCount: number;
    errors: RowError[];
  };
  failedReason?: string;
  createdAt: Date;
  finishedAt: Date | null;
}

/** Limit of a file, in bytes. */
export const MAX_FILE_BYTES = 5 * 1_048_576;

// Rows of one transaction: more gain little time and cost much memory, and lock contacts for longer.
const CHUNK_ROWS = 500;
const PIECE_BYTES = 65_536;
// Parsed in one go, for a few milliseconds.
const PARSED_BYTES = 16_384;

/** Takes a file in and enqueues its import. A `dryRun` reports what would happen and changes nothing. */
export async function createImport(
  ctx: Context,
  projectId: string,
  { file, dryRun }: { file: Uint8Array; dryRun: boolean },
): Promise<string> {
  const importId = newId(ctx);
  await inTransaction(ctx, async (tx) => {
    await q.contactImports.insert(tx, { projectId, importId, dryRun });
    for (let position = 0; position * PIECE_BYTES < file.length; position++) {
      const piece = file.subarray(position * PIECE_BYTES, (position + 1) * PIECE_BYTES);
      const deflated = Bun.deflateSync(piece as Uint8Array<ArrayBuffer>, { level: 1 });
      await q.contactImports.addPiece(tx, { projectId, importId, position, deflated });
    }
    await addJobs(tx, "import_contacts", [{ projectId, importId }]);
  });
  return importId;
}

/** How an import of the project stands. Throws not-found. */
export async function getImport(ctx: Context, projectId: string, importId: string): Promise<ImportReport> {
  const row = await q.contactImports.byId(ctx, { projectId, importId });
  if (!row) throw problems.notFound("import", importId);
  const { id, state, rowCount, rowsDone, createdCount, updatedCount, failureCount, createdAt, finishedAt } =
    row;
  const hasResult = state === "completed" || (state === "failed" && rowsDone > 0);
  return {
    id,
    state,
    progress: progressOf(state, rowsDone, rowCount),
    ...(hasResult && {
      result: {
        totalRows: rowCount ?? rowsDone,
        successCount: createdCount + updatedCount,
        createdCount,
        updatedCount,
        failureCount,
        errors: row.errors as unknown as RowError[],
      },
    }),
    ...(row.failedReason !== null && { failedReason: row.failedReason }),
    createdAt,
    finishedAt,
  };
}

/** What one run of an import knows. */
interface ImportRun {
  projectId: string;
  importId: string;
  dryRun: boolean;
  /** Addresses that a dry run would have created by now. */
  seen: Set<string>;
  failures: number;
}

/**
 * Imports the file, a chunk and the place where it ends in one transaction: a second run goes on where the first one
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
  const { dryRun, failureCount: failures } = begun;
  const run: ImportRun = { projectId, importId, dryRun, seen: new Set(), failures };
  try {
    if (begun.rowCount === null) {
      await q.contactImports.counted(ctx, { projectId, importId, rowCount: await countRows(ctx, run) });
    }
    await importRows(ctx, run, begun.rowsDone, performance.now() + sliceMs);
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
    else columns = readHeader(row, separator);
  };
  for await (const _ of readRows(filePieces(ctx, run), take));
  columns ??= readHeader(undefined);
  return count;
}

async function importRows(ctx: Context, run: ImportRun, rowsDone: number, until: number): Promise<void> {
  const { projectId, importId } = run;
  let position = rowsDone;
  let writing = Promise.resolve(true);
  for await (const rows of readChunks(ctx, run, rowsDone)) {
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

/** The rows after `rowsDone`, in chunks. */
async function* readChunks(
  ctx: Context,
  run: ImportRun,
  rowsDone: number,
): AsyncGenerator<(ContactRow | RowError)[]> {
  let columns: CsvColumns | undefined;
  let position = 0;
  let chunk: (ContactRow | RowError)[] = [];
  const take = (row: CsvRow, separator: Separator): void => {
    if (!columns) columns = readHeader(row, separator);
    else if (position++ >= rowsDone) chunk.push(readContact(columns, row));
    else if (run.dryRun) {
      const done = readContact(columns, row);
      if (!isError(done)) run.seen.add(done.email);
    }
  };
  for await (const _ of readRows(filePieces(ctx, run), take)) {
    while (chunk.length >= CHUNK_ROWS) yield chunk.splice(0, CHUNK_ROWS);
  }
  if (chunk.length > 0) yield chunk;
}

async function* filePieces(ctx: Context, { projectId, importId }: ImportRun): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; position++) {
    const piece = await q.contactImports.piece(ctx, { projectId, importId, position });
    if (!piece) return;
    const bytes = Bun.inflateSync(piece.deflated as Uint8Array<ArrayBuffer>);
    for (let from = 0; from < bytes.length; from += PARSED_BYTES)
      yield bytes.subarray(from, from + PARSED_BYTES);
  }
}

/**
 * Writes the rows that follow on `rowsDone`, and what became of them, in one transaction. Where the database refuses
 * one of them, it is found by halving. False when another process has taken the import further.
 */
async function writeRows(
  ctx: Context,
  run: ImportRun,
  rowsDone: number,
  rows: (ContactRow | RowError)[],
): Promise<boolean> {
  try {
    return await writeTogether(ctx, run, rowsDone, rows);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (rows.length === 1) {
      const { row, email } = rows[0]!;
      return await writeTogether(ctx, run, rowsDone, [{ row, email, error: refusalReason(error) }]);
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
  rows: (ContactRow | RowError)[],
): Promise<boolean> {
  const { projectId, importId, dryRun } = run;
  const errors = rows.filter(isError);
  const good = rows.filter((row): row is ContactRow => !isError(row));
  const writes = mergeRows(projectId, good);
  const tried = dryRun ? await tryOut(ctx, (tx) => createdBy(tx, writes)) : null;
  const goesOn = await inTransaction(ctx, async (tx) => {
    if (!(await q.contactImports.hold(tx, { projectId, importId, rowsDone }))) return false;
    const created = (tried ?? (await createdBy(tx, writes))).filter((email) => !run.seen.has(email)).length;
    await q.contactImports.advance(tx, {
      projectId,
      importId,
      rowsDone,
      rows: rows.length,
      created,
      updated: good.length - created,
      failed: errors.length,
      errors: errors.slice(0, Math.max(0, MAX_JOB_ERRORS - run.failures)),
    });
    return true;
  });
  run.failures += errors.length;
  for (const email of tried ?? []) run.seen.add(email);
  return goesOn;
}

function isError(row: ContactRow | RowError): row is RowError {
  return "error" in row;
}

/** Writes contacts, and returns the addresses of the new ones. */
async function createdBy(tx: Context, writes: ContactWrite[]): Promise<string[]> {
  if (writes.length === 0) return [];
  const written = await upsertContacts(tx, writes);
  return [...written.values()].filter((contact) => contact.isNew).map((contact) => contact.email);
}

/** One write for each address. Where several rows have it, the later ones go over the earlier ones. */
function mergeRows(projectId: string, rows: ContactRow[]): ContactWrite[] {
  const writes = new Map<string, ContactWrite>();
  for (const { email, given, change } of rows) {
    const earlier = writes.get(email);
    if (earlier) {
      // Copied key by key by spreading: a key named `__proto__` stays one.
      earlier.change = { ...earlier.change, sets: { ...earlier.change.sets, ...change.sets } };
      earlier.given = { ...earlier.given, ...given };
    } else writes.set(email, { projectId, email, given, subscribedDefault: true, change });
  }
  return [...writes.values()];
}

const TAKEN_BACK = new Error("Taken back");

/** Does `work` in a transaction, rolls it back, and returns its result. */
async function tryOut<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> {
  let answer: T;
  try {
    return await inTransaction(ctx, async (tx) => {
      answer = await work(tx);
      throw TAKEN_BACK;
    });
  } catch (error) {
    if (error !== TAKEN_BACK) throw error;
    return answer!;
  }
}
