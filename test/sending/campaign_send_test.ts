// A campaign from the send call to its end.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { snapshotAudience, sendBatch } from "../../src/sending/campaigns/send.ts";
import { until } from "../support/process.ts";
import { campaignsOf } from "../support/campaign.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
const { call, addContacts, create, send, get, stats, ledger, counted } = campaignsOf(service, () => project);

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
});

afterEach(async () => {
  service.smtp.behave({});
  service.setNow(new Date());
  // Nothing of one test is found by the sweeps of another.
  await service.dropJobs();
  await service.pool`update campaigns set finished_at = now() where finished_at is null`;
});

const recipients = () => service.smtp.received.flatMap((mail) => mail.to).sort();

const later = (ms: number) => service.setNow(new Date(service.now().getTime() + ms));

test("a batch of which somebody held mails for a moment comes back for them", async () => {
  await addContacts(20);
  const id = await create();
  await send(id);
  await snapshotAudience(service, project.id, id);
  const ids = await service.pool`select id from emails where campaign_id = ${id} order by id`;
  const [fromId, toId] = [ids[0]!.id as string, ids.at(-1)!.id as string];
  await service.dropJobs();
  const holder = await service.pool.reserve();
  await holder`begin`;
  await holder`select from emails where campaign_id = ${id} and id >= ${ids[15]!.id} for update`;
  await sendBatch(service, { projectId: project.id, campaignId: id, fromId, toId });
  // On a busy machine the domain is taken for a slow one, and some of the mails come later.
  await until("those that nobody holds", async () => {
    if ((await ledger(id)).SENT === 15) return true;
    await service.runJobs();
    return false;
  });
  const meanwhile = await ledger(id);
  await holder`rollback`;
  holder.release();
  await until("the rest", async () => {
    await service.runJobs();
    return (await get(id)).status === "SENT";
  });

  expect(meanwhile).toEqual({ SENT: 15, PENDING: 5 });
  expect(recipients()).toHaveLength(20);
});

test("mails of a campaign that are tried again come alone, and not with what lies between them", async () => {
  const emails = (await addContacts(9)).sort();
  const id = await create();
  await send(id);
  await snapshotAudience(service, project.id, id);
  await service.dropJobs();
  const rows = await service.pool`select id, address from emails where campaign_id = ${id} order by id`;
  const ids = rows.map((row) => row.id as string);
  const ends = [rows[0]!, rows.at(-1)!].map((row) => row.address as string);
  service.smtp.behave({ rcpt: (address) => (ends.includes(address) ? "451 4.3.0 Later" : undefined) });
  await sendBatch(service, { projectId: project.id, campaignId: id, fromId: ids[0]!, toId: ids.at(-1)! });
  service.smtp.behave({});
  const retries = (await service.dropJobs()).filter(({ name }) => name === "send_batch");
  await service.pool`update emails set status = 'PENDING', due_at = now() where id = ${ids[4]!}`;
  later(60_000);
  for (const { payload } of retries) await sendBatch(service, payload as never);

  expect(retries.flatMap(({ payload }) => payload.emailIds).sort()).toEqual([ids[0]!, ids.at(-1)!]);
  expect(await ledger(id)).toEqual({ SENT: 8, PENDING: 1 });
  expect(recipients()).toEqual(emails);
});

describe("a campaign that is sent", () => {
  test("reaches everybody once, ends SENT by itself, and its counters equal the ledger", async () => {
    const emails = await addContacts(620);
    const id = await create();
    const { status, body } = await send(id);
    await service.runJobs();
    const campaign = await get(id);

    expect([status, body.success, body.data.status, body.data.scheduledFor]).toEqual([
      200,
      true,
      "SENDING",
      null,
    ]);
    expect(body.message).toBeString();
    expect(recipients()).toEqual(emails.sort());
    expect(campaign).toMatchObject({ status: "SENT", totalRecipients: 620, sentCount: 620 });
    expect(campaign.sentAt).toBeString();
    expect(await ledger(id)).toEqual({ SENT: 620 });
    expect(campaign).toMatchObject(await counted(id));
  });

  test("goes out once when two send it at the same moment", async () => {
    const emails = await addContacts(20);
    const id = await create();
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(id)));
    await service.runJobs();

    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    expect(recipients()).toEqual(emails.sort());
  });

  test("is frozen: who comes or goes after the send call is not looked at again, but an unsubscription is", async () => {
    const [left, gone, blocked, kept] = await addContacts(4);
    const id = await create();
    await send(id);
    await snapshotAudience(service, project.id, id);
    await addContacts(3, "late");
    await service.pool`update contacts set subscribed = false where email = ${left!}`;
    const contact = await call("GET", `/contacts?search=${gone}`);
    await call("DELETE", `/contacts/${contact.body.data[0].id}`);
    await call("POST", "/suppressions", { email: blocked });
    await service.runJobs();

    expect(recipients()).toEqual([kept!]);
    expect(await ledger(id)).toEqual({ SENT: 1, SUPPRESSED: 3 });
    expect(await get(id)).toMatchObject({ status: "SENT", totalRecipients: 4, sentCount: 1, failedCount: 0 });
  });

  test("says in the ledger why a mail was not sent", async () => {
    const [left, , blocked] = await addContacts(3);
    const id = await create();
    await send(id);
    await snapshotAudience(service, project.id, id);
    await service.pool`update contacts set subscribed = false where email = ${left!}`;
    await call("POST", "/suppressions", { email: blocked, reason: "COMPLAINT" });
    await service.runJobs();
    const rows = await service.pool`
      select address, error from emails where campaign_id = ${id} and status = 'SUPPRESSED' order by address`;

    expect(Object.fromEntries(rows.map((row) => [row.address, row.error]))).toEqual({
      [left!]: "The contact is not subscribed",
      [blocked!]: "The address is on the suppression list (COMPLAINT)",
    });
  });

  test("of type TRANSACTIONAL reaches those who are not subscribed as well", async () => {
    const emails = await addContacts(2);
    await service.pool`update contacts set subscribed = false, opted_out_at = now() where email = ${emails[0]!}`;
    const id = await create({ type: "TRANSACTIONAL" });
    await send(id);
    await service.runJobs();

    expect(recipients()).toEqual(emails.sort());
  });

  test("to a condition reaches those who satisfy it when it is sent, not when it was saved", async () => {
    const emails = await addContacts(5);
    const audienceCondition = {
      logic: "AND",
      groups: [{ filters: [{ field: "data.vip", operator: "equals", value: true }] }],
    };
    const id = await create({ audienceType: "FILTERED", audienceCondition });
    await service.pool`update contacts set data = data || '{"vip": true}' where email = ${emails[2]!}`;
    await send(id);
    await service.runJobs();

    expect(recipients()).toEqual([emails[2]!]);
    expect(await get(id)).toMatchObject({ status: "SENT", totalRecipients: 1 });
  });

  test("that is changed or deleted meanwhile says what it said when it was sent", async () => {
    await addContacts(1);
    const id = await create({ subject: "As it was" });
    await send(id);
    await service.pool`update campaigns set subject = 'Changed', html = 'changed' where id = ${id}`;
    await service.runJobs();

    expect(service.smtp.received[0]!.source).toContain("Subject: As it was");
  });

  test("stays SENDING while a mail is tried again, and is SENT when the last one has left", async () => {
    await addContacts(30);
    service.smtp.behave({ rcpt: (address) => (address.includes("7@") ? "451 4.7.1 Later" : undefined) });
    const id = await create();
    await send(id);
    await service.runJobs();
    const before = await get(id);
    service.smtp.behave({});
    later(20_000);
    await service.runJobs();

    expect(before).toMatchObject({ status: "SENDING", sentCount: 27, processedCount: 27 });
    expect(await get(id)).toMatchObject({ status: "SENT", sentCount: 30, processedCount: 30 });
    expect(new Set(recipients()).size).toBe(30);
    expect(service.smtp.received).toHaveLength(30);
  });

  test("counts bounces and refusals; an address that bounced gets nothing more", async () => {
    await addContacts(10, "b");
    service.smtp.behave({
      rcpt: (address) =>
        address.startsWith("b3")
          ? "550 5.1.1 No such user"
          : address.startsWith("b4")
            ? "554 5.7.1 Spam"
            : undefined,
    });
    const id = await create();
    await send(id);
    await service.runJobs();
    const list = await call("GET", "/suppressions");

    const outcomes = { sentCount: 8, bouncedCount: 1, failedCount: 1, processedCount: 10 };
    expect(await get(id)).toMatchObject({ status: "SENT", ...outcomes });
    expect(await get(id)).toMatchObject(await counted(id));
    expect(list.body.data.map((row: { email: string; reason: string }) => [row.email, row.reason])).toEqual([
      ["b3@example.com", "BOUNCE"],
    ]);
    expect((await stats(id)).bounceRate).toBe(12.5);
  });
});

describe("POST /campaigns/:id/send", () => {
  test("refuses a time in the past, one that cannot be read, and an audience without anybody", async () => {
    const empty = await create();
    expect((await send(empty)).status).toBe(400);
    await addContacts(1);
    const id = await create();
    for (const time of [
      "2020-01-01T00:00:00Z",
      "soon",
      "",
      5,
      {},
      "2030-02-31T99:00:00Z",
      "2030-02-30",
      "2030-06-31T10:00:00Z",
      true,
    ]) {
      const { status, body } = await send(id, time);
      expect([time, status, body.error.code]).toEqual([time, 400, "BAD_REQUEST"]);
    }
    expect((await get(id)).status).toBe("DRAFT");
    expect(await ledger(id)).toEqual({});
  });

  test("with null, without the field, and without a body sends now", async () => {
    await addContacts(1);
    for (const body of [{ scheduledFor: null }, {}, undefined]) {
      const id = await create();
      const { status, body: answer } = await call("POST", `/campaigns/${id}/send`, body);
      expect([status, answer.data?.status]).toEqual([200, "SENDING"]);
    }
  });

  test("is 403 when the sender's domain is not verified any more", async () => {
    await addContacts(1);
    const id = await create();
    await service.pool`update domains set status = 'FAILED' where project_id = ${project.id}`;
    const { status, body } = await send(id);

    expect([status, body.error.details.reason]).toEqual([403, "SENDER_DOMAIN_NOT_VERIFIED"]);
    expect((await get(id)).status).toBe("DRAFT");
  });
});

describe("a body of the wrong shape", () => {
  test.each(['"2030-01-01T10:00:00Z"', '[{"scheduledFor": "2030-01-01T10:00:00Z"}]', "[]", "1", "true"])(
    "%s sends nothing",
    async (raw) => {
      await addContacts(1);
      const id = await create();
      const { status, body } = await service.request("POST", `/campaigns/${id}/send`, {
        key: project.secret,
        raw,
      });

      expect([status, body.error.code]).toEqual([422, "VALIDATION_ERROR"]);
      expect((await get(id)).status).toBe("DRAFT");
    },
  );
});

describe("POST /campaigns/:id/test", () => {
  const html = async () => {
    const { default: PostalMime } = await import("postal-mime");
    return await PostalMime.parse(service.smtp.received.at(-1)!.source);
  };

  test("sends one mail with a marked subject, and touches neither contacts nor counters", async () => {
    const id = await create();
    const before =
      await service.pool`select count(*)::int as n from contacts where project_id = ${project.id}`;
    const { status, body } = await call("POST", `/campaigns/${id}/test`, { email: "Me@Example.com" });
    await service.runJobs();
    const mail = await html();
    const email = await call("GET", `/emails/${body.data.email}`);

    expect([status, body.success]).toEqual([200, true]);
    expect(recipients()).toEqual(["me@example.com"]);
    expect(mail.subject).toBe("[TEST] Hello firstName");
    expect(mail.html).toContain("Hello firstName");
    expect(email.body).toMatchObject({ status: "SENT", campaignId: null, contactId: null });
    expect(
      await service.pool`select count(*)::int as n from contacts where project_id = ${project.id}`,
    ).toEqual(before);
    expect(await get(id)).toMatchObject({ status: "DRAFT", sentCount: 0, totalRecipients: 0 });
  });

  test("is rendered with the data of the contact who has the address, subscribed or not", async () => {
    await call("POST", "/contacts", {
      email: "ada@example.com",
      subscribed: false,
      data: { firstName: "Ada" },
    });
    const id = await create();
    await call("POST", `/campaigns/${id}/test`, { email: "ada@example.com" });
    await service.runJobs();

    expect((await html()).subject).toBe("[TEST] Hello Ada");
  });

  test("of what is no address is 422", async () => {
    const id = await create();
    for (const body of [{}, { email: "nobody" }, { email: 5 }]) {
      const answer = await call("POST", `/campaigns/${id}/test`, body);
      expect([answer.status, answer.body.error.errors[0].field]).toEqual([422, "email"]);
    }
  });
});
