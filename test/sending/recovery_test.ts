// Who may send a mail, and what becomes of it when that one is gone.
import { describe, expect, test } from "bun:test";
import { disableProject, enableProject } from "../../src/accounts/projects/mod.ts";
import { openPool } from "../../src/db/pool.ts";
import { q } from "../../src/db/queries.ts";
import { createApartMails } from "../../src/sending/delivery/_apart.ts";
import {
  deliverEmails,
  fetchApart,
  releaseLostClaims,
  stopDelivery,
} from "../../src/sending/delivery/mod.ts";
import type { MailOutcome } from "../../src/sending/delivery/outcomes.ts";
import {
  reapDeadWorkers,
  settleDoubts,
  sweepEmails,
  wakeMails,
} from "../../src/sending/delivery/recovery.ts";
import { useLedger } from "../support/ledger.ts";
import { until } from "../support/process.ts";
import { useService } from "../support/service.ts";

const service = useService();
const mails = useLedger(service);
const { project, accept, row: ledger, eventsOf, arrivals, later } = mails;

describe("claims", () => {
  test("the same mail in several jobs at once is sent once", async () => {
    const [id] = await accept(mails.fresh());
    await Promise.all(Array.from({ length: 20 }, () => deliverEmails(service, project.id, [id!])));
    await service.runJobs();

    expect(service.smtp.received).toHaveLength(1);
    expect(await ledger(id!)).toMatchObject({ status: "SENT" as const, attempts: 1 });
  });

  test("a mail that has been sent is not sent by a job that comes late", async () => {
    const [id] = await accept(mails.fresh());
    await service.runJobs();
    await deliverEmails(service, project.id, [id!]);

    expect(service.smtp.received).toHaveLength(1);
  });

  test("no more mails are SENDING than the mailer has connections", async () => {
    let held = true;
    service.smtp.behave({
      holdData: async () => {
        while (held) await Bun.sleep(5);
      },
    });
    const ids = await accept(Array.from({ length: 50 }, (_, i) => `held${i}@example.com`));
    const running = deliverEmails(service, project.id, ids);
    const sending = async () =>
      (await service.pool`select count(*)::int as n from emails where status = 'SENDING'`)[0]!.n as number;
    await until("a mail for each connection", async () => (await sending()) >= service.mailer.connections);
    const most = await sending();
    held = false;
    await running;

    expect(most).toBe(service.mailer.connections);
    expect(service.smtp.received).toHaveLength(50);
    await service.runJobs();
  });

  test("a disabled project's mail waits and is not lost: enabled again, it leaves", async () => {
    const paused = await service.createProject();
    const [id] = await accept("paused@example.com", paused);
    await disableProject(service, paused.id, null);
    await service.runJobs();
    const held = await ledger(id!);
    later(10 * 60_000);
    await sweepEmails(service);
    await enableProject(service, paused.id);
    await sweepEmails(service);
    await service.runJobs();

    expect(held).toMatchObject({ status: "PENDING", attempts: 0 });
    expect(await ledger(id!)).toMatchObject({ status: "SENT" });
    expect(service.smtp.received).toHaveLength(1);
  });

  test("a mail that was tried before its project was disabled has a whole day again afterwards", async () => {
    const paused = await service.createProject();
    service.smtp.behave({ rcpt: () => "451 4.7.1 Later" });
    const [id] = await accept(mails.fresh("tried"), paused);
    await service.runJobs();
    await disableProject(service, paused.id, null);
    later(30 * 3_600_000);
    await service.runJobs();
    await enableProject(service, paused.id);
    await sweepEmails(service);
    await service.runJobs();
    const after = await ledger(id!);
    for (let hours = 0; hours < 25; hours++) {
      later(3_700_000);
      await service.runJobs();
    }

    expect(after).toMatchObject({ status: "PENDING", attempts: 2, triedAt: expect.any(Date) });
    expect(await ledger(id!)).toMatchObject({ status: "FAILED", error: expect.stringContaining("24 hours") });
  });

  test("a claim whose answer was lost is given back", async () => {
    const [id] = await accept(mails.fresh());
    await service.pool`
      update emails set status = 'SENDING', claimed_by = ${service.workerId}, attempts = 1, due_at = now() - interval '2 minutes'
      where id = ${id!}`;
    expect(await releaseLostClaims(service)).toBe(1);
    await service.runJobs();

    expect(await ledger(id!)).toMatchObject({ status: "SENT" as const, attempts: 1 });
  });
});

describe("mails that are overdue", () => {
  const jobCount = async () => (await service.jobs()).length;

  test("and whose jobs wait in a long queue get no others, however often one looks", async () => {
    await accept(Array.from({ length: 60 }, () => mails.fresh()));
    const before = await jobCount();
    later(10 * 60_000);
    for (let i = 0; i < 3; i++) await sweepEmails(service);
    await wakeMails(service, { closedForMs: 0, isOver: () => true });

    expect([before, await jobCount()]).toEqual([before, before]);
    await service.runJobs();
  });

  test("and whose jobs were dropped get them once, by however many processes and openings", async () => {
    const ids = await accept(Array.from({ length: 60 }, () => mails.fresh()));
    const before = await jobCount();
    await service.dropJobs();
    later(60_000);
    const wake = () => wakeMails(service, { closedForMs: 0, isOver: () => true });
    for (let i = 0; i < 3; i++) await Promise.all([wake(), wake()]);
    const after = await jobCount();
    await service.runJobs();

    expect(after).toBeWithin(before, before * 2);
    expect(ids.map(arrivals)).toEqual(Array(60).fill(1));
  });

  test("are not woken any more when the mail server is away again", async () => {
    await accept(Array.from({ length: 20 }, () => mails.fresh()));
    await service.dropJobs();
    later(60_000);
    await wakeMails(service, { closedForMs: 0, isOver: () => false });

    expect(await jobCount()).toBe(0);
    await sweepEmails(service, { requeues: false });
    expect(await jobCount()).toBe(0);
    later(10 * 60_000);
    await sweepEmails(service);
    expect(await jobCount()).toBeGreaterThan(0);
    await service.runJobs();
  });

  test("of campaigns are given the time back for which nobody was let in, slice by slice, and once", async () => {
    const campaignIds = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
    const now = service.now();
    const [tried, due] = [7, 2].map((hours) => new Date(now.getTime() - hours * 3_600_000));
    for (const campaignId of campaignIds) {
      await service.pool`
        insert into emails (project_id, id, address, source_type, campaign_id, status, due_at, tried_at, attempts, queued_at)
        select ${project.id}, gen_random_uuid(), 'f' || n || '@example.com', 'CAMPAIGN', ${campaignId}, 'PENDING',
          ${due!}, case when n % 2 = 0 then ${tried!}::timestamptz end, n % 2, ${tried!}
        from generate_series(1, 6000) as n`;
    }
    const wake = () => wakeMails(service, { closedForMs: 2 * 3_600_000, isOver: () => true });
    await wake();
    await Promise.all([wake(), wake()]);
    const hours = await service.pool`
      select round(extract(epoch from tried_at - ${tried!}::timestamptz) / 3600, 1)::float8 as hours, count(*)::int as mails
      from emails where campaign_id = any(${campaignIds}) group by 1 order by 1 nulls last`;
    await service.pool`delete from emails where campaign_id = any(${campaignIds})`;

    expect(hours.map((row) => [row.hours, row.mails])).toEqual([
      [2, 6_000],
      [null, 6_000],
    ]);
  });
});

describe("two processes", () => {
  test("that are given the same mails at once send each of them once", async () => {
    const pools = [1, 2].map(() => openPool(service.databaseUrl, { max: 4 }));
    const processes = pools.map((pool) => ({ ...service, pool, sql: pool, workerId: Bun.randomUUIDv7() }));
    const ids = await accept(Array.from({ length: 60 }, () => mails.fresh("shared")));
    await Promise.all(processes.flatMap((ctx) => [1, 2].map(() => deliverEmails(ctx, project.id, ids))));
    // On a busy machine some may have had to wait apart.
    await until("all have come", async () => {
      await Promise.all(processes.map(fetchApart));
      return ids.every((id) => arrivals(id) > 0);
    });
    for (const pool of pools) await pool.end({ timeout: 1 });

    expect(ids.map(arrivals)).toEqual(Array(60).fill(1));
    expect((await Promise.all(ids.map(ledger))).map((row) => row.attempts)).toEqual(Array(60).fill(1));
    await service.runJobs();
  });

  test("share a burst: it is many jobs, not one", async () => {
    await accept(Array.from({ length: 95 }, () => mails.fresh("burst")));
    const sizes = (await service.jobs()).map(({ payload }) => payload.emailIds.length as number);

    expect([sizes.length, Math.max(...sizes)]).toEqual([10, 10]);
    await service.runJobs();
  });
});

describe("a state", () => {
  const settleAs = (id: string, status: MailOutcome["status"], workerId = service.workerId) =>
    q.delivery.settleAndClaim(service, {
      now: new Date(),
      projectIds: [],
      ids: [],
      campaignProjectIds: [],
      campaignIds: [],
      knownContents: [],
      figures: [],
      workerId,
      outcomes: [
        {
          project_id: project.id,
          id,
          status,
          transport_id: null,
          subject: null,
          message_id: null,
          provider_id: null,
          mailbox_provider: null,
          error: null,
          at: new Date(),
          retry_at: new Date(),
          was_tried: true,
          event_id: Bun.randomUUIDv7(),
          event: "email.sent",
          event_data: {},
          delivery_event_id: null,
        },
      ],
    });

  test.each(["SENT", "DELIVERED", "BOUNCED", "FAILED", "SUPPRESSED", "PENDING"])(
    "%s is not changed by an outcome that comes late",
    async (status) => {
      const [id] = await accept(mails.fresh());
      await service.pool`update emails set status = ${status}, claimed_by = ${service.workerId} where id = ${id!}`;

      await settleAs(id!, "FAILED");

      expect((await ledger(id!)).status).toBe(status);
      await service.pool`update emails set status = 'SENT' where id = ${id!}`;
    },
  );

  test.each([
    ["SENT", { status: "OPENED", doubtedAt: null }],
    ["IN_DOUBT", { status: "OPENED", doubtedAt: null, sentAt: expect.any(Date) }],
    ["BOUNCED", { status: "BOUNCED" }],
  ])(
    "of a mail that is opened before its outcome %s is written goes on from there",
    async (status, expected) => {
      const [id] = await accept(mails.fresh());
      await service.pool`
      update emails set status = 'SENDING', claimed_by = ${service.workerId}, opened_at = now(), opens = 1
      where id = ${id!}`;
      await settleAs(id!, status as MailOutcome["status"]);

      expect(await ledger(id!)).toMatchObject(expected);
      await service.runJobs();
    },
  );

  test("that another process holds is not changed", async () => {
    const [id] = await accept(mails.fresh());
    await service.pool`update emails set status = 'SENDING', claimed_by = ${Bun.randomUUIDv7()} where id = ${id!}`;

    await settleAs(id!, "SENT");

    expect((await ledger(id!)).status).toBe("SENDING");
    await service.pool`update emails set status = 'SENT' where id = ${id!}`;
    await service.runJobs();
  });
});

const die = async (workerId: string, seenAgo: string) => {
  await service.pool`
    insert into workers (id, host, pid, pools, seen_at) values (${workerId}, 'h', 1, '{}', now() - ${seenAgo}::interval)`;
};

describe("mails that wait apart, and were fetched by a process", () => {
  const domain = "apart.example";
  const fetchBy = async (workerId: string) => {
    const some = { domains: [domain], counts: [9], lasts: [0], now: service.now() };
    return (await q.apart.comeBack(service, { ...some, workerId })).map(({ id }) => id);
  };
  /** Two that are fetched, and without a job. */
  const fetchedBy = async (workerId: string): Promise<string[]> => {
    const ids = await accept([`a@${domain}`, `b@${domain}`]);
    await service.dropJobs();
    const projectIds = ids.map(() => project.id);
    await q.apart.setApart(service, { projectIds, ids, failing: [], now: service.now() });
    expect(await fetchBy(workerId)).toHaveLength(2);
    return ids.toSorted();
  };
  const isApart = async (id: string) =>
    (await service.pool`select from emails where id = ${id} and due_at = 'infinity'`).length === 1;
  /** Two minutes are no loss to those who are gone; nobody may wait for them. */
  const gone = {
    "is found dead": async (id: string) => {
      await die(id, "11 seconds");
      await reapDeadWorkers(service);
    },
    "has left": async (_id: string) => {
      later(3 * 60_000);
      await sweepEmails(service);
    },
  };

  test.each(Object.keys(gone) as (keyof typeof gone)[])(
    "that %s wait apart again, and are sent once",
    async (how) => {
      const workerId = Bun.randomUUIDv7();
      const ids = await fetchedBy(workerId);
      await gone[how](workerId);
      const left = (await fetchBy(service.workerId)).toSorted();
      await deliverEmails(service, project.id, ids);

      expect(left).toEqual(ids);
      expect(ids.map(arrivals)).toEqual([1, 1]);
      expect(await ledger(ids[0]!)).toMatchObject({ status: "SENT", attempts: 1, claimedBy: null });
    },
  );

  test("that has lost sight of them wait apart again, after a while", async () => {
    const ids = await fetchedBy(service.workerId);
    const early = await releaseLostClaims(service);
    later(21_000);
    const late = await releaseLostClaims(service);

    expect([early, late]).toEqual([0, 2]);
    expect((await fetchBy(service.workerId)).toSorted()).toEqual(ids);
    await deliverEmails(service, project.id, ids);
  });

  test("are not fetched again and again while their project is disabled, and are sent when it is enabled", async () => {
    const paused = await service.createProject();
    const [id] = await accept(`a@${domain}`, paused);
    await service.dropJobs();
    const one = { projectIds: [paused.id], ids: [id!] };
    await q.apart.setApart(service, { ...one, failing: [], now: service.now() });
    await disableProject(service, paused.id, null);
    await fetchApart(service);
    await until("it is let go of", async () => {
      later(21_000);
      return (await releaseLostClaims(service)) === 1;
    });
    const comesAgain = await isApart(id!);
    await enableProject(service, paused.id);
    later(3 * 60_000);
    await sweepEmails(service);
    await service.runJobs();

    expect(comesAgain).toBe(false);
    expect(await ledger(id!)).toMatchObject({ status: "SENT", attempts: 1 });
  });

  test("that stops in order wait apart again", async () => {
    const pool = openPool(service.databaseUrl, { max: 2 });
    const stopping = { ...service, pool, sql: pool, workerId: Bun.randomUUIDv7() };
    const ids = await fetchedBy(stopping.workerId);
    await stopDelivery(stopping);
    await pool.end();

    expect((await fetchBy(service.workerId)).toSorted()).toEqual(ids);
    await deliverEmails(service, project.id, ids);
  });

  test("and were given another time then wait for that", async () => {
    const workerId = Bun.randomUUIDv7();
    const ids = await fetchedBy(workerId);
    const at = new Date(service.now().getTime() + 86_400_000);
    await service.pool`update emails set scheduled_for = ${at}, due_at = ${at} where id = any(${ids})`;
    await gone["is found dead"](workerId);

    expect([await isApart(ids[0]!), (await ledger(ids[0]!)).dueAt]).toEqual([false, at]);
    await service.pool`delete from emails where id = any(${ids})`;
  });

  test("and have a job since then are its mails, whoever is gone", async () => {
    const apart = createApartMails(service);
    const ids = await fetchedBy(service.workerId);
    const request = { projectId: project.id, emailId: ids[0]!, campaignId: null, domain, kind: null };
    await apart.bringLater(request, 5_000);
    await apart.giveBack();

    expect(await ledger(ids[0]!)).toMatchObject({ claimedBy: null, dueAt: service.now() });
    expect(await mails.jobsOf(ids[0]!)).toHaveLength(1);
    expect(await fetchBy(service.workerId)).toEqual([ids[1]!]);
    await deliverEmails(service, project.id, ids);
    await service.dropJobs();
  });
});

describe("a dead process", () => {
  test("leaves what it had in flight in doubt, once, no matter who notices", async () => {
    const dead = Bun.randomUUIDv7();
    await die(dead, "11 seconds");
    const [id] = await accept(mails.fresh());
    await service.pool`update emails set status = 'SENDING', claimed_by = ${dead}, attempts = 1 where id = ${id!}`;
    const reaped = await Promise.all([
      reapDeadWorkers(service),
      reapDeadWorkers(service),
      reapDeadWorkers(service),
    ]);
    await service.runJobs();

    expect(reaped.map((b) => b.inDoubt).sort()).toEqual([0, 0, 1]);
    expect(await ledger(id!)).toMatchObject({ status: "IN_DOUBT" });
    expect(service.smtp.received).toHaveLength(0);
  });

  test("leaves no doubt about a mail that was opened meanwhile", async () => {
    const dead = Bun.randomUUIDv7();
    await die(dead, "11 seconds");
    const [opened, clicked] = await accept([mails.fresh(), mails.fresh()]);
    await service.pool`
      update emails set status = 'SENDING', claimed_by = ${dead}, attempts = 1, opened_at = now(), opens = 1
      where id in (${opened!}, ${clicked!})`;
    await service.pool`update emails set clicked_at = now(), clicks = 1 where id = ${clicked!}`;
    await reapDeadWorkers(service);
    later(16 * 60_000);
    await settleDoubts(service);
    await service.runJobs();

    expect(await ledger(opened!)).toMatchObject({
      status: "OPENED",
      doubtedAt: null,
      sentAt: expect.any(Date),
    });
    expect(await ledger(clicked!)).toMatchObject({ status: "CLICKED", error: null });
    expect([arrivals(opened!), arrivals(clicked!)]).toEqual([0, 0]);
  });

  test("that has left the table of workers too leaves nothing that is SENDING for ever", async () => {
    const [id] = await accept(mails.fresh());
    await service.pool`
      update emails set status = 'SENDING', claimed_by = ${Bun.randomUUIDv7()}, due_at = now() - interval '3 minutes' where id = ${id!}`;
    await sweepEmails(service);

    expect(await ledger(id!)).toMatchObject({ status: "IN_DOUBT" });
    await service.runJobs();
  });

  test("is not taken for dead while it beats, nor while it is silent for a moment with its connection open", async () => {
    const [beating, silent] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
    await die(beating, "3 seconds");
    await die(silent, "20 seconds");
    const [{ lockId }] =
      (await service.pool`select lock_id from workers where id = ${silent}`) as unknown as [
        { lockId: number },
      ];
    const connection = await service.pool.reserve();
    await connection`select pg_advisory_lock(7672452, ${lockId})`;
    const first = await reapDeadWorkers(service);
    await service.pool`update workers set seen_at = now() - interval '31 seconds' where id = ${silent}`;
    const second = await reapDeadWorkers(service);
    await connection`select pg_advisory_unlock_all()`;
    connection.release();
    await service.pool`delete from workers`;

    expect([first.workers, second.workers]).toEqual([0, 1]);
  });

  test("that was only frozen and wakes settles its own doubt, unless the mail was sent by another one", async () => {
    const frozen = { ...service, workerId: Bun.randomUUIDv7() };
    const outcome = (id: string) => ({
      workerId: frozen.workerId,
      now: new Date(),
      projectIds: [],
      ids: [],
      campaignProjectIds: [],
      campaignIds: [],
      knownContents: [],
      figures: [],
      outcomes: [
        {
          project_id: project.id,
          id,
          status: "SENT" as const,
          transport_id: null,
          subject: null,
          message_id: "m@x",
          provider_id: null,
          mailbox_provider: null,
          error: null,
          at: new Date(),
          retry_at: null,
          was_tried: true,
          event_id: Bun.randomUUIDv7(),
          event: "email.sent",
          event_data: {},
          delivery_event_id: null,
        },
      ],
    });
    const [doubtful, resent] = await accept(["w1@example.com", "w2@example.com"]);
    await service.pool`update emails set status = 'IN_DOUBT', claimed_by = ${frozen.workerId}, attempts = 1 where id in (${doubtful!}, ${resent!})`;
    await service.pool`update emails set status = 'PENDING', claimed_by = null where id = ${resent!}`;
    await deliverEmails(service, project.id, [resent!]);
    await q.delivery.settleAndClaim(service, outcome(doubtful!));
    await q.delivery.settleAndClaim(service, outcome(resent!));

    expect(await ledger(doubtful!)).toMatchObject({ status: "SENT" as const, messageId: "m@x" });
    expect(await eventsOf(resent!)).toEqual(["email.sent"]);
    await service.runJobs();
  });
});
