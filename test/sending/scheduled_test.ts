// Mails of /v1/send that wait for a time.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { usageOf } from "../../src/accounts/billing/usage.ts";
import { enqueueDue } from "../../src/sending/delivery/scheduled.ts";
import { untilBlocked } from "../support/locks.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
});

afterEach(async () => {
  service.setNow(new Date());
  await service.dropJobs();
  await service.pool`delete from scheduled_emails`;
});

const HOUR_MS = 3_600_000;
const ahead = (ms: number) => new Date(service.now().getTime() + ms);
const later = (ms: number) => service.setNow(ahead(ms));
const call = async (method: string, path: string, body?: unknown) =>
  await service.request(method, path, { key: project.secret, ...(body !== undefined && { body }) });
const get = async (id: string) => (await call("GET", `/emails/${id}`)).body;
const recipients = () => service.smtp.received.flatMap(({ to }) => to);

/** Accepts a mail for a time, and answers its id. */
async function schedule(sendAt: Date | string, more: object = {}): Promise<string> {
  const body = {
    to: "ada@example.com",
    from: `shop@${DOMAIN}`,
    subject: "Hi",
    body: "<p>Hello</p>",
    sendAt,
    ...more,
  };
  const answer = await call("POST", "/v1/send", body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.data.emails[0].email;
}

/** What the jobs of a minute do. */
async function minute(): Promise<void> {
  await enqueueDue(service);
  await service.runJobs();
}

describe("a scheduled mail", () => {
  test("is sent at its time, and not before, with the data of then", async () => {
    const time = ahead(HOUR_MS);
    const id = await schedule(time, { body: "<p>Hello {{name}}</p>", data: { name: "Ada" } });
    await minute();
    const { contactId, ...waiting } = await get(id);
    await call("PATCH", `/contacts/${contactId}`, { data: { name: "Augusta" } });
    later(HOUR_MS - 60_000);
    await minute();
    const before = recipients();
    const [job] = await service.jobs("send_emails");
    later(61_000);
    await minute();

    expect(waiting).toMatchObject({ status: "PENDING", attempts: 0, scheduledFor: time.toISOString() });
    expect(waiting.nextAttemptAt).toBe(time.toISOString());
    expect(before).toEqual([]);
    // Its job is in the queue a minute before, for the second.
    expect(job!.runAt).toEqual(time);
    expect(await get(id)).toMatchObject({ status: "SENT", scheduledFor: time.toISOString() });
    expect(service.smtp.received[0]!.source).toContain("Hello Ada");
  });

  test("that is due soon has a job at once; one for next month has none in the queue", async () => {
    const soon = ahead(30_000);
    await schedule(soon);
    await schedule(ahead(30 * 24 * HOUR_MS));

    expect((await service.jobs("send_emails")).map(({ runAt }) => runAt)).toEqual([soon]);
    await minute();
    expect(recipients()).toEqual([]);
    later(31_000);
    await minute();
    expect(recipients()).toEqual(["ada@example.com"]);
  });

  test("is not claimed before its time, whatever job asks for it", async () => {
    const id = await schedule(ahead(30_000));
    await service.changeJobs({ runAt: service.now() });
    await service.runJobs();

    expect(await get(id)).toMatchObject({ status: "PENDING", attempts: 0 });
    expect(recipients()).toEqual([]);
  });

  test("goes to nobody whose address was suppressed meanwhile", async () => {
    const id = await schedule(ahead(HOUR_MS));
    await call("POST", "/suppressions", { emails: ["ada@example.com"] });
    later(HOUR_MS + 1_000);
    await minute();

    expect(await get(id)).toMatchObject({ status: "SUPPRESSED" });
    expect(recipients()).toEqual([]);
  });

  test("of a project that is disabled at that time is sent once it is enabled", async () => {
    const id = await schedule(ahead(HOUR_MS));
    await service.pool`update projects set disabled_at = now() where id = ${project.id}`;
    later(HOUR_MS + 1_000);
    await minute();
    const [disabled] = await service.pool`select status from emails where id = ${id}`;
    await service.pool`update projects set disabled_at = null where id = ${project.id}`;

    expect(disabled).toEqual({ status: "PENDING" });
    expect(recipients()).toEqual([]);
    later(5 * 60_000);
    const { sweepEmails } = await import("../../src/sending/delivery/recovery.ts");
    await sweepEmails(service);
    await service.runJobs();
    expect(await get(id)).toMatchObject({ status: "SENT" });
  });

  test("goes with a reset and with the project", async () => {
    await schedule(ahead(HOUR_MS));
    const { q } = await import("../../src/db/queries.ts");
    const FIRST = "00000000-0000-0000-0000-000000000000";
    const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";
    await q.projectRows.emails(service, { projectId: project.id, after: FIRST, upTo: LAST, limit: 10 });

    expect(await service.pool`select from scheduled_emails where project_id = ${project.id}`).toHaveLength(0);
  });

  test.each([
    ["tomorrow", "invalid_string"],
    ["2030-02-30T09:00:00Z", "invalid_string"],
    ["2020-01-31T09:00:00Z", "custom"],
    [new Date(Date.now() + 91 * 24 * HOUR_MS).toISOString(), "custom"],
  ])("has a time in the future, at most 90 days ahead: %s is %s", async (sendAt, code) => {
    const body = { to: "ada@example.com", from: `shop@${DOMAIN}`, subject: "Hi", body: "x", sendAt };
    const answer = await call("POST", "/v1/send", body);

    expect(answer.status).toBe(422);
    expect(answer.body.error.errors).toMatchObject([{ field: "sendAt", code }]);
  });
});

describe("another time", () => {
  test("later: it is not sent at the first one, also where its job was in the queue", async () => {
    const id = await schedule(ahead(30_000));
    const second = ahead(HOUR_MS);
    const { status, body } = await call("PATCH", `/emails/${id}`, { sendAt: second });
    later(60_000);
    await minute();
    const before = recipients();
    later(HOUR_MS);
    await minute();

    expect(status).toBe(200);
    expect(body).toMatchObject({ id, status: "PENDING", scheduledFor: second.toISOString() });
    expect(before).toEqual([]);
    expect(recipients()).toEqual(["ada@example.com"]);
  });

  test("sooner: it is sent then, once", async () => {
    const id = await schedule(ahead(HOUR_MS));
    await call("PATCH", `/emails/${id}`, { sendAt: ahead(10_000) });
    later(11_000);
    await minute();
    later(2 * HOUR_MS);
    await minute();

    expect(await get(id)).toMatchObject({ status: "SENT" });
    expect(recipients()).toEqual(["ada@example.com"]);
  });

  test("is refused in the past, for a mail that is none, that was sent, or has no time", async () => {
    const id = await schedule(ahead(30_000));
    const plain = await schedule(ahead(1), { sendAt: undefined });
    expect((await call("PATCH", `/emails/${id}`, { sendAt: "2020-01-01T00:00:00Z" })).status).toBe(422);
    expect((await call("PATCH", `/emails/${id}`, {})).status).toBe(422);
    expect((await call("PATCH", `/emails/${project.id}`, { sendAt: ahead(HOUR_MS) })).status).toBe(404);
    expect((await call("PATCH", `/emails/${plain}`, { sendAt: ahead(HOUR_MS) })).status).toBe(409);
    later(31_000);
    await minute();

    const { status, body } = await call("PATCH", `/emails/${id}`, { sendAt: ahead(HOUR_MS) });
    expect([status, body.error.details]).toEqual([409, { state: "SENT" }]);
  });
});

test("a request that is repeated when its time is over hears that it was carried out; one that was not is refused", async () => {
  const body = { from: `shop@${DOMAIN}`, subject: "Hi", body: "<p>Hello</p>", sendAt: ahead(HOUR_MS) };
  const one = { ...body, to: "one@example.com" };
  const post = async (path: string, key: string, given: object, replay = true) =>
    await service.request("POST", path, {
      key: project.secret,
      body: given,
      headers: { "idempotency-key": key, ...(replay && { "idempotency-replay": "true" }) },
    });
  const several = { messages: [one] };
  const first = [await post("/v1/send", "k1", one), await post("/v1/send/batch", "k2", several)];
  later(2 * HOUR_MS);
  const again = [await post("/v1/send", "k1", one), await post("/v1/send/batch", "k2", several)];
  const plain = await post("/v1/send", "k1", one, false);
  const fresh = await post("/v1/send", "k3", one);
  const freed = await post("/v1/send", "k3", { ...one, sendAt: undefined });

  expect(again.map((answer) => answer.body)).toEqual(first.map((answer) => answer.body));
  expect([plain.status, fresh.status, freed.status]).toEqual([409, 422, 200]);
  expect(fresh.body.error.errors).toMatchObject([{ field: "sendAt" }]);
});

describe("cancelled", () => {
  test("it is never sent, and its place in the month is free again", async () => {
    const used = async () => (await usageOf(service, project.id)).transactional.usage;
    const [far, near] = [await schedule(ahead(HOUR_MS)), await schedule(ahead(30_000))];
    const taken = await used();
    const answers = [
      await call("POST", `/emails/${far}/cancel`),
      await call("POST", `/emails/${near}/cancel`),
    ];
    later(2 * HOUR_MS);
    await minute();

    expect(taken).toBe(2);
    expect(await used()).toBe(0);
    for (const { status, body } of answers) {
      expect([status, body.status, body.error]).toEqual([200, "SUPPRESSED", "Cancelled before it was sent"]);
    }
    expect(recipients()).toEqual([]);
    expect(await service.pool`select from scheduled_emails`).toHaveLength(0);
    expect((await call("POST", `/emails/${far}/cancel`)).status).toBe(409);
    expect(await used()).toBe(0);
  });

  test("after its claim it is too late, and exactly one of both happens", async () => {
    const id = await schedule(ahead(30_000));
    later(31_000);
    const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = service.pool.begin(async (sql) => {
      await sql`select from emails where id = ${id} for update`;
      locked.resolve();
      await held.promise;
      await sql`update emails set status = 'SENDING', claimed_by = ${service.workerId} where id = ${id}`;
    });
    await locked.promise;
    const cancelling = call("POST", `/emails/${id}/cancel`);
    await untilBlocked(service.pool, {}, cancelling);
    held.resolve();
    await holding;

    const { status, body } = await cancelling;
    expect([status, body.error.details]).toEqual([409, { state: "SENDING" }]);
    await service.pool`update emails set status = 'PENDING', claimed_by = null where id = ${id}`;
    await minute();
    expect(recipients()).toEqual(["ada@example.com"]);
    expect((await call("POST", `/emails/${id}/cancel`)).status).toBe(409);
  });

  test("a mail that waits for another attempt is cancelled, too; one of a campaign is not", async () => {
    service.smtp.behave({ rcpt: () => "451 4.7.1 Later" });
    const id = await schedule(ahead(1), { sendAt: undefined });
    await service.runJobs();
    service.smtp.behave({});
    const cancelled = await call("POST", `/emails/${id}/cancel`);
    later(24 * HOUR_MS);
    await minute();

    expect([cancelled.status, cancelled.body.attempts]).toEqual([200, 1]);
    expect(recipients()).toEqual([]);
    await service.pool`update emails set status = 'PENDING', source_type = 'CAMPAIGN' where id = ${id}`;
    expect((await call("POST", `/emails/${id}/cancel`)).status).toBe(409);
    expect((await call("POST", `/emails/${project.id}/cancel`)).status).toBe(404);
  });
});
