// Who sends X-Forwarded-For without being named in TRUSTED_PROXIES: written down for `doctor`, which is another process.
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";

const KEEP_MS = 7 * 24 * 3_600_000;

/** Writes down an address. To be called seldom. */
export async function recordUnnamedProxy(ctx: Context, peer: string): Promise<void> {
  const now = ctx.now();
  await q.unnamedProxies.note(ctx, { peer, now, before: new Date(now.getTime() - KEEP_MS) });
}
