import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { slugOf } from "../../src/audience/segments/mod.ts";
import { type Context, inTransaction } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { untilBlocked } from "../support/locks.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;

const call = (method: string, path: string, body?: unknown, key = project.secret) =>
  service.request(method, path, { key, body });
const plan = (value: string) => ({
  logic: "AND",
  groups: [{ filters: [{ field: "data.plan", operator: "equals", value }] }],
});
const memberOf = (id: string) => ({
  logic: "AND",
  groups: [{ filters: [{ field: `segment.${id}`, operator: "memberOfSegment" }] }],
});
const create = async (input: object) =>
  (await call("POST", "/segments", { name: "Pro", condition: plan("pro"), ...input })).body;
const contact = async (email: string, data: object = {}) =>
  (await call("POST", "/contacts", { email, data })).body.id as string;
const events = async (segment: { slug: string }) => {
  const rows = await service.pool`
    select e.name, c.email, e.data from events e join contacts c on c.id = e.contact_id
    where e.project_id = ${project.id} and e.name like ${`segment.${segment.slug}.%`} order by c.email, e.id`;
  return rows.map((row) => `${row.email} ${(row.name as string).split(".").at(-1)}`);
};

beforeEach(async () => {
  project = await service.createProject();
});

describe("POST /segments", () => {
  test("makes a dynamic segment with its count of members", async () => {
    await contact("a@example.com", { plan: "pro" });
    await contact("b@example.com", { plan: "free" });
    const { status, body } = await call("POST", "/segments", {
      name: "Pro Users!",
      description: "who pay",
      condition: plan("pro"),
    });

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: "Pro Users!",
      slug: "pro-users",
      description: "who pay",
      type: "DYNAMIC",
      condition: plan("pro"),
      trackMembership: false,
      memberCount: 1,
      projectId: project.id,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await call("GET", `/segments/${body.id}`)).body).toEqual(body);
  });

  test("makes a static one, whatever condition comes along", async () => {
    const body = await create({ type: "STATIC", condition: { nonsense: true }, trackMembership: true });

    expect(body).toMatchObject({ type: "STATIC", condition: null, trackMembership: true, memberCount: 0 });
  });

  test.each([
    ["no name", { name: undefined }],
    ["an empty name", { name: " " }],
    ["no condition", { condition: undefined }],
    ["a condition that is no object", { condition: "all" }],
    ["a condition that is a list", { condition: [] }],
  ])("%s is 400, bare", async (_, input) => {
    const answer = await call("POST", "/segments", { name: "Pro", condition: plan("pro"), ...input });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.any(String) } });
  });

  test.each([
    ["a long name", { name: "x".repeat(101) }, "name"],
    ["a name with a line break", { name: "a\nb" }, "name"],
    ["a long description", { description: "x".repeat(501) }, "description"],
    ["an unknown type", { type: "OTHER" }, "type"],
    [
      "a fault deep in the condition",
      {
        condition: {
          logic: "AND",
          groups: [
            {
              filters: [],
              conditions: { logic: "OR", groups: [{ filters: [{ field: "data.x", operator: "near" }] }] },
            },
          ],
        },
      },
      "condition.groups.0.conditions.groups.0.filters.0.operator",
    ],
    [
      "an unknown segment in the condition",
      { condition: memberOf("0190aaaa-0000-7000-8000-000000000000") },
      "condition.groups.0.filters.0.field",
    ],
  ])("%s is 422 at its place", async (_, input, field) => {
    const { status, body } = await call("POST", "/segments", {
      name: "Pro",
      condition: plan("pro"),
      ...input,
    });

    expect(status).toBe(422);
    expect(body.error.errors.map((e: { field: string }) => e.field)).toContain(field);
    expect((await call("GET", "/segments")).body).toEqual([]);
  });

  test("slugs are unique in the project, fixed, and free of marks", async () => {
    const slugs = [
      (await create({ name: "Ünïcode & Ço" })).slug,
      (await create({ name: "unicode - co" })).slug,
      (await create({ name: "Unicode Co" })).slug,
    ];
    const renamed = await create({ name: "Before" });
    await call("PATCH", `/segments/${renamed.id}`, { name: "After" });

    expect(slugs).toEqual(["unicode-co", "unicode-co-2", "unicode-co-3"]);
    expect((await call("GET", `/segments/${renamed.id}`)).body).toMatchObject({
      name: "After",
      slug: "before",
    });
    expect(slugOf("日本 ユーザー")).toBe("日本-ユーサー");
    expect(slugOf("!!!")).toBe("segment");
  });

  test("ten of one name at once get ten slugs", async () => {
    const made = await Promise.all(
      Array.from({ length: 10 }, () => call("POST", "/segments", { name: "Same", condition: plan("x") })),
    );

    expect(made.map((answer) => answer.status)).toEqual(Array(10).fill(201));
    expect(new Set(made.map((answer) => answer.body.slug)).size).toBe(10);
  });
});

describe("PATCH, DELETE and the list", () => {
  test("a new condition is counted at once", async () => {
    await contact("a@example.com", { plan: "free" });
    const segment = await create({});
    const { status, body } = await call("PATCH", `/segments/${segment.id}`, {
      condition: plan("free"),
      description: null,
    });

    expect([status, body.memberCount, body.condition]).toEqual([200, 1, plan("free")]);
  });

  test("a static segment takes no condition: 400", async () => {
    const { id } = await create({ type: "STATIC" });
    expect((await call("PATCH", `/segments/${id}`, { condition: plan("pro") })).status).toBe(400);
    expect((await call("PATCH", `/segments/${id}`, { name: "Renamed", condition: null })).body.name).toBe(
      "Renamed",
    );
    const dynamic = await create({});
    expect((await call("PATCH", `/segments/${dynamic.id}`, { condition: null })).status).toBe(400);
    expect((await call("PATCH", `/segments/${dynamic.id}`, { name: "   " })).status).toBe(422);
  });

  test("a segment that leads back to itself is 422", async () => {
    const one = await create({});
    const two = await create({ condition: memberOf(one.id) });
    const { status, body } = await call("PATCH", `/segments/${one.id}`, { condition: memberOf(two.id) });

    expect([status, body.error.errors[0].field]).toEqual([422, "condition.groups.0.filters.0.field"]);
  });

  test("deleting is 409 while another segment refers to it, and names it", async () => {
    const one = await create({});
    const two = await create({ name: "Nested", condition: memberOf(one.id) });
    const refused = await call("DELETE", `/segments/${one.id}`);
    const deleted = await call("DELETE", `/segments/${two.id}`);

    expect([refused.status, refused.body.error.details]).toEqual([
      409,
      { segments: [{ id: two.id, name: "Nested" }], campaigns: [], workflows: [] },
    ]);
    expect([deleted.status, deleted.body]).toEqual([204, ""]);
    expect((await call("DELETE", `/segments/${one.id}`)).status).toBe(204);
    expect((await call("GET", `/segments/${one.id}`)).status).toBe(404);
  });

  test("what refers to it is listed before it is deleted", async () => {
    const one = await create({});
    const usage = () => call("GET", `/segments/${one.id}/usage`);
    const before = (await usage()).body;
    const two = await create({ name: "Nested", condition: memberOf(one.id) });

    expect(before).toEqual({ segments: [], campaigns: [], workflows: [], canDelete: true });
    expect((await usage()).body).toEqual({
      segments: [{ id: two.id, name: "Nested" }],
      campaigns: [],
      workflows: [],
      canDelete: false,
    });
    const missing = await call("GET", `/segments/${crypto.randomUUID()}/usage`);
    expect([missing.status, missing.body.error.code]).toEqual([404, "SEGMENT_NOT_FOUND"]);
  });

  test("the list is bare, the newest first", async () => {
    const ids = [(await create({})).id, (await create({})).id, (await create({ type: "STATIC" })).id];
    expect((await call("GET", "/segments")).body.map((segment: { id: string }) => segment.id)).toEqual(
      ids.toReversed(),
    );
  });

  test("a field that a segment uses cannot be deleted, and says who uses it", async () => {
    await contact("a@example.com", { plan: "pro", 'odd"key': 1 });
    const { id } = await create({});
    const usage = await call("GET", "/contacts/fields/data.plan/usage");
    const refused = await call("DELETE", "/contacts/fields/plan");
    const odd = await call("GET", `/contacts/fields/${encodeURIComponent('odd"key')}/usage`);

    expect(usage.body).toMatchObject({
      usedInSegments: [{ id, name: "Pro" }],
      contactCount: 1,
      canDelete: false,
    });
    expect([refused.status, refused.body.error.details]).toEqual([
      409,
      { segments: [{ id, name: "Pro" }], campaigns: [], workflows: [] },
    ]);
    expect(odd.body).toMatchObject({ usedInSegments: [], contactCount: 1, canDelete: true });
  });
});

describe("a segment that a campaign uses", () => {
  const campaign = async (input: Record<string, unknown>, on: Pick<Context, "sql"> = service) => {
    const row = {
      project_id: project.id,
      name: "News",
      subject: "s",
      body: "b",
      html: "b",
      from_email: "x@shop.example",
      audience_type: input.segment_id ? "SEGMENT" : "FILTERED",
      ...input,
    };
    return (await on.sql`insert into campaigns ${service.pool(row)} returning id`)[0]!.id as string;
  };
  test.each(["DRAFT", "SCHEDULED", "SENDING"])("is not deleted while one is %s", async (status) => {
    const { id } = await create({});
    const nested = { logic: "OR", groups: [{ conditions: memberOf(id.toUpperCase()) }] };
    const other = await create({ name: "Other", condition: plan("free") });
    const ids = [
      await campaign({ name: "A", segment_id: id, status }),
      await campaign({ name: "B", audience_condition: nested, status }),
    ];
    await campaign({ segment_id: other.id, status });
    await campaign({ audience_condition: memberOf(other.id), status });
    const refused = await call("DELETE", `/segments/${id.toUpperCase()}`);
    const campaigns = [
      { id: ids[0], name: "A" },
      { id: ids[1], name: "B" },
    ];

    expect([refused.status, refused.body.error.details]).toEqual([
      409,
      { segments: [], campaigns, workflows: [] },
    ]);
    expect((await call("GET", `/segments/${id}`)).status).toBe(200);
    await service.pool`delete from campaigns where id = any(${ids})`;
    expect((await call("DELETE", `/segments/${id}`)).status).toBe(204);
  });

  test("is deleted when it is SENT or CANCELLED, and the campaign stays", async () => {
    const { id } = await create({});
    const sent = await campaign({ segment_id: id, status: "SENT" });
    await campaign({ audience_condition: memberOf(id), status: "CANCELLED" });
    const { status } = await call("DELETE", `/segments/${id}`);
    const [row] = await service.pool`select segment_id, audience_type from campaigns where id = ${sent}`;

    expect([status, row]).toMatchObject([204, { segmentId: null, audienceType: "SEGMENT" }]);
  });

  test("is deleted whatever a campaign of another project says", async () => {
    const { id } = await create({});
    const other = await service.createProject();
    await campaign({ project_id: other.id, audience_condition: memberOf(id) });

    expect((await call("DELETE", `/segments/${id}`)).status).toBe(204);
  });

  test.each([
    ["for the segment", (id: string) => ({ segment_id: id })],
    ["with a condition that names it", (id: string) => ({ audience_condition: memberOf(id) })],
  ])("is not deleted when a campaign %s is being made at the same moment", async (_, input) => {
    const { id } = await create({});
    let deleting: ReturnType<typeof call> | undefined;
    await inTransaction(service, async (tx) => {
      if (!("segment_id" in input(id))) await q.segments.lockAll(tx, { projectId: project.id });
      await campaign({ name: "Just now", ...input(id) }, tx);
      deleting = call("DELETE", `/segments/${id}`);
      await untilBlocked(service.pool, {}, deleting);
    });
    const { status, body } = await deleting!;

    expect([status, body.error?.details.campaigns]).toMatchObject([409, [{ name: "Just now" }]]);
  });

  test("is either deleted, and no campaign can be made for it, or kept for the campaign", async () => {
    const ends = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { id } = await create({ type: "STATIC" });
        const [made, deleted] = await Promise.all([
          campaign({ segment_id: id }).catch((error: { code: string }) => error.code),
          call("DELETE", `/segments/${id}`),
        ]);
        return deleted.status === 204 ? made === "23503" : deleted.status === 409 && made.length === 36;
      }),
    );

    expect(ends).toEqual(Array(20).fill(true));
    expect(
      await service.pool`select from campaigns where audience_type = 'SEGMENT' and segment_id is null
                         and project_id = ${project.id}`,
    ).toHaveLength(0);
  });
});

describe("members", () => {
  test("of a dynamic segment are live, page by page", async () => {
    const { id } = await create({});
    for (let i = 0; i < 5; i++) await contact(`m${i}@example.com`, { plan: "pro" });
    const first = (await call("GET", `/segments/${id}/contacts?pageSize=2`)).body;
    const last = (await call("GET", `/segments/${id}/contacts?page=3&limit=2`)).body;
    const beyond = (await call("GET", `/segments/${id}/contacts?page=9`)).body;

    expect(first).toMatchObject({ total: 5, page: 1, pageSize: 2, totalPages: 3 });
    expect(first.data.map((c: { email: string }) => c.email)).toEqual(["m4@example.com", "m3@example.com"]);
    expect(last.data.map((c: { email: string }) => c.email)).toEqual(["m0@example.com"]);
    expect(beyond).toMatchObject({ data: [], total: 5 });
  });

  test("of a static segment are added and removed by address; only real changes count", async () => {
    const { id } = await create({ type: "STATIC" });
    await contact("known@example.com");
    const add = (body: object) => call("POST", `/segments/${id}/members`, body);
    const first = await add({ emails: ["Known@Example.com", "known@example.com", "new@example.com", "bad"] });
    const again = await add({
      emails: ["known@example.com", "new@example.com"],
      createMissing: true,
      subscribed: false,
    });
    const removed = await call("DELETE", `/segments/${id}/members`, {
      emails: ["KNOWN@example.com", "nobody@example.com"],
    });
    const segment = (await call("GET", `/segments/${id}`)).body;
    const { data } = (await call("GET", `/segments/${id}/contacts`)).body;

    expect(first.body).toEqual({ added: 1, created: 0, notFound: ["new@example.com", "bad"] });
    expect(again.body).toEqual({ added: 1, created: 1, notFound: [] });
    expect(removed.body).toEqual({ removed: 1 });
    expect(segment.memberCount).toBe(1);
    expect(data).toMatchObject([{ email: "new@example.com", subscribed: false }]);
  });

  test("of a dynamic segment are not changed by hand: 400; 0 or 501 addresses are 422", async () => {
    const dynamic = await create({});
    const { id } = await create({ type: "STATIC" });

    expect((await call("POST", `/segments/${dynamic.id}/members`, { emails: ["a@b.io"] })).status).toBe(400);
    expect((await call("DELETE", `/segments/${dynamic.id}/members`, { emails: ["a@b.io"] })).status).toBe(
      400,
    );
    expect((await call("POST", `/segments/${id}/members`, { emails: [] })).status).toBe(422);
    expect(
      (await call("POST", `/segments/${id}/members`, { emails: Array(501).fill("a@b.io") })).status,
    ).toBe(422);
  });

  test("a deleted contact is a member no more", async () => {
    const { id } = await create({ type: "STATIC" });
    const contactId = await contact("gone@example.com");
    await call("POST", `/segments/${id}/members`, { emails: ["gone@example.com"] });
    await call("DELETE", `/contacts/${contactId}`);

    expect((await call("GET", `/segments/${id}/contacts`)).body.total).toBe(0);
  });
});

describe("the membership of a tracked segment", () => {
  let segment: { id: string; slug: string };

  beforeEach(async () => {
    await contact("a@example.com", { plan: "pro" });
    await contact("b@example.com", { plan: "free" });
    segment = await create({ trackMembership: true });
  });

  const compute = async () => (await call("POST", `/segments/${segment.id}/compute`)).body;

  test("is computed with one event for each real change", async () => {
    const first = await compute();
    const again = await compute();
    await contact("a@example.com", { plan: "free" });
    await contact("b@example.com", { plan: "pro" });
    const changed = await compute();
    const [event] =
      await service.pool`select data from events where name = 'segment.pro.exit' and project_id = ${project.id}`;

    expect(first).toEqual({ added: 1, removed: 0, total: 1 });
    expect(again).toEqual({ added: 0, removed: 0, total: 1 });
    expect(changed).toEqual({ added: 1, removed: 1, total: 1 });
    expect(event!.data).toEqual({ segmentId: segment.id, segmentName: "Pro" });
    expect(await events(segment)).toEqual([
      "a@example.com entry",
      "a@example.com exit",
      "b@example.com entry",
    ]);
  });

  test("computed ten times at once still has one event for each change", async () => {
    const results = await Promise.all(Array.from({ length: 10 }, compute));

    expect(results.reduce((sum, { added }) => sum + added, 0)).toBe(1);
    expect(await events(segment)).toEqual(["a@example.com entry"]);
  });

  test("refresh counts, and neither writes nor tells anything", async () => {
    await contact("c@example.com", { plan: "pro" });
    const { body } = await call("POST", `/segments/${segment.id}/refresh`);

    expect(body).toEqual({ memberCount: 2 });
    expect(await events(segment)).toEqual([]);
    expect(await service.pool`select from segment_members where segment_id = ${segment.id}`).toHaveLength(0);
  });

  test("cannot be computed where it is not tracked: 400", async () => {
    const plain = await create({ name: "Plain" });
    expect((await call("POST", `/segments/${plain.id}/compute`)).status).toBe(400);
  });

  test("follows contacts that change or have an event, by one job a project, within seconds", async () => {
    await compute();
    const active = await create({
      name: "Active",
      trackMembership: true,
      condition: {
        logic: "AND",
        groups: [{ filters: [{ field: "event.opened app", operator: "triggered" }] }],
      },
    });
    await service.runJobs();
    for (let i = 0; i < 5; i++) await contact(`new${i}@example.com`, { plan: "pro" });
    await call("PATCH", `/contacts/${await contact("a@example.com")}`, { data: { plan: "free" } });
    await service.request("POST", "/v1/track", {
      key: project.public,
      body: { email: "b@example.com", event: "opened app" },
    });
    const jobs =
      await service.pool`select key from graphile_worker.jobs where key like ${`update_segments:${project.id}:%`}`;
    service.setNow(new Date(Date.now() + 5_000));
    await service.runJobs();
    service.setNow(new Date());

    // One for each second in which something changed.
    expect(jobs.length).toBeWithin(1, 4);
    expect((await events(segment)).filter((line) => line.startsWith("new"))).toHaveLength(5);
    expect(await events(segment)).toContain("a@example.com exit");
    expect(await events(active)).toEqual(["b@example.com entry"]);
    expect((await call("GET", `/segments/${segment.id}`)).body.memberCount).toBe(5);
    expect(await service.pool`select from segment_candidates`).toHaveLength(0);
  });

  test("costs nothing where no contact changed: the five-minute job finds nobody to look at", async () => {
    await compute();
    service.setNow(new Date(Date.now() + 5_000));
    await service.runJobs();
    const { sweepSegments } = await import("../../src/audience/segments/upkeep.ts");
    const before = await service.pool`select xmin, computed_at from segments where id = ${segment.id}`;
    await sweepSegments(service);
    await service.runJobs();
    service.setNow(new Date());

    expect([
      ...(await service.pool`select xmin, computed_at from segments where id = ${segment.id}`),
    ]).toEqual([...before]);
  });

  test("follows the clock where the condition does", async () => {
    const fresh = await create({
      name: "Fresh",
      trackMembership: true,
      condition: {
        logic: "AND",
        groups: [{ filters: [{ field: "createdAt", operator: "within", value: 7, unit: "days" }] }],
      },
    });
    const { sweepSegments } = await import("../../src/audience/segments/upkeep.ts");
    await sweepSegments(service);
    await service.runJobs();
    const entered = await events(fresh);
    service.setNow(new Date(Date.now() + 8 * 86_400_000));
    await sweepSegments(service);
    await service.runJobs();
    service.setNow(new Date());

    expect(entered).toEqual(["a@example.com entry", "b@example.com entry"]);
    expect(await events(fresh)).toEqual([
      "a@example.com entry",
      "a@example.com exit",
      "b@example.com entry",
      "b@example.com exit",
    ]);
  });

  test("counts events in a period: who did it often enters at once, and leaves when it is long ago", async () => {
    const keen = await create({
      name: "Keen",
      trackMembership: true,
      condition: {
        logic: "AND",
        groups: [
          {
            filters: [
              { field: "event.looked", operator: "triggeredAtLeast", count: 2, value: 7, unit: "days" },
              { field: "event.looked", operator: "triggeredAtMost", count: 3 },
            ],
          },
        ],
      },
    });
    const { sweepSegments } = await import("../../src/audience/segments/upkeep.ts");
    let seconds = 0;
    const look = async (who: string) => {
      await call("POST", "/events/track", { event: "looked", email: `${who}@example.com` });
      service.setNow(new Date(Date.now() + (seconds += 5) * 1_000));
      await service.runJobs();
    };
    for (const who of ["a", "a", "b"]) await look(who);
    const entered = await events(keen);
    for (const who of ["b", "a", "a"]) await look(who);
    const changed = await events(keen);
    service.setNow(new Date(Date.now() + 8 * 86_400_000));
    await sweepSegments(service);
    await service.runJobs();
    service.setNow(new Date());

    expect(entered).toEqual(["a@example.com entry"]);
    expect(changed).toEqual(["a@example.com entry", "a@example.com exit", "b@example.com entry"]);
    expect(await events(keen)).toEqual([...changed, "b@example.com exit"]);
  });

  test("follows the members of a static segment that it refers to", async () => {
    const list = await create({ name: "List", type: "STATIC" });
    const nested = await create({ name: "Nested", trackMembership: true, condition: memberOf(list.id) });
    await service.runJobs();
    await call("POST", `/segments/${list.id}/members`, { emails: ["b@example.com"] });
    service.setNow(new Date(Date.now() + 5_000));
    await service.runJobs();
    await call("DELETE", `/segments/${list.id}/members`, { emails: ["b@example.com"] });
    service.setNow(new Date(Date.now() + 10_000));
    await service.runJobs();
    service.setNow(new Date());

    expect(await events(nested)).toEqual(["b@example.com entry", "b@example.com exit"]);
  });
});

describe("a tracked segment stays right", () => {
  let segment: { id: string; slug: string };
  const live = async () => (await call("GET", `/segments/${segment.id}/contacts`)).body.total as number;
  const counted = async () => (await call("GET", `/segments/${segment.id}`)).body.memberCount as number;
  const settle = async () => {
    for (const seconds of [5, 10]) {
      service.setNow(new Date(Date.now() + seconds * 1_000));
      await service.runJobs();
    }
    service.setNow(new Date());
  };

  beforeEach(async () => {
    for (let i = 0; i < 4; i++) await contact(`t${i}@example.com`, { plan: "pro" });
    segment = await create({ trackMembership: true });
    await settle();
  });

  test("from the moment it is made: everybody enters, and a change of something else adds nobody", async () => {
    const entered = await events(segment);
    await contact("t0@example.com", { other: 1 });
    await contact("t1@example.com", { plan: "free" });
    await settle();

    expect(entered).toHaveLength(4);
    expect([await live(), await counted()]).toEqual([3, 3]);
    expect(await events(segment)).toHaveLength(5);
  });

  test("when its condition changes", async () => {
    await contact("f@example.com", { plan: "free" });
    await call("PATCH", `/segments/${segment.id}`, { condition: plan("free") });
    await settle();

    expect([await live(), await counted()]).toEqual([1, 1]);
    expect((await events(segment)).filter((line) => line.endsWith("exit"))).toHaveLength(4);
    expect(await events(segment)).toContain("f@example.com entry");
  });

  test("when it was not tracked for a while", async () => {
    await call("PATCH", `/segments/${segment.id}`, { trackMembership: false });
    await contact("t0@example.com", { plan: "free" });
    await settle();
    await call("PATCH", `/segments/${segment.id}`, { trackMembership: true });
    await settle();

    expect([await live(), await counted()]).toEqual([3, 3]);
    expect(await events(segment)).toContain("t0@example.com exit");
  });

  test("when the condition of a segment that it refers to changes", async () => {
    const inner = await create({ name: "Inner", condition: plan("free") });
    segment = await create({ name: "Outer", trackMembership: true, condition: memberOf(inner.id) });
    await settle();
    await call("PATCH", `/segments/${inner.id}`, { condition: plan("pro") });
    await settle();

    expect([await live(), await counted()]).toEqual([4, 4]);
  });

  test("when members are deleted, as a list does", async () => {
    const list = await create({ name: "List", type: "STATIC" });
    await call("POST", `/segments/${list.id}/members`, { emails: ["t0@example.com", "t1@example.com"] });
    await call("DELETE", `/contacts/${await contact("t0@example.com")}`);
    await settle();

    expect((await call("GET", `/segments/${list.id}`)).body.memberCount).toBe(1);
    expect([await live(), await counted()]).toEqual([3, 3]);
  });

  test("when its condition is about the updatedAt of contacts, or about events named like a segment's", async () => {
    const since = new Date(Date.now() + 500).toISOString();
    await Bun.sleep(600);
    const filter = { field: "updatedAt", operator: "greaterThan", value: since };
    segment = await create({
      name: "Recent",
      trackMembership: true,
      condition: {
        logic: "OR",
        groups: [
          { filters: [filter] },
          { filters: [{ field: "event.segment.viewed", operator: "triggered" }] },
        ],
      },
    });
    await settle();
    await contact("t0@example.com", { plan: "pro" });
    await service.request("POST", "/v1/track", {
      key: project.public,
      body: { email: "t1@example.com", event: "segment.viewed" },
    });
    await settle();

    expect([await live(), await counted()]).toEqual([2, 2]);
  });

  test("when ten requests add members to a list at once", async () => {
    const list = await create({ name: "Crowd", type: "STATIC" });
    const add = (n: number) =>
      call("POST", `/segments/${list.id}/members`, {
        emails: Array.from({ length: 10 }, (_, i) => `x${n}-${i}@example.com`),
        createMissing: true,
      });
    await Promise.all(Array.from({ length: 10 }, (_, n) => add(n)));

    expect((await call("GET", `/segments/${list.id}`)).body.memberCount).toBe(100);
  });

  test("nobody who writes waits for another one's job", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
    const slow = service.pool.begin(async (tx) => {
      await tx`update contacts set data = '{"plan": "free"}' where project_id = ${project.id} and email = 't0@example.com'`;
      hold();
      await held;
    });
    await isHeld;
    const quick = await Promise.race([
      contact("other@example.com", { plan: "pro" }),
      Bun.sleep(5_000).then(() => "waited"),
    ]);
    release();
    await slow;
    await settle();

    expect(quick).not.toBe("waited");
    expect([await live(), await counted()]).toEqual([4, 4]);
  });
});

describe("a segment of another project", () => {
  test.each([
    ["GET", ""],
    ["PATCH", ""],
    ["DELETE", ""],
    ["GET", "/contacts"],
    ["POST", "/members"],
    ["DELETE", "/members"],
    ["POST", "/compute"],
    ["POST", "/refresh"],
  ])("is not found by %s /segments/:id%s", async (method, path) => {
    const { id } = await create({ type: "STATIC" });
    const other = await service.createProject();
    const body =
      path === "/members" ? { emails: ["a@b.io"] } : method === "PATCH" ? { name: "x" } : undefined;
    const theirs = await call(method, `/segments/${id}${path}`, body, other.secret);
    const none = await call(method, `/segments/5${path}`, body);

    expect([theirs.status, theirs.body.error.code]).toEqual([404, "SEGMENT_NOT_FOUND"]);
    expect([none.status, none.body.error.code]).toEqual([404, "SEGMENT_NOT_FOUND"]);
    expect((await call("GET", `/segments/${id}`)).body.name).toBe("Pro");
  });

  test("cannot be referred to", async () => {
    const { id } = await create({});
    const other = await service.createProject();
    const { status } = await call("POST", "/segments", { name: "x", condition: memberOf(id) }, other.secret);

    expect(status).toBe(422);
  });
});
