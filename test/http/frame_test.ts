// What holds for every endpoint: authentication, order of checks, envelope, headers, bodies, methods.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { disableProject, enableProject } from "../../src/accounts/projects/mod.ts";
import { generateKeys } from "../../src/accounts/projects/keys.ts";
import { purgeIdempotencyKeys } from "../../src/accounts/idempotency.ts";
import { createApp } from "../../src/http/mod.ts";
import { until } from "../support/process.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;

beforeAll(async () => {
  project = await service.createProject();
});

/** The line of the log about a request, which comes after its answer. */
const lineOf = async (requestId: string) => {
  const find = () => service.lines.find((line) => line.requestId === requestId);
  await until("the line of the log", async () => find() !== undefined);
  return find()!;
};

const good = { email: "ada@example.com", event: "e" };
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test.each([
  ["POST", "/contacts", "BAD_REQUEST"],
  ["POST", "/contacts/lookup", "BAD_REQUEST"],
  ["POST", "/segments", "BAD_REQUEST"],
  ["POST", "/templates", "BAD_REQUEST"],
  ["GET", "/t/c/nonsense", "RESOURCE_NOT_FOUND"],
  ["POST", "/campaigns", "VALIDATION_ERROR"],
  ["GET", "/nothing", "RESOURCE_NOT_FOUND"],
])("a refusal of %s %s has its code in the log, whatever its body looks like", async (method, path, code) => {
  const body = method === "POST" ? {} : undefined;
  const answer = await service.request(method, path, { key: project.secret, body });
  const line = await lineOf(answer.headers.get("x-request-id")!);

  expect([line.status, line.code]).toEqual([answer.status, code]);
  expect(answer.status).toBeWithin(400, 500);
});

describe("a key", () => {
  test.each([
    ["missing", {}, "MISSING_AUTH"],
    ["of another scheme", { authorization: "Basic abc" }, "MISSING_AUTH"],
    ["that is two tokens", { authorization: "Bearer a b" }, "MISSING_AUTH"],
    ["that is empty", { authorization: "Bearer " }, "MISSING_AUTH"],
    ["unknown", { authorization: `Bearer pk_${"0".repeat(48)}` }, "INVALID_API_KEY"],
    ["malformed", { authorization: "Bearer pk_';drop" }, "INVALID_API_KEY"],
  ])("%s gets 401 before the body is looked at", async (_, headers, code) => {
    const { status, body } = await service.request("POST", "/v1/track", { headers, raw: "not { json" });

    expect(status).toBe(401);
    expect(body.error.code).toBe(code);
  });

  test("of the wrong kind gets 401 in either direction", async () => {
    const asSecret = await service.request("POST", "/v1/send", { key: project.public, body: {} });
    const asPublic = await service.request("POST", "/v1/track", { key: project.secret, body: good });

    expect([asSecret.status, asSecret.body.error.code]).toEqual([401, "INVALID_API_KEY"]);
    expect([asPublic.status, asPublic.body.error.code]).toEqual([401, "INVALID_API_KEY"]);
  });

  test("that was rotated fails on the very next request, and the new one works", async () => {
    const rotated = await service.createProject();
    const before = await service.request("POST", "/v1/track", { key: rotated.public, body: good });
    const keys = generateKeys(rotated.id);
    await service.pool`
      update projects set public_key = ${keys.publicKey}, secret_hash = ${keys.secretHash} where id = ${rotated.id}`;
    const old = await service.request("POST", "/v1/track", { key: rotated.public, body: good });
    const oldSecret = await service.request("GET", "/emails", { key: rotated.secret });
    const fresh = await service.request("GET", "/emails", { key: keys.secretKey });

    expect([before.status, old.status, oldSecret.status, fresh.status]).toEqual([200, 401, 401, 200]);
  });

  test("is kept as a hash only, and is in no line of the log", async () => {
    const [row] =
      await service.pool`select row_to_json(p)::text as row from projects p where id = ${project.id}`;
    expect(row!.row).not.toContain(project.secret);
    expect(JSON.stringify(service.lines)).not.toContain(project.secret.slice(3));
  });

  test("of a disabled project gets 403 with the reason, until it is enabled", async () => {
    const disabled = await service.createProject();
    await disableProject(service, disabled.id, "unpaid");
    const refused = await service.request("POST", "/v1/track", { key: disabled.public, raw: "no json" });
    await enableProject(service, disabled.id);
    const allowed = await service.request("POST", "/v1/track", { key: disabled.public, body: good });

    expect([refused.status, refused.body.error.code]).toEqual([403, "PROJECT_DISABLED"]);
    expect(refused.body.error.details).toEqual({ reason: "unpaid" });
    expect(allowed.status).toBe(200);
  });
});

describe("the order of checks", () => {
  test("a disabled project is told so before its rate is looked at, and uses nothing up", async () => {
    const limited = createApp({ ...service, config: { ...service.config, RATE_LIMIT_PER_MINUTE: 1 } });
    const both = await service.createProject();
    const get = async () =>
      (
        await limited.handle(
          new Request("http://localhost/emails", { headers: { authorization: `Bearer ${both.secret}` } }),
        )
      ).status;
    const first = await get();
    const second = await get();
    await disableProject(service, both.id, null);

    expect([first, second, await get()]).toEqual([200, 429, 403]);
  });
});

describe("a refusal", () => {
  test("comes in the envelope, with the id that its header and its log line have", async () => {
    const { status, body, headers } = await service.request("POST", "/v1/track", {
      key: project.public,
      body: {},
    });

    expect(status).toBe(422);
    expect(body).toEqual({
      success: false,
      error: {
        code: "VALIDATION_ERROR",
        message: expect.any(String),
        statusCode: 422,
        requestId: expect.stringMatching(UUID),
        errors: [
          { field: "email", code: "required", message: "This field is required" },
          { field: "event", code: "required", message: "This field is required" },
        ],
      },
      timestamp: expect.any(String),
    });
    expect(headers.get("x-request-id")).toBe(body.error.requestId);
    expect(await lineOf(body.error.requestId)).toMatchObject({
      method: "POST",
      route: "/v1/track",
      status: 422,
      projectId: project.id,
    });
  });

  test("an unknown route is 404, a known one with another method 405 with Allow", async () => {
    const unknown = await service.request("GET", "/nowhere/at/all");
    const method = await service.request("GET", "/v1/track", { key: project.public });
    const param = await service.request("DELETE", "/emails/0190aaaa-0000-7000-8000-000000000000", {
      key: project.secret,
    });

    expect([unknown.status, unknown.body.error.code]).toEqual([404, "RESOURCE_NOT_FOUND"]);
    expect([method.status, method.headers.get("allow")]).toEqual([405, "POST"]);
    expect([param.status, param.headers.get("allow")]).toEqual([405, "GET, PATCH, PUT, HEAD"]);
  });

  test("an error of ours says nothing of itself, and the log has it", async () => {
    const failing = await service.createProject();
    await service.pool`alter table domains rename to domains_away`;
    const { status, body } = await service.request("POST", "/v1/send", {
      key: failing.secret,
      body: { to: "a@b.io", from: "x@shop.example", subject: "s", body: "b" },
    });
    await service.pool`alter table domains_away rename to domains`;

    expect(status).toBe(500);
    expect(body.error).toMatchObject({
      code: "INTERNAL_SERVER_ERROR",
      message: "Something unexpected went wrong",
    });
    expect(JSON.stringify(body)).not.toContain("domains");
    expect((await lineOf(body.error.requestId)).error).toContain("domains");
  });
});

describe("headers", () => {
  test("a caller's X-Request-Id is honoured when it is a UUID, and replaced when it is not", async () => {
    const id = crypto.randomUUID();
    const given = await service.request("GET", "/health", { headers: { "x-request-id": id } });
    const invented = await service.request("GET", "/health", { headers: { "x-request-id": "abc\tdef" } });

    expect(given.headers.get("x-request-id")).toBe(id);
    expect(invented.headers.get("x-request-id")).toMatch(UUID);
  });

  test("browsers may call /v1 from anywhere, and nothing else", async () => {
    const headers = { origin: "https://shop.example", "access-control-request-method": "POST" };
    const preflight = await service.request("OPTIONS", "/v1/track", { headers });
    const call = await service.request("POST", "/v1/track", { key: project.public, body: good, headers });
    const refusal = await service.request("POST", "/v1/track", { body: good, headers });
    const elsewhere = await service.request("OPTIONS", "/emails", { headers });

    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    for (const name of ["Content-Type", "Authorization", "Idempotency-Key"]) {
      expect(preflight.headers.get("access-control-allow-headers")).toContain(name);
    }
    expect(call.headers.get("access-control-allow-origin")).toBe("*");
    expect(call.headers.get("access-control-expose-headers")).toContain("RateLimit-Remaining");
    expect(refusal.headers.get("access-control-allow-origin")).toBe("*");
    expect(elsewhere.headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("a body", () => {
  const post = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    service.request("POST", "/v1/track", { key: project.public, raw, headers });

  test.each([
    ["that is not JSON", "not { json"],
    ["that ends in the middle", '{"email":'],
    ["that is no UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])("%s is 400", async (_, raw) => {
    const { status, body } = await post(raw);

    expect([status, body.error.code]).toEqual([400, "VALIDATION_ERROR"]);
    expect(body.error.suggestion).toBeString();
  });

  test.each(["1", '"text"', "[]", "null", "true"])("that is %s is 422", async (raw) => {
    expect((await post(raw)).status).toBe(422);
  });

  test("a thousand levels deep is refused with its field, a hundred thousand with a clear word", async () => {
    const deep = (levels: number) =>
      `{"email":"deep@example.com","event":"e","data":{"a":${"[".repeat(levels)}${"]".repeat(levels)}}}`;
    const thousand = await post(deep(1_000));
    const more = await post(deep(100_000));

    expect(thousand.status).toBe(422);
    expect(thousand.body.error.errors).toMatchObject([{ field: "data.a", code: "custom" }]);
    expect([400, 422]).toContain(more.status);
    expect((await post(JSON.stringify(good))).status).toBe(200);
  });

  test("larger than 5 MB is 413, also when its length is not told", async () => {
    const told = await post(`{"email":"${"x".repeat(5_300_000)}"}`);
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 60; i++) controller.enqueue(new Uint8Array(100_000).fill(32));
        controller.close();
      },
    });
    const untold = await service.app.handle(
      new Request("http://localhost/v1/track", {
        method: "POST",
        headers: { authorization: `Bearer ${project.public}` },
        body: stream,
        duplex: "half",
      } as RequestInit),
    );

    expect([told.status, told.body.error.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    expect(untold.status).toBe(413);
  });

  test("of another type is 415; JSON without a type, or as text from a beacon, is read", async () => {
    const form = await post("a=b", { "content-type": "application/x-www-form-urlencoded" });
    const beacon = await post(JSON.stringify(good), { "content-type": "text/plain;charset=UTF-8" });

    expect([form.status, form.body.error.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    expect(beacon.status).toBe(200);
  });

  test("that is empty is accepted with a JSON type on any method", async () => {
    const list = await service.request("GET", "/emails", { key: project.secret });
    const empty = await post("");

    expect(list.status).toBe(200);
    expect(empty.body.error.errors.map((e: { field: string }) => e.field)).toEqual(["email", "event"]);
  });

  test("with fields that nobody asked for is accepted without them", async () => {
    expect((await post(JSON.stringify({ ...good, nonsense: { a: 1 } }))).status).toBe(200);
  });
});

describe("an Idempotency-Key", () => {
  test.each([
    ["empty", ""],
    ["too long", "k".repeat(256)],
    ["not ASCII", "schlüssel"],
    ["with a tab", "a\tb"],
  ])("that is %s is 400", async (_, key) => {
    const { status, body } = await service.request("POST", "/v1/track", {
      key: project.public,
      body: good,
      headers: { "idempotency-key": key },
    });

    expect([status, body.error.code]).toEqual([400, "BAD_REQUEST"]);
  });

  test("is free again when its request failed, and when it has expired", async () => {
    const headers = { "idempotency-key": "free-again" };
    const post = (body: unknown) =>
      service.request("POST", "/v1/track", { key: project.public, body, headers });
    const failed = await post({ ...good, event: "email.sent" });
    const first = await post(good);
    const second = await post(good);
    service.setNow(new Date(Date.now() + 25 * 3_600_000));
    const expired = await post(good);
    service.setNow(new Date());

    expect([failed.status, first.status, second.status, expired.status]).toEqual([422, 200, 409, 200]);
  });

  test("is remembered as long as the setting says, and swept when it has expired", async () => {
    const short = createApp({ ...service, config: { ...service.config, IDEMPOTENCY_KEY_TTL_HOURS: 1 } });
    const headers = { authorization: `Bearer ${project.public}`, "idempotency-key": "short" };
    const post = () =>
      short.handle(
        new Request("http://localhost/v1/track", { method: "POST", headers, body: JSON.stringify(good) }),
      );
    const statuses = [(await post()).status, (await post()).status];
    service.setNow(new Date(Date.now() + 2 * 3_600_000));
    statuses.push((await post()).status);
    service.setNow(new Date(Date.now() + 4 * 3_600_000));
    await purgeIdempotencyKeys(service);
    const left = await service.pool`select from idempotency_keys where key = 'short'`;
    service.setNow(new Date());

    expect(statuses).toEqual([200, 409, 200]);
    expect(left).toHaveLength(0);
  });

  test("belongs to one project, across both endpoints", async () => {
    const headers = { "idempotency-key": "shared" };
    const other = await service.createProject();
    const tracked = await service.request("POST", "/v1/track", { key: project.public, body: good, headers });
    const sent = await service.request("POST", "/v1/send", {
      key: project.secret,
      body: { to: "a@b.io", from: "x@shop.example", subject: "s", body: "b" },
      headers,
    });
    const elsewhere = await service.request("POST", "/v1/track", { key: other.public, body: good, headers });

    expect([tracked.status, sent.status, elsewhere.status]).toEqual([200, 409, 200]);
    expect(sent.body.error.details.originalRequest).toBe("POST /v1/track");
  });
});

describe("health", () => {
  test("/health is alive without a key; /ready is not, while nothing takes jobs", async () => {
    const health = await service.request("GET", "/health");
    const ready = await service.request("GET", "/ready");

    expect([health.status, health.body]).toEqual([200, { status: "ok" }]);
    expect([ready.status, ready.body]).toEqual([
      503,
      { ready: false, database: true, migrations: true, workers: false, standing: [] },
    ]);
  });
});

describe("Strict-Transport-Security", () => {
  const ANSWERS: [string, string, Record<string, string>][] = [
    ["GET", "/health", {}],
    ["GET", "/contacts", {}],
    ["GET", "/nowhere", {}],
    ["PUT", "/contacts", {}],
    ["POST", "/v1/track", {}],
    ["OPTIONS", "/v1/track", { origin: "https://shop.example" }],
    ["GET", "/unsubscribe/none", {}],
    ["GET", "/t/o/none", {}],
    ["GET", "/t/c/none", {}],
    ["GET", "/docs", {}],
    ["GET", "/openapi.json", {}],
  ];
  const answersOf = async (BASE_URL: string) => {
    const app = createApp({ ...service, config: { ...service.config, BASE_URL } });
    return await Promise.all(
      ANSWERS.map(async ([method, path, headers]) => {
        const { headers: answered } = await app.handle(
          new Request(`http://localhost${path}`, { method, headers }),
        );
        return [method, path, answered.get("strict-transport-security")] as const;
      }),
    );
  };

  test("is in every answer of a service behind https, for its own host only", async () => {
    const answers = await answersOf("https://mail.example.com");

    expect(answers).toEqual(ANSWERS.map(([method, path]) => [method, path, "max-age=31536000"]));
  });

  test("is in none of one without", async () => {
    expect(new Set((await answersOf("http://localhost:3000")).map(([, , value]) => value))).toEqual(
      new Set([null]),
    );
  });
});
