// Tells Postgres from a pooler in front of it, such as PgBouncer, that gives each transaction another connection.
import type postgres from "postgres";
import { openPool } from "./pool.ts";
import { q } from "./queries.ts";

const ATTEMPTS = 5;
// A waiter for a hanging database wants to look again soon.
const SILENCE_S = 3;

/** What to say where a pooler is at an address that must not have one. */
export const POOLERS = {
  DATABASE_URL:
    "Cannot run with DATABASE_URL alone: it leads to a connection pooler (such as PgBouncer). " +
    "Set DATABASE_DIRECT_URL to the address of Postgres itself",
  DATABASE_DIRECT_URL:
    "Cannot use DATABASE_DIRECT_URL: it leads to a connection pooler too. Name Postgres itself",
};

/** Whether an error is a pooler's: PgBouncer knows few of the parameters that a connection may begin with. */
export function isPoolerTalk(error: unknown): boolean {
  return /unsupported startup parameter/.test((error as Error).message);
}

/**
 * Whether two sessions through this address share one connection to Postgres: then nothing that belongs to a session
 * holds, neither locks nor LISTEN. A pooler that keeps a connection for each session is as good as none.
 */
export async function isTransactionPooled(url: string): Promise<boolean> {
  const open = () => openPool(url, { max: 1, name: "postrider probe", isPooled: true, silenceS: SILENCE_S });
  const [one, other] = [open(), open()];
  try {
    // Postgres tells a session the number of its process when it begins; a pooler makes one up.
    const known = await one<{ pid: number }[]>`select pg_backend_pid() as pid`;
    if ((known.state as { pid: number }).pid === known[0]!.pid) return false;
    // Two sessions share a process, or one has several: as the pooler chooses, and who else is there.
    const own = new Set([known[0]!.pid]);
    const others = new Set<number>();
    for (let i = 0; i < ATTEMPTS; i++) {
      own.add((await one<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]!.pid);
      others.add((await other<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]!.pid);
      if (own.size > 1 || others.size > 1 || !own.isDisjointFrom(others)) return true;
    }
    return false;
  } finally {
    await Promise.all([one.end({ timeout: 1 }), other.end({ timeout: 1 })]);
  }
}

/**
 * Whether both lead to one database: what one session holds is seen from another one of the same database, and from nowhere
 * else. `direct` has one connection, and goes past a pooler.
 */
export async function isSameDatabase(sql: postgres.Sql, direct: postgres.Sql): Promise<boolean> {
  const number = Math.floor(Math.random() * 2 ** 31);
  const patienceMs = SILENCE_S * 1000;
  await q.session.holdNumber({ sql: direct, patienceMs }, { number });
  const { seen } = await q.session.seesNumber({ sql, patienceMs }, { number });
  await q.session.dropNumber({ sql: direct, patienceMs }, { number });
  return seen;
}
