// `bun run admin doctor`: what it says of a set-up that is well, and of each that is broken in one way.
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Finding, toText } from "../src/doctor/mod.ts";
import { disableProject } from "../src/accounts/projects/mod.ts";
import { campaignsOf } from "./support/campaign.ts";
import { CLOSED, useDoctor } from "./support/doctor.ts";
import { useService } from "./support/service.ts";

const service = useService();
const ROOT = join(import.meta.dir, "..");
const { see, about, here, silent, smtpServer, endings } = useDoctor(service);
const CHECKS =
  "database migrations pooler workers clock smtp transports captured_mails submission domains dkim_keys campaigns base_url secret_key trusted_proxies platform_from spam_filter sns_topic_arns".split(
    " ",
  );

describe("admin doctor, as a process", () => {
  const doctor = (settings: Record<string, string>, ...args: string[]) => {
    const { PATH = "", HOME = "" } = process.env;
    const command = [process.execPath, join(ROOT, "src/admin.ts"), "doctor", ...args];
    const { stdout, stderr, exitCode } = Bun.spawnSync(command, { env: { PATH, HOME, ...settings } });
    return { out: stdout.toString(), err: stderr.toString(), exitCode };
  };

  test("finds no error in the embedded default, and says what is still to be done", () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), "postrider-doctor-"));
    endings.push(() => rmSync(DATA_DIR, { recursive: true, force: true }));
    const project = ["project", "create", "--name", "Demo", "--domain", "sandbox.example", "--verified"];
    const settings = { DATA_DIR, PORT: "9" };
    Bun.spawnSync([process.execPath, join(ROOT, "src/admin.ts"), ...project], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
    });
    const { out, exitCode } = doctor(settings);
    const json = doctor(settings, "--json");
    const { ok, findings } = JSON.parse(json.out) as { ok: boolean; findings: Finding[] };

    expect([exitCode, json.exitCode, ok]).toEqual([0, 0, true]);
    // A busy machine is slow to answer, and that is said.
    expect(["ok", "warning"]).toContain(findings[0]!.status);
    expect(findings.map(({ check, status }) => [check, check === "database" ? "" : status])).toEqual([
      ["database", ""],
      ["migrations", "ok"],
      ["pooler", "skipped"],
      ["workers", "warning"],
      ["clock", "ok"],
      ["smtp", "warning"],
      ["transports", "skipped"],
      ["captured_mails", "skipped"],
      ["submission", "skipped"],
      ["domain sandbox.example", "skipped"],
      ["dkim_keys", "skipped"],
      ["campaigns", "ok"],
      ["base_url", "warning"],
      ["secret_key", "skipped"],
      ["trusted_proxies", "ok"],
      ["platform_from", "skipped"],
      ["spam_filter", "skipped"],
      ["sns_topic_arns", "skipped"],
    ]);
    for (const word of ["bun run start", "Set SMTP_URL", "/inbox", "bun run admin release", "0 errors, "]) {
      expect(out).toContain(word);
    }
  }, 240_000);

  test("ends with 1 where there is an error, and writes no password", () => {
    const settings = {
      DATABASE_URL: `postgres://ada:s3cret@${CLOSED}/postrider`,
      SMTP_URL: `smtp://ada:s3cret@${CLOSED}`,
      NODE_ENV: "production",
      SECRET_KEY: "changeme-changeme-changeme-changeme",
      BASE_URL: `https://ada:s3cret@${CLOSED}/mail`,
    };
    const { out, err, exitCode } = doctor(settings);
    const json = doctor(settings, "--json");

    expect([exitCode, json.exitCode]).toEqual([1, 1]);
    expect(out).toContain("error    database");
    expect(JSON.parse(json.out)).toMatchObject({ ok: false });
    expect(out + err + json.out + json.err).not.toMatch(/s3cret|changeme/);
  });

  test("names settings that cannot be read", () => {
    const { out, exitCode } = doctor({ PORT: "many", SMTP_URL: "mail.example.com" });

    expect(exitCode).toBe(1);
    expect(out).toMatch(/error +settings[\s\S]*PORT:[\s\S]*SMTP_URL:/);
  });
});

describe("a set-up that is well", () => {
  test("is found so, with all that makes it so, and nothing is sent or changed", async () => {
    const { port, mails } = await smtpServer();
    await service.pool`insert into workers (id, host, pid) values (gen_random_uuid(), 'h', 1)`;
    endings.push(() => service.pool`delete from workers`);
    const findings = await see({
      SMTP_URL: `smtp://ada:right@127.0.0.1:${port}?tls.rejectUnauthorized=false`,
      PLATFORM_FROM: "Postrider <postrider@example.com>",
    });

    // How long the database takes is a matter of what else goes on here.
    const isBad = ({ check, status }: Finding) => check !== "database" && !["ok", "skipped"].includes(status);
    expect(findings.filter(isBad)).toEqual([]);
    expect(about(findings, "smtp")[0]!.message).toContain("encrypted; the login is accepted");
    expect(about(findings, "workers")[0]!.message).toBe("1 process runs jobs");
    expect(toText(findings.filter(({ check }) => check !== "database"))).toContain("All is well.");
    expect(mails).toEqual([]);
  });
});

describe("the database", () => {
  const checkOf = async (DATABASE_URL: string) => await see({ DATABASE_URL });
  const renamed = (change: (url: URL) => void) => {
    const url = new URL(service.databaseUrl);
    change(url);
    return url.href;
  };

  test("that cannot be reached is named, and all that does not need it is looked at", async () => {
    const { port } = await smtpServer();
    const findings = await see({
      DATABASE_URL: `postgres://ada@${CLOSED}/postrider`,
      SMTP_URL: `smtp://127.0.0.1:${port}?tls.rejectUnauthorized=false`,
    });

    expect(about(findings, "database")).toEqual([
      {
        check: "database",
        status: "error",
        message: expect.stringContaining("cannot be reached"),
        advice: expect.stringContaining("host and port in DATABASE_URL"),
      },
    ]);
    expect(Object.fromEntries(findings.map(({ check, status }) => [check, status]))).toMatchObject({
      migrations: "skipped",
      workers: "skipped",
      clock: "skipped",
      domains: "skipped",
      smtp: "ok",
      base_url: "ok",
    });
  });

  test("that refuses the password, or does not exist, is told apart", async () => {
    const password = await checkOf(renamed((url) => (url.password = "wrong")));
    const missing = await checkOf(renamed((url) => (url.pathname = "/nowhere_at_all")));

    expect(about(password, "database")[0]!.advice).toContain("user and password in DATABASE_URL");
    expect(about(missing, "database")[0]!.advice).toContain("createdb");
  });

  test("that is empty is left so: it has to be migrated first", async () => {
    const name = `doctor_${crypto.randomUUID().slice(0, 8)}`;
    await service.pool.unsafe(`create database ${name}`);
    endings.push(() => service.pool.unsafe(`drop database ${name} with (force)`));
    const url = renamed((given) => (given.pathname = `/${name}`));
    const first = await checkOf(url);
    const second = await checkOf(url);

    expect(about(first, "migrations")).toEqual([
      {
        check: "migrations",
        status: "error",
        message: "The database is empty",
        advice: expect.stringContaining("bun run migrate"),
      },
    ]);
    expect(about(second, "migrations")).toEqual(about(first, "migrations"));
    expect(about(first, "workers")[0]!.status).toBe("skipped");
  });

  test("that lacks migrations, or has some of a later version, is told apart", async () => {
    const { pool } = service;
    const rows = await pool`delete from migrations where name like '0008%' returning name, applied_at`;
    const behind = await see();
    await pool`insert into migrations ${pool(rows.map(({ name }) => ({ name: name as string })))}`;
    await pool`insert into migrations (name) values ('9999_later.sql')`;
    endings.push(() => pool`delete from migrations where name = '9999_later.sql'`);
    const ahead = await see();

    expect(about(behind, "migrations")[0]).toMatchObject({
      status: "error",
      message: expect.stringMatching(
        new RegExp(`^${rows.length} of \\d+ migrations are not applied, from 0008_`),
      ),
    });
    expect(about(ahead, "migrations")[0]).toMatchObject({
      status: "warning",
      message: expect.stringContaining("9999_later.sql"),
    });
  });

  test.each([
    ["ahead of", 60_000],
    ["behind", -60_000],
  ])("whose clock this machine is %s is a warning", async (words, ms) => {
    const findings = await see({}, { now: () => new Date(Date.now() + ms) });

    expect(about(findings, "clock")[0]).toMatchObject({
      status: "warning",
      // On a busy machine it is off by half of the time that the database takes to answer.
      message: expect.stringMatching(new RegExp(`(5[5-9]|6[0-4])\\.[0-9] s ${words}`)),
      advice: expect.stringContaining("NTP"),
    });
  });

  test("without a process that takes jobs: mail waits, which is an error in production", async () => {
    const [development, production] = [await see(), await see({ NODE_ENV: "production" })];

    expect(about(development, "workers")[0]).toMatchObject({ status: "warning" });
    expect(about(production, "workers")[0]).toMatchObject({
      status: "error",
      advice: expect.stringContaining("MODE=worker"),
    });
  });
});

test("campaigns of a disabled project are told, for they go on when it is enabled", async () => {
  const project = await service.createProject();
  endings.push(() => service.pool`delete from projects where id = ${project.id}`);
  const { create, addContacts, send } = campaignsOf(service, () => project);
  await addContacts(1);
  await send(await create());
  const [enabled] = about(await see(), "campaigns");
  await disableProject(service, project.id, "EMAIL_REPUTATION");
  const [disabled] = about(await see(), "campaigns");

  expect(enabled!.status).toBe("ok");
  expect(disabled).toMatchObject({
    status: "warning",
    message: "Project Test is disabled, and 1 campaign waits until it is enabled",
    advice: expect.stringContaining(`bun run admin campaign cancel ${project.id}`),
  });
});

describe("SNS_TOPIC_ARNS", () => {
  const SMTP_URL = "smtp://ada:pw@email-smtp.eu-west-1.amazonaws.com:587";
  const DNS_SERVERS = CLOSED;
  const topics = async (more: object = {}) =>
    about(await see({ NODE_ENV: "production", DNS_SERVERS, ...more }), "sns_topic_arns").map(
      ({ status }) => status,
    );

  test("that is empty is a warning in production where SES sends, and an error once notifications have come", async () => {
    const [before, elsewhere] = [await topics({ SMTP_URL }), await topics()];
    await service.pool`insert into webhook_receipts values ('sns', 'an id', now())`;
    endings.push(() => service.pool`delete from webhook_receipts`);
    const named = { SNS_TOPIC_ARNS: "arn:aws:sns:eu-west-1:123456789012:mail" };

    expect([before, elsewhere]).toEqual([["warning"], ["skipped"]]);
    expect([await topics(), await topics(named)]).toEqual([["error"], ["ok"]]);
    expect(await topics({ NODE_ENV: "development" })).toEqual(["skipped"]);
  });
});

describe("BASE_URL", () => {
  const baseUrl = async (BASE_URL: string, NODE_ENV = "development") =>
    about(await see({ BASE_URL, NODE_ENV }), "base_url");

  test("where nothing answers is a warning, and an error in production", async () => {
    const [development] = await baseUrl(`http://${CLOSED}`);
    const production = await baseUrl(`http://${CLOSED}`, "production");

    expect(development).toMatchObject({
      status: "warning",
      message: expect.stringContaining("Nothing responds"),
      advice: expect.stringContaining("bun run start"),
    });
    expect(production.map(({ status }) => status)).toEqual(["warning", "error"]);
  });

  test("where something else answers, or which redirects, is told apart", async () => {
    const other = await baseUrl(await here(() => new Response("<h1>Welcome to nginx</h1>")));
    const missing = await baseUrl(await here(() => new Response("", { status: 404 })));
    const redirected = await baseUrl(
      await here((url) => Response.redirect(`https://mail.example.com${url.pathname}`)),
    );

    expect(other[0]!.message).toMatch(/Something else responds at \S+ \(200/);
    expect(missing[0]!.message).toMatch(/Something else responds at \S+ \(404/);
    expect(redirected[0]!.message).toContain("redirects to https://mail.example.com/health");
  });

  test("is told without its user and password, whatever answers there", async () => {
    const withLogin = (address: string) => address.replace("//", "//ada:s3cret@");
    const found = [
      ...(await baseUrl(withLogin(await here()), "production")),
      ...(await baseUrl(withLogin(await here(() => new Response("", { status: 404 }))))),
      ...(await baseUrl(withLogin(`http://${CLOSED}/mail`))),
      ...(await baseUrl("http://ada:s3cret@postrider.invalid", "production")),
    ];

    expect(JSON.stringify(found)).not.toMatch(/ada|s3cret/);
    expect(found[0]!.message).toMatch(/^Links in mails point to http:\/\/127\.0\.0\.1:\d+, which/);
    expect(found[2]!.message).toStartWith("Nothing responds at http://127.0.0.1:9/mail: ");
  });

  test("in production: this machine, and what is not https, is a warning though it answers", async () => {
    const local = await baseUrl(await here(), "production");
    const plain = await baseUrl((await here()).replace("127.0.0.1", "0.0.0.0"), "production");
    const named = await baseUrl(`http://postrider.invalid`, "production");

    expect(local).toEqual([
      expect.objectContaining({
        status: "warning",
        message: expect.stringContaining("nobody else can open"),
      }),
    ]);
    expect(plain[0]!.message).toContain("nobody else can open");
    expect(named[0]).toMatchObject({ status: "warning", advice: expect.stringContaining("one-click") });
  });
});

describe("SECRET_KEY in production", () => {
  test.each([
    ["x".repeat(64), "error"],
    ["abcabcabcabcabcabcabcabcabcabcabcabc", "error"],
    ["please-change-me-before-you-go-live-42", "error"],
    ["0123456789abcdef0123456789abcdef", "error"],
    ["ba7816bf8f01cfea414140de5dae2223b00361a3", "ok"],
    ["correct horse battery staple, and 3 more words", "ok"],
  ])("%s: %s", async (key, status) => {
    const findings = await see({ NODE_ENV: "production", SECRET_KEY: key });

    expect(about(findings, "secret_key")[0]!.status).toBe(status as Finding["status"]);
    expect(JSON.stringify(findings)).not.toContain(key);
  });
});

test("where everything keeps silent each check ends by itself, and none is left out", async () => {
  const quiet = await silent();
  const findings = await see({
    DATABASE_URL: `postgres://ada@${quiet}/postrider`,
    SMTP_URL: `smtp://${quiet}`,
    BASE_URL: `http://${quiet}`,
  });
  const failed = findings.filter(({ advice }) => advice).map(({ check }) => check);

  expect(findings.map(({ check }) => check)).toEqual(CHECKS);
  expect(failed).toEqual(["database", "smtp", "base_url", "platform_from"]);
  expect(about(findings, "database")[0]!.message).toContain("no response within 8 s");
  expect(about(findings, "smtp")[0]!.advice).toContain("465 with smtps://");
}, 240_000);
