import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { inTransaction } from "../../src/context.ts";
import type { Notice } from "../../src/mail/notice.ts";
import { applyNotices } from "../../src/sending/feedback/mod.ts";
import { campaignsOf, DRAFT } from "../support/campaign.ts";
import { BROWSER, useFollowedMails } from "../support/followed_mails.ts";
import { applyNotifications } from "../support/notifications.ts";
import { type Answer, DOMAIN, useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const DAY_MS = 86_400_000;
const LINK = "https://shop.example/offer";
const ROBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

const service = useService();
const mails = useFollowedMails(service);
let project: NewProject;
const campaigns = campaignsOf(service, () => project);
const flows = workflowsOf(service, () => project);

type Item = Answer["body"];

const call = (method: string, path: string, body?: unknown, key = project.secret) =>
  service.request(method, path, { key, ...(body !== undefined && { body }) });
const get = (path: string, key = project.secret) => call("GET", path, undefined, key);
const feed = async (query = ""): Promise<Item[]> => (await get(`/activity?${query}`)).body.data;
const typesIn = (items: Item[]) => items.map(({ type }) => type as string);
const fieldsOf = ({ body }: Answer) =>
  (body.error.errors ?? []).map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);

const send = async (to: string): Promise<string> => {
  const { status } = await call("POST", "/v1/send", {
    to,
    from: `news@${DOMAIN}`,
    subject: "Hello {{name}}",
    body: "<p>Hi</p>",
    data: { name: "Ada" },
  });
  expect(status).toBe(200);
  await service.runJobs();
  const [mail] = await service.pool`
    select id from emails where project_id = ${project.id} order by id desc limit 1`;
  return mail!.id as string;
};

beforeEach(async () => {
  service.setNow(new Date());
  service.smtp.behave({});
  project = await service.createProject();
});

describe("GET /activity", () => {
  test("tells of what a client tracks, with whom it is about", async () => {
    const contactId = await flows.track("ada@example.com", "bought", { plan: "pro" });
    const { status, body } = await get("/activity");

    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        {
          id: expect.any(String),
          type: "event.triggered",
          timestamp: expect.any(String),
          contactEmail: "ada@example.com",
          contactId,
          metadata: { eventName: "bought", eventData: { plan: "pro" } },
        },
      ],
      cursor: null,
      hasMore: false,
    });
    const [event] = await service.pool`select id, created_at from events where project_id = ${project.id}`;
    expect(body.data[0].id).toBe(event!.id);
    // The id is made a moment after the time is taken.
    expect(Date.parse(body.data[0].timestamp) - event!.createdAt.getTime()).toBeWithin(0, 1_000);
  });

  test("tells what a mail says, from whom it is and what became of it, by people and by machines", async () => {
    const emailId = await send("ada@example.com");
    const paths = mails.paths({ projectId: project.id, emailId }, LINK);
    const visit = (path: string, agent: string) =>
      service.request("GET", path, { headers: { "user-agent": agent } });
    await visit(paths.open, ROBOT);
    await visit(paths.open, BROWSER);
    await visit(paths.clicks[0]!, BROWSER);
    const items = await feed();
    const told = (type: string) => items.filter((item) => item.type === type).map(({ metadata }) => metadata);
    const common = { emailId, from: `news@${DOMAIN}`, sourceType: "TRANSACTIONAL" };

    expect(typesIn(items)).toEqual(["email.clicked", "email.opened", "email.opened", "email.sent"]);
    expect(told("email.sent")).toEqual([{ ...common, subject: "Hello Ada" }]);
    expect(told("email.clicked")).toEqual([{ ...common, subject: "Hello Ada", link: LINK }]);
    expect(told("email.opened")).toEqual([
      { ...common, subject: "Hello Ada" },
      { ...common, subject: "Hello Ada", machine: true },
    ]);
    expect(new Set(items.map(({ contactEmail }) => contactEmail))).toEqual(new Set(["ada@example.com"]));
  });

  test("tells why a mail came back, and what a provider reports late has its place where it happened", async () => {
    await call("POST", "/contacts", { email: "ada@example.com", subscribed: true });
    const emailId = await send("ada@example.com");
    const sentAt = Date.parse((await feed())[0].timestamp);
    service.setNow(new Date(sentAt + 3_600_000));
    const about = (kind: string, minutes: number, more: object = {}) =>
      ({
        mail: { projectId: project.id, emailId, providerId: null },
        sentAt: null,
        at: new Date(sentAt + minutes * 60_000),
        recipient: null,
        kind,
        ...more,
      }) as Notice;
    await inTransaction(service, (tx) => applyNotices(tx, [about("open", 5, { userAgent: BROWSER })]));
    await flows.track("ada@example.com", "bought");
    const bounce = about("bounce", 9, { bounceType: "Permanent", diagnostic: "550 5.1.1 user unknown" });
    await inTransaction(service, (tx) => applyNotices(tx, [bounce, about("complaint", 10)]));
    const items = await feed();

    expect(typesIn(items).slice(-2)).toEqual(["email.opened", "email.sent"]);
    expect(items.at(-2).timestamp).toBe(new Date(sentAt + 300_000).toISOString());
    expect(typesIn(items).toSorted()).toEqual([
      "contact.unsubscribed",
      "email.bounced",
      "email.complaint",
      "email.opened",
      "email.sent",
      "event.triggered",
    ]);
    const bounced = items.find(({ type }) => type === "email.bounced");
    expect(bounced.metadata).toMatchObject({
      emailId,
      error: "550 5.1.1 user unknown",
      subject: "Hello Ada",
    });
    expect(items.find(({ type }) => type === "email.complaint").metadata.error).toBeUndefined();
    expect(items.find(({ type }) => type === "contact.unsubscribed").metadata.eventName).toBe(
      "contact.unsubscribed",
    );
  });

  test("tells of mails that came in", async () => {
    const [domain] = await service.pool`
      update domains set domain = ${`d${project.id}.example`} where project_id = ${project.id} returning domain`;
    await applyNotifications(service, [{ to: `help@${domain!.domain}` }]);

    expect(await feed("types=email.received")).toEqual([
      {
        id: expect.any(String),
        type: "email.received",
        timestamp: expect.any(String),
        contactEmail: "writer@people.example",
        contactId: expect.any(String),
        metadata: { emailId: null, subject: "A question", from: "writer@people.example", sourceType: null },
      },
    ]);
  });

  test("tells when a campaign was scheduled and when it was sent, and names it with its mails", async () => {
    await campaigns.addContacts(2);
    const id = await campaigns.create({ name: "Spring sale" });
    const now = Date.now() - 2 * 3_600_000;
    service.setNow(new Date(now));
    await campaigns.send(id, new Date(Date.now() + DAY_MS).toISOString());
    const scheduled = await feed();
    service.setNow(new Date(Date.now() + 2 * DAY_MS));
    await service.runJobs();
    const items = await feed();

    expect(scheduled).toEqual([
      {
        id: `campaign.scheduled:${id}`,
        type: "campaign.scheduled",
        timestamp: expect.any(String),
        metadata: { campaignId: id, campaignName: "Spring sale" },
      },
    ]);
    // By the clock of the service, like everything else.
    expect(Date.parse(scheduled[0].timestamp) - now).toBeWithin(0, 3_600_000);
    expect(typesIn(items)).toEqual(["email.sent", "email.sent", "campaign.sent", "campaign.scheduled"]);
    expect(items[0].metadata).toMatchObject({ sourceType: "CAMPAIGN", campaignName: "Spring sale" });
    expect(items[0].metadata.workflowName).toBeUndefined();
    expect(items[2]).toEqual({
      ...scheduled[0],
      id: `campaign.sent:${id}`,
      type: "campaign.sent",
      timestamp: (await campaigns.get(id)).sentAt,
    });
    expect(items[3]).toEqual(scheduled[0]);
  });

  test("moves a campaign that is put on the schedule again, and leaves it where it is when it is only edited or cancelled", async () => {
    await campaigns.addContacts(1);
    const id = await campaigns.create();
    const at = new Date(Date.now() + DAY_MS).toISOString();
    await campaigns.send(id, at);
    const [first] = await feed();
    await campaigns.send(id, new Date(Date.now() + 2 * DAY_MS).toISOString());
    const [second, ...more] = await feed();
    const renamed = await call("PUT", `/campaigns/${id}`, { ...DRAFT, name: "Renamed" });
    const cancelled = await campaigns.cancel(id);
    const last = await feed();

    expect(more).toEqual([]);
    expect(second.timestamp > first.timestamp).toBe(true);
    expect([renamed.status, cancelled.status]).toEqual([200, 200]);
    expect(last).toEqual([{ ...second, metadata: { campaignId: id, campaignName: "Renamed" } }]);
  });

  test("tells when a workflow began and ended for a contact, as what, and names it with its mails", async () => {
    const template = await flows.template();
    const { id: workflowId } = await flows.build({
      steps: { Hello: { type: "SEND_EMAIL", template }, Out: { type: "EXIT", reason: "Done with it" } },
      ways: ["Trigger > Hello", "Hello > Out"],
    });
    const contactId = await flows.track("ada@example.com");
    await service.runJobs();
    const items = await feed();
    const named = (type: string) => items.find((item) => item.type === type);
    const metadata = { workflowId, workflowName: "Welcome", status: "EXITED", exitReason: "Done with it" };
    const whom = { contactId, contactEmail: "ada@example.com", metadata };

    expect(typesIn(items).toSorted()).toEqual([
      "email.sent",
      "event.triggered",
      "workflow.completed",
      "workflow.started",
    ]);
    expect(named("workflow.started")).toMatchObject(whom);
    expect(named("workflow.completed")).toMatchObject(whom);
    expect(named("workflow.completed").id).not.toBe(named("workflow.started").id);
    expect(named("email.sent").metadata).toMatchObject({ sourceType: "WORKFLOW", workflowName: "Welcome" });
  });

  test("forgets what a deleted contact did; what workflows did stays, and is about nobody", async () => {
    const { id: workflowId } = await flows.build({
      steps: { Wait: { type: "DELAY", amount: 5, unit: "days" } },
      ways: ["Trigger > Wait"],
    });
    const contactId = await flows.track("ada@example.com");
    await service.runJobs();
    await call("DELETE", `/contacts/${contactId}`);
    const items = await feed();

    expect(typesIn(items).toSorted()).toEqual(["workflow.completed", "workflow.started"]);
    for (const item of items) {
      expect(item.metadata).toEqual({
        workflowId,
        workflowName: "Welcome",
        status: "CANCELLED",
        exitReason: "The contact was deleted",
      });
      expect([item.contactId, item.contactEmail]).toEqual([undefined, undefined]);
    }
    expect(await feed(`contactId=${contactId}`)).toEqual([]);
  });

  test("shows one contact, and nothing to somebody who asks for a contact of another project", async () => {
    const ada = await flows.track("ada@example.com", "bought");
    await flows.track("bob@example.com", "bought");
    const other = await service.createProject();

    expect(await feed(`contactId=${ada}`)).toMatchObject([{ contactEmail: "ada@example.com" }]);
    expect((await get(`/activity?contactId=${ada}`, other.secret)).body).toEqual({
      data: [],
      cursor: null,
      hasMore: false,
    });
    expect(await feed(`contactId=${crypto.randomUUID()}`)).toEqual([]);
  });

  test("shows the types that are asked for, with blanks between them and twice too", async () => {
    await send("ada@example.com");
    await flows.track("ada@example.com", "bought");

    expect(typesIn(await feed("types=event.triggered"))).toEqual(["event.triggered"]);
    expect(typesIn(await feed("types=email.sent"))).toEqual(["email.sent"]);
    expect(typesIn(await feed("types=email.sent,%20event.triggered,email.sent,"))).toEqual([
      "event.triggered",
      "email.sent",
    ]);
    expect((await feed("types=")).length).toBe(2);
  });

  test("shows the events of one name, of a contact too, as far as the types have them", async () => {
    const ada = await flows.track("ada@example.com", "bought");
    await flows.track("bob@example.com", "bought");
    await flows.track("ada@example.com", "looked");
    await send("ada@example.com");
    const names = async (query: string) =>
      (await feed(query)).map(({ type, contactEmail }) => `${type} ${contactEmail}`);

    expect(await names("eventName=bought")).toEqual([
      "event.triggered bob@example.com",
      "event.triggered ada@example.com",
    ]);
    expect(await names(`eventName=bought&contactId=${ada}`)).toEqual(["event.triggered ada@example.com"]);
    expect(await names("eventName=bought&search=ada@")).toEqual(["event.triggered ada@example.com"]);
    expect(await names("eventName=bought&search=ough")).toHaveLength(2);
    expect(await names("eventName=bought&search=looked")).toEqual([]);
    expect(await names("eventName=email.sent")).toEqual(["email.sent ada@example.com"]);
    expect(await names("eventName=bought&types=email.sent")).toEqual([]);
    expect((await get(`/activity?eventName=${"x".repeat(256)}`)).status).toBe(400);
  });

  test("shows a period: from its first millisecond to its last, or whole days", async () => {
    const tracked = async (at: string) => {
      await service.pool`
        insert into events (project_id, id, name, created_at)
        values (${project.id}, ${Bun.randomUUIDv7("hex", Date.parse(at))}, ${at}, ${new Date(at)})`;
    };
    for (const at of [
      "2026-03-09T23:59:59.999Z",
      "2026-03-10T00:00:00.000Z",
      "2026-03-10T12:00:00.000Z",
      "2026-03-10T23:59:59.999Z",
      "2026-03-11T00:00:00.000Z",
    ])
      await tracked(at);
    const hours = async (query: string) =>
      (await feed(query)).map(({ metadata }) => metadata.eventName.slice(8, 23)).toReversed();

    expect(await hours("startDate=2026-03-10&endDate=2026-03-10")).toEqual([
      "10T00:00:00.000",
      "10T12:00:00.000",
      "10T23:59:59.999",
    ]);
    expect(await hours("startDate=2026-03-10T12:00:00Z&endDate=2026-03-10T12:00:00Z")).toEqual([
      "10T12:00:00.000",
    ]);
    expect(await hours("startDate=2026-03-10T12:00:00.001Z")).toEqual(["10T23:59:59.999", "11T00:00:00.000"]);
    expect(await hours("endDate=2026-03-10T01:00:00%2B01:00")).toEqual([
      "09T23:59:59.999",
      "10T00:00:00.000",
    ]);
    expect(await hours("startDate=1000-01-01&endDate=9999-12-31")).toHaveLength(5);
    // As figures read them.
    expect(await hours("startDate=2026-03-10 12:00&endDate=2026-03-10t12:00:00,5z")).toEqual([
      "10T12:00:00.000",
    ]);
    expect(await hours("startDate=2026-03-11T01:00:00+01:00")).toEqual(["11T00:00:00.000"]);
    expect(await hours("startDate=2027-01-01")).toEqual([]);
  });

  test("holds 50 items a page, or as many as are asked for up to 100", async () => {
    await service.pool`
      insert into events (project_id, name)
      select ${project.id}, 'e' || n from generate_series(1, 130) as n`;
    const sizes = async (query: string) => {
      const { body } = await get(`/activity?${query}`);
      return [body.data.length, body.hasMore, body.cursor !== null];
    };

    expect(await sizes("")).toEqual([50, true, true]);
    expect(await sizes("limit=0")).toEqual([1, true, true]);
    expect(await sizes("limit=1000")).toEqual([100, true, true]);
    expect(await sizes("limit=130")).toEqual([100, true, true]);
    const first = (await get("/activity?limit=100")).body;
    const last = (await get(`/activity?limit=100&cursor=${first.cursor}`)).body;
    expect([last.data.length, last.hasMore, last.cursor]).toEqual([30, false, null]);
    const ids = [...first.data, ...last.data].map(({ id }) => id);
    expect(new Set(ids).size).toBe(130);
  });

  test("goes on at a cursor under another filter too, and after everything there is nothing", async () => {
    const ada = await flows.track("ada@example.com", "one");
    await flows.track("bob@example.com", "two");
    await flows.track("ada@example.com", "three");
    const { cursor } = (await get("/activity?limit=1")).body;
    const names = async (query: string) => (await feed(query)).map(({ metadata }) => metadata.eventName);

    expect(await names(`cursor=${cursor}`)).toEqual(["two", "one"]);
    expect(await names(`cursor=${cursor}&contactId=${ada}`)).toEqual(["one"]);
    expect(await names(`cursor=${cursor}&endDate=2020-01-01`)).toEqual([]);
  });

  const NIL = "00000000-0000-0000-0000-000000000000";
  const cursorOf = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString("base64url");

  test.each([
    ["no base64", "%F0%9F%98%80"],
    ["another list's", cursorOf([NIL])],
    ["one without an id", cursorOf([NIL, "4", "x"])],
    ["one of no kind", cursorOf([NIL, "5", NIL])],
    ["one of a kind in words", cursorOf([NIL, "event", NIL])],
    ["one with SQL in it", cursorOf(["' or true --", "4", NIL])],
    ["one of numbers", cursorOf([1, 4, 2])],
  ])("refuses a cursor that is %s with 400", async (_, cursor) => {
    const { status, body } = await get(`/activity?cursor=${cursor}`);

    expect([status, body.error.code, body.error.message]).toEqual([
      400,
      "BAD_REQUEST",
      "Cannot read the cursor",
    ]);
  });

  test.each([
    ["types=email.opens", ["types invalid_enum_value"]],
    ["types=email.sent,EMAIL.SENT", ["types invalid_enum_value"]],
    ["contactId=ada", ["contactId invalid_string"]],
    ["startDate=yesterday", ["startDate invalid_string"]],
    ["endDate=2026-02-30", ["endDate invalid_string"]],
    ["startDate=2026-03-02&endDate=2026-03-01", ["endDate custom"]],
    ["limit=many", ["limit invalid_type"]],
    [
      "types=x&startDate=1&endDate=2&contactId=3",
      [
        "contactId invalid_string",
        "endDate invalid_string",
        "startDate invalid_string",
        "types invalid_enum_value",
      ],
    ],
  ])("refuses %s with 400 and every bad field", async (query, fields) => {
    const answer = await get(`/activity?${query}`);

    expect([answer.status, answer.body.error.code]).toEqual([400, "BAD_REQUEST"]);
    expect(fieldsOf(answer).toSorted()).toEqual(fields);
  });
});

describe("GET /activity/types", () => {
  test("names those that the project has, in their order", async () => {
    await flows.build({ steps: { Out: { type: "EXIT" } }, ways: ["Trigger > Out"] });
    await flows.track("ada@example.com");
    await service.runJobs();
    await send("ada@example.com");
    const before = (await get("/activity/types")).body;
    const id = await campaigns.create();
    await campaigns.send(id, new Date(Date.now() + DAY_MS).toISOString());
    await service.pool`insert into events (project_id, name) values (${project.id}, 'email.click')`;

    expect(before).toEqual({
      types: ["event.triggered", "email.sent", "workflow.started", "workflow.completed"],
    });
    expect((await get("/activity/types")).body).toEqual({
      types: [
        "event.triggered",
        "email.sent",
        "email.clicked",
        "campaign.scheduled",
        "workflow.started",
        "workflow.completed",
      ],
    });
  });

  test("no longer names what is gone with its contact", async () => {
    const contactId = await flows.track("ada@example.com", "bought");
    await call("DELETE", `/contacts/${contactId}`);

    expect((await get("/activity/types")).body).toEqual({ types: [] });
  });
});

describe("GET /activity/recent-count", () => {
  test("counts what happened in the last 5 minutes, or as many as are asked for up to 60", async () => {
    const now = Date.now();
    for (const minutes of [0.5, 4, 6, 59, 61]) {
      service.setNow(new Date(now - minutes * 60_000));
      await flows.track("ada@example.com", "bought");
    }
    service.setNow(new Date(now));
    const id = await campaigns.create();
    await campaigns.send(id, new Date(now + DAY_MS).toISOString());
    const count = async (query: string) => (await get(`/activity/recent-count?${query}`)).body;

    expect(await count("")).toEqual({ count: 3, minutes: 5 });
    expect(await count("minutes=10")).toEqual({ count: 4, minutes: 10 });
    expect(await count("minutes=999")).toEqual({ count: 5, minutes: 60 });
    expect(await count("minutes=0")).toEqual({ count: 2, minutes: 1 });
    expect((await get("/activity/recent-count?minutes=x")).status).toBe(400);
  });
});

describe("GET /activity/upcoming", () => {
  test("lists scheduled campaigns and waiting steps, the next first, as far as is asked for", async () => {
    await campaigns.addContacts(1);
    const { id: workflowId } = await flows.build({
      steps: { Wait: { type: "DELAY", amount: 10, unit: "days" } },
      ways: ["Trigger > Wait"],
    });
    const contactId = await flows.track("ada@example.com");
    await service.runJobs();
    const [soon, late] = [await campaigns.create({ name: "Soon" }), await campaigns.create({ name: "Late" })];
    await campaigns.send(late, new Date(Date.now() + 50 * DAY_MS).toISOString());
    await campaigns.send(soon, new Date(Date.now() + 2 * DAY_MS).toISOString());
    const sent = await campaigns.create({ name: "Sent" });
    await campaigns.send(sent);
    const upcoming = async (query = "") => (await get(`/activity/upcoming?${query}`)).body.activities;
    const [execution] =
      await service.pool`select id, wake_at from executions where project_id = ${project.id}`;

    expect(await upcoming()).toEqual([
      {
        id: `campaign.scheduled:${soon}`,
        type: "campaign.scheduled",
        timestamp: (await campaigns.get(soon)).scheduledFor,
        metadata: { campaignId: soon, campaignName: "Soon" },
      },
      {
        id: `workflow.waiting:${execution!.id}`,
        type: "workflow.waiting",
        timestamp: execution!.wakeAt.toISOString(),
        contactEmail: "ada@example.com",
        contactId,
        metadata: {
          workflowId,
          workflowName: "Welcome",
          status: "WAITING",
          stepName: "Wait",
          stepType: "DELAY",
        },
      },
    ]);
    expect((await upcoming("daysAhead=900")).map(({ metadata }: Item) => metadata.campaignName)).toEqual([
      "Soon",
      undefined,
      "Late",
    ]);
    expect(await upcoming("limit=1&daysAhead=90")).toHaveLength(1);
    expect(await upcoming("daysAhead=1")).toEqual([]);
    await campaigns.cancel(soon);
    expect(typesIn(await upcoming())).toEqual(["workflow.waiting"]);
    expect((await get("/activity/upcoming?daysAhead=soon")).status).toBe(400);
  });
});

describe("every endpoint of activity", () => {
  test.each([
    ["/activity", { data: [], cursor: null, hasMore: false }],
    ["/activity/types", { types: [] }],
    ["/activity/recent-count", { count: 0, minutes: 5 }],
    ["/activity/upcoming", { activities: [] }],
  ])("%s: a project with nothing has nothing, and a public key is refused", async (path, nothing) => {
    const neighbour = project;
    await flows.track("ada@example.com", "bought");
    project = await service.createProject();

    expect((await get(path)).body).toEqual(nothing);
    expect((await get(path, neighbour.public)).status).toBe(401);
  });
});
