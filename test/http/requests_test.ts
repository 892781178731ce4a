// The log of a project's requests: what stands in it, who reads it, and that nobody waits for it or fills it.
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { createKey } from "../../src/accounts/projects/named_keys.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { requestReset } from "../../src/accounts/projects/removal.ts";
import { type AnsweredRequest, flushRequests, recordRequest } from "../../src/insight/requests/log.ts";
import { dropExpired } from "../../src/insight/retention.ts";
import { resetProject } from "../../src/removal/mod.ts";
import { metersOf } from "../../src/meters.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { until } from "../support/process.ts";
import { type RequestOptions, useService } from "../support/service.ts";

const service = useService({ REQUEST_LOG_PER_MINUTE: "120", RATE_LIMIT_PER_MINUTE: "100000" });
let project: NewProject;
let owner: Person;

beforeAll(async () => {
  owner = await signUp(service);
});
beforeEach(async () => {
  project = await service.createProject();
});

const call = (method: string, path: string, options: RequestOptions = {}) =>
  service.request(method, path, { key: project.secret, ...options });

/** Waits until the last answer has been noted, and what is noted has been written. */
async function written(requests: number) {
  await until("the log has them", async () => {
    await flushRequests(service);
    const [row] = await service.pool`
      select count(*)::int as count from requests where project_id = ${project.id}`;
    return row!.count >= requests;
  });
}

const list = async (query = "") => (await call("GET", `/requests${query}`)).body;
const one = async (id: string) => (await call("GET", `/requests/${id}`)).body;
const outcomes = async () => {
  const { values } = await metersOf(service).requestLog.get();
  return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
};

/** A request as it is noted after its answer. */
const answered = (more: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  projectId: project.id,
  caller: { kind: "public", id: null, name: null, hint: "abcd" },
  requestId: Bun.randomUUIDv7(),
  isGiven: false,
  method: "POST",
  route: "/v1/track",
  url: "http://localhost/v1/track",
  userAgent: null,
  status: 200,
  ms: 1,
  refusal: null,
  body: undefined,
  ...more,
});
const record = (request: AnsweredRequest) =>
  recordRequest(service, request.projectId, request.status, () => request);

describe("what stands in the log", () => {
  test("is each request with a key: which one, when, how long, and how it was answered, the newest first", async () => {
    const sent = await call("POST", "/contacts", {
      body: { email: "ada@example.com" },
      headers: { "user-agent": "shop/1.0" },
    });
    await service.request("POST", "/v1/track", {
      key: project.public,
      body: { email: "ada@example.com", event: "paid" },
    });
    const missing = await call("GET", `/contacts/${crypto.randomUUID()}?x=`);
    await written(3);
    const { data, hasMore, cursor } = await list();

    expect(data.map((row: any) => [row.method, row.route, row.status, row.key.kind, row.code])).toEqual([
      ["GET", "/contacts/:id", missing.status, "secret", missing.body.error.code],
      ["POST", "/v1/track", 200, "public", null],
      ["POST", "/contacts", 201, "secret", null],
    ]);
    expect([hasMore, cursor]).toEqual([false, null]);
    expect(data[2]).toMatchObject({
      id: sent.headers.get("x-request-id"),
      requestId: sent.headers.get("x-request-id"),
      path: "/contacts",
      key: { id: null, name: null, hint: project.secret.slice(-4) },
      user: null,
      userAgent: "shop/1.0",
      leftOut: 0,
    });
    expect(Math.abs(Date.parse(data[2].createdAt) - Date.now())).toBeLessThan(600_000);
    expect(data[2].durationMs).toBeGreaterThan(0);
  });

  test("names a key that has a name, and has what it was refused for: its scopes, its time", async () => {
    const actor = OPERATOR;
    const key = await createKey(service, project.id, { name: "Shop", scopes: ["track"] }, actor);
    const late = await createKey(
      service,
      project.id,
      { name: "Old", scopes: ["all"], expiresAt: new Date(service.now().getTime() - 1000) },
      actor,
    );
    const reader = await createKey(service, project.id, { name: "Reader", scopes: ["read"] }, actor);
    await service.request("POST", "/v1/track", { key: key.key, body: { email: "a@x.test", event: "e" } });
    await service.request("GET", "/contacts", { key: late.key });
    await service.request("POST", "/contacts", { key: reader.key, body: { email: "a@x.test" } });
    await written(3);
    const { data } = await list();

    expect(data.map((row: any) => [row.status, row.code, row.key.name, row.key.hint])).toEqual([
      [403, "FORBIDDEN", "Reader", reader.hint],
      [401, "INVALID_API_KEY", "Old", late.hint],
      [200, null, "Shop", key.hint],
    ]);
    expect((await list(`?key=${key.id}`)).data.map((row: any) => row.key.name)).toEqual(["Shop"]);
  });

  test("finds a request by the id that its caller gave it, the latest of several", async () => {
    const id = crypto.randomUUID();
    for (const path of ["/contacts", "/segments"])
      await call("GET", path, { headers: { "x-request-id": id } });
    await written(2);
    const found = await one(id);

    expect([found.requestId, found.path]).toEqual([id, "/segments"]);
    expect(found.id).not.toBe(id);
    expect((await one(found.id)).path).toBe("/segments");
  });

  test("says of a refused request what was wrong, and what was sent, without secrets", async () => {
    const secret = "a-secret-of-somebody";
    const body = {
      to: "ada@example.com",
      from: 5,
      subject: "Your order",
      data: { password: secret, "API-Key": secret, nested: [{ accessToken: secret, plan: "pro" }] },
      headers: { Authorization: `Bearer ${secret}`, "X-Note": `see https://x.test/?token=${secret}&page=2` },
      body: `<p>${project.secret} and Bearer ${secret}${"x".repeat(5_000)}</p>`,
    };
    const { headers } = await call("POST", `/v1/send?token=${secret}&b=${project.secret}`, { body });
    await call("POST", "/v1/send", { body });
    await call("POST", "/v1/send", {
      raw: `{"password": "${secret}", "to": "a@x.test",, "token": {"x": "${secret}"}}`,
    });
    await written(3);
    const [broken, refused, first] = (await list()).data;
    const shown = await one(refused.id);
    const all = JSON.stringify(await Promise.all([broken, refused, first].map(({ id }) => one(id))));

    expect(first.requestId).toBe(headers.get("x-request-id"));
    expect(first.path).toBe("/v1/send?token=[removed]&b=[removed]");
    expect([shown.status, shown.code, shown.errors[0]]).toEqual([
      422,
      "VALIDATION_ERROR",
      { field: "from", code: expect.any(String), message: expect.any(String) },
    ]);
    expect(JSON.parse(shown.body)).toMatchObject({
      to: "ada@example.com",
      data: {
        password: "[removed]",
        "API-Key": "[removed]",
        nested: [{ accessToken: "[removed]", plan: "pro" }],
      },
      headers: { "X-Note": "see https://x.test/?token=[removed]&page=2" },
    });
    expect(Buffer.byteLength(shown.body)).toBeLessThan(4_097);
    expect((await one(broken.id)).body).toContain('"to": "a@x.test"');
    expect(all).not.toContain(secret);
    expect(all).not.toContain(project.secret);
  });

  test("has no body of what was accepted, nor of what was refused before it was read", async () => {
    await call("POST", "/contacts", { body: { email: "b@example.com" } });
    await call("POST", "/contacts?nonsense=1", { body: { email: "b@example.com" } });
    await written(2);
    const rows = (await list()).data;

    expect(await Promise.all(rows.map(async ({ id }: { id: string }) => (await one(id)).body))).toEqual([
      null,
      null,
    ]);
  });

  test("holds whatever a request is made of", async () => {
    const odd = "\0 \ud800 \udc00 \u2028 ☃";
    record({
      ...answered({
        status: 422,
        url: `http://h/contacts/${odd}`,
        userAgent: odd,
        body: { [odd]: odd, __proto__: null },
      }),
      refusal: { code: "X", message: odd, errors: [{ field: odd, code: "custom", message: odd }] },
    });
    record(answered({ status: 400, body: odd, ms: 1e9 }));
    await written(2);

    expect((await list()).data).toHaveLength(2);
  });
});

describe("sessions", () => {
  test("are in the log with who changed something, and was refused to; what they read is not, nor is the log itself", async () => {
    const member = await signUp(service);
    await join(service, member, project.id);
    const inProject = { projectId: project.id };
    await member.request("GET", "/contacts", undefined, inProject);
    await member.request("POST", "/contacts", { email: "c@example.com" }, inProject);
    await member.request("POST", "/domains", { projectId: project.id, domain: "x.example" }, inProject);
    await list();
    await written(2);
    await list();
    await flushRequests(service);
    const { data } = await list();

    expect(data.map((row: any) => [row.method, row.path, row.status, row.key, row.user])).toEqual([
      ["POST", "/domains", 403, null, { id: member.userId, email: member.email }],
      ["POST", "/contacts", 201, null, { id: member.userId, email: member.email }],
    ]);
    expect((await list("?key=session")).data).toHaveLength(2);
    expect((await list("?key=secret")).data).toHaveLength(0);
  });

  test("read the log of their own projects only, and a key that of its own", async () => {
    await call("GET", "/contacts");
    await written(1);
    const [{ id }] = (await list()).data;
    const other = await service.createProject();
    const stranger = await owner.request("GET", "/requests", undefined, { projectId: project.id });

    expect(stranger.status).toBe(403);
    expect((await service.request("GET", "/requests", { key: other.secret })).body.data).toEqual([]);
    expect((await service.request("GET", `/requests/${id}`, { key: other.secret })).status).toBe(404);
  });
});

describe("pages and filters", () => {
  test("go from the newest to the oldest without gaps, and by status, method, path and time", async () => {
    for (const [method, path] of [
      ["GET", "/contacts"],
      ["GET", "/contacts/x"],
      ["POST", "/contacts"],
      ["GET", "/segments"],
      ["GET", "/nothing-here"],
      ["GET", "/contacts?limit=nonsense"],
    ]) {
      await call(method!, path!, method === "POST" ? { body: {} } : {});
      // The bounds of time below tell them apart: no two in one millisecond.
      await Bun.sleep(2);
    }
    await written(5);
    const all = (await list()).data;
    const paths = async (query: string) => (await list(query)).data.map((row: any) => row.path);
    const pages: string[] = [];
    for (let cursor: string | null = "", page; cursor !== null; cursor = page.cursor) {
      page = await list(`?limit=2&cursor=${cursor}`);
      pages.push(...page.data.map((row: any) => row.id));
    }

    // A path that nobody serves is nobody's.
    expect(all).toHaveLength(5);
    expect(pages).toEqual(all.map((row: any) => row.id));
    expect(await paths("?status=4xx")).toEqual(["/contacts?limit=nonsense", "/contacts", "/contacts/x"]);
    expect(await paths("?status=404")).toEqual(["/contacts/x"]);
    expect(await paths("?status=2xx&method=GET")).toEqual(["/segments", "/contacts"]);
    expect(await paths("?status=2xx&method=get")).toEqual(["/segments", "/contacts"]);
    expect(await paths("?path=/contacts/:id")).toEqual(["/contacts/x"]);
    expect(await paths("?path=/contacts/x")).toEqual(["/contacts/x"]);
    expect(await paths(`?until=${all[3].createdAt}`)).toEqual(["/contacts/x", "/contacts"]);
    expect(await paths(`?from=${all[1].createdAt}&status=4xx`)).toEqual(["/contacts?limit=nonsense"]);
  });

  test("refuse what cannot be one, and say what can", async () => {
    const answers = await Promise.all(
      ["status=teapot", "status=99", "method=BREW", "key=me", "cursor=x", "from=yesterday", "stauts=4xx"].map(
        (query) => call("GET", `/requests?${query}`),
      ),
    );

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
  });

  test("look at 20,000 rows at a time for a filter that matches few, and go on where they end", async () => {
    await service.pool`
      insert into requests (project_id, id, method, route, path, status, ms)
      select ${project.id}, uuid_v7(), case when n in (1, 20500) then 'PUT' else 'GET' end, '/r', '/r', 200, 1
      from generate_series(1, 41000) as n`;
    const first = await list("?method=PUT");
    const second = await list(`?method=PUT&cursor=${first.cursor}`);
    const third = await list(`?method=PUT&cursor=${second.cursor}`);

    expect([first, second, third].map(({ data, hasMore }) => [data.length, hasMore])).toEqual([
      [0, true],
      [1, true],
      [1, false],
    ]);
  });
});

describe("a project with very many requests", () => {
  test("has a sample in its log that says how many are missing; refusals have room of their own, and bodies a tenth", async () => {
    const before = await outcomes();
    for (let n = 0; n < 10_000; n++) record(answered());
    for (let n = 0; n < 1_000; n++) record(answered({ status: 422, body: { n } }));
    await written(1_200);
    service.setNow(new Date(service.now().getTime() + 60_000));
    record(answered());
    await written(1_201);
    const [row] = await service.pool`
      select count(*)::int as rows, sum(left_out)::int as left_out, count(body)::int as bodies
      from requests where project_id = ${project.id}`;
    const after = await outcomes();

    expect(row).toEqual({ rows: 1_201, leftOut: 11_001 - 1_201, bodies: 60 });
    expect((after.left_out ?? 0) - (before.left_out ?? 0)).toBe(9_800);
    expect((await list("?limit=1")).data[0].leftOut).toBe(400);
  });

  test("takes no room from another one", async () => {
    for (let n = 0; n < 10_000; n++) record(answered());
    const other = await service.createProject();
    record(answered({ projectId: other.id }));
    await written(600);

    expect((await service.request("GET", "/requests", { key: other.secret })).body.data).toHaveLength(1);
  });
});

describe("a database that is slow or away", () => {
  test("delays no request, and costs no memory: what has no room is dropped, and counted", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
    const holder = service.pool.begin(async (sql) => {
      await sql`lock table requests in access exclusive mode`;
      isLocked();
      await held;
    });
    await locked;
    const before = await outcomes();
    const projects = Array.from({ length: 20 }, () => crypto.randomUUID());
    for (let n = 0; n < 500; n++) for (const id of projects) record(answered({ projectId: id }));
    const meanwhile = await call("GET", "/contacts");
    const during = await outcomes();
    release();
    await holder;
    await until("all is written", async () => {
      await flushRequests(service);
      const now = await outcomes();
      return now.written! - before.written! >= 5_000;
    });

    expect(meanwhile.status).toBe(200);
    expect(during.dropped! - (before.dropped ?? 0)).toBeGreaterThanOrEqual(5_000);
  });

  test("gets what waited when it is back, once", async () => {
    const away = Object.assign(new Error("away"), { code: "CONNECTION_CLOSED" });
    const broken = Object.assign(() => Promise.reject(away), { unsafe: () => Promise.reject(away) });
    record(answered());
    await flushRequests({ ...service, sql: broken as never });
    const [none] =
      await service.pool`select count(*)::int as count from requests where project_id = ${project.id}`;
    await written(1);
    await flushRequests(service);

    expect(none!.count).toBe(0);
    expect((await list()).data).toHaveLength(1);
  });
});

describe("what goes", () => {
  test("is whatever names a contact that is deleted, but not that there was a request", async () => {
    const other = await service.createProject();
    const address = "Grace@Example.com";
    const { body: contact } = await call("POST", "/contacts", { body: { email: address } });
    const body = { to: [`Grace <${address}>`, "ada@example.com"], from: 5 };
    await call("POST", "/v1/send", { body });
    await service.request("POST", "/v1/send", { key: other.secret, body });
    await call("GET", "/contacts?search=grace%40example.com");
    await call("POST", "/v1/send", { body: { to: "ada@example.com", from: 5 } });
    await written(4);
    await call("DELETE", `/contacts/${contact.id}`);
    await written(5);
    const rows = await service.pool`select * from requests where project_id = ${project.id} order by id`;
    const [kept] = await service.pool`select body from requests where project_id = ${other.id}`;

    expect(rows.map(({ path, status }) => [path, status])).toEqual([
      ["/contacts", 201],
      ["/v1/send", 422],
      ["/contacts", 200],
      ["/v1/send", 422],
      [`/contacts/${contact.id}`, 204],
    ]);
    expect(JSON.stringify(rows).toLowerCase()).not.toContain("grace");
    expect(rows[3]!.body).toContain("ada@example.com");
    expect(kept!.body.toLowerCase()).toContain("grace");
  });

  test("is everything from before a reset, also what is written after it was asked for", async () => {
    await call("GET", "/contacts");
    await written(1);
    record(answered({ requestId: Bun.randomUUIDv7("hex", service.now().getTime() - 1_000) }));
    await requestReset(service, project.id, OPERATOR);
    await flushRequests(service);
    service.setNow(new Date(service.now().getTime() + 10));
    record(answered({ requestId: Bun.randomUUIDv7("hex", service.now().getTime()) }));
    await flushRequests(service);
    await resetProject(service, { projectId: project.id }, {});

    expect((await list()).data).toHaveLength(1);
  });

  test("is what a project that is deleted meanwhile had, while the others' is written", async () => {
    record(answered({ projectId: crypto.randomUUID() }));
    record(answered());
    await written(1);

    expect((await list()).data).toHaveLength(1);
  });

  test("is what is older than 7 days", async () => {
    const at = (days: number) => Bun.randomUUIDv7("hex", service.now().getTime() - days * 86_400_000);
    for (const days of [30, 7.1, 6.9, 0]) record(answered({ requestId: at(days) }));
    await written(4);
    await dropExpired(service);

    expect((await list()).data).toHaveLength(2);
  });
});
