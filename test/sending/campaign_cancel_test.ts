// A campaign that is cancelled, and the moves that its status does not allow.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { snapshotAudience } from "../../src/sending/campaigns/send.ts";
import { settleDoubts } from "../../src/sending/delivery/recovery.ts";
import { campaignsOf } from "../support/campaign.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
const { call, addContacts, create, send, cancel, get, ledger, counted } = campaignsOf(service, () => project);

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

describe("a cancelled campaign", () => {
  test("sends nothing after the answer but what was in flight; the rest is SUPPRESSED", async () => {
    // To a domain that is known to be quick: an unknown one begins with a single connection.
    await addContacts(200);
    await send(await create());
    await service.runJobs();
    service.smtp.received.length = 0;
    project = await service.createProject();
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
    expect(await get(id)).toMatchObject({
      status: "CANCELLED",
      sentCount: 36,
      processedCount: 400,
      ...(await counted(id)),
    });
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
