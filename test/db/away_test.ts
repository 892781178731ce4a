// A service whose database is not there yet, or does not answer any more.
import { afterAll, describe, expect, test } from "bun:test";
import type { Context } from "../../src/context.ts";
import { loadConfig } from "../../src/config/mod.ts";
import { openPool } from "../../src/db/pool.ts";
import { createHealthApp } from "../../src/http/routes/health.ts";
import { createApp } from "../../src/http/mod.ts";
import { createService, openService } from "../../src/service/mod.ts";
import { startProcess, type ServiceProcess, until } from "../support/process.ts";
import { startProxy } from "../support/proxy.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
const running: ServiceProcess[] = [];
afterAll(() => Promise.all(running.map((started) => started.end("SIGKILL"))));

const settings = () => ({
  DATABASE_URL: service.databaseUrl,
  SECRET_KEY: service.config.SECRET_KEY,
  SMTP_URL: service.smtp.url,
});

/** An app whose only way to the database can be blocked, and that has a second of patience. */
async function blockable({ max = 3 } = {}) {
  const proxy = await startProxy(service.databaseUrl);
  const pool = openPool(proxy.url, { max, silenceS: 3 });
  const app = createApp({ ...service, pool, sql: pool, patienceMs: 1_000 } as Context);
  const ask = async (method: string, path: string, key: string, body?: unknown, idempotencyKey = "") => {
    const response = await app.handle(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          ...(idempotencyKey && { "idempotency-key": idempotencyKey }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    return { status: response.status, body: (await response.json()) as Record<string, any> };
  };
  return {
    proxy,
    pool,
    ask,
    async stop() {
      await pool.end({ timeout: 1 });
      await proxy.stop();
    },
  };
}

const mail = (to: string) => ({ to, from: `a@${DOMAIN}`, subject: "s", body: "b" });
const NOTHING = "Nothing was changed. Try again in a few seconds";
const PERHAPS =
  "It may have succeeded: repeat it with the same Idempotency-Key, or check before you repeat it";

describe("a database that does not answer", () => {
  test("is no reason to wait: every request ends with 503 in its time, also those that wait behind others", async () => {
    const { proxy, ask, stop } = await blockable();
    const { secret, public: key } = await service.createProject();
    expect((await ask("POST", "/v1/send", secret, mail("before@example.com"))).status).toBe(200);
    expect((await ask("POST", "/v1/track", key, { email: "a@example.com", event: "e" })).status).toBe(200);
    proxy.freeze();
    const asked = [
      ...Array.from({ length: 20 }, (_, i) => ask("POST", "/v1/send", secret, mail(`r${i}@example.com`))),
      ...Array.from({ length: 20 }, (_, i) =>
        ask("POST", "/v1/track", key, { email: `t${i}@example.com`, event: "e" }),
      ),
      ...Array.from({ length: 10 }, () => ask("GET", "/contacts", secret)),
    ];
    let ended = 0;
    for (const one of asked) void one.then(() => ended++);
    await until("all have ended", () => ended === asked.length);
    const answers = await Promise.all(asked);
    proxy.thaw();

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect(new Set(answers.map(({ body }) => body.error.code))).toEqual(new Set(["INTERNAL_SERVER_ERROR"]));
    // Nobody has seen that they may come in.
    expect(new Set(answers.map(({ body }) => body.error.suggestion))).toEqual(new Set([NOTHING]));
    await until("it answers again", async () => (await ask("GET", "/contacts", secret)).status === 200);
    await stop();
  }, 240_000);

  test("in the middle of a transaction: nothing was changed, and that holds", async () => {
    const { proxy, pool, ask, stop } = await blockable();
    const { secret } = await service.createProject();
    await ask("GET", "/contacts", secret);
    // Whoever wants to write mails waits for this one.
    const { promise: over, resolve: release } = Promise.withResolvers<void>();
    const holding = service.pool.begin(async (sql) => {
      await sql`lock table emails in share mode`;
      await over;
    });
    const asking = ask("POST", "/v1/send", secret, mail("held@example.com"), "once");
    const { status, body } = await asking;
    release();
    await holding;

    expect([status, body.error.suggestion]).toEqual([503, NOTHING]);
    await until("the pool is at rest", async () => (await ask("GET", "/contacts", secret)).status === 200);
    expect((await ask("POST", "/v1/send", secret, mail("held@example.com"), "once")).status).toBe(200);
    const rows = await service.pool`select status from emails where address = 'held@example.com'`;
    expect(rows).toHaveLength(1);
    expect(pool.options.max).toBe(3);
    proxy.thaw();
    await stop();
  }, 240_000);

  test("at the commit: the answer says that it may have been done, and the Idempotency-Key tells whether it was", async () => {
    const { proxy, ask, stop } = await blockable();
    const { secret } = await service.createProject();
    await ask("GET", "/contacts", secret);
    // The commit itself waits: its constraint is looked at last, and needs what somebody holds.
    await service.pool.unsafe(`
      create function hold_commit() returns trigger language plpgsql as $$
      begin perform pg_sleep(2.5); return null; end $$;
      create constraint trigger hold_commit after insert on emails deferrable initially deferred
      for each row when (new.address = 'commit@example.com') execute function hold_commit();`);
    const { status, body } = await ask("POST", "/v1/send", secret, mail("commit@example.com"), "twice");
    const mails = () => service.pool`select from emails where address = 'commit@example.com'`;
    await until("it is committed", async () => (await mails()).length === 1);
    const again = await ask("POST", "/v1/send", secret, mail("commit@example.com"), "twice");
    await service.pool`drop function hold_commit cascade`;

    expect([status, body.error.suggestion]).toEqual([503, PERHAPS]);
    expect([again.status, again.body.error.code]).toEqual([409, "IDEMPOTENCY_KEY_REUSED"]);
    expect(await mails()).toHaveLength(1);
    expect(proxy.connections()).toBeGreaterThan(0);
    await stop();
  }, 240_000);

  test("ends the connection that hung: the pool has another one, and none too many", async () => {
    const { proxy, pool, ask, stop } = await blockable({ max: 1 });
    const { secret } = await service.createProject();
    await ask("GET", "/contacts", secret);
    const before = await pool`select pg_backend_pid() as pid`;
    proxy.freeze();
    await ask("GET", "/contacts", secret);
    await until("another one is made in its place", async () => {
      await ask("GET", "/contacts", secret);
      return proxy.connections() > 1;
    });
    proxy.thaw();
    await until("it answers again", async () => (await ask("GET", "/contacts", secret)).status === 200);
    const after = await pool`select pg_backend_pid() as pid`;

    expect(after[0]!.pid).not.toBe(before[0]!.pid);
    await until("there is one alone", () => proxy.connections() === 1);
    await stop();
  }, 240_000);
});

test("a database that is at work with every connection is ready all the same", async () => {
  const { ctx, close } = await openService(loadConfig({ ...settings(), LOG_LEVEL: "error" }));
  await service.pool`insert into workers (id, host, pid) values (gen_random_uuid(), 'h', 1)`;
  const work = Array.from({ length: ctx.pool.options.max }, () => ctx.pool`select pg_sleep(4)`);
  let done = 0;
  for (const one of work) void one.then(() => done++);
  const app = createHealthApp(ctx);
  const ready = async () => await app.handle(new Request("http://localhost/ready"));
  const answers = await Promise.all([ready(), ready(), ready()]);
  const doneBefore = done;
  await Promise.all(work);
  await service.pool`delete from workers`;
  await close();

  expect(doneBefore).toBe(0);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
}, 240_000);

describe("a start while the database is away", () => {
  test("waits for it, says so with the name of the setting, and answers /health 200 and all else 503", async () => {
    const proxy = await startProxy(service.databaseUrl);
    proxy.cut({ refuse: true });
    const port = String(20_000 + Math.floor(Math.random() * 10_000));
    const url = `http://127.0.0.1:${port}`;
    const starting = startProcess({ ...settings(), DATABASE_URL: proxy.url, PORT: port });
    const statusOf = async (path: string) =>
      await fetch(`${url}${path}`, { method: path === "/v1/send" ? "POST" : "GET" }).then(
        async (response) => [response.status, (await response.json()) as Record<string, any>] as const,
        () => [0, {} as Record<string, any>] as const,
      );
    await until("it listens", async () => (await statusOf("/health"))[0] === 200);
    const [ready, send, contacts] = await Promise.all(["/ready", "/v1/send", "/contacts"].map(statusOf));
    proxy.admit();
    const only = await starting;
    running.push(only);

    expect(ready).toEqual([503, expect.objectContaining({ ready: false, database: false })]);
    expect([send![0], send![1].error.code, contacts![0]]).toEqual([503, "INTERNAL_SERVER_ERROR", 503]);
    const said = only
      .output()
      .split("\n")
      .find((line) => line.includes("waiting for the database"))!;
    expect(JSON.parse(said)).toMatchObject({ level: "warn", setting: "DATABASE_URL" });
    await until("it is ready", async () => (await statusOf("/ready"))[0] === 200);
    expect((await statusOf("/contacts"))[0]).toBe(401);
    expect(await only.end("SIGTERM")).toBe(0);
    await proxy.stop();
  }, 240_000);

  test.each([
    [
      "that does not come back",
      "postgres://nobody@127.0.0.1:9/none",
      /^Cannot reach the database in DATABASE_URL within 1 s: /,
    ],
    ["that has another password", "", /^Cannot use DATABASE_URL: password authentication failed/],
  ])(
    "%s ends with 1 and one line",
    async (_which, address, line) => {
      const wrong = new URL(service.databaseUrl);
      wrong.password = "wrong";
      const DATABASE_URL = address || wrong.href;
      const refused = await startProcess({ ...settings(), DATABASE_URL, DATABASE_WAIT_SECONDS: "1" }).then(
        () => "started",
        (error: Error) => error.message,
      );
      const lines = refused.trim().split("\n");

      expect(lines[0]).toContain("it ended with 1");
      expect(lines.at(-1)).toMatch(line);
    },
    240_000,
  );

  test("goes on when it blinks at any step, and ends in its time when it freezes in a migration", async () => {
    const proxy = await startProxy(service.databaseUrl);
    const config = loadConfig({ ...settings(), DATABASE_URL: proxy.url, LOG_LEVEL: "error" });
    // Each start comes one connection further before the database is away.
    const blinking = async (after: number) => {
      const { prepare, close } = await createService(config, { guest: true });
      const before = proxy.attempts();
      let isOver = false;
      const blink = async () => {
        while (!isOver && proxy.attempts() - before < after) await Bun.sleep(1);
        proxy.cut({ refuse: true });
        await Bun.sleep(50);
        proxy.admit();
      };
      const blinked = blink();
      const said = await prepare({ waitS: 20 }).then(
        () => "prepared",
        (error: Error) => error.message,
      );
      isOver = true;
      await blinked;
      await close();
      return said;
    };
    const said: string[] = [];
    for (let after = 1; after <= 6; after++) said.push(await blinking(after));
    expect(said).toEqual(Array.from({ length: 6 }, () => "prepared"));

    // Somebody else migrates, which may take long; then the network is gone.
    const lock = Promise.withResolvers<void>();
    const locked = service.pool.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(7672451)`;
      await lock.promise;
    });
    const { prepare, close } = await createService(config, { guest: true });
    let isOver = false;
    const frozen = prepare({ waitS: 1, silenceMs: 1_500 }).then(
      () => "prepared",
      (error: Error) => error.message,
    );
    void frozen.then(() => (isOver = true));
    const waits = () => service.pool`
      select from pg_stat_activity where application_name = 'postrider migrations' and wait_event = 'advisory'`;
    await until("it waits for the other one", async () => (await waits()).length === 1);
    await Bun.sleep(3_000);
    expect(isOver).toBe(false);
    proxy.freeze();
    expect(await frozen).toStartWith("Cannot reach the database in DATABASE_URL within 1 s: ");
    proxy.cut();
    await close();

    // Whoever is told to stop does not wait for the other one.
    const stop = new AbortController();
    const cutOff = (await waits()).length;
    const told = await createService({ ...config, DATABASE_URL: service.databaseUrl }, { guest: true });
    const stopped = told.prepare({ waitS: 3_600, signal: stop.signal }).then(
      () => "prepared",
      (error: Error) => error.name,
    );
    await until("it waits for the other one", async () => (await waits()).length > cutOff);
    stop.abort();
    expect(await stopped).toBe("AbortError");
    lock.resolve();
    await locked;
    await told.close();
    await proxy.stop();
  }, 240_000);

  test("is given up at once when it is told to stop", async () => {
    const child = Bun.spawn([process.execPath, "src/main.ts"], {
      cwd: `${import.meta.dir}/../..`,
      env: {
        PATH: process.env.PATH!,
        PORT: "0",
        ...settings(),
        DATABASE_URL: "postgres://nobody@127.0.0.1:9/none",
        DATABASE_WAIT_SECONDS: "3600",
      },
      stdout: "pipe",
      stderr: "pipe",
    });
    let output = "";
    void (async () => {
      for await (const chunk of child.stdout) output += new TextDecoder().decode(chunk);
    })();
    await until("it waits", () => output.includes("waiting for the database"));
    child.kill("SIGTERM");

    expect(await child.exited).toBe(0);
  });
});
