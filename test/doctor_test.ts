// `bun run admin doctor`: what it says of a set-up that is well, and of each that is broken in one way.
import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { OPERATOR } from "../src/accounts/audit.ts";
import { type Config, loadConfig } from "../src/config.ts";
import { examine, type Finding, toText } from "../src/doctor/mod.ts";
import { recordsOf } from "../src/sending/domains/records.ts";
import { addDomain } from "../src/sending/domains/mod.ts";
import { disableProject } from "../src/accounts/projects/mod.ts";
import { campaignsOf } from "./support/campaign.ts";
import { startNameServer } from "./support/name_server.ts";
import { DOMAIN, useService } from "./support/service.ts";

const service = useService();
const ROOT = join(import.meta.dir, "..");
const SECRET_KEY = new Bun.CryptoHasher("sha256").update("a good secret").digest("hex");
const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

/** What the doctor says of the database of this file, with these settings beside it. */
const see = async (settings: Partial<Record<keyof Config, string>> = {}, options = {}) => {
  const env = { DATABASE_URL: service.databaseUrl, BASE_URL: await here(), SECRET_KEY, ...settings };
  return await examine(() => loadConfig(env), options);
};
const about = (findings: Finding[], check: string) => findings.filter((finding) => finding.check === check);
const CHECKS =
  "database migrations pooler workers clock smtp captured_mails domains dkim_keys campaigns base_url secret_key trusted_proxies platform_from sns_topic_arns".split(
    " ",
  );

/** The address of an HTTP server on loopback; as the service answers, where nothing else is said. */
const here = async (
  answer: (url: URL) => Response | Promise<Response> = () => Response.json({ status: "ok" }),
) => {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => answer(new URL(request.url)),
  });
  endings.push(() => server.stop(true));
  return `http://127.0.0.1:${server.port}`;
};

/** The address of a server that takes connections and never says a word. */
const silent = async () => {
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as { port: number }).port}`;
};

/** The port of an SMTP server that knows one user, and what it was asked for. */
const smtpServer = async (options: SMTPServerOptions = {}) => {
  const mails: string[] = [];
  const server = new SMTPServer({
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 50,
    onAuth: ({ username, password }, _, done) =>
      username === "ada" && password === "right" ? done(null, { user: username }) : done(new Error("No")),
    onMailFrom: ({ address }, _, done) => {
      mails.push(address);
      done();
    },
    ...options,
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.server.address() as { port: number }).port, mails };
};

const CLOSED = "127.0.0.1:9";

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
      ["captured_mails", "skipped"],
      ["domain sandbox.example", "skipped"],
      ["dkim_keys", "skipped"],
      ["campaigns", "ok"],
      ["base_url", "warning"],
      ["secret_key", "skipped"],
      ["trusted_proxies", "ok"],
      ["platform_from", "skipped"],
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
    expect(about(findings, "workers")[0]!.message).toBe("1 process takes jobs");
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
    ["ahead of", 6_000],
    ["behind", -6_000],
  ])("whose clock this machine is %s is a warning", async (words, ms) => {
    const findings = await see({}, { now: () => new Date(Date.now() + ms) });

    expect(about(findings, "clock")[0]).toMatchObject({
      status: "warning",
      message: expect.stringMatching(new RegExp(`(5\\.9|6\\.[0-9]) s ${words}`)),
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

describe("the SMTP server", () => {
  const smtp = async (SMTP_URL: string) => about(await see({ SMTP_URL }), "smtp");
  const trusting = "tls.rejectUnauthorized=false";

  test.each([
    [
      "closed",
      () => Promise.resolve(`smtp://${CLOSED}`),
      "Cannot reach 127.0.0.1:9",
      "Nothing listens there",
    ],
    [
      "whose name does not exist",
      () => Promise.resolve("smtp://mail.nowhere.invalid:587"),
      "Cannot reach mail.nowhere.invalid:587",
      "a typo",
    ],
    [
      "with a certificate that nobody vouches for",
      async () => `smtp://127.0.0.1:${(await smtpServer()).port}`,
      "Cannot encrypt the connection",
      "certificate",
    ],
    [
      "that refuses the login",
      async () => `smtp://ada:wrong@127.0.0.1:${(await smtpServer()).port}?${trusting}`,
      "Cannot log in to",
      "user and password in SMTP_URL",
    ],
  ])(
    "%s is an error",
    async (_, serve, message, advice) => {
      expect(await smtp(await serve())).toEqual([
        {
          check: "smtp",
          status: "error",
          message: expect.stringContaining(message),
          advice: expect.stringContaining(advice),
        },
      ]);
    },
    240_000,
  );

  test("without STARTTLS is a warning, unless it is on this machine", async () => {
    const { port } = await smtpServer({ disabledCommands: ["STARTTLS"], allowInsecureAuth: true });
    const local = await smtp(`smtp://127.0.0.1:${port}`);
    // The same server by an address that does not look like this machine.
    const remote = await smtp(`smtp://ada:right@0.0.0.0:${port}`);
    const hidden = await smtp(`smtp://0.0.0.0:${(await smtpServer()).port}?ignoreTLS=true`);

    expect(local[0]!.status).toBe("ok");
    expect(remote).toEqual([
      {
        check: "smtp",
        status: "warning",
        message: expect.stringMatching(/offers no STARTTLS: mails and the password/),
        advice: expect.stringContaining("587"),
      },
    ]);
    expect(hidden[0]).toMatchObject({ status: "warning", advice: expect.stringContaining("ignoreTLS") });
  });

  test("that asks for no login does not use that of SMTP_URL, and says so", async () => {
    const { port } = await smtpServer({ disabledCommands: ["AUTH"] });
    const found = await smtp(`smtp://ada:right@127.0.0.1:${port}?${trusting}`);

    expect(found[0]).toMatchObject({
      status: "warning",
      message: expect.stringContaining("asks for no login"),
    });
  });

  test("that is not set is a warning, and an error in production", async () => {
    const [development, production] = [await see(), await see({ NODE_ENV: "production" })];

    expect([about(development, "smtp")[0]!.status, about(production, "smtp")[0]!.status]).toEqual([
      "warning",
      "error",
    ]);
  });
});

describe("the DNS", () => {
  const settings = { INBOUND_HOST: "mail.postrider-host.com", SPF_INCLUDE: "spf.provider.com" };

  /** A domain of a new project, and a name server that has all of its records. */
  const domainWithRecords = async (domain: string) => {
    const project = await service.createProject();
    const added = await addDomain(service, project.id, domain, OPERATOR);
    endings.push(() => service.pool`delete from projects where id = ${project.id}`);
    const [row] = await service.pool`select * from domains where id = ${added.id}`;
    const server = await startNameServer({});
    endings.push(() => server.stop());
    const records = recordsOf(loadConfig({ ...settings }), row as never);
    for (const { name, type, value, priority } of records) {
      // A string of a TXT record has 255 characters at most.
      const strings = value.match(/.{1,255}/g)!;
      server.set(name, type, [type === "TXT" ? strings : `${priority} ${value}`]);
    }
    const nameOf = (purpose: string) => records.find((record) => record.purpose === purpose)!.name;
    const look = async () =>
      about(await see({ ...settings, DNS_SERVERS: server.address }), `domain ${domain}`);
    return { id: added.id, server, records, nameOf, look };
  };

  test("of a domain with all of its records is well", async () => {
    const { look } = await domainWithRecords("all-is-well.com");

    expect(await look()).toEqual([
      {
        check: "domain all-is-well.com",
        status: "ok",
        message: expect.stringContaining("DKIM, SPF and DMARC"),
      },
    ]);
  });

  test("names what is missing or wrong, with the records to publish", async () => {
    const { server, nameOf, look, records } = await domainWithRecords("half-done.com");
    server.set(nameOf("DKIM"), "TXT", "NXDOMAIN");
    server.set("half-done.com", "TXT", ["v=spf1 include:other.com -all"]);
    server.set("_dmarc.half-done.com", "TXT", "NXDOMAIN");
    server.set(nameOf("RETURN_PATH"), "MX", ["10 elsewhere.com"]);
    const [found] = await look();

    expect(found).toMatchObject({
      status: "warning",
      message:
        "Project Test: the DKIM record is missing, the SPF record is wrong, " +
        "the MX record of the return path is wrong, the DMARC record is missing",
    });
    expect(found!.advice).toContain("Nothing can be sent from it until its DKIM record is there");
    const dkim = records.find(({ purpose }) => purpose === "DKIM")!;
    expect(found!.advice).toContain(`TXT ${dkim.name} ${dkim.value}`);
    expect(found!.advice).toContain("MX bounces.half-done.com 10 mail.postrider-host.com");
    expect(found!.advice).toContain("TXT _dmarc.half-done.com v=DMARC1; p=none;");
  });

  test("of a domain whose key has vanished is an error: its mails fail DMARC", async () => {
    const { id, server, nameOf, look } = await domainWithRecords("key-is-gone.com");
    await service.pool`update domains set status = 'VERIFIED', verified_at = now() where id = ${id}`;
    server.set(nameOf("DKIM"), "TXT", ["v=DKIM1; k=rsa; p=c29tZXRoaW5nIGVsc2U="]);
    const [found] = await look();
    const [row] = await service.pool`select status, last_checked_at from domains where id = ${id}`;

    expect(found).toMatchObject({ status: "error", advice: expect.stringContaining("DMARC fails") });
    // A look is no check: nothing follows from it.
    expect({ ...row }).toEqual({ status: "VERIFIED", lastCheckedAt: null });
  });

  test("that does not answer about one domain says nothing about it", async () => {
    const { server, nameOf, look } = await domainWithRecords("half-silent.com");
    server.set(nameOf("DKIM"), "TXT", "SERVFAIL");
    const [found] = await look();

    expect(found).toMatchObject({
      status: "warning",
      message: "Project Test: the DNS does not answer about the DKIM record",
    });
  });

  test.each(["refuses", "keeps silent"])(
    "that %s is one error, not one for each domain",
    async (how) => {
      await domainWithRecords("one.com");
      await domainWithRecords("two.com");
      const silentServer = createSocket("udp4");
      await new Promise<void>((resolve) => silentServer.bind(0, "127.0.0.1", resolve));
      endings.push(() => silentServer.close());
      const server = how === "refuses" ? CLOSED : `127.0.0.1:${silentServer.address().port}`;
      const findings = await see({ DNS_SERVERS: server });

      expect(findings.filter(({ check }) => /^domain (one|two)/.test(check))).toEqual([]);
      expect(about(findings, "dns")).toEqual([
        {
          check: "dns",
          status: "error",
          message: `The name servers (${server}) do not answer`,
          advice: expect.stringContaining("DNS_SERVERS"),
        },
      ]);
    },
    240_000,
  );
});

describe("domains in great number", () => {
  test("are looked at where somebody can look them up, whatever stands before them in the alphabet", async () => {
    const project = await service.createProject();
    endings.push(() => service.pool`delete from projects where id = ${project.id}`);
    await service.pool`
      insert into domains (project_id, domain)
      select ${project.id}, 'a' || n || '.example' from generate_series(1, 1000) as n`;
    await service.pool`insert into domains (project_id, domain) values (${project.id}, 'zebra.com')`;
    const server = await startNameServer({});
    endings.push(() => server.stop());
    const findings = await see({ DNS_SERVERS: server.address });

    expect(about(findings, "domain zebra.com").map(({ status }) => status)).toEqual(["warning"]);
    expect(about(findings, "domains")[0]!.message).toBe("Only 1000 were checked");
  });
});

describe("the keys that sign", () => {
  const keys = async (secret: string) => about(await see({ SECRET_KEY: secret }), "dkim_keys");
  const project = async (...domains: string[]) => {
    const { id } = await service.createProject();
    endings.push(() => service.pool`delete from projects where id = ${id}`);
    for (const domain of domains) await addDomain(service, id, domain, OPERATOR);
    return id;
  };
  const seen = (id: string) =>
    service.pool`update domains set status = 'VERIFIED', verified_at = now() where project_id = ${id}`;

  test("are well where each opens, and there is nothing to say where none signs", async () => {
    const id = await project("one.example", "two.example");
    const none = await keys(SECRET_KEY);
    await seen(id);

    expect(none.map(({ status }) => status)).toEqual(["skipped"]);
    expect(await keys(service.config.SECRET_KEY)).toEqual([
      { check: "dkim_keys", status: "ok", message: "All 2 open" },
    ]);
  });

  test("are an error where one does not open, which says what to do", async () => {
    const id = await project("one.example", "two.example");
    await seen(id);
    await service.pool`update domains set dkim_private_key = '\\x01' where domain = 'two.example'`;
    const [one] = await keys(service.config.SECRET_KEY);
    const [all] = await keys(SECRET_KEY);

    expect(one).toMatchObject({
      status: "error",
      message: expect.stringMatching(/^1 of 2 cannot be decrypted .* from two\.example$/),
      advice: expect.stringContaining(`bun run admin domain rekey ${id} two.example`),
    });
    expect(all!.message).toStartWith("2 of 2 cannot be decrypted");
  });

  test("are left alone where the service keeps its SECRET_KEY for itself", async () => {
    await project("one.example");
    expect((await keys("")).map(({ status }) => status)).toEqual(["skipped"]);
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
    message: "Project Test is disabled, and 1 campaign waits for it",
    advice: expect.stringContaining(`bun run admin campaign cancel ${project.id}`),
  });
});

test("mails that were captured before there was a server are counted, so that nobody forgets them", async () => {
  const { port } = await smtpServer();
  const look = async () => about(await see({ SMTP_URL: `smtp://127.0.0.1:${port}` }), "captured_mails");
  const none = await look();
  const project = await service.createProject();
  endings.push(() => service.pool`delete from projects where id = ${project.id}`);
  for (const to of ["a@example.com", "b@example.com"]) {
    const body = { to, from: `a@${DOMAIN}`, subject: "s", body: "b" };
    await service.request("POST", "/v1/send", { key: project.secret, body });
  }
  await service.pool`
    update emails set status = 'CAPTURED', captured_at = now() where project_id = ${project.id}`;
  endings.push(() => service.pool`delete from emails where project_id = ${project.id}`);

  expect(none.map(({ status }) => status)).toEqual(["ok"]);
  expect(await look()).toEqual([
    {
      check: "captured_mails",
      status: "warning",
      message: "2 mails were captured while SMTP_URL was not set, and not delivered to anybody",
      advice: expect.stringContaining("bun run admin release"),
    },
  ]);
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

test("PLATFORM_FROM is asked for where mails are sent, and matters nowhere else", async () => {
  const { port } = await smtpServer();
  const SMTP_URL = `smtp://127.0.0.1:${port}`;
  const [without, captured] = [await see({ SMTP_URL }), await see({})];

  expect(about(without, "platform_from")).toEqual([
    {
      check: "platform_from",
      status: "warning",
      message: expect.stringContaining("nobody can verify an address, reset a password or be invited"),
      advice: expect.stringContaining("Set PLATFORM_FROM"),
    },
  ]);
  expect(about(captured, "platform_from")[0]!.status).toBe("skipped");
});

test("production without SMTP_URL is an error, which says that mails are kept and how they are sent later", async () => {
  const findings = await see({ NODE_ENV: "production" });

  expect(about(findings, "smtp")).toEqual([
    {
      check: "smtp",
      status: "error",
      message: "Mails are captured and shown on /inbox: none is sent",
      advice: expect.stringMatching(/Set SMTP_URL.*bun run admin release/),
    },
  ]);
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
