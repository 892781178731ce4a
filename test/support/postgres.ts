// The Postgres of the tests: the one in TEST_DATABASE_URL, else an embedded one that ends with them.
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { type EmbeddedPostgres, startEmbedded } from "../../src/embedded/mod.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openPool } from "../../src/db/pool.ts";
import { openWorkerPool } from "../../src/db/worker_pool.ts";

const MIGRATIONS = new URL("../../sql/migrations/", import.meta.url).pathname;
const TEMPLATE = `postrider_test_${fingerprint()}`;

let embedded: (EmbeddedPostgres & { dir: string }) | undefined;
let serverUrl = process.env.TEST_DATABASE_URL;

let prepared: Promise<void> | undefined;

/** Starts the server where none is given, and makes the template where it is missing. Once. */
export function prepareServer(): Promise<void> {
  return (prepared ??= prepare());
}

async function prepare(): Promise<void> {
  if (!serverUrl) {
    const dir = mkdtempSync(join(tmpdir(), "postrider-test-"));
    // Tests need no durability; those about crashes start a server of their own.
    const settings = {
      fsync: "off",
      full_page_writes: "off",
      synchronous_commit: "off",
      wal_level: "minimal",
      max_wal_senders: "0",
      max_connections: "500",
    };
    embedded = { ...(await startEmbedded({ dir, settings })), dir };
    process.on("exit", () => embedded?.stopNow());
    serverUrl = embedded.url;
    await makeLogInCheap();
  }
  await asAdmin(async (sql) => {
    await sql`select pg_advisory_lock(hashtext(${TEMPLATE}))`;
    const [exists] = await sql`select from pg_database where datname = ${TEMPLATE}`;
    if (!exists) await makeTemplate(sql);
  });
}

/** Each file opens dozens of connections; a wrong password is refused all the same. */
async function makeLogInCheap(): Promise<void> {
  const { password } = new URL(serverUrl!);
  await asAdmin(async (sql) => {
    await sql`set scram_iterations = 1`;
    await sql.unsafe(`alter role current_user password '${decodeURIComponent(password)}'`);
  });
}

/** Ends the server, if this process started it. */
export async function stopServer(): Promise<void> {
  const { stop, dir } = embedded ?? {};
  embedded = undefined;
  await stop?.();
  if (dir) rmSync(dir, { recursive: true, force: true });
}

/** A new database with the schema of today; drop it when done. */
export async function newDatabase(): Promise<string> {
  await prepareServer();
  const name = `test_${randomBytes(8).toString("hex")}`;
  // A fifth of the time of `wal_log`, as long as a checkpoint costs no full pages afterwards.
  await asAdmin((sql) => sql`create database ${sql(name)} template ${sql(TEMPLATE)} strategy file_copy`);
  return name;
}

/** Drops a database, whoever is still connected to it. */
export async function dropDatabase(name: string): Promise<void> {
  await asAdmin((sql) => sql`drop database if exists ${sql(name)} with (force)`);
}

/** The address of a database on the test server. */
export function databaseUrl(name: string): string {
  const url = new URL(serverUrl!);
  url.pathname = `/${name}`;
  return url.href;
}

/** A pool on a database of the test server. */
export function openTestPool(name: string, max = 10): postgres.Sql {
  return openPool(databaseUrl(name), { max });
}

/** Fills a database in one transaction, for as long as that takes on a busy machine. */
export async function fillPatiently(
  url: string,
  fill: (sql: postgres.TransactionSql) => Promise<unknown>,
): Promise<void> {
  const pool = openPool(url, { max: 1, silenceS: 0 });
  try {
    await pool.begin(async (sql) => {
      await sql`set local statement_timeout = 0`;
      await fill(sql);
    });
  } finally {
    await pool.end();
  }
}

/** A connection without our column names, as the generators need it. */
export function openPlainPool(name: string): postgres.Sql {
  return postgres(databaseUrl(name), { max: 1, onnotice: () => {} });
}

async function makeTemplate(admin: postgres.Sql): Promise<void> {
  await admin`create database ${admin(`${TEMPLATE}_new`)}`;
  const sql = openTestPool(`${TEMPLATE}_new`, 2);
  const workerPool = openWorkerPool(databaseUrl(`${TEMPLATE}_new`), 1);
  await migrate(sql, workerPool);
  await sql.end();
  await workerPool.end();
  // Renamed when complete, so that a run that was killed leaves no half-made template.
  await admin`alter database ${admin(`${TEMPLATE}_new`)} rename to ${admin(TEMPLATE)}`;
}

async function asAdmin(work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = openPool(serverUrl!, { max: 1 });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}

function fingerprint(): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(MIGRATIONS).sort()) hash.update(readFileSync(join(MIGRATIONS, name)));
  return hash.digest("hex").slice(0, 12);
}
