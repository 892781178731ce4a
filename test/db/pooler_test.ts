// A pooler in transaction mode between the service and Postgres.
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { openPool } from "../../src/db/pool.ts";
import { isTransactionPooled } from "../../src/db/pooler.ts";
import { NO_PGBOUNCER, startPgbouncer } from "../support/pgbouncer.ts";
import { startProcess, type ServiceProcess, until } from "../support/process.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
const bouncers: { stop(): Promise<void> }[] = [];
const running: ServiceProcess[] = [];
afterEach(async () => {
  for (const started of running.splice(0)) await started.end("SIGKILL");
});
afterAll(() => Promise.all(bouncers.map((bouncer) => bouncer.stop())));

const bounce = async (options = {}) => {
  const bouncer = await startPgbouncer(service.databaseUrl, options);
  bouncers.push(bouncer);
  return bouncer.url;
};
const start = async (settings: Record<string, string>) => {
  const started = await startProcess({
    SECRET_KEY: service.config.SECRET_KEY,
    SMTP_URL: service.smtp.url,
    ...settings,
  });
  running.push(started);
  return started;
};

describe(`behind PgBouncer in transaction mode ${NO_PGBOUNCER}`, () => {
  test.skipIf(NO_PGBOUNCER !== "").each([
    ["as it is", ""],
    ["that takes parameters which it does not know", "statement_timeout,extra_float_digits"],
  ])(
    "(%s) a start without DATABASE_DIRECT_URL is refused with one sentence that says what to set",
    async (_which, ignoring) => {
      const DATABASE_URL = await bounce({ ignoring });
      const refused = await start({ DATABASE_URL }).then(
        () => "started",
        (error: Error) => error.message,
      );

      expect(refused.trim().split("\n")).toEqual([
        "Cannot start the service because it ended with 1:",
        "Cannot run with DATABASE_URL alone: it leads to a connection pooler (such as PgBouncer). Set DATABASE_DIRECT_URL to the address of Postgres itself",
      ]);
    },
    60_000,
  );

  test.skipIf(NO_PGBOUNCER !== "")(
    "a DATABASE_DIRECT_URL that leads there too is refused",
    async () => {
      const DATABASE_URL = await bounce();
      const refused = await start({ DATABASE_URL, DATABASE_DIRECT_URL: DATABASE_URL }).then(
        () => "started",
        (error: Error) => error.message,
      );

      expect(refused).toContain("Cannot use DATABASE_DIRECT_URL: ");
    },
    60_000,
  );

  test.skipIf(NO_PGBOUNCER !== "")(
    "with DATABASE_DIRECT_URL beside it all works: requests, jobs, heartbeat and a clean end",
    async () => {
      const { secret, public: key } = await service.createProject();
      const only = await start({ DATABASE_URL: await bounce(), DATABASE_DIRECT_URL: service.databaseUrl });
      const ask = async (method: string, path: string, token: string, body?: unknown) => {
        const response = await fetch(`${only.url}${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        return { status: response.status, body: (await response.json()) as Record<string, any> };
      };
      await until("it is ready", async () => (await ask("GET", "/ready", secret)).status === 200);
      // More at once than it has connections: statements of one client meet servers that know others.
      const asked = await Promise.all(
        Array.from({ length: 60 }, (_, i) => [
          ask("POST", "/v1/send", secret, {
            to: `p${i}@example.com`,
            from: `a@${DOMAIN}`,
            subject: "s {{n}}",
            body: "b",
            data: { n: i },
          }),
          ask("POST", "/v1/track", key, { email: `p${i}@example.com`, event: "came", data: { n: i } }),
          ask("GET", "/contacts?search=p1", secret),
        ]).flat(),
      );
      await service.smtp.waitFor(60, 50_000);
      const [worker] = await service.pool`select lock_id from workers where pid = ${only.pid}`;
      const locks = await service.pool`
      select from pg_locks where locktype = 'advisory' and classid = 7672452 and objid = ${worker!.lockId}
        and database = (select oid from pg_database where datname = current_database())`;

      expect(asked.filter(({ status }) => status !== 200)).toEqual([]);
      expect(locks).toHaveLength(1);
      expect(only.output()).not.toMatch(/"level":"(warn|error)"/);
      expect(await only.end("SIGTERM")).toBe(0);
      expect(await service.pool`select from workers where pid = ${only.pid}`).toHaveLength(0);
    },
    60_000,
  );

  test.skipIf(NO_PGBOUNCER !== "")(
    "with a DATABASE_DIRECT_URL that leads to another database does not start, and leaves that one alone",
    async () => {
      const name = `other_${Math.random().toString(36).slice(2)}`;
      await service.pool.unsafe(`create database ${name}`);
      const other = new URL(service.databaseUrl);
      other.pathname = `/${name}`;
      const refused = await start({ DATABASE_URL: await bounce(), DATABASE_DIRECT_URL: other.href }).then(
        () => "started",
        (error: Error) => error.message,
      );
      const sql = openPool(other.href, { max: 1 });
      const tables = await sql`select from pg_tables where schemaname = 'public'`;
      await sql.end();
      await service.pool.unsafe(`drop database ${name} with (force)`);

      expect(refused).toContain("it leads to another database than DATABASE_URL");
      expect(tables).toHaveLength(0);
    },
    60_000,
  );

  test.skipIf(NO_PGBOUNCER !== "")("is told from Postgres itself", async () => {
    expect(await isTransactionPooled(await bounce())).toBe(true);
    expect(await isTransactionPooled(service.databaseUrl)).toBe(false);
  });
});
