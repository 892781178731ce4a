// Imports of contacts from CSV files: taken in piece by piece, reported on, cancelled and undone. The work itself is in _import_run.ts.
import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { addJobs } from "../../jobs.ts";
import { problems } from "../../problem/mod.ts";
import type { ColumnMapping, RowError } from "./_csv.ts";
import type { ImportExample } from "./_import_examples.ts";
import { type ContactJobState, progressOf } from "./jobs.ts";

export { runImport } from "./_import_run.ts";
export type { ColumnMapping } from "./_csv.ts";

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
    /** Of a dry run. */
    examples?: ImportExample[];
  };
  failedReason?: string;
  createdAt: Date;
  finishedAt: Date | null;
}

/** An import in the list, and by itself. */
export interface NamedImport extends ImportReport {
  fileName: string | null;
  dryRun: boolean;
  createdBy: string | null;
  undo: Undo | null;
}

/** What can be, or was, undone of an import. */
export interface Undo {
  /** Null: it can be undone until `until`. */
  state: ContactJobState | null;
  until: Date;
  deletedCount: number;
  restoredCount: number;
  /** Contacts that somebody has changed since. */
  keptCount: number;
}

/** What an upload comes with. */
export interface UploadOptions {
  dryRun: boolean;
  fileName: string | null;
  mapping: ColumnMapping;
  /** Whether contacts are subscribed that it makes. */
  subscribes: boolean;
  createdBy: string | null;
}

/** Limit of a file in a form, in bytes. */
export const MAX_FILE_BYTES = 5 * 1_048_576;
/** Limit of a file that is streamed, in bytes. */
export const MAX_UPLOAD_BYTES = 200 * 1_048_576;
/** Of one project, on their way or waiting: files are kept in the database. */
const MAX_UNFINISHED = 5;
/** How large the pieces are in which a file is kept. */
export const PIECE_BYTES = 65_536;
const UNDO_DAYS = 7;
/** Why an import failed that somebody has cancelled. */
const CANCELLED = "Cancelled";
const DAY_MS = 86_400_000;

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
      await addPiece(
        tx,
        { projectId, importId, position },
        file.subarray(position * PIECE_BYTES, (position + 1) * PIECE_BYTES),
      );
    }
    await addJobs(tx, "import_contacts", [{ projectId, importId }]);
  });
  return importId;
}

/**
 * Takes a file in as it comes, each piece a commit of its own, and enqueues its import at the end: a slow sender holds
 * nothing. One that breaks off leaves nothing. Throws 429 while five files of the project are not done, and CONFLICT when it
 * is cancelled meanwhile.
 */
export async function uploadImport(
  ctx: Context,
  projectId: string,
  pieces: AsyncIterable<Uint8Array>,
  options: UploadOptions,
): Promise<string> {
  const { files } = await q.contactImports.unfinished(ctx, { projectId });
  if (files >= MAX_UNFINISHED) throw problems.busy("import", "of yours");
  const importId = newId(ctx);
  await q.contactImports.beginUpload(ctx, { projectId, importId, ...options });
  try {
    let position = 0;
    for await (const piece of inPieces(pieces))
      await addPiece(ctx, { projectId, importId, position: position++ }, piece);
    await inTransaction(ctx, async (tx) => {
      if ((await q.contactImports.uploaded(tx, { projectId, importId })) === 0)
        throw problems.uploadCancelled();
      await addJobs(tx, "import_contacts", [{ projectId, importId }]);
    });
  } catch (error) {
    await q.contactImports.drop(ctx, { projectId, importId });
    throw error;
  }
  return importId;
}

async function addPiece(
  ctx: Context,
  place: { projectId: string; importId: string; position: number },
  piece: Uint8Array,
): Promise<void> {
  const deflated = Bun.deflateSync(piece as Uint8Array<ArrayBuffer>, { level: 1 });
  if ((await q.contactImports.addPiece(ctx, { ...place, deflated })) === 0) throw problems.uploadCancelled();
}

/** The same bytes, in pieces of one size. Each is only good until the next one. */
export async function* inPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(PIECE_BYTES);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length;) {
      const part = chunk.subarray(from, from + PIECE_BYTES - filled);
      piece.set(part, filled);
      filled += part.length;
      from += part.length;
      if (filled < PIECE_BYTES) continue;
      yield piece;
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}

type Row = NonNullable<Awaited<ReturnType<Queries["contactImports"]["byId"]>>>;

/** How an import of the project stands. Throws not-found. */
export async function getImport(ctx: Context, projectId: string, importId: string): Promise<NamedImport> {
  const row = await q.contactImports.byId(ctx, { projectId, importId });
  if (!row) throw problems.notFound("import", importId);
  return toNamed(row);
}

/** The imports of a project, newest first, and one more than `limit` if there are more; without their errors. */
export async function listImports(
  ctx: Context,
  projectId: string,
  { beforeId, limit }: { beforeId: string | null; limit: number },
): Promise<NamedImport[]> {
  return (await q.contactImports.page(ctx, { projectId, beforeId, limit: limit + 1 })).map(toNamed);
}

/** How many imports of a project are kept. */
export async function countImports(ctx: Context, projectId: string): Promise<number> {
  return (await q.contactImports.count(ctx, { projectId })).total;
}

/**
 * Ends an import that is waiting or under way: what it has written by then stays, and can be undone. Once it is cancelled,
 * nothing happens. Throws not-found, and CONFLICT if it has ended otherwise.
 */
export async function cancelImport(ctx: Context, projectId: string, importId: string): Promise<NamedImport> {
  await q.contactImports.fail(ctx, { projectId, importId, reason: CANCELLED });
  const report = await getImport(ctx, projectId, importId);
  if (report.failedReason !== CANCELLED) throw problems.importNotCancelled();
  return report;
}

/** Has an import undone, which a job does. Throws not-found, and CONFLICT if it cannot be undone. */
export async function undoImport(ctx: Context, projectId: string, importId: string): Promise<NamedImport> {
  await inTransaction(ctx, async (tx) => {
    const since = new Date(tx.now().getTime() - UNDO_DAYS * DAY_MS);
    if (await q.contactImports.requestUndo(tx, { projectId, importId, since })) {
      await addJobs(tx, "undo_import", [{ projectId, importId }]);
      return;
    }
    await getImport(tx, projectId, importId);
    throw problems.importNotUndone(UNDO_DAYS);
  });
  return await getImport(ctx, projectId, importId);
}

const CHANGES_AT_ONCE = 5_000;

/** Forgets what imports did that cannot be undone any more, and uploads that were never finished. */
export async function purgeImports(ctx: Context): Promise<void> {
  const now = ctx.now().getTime();
  await q.contactImports.dropAbandoned(ctx, { before: new Date(now - DAY_MS) });
  const before = new Date(now - UNDO_DAYS * DAY_MS);
  while ((await q.contactImports.dropChanges(ctx, { before, limit: CHANGES_AT_ONCE })) === CHANGES_AT_ONCE);
}

function toNamed(row: Row): NamedImport {
  const { id, state, dryRun, fileName, createdBy, rowCount, rowsDone, createdAt, finishedAt } = row;
  const { createdCount, updatedCount, failureCount, undoState } = row;
  const hasResult = state === "completed" || (state === "failed" && rowsDone > 0);
  const isUndoable = !dryRun && finishedAt !== null;
  return {
    id,
    fileName,
    dryRun,
    createdBy,
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
        ...(dryRun && { examples: row.examples as unknown as ImportExample[] }),
      },
    }),
    ...(row.failedReason !== null && { failedReason: row.failedReason }),
    createdAt,
    finishedAt,
    undo: isUndoable
      ? {
          state: undoState,
          until: new Date(finishedAt.getTime() + UNDO_DAYS * DAY_MS),
          deletedCount: row.undoDeleted,
          restoredCount: row.undoRestored,
          keptCount: row.undoKept,
        }
      : null,
  };
}
