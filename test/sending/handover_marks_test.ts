// What a process has done when it dies: what it had claimed was never sent, unless it was marked.
import { afterEach, describe, expect, test } from "bun:test";
import { openPool } from "../../src/db/pool.ts";
import type { Context } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { createHandoverMarks } from "../../src/sending/delivery/_handover_marks.ts";
import { deliverEmails, fetchApart } from "../../src/sending/delivery/mod.ts";
import { reapDeadWorkers, settleDoubts, sweepEmails } from "../../src/sending/delivery/recovery.ts";
import { useLedger } from "../support/ledger.ts";
import { untilBlocked } from "../support/locks.ts";
import { until } from "../support/process.ts";
import { useService } from "../support/service.ts";

const service = useService();
const mails = useLedger(service);
const { project, accept, row: ledger, arrivals, jobsOf, later } = mails;
const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await service.runJobs();
  await service.pool`delete from workers`;
});

/** Another process over the same database, which has beaten for the last time so many seconds ago. */
async function otherProcess(silentFor = 11): Promise<Context> {
  const pool = openPool(service.databaseUrl, { max: 4 });
  ends.push(() => pool.end({ timeout: 1 }));
  const workerId = Bun.randomUUIDv7();
  await service.pool`
    insert into workers (id, host, pid, pools, seen_at)
    values (${workerId}, 'h', 1, '{}', now() - ${`${silentFor} seconds`}::interval)`;
  return { ...service, pool, sql: pool, workerId };
}

/** Claims mails for a process, notes it down, and marks those of them that have come to their end. */
async function claim(on: Context, ids: string[], marked: string[] = []): Promise<void> {
  await service.pool`
    update emails set status = 'SENDING', claimed_by = ${on.workerId}, attempts = 1, tried_at = now(), due_at = now()
    where id = any(${ids})`;
  const underway = new Set<string>();
  const marks = createHandoverMarks(on, { connections: 1, underway });
  await marks.noted();
  for (const id of ids) underway.add(id);
  for (const id of marked) {
    expect(await marks.onItsWay({ projectId: project.id, id }, (mayEnd) => mayEnd())).toBe(true);
  }
}

const statusesOf = async (ids: string[]) =>
  await Promise.all(ids.map(async (id) => (await ledger(id)).status));
const marksLeft = async () =>
  (
    await service.pool`
    select e.id from handover_marks m join emails e on e.id = any(m.email_ids) and e.status = 'SENDING'`
  ).length;

describe("a dead process", () => {
  test("leaves in doubt what it had marked, and what it had not goes to others at once", async () => {
    const dead = await otherProcess();
    const ids = await accept([mails.fresh(), mails.fresh(), mails.fresh()]);
    await service.dropJobs();
    await claim(dead, ids, [ids[1]!]);
    const reaped = await reapDeadWorkers(service);
    await service.runJobs();

    expect(reaped).toEqual({ workers: 1, inDoubt: 1, givenBack: 2 });
    expect(await statusesOf(ids)).toEqual(["SENT", "IN_DOUBT", "SENT"]);
    expect(ids.map(arrivals)).toEqual([1, 0, 1]);
    expect(await marksLeft()).toBe(0);
  });

  test("leaves everything in doubt when Postgres crashed too, because its marks are gone", async () => {
    const dead = await otherProcess();
    const ids = await accept([mails.fresh(), mails.fresh()]);
    await claim(dead, ids, [ids[0]!]);
    await service.pool`truncate handover_marks, handover_notes`; // what a crash does to unlogged tables
    await reapDeadWorkers(service);

    expect(await statusesOf(ids)).toEqual(["IN_DOUBT", "IN_DOUBT"]);
  });

  test("that nobody knows any more leaves the same, and its marks go", async () => {
    const dead = await otherProcess();
    const ids = await accept([mails.fresh(), mails.fresh()]);
    await claim(dead, ids, [ids[0]!]);
    await service.pool`delete from workers`;
    await service.pool`update emails set due_at = now() - interval '3 minutes' where id = any(${ids})`;
    await sweepEmails(service);
    await service.runJobs();

    expect(await statusesOf(ids)).toEqual(["IN_DOUBT", "SENT"]);
    expect(await service.pool`select from handover_marks where worker_id = ${dead.workerId}`).toHaveLength(0);
  });

  test("after several others with the same mail leaves it for later: it may be why they die", async () => {
    const dead = await otherProcess();
    const [id] = await accept(mails.fresh());
    await service.dropJobs();
    await claim(dead, [id!]);
    await service.pool`update emails set attempts = 5 where id = ${id!}`;
    await reapDeadWorkers(service);
    const left = await ledger(id!);
    const jobs = await jobsOf(id!);
    later(10 * 60_000);
    await sweepEmails(service);
    await service.runJobs();

    expect(left.status).toBe("PENDING");
    expect(left.dueAt.getTime()).toBeGreaterThan(Date.now() + 60_000);
    expect(jobs).toHaveLength(0);
    expect(await ledger(id!)).toMatchObject({ status: "SENT" });
  });
});

describe("a process that is reaped alive", () => {
  test("does not end a mail that was given to another one", async () => {
    const frozen = await otherProcess();
    const [id] = await accept(mails.fresh());
    await service.dropJobs();
    const thawed = Promise.withResolvers<void>();
    const held: (() => Promise<void>)[] = [() => thawed.promise];
    service.smtp.behave({ holdRcpt: async () => await held.shift()?.() });
    const delivering = deliverEmails(frozen, project.id, [id!]);
    await until("that the server is asked", () => held.length === 0);
    await reapDeadWorkers(service);
    await service.runJobs();
    const before = await ledger(id!);
    thawed.resolve();
    await delivering;

    expect(before).toMatchObject({ status: "SENT", attempts: 2 });
    expect(arrivals(id!)).toBe(1);
    expect(await ledger(id!)).toMatchObject({ status: "SENT", attempts: 2, sentAt: before.sentAt });
  });

  test("does not end a mail that its own heartbeat has given back, because the claim was long in coming", async () => {
    const slow = await otherProcess(0);
    const [id] = await accept(mails.fresh());
    await service.dropJobs();
    const thawed = Promise.withResolvers<void>();
    const held: (() => Promise<void>)[] = [() => thawed.promise];
    service.smtp.behave({ holdRcpt: async () => await held.shift()?.() });
    const delivering = deliverEmails(slow, project.id, [id!]);
    await until("that the server is asked", () => held.length === 0);
    // As `releaseLostClaims` does it.
    await q.delivery.putBack(slow, { projectIds: [project.id], ids: [id!], workerId: slow.workerId });
    await deliverEmails(service, project.id, [id!]);
    thawed.resolve();
    await delivering;

    expect(arrivals(id!)).toBe(1);
    expect(await ledger(id!)).toMatchObject({ status: "SENT", doubtedAt: null });
  });

  test("while it marks is waited for, and marks nothing afterwards", async () => {
    const slow = await otherProcess();
    const [first, second] = await accept([mails.fresh(), mails.fresh()]);
    await claim(slow, [first!, second!]);
    const mark = (id: string, epoch: number) => service.pool`
      select mark_handovers(${slow.workerId}, ${epoch}, 7, ${[project.id]}::uuid[], ${[id]}::uuid[]) as held`;
    const marking = await service.pool.reserve();
    await marking`begin`;
    await marking`select mark_handovers(${slow.workerId}, 1, 7, ${[project.id]}::uuid[], ${[first!]}::uuid[])`;
    let isReaped = false;
    const reaping = reapDeadWorkers(service).then((reaped) => ((isReaped = true), reaped));
    await untilBlocked(service.pool, { lock: "advisory" });
    const before = isReaped;
    await marking`commit`;
    marking.release();

    expect(before).toBe(false);
    expect(await reaping).toMatchObject({ inDoubt: 1, givenBack: 1 });
    // It is not noted down any more; and where it is again, the mail is not its own.
    expect((await mark(second!, 1))[0]!.held).toBe(null);
    await q.handoverMarks.noteDown(slow, { workerId: slow.workerId, epoch: 2, emailIds: [] });
    expect((await mark(second!, 1))[0]!.held).toBe(null);
    expect((await mark(second!, 2))[0]!.held).toEqual([]);
  });
});

describe("the marks of a process", () => {
  test("are there when the server takes its mails, and their places are used again when they are settled", async () => {
    const ids = await accept(Array.from({ length: 30 }, () => mails.fresh()));
    const seen: number[] = [];
    service.smtp.behave({ holdData: async () => void seen.push(await marksLeft()) });
    await service.runJobs();

    expect(await statusesOf(ids)).toEqual(Array(30).fill("SENT"));
    const places = await service.pool`select from handover_marks where place >= 0`;

    expect(Math.min(...seen)).toBeGreaterThan(0);
    expect(places.length).toBeWithin(1, service.mailer.connections + 1);
  });

  test("are made again after a crash of Postgres, also for what was marked before", async () => {
    const on = await otherProcess();
    const ids = await accept([mails.fresh(), mails.fresh(), mails.fresh()]);
    await claim(on, ids);
    const marks = createHandoverMarks(on, { connections: 1, underway: new Set([ids[0]!]) });
    await marks.noted();
    await service.pool`truncate handover_marks, handover_notes`;
    await marks.onItsWay({ projectId: project.id, id: ids[1]! }, (mayEnd) => mayEnd());
    await reapDeadWorkers(service);

    expect(await statusesOf(ids)).toEqual(["IN_DOUBT", "IN_DOUBT", "PENDING"]);
  });

  test("are written for many with few statements", async () => {
    const on = await otherProcess();
    const ids = await accept(Array.from({ length: 40 }, () => mails.fresh()));
    await claim(on, ids);
    let statements = 0;
    const counting = new Proxy(on.pool, {
      apply: (target, self, args) => (statements++, Reflect.apply(target, self, args) as unknown),
    });
    const marks = createHandoverMarks({ ...on, sql: counting }, { connections: 40, underway: new Set(ids) });
    const may = await Promise.all(
      ids.map((id) => marks.onItsWay({ projectId: project.id, id }, (mayEnd) => mayEnd())),
    );

    expect(may).toEqual(Array(40).fill(true));
    expect(statements).toBeLessThan(8);
  });

  test("count from the latest note on, in whatever order the notes arrive", async () => {
    const on = await otherProcess();
    const ids = await accept([mails.fresh(), mails.fresh()]);
    await claim(on, ids);
    const note = (epoch: number, emailIds: string[]) =>
      q.handoverMarks.noteDown(on, { workerId: on.workerId, epoch, emailIds });
    await note(3, [ids[0]!]);
    await note(2, []);
    await note(3, []);
    await reapDeadWorkers(service);

    expect(await statusesOf(ids)).toEqual(["IN_DOUBT", "PENDING"]);
  });

  test("whose answer was lost may be carried out late: they overwrite no others", async () => {
    const on = await otherProcess(0);
    const ids = await accept([mails.fresh(), mails.fresh()]);
    await claim(on, ids);
    await service.pool`delete from handover_marks`;
    const underway = new Set([ids[0]!]);
    let isCut = false;
    const cutOff = new Proxy(on.pool, {
      apply: async (target, self, args) => {
        const answer = (await Reflect.apply(target, self, args)) as unknown;
        if (isCut) throw Object.assign(new Error("lost"), { code: "CONNECTION_CLOSED" });
        return answer;
      },
    });
    const marks = createHandoverMarks(
      { ...on, sql: cutOff },
      { connections: 1, underway, longestHoldMs: 300 },
    );
    const end = (id: string) => marks.onItsWay({ projectId: project.id, id }, (mayEnd) => mayEnd());
    await marks.noted();
    isCut = true;
    const first = await end(ids[0]!);
    isCut = false;
    underway.delete(ids[0]!);
    underway.add(ids[1]!);
    await until("the next one is marked", async () => await end(ids[1]!));
    const marked =
      await service.pool`select place, email_ids as ids from handover_marks where place >= 0 order by place`;

    expect(first).toBe(false);
    expect(marked.map((row) => row.ids)).toEqual([[ids[0]!], [ids[1]!]]);
  });

  test("that cannot be written keep the end of a mail back for a while, and then for good", async () => {
    const on = await otherProcess(0);
    const [id] = await accept(mails.fresh());
    await claim(on, [id!]);
    const marks = createHandoverMarks(on, { connections: 1, underway: new Set([id!]), longestHoldMs: 300 });
    const lock = await service.pool.reserve();
    await lock`begin`;
    await lock`lock table handover_marks in access exclusive mode`;
    const may = await marks.onItsWay({ projectId: project.id, id: id! }, (mayEnd) => mayEnd());
    await lock`rollback`;
    lock.release();

    expect(may).toBe(false);
  });
});

describe("a server that closes the connection inside of a message", () => {
  test("has taken none: all wait for their next attempt, and none is in doubt", async () => {
    service.smtp.behave({ cut: "before data" });
    const ids = await accept(Array.from({ length: 60 }, () => mails.fresh()));
    await service.runJobs();
    const first = await statusesOf(ids);
    service.smtp.behave({});
    // Their domain has become one that takes no mail: it is asked again, and then they come one after the other.
    let minutes = 0;
    await until("all of them sent", async () => {
      later(++minutes * 60_000);
      await service.runJobs();
      await fetchApart(service);
      return (await statusesOf(ids)).every((status) => status === "SENT");
    });

    expect(first).toEqual(Array(60).fill("PENDING"));
    expect(await statusesOf(ids)).toEqual(Array(60).fill("SENT"));
    expect(ids.map(arrivals)).toEqual(Array(60).fill(1));
  });
});

describe("15 minutes of doubt", () => {
  test.each([
    ["TRANSACTIONAL", "WORKFLOW", "{TRANSACTIONAL}", "PENDING"],
    ["TRANSACTIONAL", "WORKFLOW", "{}", "IN_DOUBT"],
    ["MARKETING", "WORKFLOW", "{TRANSACTIONAL}", "IN_DOUBT"],
    ["MARKETING", "WORKFLOW", "{WORKFLOW}", "PENDING"],
    ["TRANSACTIONAL", "CAMPAIGN", "{TRANSACTIONAL}", "IN_DOUBT"],
    ["TRANSACTIONAL", "TRANSACTIONAL", "{TRANSACTIONAL}", "PENDING"],
  ])(
    "of a mail with a %s content, from a %s, of a project that has %s sent again, make it %s",
    async (type, source, resent, status) => {
      await service.pool`update projects set resend_in_doubt = ${resent} where id = ${project.id}`;
      const [id] = await accept(mails.fresh());
      await service.pool`
        update contents set type = ${type} where id = (select content_id from emails where id = ${id!})`;
      await service.pool`
        update emails set status = 'IN_DOUBT', source_type = ${source}, due_at = now() where id = ${id!}`;
      later(16 * 60_000);
      await settleDoubts(service);

      expect((await ledger(id!)).status).toBe(status);
      await service.pool`update emails set status = 'SENT' where id = ${id!}`;
      await service.pool`update projects set resend_in_doubt = default where id = ${project.id}`;
    },
  );
});
