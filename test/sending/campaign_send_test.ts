// A campaign from the send call to its end.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { disableProject, enableProject, type NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { snapshotAudience, sendBatch, sweepCampaigns } from "../../src/sending/campaigns/send.ts";
import { startScheduled } from "../../src/sending/campaigns/status.ts";
import { settleDoubts, sweepEmails } from "../../src/sending/delivery/recovery.ts";
import { until } from "../support/process.ts";
import { campaignsOf } from "../support/campaign.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
const { call, addContacts, create, send, cancel, get, stats, ledger, counted } = campaignsOf(
  service,
  () => project,
);

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
/** A service that does something before the n-th range of its snapshot. */
const beforeRange = (n: number, act: () => unknown): Context => {
  let ranges = 0;
  const pool = new Proxy(service.pool, {
    get: (target, name) =>
      name !== "begin"
        ? Reflect.get(target, name)
        : async (work: never) => {
            if (++ranges === n) await act();
            return await target.begin(work);
          },
  });
  return { ...service, pool, sql: pool };
};

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

    expect(before).toMatchObject({ status: "SENDING", sentCount: 27 });
    expect(await get(id)).toMatchObject({ status: "SENT", sentCount: 30 });
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

    expect(await get(id)).toMatchObject({ status: "SENT", sentCount: 8, bouncedCount: 1, failedCount: 1 });
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

describe("a scheduled campaign", () => {
  const inAnHour = () => new Date(service.now().getTime() + 3_600_000);

  test("is sent at its time, and not before", async () => {
    await addContacts(2);
    const id = await create();
    const time = inAnHour();
    const { body } = await send(id, time.toISOString());
    later(3_590_000);
    await service.runJobs();
    const before = await get(id);
    later(11_000);
    await service.runJobs();

    expect(body.data).toMatchObject({ id, status: "SCHEDULED", scheduledFor: time.toISOString() });
    expect(body.message).toContain(time.toISOString());
    expect(before).toMatchObject({ status: "SCHEDULED", sentCount: 0 });
    expect(await get(id)).toMatchObject({ status: "SENT", sentCount: 2 });
  });

  test("is sent by the wall clock of the database to the second", async () => {
    const id = await create();
    await addContacts(1);
    const time = inAnHour();
    await send(id, time.toISOString());
    const job = (await service.jobs()).find(({ key }) => key === `start_campaign:${id}`);

    expect(job!.runAt).toEqual(time);
  });

  test("that is scheduled again is sent once, at the new time", async () => {
    await addContacts(1);
    const id = await create();
    await send(id, inAnHour().toISOString());
    await send(id, new Date(service.now().getTime() + 7_200_000).toISOString());
    later(3_700_000);
    await service.runJobs();
    const between = await get(id);
    later(3_600_000);
    await service.runJobs();

    expect(between.status).toBe("SCHEDULED");
    expect(await get(id)).toMatchObject({ status: "SENT", sentCount: 1 });
    expect(service.smtp.received).toHaveLength(1);
  });

  test("is taken to be in UTC where its time has no zone", async () => {
    await addContacts(1);
    const id = await create();

    expect((await send(id, "2035-01-01T10:00")).body.data.scheduledFor).toBe("2035-01-01T10:00:00.000Z");
    expect((await send(id, "2035-01-01")).body.data.scheduledFor).toBe("2035-01-01T00:00:00.000Z");
    expect((await send(id, "2035-01-01T10:00+02:00")).body.data.scheduledFor).toBe(
      "2035-01-01T08:00:00.000Z",
    );
  });

  test("is sent by a process whose clock is behind that of Postgres", async () => {
    await addContacts(1);
    const id = await create();
    const time = inAnHour();
    await send(id, time.toISOString());
    service.setNow(new Date(time.getTime() - 300));
    await service.dropJobs();
    await startScheduled(service, project.id, id);
    const early = await get(id);
    service.setNow(new Date(time.getTime() + 5_000));
    await service.runJobs();

    expect(early.status).toBe("SCHEDULED");
    expect(await get(id)).toMatchObject({ status: "SENT", sentCount: 1 });
  });

  test("whose job is lost is found and sent", async () => {
    await addContacts(1);
    const id = await create();
    await send(id, inAnHour().toISOString());
    await service.dropJobs();
    await sweepCampaigns(service);
    const before = await service.jobs();
    later(3_700_000);
    await sweepCampaigns(service);
    await service.runJobs();

    expect(before).toHaveLength(0);
    expect((await get(id)).status).toBe("SENT");
  });

  test("can be sent at once, and is not sent again at its time", async () => {
    await addContacts(1);
    const id = await create();
    await send(id, inAnHour().toISOString());
    const { body } = await send(id);
    expect(body.data).toMatchObject({ status: "SENDING", scheduledFor: null });
    later(3_700_000);
    await service.runJobs();

    expect(service.smtp.received).toHaveLength(1);
  });

  test("can be changed, and is cancelled for good", async () => {
    await addContacts(1);
    const id = await create();
    await send(id, inAnHour().toISOString());
    const changed = await call("PUT", `/campaigns/${id}`, {
      name: "Changed",
      subject: "New",
      body: "b",
      from: `news@${DOMAIN}`,
      audienceType: "ALL",
    });
    const { status, body } = await cancel(id);
    later(3_700_000);
    await service.runJobs();

    expect(changed.body).toMatchObject({ status: "SCHEDULED", name: "Changed" });
    expect([status, body.status]).toEqual([200, "CANCELLED"]);
    expect(service.smtp.received).toHaveLength(0);
    expect((await get(id)).status).toBe("CANCELLED");
  });

  test("whose sender is not verified any more at its time becomes a draft again", async () => {
    await addContacts(1);
    const id = await create();
    await send(id, inAnHour().toISOString());
    await service.pool`update domains set status = 'FAILED' where project_id = ${project.id}`;
    later(3_700_000);
    await service.runJobs();

    expect(await get(id)).toMatchObject({ status: "DRAFT", scheduledFor: null });
    expect(service.smtp.received).toHaveLength(0);
  });

  test("whose audience is empty by then ends SENT, with nobody", async () => {
    const [email] = await addContacts(1);
    const id = await create();
    await send(id, inAnHour().toISOString());
    await service.pool`update contacts set subscribed = false where email = ${email!}`;
    later(3_700_000);
    await service.runJobs();

    expect(await get(id)).toMatchObject({ status: "SENT", totalRecipients: 0, sentCount: 0 });
  });
});

describe("a cancelled campaign", () => {
  test("sends nothing after the answer but what was in flight; the rest is SUPPRESSED", async () => {
    await addContacts(400);
    let held = true;
    service.smtp.behave({
      holdData: async () => {
        while (held) await Bun.sleep(5);
      },
    });
    const id = await create();
    await send(id);
    const running = service.runJobs();
    while ((await ledger(id)).SENDING !== 36) await Bun.sleep(20);
    const { status, body } = await cancel(id);
    const inFlight = (await ledger(id)).SENDING!;
    held = false;
    await running;
    await service.runJobs();

    expect([status, body.status]).toEqual([200, "CANCELLED"]);
    expect(inFlight).toBe(36);
    expect(service.smtp.received).toHaveLength(36);
    expect(await ledger(id)).toEqual({ SENT: 36, SUPPRESSED: 364 });
    expect(await get(id)).toMatchObject({ status: "CANCELLED", sentCount: 36, ...(await counted(id)) });
  });

  test("that is deleted at once leaves no mail open", async () => {
    await addContacts(30);
    const id = await create();
    await send(id);
    await snapshotAudience(service, project.id, id);
    await cancel(id);
    const { status } = await call("DELETE", `/campaigns/${id}`);
    await service.runJobs();

    expect(status).toBe(204);
    expect(await ledger(id)).toEqual({ SUPPRESSED: 30 });
    expect(service.smtp.received).toHaveLength(0);
  });

  test("has no mail in doubt sent again", async () => {
    await addContacts(1);
    await service.pool`update projects set resend_in_doubt = '{CAMPAIGN}' where id = ${project.id}`;
    const id = await create();
    await send(id);
    await snapshotAudience(service, project.id, id);
    await service.pool`
      update emails set status = 'IN_DOUBT', due_at = ${service.now()}, tried_at = now() where campaign_id = ${id}`;
    await cancel(id);
    later(20 * 60_000);
    await settleDoubts(service);
    await service.runJobs();

    expect(await ledger(id)).toEqual({ IN_DOUBT: 1 });
    expect(service.smtp.received).toHaveLength(0);
  });

  test("is closed some thousand mails at a time, and never more", async () => {
    await addContacts(60);
    const id = await create();
    await send(id);
    await snapshotAudience(service, project.id, id);
    await cancel(id);
    const closed = await q.campaignSend.suppress(service, {
      projectId: project.id,
      campaignId: id,
      limit: 25,
    });

    expect(closed).toBe(25);
    expect(await ledger(id)).toEqual({ PENDING: 35, SUPPRESSED: 25 });
  });

  test("while it is being frozen adds no more mails", async () => {
    await addContacts(700);
    const id = await create();
    await send(id);
    await snapshotAudience(
      beforeRange(2, () => cancel(id)),
      project.id,
      id,
    );
    const frozen = await ledger(id);
    await service.runJobs();

    expect(frozen).toEqual({ PENDING: 500 });
    expect(service.smtp.received).toHaveLength(0);
    expect(await ledger(id)).toEqual({ SUPPRESSED: 500 });
  });

  test("cancelled by two at once is cancelled once", async () => {
    await addContacts(2);
    const id = await create();
    await send(id, new Date(service.now().getTime() + 3_600_000).toISOString());
    const answers = await Promise.all([1, 2, 3].map(() => cancel(id)));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });
});

describe("every move that a status does not allow", () => {
  const moves = {
    PUT: (id: string) =>
      call("PUT", `/campaigns/${id}`, {
        name: "x",
        subject: "s",
        body: "b",
        from: `news@${DOMAIN}`,
        audienceType: "ALL",
      }),
    DELETE: (id: string) => call("DELETE", `/campaigns/${id}`),
    send: (id: string) => send(id),
    cancel,
  };
  const allowed: Record<string, Record<keyof typeof moves, number>> = {
    DRAFT: { PUT: 200, DELETE: 204, send: 200, cancel: 409 },
    SCHEDULED: { PUT: 200, DELETE: 409, send: 200, cancel: 200 },
    SENDING: { PUT: 409, DELETE: 409, send: 409, cancel: 200 },
    SENT: { PUT: 409, DELETE: 204, send: 409, cancel: 409 },
    CANCELLED: { PUT: 409, DELETE: 204, send: 409, cancel: 409 },
  };

  test.each(Object.entries(allowed))("%s", async (status, expected) => {
    await addContacts(1);
    for (const [name, wanted] of Object.entries(expected) as [keyof typeof moves, number][]) {
      const id = await create();
      await service.pool`update campaigns set status = ${status} where id = ${id}`;
      const answer = await moves[name](id);
      const after = await service.pool`select status, subject from campaigns where id = ${id}`;
      expect([name, answer.status]).toEqual([name, wanted]);
      if (wanted !== 409) continue;
      expect(answer.body.error).toMatchObject({ code: "CONFLICT", details: { status } });
      expect(after[0]).toMatchObject({ status, subject: "Hello {{firstName ?? there}}" });
    }
  });
});

describe("freezing", () => {
  const rowsOf = (id: string) => service.pool`select contact_id from emails where campaign_id = ${id}`;

  test("done by several at once, and again, makes one mail for each contact", async () => {
    await addContacts(2_500);
    const id = await create();
    await send(id);
    await Promise.all([1, 2, 3, 4].map(() => snapshotAudience(service, project.id, id)));
    await snapshotAudience(service, project.id, id);
    const rows = await rowsOf(id);
    await service.dropJobs();

    expect(rows).toHaveLength(2_500);
    expect(new Set(rows.map((row) => row.contactId)).size).toBe(2_500);
  });

  test("goes by the segment as it was when the campaign was sent, whatever becomes of it", async () => {
    await addContacts(700);
    const condition = (operator: string) => ({
      logic: "AND",
      groups: [{ filters: [{ field: "data.firstName", operator }] }],
    });
    const segment = await call("POST", "/segments", { name: "All", condition: condition("exists") });
    const id = await create({ audienceType: "SEGMENT", segmentId: segment.body.id });
    await send(id);
    const patch = () => call("PATCH", `/segments/${segment.body.id}`, { condition: condition("notExists") });
    await snapshotAudience(beforeRange(2, patch), project.id, id);

    expect(await rowsOf(id)).toHaveLength(700);
    expect((await call("GET", `/segments/${segment.body.id}`)).body.memberCount).toBe(0);
    await service.dropJobs();
  });

  test("goes on behind the last range that was committed", async () => {
    await addContacts(700);
    const id = await create();
    await send(id);
    const dying = beforeRange(2, () => {
      throw new Error("killed");
    });
    await expect(snapshotAudience(dying, project.id, id)).rejects.toThrow("killed");
    const half = (await rowsOf(id)).length;
    await service.runJobs();

    expect(half).toBe(500);
    expect(await get(id)).toMatchObject({ status: "SENT", totalRecipients: 700, sentCount: 700 });
    expect(new Set(recipients()).size).toBe(700);
  });

  test("leaves no mail for a contact that is deleted at the same moment", async () => {
    await addContacts(1_500);
    const contacts = await service.pool`select id from contacts where project_id = ${project.id} order by id`;
    const id = await create();
    await send(id);
    const deletions = contacts
      .filter((_, i) => i % 30 === 0)
      .map((contact) => call("DELETE", `/contacts/${contact.id}`));
    await Promise.all([snapshotAudience(service, project.id, id), ...deletions]);
    const orphans = await service.pool`
      select from emails e
      where e.campaign_id = ${id} and e.contact_id is not null
        and not exists (select from contacts c where c.project_id = e.project_id and c.id = e.contact_id)`;
    const named = await service.pool`
      select from emails where campaign_id = ${id} and contact_id is null and address like '%@%'`;

    expect(orphans).toHaveLength(0);
    expect(named).toHaveLength(0);
  });

  test("puts the first batches of a small campaign before the later ones of a large one", async () => {
    await addContacts(900);
    const [large, small] = [await create(), await create()];
    for (const id of [large, small]) {
      await send(id);
      await snapshotAudience(service, project.id, id);
    }
    const jobs = (await service.jobs())
      .filter(({ payload }) => payload.fromId)
      .toSorted((a, b) => a.priority - b.priority);

    expect(jobs.map((job) => job.priority)).toEqual([10, 10, 11, 11, 12, 12, 12, 12, 13, 13]);
    expect(jobs[1]!.payload.campaignId).toBe(small);
    await service.dropJobs();
  });
});

describe("scheduled campaigns that are overdue", () => {
  const begun = async (ids: string[]) => {
    const jobs = await service.jobs("snapshot_audience");
    return jobs
      .toSorted((a, b) => a.runAt.getTime() - b.runAt.getTime())
      .map(({ payload }) => ids.indexOf(payload.campaignId));
  };

  test.each([
    [
      "each by its job, the last one first",
      async (ids: string[]) => {
        for (const id of ids.toReversed()) await startScheduled(service, project.id, id);
      },
    ],
    [
      "all at once",
      async (ids: string[]) => {
        await Promise.all(ids.toReversed().map((id) => startScheduled(service, project.id, id)));
      },
    ],
  ] as const)("begin in the order of their times: %s", async (_, start) => {
    await addContacts(3);
    const ids: string[] = [];
    // Made in another order than they are due.
    for (const hours of [3, 1, 4, 2, 5]) {
      ids[hours - 1] = await create();
      await send(ids[hours - 1]!, new Date(service.now().getTime() + hours * 3_600_000));
    }
    await service.dropJobs();
    service.setNow(new Date(service.now().getTime() + 86_400_000));
    await start(ids);
    const rows = await service.pool`select id, sent_at from campaigns where id = any(${ids})`;
    const sentAt = new Map(rows.map((row) => [row.id as string, (row.sentAt as Date).getTime()]));
    const times = ids.map((id) => sentAt.get(id)!);

    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(await begun(ids)).toEqual([0, 1, 2, 3, 4]);
    service.setNow(new Date());
    await service.dropJobs();
    await service.pool`update campaigns set status = 'CANCELLED', finished_at = now() where id = any(${ids})`;
  });
});

describe("a campaign that stands still", () => {
  test("because its jobs are lost, is found and goes on", async () => {
    await addContacts(600);
    const id = await create();
    await send(id);
    await snapshotAudience(service, project.id, id);
    await service.dropJobs();
    await sweepCampaigns(service);
    await service.runJobs();

    expect(await get(id)).toMatchObject({ status: "SENT", sentCount: 600 });
    expect(service.smtp.received).toHaveLength(600);
  });

  test("because the job of its snapshot is lost, is found and goes on", async () => {
    await addContacts(10);
    const id = await create();
    await send(id);
    await service.dropJobs();
    await sweepCampaigns(service);
    await service.runJobs();

    expect(await get(id)).toMatchObject({ status: "SENT", sentCount: 10 });
  });

  test("because a job of it has used up its attempts, goes on", async () => {
    await addContacts(10);
    const id = await create();
    await send(id);
    await snapshotAudience(service, project.id, id);
    await service.changeJobs({ attempts: "all" });
    await sweepCampaigns(service);
    await service.runJobs();

    expect(await get(id)).toMatchObject({ status: "SENT", sentCount: 10 });
  });

  test("because of a doubt that is kept for good, does not: it ends, also when doubts are sent again from now on", async () => {
    const [email] = await addContacts(3);
    const id = await create();
    await send(id);
    await snapshotAudience(service, project.id, id);
    await service.pool`
      update emails set status = 'IN_DOUBT', due_at = 'infinity', tried_at = now() where address = ${email!}`;
    await service.pool`update projects set resend_in_doubt = '{CAMPAIGN}' where id = ${project.id}`;
    await service.runJobs();

    expect(await get(id)).toMatchObject({ status: "SENT", sentCount: 2 });
  });

  test("because its project is disabled, waits, and leaves when it is enabled", async () => {
    await addContacts(10);
    const id = await create();
    await send(id);
    await snapshotAudience(service, project.id, id);
    await disableProject(service, project.id, null);
    await service.runJobs();
    await sweepCampaigns(service);
    await service.runJobs();
    const held = service.smtp.received.length;
    await enableProject(service, project.id);
    await sweepCampaigns(service);
    await service.runJobs();

    expect(held).toBe(0);
    expect(await get(id)).toMatchObject({ status: "SENT", sentCount: 10 });
  });

  test("because its project was disabled for long tries its mails for a whole day again", async () => {
    const [email] = await addContacts(3);
    const id = await create();
    service.smtp.behave({ rcpt: (address) => (address === email ? "451 4.7.1 Later" : undefined) });
    await send(id);
    await service.runJobs();
    await disableProject(service, project.id, null);
    later(30 * 3_600_000);
    await service.runJobs();
    await enableProject(service, project.id);
    await sweepCampaigns(service);
    await service.runJobs();
    const [row] =
      await service.pool`select status, attempts from emails where campaign_id = ${id} and address = ${email!}`;
    service.smtp.behave({});
    later(3_600_000);
    await service.runJobs();

    expect(row).toEqual({ status: "PENDING", attempts: 2 });
    expect(await get(id)).toMatchObject({ status: "SENT", sentCount: 3 });
  });

  test("because it was cancelled and the job that closes it is lost, is closed", async () => {
    await addContacts(10);
    const id = await create();
    await send(id);
    await snapshotAudience(service, project.id, id);
    await cancel(id);
    await service.dropJobs();
    await sweepCampaigns(service);
    await service.runJobs();
    const [row] = await service.pool`select finished_at from campaigns where id = ${id}`;

    expect(await ledger(id)).toEqual({ SUPPRESSED: 10 });
    expect(row!.finishedAt).toBeDate();
  });

  test("is not touched by the sweep of single mails, whatever its age", async () => {
    await addContacts(3);
    const id = await create();
    await send(id);
    await snapshotAudience(service, project.id, id);
    await service.dropJobs();
    later(3_600_000);
    await sweepEmails(service);

    expect(await service.jobs()).toEqual([]);
    await sweepCampaigns(service);
    await service.runJobs();
  });
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
