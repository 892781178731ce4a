// Undoing an import: what it made and nobody touched goes, and values that are still the import's become what they were.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJobs } from "../../jobs.ts";
import type { DataChange, DataInput } from "./data.ts";
import { deleteContacts } from "./deletion.ts";
import { SLICE_MS } from "./jobs.ts";
import { upsertContacts } from "./mod.ts";
import { givenOf } from "../standard_fields.ts";

/** Contacts of one transaction. Deleting one takes its events and memberships along. */
const CHUNK_CONTACTS = 500;

/** Goes on undoing an import, chunk by chunk: a second run continues where the first one ended. */
export async function runUndo(
  ctx: Context,
  projectId: string,
  importId: string,
  { sliceMs = SLICE_MS } = {},
): Promise<void> {
  const until = performance.now() + sliceMs;
  while (await undoChunk(ctx, projectId, importId)) {
    if (performance.now() > until) return await addJobs(ctx, "undo_import", [{ projectId, importId }]);
  }
}

/** Does the next chunk. False when there is none, and the import is undone. */
async function undoChunk(ctx: Context, projectId: string, importId: string): Promise<boolean> {
  return await inTransaction(ctx, async (tx) => {
    const held = await q.contactImports.holdUndo(tx, { projectId, importId });
    if (!held) return false;
    const next = { projectId, importId, afterId: held.undoAfter, limit: CHUNK_CONTACTS };
    const contactIds = (await q.contactImports.nextChanges(tx, next)).map((row) => row.contactId);
    if (contactIds.length === 0) {
      await q.contactImports.completeUndo(tx, { projectId, importId });
      return false;
    }
    const chunk = { projectId, importId, contactIds };
    const untouched = (await q.contactImports.untouched(tx, chunk)).map(({ id }) => id);
    const deleted = await deleteContacts(tx, projectId, untouched);
    const restored = await restore(tx, chunk);
    await q.contactImports.advanceUndo(tx, {
      projectId,
      importId,
      afterId: contactIds.at(-1)!,
      deleted: deleted.length,
      restored,
      kept: contactIds.length - deleted.length - restored,
    });
    return true;
  });
}

/** Gives contacts their old values back, and returns how many needed that. */
async function restore(
  tx: Context,
  chunk: { projectId: string; importId: string; contactIds: string[] },
): Promise<number> {
  const writes = (await q.contactImports.restorable(tx, chunk))
    .map(({ email, given, data }) => ({
      projectId: chunk.projectId,
      email,
      given: givenOf(given as Record<string, unknown>),
      subscribedDefault: true,
      change: changeBackTo(data as DataInput),
    }))
    .filter(({ given, change }) => [given, change.sets, change.deletes].some((part) => !isEmpty(part)));
  if (writes.length > 0) await upsertContacts(tx, writes);
  return writes.length;
}

/** The change that brings back these values; null for a key that was not there. */
function changeBackTo(data: DataInput): DataChange {
  const sets = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
  const deletes = Object.keys(data).filter((key) => data[key] === null);
  return { sets, deletes, values: sets };
}

function isEmpty(part: object): boolean {
  return Object.keys(part).length === 0;
}
