// A mail that goes to the server of its recipient: what the ledger says, and when it is tried again.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createDns } from "../../src/mail/dns.ts";
import { createDirectMailer, DIRECT_RETRIES } from "../../src/mail/direct_mailer.ts";
import type { Mailer } from "../../src/mail/mailer.ts";
import { deliverEmails } from "../../src/sending/delivery/mod.ts";
import { transportsOf } from "../../src/sending/transports/known.ts";
import { inTransaction } from "../../src/context.ts";
import { readDeliverability } from "../../src/insight/deliverability/figures.ts";
import type { Notice } from "../../src/mail/notice.ts";
import { applyNotices } from "../../src/sending/feedback/mod.ts";
import { pacesOf } from "../../src/sending/transports/paces.ts";
import { INSTALLATION } from "../../src/sending/transports/routes.ts";
import { type NameServer, startNameServer } from "../support/name_server.ts";
import { useLedger } from "../support/ledger.ts";
import { until } from "../support/process.ts";
import { DOMAIN, useService } from "../support/service.ts";

let names: NameServer;
let direct: Mailer;
const mailer: Mailer = {
  connections: 10,
  retries: DIRECT_RETRIES,
  send: (mail, mayEnd) => direct.send(mail, mayEnd),
  reach: () => direct.reach(),
  close: () => direct.close(),
};
const service = useService({ SMTP_URL: "direct://sender.example" }, { mailer });
const mails = useLedger(service);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

beforeAll(async () => {
  names = await startNameServer({
    "mx.example.com": { A: ["127.0.0.1"] },
    "example.com": { MX: ["10 mx.example.com"] },
    "aspmx.l.google.com": { A: ["127.0.0.1"] },
    "company.example": { MX: ["10 aspmx.l.google.com"] },
  });
  direct = createDirectMailer({
    name: "sender.example",
    dns: createDns({ servers: [names.address] }),
    reasonAgainst: () => null,
    fetchPolicy: async () => null,
    port: service.smtp.port,
    ipv6: false,
  });
});
afterAll(async () => {
  direct.close();
  await names.stop();
});

test("is DELIVERED at once, with the events of both", async () => {
  const [id] = await mails.accept(mails.fresh());
  await service.runJobs();

  const row = await mails.row(id!);
  expect(row).toMatchObject({
    status: "DELIVERED",
    error: null,
    claimedBy: null,
    messageId: `${id}@${DOMAIN}`,
  });
  expect(row.deliveredAt).toEqual(row.sentAt);
  const events = await service.pool`select name, data from events where email_id = ${id!} order by id`;
  const common = { emailId: id, subject: "Hi", sourceType: "TRANSACTIONAL" };
  const at = row.sentAt.toISOString();
  expect(events.map(({ name }) => name)).toEqual(["email.sent", "email.delivery"]);
  expect(events[0]!.data).toMatchObject({ ...common, sentAt: at });
  expect(events[1]!.data).toMatchObject({ ...common, deliveredAt: at });
  expect(events[1]!.data).not.toHaveProperty("sentAt");
});

test("what comes back later counts at the provider that took the mail, whatever its domain looks like by then", async () => {
  const [hosted] = await mails.accept("ada@company.example");
  await service.runJobs();
  expect(await mails.row(hosted!)).toMatchObject({ status: "DELIVERED", mailboxProvider: "google" });
  names.set("company.example", "MX", []);
  const mail = { projectId: mails.project.id, emailId: hosted!, providerId: null };
  const common = { mail, sentAt: null, at: new Date(), recipient: null };
  const bounce = { ...common, kind: "bounce", bounceType: "Permanent", diagnostic: "550 5.1.1 No such user" };
  const notices = [bounce, { ...common, kind: "complaint" }] as Notice[];
  await inTransaction(service, (tx) => applyNotices(tx, notices));

  const { groups } = await readDeliverability(service, mails.project.id, { groupBy: "provider" });
  const cameBack = groups.filter(({ bounced, complained }) => bounced + complained > 0);
  expect(cameBack).toMatchObject([{ key: "google", mails: 1, accepted: 1, bounced: 1, complained: 1 }]);
});

test("stays opened where it was opened before the answer came", async () => {
  const [id] = await mails.accept(mails.fresh());
  service.smtp.behave({
    async holdData() {
      await service.pool`update emails set opened_at = now() where id = ${id!}`;
    },
  });
  await service.runJobs();

  expect(await mails.row(id!)).toMatchObject({ status: "OPENED", deliveredAt: expect.any(Date) });
});

test("that is deferred comes back after one or two minutes, is said to be late after four hours, and is given up after five days", async () => {
  service.smtp.behave({ rcpt: () => "450 4.2.0 Greylisted" });
  const [id] = await mails.accept(mails.fresh());
  const begunAt = Date.now();
  await service.runJobs();
  const first = await mails.row(id!);
  const endedAt = Date.now();
  const again = async (ms: number) => {
    mails.later(ms);
    await service.runJobs();
    return await mails.row(id!);
  };

  expect(first).toMatchObject({ status: "PENDING", error: "450 4.2.0 Greylisted" });
  expect(first.dueAt.getTime()).toBeWithin(begunAt + MINUTE_MS, endedAt + 2 * MINUTE_MS + 1);
  const late = await again(5 * HOUR_MS);
  expect(late.status).toBe("PENDING");
  expect(late.error).toStartWith("Late by more than 4 hours, and tried again: 450");
  const lost = await again(120 * HOUR_MS);
  expect(lost.status).toBe("FAILED");
  expect(lost.error).toStartWith("Given up after 120 hours: 450");
});

test("that finds all connections taken is tried again in a moment, however often, and its provider gets no pace", async () => {
  service.smtp.behave({ rcpt: () => "421 4.7.0 Too many concurrent connections" });
  const [id] = await mails.accept(mails.fresh());
  await service.pool`update emails set attempts = 9 where id = ${id!}`;
  const begunAt = service.now().getTime();
  await service.runJobs();
  const { status, dueAt } = await mails.row(id!);
  const paces = await service.pool`select from paces`;
  await service.dropJobs();

  expect(status).toBe("PENDING");
  expect(dueAt.getTime()).toBeLessThanOrEqual(service.now().getTime() + 2 * MINUTE_MS);
  expect(dueAt.getTime()).toBeGreaterThanOrEqual(begunAt + MINUTE_MS);
  expect(paces).toHaveLength(0);
});

test("that waits for the pace of its provider leaves by itself, and no faster", async () => {
  await service.pool`
    insert into paces (transport_id, provider, rate, reason, slowed_at, changed_at)
    values ('00000000-0000-0000-0000-000000000000', 'example.com', 4, '421 Too fast', now(), now())`;
  await pacesOf(service).refresh();
  const ids = await mails.accept(Array.from({ length: 12 }, () => mails.fresh()));
  const begunAt = performance.now();
  await deliverEmails(service, mails.project.id, ids);
  await until("the last of them", async () => {
    const left = await service.pool`select from emails where id = any(${ids}) and status <> 'DELIVERED'`;
    return left.length === 0;
  });
  const seconds = (performance.now() - begunAt) / 1_000;
  await service.pool`delete from paces`;
  await pacesOf(service).refresh();

  // The pace may have risen by a tenth every five seconds.
  expect(12).toBeLessThanOrEqual(1 + 4.4 * 1.1 ** (seconds / 5) * seconds);
});

test.each(["421 4.7.0 Too fast", "450 4.7.1 Later"])(
  "that is answered %j makes all mails to its provider slower",
  async (reply) => {
    service.smtp.behave({ rcpt: () => reply });
    const [id] = await mails.accept(mails.fresh());
    await service.runJobs();

    expect(await mails.row(id!)).toMatchObject({ status: "PENDING", error: expect.stringContaining(reply) });
    await until("a pace", async () => {
      const paces = await service.pool`select provider, reason from paces`;
      return paces.some(({ provider, reason }) => provider === "example.com" && reason.includes(reply));
    });
    await service.pool`delete from paces`;
    await pacesOf(service).refresh();
    await service.dropJobs();
  },
);

test("a stranger who asks for fewer mails takes the place of the one of 200 who asked first; great providers keep theirs", async () => {
  await service.pool`
    insert into paces (transport_id, provider, rate, reason, slowed_at, changed_at)
    select ${INSTALLATION}, provider, 1, '421', ${service.now()}::timestamptz - age * interval '1 second', ${service.now()}
    from (
      select 'stranger' || n || '.example' as provider, n as age from generate_series(1, 200) as n
      union all
      values ('google', 1000)
    ) as given`;
  const transport = transportsOf(service).byId("default")!;
  await pacesOf(service).slowDown(transport, "newcomer.example", "421 Too fast");
  const kept = await service.pool`select provider from paces`;
  await service.pool`delete from paces`;
  await pacesOf(service).refresh();

  const providers = kept.map(({ provider }) => provider as string);
  expect([providers.length, providers.filter((name) => name.startsWith("stranger")).length]).toEqual([
    201, 199,
  ]);
  expect(providers).toContain("google");
  expect(providers).toContain("newcomer.example");
  expect(providers).not.toContain("stranger200.example");
});
