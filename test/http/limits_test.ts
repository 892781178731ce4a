import { beforeAll, describe, expect, test } from "bun:test";
import { createApp } from "../../src/http/mod.ts";
import { openPool } from "../../src/db/pool.ts";
import { useService } from "../support/service.ts";

const LIMIT = 50;
const service = useService({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });

const minute = (n: number) => new Date(Math.floor(Date.now() / 60_000) * 60_000 + n * 60_000 + 1_000);

beforeAll(() => service.setNow(minute(0)));

const statusOf = async (app: { handle(request: Request): Promise<Response> }, key: string) => {
  const headers = { authorization: `Bearer ${key}` };
  return await app.handle(new Request("http://localhost/emails", { headers }));
};

describe("the rate limit", () => {
  test("lets exactly its number through, at once or one by one, and says how many are left", async () => {
    const { secret } = await service.createProject();
    const first = await service.request("GET", "/emails", { key: secret });
    const rest = await Promise.all(Array.from({ length: LIMIT + 9 }, () => statusOf(service.app, secret)));
    const refused = await service.request("GET", "/emails", { key: secret });

    expect(first.headers.get("ratelimit-limit")).toBe(String(LIMIT));
    expect(first.headers.get("ratelimit-remaining")).toBe(String(LIMIT - 1));
    expect(Number(first.headers.get("ratelimit-reset"))).toBeWithin(1, 61);
    expect(first.headers.get("ratelimit-policy")).toBe(`"minute";q=${LIMIT};w=60`);
    expect(first.headers.get("ratelimit")).toMatch(new RegExp(`^"minute";r=${LIMIT - 1};t=\\d+$`));
    expect(refused.headers.get("ratelimit")).toStartWith('"minute";r=0;t=');
    expect(rest.filter((response) => response.status === 200)).toHaveLength(LIMIT - 1);
    expect(refused.status).toBe(429);
    expect(refused.body.error.code).toBe("RATE_LIMIT_EXCEEDED");
    expect(refused.headers.get("ratelimit-limit")).toBe(String(LIMIT));
    expect(refused.headers.get("ratelimit-remaining")).toBe("0");
    expect(refused.headers.get("ratelimit-reset")).toBe(refused.headers.get("retry-after"));
    expect(refused.headers.get("retry-after")).toBe(String(refused.body.error.details.retryAfter));
  });

  test.each([
    ["GET", "/contacts?limit=1", 200],
    ["HEAD", "/contacts?limit=1", 200],
    ["HEAD", "/contacts/export", 200],
    ["GET", "/contacts/export", 200],
    ["GET", "/activity/stream", 200],
    ["GET", "/contacts?x=1", 400],
    ["POST", "/segments", 400],
    ["GET", "/contacts/nobody", 404],
    ["POST", "/v1/send", 422],
    ["PATCH", "/contacts/nobody", 404],
  ])("is told with every answer behind a key: %s %s, %s", async (method, path, status) => {
    const { secret } = await service.createProject();
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const body = method === "POST" || method === "PATCH" ? "{}" : null;
    const answer = await service.app.handle(
      new Request(`http://localhost${path}`, { method, headers, body }),
    );
    await answer.body?.cancel();

    expect([answer.status, answer.headers.get("ratelimit-limit")]).toEqual([status, String(LIMIT)]);
    expect(answer.headers.get("ratelimit")).toMatch(/^"minute";r=\d+;t=\d+$/);
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("is one for all processes that share the database", async () => {
    const { secret } = await service.createProject();
    const pool = openPool(service.databaseUrl, { max: 5 });
    const other = createApp({ ...service, pool, sql: pool });
    const answers = await Promise.all(
      Array.from({ length: LIMIT * 2 }, (_, i) => statusOf(i % 2 ? other : service.app, secret)),
    );
    await pool.end();

    expect(answers.filter((response) => response.status === 200)).toHaveLength(LIMIT);
  });

  test("is not used up by what one process has only set aside", async () => {
    const { secret } = await service.createProject();
    const config = { ...service.config, RATE_LIMIT_PER_MINUTE: 1000 };
    const pools = [1, 2].map(() => openPool(service.databaseUrl, { max: 5 }));
    const apps = pools.map((pool) => createApp({ ...service, config, pool, sql: pool }));
    const statuses: number[] = [];
    for (const app of apps) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => statusOf(app, secret)));
      statuses.push(...answers.map((answer) => answer.status));
    }
    const [row] = await service.pool`
      select used from rate_limits join projects p on p.id = project_id order by p.created_at desc limit 1`;
    for (const pool of pools) await pool.end();

    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(row!.used).toBeLessThanOrEqual(240);
  });

  test("is over with its minute, and does not touch other projects", async () => {
    const [one, two] = [await service.createProject(), await service.createProject()];
    for (let i = 0; i < LIMIT; i++) await statusOf(service.app, one.secret);
    const full = await statusOf(service.app, one.secret);
    const other = await statusOf(service.app, two.secret);
    service.setNow(minute(1));
    const next = await statusOf(service.app, one.secret);

    expect([full.status, other.status, next.status]).toEqual([429, 200, 200]);
  });
});
