// Who waits for a lock in the database of a test. Other files have databases of their own on the same server.
import type postgres from "postgres";
import { killUnseen, type ServiceProcess, until } from "./process.ts";

/** Which of those that wait are meant. */
export interface Blocked {
  /** Part of their statement. */
  statement?: string;
  /** What they wait for, as `pg_stat_activity.wait_event` has it: `relation`, `transactionid`, `advisory` and others. */
  lock?: string;
}

/** The process ids of the connections that wait for a lock. */
export async function blocked(sql: postgres.Sql, { statement = "", lock }: Blocked = {}): Promise<number[]> {
  const rows = await sql<{ pid: number; lock: string; statement: string }[]>`
    select pid, wait_event as lock, query as statement from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return rows
    .filter((row) => row.statement.includes(statement) && (lock === undefined || row.lock === lock))
    .map(({ pid }) => pid);
}

/** Waits until a connection waits for a lock, or this has come to its end without. */
export async function untilBlocked(
  sql: postgres.Sql,
  which: Blocked = {},
  work?: Promise<unknown>,
): Promise<void> {
  let isOver = false;
  const end = () => void (isOver = true);
  void work?.then(end, end);
  await until("somebody to wait for a lock", async () => isOver || (await blocked(sql, which)).length > 0);
}

/**
 * Kills a service as soon as it waits for a lock, which somebody else holds: so it dies in the middle of what it does, however
 * quick it is. What it has asked Postgres for is given up as well: that would go on when the lock is free.
 */
export async function killBlocked(sql: postgres.Sql, service: ServiceProcess): Promise<void> {
  await untilBlocked(sql);
  await killUnseen(sql, service);
  await sql`select pg_terminate_backend(pid) from unnest(${await blocked(sql)}::int[]) as pid`;
}
