// Bounces and complaints: counted with the ledger, and what follows from them.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { disableProject, enableProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { sweepEmails } from "../../src/sending/delivery/recovery.ts";
import { rollUpReputation, judgeReputation, securityOf } from "../../src/sending/feedback/reputation.ts";
import { readMail } from "../support/received_mail.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService({
  PLATFORM_FROM: "Postrider <postrider@mail.example>",
  AUTO_PROJECT_DISABLE: "true",
});

const DAY_MS = 24 * 3_600_000;
// Today, because a mail counts on the day of the database. Between two whole days lie whole days.
const NOON = new Date(new Date().setUTCHours(12, 0, 0, 0));

/** The same installation with the setting off: members are warned only. */
const lenient = (): Context => ({
  ...service,
  config: { ...service.config, AUTO_PROJECT_DISABLE: false },
});

let project: Awaited<ReturnType<typeof service.createProject>>;

beforeEach(async () => {
  service.setNow(NOON);
  project = await service.createProject();
  const email = `owner-${project.id}@people.example`;
  const [user] = await service.pool`insert into users (email) values (${email}) returning id`;
  await service.pool`
    insert into memberships (project_id, user_id, role) values (${project.id}, ${user!.id}, 'OWNER')`;
  service.smtp.received.length = 0;
});

afterEach(async () => {
  service.smtp.behave({});
  await service.pool`delete from reputations`;
  await service.pool`delete from reputation_deltas`;
  await service.dropJobs();
});

interface Given {
  /** Mails that were sent, those with feedback among them. */
  sent?: number;
  /** Mails that the server refused at RCPT TO. */
  refused?: number;
  bounced?: number;
  complained?: number;
  at?: Date;
}

/** Mails in the ledger, changed as the service changes them: sent, and then with feedback, on the day of `at`. */
const mails = async (given: Given) => await onDay(given.at ?? service.now(), () => record(given));

/** Does what is counted, and lets it be counted on another day than that of the database. */
const onDay = async <T>(day: Date, work: () => Promise<T>): Promise<T> => {
  const { pool } = service;
  const places = await pool`select ctid::text from reputation_deltas`;
  const done = await work();
  await pool`
    update reputation_deltas set day = (${day}::timestamptz at time zone 'UTC')::date
    where ctid <> all (${places.map((row) => row.ctid as string)}::text[]::tid[])`;
  return done;
};

const record = async ({ sent = 0, refused = 0, bounced = 0, complained = 0, at = service.now() }: Given) => {
  const { pool } = service;
  const make = (count: number) => pool`
    insert into emails (project_id, address, source_type, due_at, queued_at)
    select ${project.id}, n || '@example.com', 'TRANSACTIONAL', ${at}, ${at}
    from generate_series(1, ${count}::int) n
    returning id`;
  const ids = (await make(sent)).map((row) => row.id as string);
  const never = (await make(refused)).map((row) => row.id as string);
  await pool`update emails set status = 'SENT', sent_at = ${at} where id = any(${ids})`;
  await pool`update emails set status = 'BOUNCED', bounced_at = ${at} where id = any(${never})`;
  await pool`
    update emails set status = 'BOUNCED', bounced_at = ${at} where id = any(${ids.slice(0, bounced)})`;
  await pool`
    update emails set status = 'COMPLAINED', complained_at = ${at}
    where id = any(${ids.slice(bounced, bounced + complained)})`;
  return ids;
};

/** What the minute does: the roll-up, the judgements that it enqueues, the mails that follow. */
const minute = async () => {
  await rollUpReputation(service);
  await service.runJobs();
};
const minuteOf = async (ctx: Context) => {
  // Before the roll-up, which would leave the judgement to a job of the stricter service.
  await judgeReputation(ctx, project.id);
  await rollUpReputation(ctx);
  await service.runJobs();
};
const security = () => securityOf(service, project.id);
const notices = async () =>
  (await Promise.all(service.smtp.received.map(({ source }) => readMail(source)))).filter(({ to }) =>
    to?.some(({ address }) => address === `owner-${project.id}@people.example`),
  );
const subjects = async () => (await notices()).map(({ subject }) => subject);
const levelOf = async () =>
  ((await service.pool`select level from reputations where project_id = ${project.id}`)[0]?.level ??
    "HEALTHY") as string;

describe("the counters", () => {
  test("equal the ledger: a mail counts once, handed over or refused, with feedback or without", async () => {
    await mails({ sent: 30, refused: 5, bounced: 4, complained: 3 });
    const before = await security();
    await rollUpReputation(service);
    const after = await security();

    const rates = { total: 35, bounces: 9, complaints: 3, bounceRate: 25.71, complaintRate: 8.57 };
    expect(before.status).toMatchObject({ sevenDay: rates, allTime: rates });
    expect(after.status).toEqual(before.status);
  });

  test("follow the service itself: what is sent, what bounces at once, and what only waits", async () => {
    // What is to be tried again soon would be due already by the clock of the queue.
    service.setNow(new Date());
    service.smtp.behave({
      rcpt: (address) => {
        if (address.startsWith("gone")) return "550 5.1.1 Nobody here";
        return address.startsWith("later") ? "451 4.7.1 Later" : undefined;
      },
    });
    const to = ["a@x.example", "b@x.example", "gone@x.example", "later@x.example"];
    const body = { to, from: `hello@${DOMAIN}`, subject: "s", body: "b" };
    await service.request("POST", "/v1/send", { key: project.secret, body });
    await service.runJobs();

    expect((await security()).status.sevenDay).toMatchObject({ total: 3, bounces: 1, complaints: 0 });
  });

  test("count the mails of campaigns too, and change nothing of the campaign's own", async () => {
    const campaign = crypto.randomUUID();
    await service.pool`
      insert into emails (project_id, address, source_type, campaign_id, due_at, queued_at)
      select ${project.id}, n || '@example.com', 'CAMPAIGN', ${campaign}, now(), now() from generate_series(1, 4) n`;
    const change = (set: string) =>
      service.pool.unsafe(`update emails set ${set} where campaign_id = '${campaign}'`);
    await change("status = 'SENDING'");
    await change("status = 'SENT', sent_at = now()");
    await change("status = 'OPENED', opened_at = now(), opens = 1");
    await change("status = 'BOUNCED', bounced_at = now()");
    await change("due_at = now()");
    const [counted] = await service.pool`
      select sum(sent)::int as sent, sum(opened)::int as opened, sum(bounced)::int as bounced
      from campaign_count_deltas where campaign_id = ${campaign}`;
    const deltas = await service.pool`
      select total, bounces, complaints from reputation_deltas where project_id = ${project.id} order by total desc`;

    expect({ ...counted }).toEqual({ sent: 4, opened: 4, bounced: 4 });
    // Neither a claim nor an opening leaves a delta.
    expect([...deltas].map((delta) => ({ ...delta }))).toEqual([
      { total: 4, bounces: 0, complaints: 0 },
      { total: 0, bounces: 4, complaints: 0 },
    ]);
  });

  test("of several that roll up at once are neither lost nor doubled", async () => {
    for (let i = 0; i < 20; i++) await mails({ sent: 5, bounced: 1 });
    await Promise.all(Array.from({ length: 10 }, () => rollUpReputation(service)));
    const left = await service.pool`select from reputation_deltas`;

    expect(left.length).toBe(0);
    expect((await security()).status.allTime).toMatchObject({ total: 100, bounces: 20 });
  });

  test("look back on seven days, today among them; all time stays", async () => {
    const daysAgo = (days: number) => new Date(NOON.getTime() - days * DAY_MS);
    await mails({ sent: 100, bounced: 50, at: daysAgo(7) });
    await mails({ sent: 100, bounced: 1, at: daysAgo(6) });
    await mails({ sent: 100, complained: 1 });
    const { sevenDay, allTime } = (await security()).status;

    expect(sevenDay).toMatchObject({ total: 200, bounces: 1, complaints: 1 });
    expect(allTime).toMatchObject({ total: 300, bounces: 51, complaints: 1 });
  });

  test("count a bounce on the day on which it comes, not on that of the mail", async () => {
    const ids = await mails({ sent: 200, at: new Date(NOON.getTime() - 8 * DAY_MS) });
    await service.pool`
      update emails set status = 'BOUNCED', bounced_at = ${NOON} where id = any(${ids.slice(0, 3)})`;

    expect((await security()).status.sevenDay).toMatchObject({ total: 0, bounces: 3, bounceRate: 0 });
  });

  test("go by the day on which a bounce is written down, whatever the clocks of others say", async () => {
    const ids = await mails({ sent: 200 });
    const said = [new Date("1990-01-01"), new Date(NOON.getTime() - 9 * DAY_MS), new Date("2090-01-01")];
    for (const [i, at] of said.entries()) {
      await service.pool`update emails set status = 'BOUNCED', bounced_at = ${at} where id = ${ids[i]!}`;
    }
    const days = await service.pool`
      select distinct day = (now() at time zone 'UTC')::date as today from reputation_deltas
      where project_id = ${project.id} and bounces > 0`;

    expect(days.map((row) => row.today)).toEqual([true]);
    expect((await security()).status.sevenDay).toMatchObject({ total: 200, bounces: 3 });
  });

  test("of a deleted project are dropped", async () => {
    await mails({ sent: 10 });
    await service.pool`delete from projects where id = ${project.id}`;
    await rollUpReputation(service);
    const left = await service.pool`select from reputation_deltas where project_id = ${project.id}`;

    expect(left.length).toBe(0);
    await expect(security()).rejects.toThrow("Cannot find this project");
  });
});

describe("the levels", () => {
  test.each([
    ["nothing", {}, "HEALTHY"],
    ["99 mails that all bounced: too few to tell", { sent: 99, bounced: 99 }, "HEALTHY"],
    ["5 % bounces", { sent: 100, bounced: 5 }, "HEALTHY"],
    ["over 5 % bounces", { sent: 100, bounced: 6 }, "WARNING"],
    ["over 5 % bounces, some of them at once", { sent: 95, refused: 5, bounced: 1 }, "WARNING"],
    ["10 % bounces", { sent: 100, bounced: 10 }, "WARNING"],
    ["over 10 % bounces", { sent: 100, bounced: 11 }, "CRITICAL"],
    ["0.1 % complaints", { sent: 1000, complained: 1 }, "HEALTHY"],
    ["over 0.1 % complaints", { sent: 999, complained: 1 }, "WARNING"],
    ["0.3 % complaints", { sent: 1000, complained: 3 }, "WARNING"],
    ["over 0.3 % complaints", { sent: 1000, complained: 4 }, "CRITICAL"],
  ])("%s", async (_, given, expected) => {
    await mails(given);
    await minuteOf(lenient());
    const { status } = await security();

    expect(await levelOf()).toBe(expected);
    expect(status.isHealthy).toBe(expected !== "CRITICAL");
    expect([status.violations.length, status.warnings.length]).toEqual([
      expected === "CRITICAL" ? 1 : 0,
      expected === "WARNING" ? 1 : 0,
    ]);
    expect((await notices()).length).toBe(expected === "HEALTHY" ? 0 : 1);
  });

  test("are shown with the rates, the suspensions and a sentence for each that is exceeded", async () => {
    await mails({ sent: 2000, bounced: 246, complained: 3 });

    expect(await security()).toEqual({
      status: {
        sevenDay: { total: 2000, bounces: 246, complaints: 3, bounceRate: 12.3, complaintRate: 0.15 },
        allTime: { total: 2000, bounces: 246, complaints: 3, bounceRate: 12.3, complaintRate: 0.15 },
        isHealthy: false,
        violations: [
          "12.30 % of the mails of the last 7 days bounced (246 of 2,000 mails); the critical level is 10 %",
        ],
        warnings: [
          "0.15 % of the mails of the last 7 days were complained about (3 of 2,000 mails); the warning level is 0.1 %",
        ],
      },
      levels: {
        minimumMails: 100,
        bounceRate: { warning: 5, critical: 10 },
        complaintRate: { warning: 0.1, critical: 0.3 },
      },
      isDisabled: false,
      suspensions: [],
    });
  });
});

describe("a warning", () => {
  test("comes within the minute after the bounce, to the members, and once for as long as it lasts", async () => {
    await mails({ sent: 100, bounced: 6 });
    await minute();
    const first = await notices();
    await mails({ sent: 10, bounced: 1 });
    await minute();
    await minute();

    expect(first.map(({ subject }) => subject)).toEqual(["Test has too many bounces"]);
    expect(first[0]!.text).toContain("6.00 % of the mails of the last 7 days bounced (6 of 100 mails)");
    expect(first[0]!.text).toContain("over 10 % bounces or 0.3 % complaints the project is disabled");
    expect((await notices()).length).toBe(1);
    expect((await security()).isDisabled).toBe(false);
  });

  test("is no news when the rate wavers around the level, and news when it had gone well below", async () => {
    await mails({ sent: 100, bounced: 6 });
    await minute();
    await mails({ sent: 30 }); // 6 of 130: 4.6 %
    await minute();
    const wavering = await levelOf();
    await mails({ sent: 2, bounced: 2 }); // 8 of 132: 6.1 %
    await minute();
    const once = (await notices()).length;
    await mails({ sent: 100 }); // 8 of 232: 3.4 %
    await minute();
    const recovered = await levelOf();
    await mails({ sent: 8, bounced: 8 }); // 16 of 240: 6.7 %
    await minute();

    expect([wavering, once, recovered]).toEqual(["WARNING", 1, "HEALTHY"]);
    expect((await notices()).length).toBe(2);
  });

  test("ends with the days that it was about, also where nothing is sent any more", async () => {
    await mails({ sent: 100, bounced: 6 });
    await minute();
    const before = await levelOf();
    service.setNow(new Date(NOON.getTime() + 7 * DAY_MS));
    await minute();

    expect([before, await levelOf()]).toEqual(["WARNING", "HEALTHY"]);
  });

  test("is followed by a second notice when it gets critical, and by none when it gets better", async () => {
    const ctx = lenient();
    await mails({ sent: 100, bounced: 6 });
    await minuteOf(ctx);
    await mails({ sent: 10, bounced: 10 });
    await minuteOf(ctx);
    const worst = await levelOf();
    await mails({ sent: 100 });
    await minuteOf(ctx);

    expect([worst, await levelOf()]).toEqual(["CRITICAL", "WARNING"]);
    expect(await subjects()).toEqual(["Test has too many bounces", "Test has far too many bounces"]);
    expect((await security()).isDisabled).toBe(false);
  });

  test("of ten judgements at once comes once", async () => {
    await mails({ sent: 100, bounced: 6 });
    await Promise.all(Array.from({ length: 10 }, () => judgeReputation(service, project.id)));
    await service.runJobs();

    expect((await notices()).length).toBe(1);
  });
});

describe("at the critical level, with AUTO_PROJECT_DISABLE", () => {
  const send = (to: string) =>
    service.request("POST", "/v1/send", {
      key: project.secret,
      body: { to, from: `hello@${DOMAIN}`, subject: "s", body: "b" },
    });
  const sentTo = (address: string) => service.smtp.received.filter(({ to }) => to.includes(address)).length;

  test("the project is disabled once, by ten judgements and ten rolls up at once, with one notice", async () => {
    await mails({ sent: 100, bounced: 11 });
    await Promise.all([
      ...Array.from({ length: 10 }, () => judgeReputation(service, project.id)),
      ...Array.from({ length: 10 }, () => rollUpReputation(service)),
    ]);
    await service.runJobs();
    const { isDisabled, suspensions } = await security();
    const [row] = await service.pool`select disabled_reason from projects where id = ${project.id}`;
    const refused = await service.request("GET", "/emails", { key: project.secret });

    expect(await subjects()).toEqual(["Test was disabled: too many bounces"]);
    expect([isDisabled, row!.disabledReason]).toEqual([true, "EMAIL_REPUTATION"]);
    expect(suspensions).toEqual([{ at: expect.any(Date), reason: "EMAIL_REPUTATION", liftedAt: null }]);
    expect(refused.body.error).toMatchObject({
      code: "PROJECT_DISABLED",
      details: { reason: "EMAIL_REPUTATION" },
    });
  });

  test("its queue is held, and goes out after it was enabled", async () => {
    await send("held@x.example");
    await mails({ sent: 100, bounced: 11 });
    await judgeReputation(service, project.id);
    await service.runJobs();
    const held = sentTo("held@x.example");
    await enableProject(service, project.id);
    service.setNow(new Date(NOON.getTime() + 5 * 60_000));
    await sweepEmails(service);
    await service.runJobs();

    expect([held, sentTo("held@x.example")]).toEqual([0, 1]);
  });

  test("a project that was enabled again starts afresh: what was before is no reason any more", async () => {
    await mails({ sent: 100, bounced: 11 });
    await minute();
    const disabled = (await security()).isDisabled;
    await enableProject(service, project.id);
    await minute();
    await mails({ sent: 99, bounced: 20 });
    await minute();
    const afresh = await security();
    await mails({ sent: 1 });
    await minute();
    const again = await security();

    expect([disabled, afresh.isDisabled, again.isDisabled]).toEqual([true, false, true]);
    expect(afresh.status.sevenDay).toMatchObject({ total: 99, bounces: 20 });
    expect(again.status.allTime).toMatchObject({ total: 200, bounces: 31 });
    expect(again.suspensions).toEqual([
      { at: expect.any(Date), reason: "EMAIL_REPUTATION", liftedAt: null },
      { at: expect.any(Date), reason: "EMAIL_REPUTATION", liftedAt: expect.any(Date) },
    ]);
    expect((await subjects()).length).toBe(2);
  });

  test("on later days only what came since counts, and what was counted before is never counted twice", async () => {
    await mails({ sent: 100, bounced: 50 });
    await minute();
    await enableProject(service, project.id);
    await mails({ sent: 40, bounced: 1 });
    service.setNow(new Date(NOON.getTime() + 2 * DAY_MS));
    await mails({ sent: 60, bounced: 1 });
    const soon = (await security()).status.sevenDay;
    service.setNow(new Date(NOON.getTime() + 7 * DAY_MS));
    const late = (await security()).status.sevenDay;

    expect(soon).toMatchObject({ total: 100, bounces: 2 });
    expect(late).toMatchObject({ total: 60, bounces: 1 });
  });

  test("an operator's own suspension is history too, and forgives nothing", async () => {
    await mails({ sent: 100, bounced: 4 });
    await disableProject(service, project.id, "unpaid");
    await disableProject(service, project.id, "again");
    await enableProject(service, project.id);
    await enableProject(service, project.id);
    const { status, suspensions } = await security();

    expect(status.sevenDay).toMatchObject({ total: 100, bounces: 4 });
    expect(suspensions).toEqual([{ at: expect.any(Date), reason: "unpaid", liftedAt: expect.any(Date) }]);
  });

  test("a disabled project is left alone, and judged when it is back", async () => {
    await disableProject(service, project.id, "unpaid");
    await mails({ sent: 100, bounced: 11 });
    await minute();
    const meanwhile = [(await security()).suspensions.length, (await notices()).length];
    await enableProject(service, project.id);
    await mails({ sent: 1 });
    await minute();

    expect(meanwhile).toEqual([1, 0]);
    expect((await security()).suspensions.map(({ reason }) => reason)).toEqual([
      "EMAIL_REPUTATION",
      "unpaid",
    ]);
  });

  test("the setting holds for a project that was critical before it was set", async () => {
    await mails({ sent: 100, bounced: 11 });
    await minuteOf(lenient());
    const before = (await security()).isDisabled;
    await minute();

    expect([before, (await security()).isDisabled]).toEqual([false, true]);
    expect(await subjects()).toEqual([
      "Test has far too many bounces",
      "Test was disabled: too many bounces",
    ]);
  });

  test("enabling and judging at once leave no suspension open", async () => {
    await mails({ sent: 100, bounced: 11 });
    await judgeReputation(service, project.id);
    await Promise.all([
      ...Array.from({ length: 5 }, () => judgeReputation(service, project.id)),
      ...Array.from({ length: 5 }, () => enableProject(service, project.id)),
      ...Array.from({ length: 5 }, () => judgeReputation(service, project.id)),
    ]);
    const { isDisabled, suspensions } = await security();

    expect(isDisabled).toBe(false);
    expect(suspensions).toEqual([
      { at: expect.any(Date), reason: "EMAIL_REPUTATION", liftedAt: expect.any(Date) },
    ]);
  });
});
