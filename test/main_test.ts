// The service as a process: killed, stopped, and with its Postgres taken away.
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startWarnings } from "../src/service/start_warnings.ts";
import { addVerifiedDomain } from "../src/accounts/projects/domains.ts";
import { loadConfig } from "../src/config/mod.ts";
import { startEmbedded } from "../src/embedded/mod.ts";
import { openPool } from "../src/db/pool.ts";
import { makeDkimKey } from "../src/sending/dkim_keys.ts";
import { settleDoubts } from "../src/sending/delivery/recovery.ts";
import { startWorker } from "../src/worker/mod.ts";
import { DOMAIN, useService } from "./support/service.ts";
import { startProcess, type ServiceProcess, until } from "./support/process.ts";
import { startSmtpServer } from "./support/smtp_server.ts";

const service = useService();
const SECRET_KEY = "a secret that only the tests know, 32+";
const running = new Set<ServiceProcess>();
const folders: string[] = [];

const start = async (settings: Record<string, string>) => {
  const started = await startProcess({ SECRET_KEY, RATE_LIMIT_PER_MINUTE: "0", ...settings });
  running.add(started);
  return started;
};
/** One data folder for all tests that need no first start: to make its Postgres takes some seconds. */
const USED = mkdtempSync(join(tmpdir(), "postrider-main-used-"));
const folder = () => {
  const dir = mkdtempSync(join(tmpdir(), "postrider-main-"));
  folders.push(dir);
  return dir;
};

afterEach(async () => {
  for (const started of running) await started.end("SIGKILL");
  running.clear();
});

afterAll(() => {
  for (const dir of [USED, ...folders]) rmSync(dir, { recursive: true, force: true });
});

const post = async (url: string, path: string, key: string, body: unknown) => {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, any> };
};

const statuses = async (ids: string[]) => {
  const rows = await service.pool`select id, status from emails where id = any(${ids})`;
  return new Map(rows.map((row) => [row.id as string, row.status as string]));
};

describe("a worker that is killed in mid-delivery", () => {
  test("leaves nothing lost, and nothing sent twice but what the ledger calls in doubt; the next one finishes without a sweep", async () => {
    const project = await service.createProject();
    const smtp = await startSmtpServer();
    const killed = Promise.withResolvers<void>();
    const SOME = 60;
    // Each of its connections has a mail in flight when it is killed.
    smtp.behave({ holdData: () => (smtp.received.length < SOME ? Bun.sleep(40) : killed.promise) });
    const settings = {
      DATABASE_URL: service.databaseUrl,
      MODE: "worker",
      SMTP_URL: `${smtp.url}?maxConnections=5`,
    };
    const to = Array.from({ length: 300 }, (_, i) => `kill${i}@example.com`);
    const { body } = await service.request("POST", "/v1/send", {
      key: project.secret,
      body: { to, from: `a@${DOMAIN}`, subject: "s", body: "b" },
    });
    const acceptedAt = Date.now();
    const ids = body.data.emails.map((email: { email: string }) => email.email) as string[];

    const first = await start(settings);
    await smtp.waitFor(SOME);
    await first.end("SIGKILL");
    killed.resolve();
    smtp.behave({ holdData: () => Bun.sleep(40) });
    await start(settings);
    await until("every mail sent or in doubt", async () => {
      const all = [...(await statuses(ids)).values()];
      return all.every((status) => status === "SENT" || status === "IN_DOUBT");
    });
    const seconds = (Date.now() - acceptedAt) / 1000;

    const inDoubt = [...(await statuses(ids))]
      .filter(([, status]) => status === "IN_DOUBT")
      .map(([id]) => id);
    // A sweep looks for what has been overdue for two minutes.
    expect(seconds).toBeLessThan(120);
    expect(inDoubt.length).toBeWithin(1, 6);
    const arrivals = () => Map.groupBy(smtp.received, ({ source }) => /<([0-9a-f-]{36})@/.exec(source)![1]!);
    expect(ids.filter((id) => !arrivals().has(id) && !inDoubt.includes(id))).toEqual([]);
    expect([...arrivals().values()].filter((messages) => messages.length > 1)).toEqual([]);

    service.setNow(new Date(Date.now() + 16 * 60_000));
    await settleDoubts(service);
    service.setNow(new Date());
    await until("what was in doubt is sent again", async () => {
      return [...(await statuses(ids)).values()].every((status) => status === "SENT");
    });
    const twice = [...arrivals()].filter(([, messages]) => messages.length > 1).map(([id]) => id);
    expect(arrivals().size).toBe(300);
    expect(twice.every((id) => inDoubt.includes(id))).toBe(true);
    await smtp.stop();
  }, 240_000);
});

describe("SIGTERM", () => {
  test("finishes what is in flight, leaves the rest to others, and exits with 0", async () => {
    const project = await service.createProject();
    const smtp = await startSmtpServer();
    smtp.behave({ holdData: () => Bun.sleep(300) });
    const settings = { DATABASE_URL: service.databaseUrl, SMTP_URL: `${smtp.url}?maxConnections=4` };
    const only = await start(settings);
    const to = Array.from({ length: 40 }, (_, i) => `term${i}@example.com`);
    const { status, body } = await post(only.url, "/v1/send", project.secret, {
      to,
      from: `a@${DOMAIN}`,
      subject: "s",
      body: "b",
    });
    const ids = body.data.emails.map((email: { email: string }) => email.email) as string[];
    await smtp.waitFor(4);
    const code = await only.end("SIGTERM");
    const left = [...(await statuses(ids)).values()];

    expect([status, code]).toEqual([200, 0]);
    expect(new Set(left)).toEqual(new Set(["SENT", "PENDING"]));
    expect(left.filter((s) => s === "SENT")).toHaveLength(smtp.received.length);
    expect(await service.pool`select from workers where pid = ${only.pid}`).toHaveLength(0);

    smtp.behave({});
    await start(settings);
    await until("the rest is sent", async () =>
      [...(await statuses(ids)).values()].every((s) => s === "SENT"),
    );
    expect(smtp.received).toHaveLength(40);
    await smtp.stop();
  }, 240_000);
});

describe("Postgres", () => {
  test("gone and back: a clear answer meanwhile, and the service goes on without a restart", async () => {
    const dir = join(USED, "postgres");
    const postgres = await startEmbedded({ dir, supervise: false });
    const smtp = await startSmtpServer();
    const only = await start({ DATABASE_URL: postgres.url, SMTP_URL: smtp.url, DATA_DIR: folder() });
    const { createProject } = await import("../src/accounts/projects/mod.ts");
    const pool = openPool(postgres.url, { max: 1 });
    const ctx = { ...service, pool, sql: pool };
    const project = await createProject(ctx, "Test");
    await addVerifiedDomain(ctx, project.id, DOMAIN);
    await pool.end();
    const send = (to: string) =>
      post(only.url, "/v1/send", project.secret, { to, from: `a@${DOMAIN}`, subject: "s", body: "b" });
    const ready = async () => (await fetch(`${only.url}/ready`)).status;

    expect((await send("before@example.com")).status).toBe(200);
    await smtp.waitFor(1);
    await postgres.stop();
    const [away, notReady, alive] = [
      await send("away@example.com"),
      await ready(),
      await fetch(`${only.url}/health`),
    ];
    const again = await startEmbedded({ dir, supervise: false });
    await until("ready again", async () => (await ready()) === 200);
    const after = await send("after@example.com");
    await smtp.waitFor(2, 180_000);

    expect([away.status, away.body.error.code, notReady, alive.status]).toEqual([
      503,
      "INTERNAL_SERVER_ERROR",
      503,
      200,
    ]);
    expect(after.status).toBe(200);
    // The queue's advice about its pool, which would stand in every start.
    expect(only.output()).not.toContain("maxPoolSize");
    expect(smtp.received.map((message) => message.to[0])).toEqual([
      "before@example.com",
      "after@example.com",
    ]);
    await only.end("SIGTERM");
    await again.stop();
    await smtp.stop();
  }, 240_000);
});

describe("two services with one DATA_DIR", () => {
  test.each([
    ["the one that started Postgres", 0],
    ["the one that took it over", 1],
  ])(
    "share it; when %s ends, the other keeps it, and ends it as the last",
    async (_, leaving) => {
      const DATA_DIR = USED;
      const both = [await start({ DATA_DIR }), await start({ DATA_DIR })];
      const postgres = () => Bun.file(join(DATA_DIR, "postgres/connection.json")).json();
      const { place } = (await postgres()) as { place: string };
      const pidFile = Bun.file(join(resolve(DATA_DIR, "postgres", place), "data/postmaster.pid"));
      const before = await pidFile.text();
      const [left, stayed] = [both[leaving]!, both[1 - leaving]!];
      const leftWith = await left.end("SIGTERM");
      // A supervisor would have noticed within 300 ms that it is gone.
      await Bun.sleep(500);
      const ready = (await fetch(`${stayed.url}/ready`)).status;

      expect([leftWith, ready, await pidFile.text()]).toEqual([0, 200, before]);
      expect(stayed.output()).not.toContain("embedded Postgres is gone");
      expect(await stayed.end("SIGTERM")).toBe(0);
      expect(await pidFile.exists()).toBe(false);
    },
    240_000,
  );

  test("one that was killed does not keep it running", async () => {
    const DATA_DIR = USED;
    const [first, second] = [await start({ DATA_DIR }), await start({ DATA_DIR })];
    await first.end("SIGKILL");
    await second.end("SIGTERM");
    const { place } = (await Bun.file(join(DATA_DIR, "postgres/connection.json")).json()) as {
      place: string;
    };

    expect(existsSync(join(resolve(DATA_DIR, "postgres", place), "data/postmaster.pid"))).toBe(false);
  }, 240_000);
});

describe("production", () => {
  test("says at the start and in /ready, which is 200, what the operator should know; a short Host is routed like any other", async () => {
    const project = await service.createProject();
    const { domainId } = await addVerifiedDomain(service, project.id, "sealed.example");
    await makeDkimKey(service, project.id, domainId);
    // Only a key whose record was seen signs.
    await service.pool`update domains set verified_at = now() where project_id = ${project.id}`;
    const BASE_URL = "https://mail.shop.example";
    const settings = {
      DATABASE_URL: service.databaseUrl,
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      BASE_URL,
    };
    const SMTP_URL = service.smtp.url;
    const [kept, silent, sent, lost] = await Promise.all([
      start(settings),
      start({ ...settings, SMTP_URL }),
      start({ ...settings, SMTP_URL, PLATFORM_FROM: "a@shop.example" }),
      start({
        ...settings,
        SMTP_URL,
        PLATFORM_FROM: "a@shop.example",
        SECRET_KEY: "another secret, of 32 characters",
      }),
    ]);
    const ready = async ({ url }: ServiceProcess) => {
      const answer = await fetch(`${url}/ready`, { headers: { host: "x" } });
      const { note } = (await answer.json()) as { note?: string };
      return { status: answer.status, note: note ?? "" };
    };
    const states = await Promise.all([kept, silent, sent, lost].map(ready));
    const complaints = (process: ServiceProcess) =>
      process
        .output()
        .split("\n")
        .filter((line) => /"level":"(warn|error)"/.test(line))
        .map((line) => JSON.parse(line) as { level: string; message: string })
        .map(({ level, message }) => `${level} ${message}`);
    await until("the lost key is told", () => complaints(lost).length > 0);

    expect(states.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(states[0]!.note).toMatch(/^SMTP_URL is not set: no mail is sent/);
    expect(states[1]!.note).toMatch(/^PLATFORM_FROM is not set: verifications/);
    expect(states[2]!.note).toBe("");
    expect(states[3]!.note).toMatch(/^SECRET_KEY is not the one that the DKIM keys were encrypted with/);
    expect(complaints(kept)).toEqual([`warn ${states[0]!.note}`]);
    expect(complaints(silent)).toEqual([`warn ${states[1]!.note}`]);
    expect(complaints(sent)).toEqual([]);
    expect(complaints(lost)).toEqual([`error ${states[3]!.note}`]);
  }, 240_000);

  test("warns at the start of an embedded Postgres, and of links that nobody else can open", async () => {
    const production = {
      NODE_ENV: "production",
      SECRET_KEY,
      SMTP_URL: "smtp://a.example",
      PLATFORM_FROM: "a@a.example",
    };
    const warnings = async (more: Record<string, string>) =>
      (await startWarnings({ ...service, config: loadConfig({ ...production, ...more }) })).map(
        ({ message }) => message,
      );
    const [DATABASE_URL, BASE_URL] = ["postgres://db/postrider", "https://mail.example.com"];

    expect(await warnings({ DATABASE_URL, BASE_URL })).toEqual([]);
    expect(await warnings({ BASE_URL })).toEqual([
      expect.stringMatching(/^DATABASE_URL is not set: .*embedded Postgres/),
    ]);
    expect(await warnings({ DATABASE_URL })).toEqual([
      expect.stringMatching(/^BASE_URL is http:\/\/localhost.*: links in/),
    ]);
    expect(await warnings({ NODE_ENV: "development" })).toEqual([]);
  });
});

describe("MODE=worker", () => {
  test("answers /health and /ready and nothing else, so that its container is healthy", async () => {
    const only = await start({
      DATABASE_URL: service.databaseUrl,
      MODE: "worker",
      SMTP_URL: service.smtp.url,
    });
    const statusOf = async (path: string) => (await fetch(`${only.url}${path}`)).status;
    const dockerfile = await Bun.file(join(import.meta.dir, "../Dockerfile")).text();
    const [, ...check] = JSON.parse(/HEALTHCHECK[^[]*(\[.*\])/.exec(dockerfile)![1]!) as string[];
    const healthy = async (port: string) =>
      await Bun.spawn([process.execPath, ...check], { env: { PORT: port } }).exited;

    expect([await statusOf("/health"), await statusOf("/ready")]).toEqual([200, 200]);
    expect([await statusOf("/v1/send"), await statusOf("/inbox")]).toEqual([404, 404]);
    expect(await healthy(new URL(only.url).port)).toBe(0);
    expect(await healthy("9")).toBe(1);
  });

  test("its heartbeat waits neither for the connections of the requests nor for a recovery", async () => {
    const busy = openPool(service.databaseUrl, { max: 1 });
    const heartPool = openPool(service.databaseUrl, { max: 1, name: "postrider heartbeat" });
    const held = await busy.reserve();
    const workerId = Bun.randomUUIDv7();
    const ctx = { ...service, pool: busy, sql: busy, workerId };
    const seen = async () => {
      const [row] = await service.pool`select seen_at from workers where id = ${workerId}`;
      return row?.seenAt as Date | undefined;
    };
    const starting = startWorker(
      ctx,
      { workerPool: service.workerPool, heartPool },
      {
        tasks: {} as never,
        crontab: "",
        reap: async () => {},
        onBeat: () => new Promise(() => {}),
        onStop: async () => {},
      },
    );
    await until("the first beat", async () => (await seen()) !== undefined);
    const beats = new Set<number>();
    await until("beats one after the other", async () => beats.add((await seen())!.getTime()).size >= 4);
    held.release();
    const worker = await starting;
    await worker.stop();

    expect(await seen()).toBeUndefined();
    await Promise.all([busy.end(), heartPool.end()]);
  }, 240_000);
});

describe("a service that cannot listen", () => {
  test.each([
    ["all", "PORT", "address already in use. Set PORT to another one"],
    ["worker", "PORT", "address already in use. Set PORT to another one"],
    ["http", "HOST", "not an address of this machine. Set HOST to another one"],
  ])("with MODE=%s and a wrong %s, says so in one line and ends with 1", async (MODE, name, reason) => {
    const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const [HOST, PORT] = [name === "HOST" ? "192.0.2.1" : "127.0.0.1", `${other.port}`];
    const settings = { DATABASE_URL: service.databaseUrl, SMTP_URL: service.smtp.url, MODE, HOST, PORT };
    const said = await start(settings).then(
      () => "started",
      (refused: Error) => refused.message,
    );
    await other.stop();

    expect(said).toBe(
      `Cannot start the service because it ended with 1:\nCannot listen on ${HOST}:${PORT}: ${reason}\n`,
    );
  });
});

/** What a person finds who follows the printed link and presses its button, and what the next one finds. */
async function consoleBy(link: string) {
  const { origin, searchParams } = new URL(link);
  // Previews look at a link too, and use nothing up.
  for (const _ of [1, 2]) expect((await fetch(link)).status).toBe(200);
  const press = () =>
    fetch(`${origin}/auth/start/page`, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
      body: new URLSearchParams({ token: searchParams.get("token")! }).toString(),
    });
  const pressed = await press();
  expect([pressed.status, pressed.headers.get("location")]).toEqual([303, "/app"]);
  const headers = { cookie: pressed.headers.getSetCookie()[0]!.split(";")[0]! };
  const me = (await (await fetch(`${origin}/users/@me`, { headers })).json()) as { email: string };
  const projects = (await (await fetch(`${origin}/users/@me/projects`, { headers })).json()) as {
    name: string;
  }[];
  return { user: me.email, projects: projects.map(({ name }) => name), again: (await press()).status };
}

describe("the first start", () => {
  test("with nothing set makes a project and shows, last and without a warning, curl lines that work as printed", async () => {
    const only = await start({ DATA_DIR: folder(), SECRET_KEY: "" });
    await until("the welcome is shown", () => only.output().includes("/docs/api\n\n"));
    const shown = only.output();
    const commands = shown
      .split("\n\n")
      .map((part) => part.trim())
      .filter((part) => part.startsWith("curl"));
    const answers = commands.map((command) => Bun.spawnSync(["sh", "-c", `${command} -s`]).stdout.toString());

    expect(shown).toMatch(/\/docs\/api\n\n$/);
    expect(shown).not.toContain('"level":"warn"');
    expect(commands).toHaveLength(2);
    expect(answers.map((answer) => JSON.parse(answer).success)).toEqual([true, true]);
    expect(shown).toMatch(/pk_[0-9a-f]{48}/);
    expect(shown).toMatch(/sk_[0-9a-f]{48}/);
    const link = /(http:\S+\/auth\/start\?token=\S+)/.exec(shown)![1]!;
    expect(await consoleBy(link)).toEqual({ user: "owner@sandbox.example", projects: ["Demo"], again: 400 });
    const inbox = /(http:\S+\/inbox)/.exec(shown)![1]!;
    await until("the mail is in the inbox", async () => {
      const mails = (await (await fetch(`${inbox}/mails`)).json()) as { subject: string }[];
      return JSON.stringify(mails).includes("Hello Ada");
    });
    expect(await only.end("SIGTERM")).toBe(0);
  }, 240_000);

  test("in production without SECRET_KEY does not happen, and every wrong setting is named at once", async () => {
    const error = await startProcess({
      NODE_ENV: "production",
      PORT: "many",
      MODE: "half",
      DATA_DIR: folder(),
    }).then(
      () => "started",
      (refused: Error) => refused.message,
    );

    for (const name of ["SECRET_KEY", "PORT", "MODE"]) expect(error).toContain(`${name}: `);
  });
});
