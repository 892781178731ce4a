// A chunk of an import: what its rows say is written, noted for an undo, and counted, in one transaction.
import { type Context, inTransaction } from "../../context.ts";
import { isRefusal } from "../../database_errors.ts";
import { q } from "../../db/queries.ts";
import { type ColumnMapping, type ContactRow, isRefusedRow, type RefusedRow } from "./_csv.ts";
import { givenColumns } from "../standard_fields.ts";
import { examplesOf } from "./_import_examples.ts";
import { MAX_JOB_ERRORS, refusalReason } from "./jobs.ts";
import { type ContactWrite, upsertContacts, type WrittenContact } from "./mod.ts";

/** How long a chunk that is ready holds what it has written before it gives way to the one before it. */
const GIVE_WAY_MS = 500;

/** What one run of an import knows. */
export interface ImportRun {
  projectId: string;
  importId: string;
  dryRun: boolean;
  mapping: ColumnMapping | null;
  subscribes: boolean;
  /** Addresses that a dry run would have created by now, as hashes: 2,000,000 of them have to fit. */
  seen: Set<number>;
  failures: number;
}

/** A chunk that is being written. */
export interface Chunk {
  emails: ReadonlySet<string>;
  /** False when another process has taken the import further. */
  written: Promise<boolean>;
}

/** Before the first chunk of a run. */
export const NOTHING_BEFORE: Chunk = { emails: new Set(), written: Promise.resolve(true) };

/**
 * Writes a chunk beside the one `before` it, and commits it after that one. If it has to wait for that, somebody else may hold
 * what that one needs, and want what this one holds, which Postgres cannot see: then this one is rolled back, and written
 * once it is its turn. So is one that has an address of the other, or that the database refuses.
 */
export function writeAfter(
  before: Chunk,
  ctx: Context,
  run: ImportRun,
  rowsDone: number,
  rows: (ContactRow | RefusedRow)[],
): Chunk {
  const emails = new Set(rows.map(({ email }) => email));
  const isApart = !run.dryRun && emails.isDisjointFrom(before.emails);
  const write = async () => {
    if (isApart) {
      try {
        return await writeTogether(ctx, run, rowsDone, rows, () => inTime(before.written));
      } catch (error) {
        if (error !== GAVE_WAY && !isRefusal(error)) throw error;
      }
    }
    return (await before.written) && (await writeRows(ctx, run, rowsDone, rows));
  };
  const written = write();
  written.catch(() => {});
  return { emails, written };
}

async function inTime(before: Promise<boolean>): Promise<boolean> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(GAVE_WAY), GIVE_WAY_MS);
  return await Promise.race([before, over]).finally(() => clearTimeout(timer));
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
  turn?: () => Promise<boolean>,
): Promise<boolean> {
  const { projectId, importId, dryRun } = run;
  const errors = rows.filter(isRefusedRow);
  const good = rows.filter((row): row is ContactRow => !isRefusedRow(row));
  const writes = mergeRows(run, good);
  const examples = dryRun && rowsDone === 0 ? await examplesOf(ctx, run, good) : null;
  const tried = dryRun ? await tryOut(ctx, (tx) => createdBy(tx, writes)) : null;
  const place = { projectId, importId };
  const goesOn = await rolledBackAt(TAKEN_FURTHER, ctx, async (tx) => {
    // Statements that need nothing of each other are sent together. Where the import is elsewhere, all of it is rolled back.
    const hold = async () => {
      if (!(await q.contactImports.hold(tx, { ...place, rowsDone }))) throw TAKEN_FURTHER;
    };
    await Promise.all([turn ? null : hold(), tried ?? noteExisting(tx, run, writes)]);
    const made = tried ?? (await createdBy(tx, writes));
    const created = made.filter(({ email }) => !run.seen.has(hashOf(email))).length;
    if (examples) await q.contactImports.showExamples(tx, { ...place, examples });
    const { row: linesDone, end: bytesDone } = rows.at(-1)!;
    const noted = tried ?? noteNew(tx, run, made);
    if (turn) {
      await noted;
      if (!(await turn())) throw TAKEN_FURTHER;
      await hold();
    }
    await Promise.all([
      noted,
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

/** 53 bits: two addresses of 2,000,000 look the same once in 5,000 files, and a dry run is off by one. */
export function hashOf(email: string): number {
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
const GAVE_WAY = new Error("Gave way");
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
