// At the start the database may be away, or be no place to work in: says so, with the setting that names it.
import type postgres from "postgres";
import type { Context } from "./context.ts";
import { isDatabaseAway } from "./database_errors.ts";
import { isPoolerTalk, isTransactionPooled, POOLERS } from "./db/pooler.ts";
import { q } from "./db/queries.ts";
import { describeError } from "./log.ts";

const LOOK_MS = 500;
const SAY_MS = 10_000;
const PATIENCE_MS = 3_000;

const ELSEWHERE =
  "Cannot use DATABASE_DIRECT_URL: it leads to another database than DATABASE_URL. Both have to end with the same name, " +
  "and lead to the same Postgres";

/** How long to wait. */
export interface Waiting {
  /** In seconds; left out: not at all. */
  waitS?: number;
  /** Ends the waiting. */
  signal?: AbortSignal;
}

/**
 * Waits for the database to answer under each of its addresses, and for `prepare` to come to its end there. Throws where it
 * stays away, and at once where what is there is no place to work in.
 */
export async function waitForDatabase(
  ctx: Context,
  direct: postgres.Sql,
  waiting: Waiting,
  prepare: () => Promise<void>,
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
    await prepare().catch((error) => {
      throw mayPass(error) ? error : new Unfit((error as Error).message, { cause: error });
    });
  });
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
    try {
      return await look();
    } catch (error) {
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
      signal?.throwIfAborted();
    }
  }
}

/** What one session holds is seen from another one of the same database, and from nowhere else. `direct` has one connection. */
async function isSameDatabase(pool: postgres.Sql, direct: postgres.Sql): Promise<boolean> {
  const number = Math.floor(Math.random() * 2 ** 31);
  await q.session.holdNumber({ sql: direct }, { number });
  const { seen } = await q.session.seesNumber({ sql: pool, patienceMs: PATIENCE_MS }, { number });
  await q.session.dropNumber({ sql: direct }, { number });
  return seen;
}

/** A name that is not known yet may be known when its container runs. */
function mayPass(error: unknown): boolean {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  // PgBouncer says it of what it does not know, too.
  if (code === "08P01" && /no such (database|user)|authentication failed/i.test(message)) return false;
  return isDatabaseAway(error) || /^(ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/.test(code);
}

function said(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || String(error);
}
