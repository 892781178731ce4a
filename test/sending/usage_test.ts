// What is counted of a month, and what happens at its limits.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { SERVICE } from "../../src/accounts/audit.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import {
  rollUpUsage,
  setUsageLimits,
  type UsageCategory,
  usageOf,
} from "../../src/accounts/billing/usage.ts";
import type { Context } from "../../src/context.ts";
import { upkeepTasks } from "../../tasks/upkeep.ts";
import { campaignsOf } from "../support/campaign.ts";
import { applyNotifications } from "../support/notifications.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService({ PLATFORM_FROM: "Postrider <postrider@mail.example>" });
let project: NewProject;
const campaigns = campaignsOf(service, () => project);
const workflows = workflowsOf(service, () => project);

const MARCH = new Date("2031-03-15T12:00:00Z");

beforeEach(async () => {
  service.setNow(MARCH);
  project = await service.createProject();
  const email = `owner-${project.id}@people.example`;
  const [user] = await service.pool`insert into users (email) values (${email}) returning id`;
  await service.pool`
    insert into memberships (project_id, user_id, role) values (${project.id}, ${user!.id}, 'OWNER')`;
  service.smtp.received.length = 0;
});

afterEach(async () => {
  service.setNow(new Date());
  await service.dropJobs();
  await service.pool`update campaigns set finished_at = now() where finished_at is null`;
  await service.pool`delete from usage_limits`;
});

const limit = (limits: Partial<Record<UsageCategory, number | null>>) =>
  setUsageLimits(service, project.id, SERVICE, limits);

const send = (to: unknown = "ada@example.com", headers: Record<string, string> = {}) =>
  service.request("POST", "/v1/send", {
    key: project.secret,
    headers,
    body: { to, from: `hello@${DOMAIN}`, subject: "Hi", body: "<p>Hi</p>" },
  });

const used = async (ctx: Context = service) => {
  const all = await usageOf(ctx, project.id);
  return Object.fromEntries(Object.entries(all).map(([category, { usage }]) => [category, usage]));
};

const mails = async () =>
  (await service.pool`select count(*)::int as n from emails where project_id = ${project.id}`)[0]!.n;

/** The notices that the owner has got, by their subjects. */
const told = async () => {
  await service.runJobs();
  const rows = await service.pool`
    select subject from platform_mails where to_address = ${`owner-${project.id}@people.example`} order by id`;
  return rows.map((row) => row.subject as string);
};

const people = (count: number) => Array.from({ length: count }, (_, i) => `p${i}@example.com`);

describe("what is counted", () => {
  test("is one for each recipient of a call, before and after the deltas are rolled up", async () => {
    await send(["ada@example.com", "ada@example.com", "bob@example.com"]);
    await send();
    const before = await used();
    await rollUpUsage(service);

    expect(before).toEqual({ workflows: 0, campaigns: 0, transactional: 4, inbound: 0 });
    expect(await used()).toEqual(before);
    expect(await service.pool`select from usage_deltas where project_id = ${project.id}`).toHaveLength(0);
  });

  test("is nothing for a call that is refused", async () => {
    await service.request("POST", "/v1/send", {
      key: project.secret,
      body: { to: "a@b.io", from: "x@other.example", subject: "s", body: "b" },
    });
    const key = { "idempotency-key": "once" };
    await send("ada@example.com", key);
    const again = await send("ada@example.com", key);

    expect(again.status).toBe(409);
    expect(await used()).toMatchObject({ transactional: 1 });
  });

  test("is every recipient of a campaign, once, and a test mail as a transactional one", async () => {
    await campaigns.addContacts(620);
    const id = await campaigns.create();
    await campaigns.call("POST", `/campaigns/${id}/test`, { email: "me@example.com" });
    await campaigns.send(id);
    await service.runJobs();

    expect(await campaigns.ledger(id)).toEqual({ SENT: 620 });
    expect(await used()).toEqual({ workflows: 0, campaigns: 620, transactional: 1, inbound: 0 });
  });

  test("is every mail of a workflow", async () => {
    await workflows.build({
      steps: { Hello: { type: "SEND_EMAIL", template: await workflows.template() } },
      ways: ["Trigger > Hello"],
    });
    for (const name of ["ada", "bob", "eve"]) await workflows.track(`${name}@example.com`);
    await service.runJobs();

    expect(await used()).toMatchObject({ workflows: 3, transactional: 0 });
  });

  test("is every mail that comes in, for each project that it reaches", async () => {
    await applyNotifications(service, [{ to: `a@${DOMAIN}` }, { to: `b@${DOMAIN}` }]);

    expect(await used()).toMatchObject({ inbound: 2 });
  });

  test("belongs to the calendar month in UTC, to the last moment", async () => {
    service.setNow(new Date("2031-01-31T23:59:58.000Z"));
    await send();
    const january = await used();
    service.setNow(new Date("2031-02-01T00:00:00.000Z"));
    const february = await used();
    await send();

    expect([january.transactional, february.transactional]).toEqual([1, 0]);
    expect((await used()).transactional).toBe(1);
  });
});

describe("a limit of transactional mails", () => {
  test("lets 10 of 100 calls at once through when 10 are left", async () => {
    await send(people(15));
    await limit({ transactional: 25 });
    const answers = await Promise.all(people(100).map((to) => send(to)));
    const refused = answers.filter(({ status }) => status === 402);

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(refused).toHaveLength(90);
    expect(refused[0]!.body.error).toMatchObject({
      code: "BILLING_LIMIT_EXCEEDED",
      statusCode: 402,
      details: { category: "transactional", limit: 25, usage: 25, resetsAt: "2031-04-01T00:00:00.000Z" },
      suggestion: expect.stringContaining("billing-limits"),
    });
    expect([await mails(), (await used()).transactional]).toEqual([25, 25]);
  });

  test("lets nothing of a call through that does not fit, and leaves room for one that does", async () => {
    await limit({ transactional: 5 });
    const [first, tooMany, fits] = [await send(people(3)), await send(people(3)), await send(people(2))];

    expect([first.status, tooMany.status, fits.status]).toEqual([200, 402, 200]);
    expect(tooMany.body.error.details).toMatchObject({ limit: 5, usage: 3 });
    expect([await mails(), (await used()).transactional]).toEqual([5, 5]);
    const contacts = await service.pool`select from contacts where project_id = ${project.id}`;
    expect(contacts).toHaveLength(3);
  });

  test("frees the idempotency key of a call that it refuses", async () => {
    await limit({ transactional: 1 });
    await send();
    const key = { "idempotency-key": "again" };
    const refused = await send("bob@example.com", key);
    await limit({ transactional: 2 });

    expect([refused.status, (await send("bob@example.com", key)).status]).toEqual([402, 200]);
  });

  test("is exact while the deltas from before it are rolled up", async () => {
    await Promise.all(people(40).map((to) => send(to)));
    await limit({ transactional: 50 });
    const rollUps = Array.from({ length: 20 }, () => rollUpUsage(service));
    const answers = await Promise.all(people(60).map((to) => send(to)));
    await Promise.all(rollUps);

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect((await used()).transactional).toBe(50);
  });

  test("holds for its own category and its own project alone", async () => {
    await limit({ transactional: 1, workflows: 1 });
    await send();
    const other = await service.createProject();
    const elsewhere = await service.request("POST", "/v1/send", {
      key: other.secret,
      body: { to: people(5), from: `hello@${DOMAIN}`, subject: "Hi", body: "<p>Hi</p>" },
    });
    await campaigns.addContacts(3);
    const campaign = await campaigns.send(await campaigns.create());

    expect([(await send()).status, elsewhere.status, campaign.status]).toEqual([402, 200, 200]);
  });

  test("begins again with the next month, and is gone when it is taken away", async () => {
    await limit({ transactional: 1 });
    await send();
    const full = await send();
    service.setNow(new Date("2031-04-01T00:00:00Z"));
    const inApril = await send();
    const fullAgain = await send();
    await limit({ transactional: null });

    expect([full, inApril, fullAgain, await send(people(20))].map(({ status }) => status)).toEqual([
      402, 200, 402, 200,
    ]);
  });

  test("refuses a test mail of a campaign too", async () => {
    await limit({ transactional: 1 });
    await send();
    const id = await campaigns.create();
    const { status, body } = await campaigns.call("POST", `/campaigns/${id}/test`, { email: "me@b.io" });

    expect([status, body.error.code]).toEqual([402, "BILLING_LIMIT_EXCEEDED"]);
  });
});

describe("a limit of campaign mails", () => {
  test("refuses a campaign that does not fit, and leaves it a draft", async () => {
    await campaigns.addContacts(11);
    await limit({ campaigns: 10 });
    const id = await campaigns.create();
    const { status, body } = await campaigns.send(id);

    expect([status, body.error.code]).toEqual([402, "BILLING_LIMIT_EXCEEDED"]);
    expect(body.error.details).toMatchObject({ category: "campaigns", limit: 10, usage: 0 });
    expect((await campaigns.get(id)).status).toBe("DRAFT");
    expect([await mails(), (await used()).campaigns]).toEqual([0, 0]);
  });

  test("lets one through that fits exactly", async () => {
    await campaigns.addContacts(10);
    await limit({ campaigns: 10 });
    const id = await campaigns.create();
    await campaigns.send(id);
    await service.runJobs();

    expect([await campaigns.ledger(id), (await used()).campaigns]).toEqual([{ SENT: 10 }, 10]);
    expect((await campaigns.send(await campaigns.create())).status).toBe(402);
  });

  test("that a scheduled campaign reaches on its way leaves the rest FAILED, with the reason, and tells the owner once", async () => {
    await campaigns.addContacts(1200);
    await limit({ campaigns: 700 });
    const id = await campaigns.create({ name: "Spring" });
    const scheduled = await campaigns.send(id, new Date(MARCH.getTime() + 60_000).toISOString());
    service.setNow(new Date(MARCH.getTime() + 120_000));
    await service.runJobs();
    const campaign = await campaigns.get(id);
    const errors = await service.pool`
      select error, count(*)::int as n, count(sent_at)::int as sent from emails
      where campaign_id = ${id} and status = 'FAILED' group by error`;

    expect(scheduled.status).toBe(200);
    expect(campaign).toMatchObject({
      status: "SENT",
      totalRecipients: 1200,
      sentCount: 700,
      failedCount: 500,
      processedCount: 1200,
    });
    expect(await campaigns.ledger(id)).toEqual({ SENT: 700, FAILED: 500 });
    expect([...errors].map((row) => ({ ...row }))).toEqual([
      {
        error: expect.stringMatching(/^This month's limit of campaign mails .* 2031-04-01/),
        n: 500,
        sent: 0,
      },
    ]);
    expect((await used()).campaigns).toBe(700);
    const reached = service.smtp.received.filter((mail) => mail.to[0]!.endsWith("@example.com"));
    expect(new Set(reached.flatMap((mail) => mail.to)).size).toBe(700);
    expect(await told()).toEqual([
      "The campaign Spring did not reach everybody: this month's limit is reached",
    ]);
  });

  test("that is used up before a scheduled campaign starts leaves nobody out of the ledger", async () => {
    await limit({ campaigns: 5 });
    await campaigns.addContacts(5);
    const [early, late] = [await campaigns.create(), await campaigns.create()];
    await campaigns.send(late, new Date(MARCH.getTime() + 60_000).toISOString());
    await campaigns.send(early);
    await service.runJobs();
    service.setNow(new Date(MARCH.getTime() + 120_000));
    await service.runJobs();

    expect([await campaigns.ledger(early), await campaigns.ledger(late)]).toEqual([
      { SENT: 5 },
      { FAILED: 5 },
    ]);
    expect(await campaigns.get(late)).toMatchObject({ status: "SENT", failedCount: 5, sentCount: 0 });
  });

  test("is shared by campaigns that start at once: together they send what is left", async () => {
    await campaigns.addContacts(60);
    await limit({ campaigns: 100 });
    const ids = [await campaigns.create(), await campaigns.create(), await campaigns.create()];
    const answers = await Promise.all(ids.map((id) => campaigns.send(id)));
    await service.runJobs();
    const ledgers = await Promise.all(ids.map((id) => campaigns.ledger(id)));
    const total = (status: string) => ledgers.reduce((sum, ledger) => sum + (ledger[status] ?? 0), 0);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect([total("SENT"), total("FAILED"), (await used()).campaigns]).toEqual([100, 80, 100]);
  });
});

describe("a limit of workflow mails", () => {
  test("makes the mails beyond it FAILED, and the executions go on", async () => {
    await limit({ workflows: 2 });
    const { id } = await workflows.build({
      steps: {
        Hello: { type: "SEND_EMAIL", template: await workflows.template() },
        Mark: { type: "UPDATE_CONTACT", updates: { greeted: true } },
      },
      ways: ["Trigger > Hello", "Hello > Mark"],
    });
    for (const name of ["ada", "bob", "eve", "joe"]) await workflows.track(`${name}@example.com`);
    await service.runJobs();
    const rows = await service.pool`
      select status, error from emails where project_id = ${project.id} order by status`;
    const greeted = await service.pool`
      select from contacts where project_id = ${project.id} and data ->> 'greeted' = 'true'`;

    expect(rows.map((row) => row.status as string).toSorted()).toEqual(["FAILED", "FAILED", "SENT", "SENT"]);
    expect(rows.find((row) => row.status === "FAILED")!.error).toStartWith(
      "This month's limit of workflow mails",
    );
    expect(await workflows.states(id)).toEqual(Array(4).fill("COMPLETED"));
    expect([greeted.length, (await used()).workflows]).toEqual([4, 2]);
  });
});

describe("a limit of received mails", () => {
  test("leaves out what is beyond it, for that project alone, and the log says so", async () => {
    const other = await service.createProject();
    await limit({ inbound: 2 });
    await applyNotifications(
      service,
      [1, 2, 3].map((n) => ({ to: `desk@${DOMAIN}`, from: `writer${n}@people.example` })),
    );
    const events = await service.pool`
      select project_id from events
      where name = 'email.received' and project_id in ${service.pool([project.id, other.id])}`;
    const count = (id: string) => events.filter((event) => event.projectId === id).length;

    expect([count(project.id), count(other.id)]).toEqual([2, 3]);
    expect((await used()).inbound).toBe(2);
    expect(service.lines).toContainEqual(
      expect.objectContaining({
        message: "mail received beyond the limit of the month",
        projectId: project.id,
        mails: 1,
      }),
    );
  });
});

describe("members are told", () => {
  const look = async () => {
    await upkeepTasks.roll_up_counts(service);
    return await told();
  };

  test("at 80 % and at 100 %, each once in a month", async () => {
    await limit({ transactional: 10 });
    await send(people(7));
    const at70 = await look();
    await send();
    const at80 = await look();
    await send();
    await Promise.all([look(), look()]);
    const at90 = await look();
    await send();
    const at100 = await look();

    expect([at70, at80, at90]).toEqual([
      [],
      ["80 % of this month's transactional mails are used"],
      ["80 % of this month's transactional mails are used"],
    ]);
    expect(at100).toEqual([...at90, "This month's limit of transactional mails is reached"]);
    await look();
    expect(await look()).toEqual(at100);
  });

  test("only that it is reached, when all of it is used at once", async () => {
    await limit({ transactional: 10 });
    await send(people(10));

    expect(await look()).toEqual(["This month's limit of transactional mails is reached"]);
  });

  test("of a limit that is set below what is used, and again in the next month", async () => {
    await send(people(9));
    await limit({ transactional: 9 });
    const march = await look();
    service.setNow(new Date("2031-04-02T00:00:00Z"));
    await send(people(8));

    expect(march).toHaveLength(1);
    expect(await look()).toEqual([...march, "88 % of this month's transactional mails are used"]);
  });

  test("who are owners or admins, and of each category by itself", async () => {
    const [user] = await service.pool`
      insert into users (email) values (${`member-${project.id}@people.example`}) returning id`;
    await service.pool`
      insert into memberships (project_id, user_id, role) values (${project.id}, ${user!.id}, 'MEMBER')`;
    await limit({ transactional: 10, inbound: 1 });
    await send(people(8));
    await applyNotifications(service, [{ to: `a@${DOMAIN}` }]);

    expect((await look()).toSorted()).toEqual([
      "80 % of this month's transactional mails are used",
      "This month's limit of received mails is reached",
    ]);
    const others = await service.pool`
      select from platform_mails where to_address = ${`member-${project.id}@people.example`}`;
    expect(others).toHaveLength(0);
  });
});
