// At the start the database may be away, or be no place to work in: says so, with the setting that names it.
import type postgres from "postgres";
import type { Context } from "./context.ts";
import { isDatabaseAway } from "./database_errors.ts";
import { isTransactionPooled } from "./db/pooler.ts";
import { q } from "./db/queries.ts";
import { describeError } from "./log.ts";

const LOOK_MS = 500;
const SAY_MS = 10_000;
const PATIENCE_MS = 3_000;

/** What to say where a pooler is at an address that must not have one. */
const POOLERS = {
  DATABASE_URL:
    "Cannot run with DATABASE_URL alone: it leads to a connection pooler (such as PgBouncer). " +
    "Set DATABASE_DIRECT_URL to the address of Postgres itself",
  DATABASE_DIRECT_URL:
    "Cannot use DATABASE_DIRECT_URL: it leads to a connection pooler too. Name Postgres itself",
};

/** How long to wait. */
export interface Waiting {
  /** In seconds; left out: not at all. */
  waitS?: number;
  /** Ends the waiting. */
  signal?: AbortSignal;
}

/** Waits for the database to answer, under each of its addresses. */
export async function waitForDatabase(ctx: Context, direct: postgres.Sql, waiting: Waiting): Promise<void> {
  const { DATABASE_URL, DATABASE_DIRECT_URL } = ctx.config;
  const until = performance.now() + (waiting.waitS ?? 0) * 1000;
  await answers(ctx, "DATABASE_URL", ctx.pool, until, waiting);
  if (DATABASE_DIRECT_URL) {
    await answers(ctx, "DATABASE_DIRECT_URL", direct, until, waiting);
    if (await isTransactionPooled(DATABASE_DIRECT_URL)) throw new Error(POOLERS.DATABASE_DIRECT_URL);
  } else if (DATABASE_URL && (await isTransactionPooled(DATABASE_URL))) throw new Error(POOLERS.DATABASE_URL);
}

async function answers(
  { log }: Context,
  setting: keyof typeof POOLERS,
  sql: postgres.Sql,
  until: number,
  { waitS = 0, signal }: Waiting,
): Promise<void> {
  for (let saidAt = -Infinity; ;) {
    try {
      await q.doctor.clock({ sql, patienceMs: PATIENCE_MS });
      return;
    } catch (error) {
      if (isPoolerTalk(error)) throw new Error(POOLERS[setting], { cause: error });
      if (!mayPass(error)) throw new Error(`Cannot use ${setting}: ${said(error)}`, { cause: error });
      const now = performance.now();
      if (now > until) {
        const within = waitS > 0 ? ` within ${waitS} s` : "";
        throw new Error(`Cannot reach the database in ${setting}${within}: ${said(error)}`, { cause: error });
      }
      if (now - saidAt > SAY_MS) {
        saidAt = now;
        log.warn("waiting for the database", {
          setting,
          secondsLeft: Math.round((until - now) / 1000),
          ...describeError(error),
        });
      }
      await Bun.sleep(LOOK_MS);
      signal?.throwIfAborted();
    }
  }
}

/** PgBouncer knows few of the parameters that a connection may begin with. */
function isPoolerTalk(error: unknown): boolean {
  return /unsupported startup parameter/.test((error as Error).message);
}

/** A name that is not known yet may be known when its container runs. */
function mayPass(error: unknown): boolean {
  const { code = "" } = error as { code?: string };
  return isDatabaseAway(error) || /^(ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/.test(code);
}

function said(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || String(error);
}
