// How often somebody may be wrong, and how many may sign up. Counted in the database, for all processes, by address, by
// user and by network; none of them is kept in the clear.
import { createHash } from "node:crypto";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type Problem, problems } from "../../problem/mod.ts";

const HOUR_MS = 3_600_000;
/** Failures are counted for so long. */
const WINDOW_MS = HOUR_MS / 4;
/** Of a second factor, in that time. */
const SECOND_FACTOR_FAILURES = 10;
const PURGE_LIMIT = 10_000;

/** What is counted against whom. A network that is null is not known. */
export interface Counted {
  /** From which something fails. */
  network?: string | null;
  /** From which wrong API keys are given, where applications log in with them. */
  keysFrom?: string | null;
  /** From which mails are asked for. */
  mailsFor?: string | null;
  /** From which people sign up. */
  signUpsFrom?: string | null;
  /** For which a log-in fails. */
  email?: string;
  /** The logged-in user, who enters the password again. */
  user?: string;
  /** The user who is to give a second factor. */
  secondFactor?: string;
}

/** An attempt that counts as a failure until it is given back. */
export interface Attempt {
  taken: Pick<Limit, "kind" | "key">[];
  at: Date;
}

interface Limit {
  kind: keyof Counted;
  key: Buffer;
  allowed: number;
  /** Since when it counts. */
  since: Date;
}

/** Throws 429 when there were too many failures, whatever is tried now. */
export async function assertNotLocked(ctx: Context, counted: Counted): Promise<void> {
  for (const limit of limitsOf(ctx, counted, ctx.now())) {
    if (await locks(ctx, limit)) throw await locked(ctx, limit);
  }
}

/**
 * Counts an attempt as a failure before its result is known: however many are concurrent, no more than allowed are in
 * progress. Throws 429, and counts nothing, when there were too many.
 */
export async function takeAttempt(ctx: Context, counted: Counted): Promise<Attempt> {
  const at = ctx.now();
  const limits = limitsOf(ctx, counted, at);
  await inTransaction(ctx, async (tx) => {
    // In one order for all, so that they cannot deadlock.
    for (const limit of limits) {
      const { key, allowed, since } = limit;
      const taken = await q.loginFailures.take(tx, { key, allowed, since, now: at });
      if (!taken) throw await locked(tx, limit);
    }
  });
  return { taken: limits, at };
}

/** It was not a failure; with `only`, it does not count against that one. */
export async function giveBackAttempt(
  tx: Context,
  { taken, at }: Attempt,
  only?: keyof Counted,
): Promise<void> {
  for (const { kind, key } of taken) {
    if (only === undefined || kind === only) await q.loginFailures.giveBack(tx, { key, at });
  }
}

/** Forgets what failed for somebody, once they have proven that the address is theirs. */
export async function forgetFailures(tx: Context, user: { id: string; email: string }): Promise<void> {
  for (const key of [keyOf("email", user.email), keyOf("user", user.id)]) {
    await q.loginFailures.forget(tx, { key });
  }
}

/** Deletes what counts no more. */
export async function purgeFailures(ctx: Context): Promise<void> {
  const before = earlier(ctx.now(), HOUR_MS);
  while ((await q.loginFailures.purge(ctx, { before, limit: PURGE_LIMIT })) === PURGE_LIMIT);
}

function limitsOf({ config }: Context, counted: Counted, now: Date): Limit[] {
  const { LOGIN_LIMIT_PER_EMAIL: perPerson, LOGIN_LIMIT_PER_NETWORK: perNetwork } = config;
  const kinds: [keyof Counted, allowed: number, windowMs: number][] = [
    ["network", perNetwork, WINDOW_MS],
    ["keysFrom", perNetwork, WINDOW_MS],
    ["mailsFor", perNetwork, WINDOW_MS],
    ["signUpsFrom", config.SIGNUP_LIMIT_PER_NETWORK, HOUR_MS],
    ["email", perPerson, WINDOW_MS],
    ["user", perPerson, WINDOW_MS],
    // No setting lifts it: six digits could be guessed.
    ["secondFactor", SECOND_FACTOR_FAILURES, WINDOW_MS],
  ];
  return kinds.flatMap(([kind, allowed, windowMs]) => {
    const whose = counted[kind];
    if (!whose || allowed === 0) return [];
    return [{ kind, key: keyOf(kind, whose), allowed, since: earlier(now, windowMs) }];
  });
}

/** The one that has to grow old before another one is allowed. Null when one is allowed now. */
async function locks(ctx: Context, { key, allowed, since }: Limit): Promise<Date | null> {
  return (await q.loginFailures.thatLocks(ctx, { key, allowed, since }))?.failedAt ?? null;
}

async function locked(ctx: Context, limit: Limit): Promise<Problem> {
  const waitMs = ((await locks(ctx, limit)) ?? limit.since).getTime() - limit.since.getTime();
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return limit.kind === "signUpsFrom" ? problems.tooManySignUps(seconds) : problems.tooManyFailures(seconds);
}

function keyOf(kind: keyof Counted, whose: string): Buffer {
  return createHash("sha256").update(`${kind}\n${whose}`).digest();
}

function earlier(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms);
}
