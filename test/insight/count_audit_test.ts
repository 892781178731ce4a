// Rolling up, the nightly audit, and recounting.
import { beforeEach, describe, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { requestReset } from "../../src/accounts/projects/removal.ts";
import { recordEvents } from "../../src/audience/events.ts";
import { inTransaction } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { eventCountFaults, rollUpEventCounts } from "../../src/insight/counts/events.ts";
import {
  auditProject,
  auditProjects,
  recountProject,
  recountProjects,
} from "../../src/insight/counts/audit.ts";
import { rollUpMailCounts, mailCountFaults } from "../../src/insight/counts/mails.ts";
import { applyNotices } from "../../src/sending/feedback/mod.ts";
import { upkeepTasks } from "../../tasks/upkeep.ts";
import { BROWSER } from "../support/followed_mails.ts";
import { untilBlocked } from "../support/locks.ts";
import { useService } from "../support/service.ts";

const service = useService();

const DAY_MS = 86_400_000;
const NIL = "00000000-0000-0000-0000-000000000000";
const EVERYTHING = { forgets: true, limit: 100 };

let projectId = "";

beforeEach(async () => {
  projectId = (await service.createProject()).id;
  service.lines.length = 0;
});

const ago = (days: number) => new Date(service.now().getTime() - days * DAY_MS);
const dayOf = (at: Date) => at.toISOString().slice(0, 10);

const track = (name: string, days: number, count = 1) =>
  inTransaction({ ...service, now: () => ago(days) }, (tx) =>
    recordEvents(
      tx,
      Array.from({ length: count }, () => ({ projectId, contactId: null, name })),
    ),
  );

/** Mails that were sent so many days ago; answers their ids. */
async function send(count: number, days: number): Promise<string[]> {
  const at = ago(days);
  const rows = await service.pool`
    insert into emails (project_id, id, address, source_type, due_at, queued_at)
    select ${projectId}, i.id, i.id || '@example.com', 'TRANSACTIONAL', ${at}, ${at}
    from unnest(${Array.from({ length: count }, () => Bun.randomUUIDv7("hex", at))}::uuid[]) as i (id)
    returning id`;
  await service.pool`
    update emails set status = 'SENT', sent_at = ${at}
    where project_id = ${projectId} and id = any(${rows.map((row) => row.id)})`;
  return rows.map((row) => row.id as string);
}

const rollUp = async () => [await rollUpMailCounts(service), await rollUpEventCounts(service)];

const faults = async () => [
  ...(await eventCountFaults(service, projectId, EVERYTHING)),
  ...(await mailCountFaults(service, projectId, EVERYTHING)),
];

const reported = () => service.lines.filter(({ message }) => message === "wrong count");

/** Events on these days, as the counters say; days without any are left out. */
async function countedOf(name: string): Promise<Record<string, number>> {
  const rows = await service.pool`
    select day::text, sum(count)::int as n
    from event_counts_of(${projectId}, '-infinity', 'infinity')
    where name = ${name} group by 1 having sum(count) <> 0`;
  return Object.fromEntries(rows.map(({ day, n }) => [day, n]));
}

async function totalOf(name: string): Promise<number> {
  const [row] = await service.pool`
    select coalesce(sum(count), 0)::int as n from event_totals_of(${projectId}) where name = ${name}`;
  return row!.n as number;
}

async function sentCounted(): Promise<number> {
  const [row] = await service.pool`
    select coalesce(sum(sent), 0)::int as n from mail_counts_of(${projectId}, '-infinity', 'infinity')`;
  return row!.n as number;
}

describe("rolling up", () => {
  test("takes all deltas, and finds none the second time", async () => {
    await track("ordered", 1, 3);
    await track("ordered", 0, 2);
    await send(2, 1);
    const first = await rollUp();
    const second = await rollUp();

    const left = await service.pool`select from event_count_deltas union all select from mail_count_deltas`;
    expect([first, second]).toEqual([
      [true, true],
      [false, false],
    ]);
    expect(left).toHaveLength(0);
    expect([await countedOf("ordered"), await totalOf("ordered"), await sentCounted()]).toEqual([
      { [dayOf(ago(1))]: 3, [dayOf(ago(0))]: 2 },
      5,
      2,
    ]);
  });

  test("leaves it to the one that is at it", async () => {
    await track("ordered", 0, 3);
    const answer = await inTransaction(service, async (tx) => {
      await q.rollup.hold(tx);
      return await rollUpEventCounts(service);
    });

    const deltas = await service.pool`select from event_count_deltas where project_id = ${projectId}`;
    expect(answer).toBe(false);
    expect(deltas.length).toBeGreaterThan(0);
    expect(await totalOf("ordered")).toBe(3);
  });

  test("goes on a few seconds later as long as there is something, by one job however many are at it", async () => {
    const jobs = () => service.pool`
      select run_at from graphile_worker.jobs where task_identifier = 'roll_up_counts'`;
    await upkeepTasks.roll_up_counts(service);
    await service.dropJobs();
    await upkeepTasks.roll_up_counts(service);
    const idle = await jobs();
    await track("ordered", 0);
    await upkeepTasks.roll_up_counts(service);
    await track("ordered", 0);
    await upkeepTasks.roll_up_counts(service);
    const [busy, ...others] = await jobs();

    const waitMs = busy!.runAt.getTime() - service.now().getTime();
    expect(idle).toHaveLength(0);
    expect(others).toHaveLength(0);
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(5_000);
    await service.dropJobs();
  });

  test("forgets what was counted of a project that is on its way out", async () => {
    await track("ordered", 0);
    await send(1, 1);
    await service.pool`update projects set deleted_at = now(), disabled_at = now() where id = ${projectId}`;
    await rollUp();

    const counts = await service.pool`
      select name from event_counts where project_id = ${projectId}
      union all select name from event_totals where project_id = ${projectId}
      union all select 'mails' from mail_counts where project_id = ${projectId}`;
    expect([...counts]).toEqual([]);
  });
});

describe("the audit", () => {
  test("says nothing where all is right, rolled up or not, also of events that went with their contact", async () => {
    await track("ordered", 40, 3);
    await send(3, 40);
    await rollUp();
    await track("ordered", 1, 2);
    await send(3, 1);
    await service.pool`delete from events where project_id = ${projectId} and created_at < now() - interval '9 days'`;
    await auditProject(service, projectId);

    expect(reported()).toEqual([]);
    expect(await totalOf("ordered")).toBe(2);
  });

  test("reports every wrong day, total and measure as an error, with both numbers", async () => {
    await track("ordered", 40, 3);
    await track("signed up", 1, 2);
    const [id] = await send(3, 40);
    await rollUp();
    await service.pool`
      update event_counts set count = 5 where project_id = ${projectId} and name = 'ordered'`;
    await service.pool`
      update event_totals set count = 1 where project_id = ${projectId} and name = 'signed up'`;
    await service.pool`update mail_counts set sent = 7, opened = 1 where project_id = ${projectId}`;
    await service.pool`alter table emails disable trigger emails_count`;
    await service.pool`update emails set clicked_at = ${ago(2)} where project_id = ${projectId} and id = ${id!}`;
    await service.pool`alter table emails enable trigger emails_count`;
    await auditProject(service, projectId);

    const mails = { sourceType: "TRANSACTIONAL", campaignId: NIL };
    const lines = reported().map((line) =>
      Object.fromEntries(Object.entries(line).filter(([key]) => key !== "time" && key !== "message")),
    );
    expect(lines).toEqual(
      [
        { day: dayOf(ago(40)), name: "ordered", facts: 3, counted: 5 },
        { day: null, name: "ordered", facts: 5, counted: 3 },
        { day: null, name: "signed up", facts: 2, counted: 1 },
        { day: dayOf(ago(40)), ...mails, measure: "opened", facts: 0, counted: 1 },
        { day: dayOf(ago(40)), ...mails, measure: "sent", facts: 3, counted: 7 },
        { day: dayOf(ago(2)), ...mails, measure: "clicked", facts: 1, counted: 0 },
      ].map((line) => ({ level: "error", projectId, ...line })),
    );
  });

  test("is done for every project, by a job of its own", async () => {
    await service.pool`update projects set deleted_at = now(), disabled_at = now() where deleted_at is null`;
    projectId = (await service.createProject()).id;
    await service.createProject();
    await track("ordered", 3, 2);
    await rollUp();
    await service.pool`update event_counts set count = 1 where project_id = ${projectId}`;
    await auditProjects(service);
    await service.runJobs();

    const audits = service.lines.filter(({ job }) => job === "audit_counts");
    expect(audits).toHaveLength(2);
    expect(reported().map((line) => line.projectId)).toEqual([projectId, projectId]);
  });

  test("takes a late report of an open for what it is: it happened when it happened", async () => {
    const [emailId] = await send(1, 20);
    const at = ago(12);
    await inTransaction(service, (tx) =>
      applyNotices(tx, [
        {
          kind: "open",
          mail: { projectId, emailId: emailId!, providerId: null },
          at,
          sentAt: null,
          recipient: null,
          userAgent: BROWSER,
        },
      ]),
    );

    expect(await countedOf("email.open")).toEqual({ [dayOf(at)]: 1 });
    expect(await faults()).toEqual([]);
  });

  test("does not miss what has expired, and sees all the same what the counters lack", async () => {
    const { id: old } = await service.createProject();
    await service.pool`update projects set created_at = ${ago(400)} where id = ${old}`;
    projectId = old;
    await track("ordered", 300, 4);
    await track("ordered", 10, 2);
    await send(4, 300);
    await send(2, 10);
    await rollUp();
    await service.pool`delete from events_default where project_id = ${old} and id < first_id_at(${ago(200)})`;
    await service.pool`delete from emails where project_id = ${old} and id < first_id_at(${ago(200)})`;
    await q.expired.note(service, { kind: "events", until: ago(200) });
    await q.expired.note(service, { kind: "emails", until: ago(200) });
    await q.expired.note(service, { kind: "emails", until: ago(300) });
    await auditProject(service, old);
    const before = reported().length;
    await service.pool`update mail_counts set sent = 1 where project_id = ${old} and at > ${ago(20)}`;
    await service.pool`update event_counts set count = 9 where project_id = ${old} and day > ${ago(20)}::date`;
    await auditProject(service, old);
    const after = reported();
    await recountProject(service, old);

    expect(before).toBe(0);
    expect(after.map(({ facts, counted }) => [facts, counted])).toEqual([
      [2, 9],
      [13, 6],
      [2, 1],
    ]);
    expect(await countedOf("ordered")).toEqual({ [dayOf(ago(300))]: 4, [dayOf(ago(10))]: 2 });
    expect([await totalOf("ordered"), await sentCounted()]).toEqual([6, 6]);
    await service.pool`delete from expired`;
  });
});

describe("recounting", () => {
  /** Counters that have nothing to do with the facts any more. */
  const spoil = async () => {
    await service.pool`update event_counts set count = count + 7 where project_id = ${projectId}`;
    await service.pool`update event_totals set count = 0 where project_id = ${projectId}`;
    await service.pool`delete from mail_counts where project_id = ${projectId}`;
    await service.pool`
      insert into event_counts (project_id, day, name, count) values (${projectId}, '2020-02-29', 'never', 3)`;
    await service.pool`
      insert into mail_count_deltas values (${projectId}, '2031-01-01', 'WORKFLOW', ${NIL}, -1, 2, 0, 0, 0, 0, 0, 0)`;
  };

  test("mends whatever is wrong, and says how much that was; a second time there is nothing", async () => {
    await track("ordered", 40, 3);
    await track("signed up", 1, 2);
    await send(3, 40);
    await rollUp();
    await spoil();
    const first = await recountProject(service, projectId);
    const second = await recountProject(service, projectId);
    await rollUp();

    expect(first.events).toBeGreaterThanOrEqual(3);
    expect(first.mails).toBe(2);
    expect(second).toEqual({ projectId, events: 0, mails: 0, executions: 0 });
    expect(await faults()).toEqual([]);
    expect(await countedOf("ordered")).toEqual({ [dayOf(ago(40))]: 3 });
    expect([await totalOf("ordered"), await totalOf("never"), await sentCounted()]).toEqual([3, 0, 3]);
  });

  test("is exact while others write, roll up and recount", async () => {
    await track("ordered", 1, 50);
    await send(50, 1);
    await rollUp();
    await spoil();
    const writers = Array.from({ length: 4 }, async (_, i) => {
      for (let n = 0; n < 15; n++) {
        await track(n % 2 ? "ordered" : `name ${i}`, n, 3);
        await send(3, n);
        await service.pool`
          delete from events
          where project_id = ${projectId}
            and id = any (array(select id from events where project_id = ${projectId} and name = ${`name ${i}`} limit 1))`;
        if (n % 4 === i) await rollUp();
      }
    });
    const recounts = Array.from({ length: 3 }, () => recountProject(service, projectId));
    await Promise.all([...writers, ...recounts]);
    const notRolledUp = await faults();
    await rollUp();

    expect(notRolledUp).toEqual([]);
    expect(await faults()).toEqual([]);
    expect(await sentCounted()).toBe(50 + 4 * 15 * 3);
  });

  test("goes through all projects", async () => {
    await track("ordered", 1, 2);
    await rollUp();
    await spoil();
    const recounts = await recountProjects(service);

    const [all] = await service.pool`select count(*)::int as n from projects where deleted_at is null`;
    expect(recounts).toHaveLength(all!.n);
    expect(recounts.find((recount) => recount.projectId === projectId)!.events).toBeGreaterThan(0);
    expect(await faults()).toEqual([]);
  });

  test("keeps what was counted of events and mails that expire while it is under way; so does the audit", async () => {
    await service.pool`update projects set created_at = ${ago(400)} where id = ${projectId}`;
    await track("ordered", 300, 4);
    await track("ordered", 1, 2);
    await send(4, 300);
    await send(2, 1);
    await rollUp();
    const expire = async () => {
      for (const kind of ["events", "emails"] as const) {
        await q.expired.note(service, { kind, until: ago(200) });
      }
      await service.pool`delete from events_default where project_id = ${projectId} and id < first_id_at(${ago(200)})`;
      await service.pool`delete from emails where project_id = ${projectId} and id < first_id_at(${ago(200)})`;
    };
    // It has begun, and comes to the first days and mails when they are gone.
    const { begun } = await service.pool.begin(async (sql) => {
      await sql`
        select pg_advisory_xact_lock(recounting(${projectId}, kind)) from unnest('{events,mails}'::text[]) as k (kind)`;
      const recount = recountProject(service, projectId);
      await untilBlocked(service.pool, { lock: "advisory" });
      await expire();
      return { begun: recount };
    });
    const recount = await begun;
    await auditProject(service, projectId);

    expect(recount).toEqual({ projectId, events: 0, mails: 0, executions: 0 });
    expect([await totalOf("ordered"), await sentCounted()]).toEqual([6, 6]);
    expect(reported()).toEqual([]);
    await service.pool`delete from expired`;
  });

  test("ends a reset: the counters say what is left, and nothing of before, expired or not", async () => {
    await service.pool`update projects set created_at = ${ago(400)} where id = ${projectId}`;
    await track("ordered", 300, 4);
    await track("ordered", 1, 2);
    await send(3, 300);
    await send(2, 1);
    await rollUp();
    await service.pool`delete from events_default where project_id = ${projectId} and id < first_id_at(${ago(200)})`;
    await service.pool`delete from emails where project_id = ${projectId} and id < first_id_at(${ago(200)})`;
    await q.expired.note(service, { kind: "events", until: ago(200) });
    await q.expired.note(service, { kind: "emails", until: ago(200) });
    await requestReset(service, projectId, OPERATOR);
    await track("signed up", 0, 5);
    await send(1, 0);
    await service.runJobs();
    await rollUp();

    const failed = service.lines.filter(({ message }) => message === "job failed");
    expect(failed).toEqual([]);
    expect([await totalOf("ordered"), await totalOf("signed up"), await sentCounted()]).toEqual([0, 5, 1]);
    expect(await faults()).toEqual([]);
    await service.pool`delete from expired`;
  });
});
