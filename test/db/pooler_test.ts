// A pooler in transaction mode between the service and Postgres.
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { loadConfig } from "../../src/config/mod.ts";
import { openPool } from "../../src/db/pool.ts";
import { isTransactionPooled } from "../../src/db/pooler.ts";
import { examine, type Finding } from "../../src/doctor/mod.ts";
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

const bounceTo = async (target: string, options = {}) => {
  const bouncer = await startPgbouncer(target, options);
  bouncers.push(bouncer);
  return bouncer.url;
};
const bounce = async (options = {}) => await bounceTo(service.databaseUrl, options);
/** What the doctor says, of the database and of the pooler. */
const doctor = async (settings: Record<string, string>) => {
  const env = { SECRET_KEY: service.config.SECRET_KEY, BASE_URL: "http://127.0.0.1:9", ...settings };
  const findings = await examine(() => loadConfig(env));
  const said = ({ status, message, advice = "" }: Finding) => `${status} ${message} ${advice}`;
  const of = (name: string) => findings.filter(({ check }) => check === name).map(said);
  return { database: of("database"), pooler: of("pooler"), proxies: of("trusted_proxies") };
};
const refusalOf = async (settings: Record<string, string>) =>
  await start(settings).then(
    () => "started",
    (error: Error) => error.message,
  );
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
    240_000,
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
    240_000,
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
      await service.smtp.waitFor(60, 180_000);
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
    240_000,
  );

  test.skipIf(NO_PGBOUNCER !== "")(
    "two addresses of different databases are refused at the start and by the doctor, and nothing is written to the other one",
    async () => {
      const DATABASE_URL = await bounce();
      const admin = openPool(service.databaseUrl, { max: 1 });
      const other = new URL(service.databaseUrl);
      other.pathname = `/test_other_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
      await admin`create database ${admin(other.pathname.slice(1))}`;
      const settings = { DATABASE_URL, DATABASE_DIRECT_URL: other.href };
      const [refused, { pooler }] = [await refusalOf(settings), await doctor(settings)];
      const foreign = openPool(other.href, { max: 1 });
      const tables =
        await foreign`select from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`;
      await foreign.end();
      await admin`drop database ${admin(other.pathname.slice(1))} with (force)`;
      await admin.end();

      expect(refused).toContain(
        "Cannot use DATABASE_DIRECT_URL: it leads to a different database than DATABASE_URL",
      );
      expect(pooler).toEqual([
        expect.stringMatching(
          /^error DATABASE_DIRECT_URL points to a different database than DATABASE_URL Both/,
        ),
      ]);
      expect(tables).toHaveLength(0);
    },
    240_000,
  );

  test.skipIf(NO_PGBOUNCER !== "")(
    "the doctor tells what is missing: the way past it, and an end for statements that run away",
    async () => {
      const [DATABASE_URL, lenient] = [await bounce(), await bounce({ ignoring: "statement_timeout" })];
      const DATABASE_DIRECT_URL = service.databaseUrl;
      const [alone, ignoring] = [await doctor({ DATABASE_URL }), await doctor({ DATABASE_URL: lenient })];
      const both = await doctor({ DATABASE_URL, DATABASE_DIRECT_URL });
      const twice = await doctor({ DATABASE_URL, DATABASE_DIRECT_URL: DATABASE_URL });
      const database = new URL(service.databaseUrl).pathname.slice(1);
      await service.pool`alter database ${service.pool(database)} set statement_timeout = '30s'`;
      const bounded = await doctor({ DATABASE_URL: await bounce(), DATABASE_DIRECT_URL });
      await service.pool`alter database ${service.pool(database)} reset statement_timeout`;

      expect(alone.database).toEqual([
        expect.stringMatching(/^error Cannot run with DATABASE_URL alone: .* Set DATABASE_DIRECT_URL/),
      ]);
      expect(alone.proxies).toEqual([expect.stringMatching(/^skipped /)]);
      expect(ignoring.pooler).toEqual([
        expect.stringMatching(/^error DATABASE_URL points to .* Set DATABASE_DIRECT_URL/),
      ]);
      expect(twice.pooler).toEqual([
        expect.stringMatching(/^error DATABASE_DIRECT_URL points to a pooler, too/),
      ]);
      expect(both.pooler).toEqual([
        expect.stringMatching(
          /^warning Through the pooler, statements have no time limit.* SET statement_timeout = '30s'/,
        ),
      ]);
      expect(bounded.pooler).toEqual([expect.stringMatching(/^ok /)]);
    },
    240_000,
  );

  test.skipIf(NO_PGBOUNCER !== "")(
    "a database that it does not have, or a password that Postgres refuses, is not waited for; a Postgres that is away is",
    async () => {
      const DATABASE_DIRECT_URL = service.databaseUrl;
      const unknown = new URL(await bounce());
      unknown.pathname = "/nowhere";
      const wrong = new URL(service.databaseUrl);
      wrong.password = "wrong";
      const away = new URL(service.databaseUrl);
      away.port = "9";
      const refused = async (DATABASE_URL: string, DATABASE_WAIT_SECONDS: string) =>
        (await refusalOf({ DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_WAIT_SECONDS }))
          .trim()
          .split("\n")
          .at(-1);

      expect(await refused(unknown.href, "3600")).toStartWith("Cannot use DATABASE_URL: ");
      expect(await refused(await bounceTo(wrong.href), "3600")).toStartWith("Cannot use DATABASE_URL: ");
      expect(await refused(await bounceTo(away.href), "1")).toStartWith(
        "Cannot reach the database in DATABASE_URL within 1 s",
      );
    },
    240_000,
  );

  test.skipIf(NO_PGBOUNCER !== "")(
    "is told from Postgres itself, whichever connection it chooses",
    async () => {
      expect(await isTransactionPooled(await bounce())).toBe(true);
      const url = await bounce({ takesTurns: true });
      const busy = openPool(url, { max: 6, isPooled: true });
      await Promise.all(Array.from({ length: 6 }, () => busy`select pg_sleep(0.2)`));
      expect(await isTransactionPooled(url)).toBe(true);
      await busy.end();
      expect(await isTransactionPooled(service.databaseUrl)).toBe(false);
    },
  );
});
