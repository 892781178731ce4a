// Tells Postgres from a pooler in front of it, such as PgBouncer, that gives each transaction another connection.
import { openPool } from "./pool.ts";

const ATTEMPTS = 5;

/** What to say where a pooler is at an address that must not have one. */
export const POOLERS = {
  DATABASE_URL:
    "Cannot run with DATABASE_URL alone: it leads to a connection pooler (such as PgBouncer). " +
    "Set DATABASE_DIRECT_URL to the address of Postgres itself",
  DATABASE_DIRECT_URL:
    "Cannot use DATABASE_DIRECT_URL: it leads to a connection pooler too. Name Postgres itself",
};

/** Whether an error is what a pooler says to us: PgBouncer knows few of the parameters that a connection may begin with. */
export function isPoolerTalk(error: unknown): boolean {
  return /unsupported startup parameter/.test((error as Error).message);
}

/**
 * Whether two sessions through this address share one connection to Postgres: then nothing that belongs to a session
 * holds, neither locks nor LISTEN. A pooler that keeps a connection for each session is as good as none.
 */
export async function isTransactionPooled(url: string): Promise<boolean> {
  const open = () => openPool(url, { max: 1, name: "postrider probe", isPooled: true });
  const [one, other] = [open(), open()];
  try {
    // Postgres tells a session the number of its process when it begins; a pooler makes one up.
    const known = await one<{ pid: number }[]>`select pg_backend_pid() as pid`;
    if ((known.state as { pid: number }).pid === known[0]!.pid) return false;
    for (let i = 0; i < ATTEMPTS; i++) {
      const [last] = await one<{ pid: number }[]>`select pg_backend_pid() as pid`;
      const [next] = await other<{ pid: number }[]>`select pg_backend_pid() as pid`;
      if (last!.pid === next!.pid) return true;
    }
    return false;
  } finally {
    await Promise.all([one.end({ timeout: 1 }), other.end({ timeout: 1 })]);
  }
}
