// The work of an import: the file row by row, in chunks, of which two are written at a time.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJobs } from "../../jobs.ts";
import { Problem } from "../../problem/mod.ts";
import { type CsvPlace, type CsvRow, readRows, type Separator } from "../../csv.ts";
import {
  type ColumnMapping,
  type ContactRow,
  type CsvColumns,
  isRefusedRow,
  readContact,
  readHeader,
  type RefusedRow,
} from "./_csv.ts";
import { hashOf, type ImportRun, NOTHING_BEFORE, writeAfter } from "./_import_write.ts";
import { failureReason, SLICE_MS } from "./jobs.ts";

// Rows of one transaction: more gain little time, lock contacts for longer, and their objects outlive the small collections of
// the heap.
const CHUNK_ROWS = 500;
const PIECE_BYTES = 65_536;
// Parsed in one go: a hundred rows or so wait beside those of a transaction.
const PARSED_BYTES = 4_096;

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
  let [earlier, latest] = [NOTHING_BEFORE, NOTHING_BEFORE];
  try {
    for await (const rows of readChunks(ctx, run, reached)) {
      // While two chunks are written, the next one has been read.
      if (!(await earlier.written)) return;
      const isOver = position > rowsDone && performance.now() > until;
      if (isOver) {
        if (await latest.written) await addJobs(ctx, "import_contacts", [{ projectId, importId }]);
        return;
      }
      [earlier, latest] = [latest, writeAfter(latest, ctx, run, position, rows)];
      position += rows.length;
    }
    if (await latest.written)
      await q.contactImports.complete(ctx, { projectId, importId, rowsDone: position });
  } finally {
    await latest.written.catch(() => {});
  }
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
      if (!isRefusedRow(done)) run.seen.add(hashOf(done.email));
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
