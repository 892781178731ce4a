// What a named key may do, route by route, and what somebody tries who has one that may do little.
import { describe, expect, test } from "bun:test";
import { SCOPES, scopeNeeded } from "../../src/accounts/projects/scopes.ts";
import {
  FOR_READERS,
  FOR_SENDERS,
  FOR_TRACKERS,
  FOR_USERS,
  FOR_WRITERS,
  OPEN,
} from "../support/endpoints.ts";
import { until } from "../support/process.ts";
import {
  FORBIDDEN,
  IN,
  MADE,
  READS,
  REFUSED,
  SENDS,
  TRACKS,
  useKeys,
  WRITES,
} from "../support/project_keys.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
const { stage, keysPath, make, listed, outcome } = useKeys(service);

describe("what a scope allows", () => {
  test.each([
    [["send"], { send: IN, track: FORBIDDEN, read: FORBIDDEN, write: FORBIDDEN }],
    [["read"], { send: FORBIDDEN, track: FORBIDDEN, read: IN, write: FORBIDDEN }],
    [["write"], { send: FORBIDDEN, track: FORBIDDEN, read: FORBIDDEN, write: MADE }],
    [["send", "track"], { send: IN, track: IN, read: FORBIDDEN, write: FORBIDDEN }],
    [["track"], { send: REFUSED, track: IN, read: REFUSED, write: REFUSED }],
    [["all"], { send: IN, track: IN, read: IN, write: MADE }],
  ])("%j", async (scopes, right) => {
    const { key } = await make(scopes);

    expect({
      send: await outcome(key, ...SENDS),
      track: await outcome(key, ...TRACKS),
      read: await outcome(key, ...READS),
      write: await outcome(key, ...WRITES),
    }).toEqual(right);
  });

  test("events of the server: a key that begins with sk_ and may track", async () => {
    const { key } = await make(["send", "track"]);
    const body = { name: "signed up", email: "ada@example.com" };

    expect((await outcome(key, "POST", "/events/track", body))[0]).not.toBe(403);
    expect(await outcome((await make(["send"])).key, "POST", "/events/track", body)).toEqual(FORBIDDEN);
    expect(await outcome((await make(["track"])).key, "POST", "/events/track", body)).toEqual(REFUSED);
  });

  test("is said in the refusal, which changes nothing", async () => {
    const { key } = await make(["send", "read"], { name: "Orders" });
    const { status, body } = await service.request("POST", "/contacts", {
      key,
      body: { email: "x@example.com" },
    });
    const [row] = await service.pool`select from contacts where project_id = ${stage.project.id}`;

    expect([status, row]).toEqual([403, undefined]);
    expect(body.error).toMatchObject({
      code: "FORBIDDEN",
      message: 'Cannot do this with the key "Orders": its scopes are only send, read',
      details: { scopes: ["send", "read"], needed: "write" },
    });
  });

  test("the log has the project and the key, and not its text", async () => {
    const { id, key } = await make(["send"]);
    await outcome(key, ...READS);
    const found = () => service.lines.find((one) => one.message === "request" && one.keyId === id);
    await until("the line of the request", () => found() !== undefined);

    expect(found()).toMatchObject({
      projectId: stage.project.id,
      status: 403,
      code: "FORBIDDEN",
      route: expect.stringMatching(/^\/contacts\/?$/),
    });
    expect(JSON.stringify(service.lines)).not.toContain(key);
  });

  test("the pair may do as before", async () => {
    expect(await outcome(stage.project.secret, ...WRITES)).toEqual(MADE);
    expect(await outcome(stage.project.public, ...TRACKS)).toEqual(IN);
    expect(await outcome(stage.project.secret, ...TRACKS)).toEqual(REFUSED);
    expect(await outcome(stage.project.public, ...READS)).toEqual(REFUSED);
  });
});

describe("a key that may write", () => {
  const on = async (key: string, method: string, path: string, body: object) =>
    await service.request(method, path, { key, body });

  test("changes a workflow until it is enabled, and does not enable it", async () => {
    const { key } = await make(["write"]);
    const { body: workflow } = await on(key, "POST", "/workflows", {
      name: "Welcome",
      eventName: "signed up",
    });
    const path = `/workflows/${workflow.id}`;
    const step = { type: "DELAY", name: "Later", config: { amount: 1, unit: "days" } };
    const { body: added } = await on(key, "POST", `${path}/steps`, step);
    const enabling = await on(key, "PATCH", path, { enabled: true });
    await on(stage.project.secret, "PATCH", path, { enabled: true });
    const [graph] =
      await service.pool`select enabled, graph_version from workflows where id = ${workflow.id}`;

    expect([added.type, graph!.enabled, enabling.status]).toEqual(["DELAY", true, 403]);
    expect(enabling.body.error).toMatchObject({
      message: "Cannot change this with the scope write: it would enable the workflow",
      details: { scopes: ["write"], needed: "all" },
    });
    const changes: [string, string, object][] = [
      ["PATCH", path, { name: "Mine" }],
      ["PUT", `${path}/graph`, { version: "1", steps: [], transitions: [] }],
      ["POST", `${path}/steps`, step],
      ["PATCH", `${path}/steps/${added.id}`, { name: "Mine" }],
      ["POST", `${path}/transitions`, { fromStepId: added.id, toStepId: added.id }],
      ["POST", `${path}/transitions/${crypto.randomUUID()}/insert-step`, step],
    ];
    for (const change of changes) {
      const { status, body } = await on(key, ...change);
      expect([...change, status, body.error?.message]).toEqual([
        ...change,
        403,
        "Cannot change this with the scope write: the workflow is enabled",
      ]);
    }
    const after = await service.pool`select enabled, graph_version from workflows where id = ${workflow.id}`;
    expect(after).toEqual([graph] as never);
    expect((await on(key, "POST", `${path}/duplicate`, {})).status).toBe(201);
  });

  test("changes a campaign until it is scheduled", async () => {
    const { key } = await make(["write"]);
    const draft = { name: "News", subject: "S", body: "<p>B</p>", from: `a@${DOMAIN}`, audienceType: "ALL" };
    const { body } = await on(key, "POST", "/campaigns", draft);
    const path = `/campaigns/${body.data.id}`;
    expect((await on(key, "PATCH", path, { subject: "Mine" })).body.subject).toBe("Mine");
    await on(key, "POST", "/contacts", { email: "reader@example.com" });
    const later = { scheduledFor: "2030-01-01T00:00:00Z" };
    expect((await on(stage.project.secret, "POST", `${path}/send`, later)).status).toBe(200);

    expect((await on(key, "PATCH", path, { subject: "Late" })).status).toBe(403);
    expect((await on(key, "PUT", path, { ...draft, subject: "Late" })).status).toBe(403);
    expect((await on(key, "POST", `${path}/send`, {})).status).toBe(403);
    expect((await on(stage.project.secret, "GET", path, {})).body.subject).toBe("Mine");
  });
});

describe("every route", () => {
  /** The routes that keys may call at all, with the scope that each takes. */
  const routes = () =>
    service.app.routes
      .map(({ method, path }) => ({ method, path: path.replace(/(.)\/$/, "$1") }))
      .filter(({ method, path }) => {
        const name = `${method} ${path}`;
        if (OPEN.includes(name) || FOR_USERS.includes(name) || path.startsWith("/users/")) return false;
        const isOfPeople =
          /^\/projects\/:id\/(keys|webhook-secret)/.test(path) ||
          (path.startsWith("/inbox/") && method !== "GET");
        return !isOfPeople && (method === "GET" || !path.startsWith("/projects/"));
      })
      .map(({ method, path }) => ({ method, path, needed: neededBy(`${method} ${path}`) }));

  const neededBy = (name: string) => {
    if (FOR_SENDERS.includes(name)) return "send";
    if (FOR_TRACKERS.includes(name)) return "track";
    if (FOR_WRITERS.includes(name)) return "write";
    return FOR_READERS.includes(name) ? "read" : "all";
  };

  const pathFor = (path: string) =>
    path
      .replace(/^\/projects\/:id/, `/projects/${stage.project.id}`)
      .replace(/:\w+/g, () => crypto.randomUUID());

  test("that is open to keys takes the scope that it is listed with, and no other; HEAD as GET", async () => {
    const wrong: string[] = [];
    for (const scope of SCOPES) {
      // One that may only track begins with pk_, and gets nowhere else anyway.
      const { id, key } = await make(["all"]);
      await stage.admin.request("PATCH", keysPath(id), { scopes: [scope] });
      for (const { method, path, needed } of routes()) {
        const isAllowed = scope === "all" || scope === needed;
        for (const asked of method === "GET" ? ["GET", "HEAD"] : [method]) {
          const options = { key, ...(method !== "GET" && { body: {} }) };
          const { status, body } = await service.request(asked, pathFor(path), options);
          const isIn = status !== 401 && status !== 403;
          // The APIs of other providers say it in a text.
          const isNamed =
            body?.error?.details?.needed === needed ||
            (path.startsWith("/compat/") && JSON.stringify(body).includes(`with the scope ${needed}`));
          const isRefused = status === 403 && (asked === "HEAD" || isNamed);
          if (isAllowed ? !isIn : !isRefused) wrong.push(`${asked} ${path} with ${scope}: ${status}`);
        }
      }
    }

    expect(wrong).toEqual([]);
    expect(routes().length).toBeGreaterThan(100);
  }, 240_000);

  test("that is new takes all, until it is listed", () => {
    expect(scopeNeeded("GET", "/secrets")).toBe("all");
    expect(scopeNeeded("GET", "/projects/:id/secrets")).toBe("all");
    expect(scopeNeeded("POST", "/contacts/forget")).toBe("all");
    expect(scopeNeeded("OPTIONS", "/contacts")).toBe("all");
    expect(scopeNeeded("GET", "")).toBe("all");
    expect(scopeNeeded("GET", "/contactsecrets")).toBe("all");
  });
});

describe("somebody who has a key that may only read", () => {
  const tries: [
    what: string,
    method: string,
    path: string,
    body?: object | undefined,
    headers?: Record<string, string>,
  ][] = [
    ["writes with a slash at the end", "POST", "/contacts/", { email: "x@example.com" }],
    ["writes at an encoded path", "POST", "/%63ontacts", { email: "x@example.com" }],
    ["writes with a double slash", "POST", "//contacts", { email: "x@example.com" }],
    ["writes in capitals", "POST", "/CONTACTS", { email: "x@example.com" }],
    ["writes through the parent of something", "POST", "/v1/../contacts", { email: "x@example.com" }],
    ["sends with a slash at the end", "POST", "/v1/send/", {}],
    ["sends at an encoded path", "POST", "/v1/%73end", {}],
    [
      "says in a header that it is another method",
      "GET",
      "/contacts",
      undefined,
      { "x-http-method-override": "POST" },
    ],
    ["says so in the query", "GET", "/contacts?_method=DELETE"],
    ["takes PUT for PATCH", "PUT", `/contacts/${crypto.randomUUID()}`, { subscribed: false }],
    ["takes PATCH for PUT", "PATCH", `/workflows/${crypto.randomUUID()}/graph`, {}],
    ["deletes by DELETE with a query", "DELETE", "/suppressions?email=a@example.com"],
    ["verifies a domain", "GET", `/domains/${crypto.randomUUID()}/verify`],
    ["verifies a domain with a slash at the end", "GET", `/domains/${crypto.randomUUID()}/verify/`],
  ];

  test.each(tries.map((one) => ({ one, what: one[0] })))("$what, and changes nothing", async ({ one }) => {
    const [, method, path, body, headers] = one;
    const { key } = await make(["read"]);
    const count = async () =>
      (
        await service.pool`
      select count(*)::int as n from contacts where project_id = ${stage.project.id}`
      )[0]!.n as number;
    const before = await count();
    const answer = await service.request(method, path, {
      key,
      ...(body && { body }),
      ...(headers && { headers }),
    });

    // Where it is read as a GET of what may be read, it is one.
    const isHarmless = method === "GET" && path.startsWith("/contacts");
    expect(isHarmless ? [200, 400] : [400, 403, 404, 405]).toContain(answer.status);
    expect(await count()).toBe(before);
  });

  test("sees neither members nor the audit, nor another project", async () => {
    const { key } = await make(["read"]);
    const other = await service.createProject();
    const see = (path: string, id = stage.project.id) => outcome(key, "GET", `/projects/${id}${path}`);

    expect(await see("")).toEqual(IN);
    expect(await see("/setup-state")).toEqual(IN);
    expect(await see("/security")).toEqual(IN);
    expect(await see("/members")).toEqual(FORBIDDEN);
    expect(await see("/audit")).toEqual(FORBIDDEN);
    expect(await see("/keys")).toEqual(REFUSED);
    expect(await see("", other.id)).toEqual([403, "PROJECT_ACCESS_DENIED"]);
    expect(await see("", stage.project.id.toUpperCase())).toEqual(IN);
  });

  test("has no more with the session of somebody else beside it: a key that is given counts", async () => {
    const { key } = await make(["read"]);
    const headers = { authorization: `Bearer ${key}` };
    const options = { projectId: stage.project.id, headers };
    const body = { email: "x@example.com" };

    expect((await stage.admin.request("POST", "/contacts", body, options)).status).toBe(403);
    expect(
      (await stage.admin.request("GET", `/projects/${stage.project.id}/audit`, undefined, options)).status,
    ).toBe(403);
    const patched = await stage.admin.request(
      "PATCH",
      `/users/@me/projects/${stage.project.id}`,
      { name: "Mine" },
      options,
    );
    // What only people may do is decided by their session alone.
    expect(patched.status).toBe(200);
  });

  test("cannot act in another project by naming it", async () => {
    const { key } = await make(["read"]);
    const other = await service.createProject();
    await service.request("POST", "/contacts", { key: other.secret, body: { email: "theirs@example.com" } });
    for (const named of [{ "x-project-id": other.id }, { "x-api-key": other.secret }]) {
      const { body } = await service.request("GET", "/contacts", { key, headers: named });
      expect(body.data).toEqual([]);
    }
    const { body } = await service.request("GET", `/domains/project/${other.id}`, { key });
    expect(body.map(({ projectId }: { projectId: string }) => projectId)).not.toContain(other.id);
  });

  test.each([
    ["in capitals", (key: string) => key.toUpperCase()],
    ["cut short", (key: string) => key.slice(0, -1)],
    ["as the other kind", (key: string) => key.replace("sk_", "pk_")],
    ["with something after it", (key: string) => `${key} ${key}`],
    [
      "as its hash",
      (key: string) => `sk_${new Bun.CryptoHasher("sha256").update(key).digest("hex").slice(0, 48)}`,
    ],
  ])("gets nowhere with it %s", async (_, changed) => {
    const { key } = await make(["read", "track"]);

    expect((await outcome(changed(key), ...READS))[0]).toBe(401);
    expect((await outcome(changed(key), ...TRACKS))[0]).toBe(401);
  });
});

describe("the last use of a key", () => {
  const usedAt = async () => (await listed())[0]!.lastUsedAt;
  const noted = async (before: string | null = null) => {
    await until("the use of the key is noted", async () => (await usedAt()) !== before);
    return (await usedAt())!;
  };

  test("is noted once a minute, off the way of the request", async () => {
    const { key } = await make(["read"]);
    await outcome(key, ...READS);
    const first = await noted();
    await outcome(key, ...READS);
    expect(await usedAt()).toBe(first);
    service.setNow(new Date(Date.now() + 61_000));
    await outcome(key, ...READS);

    expect(Date.parse(await noted(first)) - Date.parse(first)).toBeGreaterThan(60_000);
  });

  test("is also that of a request that was refused for its scopes", async () => {
    const { key } = await make(["send"]);
    await outcome(key, ...READS);

    expect(await noted()).toBeString();
  });

  test("waits for nobody: while its row is locked requests are answered, and it is noted later", async () => {
    const { id, key } = await make(["read"]);
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holder = service.pool.begin(async (sql) => {
      await sql`select from project_keys where id = ${id} for update`;
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    expect(await outcome(key, ...READS)).toEqual(IN);
    expect(await outcome(key, ...READS)).toEqual(IN);
    held.resolve();
    await holder;
    service.setNow(new Date(Date.now() + 61_000));
    await outcome(key, ...READS);

    expect(await noted()).toBeString();
  });

  test("of a key that is gone by then is nobody's error", async () => {
    const { id, key } = await make(["read"]);
    await Promise.all([outcome(key, ...READS), stage.admin.request("DELETE", keysPath(id))]);

    expect(await listed()).toEqual([]);
    expect(service.lines.filter(({ level }) => level === "error")).toEqual([]);
  });
});
