import { isProduction } from "../config/mod.ts";
import { FOREIGN, isForeign, migrationNames } from "../db/migrate.ts";
import { q } from "../db/queries.ts";
import { type Check, failure, type Finding, ok, type Patient, skipped, warning } from "./_findings.ts";

const OLDEST_VERSION = 150_000;
const PINGS = 5;
const SLOW_MS = 20;
/** What one process takes: its pool, that of the queue, and the heartbeat. */
const CONNECTIONS_A_PROCESS = 30;
const MAX_SKEW_MS = 5_000;

const UNREACHABLE = "The database cannot be reached";

/** The server: its version, how quickly it responds, and whether it has connections left. */
export const database: Check = {
  name: "database",
  limitMs: 8_000,
  needsDatabase: true,
  async look({ sql, config }) {
    if (!sql) return skipped("database", UNREACHABLE);
    const server = await q.doctor.database({ sql });
    const ms = await latency(sql);
    const { version, versionNumber, isReplica, connections, maxConnections } = server;
    const state = `Postgres ${version} answers in ${ms.toFixed(1)} ms; ${connections} of ${maxConnections} connections are in use`;
    if (versionNumber < OLDEST_VERSION) {
      return failure("database", `This is Postgres ${version}`, "Use Postgres 15 or newer.");
    }
    if (isReplica) {
      return failure("database", "This is a read-only replica", "Point DATABASE_URL at the primary.");
    }
    const found: Finding[] = [];
    if (maxConnections - connections < CONNECTIONS_A_PROCESS) {
      const advice = `A process takes up to ${CONNECTIONS_A_PROCESS} connections: raise max_connections of Postgres before you start another one.`;
      found.push(warning("database", state, advice));
    } else if (ms > SLOW_MS) {
      const advice = "Every request and every mail waits for it: run the service close to its database.";
      found.push(warning("database", state, advice));
    } else found.push(ok("database", state));
    if (isProduction(config) && !config.DATABASE_URL) found.push(embedded(config.DATA_DIR));
    return found;
  },
};

/** Whether the schema is that of this version. */
export const migrations: Check = {
  name: "migrations",
  limitMs: 8_000,
  needsDatabase: true,
  async look({ sql }) {
    if (!sql) return skipped("migrations", UNREACHABLE);
    const known = migrationNames();
    const applied = await appliedMigrations({ sql });
    if (isForeign(new Set(applied))) {
      const [message, advice] = FOREIGN.split(". ");
      return failure("migrations", message!, `${advice}.`);
    }
    const pending = known.filter((name) => !applied.includes(name));
    if (pending.length > 0) {
      const message =
        applied.length === 0
          ? "The database is empty"
          : `${pending.length} of ${known.length} migrations are not applied, from ${pending[0]} on`;
      const advice = "Run `bun run migrate`, or start the service, which applies them.";
      return failure("migrations", message, advice);
    }
    const unknown = applied.filter((name) => !known.includes(name));
    if (unknown.length > 0) {
      const message = `The database is newer than this version: it has ${unknown.join(", ")}`;
      return warning(
        "migrations",
        message,
        "Use the version of the service that migrated it, or a newer one.",
      );
    }
    return ok("migrations", `All ${known.length} are applied`);
  },
};

/** Whether somebody takes jobs. */
export const workers: Check = {
  name: "workers",
  limitMs: 8_000,
  needsDatabase: true,
  async look(patient) {
    const { sql, config } = patient;
    if (!sql) return skipped("workers", UNREACHABLE);
    if (!(await hasSchema(patient))) return skipped("workers", "The database is not migrated");
    const { total } = await q.workers.alive({ sql });
    if (total > 0) return ok("workers", total === 1 ? "1 process runs jobs" : `${total} processes run jobs`);
    const report = isProduction(config) ? failure : warning;
    const message = "No process runs jobs: mail is accepted, but waits";
    return report("workers", message, "Start the service with MODE=all (`bun run start`) or MODE=worker.");
  },
};

/** Whether the clocks of this machine and of the database agree. */
export const clock: Check = {
  name: "clock",
  limitMs: 8_000,
  needsDatabase: true,
  async look({ sql, now }) {
    if (!sql) return skipped("clock", UNREACHABLE);
    const before = now().getTime();
    const { now: theirs } = await q.doctor.clock({ sql });
    const ours = (before + now().getTime()) / 2;
    const skewMs = ours - theirs.getTime();
    const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
    if (Math.abs(skewMs) <= MAX_SKEW_MS) return ok("clock", `It is ${seconds} s off the database's clock`);
    const message = `The clock of this machine is ${seconds} s ${skewMs > 0 ? "ahead of" : "behind"} the database's clock`;
    const advice = "Synchronise both with NTP: schedules, limits and retries depend on them.";
    return warning("clock", message, advice);
  },
};

/** Whether statements about tables make sense. */
export async function hasSchema({ sql }: Patient): Promise<boolean> {
  if (!sql) return false;
  const applied = await appliedMigrations({ sql });
  return migrationNames().every((name) => applied.includes(name));
}

async function appliedMigrations(on: Parameters<typeof q.doctor.migrations>[0]): Promise<string[]> {
  try {
    return (await q.doctor.migrations(on)).map(({ name }) => name);
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}

const UNDEFINED_TABLE = "42P01";

async function latency(sql: NonNullable<Patient["sql"]>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < PINGS; i++) {
    const startedAt = performance.now();
    await q.doctor.clock({ sql });
    times.push(performance.now() - startedAt);
  }
  // The first one also prepares the statement.
  return times.toSorted((a, b) => a - b)[Math.floor(PINGS / 2)]!;
}

function embedded(dir: string): Finding {
  const message = `The database is the embedded Postgres in ${dir}`;
  const advice =
    "Keep that folder on a persistent disk that is backed up, or set DATABASE_URL to your own Postgres.";
  return warning("database", message, advice);
}
