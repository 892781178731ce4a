// At the start the database may be away or unusable: says so, with the setting that names it.
import type postgres from "postgres";
import type { Context } from "../context.ts";
import { isConflict, isDatabaseAway } from "../database_errors.ts";
import { isPoolerTalk, isSameDatabase, isTransactionPooled, POOLERS } from "../db/pooler.ts";
import { q } from "../db/queries.ts";
import { describeError } from "../log.ts";

const LOOK_MS = 500;
const SAY_MS = 10_000;
const PATIENCE_MS = 3_000;

/** A database that gives no sign of life for so long is not at work on a migration. */
const SILENCE_MS = 35_000;

const ELSEWHERE =
  "Cannot use DATABASE_DIRECT_URL: it leads to a different database than DATABASE_URL. Both must end with the same name " +
  "and lead to the same Postgres";

/** How long to wait. */
export interface Waiting {
  /** In seconds; left out: not at all. */
  waitS?: number;
  /** Ends the waiting. */
  signal?: AbortSignal;
  /** In milliseconds: so long a database may give no sign of life while it is prepared. */
  silenceMs?: number;
}

/** Work on the database that may take as long as it likes. */
export interface Preparing {
  done: Promise<void>;
  /** Ends it at once: `done` rejects. */
  giveUp(): void;
}

/**
 * Waits for the database to respond at each of its addresses, and for `prepare` to finish there. Throws if it stays
 * away, and at once where it is unusable.
 */
export async function waitForDatabase(
  ctx: Context,
  direct: postgres.Sql,
  waiting: Waiting,
  prepare: () => Preparing,
): Promise<void> {
  const { DATABASE_URL, DATABASE_DIRECT_URL } = ctx.config;
  const until = performance.now() + (waiting.waitS ?? 0) * 1000;
  const clock = async (sql: postgres.Sql) => void (await q.doctor.clock({ sql, patienceMs: PATIENCE_MS }));
  const directSetting = DATABASE_DIRECT_URL ? "DATABASE_DIRECT_URL" : "DATABASE_URL";
  const directUrl = DATABASE_DIRECT_URL ?? DATABASE_URL;
  await answers(ctx, "DATABASE_URL", until, waiting, () => clock(ctx.pool));
  await answers(ctx, directSetting, until, waiting, async () => {
    await clock(direct);
    if (directUrl && (await isTransactionPooled(directUrl))) throw new Unfit(POOLERS[directSetting]);
    if (DATABASE_DIRECT_URL && !(await isSameDatabase(ctx.pool, direct))) throw new Unfit(ELSEWHERE);
  });
  await answers(ctx, directSetting, until, waiting, async () => {
    await watched(direct, prepare(), waiting).catch((error) => {
      throw mayPass(error) ? error : new Unfit((error as Error).message, { cause: error });
    });
  });
}

/** Aborts waiting on a database that is silent on another connection too: its response would be awaited forever. */
async function watched(
  direct: postgres.Sql,
  { done, giveUp }: Preparing,
  { silenceMs = SILENCE_MS, signal }: Waiting,
): Promise<void> {
  let isOver = false;
  signal?.addEventListener("abort", giveUp);
  const watch = async () => {
    let heardAt = performance.now();
    while (!isOver) {
      await q.doctor.clock({ sql: direct, patienceMs: PATIENCE_MS }).then(
        () => (heardAt = performance.now()),
        () => {},
      );
      if (performance.now() - heardAt > silenceMs) return giveUp();
      if (!isOver) await Bun.sleep(LOOK_MS);
    }
  };
  void watch();
  try {
    await done;
  } finally {
    isOver = true;
    signal?.removeEventListener("abort", giveUp);
  }
}

/** What waiting does not cure; its message is for the operator. */
class Unfit extends Error {}

async function answers(
  { log }: Context,
  setting: keyof typeof POOLERS,
  until: number,
  { waitS = 0, signal }: Waiting,
  look: () => Promise<void>,
): Promise<void> {
  for (let saidAt = -Infinity; ;) {
    signal?.throwIfAborted();
    try {
      return await look();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof Unfit) throw error.cause ?? error;
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
    }
  }
}

/** A name that is not known yet may be known when its container runs. */
function mayPass(error: unknown): boolean {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  // A pooler uses this one code for everything that it rejects.
  if (code === "08P01") return AWAY_BEHIND_POOLER.test(message) && !FOR_GOOD.test(message);
  if (/^(ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/.test(code)) return true;
  // The queue's connections say 40001 of a statement whose connection was lost.
  return isDatabaseAway(error) || isConflict(error);
}

const AWAY_BEHIND_POOLER =
  /connect|crash|time-?out|try again|too many|no more|shut|paus|starting|server_login_retry|reset|closed|lost/i;
const FOR_GOOD = /authentication failed|no such (database|user)|does not exist|not permitted|denied/i;

function said(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || String(error);
}
