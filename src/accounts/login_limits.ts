// How often somebody may be wrong. Counted in the database, for all processes, by address and by network; neither is kept
// in the clear.
import { createHash } from "node:crypto";
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { problems } from "../problem.ts";

/** Failures are counted for so long. */
const WINDOW_MS = 15 * 60_000;
const PURGE_LIMIT = 10_000;

/** What is counted against whom. A network that is null is not known. */
export interface Counted {
  /** From which something fails. */
  network?: string | null;
  /** From which mails are asked for. */
  mailsFor?: string | null;
  /** For which a log-in fails. */
  email?: string;
}

/** An attempt that counts as a failure until it is given back. */
export interface Attempt {
  keys: Buffer[];
  at: Date;
}

interface Limit {
  key: Buffer;
  allowed: number;
}

/** Throws 429 when there were too many failures, whatever is tried now. */
export async function assertNotLocked(ctx: Context, counted: Counted): Promise<void> {
  const since = startOf(ctx.now());
  for (const limit of limitsOf(ctx, counted)) {
    const waitMs = await lockedFor(ctx, limit, since);
    if (waitMs > 0) throw locked(waitMs);
  }
}

/**
 * Counts an attempt as a failure before anybody knows whether it is one: however many come at once, no more than allowed
 * are under way. Throws 429, and counts nothing, when there were too many.
 */
export async function takeAttempt(ctx: Context, counted: Counted): Promise<Attempt> {
  const at = ctx.now();
  const since = startOf(at);
  const limits = limitsOf(ctx, counted);
  await inTransaction(ctx, async (tx) => {
    // In one order for all, so that nobody waits in a circle.
    for (const limit of limits) {
      const taken = await q.loginFailures.take(tx, { ...limit, now: at, since });
      if (!taken) throw locked(await lockedFor(tx, limit, since));
    }
  });
  return { keys: limits.map(({ key }) => key), at };
}

/** It was no failure. */
export async function giveBackAttempt(tx: Context, { keys, at }: Attempt): Promise<void> {
  for (const key of keys) await q.loginFailures.giveBack(tx, { key, at });
}

/** Forgets what failed for an address, once somebody has proven that it is theirs. */
export async function forgetFailures(tx: Context, email: string): Promise<void> {
  await q.loginFailures.forget(tx, { key: keyOf("email", email) });
}

/** Deletes what counts no more. */
export async function purgeFailures(ctx: Context): Promise<void> {
  const before = startOf(ctx.now());
  while ((await q.loginFailures.purge(ctx, { before, limit: PURGE_LIMIT })) === PURGE_LIMIT);
}

/** Milliseconds until another one is allowed. */
async function lockedFor(ctx: Context, { key, allowed }: Limit, since: Date): Promise<number> {
  const locks = await q.loginFailures.thatLocks(ctx, { key, allowed, since });
  return locks ? locks.failedAt.getTime() - since.getTime() : 0;
}

function limitsOf({ config }: Context, { network, mailsFor, email }: Counted): Limit[] {
  const limits: Limit[] = [];
  const add = (kind: string, whose: string | null | undefined, allowed: number) => {
    if (whose && allowed > 0) limits.push({ key: keyOf(kind, whose), allowed });
  };
  add("network", network, config.LOGIN_LIMIT_PER_NETWORK);
  add("mails", mailsFor, config.LOGIN_LIMIT_PER_NETWORK);
  add("email", email, config.LOGIN_LIMIT_PER_EMAIL);
  return limits;
}

function keyOf(kind: string, whose: string): Buffer {
  return createHash("sha256").update(`${kind}\n${whose}`).digest();
}

function startOf(now: Date): Date {
  return new Date(now.getTime() - WINDOW_MS);
}

function locked(waitMs: number) {
  return problems.tooManyFailures(Math.max(1, Math.ceil(waitMs / 1000)));
}
