import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;

beforeAll(async () => {
  project = await service.createProject();
});

const call = (method: string, path: string, body?: unknown, key = project.secret) =>
  service.request(method, path, { key, body });
const create = async (email: string, more: object = {}) =>
  (await call("POST", "/contacts", { email, ...more })).body;
const eventsOf = async (contactId: string) =>
  (await service.pool`select name from events where contact_id = ${contactId} order by id`).map(
    (row) => row.name as string,
  );

describe("POST /contacts", () => {
  test("makes a contact, subscribed, and answers 201 with what it made", async () => {
    const { status, body } = await call("POST", "/contacts", {
      email: " New@Example.com",
      data: { plan: "pro", gone: null, empty: "" },
    });

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      email: "new@example.com",
      subscribed: true,
      data: { plan: "pro" },
      projectId: project.id,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      _meta: { isNew: true, isUpdate: false },
    });
    expect(await eventsOf(body.id)).toEqual([]);
  });

  test("merges into the one that has the address, keeps what is not said, and answers 200", async () => {
    const first = await create("merge@example.com", { subscribed: false, data: { a: 1, b: 2 } });
    const { status, body } = await call("POST", "/contacts", {
      email: "MERGE@example.com",
      data: { b: null, c: 3 },
    });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: first.id,
      subscribed: false,
      data: { a: 1, c: 3 },
      _meta: { isNew: false, isUpdate: true },
    });
  });

  test.each([[{}], [{ email: null }], [{ email: "" }], [{ subscribed: true }]])(
    "%j has no email: 400, bare",
    async (input) => {
      expect(await call("POST", "/contacts", input)).toMatchObject({
        status: 400,
        body: { error: expect.any(String) },
      });
    },
  );

  test("a malformed email is 422 invalid_string", async () => {
    const { status, body } = await call("POST", "/contacts", { email: "nobody", subscribed: "yes" });

    expect(status).toBe(422);
    expect(body.error.errors.map((e: { field: string; code: string }) => [e.field, e.code])).toEqual([
      ["email", "invalid_string"],
      ["subscribed", "invalid_type"],
    ]);
  });
});

describe("GET and PATCH /contacts/:id", () => {
  test("a contact is read as it was made", async () => {
    const { _meta, ...contact } = await create("read@example.com", { data: { deep: { list: [1, null] } } });

    expect(_meta.isNew).toBe(true);
    expect((await call("GET", `/contacts/${contact.id}`)).body).toEqual(contact);
  });

  test("data is merged by the same rules; null clears all of it", async () => {
    const { id } = await create("patch@example.com", { data: { a: 1, b: 2, c: 3 } });
    const merged = await call("PATCH", `/contacts/${id}`, {
      data: { a: null, b: "", d: { value: 4, persistent: true } },
    });
    const cleared = await call("PATCH", `/contacts/${id}`, { data: null });

    expect([merged.status, merged.body.data]).toEqual([200, { b: 2, c: 3, d: 4 }]);
    expect(cleared.body.data).toEqual({});
  });

  test("a change of the subscription is recorded once", async () => {
    const { id } = await create("sub@example.com");
    await call("PATCH", `/contacts/${id}`, { subscribed: false });
    await call("PATCH", `/contacts/${id}`, { subscribed: false, data: { a: 1 } });
    await call("PATCH", `/contacts/${id}`, { data: { a: 2 } });
    const { body } = await call("PATCH", `/contacts/${id}`, { subscribed: true });

    expect(body.subscribed).toBe(true);
    expect(await eventsOf(id)).toEqual(["contact.unsubscribed", "contact.subscribed"]);
  });

  test("ten changes of the subscription at once are recorded once", async () => {
    const { id } = await create("race@example.com");
    await Promise.all(
      Array.from({ length: 10 }, () => call("PATCH", `/contacts/${id}`, { subscribed: false })),
    );

    expect(await eventsOf(id)).toEqual(["contact.unsubscribed"]);
  });

  test("an address that another contact has is 409, and nothing changes", async () => {
    const [one, two] = [await create("one@example.com"), await create("two@example.com", { data: { a: 1 } })];
    const taken = await call("PATCH", `/contacts/${two.id}`, { email: "ONE@example.com", data: { a: 2 } });
    const own = await call("PATCH", `/contacts/${two.id}`, { email: "Two@example.com" });
    const free = await call("PATCH", `/contacts/${one.id}`, { email: "uno@example.com" });

    expect([taken.status, taken.body.error.code]).toEqual([409, "CONFLICT"]);
    expect([own.status, own.body.data]).toEqual([200, { a: 1 }]);
    expect(free.body.email).toBe("uno@example.com");
  });

  test("faults are named with their fields", async () => {
    const { id } = await create("faults@example.com");
    const { status, body } = await call("PATCH", `/contacts/${id}`, {
      email: "x",
      subscribed: 1,
      data: "text",
    });

    expect(status).toBe(422);
    expect(body.error.errors.map((e: { field: string }) => e.field).sort()).toEqual([
      "data",
      "email",
      "subscribed",
    ]);
    expect((await call("PATCH", `/contacts/${id}`, { data: { locale: 5 } })).status).toBe(422);
    expect((await call("PATCH", `/contacts/${id}`, { data: { a: "x".repeat(70_000) } })).status).toBe(422);
  });
});

describe("a contact of another project", () => {
  test.each(["GET", "PATCH", "DELETE"])("is not found by %s, nor is an id that is none", async (method) => {
    const { id } = await create("mine@example.com");
    const other = await service.createProject();
    const body = method === "PATCH" ? { subscribed: false } : undefined;
    const theirs = await call(method, `/contacts/${id}`, body, other.secret);
    const none = await call(method, "/contacts/5", body);

    expect([theirs.status, theirs.body.error.code]).toEqual([404, "CONTACT_NOT_FOUND"]);
    expect([none.status, none.body.error.code]).toEqual([404, "CONTACT_NOT_FOUND"]);
    expect((await call("GET", `/contacts/${id}`)).body.subscribed).toBe(true);
  });
});

describe("POST /contacts/lookup", () => {
  test("tells the caller's own strings apart, in their order", async () => {
    await create("known@example.com");
    const emails = [
      "Known@Example.com",
      "unknown@example.com",
      "no address",
      " known@example.com ",
      "known@example.com",
    ];
    const { status, body } = await call("POST", "/contacts/lookup", { emails });

    expect(status).toBe(200);
    expect(body).toEqual({
      found: ["Known@Example.com", " known@example.com ", "known@example.com"],
      notFound: ["unknown@example.com", "no address"],
    });
  });

  test.each([
    [{}],
    [{ emails: [] }],
    [{ emails: "a@b.io" }],
    [{ emails: Array(501).fill("a@b.io") }],
    [{ emails: [5] }],
  ])("%j is 400, bare", async (input) => {
    expect(await call("POST", "/contacts/lookup", input)).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    });
  });
});

describe("GET /contacts", () => {
  let own: NewProject;
  const list = async (query: string) => (await call("GET", `/contacts?${query}`, undefined, own.secret)).body;
  const pages = async (query: string, between = async () => {}) => {
    const emails: string[] = [];
    let total: number | undefined;
    for (let cursor: string | null = "", n = 0; cursor !== null && n < 50; n++) {
      const page: { data: { email: string }[]; cursor: string | null; hasMore: boolean; total: number } =
        await list(`${query}${cursor && `&cursor=${cursor}`}`);
      expect(page.hasMore).toBe(page.cursor !== null);
      if (n > 0) expect(page.total).toBe(0);
      total ??= page.total;
      emails.push(...page.data.map((contact) => contact.email));
      cursor = page.cursor;
      await between();
    }
    return { emails, total };
  };

  beforeAll(async () => {
    own = await service.createProject();
    await service.pool`
      insert into contacts (project_id, email, subscribed, created_at)
      select ${own.id}, 'c' || lpad(n::text, 3, '0') || '_%@example.com', n % 3 <> 0,
             '2026-01-01'::timestamptz + (n / 10) * interval '1 microsecond'
      from generate_series(1, 65) n`;
  });

  test("pages in every order show each contact once, also with equal times and while others arrive", async () => {
    const all = Array.from({ length: 65 }, (_, i) => `c${String(i + 1).padStart(3, "0")}_%@example.com`);
    let n = 0;
    const arrive = async () => {
      await call("POST", "/contacts", { email: `zz${n++}@example.com` }, own.secret);
    };
    const newest = await pages("limit=20", arrive);
    await service.pool`delete from contacts where project_id = ${own.id} and email like 'zz%'`;

    expect(newest.total).toBe(65);
    expect(newest.emails.toSorted()).toEqual(all);
    expect((await pages("sort=email&dir=asc&limit=7")).emails).toEqual(all);
    expect((await pages("sort=email&dir=desc&limit=10")).emails).toEqual(all.toReversed());
    const oldest = (await pages("sort=createdAt&dir=asc&limit=9")).emails;
    expect(oldest).toEqual((await pages("limit=13")).emails.toReversed());
    expect((await pages("sort=nonsense&dir=sideways&limit=100")).emails).toEqual(oldest.toReversed());
  });

  test("a contact that is deleted under the cursor does not break the next page", async () => {
    const first = await list("sort=email&dir=asc&limit=5");
    await service.pool`delete from contacts where id = ${first.data[4].id}`;
    const second = await list(`sort=email&dir=asc&limit=5&cursor=${first.cursor}`);

    expect(second.data.map((c: { email: string }) => c.email.slice(0, 4))).toEqual([
      "c006",
      "c007",
      "c008",
      "c009",
      "c010",
    ]);
  });

  test("searches a part of the address, where wildcards are ordinary characters", async () => {
    expect((await list("search=C01")).total).toBe(10);
    expect((await list("search=_%25")).total).toBe(64);
    expect((await list("search=%25c")).total).toBe(0);
    expect((await list("search=c1_")).total).toBe(0);
    expect((await list("search=\\")).total).toBe(0);
    expect((await list("search=")).total).toBe(64);
    expect((await list("search=%20EXAMPLE.com")).total).toBe(64);
  });

  test("filters by subscription, together with a search", async () => {
    expect((await list("subscribed=false")).total).toBe(21);
    expect((await list("subscribed=true")).total).toBe(43);
    expect((await list("subscribed=false&search=c00")).data).toHaveLength(3);
  });

  test.each([
    "cursor=xyz",
    "cursor=WyJhIl0",
    "limit=many",
    "subscribed=maybe",
    "search=%00",
    ...["2020-02-30 00:00:00+00", "1", "2020", "March 7", "+275760-09-13T00:00:00.000Z"].map((time) => {
      const parts = ["createdAt", time, "0190aaaa-0000-7000-8000-000000000000"];
      return `cursor=${Buffer.from(JSON.stringify(parts)).toString("base64url")}`;
    }),
  ])("%s is 400", async (query) => {
    expect((await call("GET", `/contacts?${query}`)).status).toBe(400);
  });

  test("a cursor of another order is refused", async () => {
    const { cursor } = await list("sort=email&limit=5");
    expect(
      (await call("GET", `/contacts?sort=createdAt&cursor=${cursor}`, undefined, own.secret)).status,
    ).toBe(400);
  });

  test("limits are clamped to 1..100", async () => {
    expect((await list("limit=0")).data).toHaveLength(1);
    expect((await list("limit=1000")).data).toHaveLength(64);
    expect((await list("limit=-5")).data).toHaveLength(1);
  });
});

describe("the fields of contacts", () => {
  let own: NewProject;
  const get = async (path: string) => await call("GET", `/contacts/fields${path}`, undefined, own.secret);
  const put = (email: string, data: object) => call("POST", "/contacts", { email, data }, own.secret);

  beforeAll(async () => {
    own = await service.createProject();
    await put("a@example.com", {
      plan: "pro",
      age: 30,
      vip: true,
      since: "2026-01-01",
      mixed: 1,
      "odd key": "x",
    });
    await put("b@example.com", {
      plan: "pro",
      age: 31.5,
      since: "2026-01-01T10:00:00Z",
      mixed: "one",
      list: [1],
    });
    await put("c@example.com", { plan: "free", mixed: { a: 1 } });
    await put("d@example.com", {});
  });

  test("are listed with type and coverage, the standard ones first", async () => {
    const { body } = await get("");

    expect(body).toEqual({
      fields: [
        { field: "email", type: "string", coverage: 100 },
        { field: "subscribed", type: "boolean", coverage: 100 },
        { field: "createdAt", type: "date", coverage: 100 },
        { field: "updatedAt", type: "date", coverage: 100 },
        { field: "data.age", type: "number", coverage: 50 },
        { field: "data.list", type: "string", coverage: 25 },
        { field: "data.mixed", type: "string", coverage: 75 },
        { field: "data.odd key", type: "string", coverage: 25 },
        { field: "data.plan", type: "string", coverage: 75 },
        { field: "data.since", type: "date", coverage: 50 },
        { field: "data.vip", type: "boolean", coverage: 25 },
      ],
      count: 11,
    });
  });

  test("follow every change: merge, removal, deletion, and the roll-up of the counters", async () => {
    const coverage = async (field: string) =>
      (await get("")).body.fields.find((f: { field: string }) => f.field === field)?.coverage;
    await put("e@example.com", { temp: 1 });
    const once = await coverage("data.temp");
    const { rollUpContactCounts } = await import("../../src/audience/contacts/counts.ts");
    await rollUpContactCounts(service);
    const rolledUp = await coverage("data.temp");
    await put("e@example.com", { temp: "now a text" });
    await put("e@example.com", { temp: null });
    const removed = await coverage("data.temp");
    await service.pool`delete from contacts where project_id = ${own.id} and email = 'e@example.com'`;
    await rollUpContactCounts(service);

    expect([once, rolledUp, removed]).toEqual([20, 20, undefined]);
    expect(await coverage("data.plan")).toBe(75);
    const [left] = await service.pool`select count(*)::int as n from contact_count_deltas`;
    expect(left!.n).toBe(0);
  });

  test("have values, the most frequent first; the prefix may be left out", async () => {
    expect((await get("/data.plan/values")).body).toEqual({
      field: "data.plan",
      values: ["pro", "free"],
      estimated: false,
      count: 2,
      limit: 100,
    });
    expect((await get("/plan/values?limit=1")).body.values).toEqual(["pro"]);
    expect((await get("/plan/values?search=FR")).body.values).toEqual(["free"]);
    expect((await get("/plan/values?search=%25")).body.values).toEqual([]);
    expect((await get("/mixed/values")).body.values).toEqual(["one", 1]);
    expect((await get(`/${encodeURIComponent("odd key")}/values`)).body.values).toEqual(["x"]);
    expect((await get("/plan/values?limit=1000")).body.limit).toBe(200);
    expect((await get("/unknown/values")).body.values).toEqual([]);
    expect((await get("/email/values")).status).toBe(400);
  });

  test("can be deleted from every contact, unless they are standard", async () => {
    await put("f@example.com", { junk: 1 });
    await put("g@example.com", { junk: null, other: 1 });
    const usage = await get("/data.junk/usage");
    const deleted = await call("DELETE", "/contacts/fields/data.junk", undefined, own.secret);
    const standard = await call("DELETE", "/contacts/fields/email", undefined, own.secret);

    expect(usage.body).toEqual({
      usedInSegments: [],
      usedInCampaigns: [],
      usedInWorkflows: [],
      contactCount: 1,
      canDelete: true,
    });
    expect([deleted.status, deleted.body]).toEqual([200, { deletedFrom: 1 }]);
    expect(standard.status).toBe(400);
    expect(await service.pool`select from contacts where data ? 'junk'`).toHaveLength(0);
    expect((await get("/data.junk/usage")).body.contactCount).toBe(0);
  });

  test("of another project are not seen", async () => {
    const other = await service.createProject();
    expect((await call("GET", "/contacts/fields", undefined, other.secret)).body.count).toBe(4);
    expect((await call("GET", "/contacts/fields/plan/values", undefined, other.secret)).body.values).toEqual(
      [],
    );
    expect((await call("DELETE", "/contacts/fields/plan", undefined, other.secret)).body).toEqual({
      deletedFrom: 0,
    });
  });
});

describe("a field that a campaign uses", () => {
  let own: NewProject;
  const usage = async (field: string) =>
    (await call("GET", `/contacts/fields/${encodeURIComponent(field)}/usage`, undefined, own.secret)).body;
  const campaign = async (input: Record<string, unknown>) => {
    const row = {
      project_id: own.id,
      name: "News",
      subject: "s",
      body: "b",
      html: "b",
      from_email: "x@shop.example",
      audience_type: "ALL",
      ...input,
    };
    return (await service.pool`insert into campaigns ${service.pool(row)} returning id`)[0]!.id as string;
  };
  const condition = (field: string) => ({
    logic: "AND",
    groups: [{ conditions: { logic: "OR", groups: [{ filters: [{ field, operator: "exists" }] }] } }],
  });

  beforeEach(async () => {
    own = await service.createProject();
  });

  test.each(["DRAFT", "SCHEDULED", "SENDING"])(
    "in its condition, subject or body cannot be deleted while it is %s, and says which one it is",
    async (status) => {
      await call("POST", "/contacts", { email: "a@example.com", data: { plan: "pro" } }, own.secret);
      const ids = [
        await campaign({ name: "A", audience_condition: condition("data.plan"), status }),
        await campaign({ name: "B", audience_condition: condition("data.plan.tier"), status }),
        await campaign({ name: "C", subject: "On {{plan}}", status }),
        await campaign({ name: "D", body: "<p>On {{data.plan}}</p>", status }),
      ];
      await campaign({ audience_condition: condition("data.planet"), subject: "plan", status });
      const campaigns = ["A", "B", "C", "D"].map((name, i) => ({ id: ids[i], name }));
      const refused = await call("DELETE", "/contacts/fields/data.plan", undefined, own.secret);

      expect(await usage("plan")).toEqual({
        usedInSegments: [],
        usedInCampaigns: campaigns,
        usedInWorkflows: [],
        contactCount: 1,
        canDelete: false,
      });
      expect([refused.status, refused.body.error.details]).toEqual([
        409,
        { segments: [], campaigns, workflows: [] },
      ]);
    },
  );

  test("can be deleted when the campaign is SENT or CANCELLED, or another project's", async () => {
    await campaign({ body: "{{plan}}", status: "SENT" });
    await campaign({ audience_condition: condition("data.plan"), status: "CANCELLED" });
    await campaign({ body: "{{plan}}", project_id: project.id });
    const { status } = await call("DELETE", "/contacts/fields/plan", undefined, own.secret);

    expect([(await usage("plan")).canDelete, status]).toEqual([true, 200]);
  });

  const tick = "`";
  test.each([
    ["plan", "{{plan}}"],
    ["plan", "{{ plan }}"],
    ["plan", "{{data.plan}}"],
    ["data.plan", "{{data.plan}}"],
    ["plan", "{{data/plan}} {{x}}"],
    ["plan", "{{this.plan}}"],
    ["plan", "{{../plan}}"],
    ["plan", "{{#each items}}{{../../data.plan}}{{/each}}"],
    ["plan", "{{@root.plan}}"],
    ["plan", "{{plan.tier}}"],
    ["plan", "{{data.plan.tier}}"],
    ["plan", "{{{plan}}}"],
    ["plan", "{{& plan}}"],
    ["plan", "{{~plan~}}"],
    ["plan", "{{[plan]}}"],
    ["plan", "{{data.[plan]}}"],
    ["plan", '{{"plan"}}'],
    ["plan", "{{#if plan}}a{{else}}b{{/if}}"],
    ["plan", "{{#if x}}a{{else if plan}}b{{/if}}"],
    ["plan", "{{#unless plan}}a{{/unless}}"],
    ["plan", "{{#each plan as |p|}}{{p}}{{/each}}"],
    ["plan", "{{#with data}}{{plan}}{{/with}}"],
    ["plan", "{{plan ?? Free trial}}"],
    ["plan", "{{plan??x}}"],
    ["plan", "{{upper plan}}"],
    ["plan", '{{#if (eq plan "pro")}}a{{/if}}'],
    ["plan", '{{#if (or (eq "}}" x) (eq "pro" plan))}}a{{/if}}'],
    ["plan", "{{#if (eq (x ?? it's) plan)}}a{{/if}}"],
    ["plan", "{{number 5 locale=plan}}"],
    ["plan", "{{#if x}}it's{{/if}} a 'word' {{upper\n  plan}}"],
    ["plan", "p {color:{{plan}}}"],
    ["plan", "\\\\{{plan}}"],
    ["plan", "{{x ?? don't}} {{plan}} don't"],
    ["first name", "Hello {{first  name}}"],
    ["first name", "Hello {{[first name]}}"],
    ["first name", "Hello {{data.first name ?? you}}"],
    ["größe", "{{größe}}"],
    ["日本", "{{#if 日本}}a{{/if}}"],
    ["plan-b", "{{plan-b}}"],
    ["$a?b", "{{$a?b}}"],
    ["a.b", "{{[a.b]}}"],
    ["a*(b)", "{{[a*(b)]}}"],
    ["_x1", "{{_x1}}"],
  ])("%s is found in %s", async (field, body) => {
    await campaign({ body });
    expect((await usage(field)).usedInCampaigns).toHaveLength(1);
  });

  test.each([
    ["plan", "plan"],
    ["plan", "{plan}"],
    ["plan", "{{x}} plan {{y}}"],
    ["plan", "{{#if x}} plan {{/if}}"],
    ["plan", "{{planet}} {{explan}} {{plan-b}} {{my_plan}} {{plan2}} {{Plan}} {{pläne}} {{éplan}}"],
    ["plan", "{{order.plan}} {{event.plan}}"],
    ["plan", "{{x ?? plan}}"],
    ["plan", '{{x ?? "your plan"}}'],
    ["plan", '{{#if (eq x "plan")}}a{{/if}}'],
    ["plan", '{{date x "d plan y"}}'],
    ["plan", "{{number x plan=2}}"],
    ["plan", "{{number x plan = 2}}"],
    ["plan", "{{[plan b]}}"],
    ["plan", "\\{{plan}}"],
    ["plan", "{{! plan }}"],
    ["plan", "a { plan }} {{ x }} plan }}"],
    ["first name", "{{first}} {{name}} {{firstname}}"],
    ["a.b", "{{axb}}"],
    ["a*(b)", "{{aaab}}"],
    [" ", "{{ x }}"],
    ["%", "{{x}} 5 %"],
    [tick, "{{x}}"],
  ])("%s is not found in %s", async (field, body) => {
    await campaign({ body });
    expect((await usage(field)).usedInCampaigns).toEqual([]);
  });
});
