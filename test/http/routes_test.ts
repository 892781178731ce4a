// Routes of a project, and warm-up plans: what a document may say, who comes second, and where a mail would go.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { INSTALLATION } from "../../src/sending/transports/routes.ts";
import { useService } from "../support/service.ts";

const service = useService();

let project: NewProject;
let first: string;
let second: string;

beforeAll(async () => {
  project = await service.createProject();
  const add = async (name: string, input: object = {}) =>
    (await as("POST", "/transports", { name, kind: "CAPTURE", ...input })).body.id as string;
  first = await add("First");
  second = await add("Second", { priority: 200, weight: 3 });
});

const as = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.request(method, path, { key: project.secret, body, headers });

const put = (rules: unknown, headers?: Record<string, string>) => as("PUT", "/routes", { rules }, headers);

/** Where a mail would go, in a few words. */
async function way(type: string, to: string, from = "hello@shop.example") {
  const { rule, owner, provider, whenFull, transports } = (
    await as("POST", "/routes/test", { type, from, to })
  ).body;
  return {
    rule,
    owner,
    provider,
    whenFull,
    names: transports.map((one: { name: string }) => one.name),
    transports,
  };
}

describe("routes", () => {
  test("are one document, kept in one spelling", async () => {
    const { status, body } = await put([
      {
        type: "MARKETING",
        providers: ["Google", "Web.DE"],
        transports: [{ id: first.toUpperCase() }],
        whenFull: "WAIT",
      },
      {
        senderDomains: ["Shop.Example", "shop.example"],
        transports: [{ id: "default", priority: 5, weight: 2 }],
      },
    ]);

    expect(status).toBe(200);
    expect(body).toEqual({
      rules: [
        { type: "MARKETING", providers: ["google", "web.de"], transports: [{ id: first }], whenFull: "WAIT" },
        {
          senderDomains: ["shop.example"],
          transports: [{ id: "default", priority: 5, weight: 2 }],
          whenFull: "NEXT",
        },
      ],
      editedBy: expect.stringContaining("secret key"),
      updatedAt: expect.any(String),
    });
    expect((await as("GET", "/routes")).body).toEqual(body);
  });

  test("refuse, at its place, what no rule can say, and change nothing", async () => {
    await put([{ transports: [{ id: first }] }]);
    const before = (await as("GET", "/routes")).body;
    const theirs = await service.createProject();
    const other = await service.request("POST", "/transports", {
      key: theirs.secret,
      body: { name: "Theirs", kind: "CAPTURE" },
    });
    const { status, body } = await put([
      { transports: [{ id: first }] },
      { providers: ["gmail"], senderDomains: ["not a domain"], transports: [{ id: first }, { id: first }] },
    ]);
    const unknown = await put([{ transports: [{ id: first }, { id: other.body.id }] }]);
    const many = await put(Array(51).fill({ transports: [{ id: first }] }));
    const crowded = await put([{ transports: Array(21).fill({ id: "default" }) }, { transports: [] }]);
    const fieldsOf = (answer: typeof unknown) =>
      answer.body.error.errors.map((e: { field: string }) => e.field);

    expect(status).toBe(422);
    expect(body.error.errors.map((error: { field: string }) => error.field)).toEqual([
      "rules.1.senderDomains.0",
      "rules.1.providers.0",
      "rules.1.transports.1.id",
    ]);
    expect(fieldsOf(unknown)).toEqual(["rules.0.transports.1.id"]);
    expect(fieldsOf(many)).toEqual(["rules"]);
    expect(fieldsOf(crowded)).toEqual(["rules.0.transports", "rules.1.transports"]);
    expect((await as("GET", "/routes")).body).toEqual(before);
  });

  test("are saved over what was seen only", async () => {
    const { headers } = await put([{ transports: [{ id: first }] }]);
    const seen = { "if-match": headers.get("etag")! };
    const next = await put([{ transports: [{ id: second }] }], seen);
    const late = await put([], seen);

    expect(next.status).toBe(200);
    expect(late.status).toBe(412);
    expect(late.body.error.details).toMatchObject({ etag: next.headers.get("etag") });
    expect((await put([], { "if-match": next.headers.get("etag")! })).status).toBe(200);
  });

  test("keep a transport that they name", async () => {
    await put([{ transports: [{ id: "default" }] }, { transports: [{ id: second }] }]);
    const { status, body } = await as("DELETE", `/transports/${second}`);

    expect(status).toBe(409);
    expect(body.error.details.rules).toEqual([{ projectId: project.id, rule: 2 }]);
  });
});

describe("where a mail would go", () => {
  test("is decided by the first rule that applies, and else by priority", async () => {
    await put([
      { type: "MARKETING", providers: ["google"], transports: [{ id: second, priority: 1 }, { id: first }] },
      { senderDomains: ["news.shop.example"], transports: [{ id: "default" }], whenFull: "WAIT" },
    ]);

    expect(await way("MARKETING", "ada@gmail.com")).toMatchObject({
      rule: 1,
      owner: "PROJECT",
      provider: "google",
      names: ["Second", "First"],
    });
    expect((await way("HEADLESS", "ada@gmail.com")).rule).toBe(1);
    expect(await way("MARKETING", "ada@web.de", "a@news.shop.example")).toMatchObject({
      rule: 2,
      provider: "gmx",
      whenFull: "WAIT",
      transports: [{ id: "default", owner: "INSTALLATION", state: null, share: 1 }],
    });
    expect(await way("TRANSACTIONAL", "ada@gmail.com")).toMatchObject({
      rule: null,
      owner: null,
      names: ["First", "Second"],
    });
  });

  test("tells the shares of one priority, leaves out what is paused, and knows a change at once", async () => {
    await put([{ transports: [{ id: first }, { id: second, priority: 100 }] }]);
    const { transports } = await way("TRANSACTIONAL", "ada@example.com");
    await as("PATCH", `/transports/${second}`, { paused: true });
    const { names } = await way("TRANSACTIONAL", "ada@example.com");
    await as("PATCH", `/transports/${second}`, { paused: false });

    expect(transports.map(({ name, share }: { name: string; share: number }) => [name, share])).toEqual([
      ["Second", 0.75],
      ["First", 0.25],
    ]);
    expect(names).toEqual(["First"]);
  });

  test("is said by the installation where the project has no transport of its own", async () => {
    const plain = await service.createProject();
    const [reserve] = await service.pool`
      insert into transports (project_id, name, kind) values (${INSTALLATION}, 'Reserve', 'CAPTURE') returning id`;
    await service.pool`
      insert into routes (project_id, document)
      values (${INSTALLATION}, ${service.pool.json({ rules: [{ transports: [{ id: reserve!.id }], whenFull: "NEXT" }] })})`;
    const body = { type: "MARKETING", from: "a@shop.example", to: "ada@example.com" };
    const answer = await service.request("POST", "/routes/test", { key: plain.secret, body });
    await service.pool`delete from routes where project_id = ${INSTALLATION}`;
    await service.pool`delete from transports where project_id = ${INSTALLATION}`;

    expect(answer.body).toMatchObject({ rule: 1, owner: "INSTALLATION", transports: [{ name: "Reserve" }] });
  });
});

describe("a warm-up plan", () => {
  test("is made, changed, used and removed", async () => {
    const plan = (await as("POST", "/warmup-plans", { name: "Plan", dailyLimits: [10, 20] })).body;
    await as("PATCH", `/transports/${first}`, { warmup: { planId: plan.id, since: "2020-01-01" } });
    const renamed = (await as("PATCH", `/warmup-plans/${plan.id}`, { name: "Slow" })).body;
    const inUse = await as("DELETE", `/warmup-plans/${plan.id}`);
    const over = (await as("GET", `/transports/${first}`)).body.warmup;
    await as("PATCH", `/transports/${first}`, { warmup: null });

    expect(renamed).toEqual({ ...plan, name: "Slow", updatedAt: expect.any(String) });
    expect((await as("GET", "/warmup-plans")).body.plans).toEqual([renamed]);
    expect([inUse.status, inUse.body.error.details.transports]).toEqual([
      409,
      [{ id: first, name: "First" }],
    ]);
    expect(over).toMatchObject({ since: "2020-01-01T00:00:00.000Z", limitToday: null });
    expect((await as("DELETE", `/warmup-plans/${plan.id}`)).status).toBe(204);
    expect((await as("PATCH", `/warmup-plans/${plan.id}`, { name: "Gone" })).status).toBe(404);
  });

  test.each([
    [{ name: "A" }, ["dailyLimits"]],
    [{ name: "", dailyLimits: [] }, ["dailyLimits", "name"]],
    [{ name: "A", dailyLimits: [0, 1.5] }, ["dailyLimits.0", "dailyLimits.1"]],
    [{ name: "A", dailyLimits: Array(91).fill(1) }, ["dailyLimits"]],
  ])("%j is refused", async (body, fields) => {
    const answer = await as("POST", "/warmup-plans", body);

    expect(answer.status).toBe(422);
    expect(answer.body.error.errors.map((error: { field: string }) => error.field)).toEqual(fields);
  });
});
