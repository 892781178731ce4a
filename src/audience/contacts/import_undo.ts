// Undoing an import: what it made and nobody touched goes, and values that are still the import's become what they were.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJobs } from "../../jobs.ts";
import { deleteContacts } from "./deletion.ts";
import { SLICE_MS } from "./jobs.ts";
import { changeSubscriptions } from "./mod.ts";

/** Contacts of one transaction. Deleting one takes its events and memberships along. */
const CHUNK_CONTACTS = 500;

/** Goes on undoing an import, chunk by chunk: a second run goes on where the first one ended. */
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
      restored: restored.size,
      kept: contactIds.length - deleted.length - restored.size,
    });
    return true;
  });
}

async function restore(
  tx: Context,
  chunk: { projectId: string; importId: string; contactIds: string[] },
): Promise<Set<string>> {
  const changed = await q.contactImports.subscriptionsBefore(tx, chunk);
  const restored = (await q.contactImports.restore(tx, chunk)).map(({ id }) => id);
  for (const subscribed of [true, false]) {
    const contactIds = changed.filter((row) => row.subscribedBefore === subscribed).map(({ id }) => id);
    await changeSubscriptions(tx, chunk.projectId, contactIds, subscribed);
    restored.push(...contactIds);
  }
  return new Set(restored);
}
