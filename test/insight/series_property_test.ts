// What the figures say against a plain count of the facts, which come about as they do in life: mails are sent, opened,
// clicked, delivered and bounced, events tracked, workflows started, contacts deleted, at random moments around a change of
// the clocks. `SERIES_SEED=<seed> bun test test/insight/series_property_test.ts` repeats a run, `SERIES_TEST=long` makes many.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { isReservedEvent } from "../../src/audience/events.ts";
import type { Notice } from "../../src/mail/notice.ts";
import { takeNotification } from "../../src/sending/feedback/notifications.ts";
import { upkeepTasks } from "../../tasks/upkeep.ts";
import { campaignsOf } from "../support/campaign.ts";
import { BROWSER, useFollowedMails } from "../support/followed_mails.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
const mails = useFollowedMails(service);
const SEED = Number(process.env.SERIES_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** At each change of the clocks. */
const RUNS = process.env.SERIES_TEST === "long" ? 10 : 1;
const DAY_MS = 86_400_000;

/** Midnight of UTC on days on which clocks change somewhere, in order: the clock of the service only goes on. */
const CHANGES = [
  ["Europe/Berlin, a day of 23 hours", "2027-03-28"],
  ["Australia/Lord_Howe, a day of 24.5 hours", "2027-04-04"],
  ["Africa/Cairo, a day without midnight", "2027-04-30"],
  ["America/Havana, a day with two midnights", "2027-11-07"],
  ["the turn of a year and of a month", "2028-01-01"],
] as const;

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "Australia/Lord_Howe",
  "Africa/Cairo",
  "America/Havana",
  "Asia/Kathmandu",
  "Pacific/Kiritimati",
  "Pacific/Marquesas",
  "America/New_York",
];

const KINDS = ["send", "campaign", "open", "machine", "click", "deliver", "bounce", "complain"] as const;
const OTHERS = ["track", "alone", "start", "unsubscribe", "delete contact", "roll up"] as const;
const NAMES = ["bought", "viewed", "a/b"];

interface Step {
  /** Since the start, in the time of the test. */
  at: number;
  kind: (typeof KINDS)[number] | (typeof OTHERS)[number];
  /** Which of what there is. */
  pick: number;
}

const steps = fc
  .array(
    fc.record({
      at: fc.integer({ min: 0, max: 4 * DAY_MS }),
      kind: fc.constantFrom(...KINDS, ...KINDS, ...OTHERS),
      pick: fc.nat(1_000),
    }),
    { minLength: 35, maxLength: 45 },
  )
  .map((all) => all.toSorted((a, b) => a.at - b.at));

/** Lets it all happen, beginning at a time. */
async function live(project: NewProject, from: Date, story: Step[]): Promise<void> {
  const campaigns = campaignsOf(service, () => project);
  const flows = workflowsOf(service, () => project);
  const call = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
    service.request(method, path, {
      key: project.secret,
      ...(body && { body }),
      ...(headers && { headers }),
    });
  service.setNow(from);
  const plan = { event: "go", allowReentry: true, steps: { End: { type: "EXIT" } }, ways: ["Trigger > End"] };
  await flows.build(plan);
  const someone = async <T>(rows: PromiseLike<T[]>, pick: number): Promise<T | undefined> => {
    const all = await rows;
    return all[pick % Math.max(1, all.length)];
  };
  const sent = (pick: number) =>
    someone(
      service.pool<{ id: string }[]>`
        select id from emails where project_id = ${project.id} and sent_at is not null order by id`,
      pick,
    );
  const contact = (pick: number) =>
    someone(
      service.pool<{ id: string }[]>`select id from contacts where project_id = ${project.id} order by id`,
      pick,
    );
  const notify = async (emailId: string, more: object) => {
    const mail = { projectId: project.id, emailId, providerId: null };
    const notice = { mail, at: service.now(), sentAt: null, recipient: null, ...more } as Notice;
    await takeNotification(service, { messageId: crypto.randomUUID(), notices: [notice], received: null });
  };
  const visit = async (emailId: string, what: "open" | "click", agent: string) => {
    const { open, clicks } = mails.paths({ projectId: project.id, emailId }, "https://shop.example/");
    await call("GET", what === "open" ? open : clicks[0]!, undefined, { "user-agent": agent });
  };
  const deeds: Record<Step["kind"], (pick: number) => Promise<unknown>> = {
    async send(pick) {
      const to = Array.from({ length: 1 + (pick % 3) }, (_, i) => `p${(pick + i) % 7}@example.com`);
      await call("POST", "/v1/send", { to, from: `a@${DOMAIN}`, subject: "s", body: "<p>b</p>" });
      await service.runJobs();
    },
    async campaign(pick) {
      await campaigns.addContacts(1 + (pick % 3));
      await campaigns.send(await campaigns.create({ name: `C${pick}` }));
      await service.runJobs();
    },
    open: async (pick) => visitOf(await sent(pick), "open", BROWSER),
    machine: async (pick) => visitOf(await sent(pick), "open", "Mozilla/5.0"),
    click: async (pick) => visitOf(await sent(pick), "click", BROWSER),
    deliver: async (pick) => notifyOf(await sent(pick), { kind: "delivery" }),
    bounce: async (pick) =>
      notifyOf(await sent(pick), { kind: "bounce", bounceType: "Permanent", diagnostic: null }),
    complain: async (pick) => notifyOf(await sent(pick), { kind: "complaint" }),
    track: (pick) => flows.track(`p${pick % 7}@example.com`, NAMES[pick % NAMES.length]),
    alone: (pick) => call("POST", "/events/track", { name: NAMES[pick % 2] }),
    async start(pick) {
      await flows.track(`p${pick % 7}@example.com`, "go");
      await service.runJobs();
    },
    async unsubscribe(pick) {
      const one = await contact(pick);
      if (one) await call("PATCH", `/contacts/${one.id}`, { subscribed: pick % 2 === 0 });
    },
    async "delete contact"(pick) {
      const one = await contact(pick);
      if (one) await call("DELETE", `/contacts/${one.id}`);
    },
    "roll up": () => upkeepTasks.roll_up_counts(service),
  };
  const visitOf = async (mail: { id: string } | undefined, what: "open" | "click", agent: string) =>
    mail && (await visit(mail.id, what, agent));
  const notifyOf = async (mail: { id: string } | undefined, more: object) =>
    mail && (await notify(mail.id, more));
  for (const { at, kind, pick } of story) {
    service.setNow(new Date(from.getTime() + at));
    await deeds[kind](pick);
  }
}

const MEASURES = {
  emails: "sentAt",
  delivered: "deliveredAt",
  opens: "openedAt",
  clicks: "clickedAt",
  bounces: "bouncedAt",
  complaints: "complainedAt",
  machineOpens: "botOpenedAt",
} as const;

/** The day of an instant somewhere, by another way than that of the service. */
function dayIn(zone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
  return parts.format(at);
}

function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  return days;
}

const twoDecimals = (part: number, whole: number) =>
  whole === 0 ? 0 : Math.min(100, Number(((part / whole) * 100).toFixed(2)));

async function assertFigures(project: NewProject, first: string, last: string): Promise<void> {
  const get = async (path: string) => {
    const { status, body } = await service.request("GET", path, { key: project.secret });
    expect([path, status]).toEqual([path, 200]);
    return body;
  };
  const ledger = await service.pool`select * from emails where project_id = ${project.id}`;
  for (const zone of ZONES) {
    const expected = daysBetween(first, last).map((date) => ({
      date,
      ...Object.fromEntries(
        Object.entries(MEASURES).map(([measure, column]) => [
          measure,
          ledger.filter((mail) => mail[column] !== null && dayIn(zone, mail[column] as Date) === date).length,
        ]),
      ),
    }));
    const series = await get(`/analytics/timeseries?startDate=${first}&endDate=${last}&tz=${zone}`);
    expect([zone, series]).toEqual([zone, expected]);
  }
  await assertEvents(project, first, last, get);
  await assertActivity(project, first, last, get, ledger);
  await assertCampaigns(project, get);
}

type Get = (path: string) => Promise<unknown>;

async function assertEvents(project: NewProject, first: string, last: string, get: Get): Promise<void> {
  const rows = await service.pool`select name, created_at from events where project_id = ${project.id}`;
  const count = (from: string, until: string) => {
    const counts: Record<string, number> = {};
    for (const { name, createdAt } of rows) {
      const day = (createdAt as Date).toISOString().slice(0, 10);
      if (day >= from && day <= until) counts[name as string] = (counts[name as string] ?? 0) + 1;
    }
    return counts;
  };
  const ranked = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([name, n]) => ({ name, count: n }))
      .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  const all = ranked(count("0000", "9999"));
  expect(await get("/events/stats")).toEqual(all);
  expect(await get("/events/names")).toEqual({ eventNames: all.map(({ name }) => name) });
  expect(await get(`/events/stats?startDate=${first}&endDate=${last}`)).toEqual(ranked(count(first, last)));
  // The two days in the middle, against the two before.
  const [a, b, c, d] = daysBetween(first, last).slice(1, 5) as [string, string, string, string];
  const before = count(a, b);
  const top = ranked(count(c, d))
    .filter(({ name }) => !isReservedEvent(name))
    .slice(0, 3)
    .map(({ name, count: now }) => {
      const was = before[name] ?? 0;
      const trend = was === 0 ? 100 : Number((((now - was) / was) * 100).toFixed(2));
      return { name, count: now, previousCount: was, trend };
    });
  expect(await get(`/analytics/top-events?limit=3&startDate=${c}&endDate=${d}`)).toEqual(top);
}

async function assertActivity(
  project: NewProject,
  first: string,
  last: string,
  get: Get,
  ledger: Record<string, unknown>[],
): Promise<void> {
  const executions = await service.pool`select started_at from executions where project_id = ${project.id}`;
  const events = await service.pool`select created_at from events where project_id = ${project.id}`;
  for (const [from, until] of [
    [first, last],
    [daysBetween(first, last)[2]!, daysBetween(first, last)[3]!],
  ] as const) {
    const within = (rows: Record<string, unknown>[], column: string) =>
      rows.filter((row) => {
        const day = (row[column] as Date | null)?.toISOString().slice(0, 10);
        return day !== undefined && day >= from && day <= until;
      }).length;
    const [sent, opened, clicked] = ["sentAt", "openedAt", "clickedAt"].map((time) => within(ledger, time));
    expect(await get(`/activity/stats?startDate=${from}&endDate=${until}`)).toEqual({
      totalEvents: within(events, "createdAt"),
      totalEmailsSent: sent,
      totalEmailsOpened: opened,
      totalEmailsClicked: clicked,
      totalWorkflowsStarted: within(executions, "startedAt"),
      openRate: twoDecimals(opened!, sent!),
      clickRate: twoDecimals(clicked!, sent!),
    });
  }
}

async function assertCampaigns(project: NewProject, get: Get): Promise<void> {
  const rows = await service.pool`
    select
      c.id, c.name, c.subject, c.status, count(e.sent_at)::int as sent_count, count(e.opened_at)::int as opened_count,
      count(e.clicked_at)::int as clicked_count
    from campaigns c
    left join emails e on e.campaign_id = c.id
    where c.project_id = ${project.id}
    group by c.project_id, c.id`;
  const campaigns = rows.map(({ status, ...campaign }) => ({
    status,
    campaign: {
      ...campaign,
      openRate: twoDecimals(campaign.openedCount as number, campaign.sentCount as number),
      clickRate: twoDecimals(campaign.clickedCount as number, campaign.sentCount as number),
    } as unknown as Record<string, number> & { id: string },
  }));
  const sent = campaigns.map(({ campaign }) => campaign).filter(({ sentCount }) => sentCount! > 0);
  const columns = {
    opens: "openedCount",
    clicks: "clickedCount",
    openRate: "openRate",
    clickRate: "clickRate",
  } as const;
  for (const [metric, column] of Object.entries(columns)) {
    const order = sent.toSorted(
      (a, b) => b[column]! - a[column]! || b.sentCount! - a.sentCount! || (a.id < b.id ? 1 : -1),
    );
    expect(await get(`/analytics/top-campaigns?limit=50&metric=${metric}`)).toEqual(order);
    expect(await get(`/analytics/top-campaigns?limit=1&metric=${metric}`)).toEqual(order.slice(0, 1));
  }
  const sum = (column: string) => sent.reduce((total, campaign) => total + campaign[column]!, 0);
  expect(await get("/analytics/campaign-stats")).toEqual({
    total: campaigns.length,
    active: campaigns.filter(({ status }) => status === "SENDING" || status === "SCHEDULED").length,
    completed: campaigns.filter(({ status }) => status === "SENT").length,
    averageOpenRate: twoDecimals(sum("openedCount"), sum("sentCount")),
    averageClickRate: twoDecimals(sum("clickedCount"), sum("sentCount")),
  });
}

describe(`figures equal a plain count of the facts (seed ${SEED})`, () => {
  test.each(CHANGES)(
    "around %s, %s",
    async (_, day) => {
      const middle = Date.parse(day);
      const dayAt = (offset: number) => new Date(middle + offset * DAY_MS).toISOString().slice(0, 10);
      await fc.assert(
        fc.asyncProperty(steps, async (story) => {
          const project = await service.createProject();
          await live(project, new Date(middle - 2 * DAY_MS), story);
          await assertFigures(project, dayAt(-3), dayAt(3));
          await upkeepTasks.roll_up_counts(service);
          await assertFigures(project, dayAt(-3), dayAt(3));
        }),
        { seed: SEED, numRuns: RUNS, endOnFailure: true },
      );
    },
    240_000,
  );
});
