// When a key or a session was last used: written off the request's way, and at most once a minute for each.
import { createBatcher } from "../batcher.ts";
import type { Context } from "../context.ts";

const NOTED_EVERY_MS = 60_000;

/** Of which it is remembered here that they were noted, and that may wait to be: what is beyond is lost. */
const MAX_NOTED = 10_000;

/** Something that is used, and when its row says that it last was. */
export interface Used {
  id: string;
  lastUsedAt: Date | null;
}

/**
 * Returns what notes a use. It waits for nobody: `write` takes many at once, and what is lost when the process ends or
 * the database is away is a minute.
 */
export function createUseNotes<Item extends Used>(
  ctx: Context,
  write: (items: Item[], now: Date) => Promise<unknown>,
): (item: Item) => void {
  const noted = new Map<string, number>();
  const note = createBatcher(
    async (items: Item[]) => {
      await write(items, ctx.now());
      return items.map(() => true);
    },
    { name: "note uses", maxItems: 500, maxFlights: 1, maxWaiting: MAX_NOTED },
  );
  return (item) => {
    const now = ctx.now().getTime();
    if (item.lastUsedAt && now - item.lastUsedAt.getTime() < NOTED_EVERY_MS) return;
    if (now - (noted.get(item.id) ?? 0) < NOTED_EVERY_MS) return;
    if (noted.size >= MAX_NOTED) noted.clear();
    noted.set(item.id, now);
    note(item).catch(() => noted.delete(item.id));
  };
}
