import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { newId } from "../../src/context.ts";
import { deleteEvents, runEventDeletion } from "../../src/insight/events/deletion.ts";
import { getEventUsage } from "../../src/insight/events/usage.ts";
import { join, signUp } from "../support/accounts.ts";
import { campaignsOf, DRAFT } from "../support/campaign.ts";
import { untilBlocked } from "../support/locks.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
let other: NewProject;

beforeAll(async () => {
  [project, other] = [await service.createProject(), await service.createProject()];
});

const call = (method: string, path: string, body?: unknown, of: NewProject = project) =>
  service.request(method, path, { key: of.secret, ...(body !== undefined && { body }) });

const track = async (event: string, email = "ada@example.com", of: NewProject = project) => {
  const { status, body } = await call("POST", "/events/track", { event, email }, of);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data as { contact: string; event: string };
};

/** Records events in one statement, the newest last; `ageMs` says how old the first one is, and each is a second older. */
const record = async (
  of: NewProject,
  events: { name: string; contactId?: string | null; ageMs?: number; at?: Date }[],
): Promise<string[]> => {
  const rows = events.map(({ name, contactId = null, ageMs = 0, at: given }) => {
    const at = given ?? new Date(service.now().getTime() - ageMs);
    return {
      project_id: of.id,
      id: newId({ ...service, now: () => at }),
      contact_id: contactId,
      name,
      created_at: at,
    };
  });
  await service.pool`insert into events ${service.pool(rows)}`;
  return rows.map(({ id }) => id);
};

const usageOf = async (name: string, of: NewProject = project) =>
  (await call("GET", `/events/${encodeURIComponent(name)}/usage`, undefined, of)).body;

const countOf = async (name: string, of: NewProject = project): Promise<number> =>
  (await usageOf(name, of)).totalCount;

const rowsOf = async (name: string, of: NewProject = project): Promise<number> => {
  const [row] =
    await service.pool`select count(*)::int as n from events where project_id = ${of.id} and name = ${name}`;
  return row!.n as number;
};

describe("POST /events/track", () => {
  test("tracks as /v1/track does, with the secret key", async () => {
    const { status, body } = await call("POST", "/events/track", {
      email: " Eve@Example.com ",
      event: "signed up",
      data: { plan: "pro", coupon: { value: "X", persistent: false } },
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: { contact: expect.any(String), event: expect.any(String), timestamp: expect.any(String) },
    });
    const contact = (await call("GET", `/contacts/${body.data.contact}`)).body;
    expect(contact).toMatchObject({ email: "eve@example.com", subscribed: true, data: { plan: "pro" } });
    const [event] = (await call("GET", `/events/contact/${contact.id}`)).body.events;
    expect(event).toMatchObject({ id: body.data.event, data: { plan: "pro", coupon: "X" } });
  });

  test("tracks for a member's session as well", async () => {
    const member = await signUp(service);
    await join(service, member, project.id, "MEMBER");
    const answer = await member.request(
      "POST",
      "/events/track",
      { email: "eve@example.com", event: "clicked around" },
      { projectId: project.id },
    );

    expect([answer.status, answer.body.success]).toEqual([200, true]);
  });

  test("refuses the public key, which is for /v1/track", async () => {
    const body = { email: "eve@example.com", event: "e" };
    const answer = await service.request("POST", "/events/track", { key: project.public, body });

    expect([answer.status, answer.body.error.code]).toEqual([401, "INVALID_API_KEY"]);
  });

  test("records an event by itself, and leaves the contact as it is", async () => {
    const { contact } = await track("first");
    const before = (await call("GET", `/contacts/${contact}`)).body;
    const data = { id: 7, deep: { a: [1, null, ""] }, wrapped: { value: 1, persistent: true } };
    const { status, body } = await call("POST", "/events/track", {
      name: "invoice paid",
      contactId: contact,
      data,
    });

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: "invoice paid",
      data,
      contactId: contact,
      emailId: null,
      projectId: project.id,
      createdAt: expect.any(String),
    });
    expect((await call("GET", `/contacts/${contact}`)).body).toEqual(before);
    const [listed] = (await call("GET", "/events?eventName=invoice%20paid")).body.events;
    expect(listed).toEqual({ ...body, contact: { id: contact, email: "ada@example.com" } });
  });

  test("records an event that is about nobody, or about a mail", async () => {
    const mail = { to: "ada@example.com", from: `a@${DOMAIN}`, subject: "s", body: "b" };
    const emailId = (await call("POST", "/v1/send", mail)).body.data.emails[0].email;
    const nobody = await call("POST", "/events/track", { name: "nightly", contactId: null, emailId: null });
    const about = await call("POST", "/events/track", { name: "printed", emailId });

    expect([nobody.status, nobody.body]).toMatchObject([201, { contactId: null, emailId: null, data: {} }]);
    expect([about.status, about.body]).toMatchObject([201, { contactId: null, emailId }]);
  });

  test("starts workflows, in both forms", async () => {
    const mine = await service.createProject();
    const flows = workflowsOf(service, () => mine);
    const { id } = await flows.build({
      event: "ordered",
      allowReentry: true,
      steps: { End: { type: "EXIT" } },
      ways: ["Trigger > End"],
    });
    const { contact } = await track("ordered", "ada@example.com", mine);
    await service.runJobs();
    await call("POST", "/events/track", { name: "ordered", contactId: contact }, mine);
    await service.runJobs();

    expect(await flows.executions(id)).toHaveLength(2);
  });

  test.each([
    ["email.sent", "event", { email: "r@example.com" }],
    ["contact.subscribed", "event", { email: "r@example.com" }],
    ["segment.vip.exit", "name", {}],
    ["email.anything", "name", {}],
  ])("refuses the reserved name %p as %s, and leaves nothing behind", async (name, field, more) => {
    const { status, body } = await call("POST", "/events/track", { ...more, [field]: name });

    expect([status, body.error.code]).toEqual([422, "VALIDATION_ERROR"]);
    expect(body.error.errors).toMatchObject([{ field, code: "reserved_event", received: name }]);
    expect([
      await rowsOf(name),
      await service.pool`select from contacts where email = 'r@example.com'`,
    ]).toEqual([name === "email.sent" ? expect.any(Number) : 0, [] as never]);
  });

  test.each<[string, object, Record<string, string>]>([
    ["nothing", {}, { email: "required", event: "required" }],
    ["no address", { event: "e" }, { email: "required" }],
    ["no event", { email: "a@b.io" }, { event: "required" }],
    ["both forms", { email: "a@b.io", name: "n" }, { event: "required" }],
    ["a bad address", { email: "nope", event: "e", name: "n" }, { email: "invalid_string" }],
    ["an empty name", { name: "" }, { name: "too_small" }],
    ["a long name", { name: "n".repeat(256) }, { name: "too_big" }],
    ["a bad id", { name: "n", contactId: "7" }, { contactId: "invalid_string" }],
    ["large data", { name: "n", data: { a: "x".repeat(70_000) } }, { data: "too_big" }],
    [
      "all at once",
      { name: "email.open", emailId: 5, data: [1] },
      { name: "reserved_event", emailId: "invalid_type", data: "invalid_type" },
    ],
  ])("refuses %s, with every field", async (_, body, expected) => {
    const answer = await call("POST", "/events/track", body);

    expect(answer.status).toBe(422);
    const errors = answer.body.error.errors as { field: string; code: string }[];
    expect(Object.fromEntries(errors.map((e) => [e.field, e.code]))).toEqual(expected);
  });

  test("does not know another project's contact or mail", async () => {
    const theirs = await track("e", "bob@example.com", other);
    const mail = { to: "bob@example.com", from: `a@${DOMAIN}`, subject: "s", body: "b" };
    const emailId = (await call("POST", "/v1/send", mail, other)).body.data.emails[0].email;
    const byContact = await call("POST", "/events/track", { name: "taken", contactId: theirs.contact });
    const byEmail = await call("POST", "/events/track", { name: "taken", emailId });

    expect([byContact.status, byContact.body.error.code]).toEqual([404, "CONTACT_NOT_FOUND"]);
    expect([byEmail.status, byEmail.body.error.code]).toEqual([404, "RESOURCE_NOT_FOUND"]);
    expect(await rowsOf("taken")).toBe(0);
  });

  test("does either form once for an Idempotency-Key, and tells the first answer", async () => {
    const send = (key: string, body: object) =>
      service.request("POST", "/events/track", {
        key: project.secret,
        body,
        headers: { "idempotency-key": key },
      });
    const alone = [await send("ev-1", { name: "once" }), await send("ev-1", { name: "once" })];
    const tracked = await send("ev-2", { email: "ada@example.com", event: "once" });
    const again = await send("ev-2", { email: "ada@example.com", event: "once" });

    expect(alone.map(({ status }) => status)).toEqual([201, 409]);
    expect(alone[1]!.body.error.details).toMatchObject({
      originalRequest: "POST /events/track",
      originalStatusCode: 201,
      originalResponse: alone[0]!.body,
    });
    expect([tracked.status, again.status, again.body.error.details.originalResponse]).toEqual([
      200,
      409,
      tracked.body,
    ]);
    expect(await rowsOf("once")).toBe(2);
  });
});

describe("GET /events", () => {
  test("lists every event, the newest first, with its contact", async () => {
    const mine = await service.createProject();
    const { contact } = await track("a", "ada@example.com", mine);
    await call("PATCH", `/contacts/${contact}`, { subscribed: false }, mine);
    await call("POST", "/events/track", { name: "b" }, mine);
    const { status, body } = await call("GET", "/events", undefined, mine);

    expect(status).toBe(200);
    expect(body).toMatchObject({ cursor: null, hasMore: false });
    const ada = { id: contact, email: "ada@example.com" };
    expect(body.events.map((e: { name: string; contact: object }) => [e.name, e.contact])).toEqual([
      ["b", null],
      ["contact.unsubscribed", ada],
      ["a", ada],
    ]);
  });

  test("pages put together are the whole, over years and while new ones come", async () => {
    const mine = await service.createProject();
    const day = 86_400_000;
    const ages = Array.from({ length: 60 }, (_, i) => Math.floor((i / 60) ** 4 * 900 * day));
    const ids = await record(
      mine,
      ages.map((ageMs, i) => ({ name: i % 3 === 0 ? "rare" : "usual", ageMs })),
    );
    const whole = async (query: string, limit: number) => {
      const seen: string[] = [];
      for (let cursor = ""; ;) {
        const page = (await call("GET", `/events?limit=${limit}${query}${cursor}`, undefined, mine)).body;
        seen.push(...page.events.map((e: { id: string }) => e.id));
        expect(page.events.length).toBeLessThanOrEqual(limit);
        expect(page.hasMore).toBe(page.cursor !== null);
        if (page.cursor === null) return seen;
        await record(mine, [{ name: "rare" }]);
        cursor = `&cursor=${page.cursor}`;
      }
    };
    const newestFirst = (all: string[]) => all.toSorted().toReversed();

    expect(await whole("", 7)).toEqual(newestFirst(ids));
    const there = await service.pool`select id from events where project_id = ${mine.id} and name = 'rare'`;
    expect(await whole("&eventName=rare", 4)).toEqual(newestFirst(there.map((row) => row.id as string)));
    expect(await whole("&eventName=never", 4)).toEqual([]);
  });

  test("a project with nothing has an empty page", async () => {
    const { body } = await call("GET", "/events", undefined, await service.createProject());

    expect(body).toEqual({ events: [], cursor: null, hasMore: false });
  });

  test.each(["cursor=nonsense", "limit=many", "limit=1.5", `cursor=${btoa('["no uuid"]')}`])(
    "refuses %s",
    async (query) => {
      expect((await call("GET", `/events?${query}`)).status).toBe(400);
    },
  );

  test("clamps the limit", async () => {
    const mine = await service.createProject();
    await record(
      mine,
      Array.from({ length: 101 }, () => ({ name: "e" })),
    );

    for (const [limit, length] of [
      ["", 20],
      ["?limit=0", 1],
      ["?limit=1000", 100],
    ] as const) {
      const { body } = await call("GET", `/events${limit}`, undefined, mine);
      expect([limit, body.events.length, body.hasMore]).toEqual([limit, length, true]);
    }
  });
});

describe("GET /events/contact/:contactId", () => {
  test("lists all events of a contact and of nobody else, page by page", async () => {
    const mine = await service.createProject();
    const { contact } = await track("e", "ada@example.com", mine);
    const another = await track("e", "bob@example.com", mine);
    const day = 86_400_000;
    await record(
      mine,
      Array.from({ length: 40 }, (_, i) => ({
        name: `n${i % 5}`,
        contactId: i % 4 === 0 ? another.contact : contact,
        ageMs: i * 25 * day,
      })),
    );
    const seen: { id: string; contactId: string }[] = [];
    for (let cursor = ""; ;) {
      const path = `/events/contact/${contact}?limit=8${cursor}`;
      const { body } = await call("GET", path, undefined, mine);
      seen.push(...body.events);
      if (!body.hasMore) break;
      cursor = `&cursor=${body.cursor}`;
    }

    const rows = await service.pool`
      select id from events where project_id = ${mine.id} and contact_id = ${contact} order by id desc`;
    expect(seen.map(({ id }) => id)).toEqual(rows.map((row) => row.id as string));
    expect(seen).toHaveLength(31);
    expect(new Set(seen.map(({ contactId }) => contactId))).toEqual(new Set([contact]));
  });

  test("does not know what is no contact of the project", async () => {
    const theirs = await track("e", "bob@example.com", other);
    for (const id of [theirs.contact, crypto.randomUUID(), "nonsense"]) {
      const { status, body } = await call("GET", `/events/contact/${id}`);
      expect([id, status, body.error.code]).toEqual([id, 404, "CONTACT_NOT_FOUND"]);
    }
  });
});

describe("GET /events/names and /events/stats", () => {
  test("tell every name and how often, the most frequent first, of their own project only", async () => {
    const mine = await service.createProject();
    const stats = () => call("GET", "/events/stats", undefined, mine);
    const names = () => call("GET", "/events/names", undefined, mine);
    expect([(await stats()).body, (await names()).body]).toEqual([[], { eventNames: [] }]);
    await track("theirs", "x@example.com", other);
    const { contact } = await track("twice", "ada@example.com", mine);
    await track("twice", "bob@example.com", mine);
    await track("once", "ada@example.com", mine);
    await call("PATCH", `/contacts/${contact}`, { subscribed: false }, mine);
    const expected = [
      { name: "twice", count: 2 },
      { name: "contact.unsubscribed", count: 1 },
      { name: "once", count: 1 },
    ];

    expect((await stats()).body).toEqual(expected);
    await service.runJobs();
    expect((await stats()).body).toEqual(expected);
    expect((await names()).body).toEqual({ eventNames: expected.map(({ name }) => name) });
    await call("DELETE", `/contacts/${contact}`, undefined, mine);
    expect((await names()).body).toEqual({ eventNames: ["twice"] });
  });

  test("of some days count whole days of UTC", async () => {
    const mine = await service.createProject();
    const at = async (time: string, name: string) => {
      const age = service.now().getTime() - new Date(time).getTime();
      await record(mine, [{ name, ageMs: age }]);
    };
    await at("2026-03-01T00:00:00Z", "early");
    await at("2026-03-01T23:59:59Z", "late");
    await at("2026-03-02T00:00:00Z", "next");
    const of = async (query: string) => {
      const { status, body } = await call("GET", `/events/stats?${query}`, undefined, mine);
      return status === 200 ? body.map(({ name }: { name: string }) => name) : body.error.errors[0].field;
    };

    expect(await of("startDate=2026-03-01&endDate=2026-03-01")).toEqual(["early", "late"]);
    expect(await of("startDate=2026-03-01T12:00:00Z&endDate=2026-03-01T13:00:00Z")).toEqual([
      "early",
      "late",
    ]);
    expect(await of("startDate=2026-03-02&endDate=2026-03-05")).toEqual(["next"]);
    expect(await of("endDate=2026-03-02")).toEqual(["early", "late", "next"]);
    expect(await of("startDate=2026-03-03&endDate=2026-03-05")).toEqual([]);
    expect(await of("startDate=2026-02-30")).toBe("startDate");
    expect(await of("startDate=yesterday")).toBe("startDate");
    expect(await of("startDate=2026-03-01&endDate=2026-02-28")).toBe("startDate");
    expect(await of("startDate=1000-01-01&endDate=9999-12-31")).toEqual(["early", "late", "next"]);
  });
});

describe("GET /events/daily", () => {
  const daily = async (of: NewProject, query = "") =>
    (await call("GET", `/events/daily${query}`, undefined, of)).body;

  test("counts each name on each day, tells all of it and the last time, of its own project only", async () => {
    const mine = await service.createProject();
    const at = async (name: string, time: string) => await record(mine, [{ name, at: new Date(time) }]);
    for (const time of ["2026-03-01T00:00:00Z", "2026-03-03T10:00:00Z", "2026-03-03T23:59:59.999Z"])
      await at("ordered", time);
    await at("long ago", "2025-03-01T08:00:00Z");
    await at("long ago", "2025-03-02T09:30:00Z");
    await at("later", "2026-03-04T00:00:00Z");
    await track("ordered", "x@example.com", other);
    const query = "?startDate=2026-03-01&endDate=2026-03-03";
    const expected = {
      dates: ["2026-03-01", "2026-03-02", "2026-03-03"],
      events: [
        { name: "ordered", total: 3, counts: [1, 0, 2], lastSeenAt: "2026-03-03T23:59:59.999Z" },
        { name: "long ago", total: 2, counts: [0, 0, 0], lastSeenAt: "2025-03-02T09:30:00.000Z" },
        { name: "later", total: 1, counts: [0, 0, 0], lastSeenAt: "2026-03-04T00:00:00.000Z" },
      ],
    };

    // As deltas, rolled up, and both.
    expect(await daily(mine, query)).toEqual(expected);
    await service.runJobs();
    expect(await daily(mine, query)).toEqual(expected);
    await at("ordered", "2026-03-02T12:00:00Z");
    expect((await daily(mine, query)).events[0]).toEqual({
      ...expected.events[0],
      total: 4,
      counts: [1, 1, 2],
    });
  });

  test("leaves out what was deleted, and knows no last time of what has expired", async () => {
    const mine = await service.createProject();
    await track("kept", "ada@example.com", mine);
    await track("gone", "ada@example.com", mine);
    await service.runJobs();
    await call("DELETE", "/events/gone", undefined, mine);
    await service.pool`alter table events disable trigger user`;
    await service.pool`delete from events where project_id = ${mine.id} and name = 'kept'`;
    await service.pool`alter table events enable trigger user`;

    const { events } = await daily(mine);
    expect(events).toMatchObject([{ name: "kept", total: 1, lastSeenAt: null }]);
    expect(events[0].counts).toHaveLength(30);
    expect(events[0].counts.at(-1)).toBe(1);
  });

  test.each([
    ["startDate=2026-02-30", "startDate"],
    ["startDate=2026-01-01&endDate=2026-06-01", "startDate"],
    ["startDate=2026-03-02&endDate=2026-03-01", "startDate"],
  ])("refuses %s", async (query, field) => {
    const { status, body } = await call("GET", `/events/daily?${query}`);

    expect([status, body.error.errors[0].field]).toEqual([400, field]);
  });
});

/** Names that could be taken for something else on their way through an address. */
const ODD_NAMES = [
  "contact",
  "daily",
  "names",
  "stats",
  "track",
  "usage",
  "a/b",
  "/",
  "100%",
  "%2F",
  "a b+c",
  "a?b#c&d=e",
  "v1.2..3",
  "…",
  "Überraschung ☃ 🎉",
  "e\u0301 and \u00e9",
  'it\'s "quoted" \\ {{x}}',
  "__proto__",
  " ",
  "l".repeat(255),
];

describe("GET /events/:eventName/usage", () => {
  test("tells how often, of how many contacts, and what refers to the name", async () => {
    const mine = await service.createProject();
    await track("bought", "ada@example.com", mine);
    await track("bought", "ada@example.com", mine);
    await track("bought", "bob@example.com", mine);
    await call("POST", "/events/track", { name: "bought" }, mine);
    const unused = { usedInSegments: [], usedInCampaigns: [], usedInWorkflows: [], canDelete: true };
    expect(await usageOf("bought", mine)).toEqual({ ...unused, totalCount: 4, uniqueContacts: 2 });
    expect(await usageOf("never", mine)).toEqual({ ...unused, totalCount: 0, uniqueContacts: 0 });
    expect((await usageOf("bought")).totalCount).toBe(0);
  });

  test("counts the contacts of the newest events only, where there are very many", async () => {
    const mine = await service.createProject();
    for (const name of ["a", "b", "c", "c"]) await track("e", `${name}@example.com`, mine);
    const usage = (maxEvents: number) => getEventUsage(service, mine.id, "e", { maxEvents });

    expect((await usage(4)).uniqueContacts).toBe(3);
    expect(await usage(2)).toMatchObject({ totalCount: 4, uniqueContacts: 1 });
  });

  const condition = (field: string, operator = "triggered") => ({
    logic: "AND",
    groups: [
      {
        filters: [{ field: "subscribed", operator: "equals", value: true }],
        conditions: { logic: "OR", groups: [{ filters: [{ field, operator }] }] },
      },
    ],
  });

  test.each([
    ["bought", "event.bought"],
    ["bought", "bought"],
    ["a.b", "event.a.b"],
    ["event.x", "event.event.x"],
    ["email.open", "email.opened"],
    ["email.open", "email.open"],
    ["email.delivery", "email.delivered"],
    ["segment.vips.entry", "segment.vips.entry"],
  ])("finds the segment and the campaign that ask for %p as %p", async (name, field) => {
    const mine = await service.createProject();
    const segment = await call("POST", "/segments", { name: "S", condition: condition(field) }, mine);
    const draft = await campaignsOf(service, () => mine).create({
      audienceType: "FILTERED",
      audienceCondition: condition(field, "notTriggered"),
    });

    expect([segment.status, segment.body.error]).toEqual([201, undefined]);
    expect(await usageOf(name, mine)).toMatchObject({
      usedInSegments: [{ id: segment.body.id, name: "S" }],
      usedInCampaigns: [{ id: draft, name: DRAFT.name }],
      canDelete: false,
    });
    expect(await usageOf(`${name}x`, mine)).toMatchObject({ usedInSegments: [], usedInCampaigns: [] });
  });

  test("is not misled by data, or by values, of that name", async () => {
    const mine = await service.createProject();
    const filters = [
      { field: "data.bought", operator: "exists" },
      { field: "data.x", operator: "equals", value: "bought" },
    ];
    await call("POST", "/segments", { name: "S", condition: { logic: "AND", groups: [{ filters }] } }, mine);

    expect(await usageOf("bought", mine)).toMatchObject({ usedInSegments: [], canDelete: true });
  });

  test("finds workflows that start at it, wait for it, or ask whether it happened; disabled or not", async () => {
    const mine = await service.createProject();
    const flows = workflowsOf(service, () => mine);
    const end = { End: { type: "EXIT" } };
    const build = async (event: string, config?: { type: string } & Record<string, unknown>) => {
      const isBranching = config?.type === "CONDITION";
      const branch = isBranching ? "yes" : "";
      const { id } = await flows.build({
        event,
        steps: config ? { Step: config, ...end } : end,
        ways: config ? ["Trigger > Step", `Step ${branch}> End`] : ["Trigger > End"],
      });
      return id;
    };
    const starts = await build("bought");
    const waits = await build("x1", { type: "WAIT_FOR_EVENT", eventName: "bought" });
    const asks = await build("x2", { type: "CONDITION", field: "event.bought", operator: "triggered" });
    const asksTree = await build("x3", { type: "CONDITION", condition: condition("bought") });
    const asksMany = await flows.build({
      event: "x4",
      steps: {
        Step: {
          type: "CONDITION",
          mode: "multi",
          field: "event.bought",
          branches: [{ id: "b", name: "B", operator: "notTriggered" }],
        },
        ...end,
      },
      ways: ["Trigger > Step", "Step b> End"],
    });
    // About the data of the event that has started it, which is something else.
    await build("x5", { type: "CONDITION", field: "event.bought", operator: "equals", value: 1 });
    await build("x6", { type: "CONDITION", field: "data.bought", operator: "exists" });
    await call("PATCH", `/workflows/${starts}`, { enabled: false }, mine);
    const { usedInWorkflows, canDelete } = await usageOf("bought", mine);

    const found = usedInWorkflows.map(({ id }: { id: string }) => id);
    expect(found.toSorted()).toEqual([starts, waits, asks, asksTree, asksMany.id].toSorted());
    expect(canDelete).toBe(false);
  });

  test("events of the service cannot be deleted", async () => {
    expect((await usageOf("email.sent")).canDelete).toBe(false);
  });

  test.each(ODD_NAMES)("finds the name %p", async (name) => {
    const mine = await service.createProject();
    await record(mine, [{ name }, { name: "another" }]);

    expect((await usageOf(name, mine)).totalCount).toBe(1);
    const { body } = await call("DELETE", `/events/${encodeURIComponent(name)}`, undefined, mine);
    expect(body).toEqual({ deletedCount: 1 });
    expect((await call("GET", "/events/names", undefined, mine)).body.eventNames).toEqual(["another"]);
  });

  test("a name that cannot be read is not taken for another one", async () => {
    const mine = await service.createProject();
    await record(mine, [{ name: "null" }, { name: "%zz" }]);
    const broken = await call("DELETE", "/events/%zz", undefined, mine);

    expect(broken.status).toBe(404);
    expect(await countOf("null", mine)).toBe(1);
    expect((await call("GET", "/events/%00/usage", undefined, mine)).status).toBe(400);
  });
});

describe("DELETE /events/:eventName", () => {
  test("deletes all events of the name with their counts, and nothing else", async () => {
    const mine = await service.createProject();
    const { contact } = await track("old", "ada@example.com", mine);
    await track("old", "bob@example.com", mine);
    await track("other", "ada@example.com", mine);
    await track("old", "ada@example.com", other);
    await service.runJobs();
    const { status, body } = await call("DELETE", "/events/old", undefined, mine);

    expect([status, body]).toEqual([200, { deletedCount: 2 }]);
    expect([await rowsOf("old", mine), await rowsOf("other", mine), await rowsOf("old", other)]).toEqual([
      0, 1, 1,
    ]);
    expect((await call("GET", "/events/stats", undefined, mine)).body).toEqual([{ name: "other", count: 1 }]);
    await service.runJobs();
    expect((await call("GET", "/events/stats", undefined, mine)).body).toEqual([{ name: "other", count: 1 }]);
    expect((await call("GET", `/contacts/${contact}`, undefined, mine)).status).toBe(200);
    expect((await call("DELETE", "/events/old", undefined, mine)).body).toEqual({ deletedCount: 0 });
  });

  test.each(["email.sent", "email.x", "contact.unsubscribed", "segment.a.entry"])(
    "refuses %s, which is the service's own",
    async (name) => {
      const { status, body } = await call("DELETE", `/events/${name}`);

      expect([status, body.error.code]).toEqual([400, "BAD_REQUEST"]);
    },
  );

  test("is refused while something refers to the name, and says what", async () => {
    const mine = await service.createProject();
    await track("wanted", "ada@example.com", mine);
    const filters = [{ field: "event.wanted", operator: "triggeredWithin", value: 3, unit: "days" }];
    const segment = await call(
      "POST",
      "/segments",
      { name: "S", condition: { logic: "AND", groups: [{ filters }] } },
      mine,
    );
    const refused = await call("DELETE", "/events/wanted", undefined, mine);
    expect([refused.status, refused.body.error.code]).toEqual([409, "CONFLICT"]);
    expect(refused.body.error.details).toEqual({
      segments: [{ id: segment.body.id, name: "S" }],
      campaigns: [],
      workflows: [],
    });
    expect(await countOf("wanted", mine)).toBe(1);
    await call("DELETE", `/segments/${segment.body.id}`, undefined, mine);

    expect((await call("DELETE", "/events/wanted", undefined, mine)).body).toEqual({ deletedCount: 1 });
  });

  test("many are deleted in a job: the answer has their number, and what is tracked after it stays", async () => {
    const mine = await service.createProject();
    await record(
      mine,
      Array.from({ length: 2_500 }, (_, i) => ({ name: "many", ageMs: i * 10_000_000 })),
    );
    await service.runJobs();
    const { body } = await call("DELETE", "/events/many", undefined, mine);
    expect(body).toEqual({ deletedCount: 2_500 });
    await Bun.sleep(2);
    await track("many", "ada@example.com", mine);
    await service.runJobs();

    expect([await rowsOf("many", mine), await countOf("many", mine)]).toEqual([1, 1]);
  });

  test("a job that is killed anywhere, or run twice, ends with every event gone once", async () => {
    const mine = await service.createProject();
    await record(
      mine,
      Array.from({ length: 60 }, (_, i) => ({ name: i % 2 ? "gone" : "kept", ageMs: i * 100_000_000 })),
    );
    const [newest] = await service.pool`
      select id from events where project_id = ${mine.id} and name = 'gone' order by id desc limit 1`;
    const job = { projectId: mine.id, name: "gone", upTo: newest!.id as string };
    // A slice of no time is one batch: the rest waits as a job, which is lost with the process.
    await runEventDeletion(service, job, { sliceMs: -1, batch: 7 });
    expect(await rowsOf("gone", mine)).toBe(23);
    await Promise.all([
      runEventDeletion(service, job, { batch: 5 }),
      runEventDeletion(service, job, { batch: 4 }),
    ]);
    await service.runJobs();

    expect([await rowsOf("gone", mine), await rowsOf("kept", mine)]).toEqual([0, 30]);
    expect([await countOf("gone", mine), await countOf("kept", mine)]).toEqual([0, 30]);
  });

  test("what was counted of events that have expired goes with the name, and what is recorded since stays", async () => {
    const mine = await service.createProject();
    const day = 86_400_000;
    await record(mine, [
      { name: "aged", ageMs: 400 * day },
      { name: "aged", ageMs: 300 * day },
      { name: "aged" },
      { name: "spared", ageMs: 400 * day },
    ]);
    await service.runJobs();
    await service.pool`update projects set created_at = now() - interval '2 years' where id = ${mine.id}`;
    await service.pool`
      insert into expired (kind, until) values ('events', now() - interval '200 days')
      on conflict (kind) do update set until = excluded.until`;
    // As retention does it, so that no counter follows.
    await service.pool.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`
        delete from events where project_id = ${mine.id} and created_at < now() - interval '200 days'`;
    });
    expect([await countOf("aged", mine), await countOf("spared", mine)]).toEqual([3, 1]);
    expect((await call("DELETE", "/events/aged", undefined, mine)).body).toEqual({ deletedCount: 1 });
    await track("aged", "ada@example.com", mine);

    expect([await countOf("aged", mine), await countOf("spared", mine)]).toEqual([1, 1]);
    await service.pool`delete from expired`;
  });

  test("a job goes on past events that others delete at that very moment", async () => {
    const mine = await service.createProject();
    const { contact } = await track("crossed", "crossed@example.com", mine);
    await record(
      mine,
      Array.from({ length: 24 }, () => ({ name: "crossed" })),
    );
    const [newest] = await service.pool`
      select id from events where project_id = ${mine.id} and name = 'crossed' order by id desc limit 1`;
    const job = { projectId: mine.id, name: "crossed", upTo: newest!.id as string };
    const running = await service.pool.begin(async (sql) => {
      await sql`delete from contacts where project_id = ${mine.id} and id = ${contact}`;
      const started = runEventDeletion(service, job, { batch: 5 });
      await untilBlocked(service.pool, { lock: "transactionid" });
      return { started };
    });
    await running.started;

    expect([await rowsOf("crossed", mine), await countOf("crossed", mine)]).toEqual([0, 0]);
  });

  test("is answered while the project is counted again; what had expired is forgotten when that is over", async () => {
    const mine = await service.createProject();
    await record(mine, [{ name: "aged", ageMs: 400 * 86_400_000 }, { name: "aged" }]);
    await service.pool`update projects set created_at = now() - interval '2 years' where id = ${mine.id}`;
    await service.pool`
      insert into expired (kind, until) values ('events', now() - interval '200 days')
      on conflict (kind) do update set until = excluded.until`;
    await service.pool.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`delete from events where project_id = ${mine.id} and created_at < now() - interval '200 days'`;
    });
    const answer = await service.pool.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(recounting(${mine.id}, 'events'))`;
      return await call("DELETE", "/events/aged", undefined, mine);
    });
    const before = await countOf("aged", mine);
    await service.runJobs();

    expect([answer.status, answer.body]).toEqual([200, { deletedCount: 1 }]);
    expect([before, await countOf("aged", mine)]).toEqual([1, 0]);
    await service.pool`delete from expired`;
  });

  test.each(["mails", "executions"])("does not wait for those who count %s again", async (kind) => {
    const mine = await service.createProject();
    await record(mine, [{ name: "quick" }]);
    const { status } = await service.pool.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(recounting(${mine.id}, ${kind}))`;
      return await call("DELETE", "/events/quick", undefined, mine);
    });
    const jobs = await service.pool`
      select from graphile_worker.jobs where task_identifier = 'delete_events'`;

    expect(status).toBe(200);
    expect(jobs).toHaveLength(0);
  });

  test("a job leaves what a segment has come to refer to before it begins, and goes on with what it has begun", async () => {
    const mine = await service.createProject();
    await record(
      mine,
      Array.from({ length: 9 }, () => ({ name: "late" })),
    );
    await deleteEvents(service, mine.id, "late", { atOnce: 4 });
    const filters = [{ field: "event.late", operator: "triggered" }];
    await call("POST", "/segments", { name: "S", condition: { logic: "AND", groups: [{ filters }] } }, mine);
    await service.runJobs();
    const warned = service.lines.some(
      ({ message, projectId }) =>
        projectId === mine.id && message === "events not deleted: something refers to their name now",
    );
    const spared = await rowsOf("late", mine);
    const ids = await service.pool`
      select id from events where project_id = ${mine.id} and name = 'late' order by id`;
    const [after, upTo] = [ids[2]!.id as string, ids[8]!.id as string];
    await runEventDeletion(service, { projectId: mine.id, name: "late", upTo, after });

    expect([warned, spared, await rowsOf("late", mine)]).toEqual([true, 9, 3]);
  });

  test("more at a time than are deleted at once are counted by the counters", async () => {
    const mine = await service.createProject();
    await record(
      mine,
      Array.from({ length: 9 }, () => ({ name: "nine" })),
    );

    expect(await deleteEvents(service, mine.id, "nine", { atOnce: 4 })).toBe(9);
    expect(await rowsOf("nine", mine)).toBe(9);
    await service.runJobs();
    expect(await rowsOf("nine", mine)).toBe(0);
  });
});
