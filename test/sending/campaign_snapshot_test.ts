// The audience of a campaign as rows of the ledger; and what becomes of a campaign that stands still.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { disableProject, enableProject, type NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { snapshotAudience, sweepCampaigns } from "../../src/sending/campaigns/send.ts";
import { sweepEmails } from "../../src/sending/delivery/recovery.ts";
import { campaignsOf } from "../support/campaign.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
const { call, addContacts, create, send, cancel, get, ledger } = campaignsOf(service, () => project);

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
