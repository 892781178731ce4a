// What the doctor says of the way that mails leave.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "./support/certificates.ts";
import { OPERATOR } from "../src/accounts/audit.ts";
import { addTransport } from "../src/sending/transports/mod.ts";
import { INSTALLATION } from "../src/sending/transports/routes.ts";
import { CLOSED, SECRET_KEY, useDoctor } from "./support/doctor.ts";
import { DOMAIN, useService } from "./support/service.ts";

const service = useService();
const { see, about, smtpServer, endings } = useDoctor(service);

describe("SMTP submission", () => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-doctor-"));
  const files = {
    SUBMISSION_CERT_FILE: join(folder, "cert.pem"),
    SUBMISSION_KEY_FILE: join(folder, "key.pem"),
  };
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const authority = { name: "authority", ...makeCertificate({ name: "authority" }) };
  const write = (days: number, key?: string) => {
    const validTo = new Date(Date.now() + days * 86_400_000 + 3_600_000);
    const made = makeCertificate({ name: "a", hosts: ["mail.example.com"], issuer: authority, validTo });
    writeFileSync(files.SUBMISSION_CERT_FILE, made.certificate);
    writeFileSync(files.SUBMISSION_KEY_FILE, key ?? made.key);
  };
  const look = async (settings: object) => about(await see(settings), "submission")[0]!;

  test("is looked at as its settings are", async () => {
    const on = { SUBMISSION_PORT: "587" };
    write(60);
    const good = await look({ ...on, ...files });
    write(3);
    const soon = await look({ ...on, ...files });
    write(-2);
    const expired = await look({ ...on, ...files });
    write(60, authority.key);
    const mixed = await look({ ...on, ...files });

    expect((await look({})).status).toBe("skipped");
    expect((await look(on)).status).toBe("ok");
    expect((await look({ ...on, SUBMISSION_ALLOW_PLAIN: "true" })).status).toBe("warning");
    expect([good.status, good.message]).toEqual(["ok", expect.stringContaining("mail.example.com")]);
    expect([soon.status, soon.message]).toEqual(["warning", expect.stringContaining("expires in 3 days")]);
    expect([expired.status, expired.message]).toEqual(["error", expect.stringContaining("has expired")]);
    expect([mixed.status, mixed.message]).toEqual(["error", expect.stringContaining("does not belong")]);
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
      "Nothing is listening there",
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
      message: expect.stringContaining("requires no login"),
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
      message: "2 mails were captured while SMTP_URL was not set, and have not been delivered",
      advice: expect.stringContaining("bun run admin release"),
    },
  ]);
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
      message: "Mails are captured and shown at /inbox; none are sent",
      advice: expect.stringMatching(/Set SMTP_URL.*bun run admin release/),
    },
  ]);
});

describe("the transports", () => {
  const look = async () => about(await see({ ALLOW_PRIVATE_TRANSPORTS: "true" }), "transports");
  const add = async (projectId: string, name: string, url: string) => {
    const { id } = await addTransport(
      { ...service, config: { ...service.config, SECRET_KEY, ALLOW_PRIVATE_TRANSPORTS: true } },
      projectId,
      { name, kind: "SMTP", url },
      OPERATOR,
    );
    return id;
  };

  test("are each connected to and logged in to: a fault of the installation's is an error, of a project's a warning", async () => {
    const { port } = await smtpServer();
    const { id } = await service.createProject();
    const server = (password: string) =>
      `smtp://ada:${password}@127.0.0.1:${port}?tls.rejectUnauthorized=false`;

    expect(await look()).toMatchObject([{ status: "skipped" }]);
    await add(INSTALLATION, "Good", server("right"));
    await add(id, "Wrong", server("wrong"));
    await add(INSTALLATION, "Away", `smtp://${CLOSED}`);
    const paused = await add(INSTALLATION, "Paused", `smtp://${CLOSED}`);
    await service.pool`update transports set paused_at = now(), pause_reason = '' where id = ${paused}`;
    const findings = await look();
    await service.pool`delete from transports`;

    expect(findings.map(({ status, message }) => [status, message])).toEqual([
      ["ok", expect.stringContaining("1 of 3 can be reached")],
      ["error", expect.stringContaining("Cannot reach 127.0.0.1:9, the transport Away")],
      ["warning", expect.stringMatching(/Cannot log in to .*, the transport Wrong of the project Test: /)],
    ]);
    expect(JSON.stringify(findings)).not.toMatch(/right|:wrong@/);
  });
});
