import { beforeAll, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import type { Context } from "../../src/context.ts";
import { openPool } from "../../src/db/pool.ts";
import { envelopeSender, mailNamedIn, mailOfReturnPath } from "../../src/sending/compose/return_paths.ts";
import { useLedger } from "../support/ledger.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService({ INBOUND_SMTP_PORT: "0" });
const ledger = useLedger(service);
const { project } = ledger;

const FROM = `hello@${DOMAIN}`;
const RETURN_PATH = /^b-[0-9a-v]{42}@bounces\.shop\.example$/;

/** How the MX of a return path was last seen. */
const see = async (state: string, projectId = project.id) => {
  const states = service.pool.json({ "RETURN_PATH MX": state });
  await service.pool`update domains set record_states = ${states} where project_id = ${projectId}`;
};

const newMail = () => Bun.randomUUIDv7();
const senderOf = (emailId: string, projectId = project.id, ctx: Context = service) =>
  envelopeSender(ctx, { projectId, fromEmail: FROM }, emailId);
const named = (projectId: string, emailId: string) => ({ projectId, emailId, providerId: null });

beforeAll(() => see("VERIFIED"));

describe("the envelope sender of a mail", () => {
  test("is an address of its own, which names the mail", async () => {
    const [one, two] = await ledger.accept([ledger.fresh(), ledger.fresh()]);
    // On a busy machine the domain may be found slow: what waits apart is sent later.
    while (service.smtp.received.length < 2) await service.runJobs();

    const senders = new Map(service.smtp.received.map(({ from, source }) => [from, source]));
    expect(senders.size).toBe(2);
    for (const [sender, source] of senders) {
      expect(sender).toMatch(RETURN_PATH);
      const mail = await mailOfReturnPath(service, sender);
      expect([one, two]).toContain(mail!.emailId!);
      expect(source).toContain(`Message-ID: <${mail!.emailId}@${DOMAIN}>`);
      expect(source).toContain(`From: ${FROM}`);
    }
  });

  test("is that of a mail with an attachment, too", async () => {
    const attachments = [{ filename: "a.txt", content: "YQ==", contentType: "text/plain" }];
    const body = { to: ledger.fresh(), from: FROM, subject: "s", body: "b", attachments };
    await service.request("POST", "/v1/send", { key: project.secret, body });
    await service.runJobs();

    expect(service.smtp.received[0]!.from).toMatch(RETURN_PATH);
  });

  test("leaves room for a tag of another server, and has nothing that a change of case would break", async () => {
    const local = (await senderOf(newMail())).split("@")[0]!;

    expect(`prvs=0123456789=${local}`.length).toBeLessThanOrEqual(64);
    expect(local).toBe(local.toLowerCase());
  });

  test("is the sender's address as long as the DNS has not been seen to lead here, and from then on within a minute", async () => {
    const other = await service.createProject();
    expect(await senderOf(newMail(), other.id)).toBe(FROM);
    await see("MISMATCH", other.id);
    ledger.later(61_000);
    expect(await senderOf(newMail(), other.id)).toBe(FROM);
    await see("VERIFIED", other.id);
    ledger.later(61_000);
    expect(await senderOf(newMail(), other.id)).toMatch(RETURN_PATH);
    await see("MISSING", other.id);
    ledger.later(61_000);
    expect(await senderOf(newMail(), other.id)).toBe(FROM);
  });

  test.each<[string, "INBOUND_SMTP_PORT" | "SMTP_URL"]>([
    ["nobody listens", "INBOUND_SMTP_PORT"],
    ["mails are captured", "SMTP_URL"],
  ])("is the sender's address where %s", async (_, setting) => {
    const { [setting]: _left, ...config } = service.config;
    const ctx = { ...service, config };
    expect(await senderOf(newMail(), project.id, ctx)).toBe(FROM);
  });

  test("is the sender's address where the other would be too long for SMTP", async () => {
    const domain = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(20)}.example`;
    await addVerifiedDomain(service, project.id, domain);
    await see("VERIFIED");

    const fromEmail = `a@${domain}`;
    expect(await envelopeSender(service, { projectId: project.id, fromEmail }, newMail())).toBe(fromEmail);
  });

  test("is the sender's address while the database cannot say, and not for longer", async () => {
    const emailId = newMail();
    const pool = openPool("postgres://nobody@127.0.0.1:9/nothing", { max: 1 });
    const away: Context = { ...service, pool, sql: pool };
    expect(await senderOf(emailId, project.id, away)).toBe(FROM);
    expect(service.lines).toContainEqual(
      expect.objectContaining({ message: "mail without a return path", emailId }),
    );
    const back: Context = { ...away, sql: service.pool };
    expect(await senderOf(emailId, project.id, back)).toMatch(RETURN_PATH);
    await pool.end();
  });
});

describe("a return path", () => {
  test("names its mail, whatever mail servers do to its case, and behind their tags", async () => {
    const emailId = newMail();
    const address = await senderOf(emailId);

    for (const form of [
      address,
      address.toUpperCase(),
      address.replace("bounces.", "BOUNCES."),
      `  ${address} `,
      `prvs=1234abcdef=${address}`,
      `PRVS=1234ABCDEF=${address.toUpperCase()}`,
      `btv1==012abcdef==${address}`,
    ]) {
      expect(await mailOfReturnPath(service, form)).toEqual(named(project.id, emailId));
    }
  });

  test("names the mail of the right project, where several send from one domain", async () => {
    const others = await Promise.all([service.createProject(), service.createProject()]);
    for (const { id } of others) await see("VERIFIED", id);
    const emailId = newMail();

    for (const { id } of [project, ...others]) {
      expect(await mailOfReturnPath(service, await senderOf(emailId, id))).toEqual(named(id, emailId));
    }
  });

  test("names nothing when a single character of it is another one", async () => {
    const address = await senderOf(newMail());
    for (let i = 2; i < 44; i++) {
      const digit = address[i] === "0" ? "1" : "0";
      const forged = address.slice(0, i) + digit + address.slice(i + 1);
      expect(await mailOfReturnPath(service, forged)).toBeNull();
    }
  });

  test.each<[string, (address: string) => string]>([
    ["another domain", (address) => address.replace("shop.example", "shop.test")],
    ["the sender's domain itself", (address) => address.replace("bounces.", "")],
    ["a sub-domain", (address) => address.replace("@", "@x.")],
    ["one character more", (address) => address.replace("@", "0@")],
    ["one character less", (address) => address.replace(/.@/, "@")],
    ["another beginning", (address) => address.replace("b-", "f-")],
    ["something before it", (address) => `x${address}`],
    ["more than its bytes can hold", (address) => address.replace(/b-.{42}/, `b-${"v".repeat(42)}`)],
    ["no address", () => "b-"],
    ["nothing", () => ""],
  ])("names nothing with %s", async (_, change) => {
    const address = await senderOf(newMail());
    expect(await mailOfReturnPath(service, change(address))).toBeNull();
  });

  test("names nothing in an installation with another key", async () => {
    const address = await senderOf(newMail());
    const pool = openPool(service.databaseUrl, { max: 1 });
    const config = { ...service.config, SECRET_KEY: "another secret of another installation" };

    expect(await mailOfReturnPath({ ...service, config, pool, sql: pool }, address)).toBeNull();
    await pool.end();
  });

  test("goes on naming its mail when the record is gone, and ends with the domain", async () => {
    const other = await service.createProject();
    await see("VERIFIED", other.id);
    const emailId = newMail();
    const address = await senderOf(emailId, other.id);

    await see("MISSING", other.id);
    expect(await mailOfReturnPath(service, address)).toEqual(named(other.id, emailId));
    await service.pool`delete from domains where project_id = ${other.id}`;
    expect(await mailOfReturnPath(service, address)).toBeNull();
  });

  test("is of use for nothing else, whatever it is taken for", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.stringMatching(/^b-[0-9a-v]{42}$/)), async (local) => {
        expect(await mailOfReturnPath(service, `${local}@bounces.${DOMAIN}`)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});

describe("the return path in a text", () => {
  test("is found as it is, behind a tag, and as a forwarder has written it", async () => {
    const emailId = newMail();
    const [local] = (await senderOf(emailId)).split("@");
    const path = `bounces.${DOMAIN}`;

    for (const text of [
      `Return-Path: <${local}@${path}>`,
      `Original-Mail-From: rfc822;${local}@${path}.\r\n`,
      `Authentication-Results: mx; spf=pass smtp.mailfrom=${local!.toUpperCase()}@${path}; dkim=pass`,
      `<prvs=0123abcdef=${local}@${path}>`,
      `<SRS0=aB3d=XY=${path}=${local}@forwarder.example>`,
      `<SRS1=aB3d=other.example==xYz1=XY=${path}=${local}@forwarder.example>`,
    ]) {
      expect(await mailNamedIn(service, text)).toEqual(named(project.id, emailId));
    }
  });

  test("is found behind forged ones, but not behind any number of them", async () => {
    const emailId = newMail();
    const address = await senderOf(emailId);
    const forged = (n: number) =>
      Array.from({ length: n }, (_, i) => `b-${String(i).padStart(42, "0")}@bounces.${DOMAIN}`).join(" ");

    expect(await mailNamedIn(service, `${forged(4)} ${address}`)).toEqual(named(project.id, emailId));
    expect(await mailNamedIn(service, `${forged(5)} ${address}`)).toBeNull();
  });

  test("a Message-ID is none", async () => {
    const emailId = newMail();
    expect(
      await mailNamedIn(service, `Message-ID: <${emailId}@${DOMAIN}>\nFeedback-ID: api:${project.id}:x`),
    ).toBeNull();
  });
});
