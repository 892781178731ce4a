import { readdirSync, readFileSync } from "node:fs";
import { runMigrations } from "graphile-worker";
import type pg from "pg";
import type postgres from "postgres";

/** Numbered, applied in the order of their names, never edited once released. */
const MIGRATIONS_DIR = new URL("../../sql/migrations/", import.meta.url);

// Any number will do, as long as nothing else in the database locks it.
const LOCK = 7_672_451;

/**
 * Migrates the database to the newest schema and returns the names of the migrations that were applied. Several
 * processes may call it at once: one works, the others wait and find nothing left to do.
 *
 * @throws Error where Postgres is older than 15, or the schema is that of a version before the first release.
 */
export async function migrate(sql: postgres.Sql, workerPool: pg.Pool): Promise<string[]> {
  const [server] = await sql<
    { version: number }[]
  >`select current_setting('server_version_num')::int as version`;
  if (server!.version < 150_000) {
    throw new Error(
      `Cannot run on Postgres ${Math.floor(server!.version / 10_000)}: version 15 or newer is needed`,
    );
  }
  return await sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`;
    await tx`select pg_advisory_xact_lock(${LOCK})`;
    const applied = await appliedNames(tx);
    if (isForeign(applied)) throw new Error(FOREIGN);
    await runMigrations({ pgPool: workerPool });
    return await applyPending(tx, applied);
  });
}

async function appliedNames(tx: postgres.TransactionSql): Promise<Set<string>> {
  await tx`
    create table if not exists migrations (
      name       text primary key,
      applied_at timestamptz not null default now()
    )`;
  return new Set((await tx<{ name: string }[]>`select name from migrations`).map((row) => row.name));
}

async function applyPending(tx: postgres.TransactionSql, applied: ReadonlySet<string>): Promise<string[]> {
  const pending = migrationNames().filter((name) => !applied.has(name));
  for (const name of pending) {
    await tx.unsafe(readFileSync(new URL(name, MIGRATIONS_DIR), "utf8"));
    await tx`insert into migrations (name) values (${name})`;
  }
  return pending;
}

/** The message for a database that no migration continues from. */
export const FOREIGN =
  "Cannot bring the database up to date: its schema is that of a version before the first release. " +
  "Give DATABASE_URL an empty database, or run the version that made this one";

/** Whether migrations were applied that do not begin where ours do: nothing leads on from there. */
export function isForeign(applied: ReadonlySet<string>): boolean {
  return applied.size > 0 && !applied.has(migrationNames()[0]!);
}

/** Names of all migrations, in order. */
export function migrationNames(): string[] {
  return readdirSync(MIGRATIONS_DIR)
    .filter((name) => name.endsWith(".sql"))
    .sort();
}

/** True when nothing is left to apply. */
export async function isMigrated(sql: postgres.Sql): Promise<boolean> {
  const rows = await sql<{ name: string }[]>`select name from migrations`;
  const applied = new Set(rows.map((row) => row.name));
  return migrationNames().every((name) => applied.has(name));
}
