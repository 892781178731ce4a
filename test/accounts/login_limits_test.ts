import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { purgeFailures } from "../../src/accounts/people/login_limits.ts";
import { newInvitationToken } from "../../src/accounts/projects/invitations.ts";
import { createApp } from "../../src/http/mod.ts";
import { openPool } from "../../src/db/pool.ts";
import { PASSWORD, signUp } from "../support/accounts.ts";
import { type Answer, useService } from "../support/service.ts";

const service = useService({ TRUSTED_PROXIES: "127.0.0.1" });
const unlimited = useService({
  TRUSTED_PROXIES: "127.0.0.1",
  LOGIN_LIMIT_PER_EMAIL: "0",
  LOGIN_LIMIT_PER_NETWORK: "0",
});

const MINUTE_MS = 60_000;
const WRONG = "wrong horse battery";

let email: string;
let network = 0;

beforeAll(() => {
  // The proxy before the service: what it writes into X-Forwarded-For is where a request came from.
  for (const one of [service, unlimited])
    one.app.server = { requestIP: () => ({ address: "127.0.0.1" }) } as never;
});

beforeEach(async () => {
  ({ email } = await signUp(service));
});

afterEach(async () => {
  service.setNow(new Date());
  await service.pool`delete from login_failures`;
});

const later = (ms: number) => service.setNow(new Date(service.now().getTime() + ms));
/** A network that nothing has come from yet. */
const elsewhere = () => `198.51.${++network >> 8}.${network & 255}`;

/** Asks again where a busy machine has no time to hash a password: that counts for nothing. */
async function inTime(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
  }
}

const attempt = (password: string, to = email, from = elsewhere(), on = service) =>
  inTime(() =>
    on.request("POST", "/auth/login", {
      body: { email: to, password },
      headers: { "x-forwarded-for": from },
    }),
  );

async function fail(times: number, to?: string, from?: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i++) statuses.push((await attempt(WRONG, to, from)).status);
  return statuses;
}

const tally = (answers: Answer[]) =>
  Object.fromEntries(
    [...new Set(answers.map(({ status }) => status))].map((status) => [
      status,
      answers.filter((answer) => answer.status === status).length,
    ]),
  );

describe("failures for an address", () => {
  test("are ten, from whatever networks; then it is locked, also for the right password", async () => {
    expect(await fail(10)).toEqual(Array(10).fill(401));
    const wrong = await attempt(WRONG);
    const right = await attempt(PASSWORD);

    expect([wrong.status, right.status, right.body.error.code]).toEqual([429, 429, "RATE_LIMIT_EXCEEDED"]);
    expect(Number(right.headers.get("retry-after"))).toBeWithin(14 * 60, 15 * 60 + 1);
    expect(right.body.error.details).toEqual({ retryAfter: Number(right.headers.get("retry-after")) });
    expect(right.headers.getSetCookie()).toEqual([]);
  });

  test("lock it whether or not there is an account", async () => {
    expect(await fail(12, "nobody@example.com")).toEqual([...Array(10).fill(401), 429, 429]);
  });

  test("lock it however it is spelled, and no other", async () => {
    const other = await signUp(service);
    await fail(10, ` ${email.toUpperCase()} `);

    expect((await attempt(PASSWORD)).status).toBe(429);
    expect((await attempt(PASSWORD, other.email)).status).toBe(200);
  });

  test("are not log-ins that succeed, and these take none of them back", async () => {
    await fail(9);
    const rights = [];
    for (let i = 0; i < 5; i++) rights.push((await attempt(PASSWORD)).status);

    expect(rights).toEqual(Array(5).fill(200));
    expect(await fail(2)).toEqual([401, 429]);
  });

  test("grow old one by one: in any 15 minutes there are ten", async () => {
    await fail(4);
    later(10 * MINUTE_MS);
    await fail(6);
    const locked = await attempt(PASSWORD);
    later(5 * MINUTE_MS + 1000);
    const again = await fail(5);
    later(10 * MINUTE_MS);

    expect(locked.status).toBe(429);
    expect(Number(locked.headers.get("retry-after"))).toBeWithin(4 * 60, 5 * 60 + 1);
    expect(again).toEqual([401, 401, 401, 401, 429]);
    expect(await fail(7)).toEqual([...Array(6).fill(401), 429]);
  });

  test("are not prolonged by trying while it is locked", async () => {
    await fail(10);
    for (let minute = 0; minute < 3; minute++) {
      later(4.5 * MINUTE_MS);
      await fail(3);
    }
    later(1.5 * MINUTE_MS + 1000);

    expect((await attempt(PASSWORD)).status).toBe(200);
  });

  test("are ten, however many try at once, in however many processes", async () => {
    const pool = openPool(service.databaseUrl, { max: 10 });
    try {
      const second = { ...service, app: createApp({ ...service, pool, sql: pool }) };
      second.app.server = service.app.server;
      const ask = (on: typeof service) => async (): Promise<Answer> => {
        const request = new Request("http://localhost/auth/login", {
          method: "POST",
          body: JSON.stringify({ email, password: WRONG }),
          headers: { "content-type": "application/json", "x-forwarded-for": elsewhere() },
        });
        const { status, headers } = await on.app.handle(request);
        return { status, headers, body: null };
      };
      const calls = Array.from({ length: 60 }, (_, i) => ask(i % 2 === 0 ? service : second));
      const answers = await Promise.all(calls.map((call) => call()));

      expect(tally(answers)).toEqual({ 401: 10, 429: 50 });
      expect((await attempt(PASSWORD)).status).toBe(429);
    } finally {
      await pool.end({ timeout: 1 });
    }
  });

  test("do not grow by right passwords that come at once", async () => {
    await fail(8);
    const answers = await Promise.all(Array.from({ length: 30 }, () => attempt(PASSWORD)));

    expect(tally(answers)).toEqual({ 200: 30 });
  });
});

describe("failures from a network", () => {
  const HUNDRED = 100;
  const from = "2001:db8:7:7::1";

  test("are a hundred, for whatever addresses; then it is locked, also for the right password", async () => {
    // Most have an account, whose password is checked in no time; of the last ones there is none.
    await service.pool`
      insert into users (email, password_hash)
      select 'p' || n || '@example.com', (select password_hash from users where email = ${email})
      from generate_series(0, ${HUNDRED - 6}::int) as n`;
    const spread: Answer[] = [];
    for (let i = 0; i < HUNDRED; i++) spread.push(await attempt(WRONG, `p${i}@example.com`, from));
    const right = await attempt(PASSWORD, email, from);
    const sameNetwork = await attempt(PASSWORD, email, "2001:db8:7:7:ffff::2");
    const taken = await service.request("POST", "/auth/signup", {
      body: { email, password: PASSWORD },
      headers: { "x-forwarded-for": from },
    });
    const next = await attempt(PASSWORD, email, "2001:db8:7:8::1");

    expect(tally(spread)).toEqual({ 401: HUNDRED });
    expect([right.status, sameNetwork.status, taken.status, next.status]).toEqual([429, 429, 429, 200]);
  });

  test("count who asks for addresses that have an account by signing up", async () => {
    const answers: Answer[] = [];
    for (let i = 0; i < HUNDRED + 2; i++) {
      answers.push(
        await service.request("POST", "/auth/signup", {
          body: { email, password: PASSWORD },
          headers: { "x-forwarded-for": from },
        }),
      );
    }

    expect(answers.map(({ status }) => status)).toEqual([...Array(HUNDRED).fill(409), 429, 429]);
  });

  test("do not count what is refused for the address: nobody locks a network with one locked address", async () => {
    await fail(10);
    await fail(HUNDRED, email, from);

    expect((await attempt(PASSWORD, (await signUp(service)).email, from)).status).toBe(200);
  });

  test("mails that it asks for are a hundred too", async () => {
    const ask = (path: string, i: number) =>
      service.request("POST", `/auth/${path}`, {
        body: { email: `p${i}@example.com` },
        headers: { "x-forwarded-for": from },
      });
    const answers: Answer[] = [];
    for (let i = 0; i < HUNDRED; i++) {
      answers.push(await ask(i % 2 === 0 ? "request-password-reset" : "request-verification", i));
    }
    const beyond = [await ask("request-password-reset", 1000), await ask("request-verification", 1001)];

    expect(tally(answers)).toEqual({ 200: HUNDRED });
    expect(tally(beyond)).toEqual({ 429: 2 });
    // Log-ins are another matter.
    expect((await attempt(PASSWORD, email, from)).status).toBe(200);
  });
});

describe("sign-ups from a network", () => {
  const from = "198.18.0.7";
  const ask = (to: string, invitation?: string, address = from) =>
    service.request("POST", "/auth/signup", {
      body: { email: to, password: PASSWORD, invitation },
      headers: { "x-forwarded-for": address },
    });
  const some = async (count: number, name: string) => {
    const answers: Answer[] = [];
    for (let i = 0; i < count; i++) answers.push(await ask(`${name}${i}@example.com`));
    return tally(answers);
  };

  test("are twenty an hour, and are no failures", async () => {
    const first = await some(20, "first");
    const beyond = await ask("beyond@example.com");
    const others = [
      await ask("elsewhere@example.com", undefined, elsewhere()),
      await attempt(PASSWORD, email, from),
    ];
    later(40 * MINUTE_MS);
    const early = await some(1, "early");
    later(20 * MINUTE_MS + 1000);

    expect([first, early, await some(21, "late")]).toEqual([{ 200: 20 }, { 429: 1 }, { 200: 20, 429: 1 }]);
    expect([beyond.status, beyond.body.error.code]).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect(Number(beyond.headers.get("retry-after"))).toBeWithin(50 * 60, 60 * 60 + 1);
    expect(others.map(({ status }) => status)).toEqual([200, 200]);
  });

  test("are twenty, however many come at once", async () => {
    const asked = Array.from({ length: 40 }, (_, i) => inTime(() => ask(`storm${i}@example.com`)));
    const answers = await Promise.all(asked);

    expect(tally(answers)).toEqual({ 200: 20, 429: 20 });
  });

  test("by invitation do not count", async () => {
    await some(20, "crowd");
    const project = await service.createProject();
    const { token, tokenHash } = newInvitationToken();
    const until = new Date(service.now().getTime() + 60 * MINUTE_MS);
    await service.pool`
      insert into invitations (project_id, email, role, token_hash, created_at, expires_at)
      values (${project.id}, 'guest@example.com', 'MEMBER', ${tokenHash}, now(), ${until})`;
    const madeUp = await ask("guest@example.com", newInvitationToken().token);

    expect([madeUp.status, (await ask("guest@example.com", token)).status]).toEqual([429, 200]);
  });
});

test("a limit of 0 is none", async () => {
  const someone = await signUp(unlimited);
  const from = elsewhere();
  const answers: Answer[] = [];
  for (let i = 0; i < 30; i++) answers.push(await attempt(WRONG, someone.email, from, unlimited));

  expect(tally(answers)).toEqual({ 401: 30 });
  expect((await attempt(PASSWORD, someone.email, from, unlimited)).status).toBe(200);
});

test("the counters hold neither addresses nor networks, and go when they count no more", async () => {
  await service.pool`delete from login_failures`;
  await fail(3, "somebody@example.com", "203.0.113.9");
  const rows = await service.pool`select * from login_failures`;
  later(55 * MINUTE_MS);
  await fail(1, "somebody@example.com", "203.0.113.10");
  later(5 * MINUTE_MS + 1000);
  await purgeFailures(service);
  const kept = await service.pool`select * from login_failures`;
  later(55 * MINUTE_MS);
  await purgeFailures(service);

  expect(rows.length).toBe(2);
  expect(JSON.stringify(rows.map(({ key }) => key.toString("latin1")))).not.toMatch(/example|203\.0/);
  expect(kept.length).toBe(2);
  expect(await service.pool`select from login_failures`).toHaveLength(0);
});
