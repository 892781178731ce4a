import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { updateProject } from "../../src/accounts/projects/mod.ts";
import { campaignsOf } from "../support/campaign.ts";
import { BROWSER, useFollowedMails } from "../support/followed_mails.ts";
import { useService } from "../support/service.ts";

const service = useService();
const mails = useFollowedMails(service);
let project: NewProject;

beforeAll(async () => {
  project = await service.createProject();
});

const get = (path: string, of: NewProject = project) => service.request("GET", path, { key: of.secret });

const series = async (query: string, of: NewProject = project) =>
  (await get(`/analytics/timeseries?${query}`, of)).body;

/** A mail of the ledger for each of these moments, sent at it. */
async function sentAt(of: NewProject, moments: Date[]): Promise<void> {
  await service.pool.begin(async (sql) => {
    await sql`
      insert into emails (project_id, address, source_type, status, due_at, queued_at)
      select ${of.id}, 'a@example.com', 'TRANSACTIONAL', 'SENDING', t.at, t.at
      from unnest(${moments.map((at) => at.toISOString())}::text[]::timestamptz[]) as t (at)`;
    await sql`
      update emails set status = 'SENT', sent_at = queued_at where project_id = ${of.id} and sent_at is null`;
  });
}

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;

/** Every quarter of an hour of five days of UTC around one. */
const quartersAround = (day: string) =>
  Array.from({ length: 5 * 96 }, (_, i) => new Date(Date.parse(day) - 2 * DAY_MS + i * QUARTER_MS));

const dayBefore = (day: string) => new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10);

describe("GET /analytics/timeseries", () => {
  test("has a row for each of 30 days up to today, all of nothing in a project with nothing", async () => {
    const { status, body } = await get("/analytics/timeseries", await service.createProject());

    expect([status, body.length]).toEqual([200, 30]);
    const days = Array.from({ length: 30 }, (_, i) =>
      new Date(service.now().getTime() - (29 - i) * DAY_MS).toISOString().slice(0, 10),
    );
    expect(body).toEqual(
      days.map((date) => ({
        date,
        emails: 0,
        delivered: 0,
        opens: 0,
        clicks: 0,
        bounces: 0,
        complaints: 0,
        machineOpens: 0,
      })),
    );
  });

  test.each([
    ["Europe/Berlin", "2026-03-29", 92],
    ["Europe/Berlin", "2026-10-25", 100],
    ["America/New_York", "2026-03-08", 92],
    ["America/Havana", "2026-11-01", 100],
    ["America/Havana", "2026-03-08", 92],
    ["Atlantic/Azores", "2026-10-25", 100],
    ["Africa/Cairo", "2026-04-24", 92],
    ["Australia/Lord_Howe", "2026-04-05", 98],
    ["Australia/Lord_Howe", "2026-10-04", 94],
    ["Asia/Kathmandu", "2026-03-29", 96],
    ["Asia/Calcutta", "2026-03-29", 96],
    ["europe/berlin", "2026-03-29", 92],
    ["Pacific/Kiritimati", "2026-03-29", 96],
    ["Etc/GMT+12", "2026-03-29", 96],
    ["Pacific/Apia", "2011-12-30", 0],
  ])(
    "a day in %s, %s, has %p quarters of an hour, and the days around it the others",
    async (tz, day, quarters) => {
      const mine = await service.createProject();
      await sentAt(mine, quartersAround(day));
      const next = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
      const alone = await series(`tz=${tz}&startDate=${day}&endDate=${day}`, mine);
      const three = await series(`tz=${tz}&startDate=${dayBefore(day)}&endDate=${next}`, mine);

      expect(alone.map((row: { date: string; emails: number }) => [row.date, row.emails])).toEqual([
        [day, quarters],
      ]);
      expect(three.map((row: { emails: number }) => row.emails)).toEqual([96, quarters, 96]);
    },
  );

  test("is of the days of the project where no time zone is asked for", async () => {
    const mine = await service.createProject();
    await sentAt(mine, [new Date("2026-05-01T22:30:00Z")]);
    const days = "startDate=2026-05-01&endDate=2026-05-02";
    const emails = async (tz: string) =>
      (await series(`${days}${tz}`, mine)).map((row: { emails: number }) => row.emails);
    expect(await emails("")).toEqual([1, 0]);
    await updateProject(service, mine.id, { timezone: "Europe/Berlin" });

    expect(await emails("")).toEqual([0, 1]);
    expect(await emails("&tz=UTC")).toEqual([1, 0]);
  });

  test("takes instants for the days that they fall on in the time zone", async () => {
    const dates = async (query: string) =>
      (await series(query)).map((row: { date: string }) => row.date) as string[];

    expect(
      await dates("tz=Asia/Kathmandu&startDate=2026-05-01T18:14:59Z&endDate=2026-05-01T18:15:00Z"),
    ).toEqual(["2026-05-01", "2026-05-02"]);
    expect(
      await dates(
        `tz=UTC&startDate=${encodeURIComponent("2026-05-01T00:30:00+02:00")}&endDate=2026-04-30T23:59:59.999Z`,
      ),
    ).toEqual(["2026-04-30"]);
    // As a client sends it that does not encode the plus sign.
    expect(await dates("startDate=2026-05-01T00:30:00+02:00&endDate=2026-04-30")).toEqual(["2026-04-30"]);
    expect(await dates("tz=Asia/Tokyo&startDate=2026-05-01T23:30&endDate=2026-05-01 23:30:15")).toEqual([
      "2026-05-01",
    ]);
    expect((await dates("endDate=2026-05-30")).at(0)).toBe("2026-05-01");
    expect(await dates("startDate=&endDate=&tz=")).toHaveLength(30);
  });

  test.each([
    ["startDate=2026-02-30", ["startDate"]],
    ["startDate=soon&endDate=2026-13-01", ["startDate", "endDate"]],
    ["endDate=20260501", ["endDate"]],
    ["endDate=2026-05-01T25:00:00Z", ["endDate"]],
    ["endDate=0000-01-01", ["endDate"]],
    ["endDate=99999-01-01", ["endDate"]],
    ["startDate=2026-05-02&endDate=2026-05-01", ["startDate"]],
    ["startDate=2024-05-01&endDate=2026-05-02", ["startDate"]],
    ["tz=Nowhere", ["tz"]],
    ["tz=%2B05:30", ["tz"]],
    ["tz=Z", ["tz"]],
    ["tz=UTC'--", ["tz"]],
    [`tz=${"A".repeat(5_000)}`, ["tz"]],
  ])("refuses %s, and says which field", async (query, fields) => {
    const { status, body } = await get(`/analytics/timeseries?${query}`);

    expect([status, body.error.code]).toEqual([400, "BAD_REQUEST"]);
    expect(body.error.errors.map((error: { field: string }) => error.field)).toEqual(fields);
  });

  test("has the last day that can be written, wherever it ends", async () => {
    for (const tz of ["UTC", "Asia/Kathmandu", "America/St_Johns"]) {
      expect(await series(`startDate=9999-12-31&endDate=9999-12-31&tz=${tz}`)).toHaveLength(1);
    }
  });

  test("has two years at most, and says so", async () => {
    const most = await series("startDate=2024-01-01&endDate=2025-12-31");
    const more = await get("/analytics/timeseries?startDate=2024-01-01&endDate=2026-01-01");

    expect(most).toHaveLength(731);
    expect(more.body.error.errors[0]).toMatchObject({
      code: "too_big",
      message: expect.stringContaining("731"),
    });
  });

  test("by the hour has a row for each hour of at most 7 days, today's where nothing is said", async () => {
    const mine = await service.createProject();
    await sentAt(mine, [new Date("2026-03-29T00:10:00Z"), new Date("2026-03-29T01:10:00Z")]);
    const hours = await series(
      "interval=hour&startDate=2026-03-29&endDate=2026-03-29&tz=Europe/Berlin",
      mine,
    );

    // The clocks go forward at 01:00 UTC.
    expect(hours).toHaveLength(23);
    expect(hours.slice(0, 3).map((row: any) => [row.date, row.hour, row.emails])).toEqual([
      ["2026-03-29", "2026-03-28T23:00:00.000Z", 0],
      ["2026-03-29", "2026-03-29T00:00:00.000Z", 1],
      ["2026-03-29", "2026-03-29T01:00:00.000Z", 1],
    ]);
    expect(await series("interval=hour&tz=UTC", mine)).toHaveLength(24);
    const tooLong = await get("/analytics/timeseries?interval=hour&startDate=2026-01-01&endDate=2026-01-08");
    expect([tooLong.status, tooLong.body.error.errors[0].message]).toEqual([
      400,
      expect.stringContaining("7 days"),
    ]);
  });

  test("counts the mails of one template, workflow or campaign", async () => {
    const mine = await service.createProject();
    const [template, workflow] = [crypto.randomUUID(), crypto.randomUUID()];
    const days = [
      "2026-01-31T10:00:00Z",
      "2026-01-31T11:00:00Z",
      "2026-02-02T10:00:00Z",
      "2026-02-03T00:00:00Z",
    ];
    await sentAt(
      mine,
      days.map((day) => new Date(day)),
    );
    await service.pool`update emails set template_id = ${template} where project_id = ${mine.id} and sent_at < '2026-02-03'`;
    await service.pool`update emails set workflow_id = ${workflow} where project_id = ${mine.id} and sent_at < '2026-02-01'`;
    const emails = async (query: string) =>
      (await series(`startDate=2026-01-31&endDate=2026-02-02&tz=UTC&${query}`, mine)).map(
        (row: { emails: number }) => row.emails,
      );

    expect(await emails(`templateId=${template}`)).toEqual([2, 0, 1]);
    expect(await emails(`workflowId=${workflow}`)).toEqual([2, 0, 0]);
    expect(await emails(`workflowId=${workflow}&templateId=${template}&interval=hour`)).toHaveLength(72);
    expect(await emails(`templateId=${crypto.randomUUID()}`)).toEqual([0, 0, 0]);
    expect(await emails(`campaignId=${crypto.randomUUID()}`)).toEqual([0, 0, 0]);
    expect(await emails("")).toEqual([2, 0, 1]);
  });

  test("counts the mails with a tag, of a template or by the hour too, for 120 days after they were accepted", async () => {
    const mine = await service.createProject();
    const template = crypto.randomUUID();
    await taggedMails(mine, [
      { accepted: "2026-01-30T09:00:00Z", sent: "2026-01-31T10:00:00Z", tags: ["kind:receipt", "shop:de"] },
      { accepted: "2026-02-02T10:00:00Z", sent: "2026-02-02T10:00:00Z", tags: ["kind:receipt"], template },
      { accepted: "2025-10-15T09:00:00Z", sent: "2026-02-02T23:59:59Z", tags: ["kind:receipt"] },
      { accepted: "2025-09-01T09:00:00Z", sent: "2026-02-02T11:00:00Z", tags: ["kind:receipt"] },
      { accepted: "2026-02-01T09:00:00Z", sent: "2026-02-01T10:00:00Z", tags: ["kind:other"] },
      { accepted: "2026-02-01T09:30:00Z", sent: "2026-02-01T10:00:00Z", tags: [] },
    ]);
    await taggedMails(await service.createProject(), [
      { accepted: "2026-01-31T09:00:00Z", sent: "2026-01-31T10:00:00Z", tags: ["kind:receipt"] },
    ]);
    const emails = async (query: string) =>
      (await series(`startDate=2026-01-31&endDate=2026-02-02&tz=UTC&${query}`, mine)).map(
        (row: { emails: number }) => row.emails,
      );

    expect(await emails("tag=kind:receipt")).toEqual([1, 0, 2]);
    expect(await emails("tag=shop:de")).toEqual([1, 0, 0]);
    expect(await emails(`tag=kind:receipt&templateId=${template}`)).toEqual([0, 0, 1]);
    expect(await emails("tag=kind:none")).toEqual([0, 0, 0]);
    const hours = await emails("tag=kind:receipt&interval=hour");
    expect([hours.length, hours[10], hours[58], hours[71]]).toEqual([72, 1, 1, 1]);
    expect((await get("/analytics/timeseries?tag=kind", mine)).status).toBe(400);
  });

  test("counts mails that people opened once, and those that machines opened beside them", async () => {
    const mine = await service.createProject();
    const open = async (mail: { projectId: string; emailId: string }, agent: string) => {
      const { open: pixel, clicks } = mails.paths(mail, "https://shop.example/");
      await service.request("GET", pixel, { headers: { "user-agent": agent } });
      return clicks[0]!;
    };
    const [first, second] = [await mails.mail({}, mine), await mails.mail({}, mine)];
    await open(first, BROWSER);
    await open(first, BROWSER);
    await open(first, "Mozilla/5.0");
    const link = await open(second, "Mozilla/5.0");
    await open(second, "Mozilla/5.0");
    await service.request("GET", link, { headers: { "user-agent": BROWSER } });
    const today = (await series("tz=UTC", mine)).at(-1);

    // Who clicks has opened.
    expect(today).toMatchObject({ opens: 2, clicks: 1, machineOpens: 2 });
  });

  test("knows nothing of another project", async () => {
    const theirs = await service.createProject();
    await sentAt(theirs, [new Date()]);

    expect((await series("tz=UTC", await service.createProject())).at(-1).emails).toBe(0);
    expect((await series("tz=UTC", theirs)).at(-1).emails).toBe(1);
  });
});

/** A mail that was accepted and sent at these times. */
interface TaggedMail {
  accepted: string;
  sent: string | null;
  opened?: boolean;
  template?: string;
  tags: string[];
}

async function taggedMails(of: NewProject, given: TaggedMail[]): Promise<void> {
  for (const { accepted, sent, opened = false, template = null, tags } of given) {
    await service.pool`
      with added as (
        insert into emails (
          project_id, id, address, source_type, status, due_at, queued_at, sent_at, opened_at, template_id
        )
        values (
          ${of.id}, first_id_at(${accepted}), 'a@example.com', 'TRANSACTIONAL', 'SENT', now(), ${accepted}, ${sent},
          ${opened ? sent : null}, ${template}
        )
        returning project_id, id
      )
      insert into email_tags (project_id, email_id, tag)
      select a.project_id, a.id, t.tag from added a cross join unnest(${tags}::text[]) as t (tag)`;
  }
}

describe("GET /analytics/tags", () => {
  const totals = async (query: string, of: NewProject) =>
    (await get(`/analytics/tags?${query}`, of)).body.map(
      (row: { name: string; value: string; emails: number; opens: number }) =>
        `${row.name}=${row.value} ${row.emails} ${row.opens}`,
    );

  test("has the tags of the mails that were accepted on some days, the most frequent first", async () => {
    const mine = await service.createProject();
    const at = "2026-02-01T09:00:00Z";
    await taggedMails(mine, [
      { accepted: at, sent: "2026-03-01T09:00:00Z", opened: true, tags: ["kind:receipt", "shop:de"] },
      { accepted: "2026-02-01T23:59:59.999Z", sent: at, tags: ["kind:receipt", "kind-b:x"] },
      { accepted: "2026-02-01T10:00:00Z", sent: null, tags: ["kind:never", "shop:de"] },
      { accepted: "2026-02-02T00:00:00Z", sent: at, tags: ["kind:later"] },
      { accepted: "2026-01-31T23:59:59.999Z", sent: at, tags: ["kind:earlier"] },
    ]);
    const day = "startDate=2026-02-01&endDate=2026-02-01&tz=UTC";

    expect(await totals(day, mine)).toEqual([
      "kind=receipt 2 1",
      "kind-b=x 1 0",
      "shop=de 1 1",
      "kind=never 0 0",
    ]);
    expect(await totals(`${day}&name=kind`, mine)).toEqual(["kind=receipt 2 1", "kind=never 0 0"]);
    expect(await totals(`${day}&limit=1`, mine)).toEqual(["kind=receipt 2 1"]);
    expect(await totals(day, await service.createProject())).toEqual([]);
    await updateProject(service, mine.id, { timezone: "Asia/Tokyo" });
    expect(await totals("startDate=2026-02-02&endDate=2026-02-02&name=kind", mine)).toEqual([
      "kind=later 1 0",
      "kind=receipt 1 0",
    ]);
    expect((await get("/analytics/tags?name=a:b", mine)).status).toBe(400);
    expect((await get("/analytics/tags?startDate=2024-01-01&endDate=2026-01-01", mine)).status).toBe(400);
  });

  test("and the days of one tag are refused where they take too long, and say what to ask for", async () => {
    const mine = await service.createProject();
    const answers = await service.pool.begin(async (sql) => {
      await sql`lock table email_tags in access exclusive mode`;
      return await Promise.all([get("/analytics/tags", mine), get("/analytics/timeseries?tag=a:b", mine)]);
    });

    for (const { status, body } of answers) {
      expect([status, body.error.message, body.error.suggestion]).toEqual([
        400,
        "Cannot count the mails with tags: there are too many in these days",
        "Ask for fewer days",
      ]);
    }
  });
});

/** Campaigns with these counts, as if they had been sent; answers their ids. */
async function withCounts(of: NewProject, counts: [sent: number, opened: number, clicked: number][]) {
  const { create } = campaignsOf(service, () => of);
  const ids: string[] = [];
  for (const [sent, opened, clicked] of counts) {
    const id = await create({ name: `C${ids.length}` });
    await service.pool`
      insert into emails (project_id, address, source_type, campaign_id, status, due_at, queued_at)
      select ${of.id}, 'a@example.com', 'CAMPAIGN', ${id}, 'SENDING', now(), now()
      from generate_series(1, ${sent}::int)`;
    await service.pool`
      update emails e
      set
        status = 'SENT', sent_at = now(),
        opened_at = case when m.n <= ${opened} then now() end,
        clicked_at = case when m.n <= ${clicked} then now() end
      from (
        select id, row_number() over () as n from emails where project_id = ${of.id} and campaign_id = ${id}
      ) as m
      where e.project_id = ${of.id} and e.id = m.id`;
    ids.push(id);
  }
  return ids;
}

describe("GET /analytics/top-campaigns and /analytics/campaign-stats", () => {
  test("rank what was sent by each metric, before counts are rolled up and after", async () => {
    const mine = await service.createProject();
    const [a, b, c] = await withCounts(mine, [
      [10, 5, 1],
      [4, 4, 0],
      [30, 7, 3],
      [0, 0, 0],
    ]);
    const top = async (query: string) => (await get(`/analytics/top-campaigns?${query}`, mine)).body;
    const order = async (query: string) => (await top(query)).map(({ id }: { id: string }) => id);
    const assertRanks = async () => {
      expect(await order("")).toEqual([c, a, b]);
      expect(await order("metric=opens")).toEqual([c, a, b]);
      expect(await order("metric=clicks")).toEqual([c, a, b]);
      expect(await order("metric=openRate")).toEqual([b, a, c]);
      expect(await order("metric=clickRate")).toEqual([c, a, b]);
      expect(await order("metric=openRate&limit=1")).toEqual([b]);
      expect((await top(""))[0]).toEqual({
        id: c,
        name: "C2",
        subject: expect.any(String),
        sentCount: 30,
        openedCount: 7,
        clickedCount: 3,
        openRate: 23.33,
        clickRate: 10,
      });
      // A large campaign counts for more than a small one: 16 of 44, and not the mean of the rates.
      expect((await get("/analytics/campaign-stats", mine)).body).toEqual({
        total: 4,
        active: 0,
        completed: 0,
        averageOpenRate: 36.36,
        averageClickRate: 9.09,
      });
    };
    await assertRanks();
    await service.runJobs();
    await assertRanks();
  });

  test("count what is scheduled or being sent as active, and what was sent as completed", async () => {
    const mine = await service.createProject();
    const { addContacts, create, send, cancel } = campaignsOf(service, () => mine);
    await addContacts(2);
    const later = new Date(Date.now() + DAY_MS).toISOString();
    const [sent, scheduled, cancelled] = [await create(), await create(), await create(), await create()];
    await send(sent);
    await service.runJobs();
    await send(scheduled, later);
    await send(cancelled, later);
    await cancel(cancelled);

    expect((await get("/analytics/campaign-stats", mine)).body).toMatchObject({
      total: 4,
      active: 1,
      completed: 1,
    });
  });

  test("are empty in a project with nothing, and refuse a metric that there is not", async () => {
    const mine = await service.createProject();
    const unknown = await get("/analytics/top-campaigns?metric=revenue", mine);

    expect((await get("/analytics/top-campaigns", mine)).body).toEqual([]);
    expect((await get("/analytics/campaign-stats", mine)).body).toEqual({
      total: 0,
      active: 0,
      completed: 0,
      averageOpenRate: 0,
      averageClickRate: 0,
    });
    expect([unknown.status, unknown.body.error.errors[0].field]).toEqual([400, "metric"]);
    expect((await get("/analytics/top-campaigns?limit=x", mine)).status).toBe(400);
  });

  test("a campaign that was deleted is in neither", async () => {
    const mine = await service.createProject();
    const [id] = await withCounts(mine, [[3, 1, 1]]);
    await service.request("DELETE", `/campaigns/${id}`, { key: mine.secret });

    expect((await get("/analytics/top-campaigns", mine)).body).toEqual([]);
    expect((await get("/analytics/campaign-stats", mine)).body).toMatchObject({
      total: 0,
      averageOpenRate: 0,
    });
  });
});

describe("GET /analytics/top-events", () => {
  const track = async (of: NewProject, name: string, at: string, times = 1) => {
    await service.pool`
      insert into events (project_id, id, name, created_at)
      select ${of.id}, uuid_v7(), ${name}, ${at}::timestamptz from generate_series(1, ${times}::int)`;
  };

  test("ranks what clients track, against as many days before", async () => {
    const mine = await service.createProject();
    await track(mine, "up", "2026-05-03T23:59:59Z", 3);
    await track(mine, "up", "2026-05-04T00:00:00Z", 4);
    await track(mine, "down", "2026-05-02T12:00:00Z", 3);
    await track(mine, "down", "2026-05-05T12:00:00Z", 1);
    await track(mine, "new", "2026-05-05T23:59:59Z", 2);
    await track(mine, "gone", "2026-05-03T12:00:00Z", 9);
    await track(mine, "out of range", "2026-05-06T00:00:00Z", 9);
    await track(mine, "new", "2026-05-01T23:59:59Z", 9);
    await track(mine, "email.sent", "2026-05-05T12:00:00Z", 99);
    await track(mine, "segment.a\nb.entry", "2026-05-05T12:00:00Z", 99);
    await track(mine, "emails", "2026-05-05T12:00:00Z", 1);
    const top = async (query: string) =>
      (await get(`/analytics/top-events?startDate=2026-05-04&endDate=2026-05-05${query}`, mine)).body;
    const expected = [
      { name: "up", count: 4, previousCount: 3, trend: 33.33 },
      { name: "new", count: 2, previousCount: 0, trend: 100 },
      { name: "down", count: 1, previousCount: 3, trend: -66.67 },
      { name: "emails", count: 1, previousCount: 0, trend: 100 },
    ];

    expect(await top("")).toEqual(expected);
    await service.runJobs();
    expect(await top("&limit=2")).toEqual(expected.slice(0, 2));
  });

  test("is of the last 30 days, of five names and of twenty at most", async () => {
    const mine = await service.createProject();
    for (let i = 0; i < 21; i++) await track(mine, `e${i}`, new Date().toISOString());
    await track(mine, "before", new Date(Date.now() - 30 * DAY_MS).toISOString(), 50);
    const names = async (query: string) =>
      (await get(`/analytics/top-events${query}`, mine)).body.map(({ name }: { name: string }) => name);

    expect(await names("")).toHaveLength(5);
    expect(await names("?limit=100")).toHaveLength(20);
    expect(await names("")).not.toContain("before");
    expect(await names("?startDate=2026-01-01&endDate=2026-01-02")).toEqual([]);
    expect((await get("/analytics/top-events?startDate=x", mine)).status).toBe(400);
  });
});

describe("GET /activity/stats", () => {
  test("is nothing in a project with nothing", async () => {
    const { status, body } = await get("/activity/stats", await service.createProject());

    expect([status, body]).toEqual([
      200,
      {
        totalEvents: 0,
        totalEmailsSent: 0,
        totalEmailsOpened: 0,
        totalEmailsClicked: 0,
        totalWorkflowsStarted: 0,
        openRate: 0,
        clickRate: 0,
      },
    ]);
  });

  test("never says that more than all mails were opened, though those of before may be", async () => {
    const mine = await service.createProject();
    const old = new Date(Date.now() - 40 * DAY_MS);
    await sentAt(mine, [old, old, new Date()]);
    await service.pool`update emails set opened_at = now() where project_id = ${mine.id}`;

    expect((await get("/activity/stats", mine)).body).toMatchObject({
      totalEmailsSent: 1,
      totalEmailsOpened: 3,
      openRate: 100,
      clickRate: 0,
    });
  });

  test("refuses days that are none", async () => {
    for (const query of ["startDate=x", "endDate=2026-02-30", "startDate=2026-01-02&endDate=2026-01-01"]) {
      expect([query, (await get(`/activity/stats?${query}`)).status]).toEqual([query, 400]);
    }
  });

  test.each(["/activity/stats", "/events/stats", "/analytics/top-events"])(
    "%s takes all the days that can be written",
    async (path) => {
      expect((await get(`${path}?startDate=1000-01-01&endDate=9999-12-31`)).status).toBe(200);
      expect((await get(`${path}?startDate=9999-12-31T23:59:59Z&endDate=9999-12-31`)).status).toBe(200);
    },
  );
});
