// Puts the parts together: settings, database, mailer, name servers. Used by `main.ts`, `admin.ts` and the benches.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type postgres from "postgres";
import { type Config, dnsServers } from "../config/mod.ts";
import type { Context } from "../context.ts";
import { type EmbeddedLog, type EmbeddedPostgres, startEmbedded } from "../embedded/mod.ts";
import { migrate } from "../db/migrate.ts";
import { silence } from "../db/patience.ts";
import { openPool } from "../db/pool.ts";
import { openWorkerPool, type WorkerPool } from "../db/worker_pool.ts";
import { createLog, toStderr } from "../log.ts";
import { createDns } from "../mail/dns.ts";
import { createTlsFailures } from "../mail/tls_failures.ts";
import { createMailer, openMailer } from "./mailers.ts";
import { type Preparing, type Waiting, waitForDatabase } from "./_database_wait.ts";
import { createInboxMailer } from "../sending/captured/mod.ts";

/** The parts of a running service, and how they end. */
export interface Service {
  ctx: Context;
  /** The pool of graphile-worker. */
  workerPool: WorkerPool;
  /** A single connection for the heartbeat. */
  heartPool: postgres.Sql;
  /** True when the Postgres is our own. */
  isEmbedded: boolean;
  /** Ends the connections, and the embedded Postgres if no other process uses it. */
  close(): Promise<void>;
}

// 20 for the work, a few for the queue: far from Postgres's 100, even with a second process.
const POOL_SIZE = 20;
const WORKER_POOL_SIZE = 8;

/**
 * Opens everything that the settings name, and migrates the database. Nothing listens and no job runs yet. A `guest`
 * is a command that is done soon: its log goes to standard error, and it does not look after the embedded Postgres.
 */
export async function openService(given: Config, options: { guest?: boolean } = {}): Promise<Service> {
  const service = await createService(given, options);
  try {
    await service.prepare();
  } catch (error) {
    await service.close();
    throw error;
  }
  return service;
}

/** The same, before anything is required of a database that may be away; an embedded one is started. */
export async function createService(
  given: Config,
  { guest = false } = {},
): Promise<Service & { prepare(options?: Waiting): Promise<void> }> {
  const config = given.SECRET_KEY ? given : { ...given, SECRET_KEY: developmentSecret(given.DATA_DIR) };
  const log = createLog(config.LOG_LEVEL, guest ? toStderr : undefined);
  const embedded = config.DATABASE_URL
    ? null
    : await startOwnPostgres(config, guest, (message, level) => log[level](message));
  const url = config.DATABASE_URL ?? embedded!.url;
  // What belongs to a session goes past the pooler: locks of processes, LISTEN, the queue, migrations.
  const directUrl = config.DATABASE_DIRECT_URL ?? url;
  const isPooled = config.DATABASE_DIRECT_URL !== undefined;
  const pool = openPool(url, { max: POOL_SIZE, isPooled });
  const workerPool = openWorkerPool(directUrl, WORKER_POOL_SIZE);
  const heartPool = openPool(directUrl, { max: 1, name: "postrider heartbeat" });
  // It is given up as soon as it hangs: readiness is asked again anyway.
  const probe = openPool(url, { max: 1, name: "postrider probe", silenceS: 3, isPooled });
  const dns = createDns({ servers: dnsServers(config) });
  const tlsFailures = createTlsFailures();
  const mailer = createMailer(config, dns, tlsFailures, () => createInboxMailer({ sql: pool }));
  const ctx: Context = {
    config,
    pool,
    probe,
    sql: pool,
    mailer,
    openMailer: (options) => openMailer({ sql: pool, dns, config, tlsFailures }, options),
    tlsFailures,
    dns,
    log,
    now: () => new Date(),
    workerId: Bun.randomUUIDv7(),
  };
  return {
    ctx,
    workerPool,
    heartPool,
    isEmbedded: embedded !== null,
    async prepare(waiting = {}) {
      await waitForDatabase(ctx, heartPool, waiting, () => migrateDirectly(directUrl, workerPool));
    },
    async close() {
      mailer.close();
      const pools = [pool, probe, heartPool].map((one) => one.end({ timeout: 5 }));
      await Promise.all([...pools, endWorkerPool(workerPool)]);
      await embedded?.stop();
    },
  };
}

/** A migration may take its time, on a connection of its own. */
function migrateDirectly(url: string, workerPool: WorkerPool): Preparing {
  const sql = openPool(url, { max: 1, name: "postrider migrations", silenceS: 0 });
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const done = Promise.race([migrate(sql, workerPool), givenUp]).then(
    () => sql.end({ timeout: 1 }),
    (error) => {
      // A connection that hangs has no end to wait for.
      void sql.end({ timeout: 0 }).catch(() => {});
      throw error;
    },
  );
  return { done, giveUp: () => reject(silence()) };
}

/** What still holds a connection after 5 s loses it. */
async function endWorkerPool(pool: WorkerPool): Promise<void> {
  let dropped: Promise<void> | undefined;
  const timer = setTimeout(() => (dropped = pool.drop()), 5_000);
  await pool.end().catch(() => {});
  clearTimeout(timer);
  // A server that is out of reach is not waited for; and no timer keeps a process that is done.
  if (dropped) await Promise.race([dropped, Bun.sleep(2_000)]);
}

async function startOwnPostgres(config: Config, guest: boolean, log: EmbeddedLog): Promise<EmbeddedPostgres> {
  const embedded = await startEmbedded({ dir: join(config.DATA_DIR, "postgres"), supervise: !guest, log });
  process.on("exit", () => embedded.stopNow());
  return embedded;
}

/** The secret of a development machine: made once, kept in the data folder, readable by its owner only. */
function developmentSecret(dataDir: string): string {
  const path = join(dataDir, "secret_key");
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(path, randomBytes(32).toString("hex"), { mode: 0o600 });
  }
  return readFileSync(path, "utf8").trim();
}
