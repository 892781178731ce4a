// A campaign that waits for its time.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { sweepCampaigns } from "../../src/sending/campaigns/send.ts";
import { startScheduled } from "../../src/sending/campaigns/status.ts";
import { campaignsOf } from "../support/campaign.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
const { call, addContacts, create, send, cancel, get } = campaignsOf(service, () => project);

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

const later = (ms: number) => service.setNow(new Date(service.now().getTime() + ms));

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

  test("is a draft again when it is unscheduled: nothing is sent at its time, and it can be sent later", async () => {
    await addContacts(1);
    const id = await create();
    const unschedule = () => call("POST", `/campaigns/${id}/unschedule`);
    expect((await unschedule()).body.error.message).toBe("Cannot unschedule a campaign that is DRAFT");
    await send(id, inAnHour().toISOString());
    const { status, body } = await unschedule();
    later(3_700_000);
    await service.runJobs();

    expect([status, body.status, body.scheduledFor]).toEqual([200, "DRAFT", null]);
    expect(await get(id)).toMatchObject({ status: "DRAFT", sentCount: 0 });
    expect(service.smtp.received).toHaveLength(0);
    await send(id);
    await service.runJobs();
    expect(await get(id)).toMatchObject({ status: "SENT", sentCount: 1 });
    expect((await unschedule()).status).toBe(409);
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
