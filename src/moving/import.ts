// Puts an exported project into this installation, with its ids and its history. It stays disabled: when it is complete, and
// the old one is disabled, its operator enables it.
import { OPERATOR, recordAudit } from "../accounts/audit.ts";
import { type Context, inTransaction } from "../context.ts";
import { isDuplicate } from "../database_errors.ts";
import { migrationNames } from "../db/migrate.ts";
import { q } from "../db/queries.ts";
import { type ExportHeader, type ExportLine, linesOf, readExportHeader, readLine } from "./_lines.ts";
import { unwrapWith, type Wrapping } from "./_passphrase.ts";
import { INWARD } from "./_secret_columns.ts";
import { MOVED } from "./tables.ts";

/** How an import is made. */
export interface ImportOptions {
  path: string;
  passphrase: string;
  /** Continues an import of the same file that was interrupted. */
  resume: boolean;
}

/** What was imported. */
export interface Imported {
  id: string;
  name: string;
  /** Always: enable it when the old one is disabled. */
  disabled: true;
  rows: Record<string, number>;
  /** Of a copy, or without its mails: what does not go on here. */
  stopped: { campaignsCancelled: number; campaignsUnscheduled: number; workflows: number; mails: number };
}

/** Rows that are committed together. */
const BATCH_ROWS = 2_000;
const BATCH_BYTES = 1_000_000;

const TABLES = new Map(MOVED.map((table) => [table.name, table]));

/** Where an import is: `done` lines are committed, and the next batch ends at `at`. */
interface Progress {
  header: ExportHeader;
  wrapping: Wrapping;
  done: number;
  rows: Record<string, number>;
}

/**
 * Reads a file of {@linkcode exportProject} into the database, batch by batch. Throws, having changed nothing, where there
 * is such a project already, the passphrase is wrong, or the file comes from a newer version; an import that was
 * interrupted goes on with `resume`.
 */
export async function importProject(ctx: Context, options: ImportOptions): Promise<Imported> {
  const lines = linesOf(options.path);
  const first = (await lines.next()).value;
  if (first === undefined) throw new Error("Cannot import this file: it is empty");
  const header = readExportHeader(first);
  if (header.migration > migrationNames().at(-1)!) {
    throw new Error(
      "Cannot import this file: it was made by a newer version. Upgrade this installation first",
    );
  }
  const wrapping = await unwrapWith(options.passphrase, header.passphrase);
  const done = await placeOf(ctx, header, options.resume);
  const progress: Progress = { header, wrapping, done, rows: {} };
  const stopped = await readRows(ctx, progress, lines);
  const { id, name } = header.project;
  return { id, name, disabled: true, rows: progress.rows, stopped };
}

/** How many lines are committed: 0 where the import has not begun. */
async function placeOf(ctx: Context, { exportId, project }: ExportHeader, resume: boolean): Promise<number> {
  const known = await q.projectMoves.get(ctx, { projectId: project.id });
  if (!known) {
    if (resume) throw new Error("Cannot resume this import: nothing of it is here. Leave --resume out");
    return 0;
  }
  if (known.isDeleted)
    throw new Error("Cannot import this project yet: one with its id is still being deleted");
  if (known.exportId !== exportId) {
    throw new Error(
      `Cannot import this project: there is one with its id, called ${JSON.stringify(known.name)}`,
    );
  }
  if (known.finishedAt !== null) throw new Error("Cannot import this file again: it was imported completely");
  if (!resume)
    throw new Error("Cannot begin this import again: it was interrupted. Continue it with --resume");
  return known.linesDone!;
}

async function readRows(
  ctx: Context,
  progress: Progress,
  lines: AsyncGenerator<string, undefined>,
): Promise<Imported["stopped"]> {
  let batch: { table: string; rows: string[]; bytes: number } = { table: "", rows: [], bytes: 0 };
  let [number, rows] = [1, 0];
  const flush = async (upTo: number) => {
    if (batch.rows.length > 0 && upTo > progress.done) await putRows(ctx, progress, batch, upTo);
    batch = { ...batch, rows: [], bytes: 0 };
  };
  for await (const text of lines) {
    number += 1;
    const line = readLine(text, number);
    if (line.kind === "end") {
      await flush(number - 1);
      if (line.rows !== rows)
        throw new Error(`Cannot complete this import: ${line.rows - rows} rows are missing`);
      return await finish(ctx, progress, number);
    }
    assertKnown(line, number);
    if (line.kind === "table") {
      await flush(number - 1);
      batch = { table: line.table, rows: [], bytes: 0 };
      if (number > progress.done) await beginTable(ctx, progress, line.table, number);
      continue;
    }
    rows += 1;
    if (number <= progress.done) continue;
    if (line.table !== batch.table)
      throw new Error(`Cannot import this file: line ${number} is out of place`);
    batch.rows.push(line.row);
    batch.bytes += line.row.length;
    if (batch.rows.length >= BATCH_ROWS || batch.bytes >= BATCH_BYTES) await flush(number);
  }
  throw new Error(
    "Cannot complete this import: the file was cut off. What is here stays; --resume continues it",
  );
}

function assertKnown(line: Exclude<ExportLine, { kind: "end" }>, number: number): void {
  if (TABLES.has(line.table)) return;
  throw new Error(`Cannot import this file: line ${number} is of ${line.table}, which does not move`);
}

/** What triggers have written into a table is deleted before its rows come. */
async function beginTable(ctx: Context, progress: Progress, table: string, number: number): Promise<void> {
  const clears = TABLES.get(table)!.clears;
  if (!clears) return;
  await committed(ctx, progress, { table, linesDone: number }, async (tx) => {
    const { id: projectId } = progress.header.project;
    for (const name of clears) await q.projectMoves.clear(tx, { projectId, target: identifier(tx, name) });
  });
}

/** The name of a table of ours, as a part of a statement. */
function identifier(tx: Context, name: string) {
  return tx.sql(name) as unknown as Parameters<typeof q.projectMoves.clear>[1]["target"];
}

async function putRows(
  ctx: Context,
  progress: Progress,
  { table, rows }: { table: string; rows: string[] },
  number: number,
): Promise<void> {
  const inward = INWARD[table];
  const ready = inward
    ? rows.map((row) => JSON.stringify(inward(ctx, JSON.parse(row), progress.wrapping)))
    : rows;
  const put = async (tx: Context) =>
    void (await q.projectMoves.putRows(tx, { target: table, rows: `[${ready.join(",")}]` }));
  if (table === "projects") await beginProject(ctx, progress, number, put);
  else await committed(ctx, progress, { table, linesDone: number }, put);
  progress.rows[table] = (progress.rows[table] ?? 0) + rows.length;
}

async function beginProject(
  ctx: Context,
  progress: Progress,
  number: number,
  put: (tx: Context) => Promise<void>,
): Promise<void> {
  const { exportId, project } = progress.header;
  try {
    await inTransaction(ctx, async (tx) => {
      await put(tx);
      await q.projectMoves.begin(tx, { projectId: project.id, exportId, linesDone: number, now: tx.now() });
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new Error("Cannot import this project: one with its id or its keys was made here meanwhile", {
      cause: error,
    });
  }
  progress.done = number;
}

/** Commits work together with the place in the file. Throws where another process has continued the import. */
async function committed(
  ctx: Context,
  progress: Progress,
  { table, linesDone }: { table: string; linesDone: number },
  work: (tx: Context) => Promise<void>,
): Promise<void> {
  const place = { projectId: progress.header.project.id, before: progress.done, linesDone };
  await inTransaction(ctx, async (tx) => {
    if (TABLES.get(table)!.isCounter) await q.recounts.keepOutRollup(tx);
    if ((await q.projectMoves.advance(tx, place)) === 0) {
      throw new Error("Cannot continue this import: another process does, or the project was deleted");
    }
    await work(tx);
  });
  progress.done = linesDone;
}

async function finish(ctx: Context, progress: Progress, number: number): Promise<Imported["stopped"]> {
  const { project, copy, ledger, exportId } = progress.header;
  const projectId = project.id;
  return await inTransaction(ctx, async (tx) => {
    const now = tx.now();
    const place = { projectId, before: progress.done, linesDone: number, now };
    if ((await q.projectMoves.finish(tx, place)) === 0) {
      throw new Error("Cannot complete this import: another process does, or the project was deleted");
    }
    await q.recounts.takeTime(tx);
    const stopped = { campaignsCancelled: 0, campaignsUnscheduled: 0, workflows: 0, mails: 0 };
    if (copy || !ledger) {
      const campaigns = await q.projectMoves.stopCampaigns(tx, { projectId, isCopy: copy, now });
      stopped.campaignsCancelled = campaigns.cancelled;
      stopped.campaignsUnscheduled = campaigns.unscheduled;
    }
    if (copy) {
      stopped.workflows = await q.projectMoves.stopWorkflows(tx, { projectId });
      await q.projectMoves.stopExecutions(tx, { projectId, now });
      stopped.mails = await q.projectMoves.stopEmails(tx, { projectId });
    }
    const details = { from: progress.header.baseUrl, ledger, copy, exportId };
    await recordAudit(tx, { projectId, actor: OPERATOR, action: "project.imported", details });
    return stopped;
  });
}
