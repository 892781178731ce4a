// The audience as a console needs it: filtered, sorted, jumped into, explained, exported and moved in bulk.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { noteSegmentSizes } from "../../src/audience/segments/upkeep.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const call = (method: string, path: string, body?: unknown) =>
  service.request(method, path, { key: project.secret, ...(body !== undefined && { body }) });
const emails = async (query: string) => {
  const { status, body } = await call("GET", `/contacts?${query}`);
  expect([query, status, body.error?.message]).toEqual([query, 200, undefined]);
  return body.data.map(({ email }: { email: string }) => email.split("@")[0]);
};
const PRO = {
  logic: "AND",
  groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }],
};
const ids: Record<string, string> = {};
let pro: string;
let list: string;

beforeAll(async () => {
  project = await service.createProject();
  for (const [name, data, subscribed] of [
    ["ada", { plan: "pro", seats: 3 }, true],
    ["bob", { plan: "free", seats: "3" }, true],
    ["cy", { plan: "pro" }, false],
    ["dan", { note: '=1+1 "x", y' }, true],
  ] as const) {
    ids[name] = (await call("POST", "/contacts", { email: `${name}@example.com`, data, subscribed })).body.id;
  }
  pro = (await call("POST", "/segments", { name: "Pro", condition: PRO })).body.id;
  list = (await call("POST", "/segments", { name: "List", type: "STATIC", trackMembership: true })).body.id;
});

describe("GET /contacts", () => {
  test("filters by segment, unsaved condition, subscription and field, all at once", async () => {
    const condition = encodeURIComponent(JSON.stringify(PRO));

    expect(await emails(`segmentId=${pro}&sort=email&dir=asc`)).toEqual(["ada", "cy"]);
    expect(await emails(`condition=${condition}&sort=email&dir=asc`)).toEqual(["ada", "cy"]);
    expect(await emails(`condition=${condition}&subscribed=true`)).toEqual(["ada"]);
    expect(await emails(`segmentId=${pro.toUpperCase()}&search=c`)).toEqual(["cy", "ada"]);
    expect(await emails("field=seats&value=3&sort=email&dir=asc")).toEqual(["ada", "bob"]);
    expect(await emails("field=data.note")).toEqual(["dan"]);
    expect(await emails(`field=plan&value=pro&condition=${condition}&segmentId=${pro}&search=ada`)).toEqual([
      "ada",
    ]);
    expect((await call("GET", `/contacts?segmentId=${pro}`)).body.total).toBe(2);
  });

  test("refuses what it cannot read, and says where", async () => {
    const fault = async (query: string) => {
      const { status, body } = await call("GET", `/contacts?${query}`);
      return [status, body.error.errors?.[0]?.field ?? body.error.code];
    };
    const wrong = encodeURIComponent(
      JSON.stringify({ logic: "AND", groups: [{ filters: [{ field: "data.x" }] }] }),
    );

    expect(await fault("condition=nonsense")).toEqual([400, "condition"]);
    expect(await fault(`condition=${wrong}`)).toEqual([422, "condition.groups.0.filters.0.operator"]);
    expect(await fault("value=3")).toEqual([400, "field"]);
    expect(await fault(`segmentId=${crypto.randomUUID()}`)).toEqual([404, "SEGMENT_NOT_FOUND"]);
    expect(await fault("sort=createdAt&anchor=x")).toEqual([400, "anchor"]);
    expect(await fault("sort=lastActivity&anchor=2026-01-01")).toEqual([400, "anchor"]);
  });

  test("begins at an anchor, and goes back from where it began", async () => {
    const { body } = await call("GET", "/contacts?sort=email&dir=asc&anchor=C&limit=1");
    const back = `sort=email&dir=desc&cursor=${body.startCursor}`;
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

    expect(body.data[0].email).toBe("cy@example.com");
    expect(await emails(back)).toEqual(["bob", "ada"]);
    expect(await emails(`sort=email&dir=asc&cursor=${body.cursor}`)).toEqual(["dan"]);
    expect(await emails(`sort=email&dir=desc&anchor=bz`)).toEqual(["bob", "ada"]);
    expect(await emails(`anchor=${tomorrow}&limit=1`)).toEqual(["dan"]);
    expect(await emails("dir=asc&anchor=2020-01-01&limit=1")).toEqual(["ada"]);
    expect(await emails("anchor=2020-01-01")).toEqual([]);
  });

  test("sorts by the last change, page by page", async () => {
    await call("PATCH", `/contacts/${ids.ada}`, { data: { touched: true } });
    const { body } = await call("GET", "/contacts?sort=updatedAt&limit=2");

    expect(body.data.map(({ email }: { email: string }) => email[0])).toEqual(["a", "d"]);
    expect(await emails(`sort=updatedAt&cursor=${body.cursor}`)).toEqual(["cy", "bob"]);
  });

  test("sorts by what contacts did last; what was sent to them is nothing that they did", async () => {
    const own = await service.createProject();
    const ask = (path: string, body?: object) =>
      service.request(body ? "POST" : "GET", path, { key: own.secret, ...(body && { body }) });
    for (const name of ["ada", "bob", "ada", "cy"]) {
      await ask("/events/track", { event: "came", email: `${name}@example.com` });
    }
    await ask("/contacts", { email: "idle@example.com" });
    await ask("/v1/send", { to: "bob@example.com", from: "a@shop.example", subject: "s", body: "b" });
    await service.runJobs();
    const first = (await ask("/contacts?sort=lastActivity&limit=2")).body;
    const second = (await ask(`/contacts?sort=lastActivity&limit=2&cursor=${first.cursor}`)).body;

    expect([...first.data, ...second.data].map(({ email }) => email.split("@")[0])).toEqual([
      "cy",
      "ada",
      "bob",
    ]);
    expect([first.hasMore, second.hasMore, second.cursor]).toEqual([true, false, null]);
    expect(Date.parse(first.data[0].lastActivityAt)).toBeGreaterThan(Date.now() - 600_000);
  });
});

describe("GET /contacts/:id?include=", () => {
  test("answers its segments, also untracked ones, and its executions", async () => {
    const { build } = workflowsOf(service, () => project);
    const { id } = await build({ event: "went", steps: { End: { type: "EXIT" } }, ways: ["Trigger > End"] });
    await call("POST", `/workflows/${id}/executions`, { contactId: ids.ada });
    const { body } = await call("GET", `/contacts/${ids.ada}?include=segments,executions`);

    expect(body.segments).toEqual([{ id: pro, name: "Pro", slug: "pro", type: "DYNAMIC" }]);
    expect(body.executions).toEqual([expect.objectContaining({ workflowId: id, workflowName: "Welcome" })]);
    expect((await call("GET", `/contacts/${ids.ada}`)).body.segments).toBeUndefined();
    expect((await call("GET", `/contacts/${ids.ada}?include=mails`)).status).toBe(400);
  });
});

describe("GET /segments/:id/explain", () => {
  test("tells of each filter whether it holds, and what it found", async () => {
    service.setNow(new Date(Date.now() - 2 * 86_400_000));
    await call("POST", "/events/track", { event: "ordered", email: "ada@example.com" });
    service.setNow(new Date());
    await call("POST", "/events/track", { event: "ordered", email: "ada@example.com" });
    const { body: segment } = await call("POST", "/segments", {
      name: "Mixed",
      condition: {
        logic: "OR",
        groups: [
          {
            filters: [
              { field: "data.plan", operator: "equals", value: "free" },
              { field: "subscribed", operator: "equals", value: true },
            ],
          },
          {
            filters: [
              { field: "event.ordered", operator: "triggered" },
              { field: "event.ordered", operator: "triggeredAtMost", count: 1, value: 1, unit: "days" },
              { field: "event.ordered", operator: "triggeredAtMost", count: 2 },
            ],
            conditions: {
              logic: "AND",
              groups: [{ filters: [{ field: `segment.${pro}`, operator: "memberOfSegment" }] }],
            },
          },
        ],
      },
    });
    const explain = async (who: string) =>
      (await call("GET", `/segments/${segment.id}/explain?contactId=${ids[who]}`)).body;
    const ada = await explain("ada");

    expect(ada.matches).toBe(true);
    expect(ada.condition.groups.map(({ matches }: { matches: boolean }) => matches)).toEqual([false, true]);
    expect(ada.condition.groups[0].filters).toEqual([
      { field: "data.plan", operator: "equals", value: "free", matches: false, found: "pro" },
      { field: "subscribed", operator: "equals", value: true, matches: true, found: true },
    ]);
    expect(ada.condition.groups[1].filters.map(({ found }: { found: unknown }) => found)).toEqual(
      [2, 1, 2].map((count) => ({ count, lastAt: expect.any(String) })),
    );
    expect(ada.condition.groups[1].filters[1]).toMatchObject({
      count: 1,
      value: 1,
      unit: "days",
      matches: true,
    });
    expect(ada.condition.groups[1].conditions.groups[0].filters[0]).toMatchObject({
      matches: true,
      found: "Pro",
    });
    expect((await explain("cy")).matches).toBe(false);
    expect((await explain("dan")).condition.groups[0].filters[0].found).toBeNull();
    expect(
      (await call("GET", `/segments/${segment.id}/explain?contactId=${crypto.randomUUID()}`)).status,
    ).toBe(404);
    await call("DELETE", `/segments/${segment.id}`);
  });
});

describe("the members of a segment", () => {
  test("are paged by cursor without repeats and gaps, and searched", async () => {
    const own = await service.createProject();
    const ask = (method: string, path: string, body?: object) =>
      service.request(method, path, { key: own.secret, ...(body && { body }) });
    const { id } = (await ask("POST", "/segments", { name: "All", type: "STATIC" })).body;
    const all = Array.from({ length: 7 }, (_, n) => `m${n}@example.com`);
    await ask("POST", `/segments/${id}/members`, { emails: all, createMissing: true });
    const seen: string[] = [];
    for (let cursor = ""; ;) {
      const query = `pageSize=3${cursor && `&cursor=${cursor}`}`;
      const { body } = await ask("GET", `/segments/${id}/contacts?${query}`);
      seen.push(...body.data.map(({ email }: { email: string }) => email));
      expect(body.hasMore).toBe(body.cursor !== null);
      if (!body.hasMore) break;
      cursor = body.cursor;
    }
    const found = (await ask("GET", `/segments/${id}/contacts?search=M5`)).body;

    expect(seen.toSorted()).toEqual(all);
    expect([found.total, found.data[0].email]).toEqual([1, "m5@example.com"]);
    expect((await ask("GET", `/segments/${id}/contacts?search=m&page=2`)).status).toBe(400);
    expect((await ask("GET", `/segments/${id}/contacts?cursor=nonsense`)).status).toBe(400);
  });

  test("are counted for every day, also of a segment that nobody looks at", async () => {
    const history = async () => (await call("GET", `/segments/${pro}/history`)).body;
    const today = new Date().toISOString().slice(0, 10);
    const tomorrow = new Date(Date.now() + 86_400_000);

    expect(await history()).toEqual([{ date: today, members: 2 }]);
    await call("POST", "/contacts", { email: "new@example.com", data: { plan: "pro" } });
    service.setNow(tomorrow);
    await noteSegmentSizes(service);
    await noteSegmentSizes(service);
    const after = await history();
    service.setNow(new Date());
    await call("DELETE", `/contacts/${(await call("GET", "/contacts?search=new@")).body.data[0].id}`);

    expect(after.at(-1)).toEqual({ date: tomorrow.toISOString().slice(0, 10), members: 3 });
    expect(after).toHaveLength(2);
  });

  test("are counted for all segments in one answer, with null for a day without a count", async () => {
    const { pool } = service;
    await pool`
      insert into segment_sizes (project_id, segment_id, day, members)
      select ${project.id}, ${pro}, d, m from (values (date '2026-01-01', 5), ('2026-01-03', 8), ('2026-01-04', 9)) as r (d, m)`;
    const stranger = await service.createProject();
    const asked = "/segments/sizes?startDate=2026-01-01&endDate=2026-01-03";
    const { status, body } = await call("GET", asked);

    expect(status).toBe(200);
    expect(body.dates).toEqual(["2026-01-01", "2026-01-02", "2026-01-03"]);
    expect(body.segments).toEqual([
      { id: list, members: [null, null, null] },
      { id: pro, members: [5, null, 8] },
    ]);
    expect((await call("GET", "/segments/sizes")).body.dates).toHaveLength(30);
    expect((await service.request("GET", asked, { key: stranger.secret })).body.segments).toEqual([]);
    const long = await call("GET", "/segments/sizes?startDate=2026-01-01&endDate=2026-04-01");
    expect([long.status, long.body.error.errors[0].message]).toEqual([
      400,
      expect.stringContaining("at most 90 days"),
    ]);
  });

  test("are added and removed in bulk by ids, a segment or a condition, with an event for each that is new", async () => {
    const done = async (path: string, body: object) => {
      const { status, body: queued } = await call("POST", path, { segmentId: list, ...body });
      expect([status, queued.error]).toEqual([202, undefined]);
      await service.runJobs();
      const { state, result } = (await call("GET", `/contacts/bulk/${queued.jobId}`)).body;
      return [state, result.operation, result.successCount, result.unchangedCount, result.failureCount];
    };
    const members = async () => (await call("GET", `/segments/${list}`)).body.memberCount;

    expect(
      await done("/contacts/bulk-add-to-segment", { contactIds: [ids.bob, crypto.randomUUID()] }),
    ).toEqual(["completed", "add", 1, 0, 1]);
    expect(
      await done("/contacts/bulk-add-to-segment", { mode: "query", filter: { segmentId: pro } }),
    ).toEqual(["completed", "add", 2, 0, 0]);
    expect(await done("/contacts/bulk-add-to-segment", { mode: "query", filter: {} })).toMatchObject([
      "completed",
      "add",
      1,
      3,
      0,
    ]);
    const [entries] = await service.pool`
      select count(*)::int as n from events where project_id = ${project.id} and name = 'segment.list.entry'`;
    expect([await members(), entries!.n]).toEqual([4, 4]);
    expect(
      await done("/contacts/bulk-remove-from-segment", { mode: "query", filter: { condition: PRO } }),
    ).toEqual(["completed", "remove", 2, 0, 0]);
    expect(await members()).toBe(2);
    const refused = await call("POST", "/contacts/bulk-add-to-segment", {
      segmentId: pro,
      contactIds: [ids.bob],
    });
    expect(refused.status).toBe(400);
  });
});

describe("GET /contacts/export", () => {
  const text = async (query: string) => {
    const headers = { authorization: `Bearer ${project.secret}` };
    const answer = await service.app.handle(
      new Request(`http://localhost/contacts/export?${query}`, { headers }),
    );
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  test("streams CSV that an import takes back, formulas guarded", async () => {
    const { headers, text: csv } = await text(`search=@example.com`);
    const [header, ...lines] = csv.trimEnd().split("\r\n");

    expect(headers.get("content-type")).toStartWith("text/csv");
    expect(headers.get("content-disposition")).toMatch(
      /^attachment; filename="contacts-\d{4}-\d\d-\d\d\.csv"$/,
    );
    expect(header).toBe("email,subscribed,createdAt,updatedAt,note,plan,seats,touched");
    expect(lines.map((line) => line.split("@")[0])).toEqual(["ada", "bob", "cy", "dan"]);
    expect(lines[0]).toEndWith(",,pro,3,true");
    expect(lines[3]).toContain(`"'=1+1 ""x"", y"`);
  });

  test("streams NDJSON of a selection", async () => {
    const { text: lines } = await text(`format=ndjson&segmentId=${pro}`);
    const rows = lines
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

    expect(rows.map(({ email }) => email)).toEqual(["ada@example.com", "cy@example.com"]);
    expect(rows[0]).toMatchObject({ id: ids.ada, data: { plan: "pro", seats: 3 } });
    expect((await text("format=xml")).status).toBe(400);
    expect((await text(`segmentId=${crypto.randomUUID()}`)).status).toBe(404);
  });

  test("lets two run at a time, and one that is given up makes room", async () => {
    const many = await service.createProject();
    await service.pool`
      insert into contacts (project_id, email, subscribed, data)
      select ${many.id}, 'c' || n || '@example.com', true, json_build_object('text', repeat('x', 2000))::jsonb
      from generate_series(1, 20000) n`;
    const open = () =>
      service.app.handle(
        new Request("http://localhost/contacts/export", {
          headers: { authorization: `Bearer ${many.secret}` },
        }),
      );
    const [one, two] = [await open(), await open()];
    const third = await open();
    await third.body?.cancel();
    await one.body!.cancel();
    await two.body!.cancel();

    expect([one.status, two.status, third.status]).toEqual([200, 200, 429]);
    for (;;) {
      const again = await open();
      const { status } = again;
      if (status !== 200) {
        await again.body?.cancel();
        continue;
      }
      const lines = (await again.text()).trimEnd().split("\r\n");
      expect(lines).toHaveLength(20_001);
      break;
    }
  });
});

describe("GET /analytics/contacts", () => {
  test("tells day by day who came and went, and how many there were", async () => {
    const own = await service.createProject();
    const ask = (method: string, path: string, body?: object) =>
      service.request(method, path, { key: own.secret, ...(body && { body }) });
    await service.pool`
      insert into contacts (project_id, email, subscribed, created_at)
      select ${own.id}, 'old' || n || '@example.com', true, now() - interval '2 days' from generate_series(1, 3) n`;
    const { id } = (await ask("POST", "/contacts", { email: "a@example.com" })).body;
    await ask("PATCH", `/contacts/${id}`, { subscribed: false });
    const other = (await ask("POST", "/contacts", { email: "b@example.com" })).body.id;
    await ask("DELETE", `/contacts/${other}`);
    const read = async () => (await ask("GET", "/analytics/contacts")).body;
    const days = await read();
    const zero = { created: 0, deleted: 0, subscribed: 0, unsubscribed: 0, bounced: 0, complained: 0 };

    expect(days).toHaveLength(30);
    expect(days.slice(-3)).toEqual([
      { ...zero, date: expect.any(String), created: 3, total: 3 },
      { ...zero, date: expect.any(String), total: 3 },
      { ...zero, date: expect.any(String), created: 2, deleted: 1, unsubscribed: 1, total: 4 },
    ]);
    await service.runJobs();
    expect(await read()).toEqual(days);
  });
});
