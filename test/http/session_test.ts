import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { disableProject } from "../../src/accounts/projects/mod.ts";
import { derivedKey } from "../../src/accounts/secrets.ts";
import { purgeSessions } from "../../src/accounts/people/sessions.ts";
import { cookieOf, join, logIn, PASSWORD, type Person, signUp } from "../support/accounts.ts";
import { type Answer, useService } from "../support/service.ts";

const DASHBOARD = "https://app.example";
const service = useService({ DASHBOARD_ORIGINS: `${DASHBOARD}, https://second.example` });
const strict = useService({ REQUIRE_EMAIL_VERIFICATION: "true", PLATFORM_FROM: "p@mail.example" });
const secure = useService({ BASE_URL: "https://mail.example", DASHBOARD_ORIGINS: DASHBOARD });
const limited = useService({ RATE_LIMIT_PER_MINUTE: "3" });

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let project: NewProject;
let member: Person;

beforeAll(async () => {
  project = await service.createProject();
});

beforeEach(async () => {
  member = await signUp(service);
  await join(service, member, project.id);
});

afterEach(() => service.setNow(new Date()));

const outcome = ({ status, body }: Answer) => [status, body.error?.code ?? "ok"];
const later = (ms: number) => service.setNow(new Date(service.now().getTime() + ms));
const me = (someone: Person, cookie = someone.cookie) =>
  service.request("GET", "/users/@me", { headers: { cookie } });
const contacts = (someone: Person, headers: Record<string, string> = {}) =>
  someone.request("GET", "/contacts", undefined, { projectId: project.id, headers });

describe("a session", () => {
  test("that nobody uses ends after 7 days, and its row goes with the sweep", async () => {
    later(7 * DAY_MS - 60_000);
    const before = await service.pool`select from sessions where user_id = ${member.userId}`;
    later(2 * 60_000);
    const after = await me(member);
    await purgeSessions(service);

    expect([before.length, outcome(after)]).toEqual([1, [401, "UNAUTHORIZED"]]);
    expect(await service.pool`select from sessions where user_id = ${member.userId}`).toHaveLength(0);
  });

  test("that is used goes on and on, with a cookie that is renewed", async () => {
    let { cookie } = member;
    for (let week = 0; week < 4; week++) {
      later(6 * DAY_MS);
      const answer = await me(member, cookie);
      expect(answer.status).toBe(200);
      cookie = cookieOf(answer.headers)!;
    }

    expect((await me(member)).status).toBe(401);
    expect((await me(member, cookie)).status).toBe(200);
  });

  test("ends 90 days after it began, however much it is used", async () => {
    let { cookie } = member;
    for (let day = 6; day < 90; day += 6) {
      later(6 * DAY_MS);
      const answer = await me(member, cookie);
      expect([day, answer.status]).toEqual([day, 200]);
      cookie = cookieOf(answer.headers) ?? cookie;
    }
    later(6 * DAY_MS - 60_000);
    const before = await me(member, cookie);
    later(2 * 60_000);

    expect([before.status, outcome(await me(member, cookie))]).toEqual([200, [401, "UNAUTHORIZED"]]);
  });

  test("is extended at most once an hour", async () => {
    const written = async () =>
      (await service.pool`select expires_at from sessions where user_id = ${member.userId}`)[0]!;
    const first = await written();
    later(HOUR_MS - 60_000);
    const early = await me(member);
    const unchanged = await written();
    later(2 * 60_000);
    const due = await me(member);
    const moved = await written();
    await me(member);

    expect([unchanged, cookieOf(early.headers)]).toEqual([first, null]);
    expect(cookieOf(due.headers)).toStartWith("postrider_session=");
    expect(moved.expiresAt.getTime() - first.expiresAt.getTime()).toBeWithin(HOUR_MS, HOUR_MS + 120_000);
    expect(await written()).toEqual(moved);
  });

  test("that is ended while it is used stays ended", async () => {
    later(2 * HOUR_MS);
    await Promise.all([
      ...Array.from({ length: 20 }, () => contacts(member)),
      member.request("GET", "/auth/logout"),
    ]);

    expect(outcome(await me(member))).toEqual([401, "UNAUTHORIZED"]);
  });

  test("goes with its user", async () => {
    await service.pool`delete from users where id = ${member.userId}`;

    expect(outcome(await me(member))).toEqual([401, "UNAUTHORIZED"]);
  });
});

/** A token as somebody else would make it. */
function tokenOf(header: object, claims: object, key: Buffer | null, hash = "sha256"): string {
  const parts = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const signature = key && createHmac(hash, key).update(parts.join(".")).digest("base64url");
  return [...parts, signature ?? ""].join(".");
}

describe("a cookie", () => {
  const HS256 = { alg: "HS256", typ: "JWT" };
  const hours = (count: number) => Math.floor(Date.now() / 1000) + count * 3600;
  const sessionId = async () =>
    (await service.pool`select id from sessions where user_id = ${member.userId}`)[0]!.id as string;
  const claims = async () => ({ aud: "session", jti: await sessionId(), exp: hours(1) });
  const ownKey = () => derivedKey(service, "sessions");
  const send = (token: string) => me(member, `postrider_session=${token}`);

  test("as we make it counts, so that the others here are refused for what they are", async () => {
    expect(outcome(await send(tokenOf(HS256, await claims(), ownKey())))).toEqual([200, "ok"]);
  });

  test.each([
    ["without a signature, alg none", async () => tokenOf({ alg: "none" }, await claims(), null)],
    ["of alg None", async () => tokenOf({ alg: "None", typ: "JWT" }, await claims(), null)],
    ["of alg none with a genuine signature", async () => tokenOf({ alg: "none" }, await claims(), ownKey())],
    ["with its signature cut off", async () => member.cookie.replace(/^.*?=|[^.]*$/g, "")],
    ["signed with another key", async () => tokenOf(HS256, await claims(), Buffer.alloc(32, 1))],
    ["signed with no key", async () => tokenOf(HS256, await claims(), Buffer.alloc(0))],
    [
      "signed with SECRET_KEY itself",
      async () => tokenOf(HS256, await claims(), Buffer.from(service.config.SECRET_KEY)),
    ],
    [
      "signed with our key for links",
      async () => tokenOf(HS256, await claims(), derivedKey(service, "subscription links")),
    ],
    [
      "of another algorithm with our key",
      async () => tokenOf({ alg: "HS512" }, await claims(), ownKey(), "sha512"),
    ],
    ["for another purpose", async () => tokenOf(HS256, { ...(await claims()), aud: "invitation" }, ownKey())],
    ["for no purpose", async () => tokenOf(HS256, { ...(await claims()), aud: undefined }, ownKey())],
    ["that has expired", async () => tokenOf(HS256, { ...(await claims()), exp: hours(-1) }, ownKey())],
    ["that never expires", async () => tokenOf(HS256, { ...(await claims()), exp: undefined }, ownKey())],
    ["of no session", async () => tokenOf(HS256, { ...(await claims()), jti: undefined }, ownKey())],
    ["of what is no id", async () => tokenOf(HS256, { ...(await claims()), jti: "' or true --" }, ownKey())],
    [
      "of a session that never was",
      async () => tokenOf(HS256, { ...(await claims()), jti: crypto.randomUUID() }, ownKey()),
    ],
    [
      "that calls for an extension",
      async () => tokenOf({ ...HS256, crit: ["b64"], b64: false }, await claims(), ownKey()),
    ],
    ["that is no token", async () => "nonsense"],
    ["that is the id of the session", sessionId],
    ["that is empty", async () => ""],
  ])("%s is 401 UNAUTHORIZED", async (_what, make) => {
    expect(outcome(await send(await make()))).toEqual([401, "UNAUTHORIZED"]);
  });

  test("changed by one letter, in any of its parts, is 401", async () => {
    const token = member.cookie.split("=")[1]!;
    for (const at of [3, token.indexOf(".") + 5, token.lastIndexOf(".") + 5]) {
      const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
      expect([at, ...outcome(await send(changed))]).toEqual([at, 401, "UNAUTHORIZED"]);
    }
  });

  test("beside another of its name is none: nobody knows which one another host has set", async () => {
    const planted = (await signUp(service)).cookie;
    const cookies = [
      `${member.cookie}; ${planted}`,
      `${planted}; ${member.cookie}`,
      `${member.cookie};postrider_session=`,
    ];

    for (const cookie of cookies) expect(outcome(await me(member, cookie))).toEqual([401, "UNAUTHORIZED"]);
    const login = await service.request("POST", "/auth/login", {
      body: { email: member.email, password: PASSWORD },
      headers: { cookie: cookies[0]! },
    });
    expect([login.status, (await me(member)).status]).toEqual([200, 200]);
  });

  test("among others is found, and one whose name only ends like ours is none", async () => {
    const among = await me(member, `theme=dark; ${member.cookie}; x=1`);
    const other = await me(member, member.cookie.replace("postrider_session", "my_postrider_session"));

    expect([outcome(among), outcome(other)]).toEqual([
      [200, "ok"],
      [401, "MISSING_AUTH"],
    ]);
  });
});

describe("what changes something with the cookie", () => {
  const create = (headers: Record<string, string>, email = `${crypto.randomUUID()}@example.com`) =>
    service.request("POST", "/contacts", {
      body: { email },
      headers: { cookie: member.cookie, "x-project-id": project.id, ...headers },
    });

  test.each([
    ["of another origin", { origin: "https://evil.example" }],
    ["of another origin that begins like ours", { origin: "http://localhost.evil.example" }],
    ["of another port", { origin: "http://localhost:3001" }],
    ["of a file or a sandbox", { origin: "null" }],
    ["of another site", { "sec-fetch-site": "cross-site" }],
    ["of a neighbour on our site", { "sec-fetch-site": "same-site" }],
    ["of a neighbour, with its origin", { "sec-fetch-site": "same-site", origin: "https://x.localhost" }],
    ["of a dashboard's http version", { origin: DASHBOARD.replace("https", "http") }],
    ["that was typed in", { "sec-fetch-site": "none" }],
    ["that does not say", {}],
  ])("from a page %s is 403, and changes nothing", async (_what, headers: Record<string, string>) => {
    const email = `${crypto.randomUUID()}@example.com`;

    expect(outcome(await create(headers, email))).toEqual([403, "FORBIDDEN"]);
    expect(await service.pool`select from contacts where email = ${email}`).toHaveLength(0);
  });

  test.each([
    ["of ours, as the browser says", { "sec-fetch-site": "same-origin" }],
    ["of BASE_URL", { origin: "http://localhost:3000" }],
    ["of the address that was asked", { origin: "http://localhost" }],
    ["of a dashboard", { origin: DASHBOARD, "sec-fetch-site": "same-site" }],
    ["of another dashboard", { origin: "https://second.example", "sec-fetch-site": "same-site" }],
  ])("from a page %s is done", async (_what, headers: Record<string, string>) => {
    expect((await create(headers)).status).toBe(201);
  });

  test("of an installation with TLS comes from no page without it, whatever address was asked", async () => {
    const someone = await signUp(secure);
    const ask = async (origin: string) =>
      outcome(
        await secure.request("POST", "/users/@me/projects", {
          body: { name: "X" },
          headers: { cookie: someone.cookie, origin },
        }),
      );

    for (const origin of ["http://localhost", "http://mail.example", "https://localhost"]) {
      expect([origin, ...(await ask(origin))]).toEqual([origin, 403, "FORBIDDEN"]);
    }
    expect([await ask("https://mail.example"), await ask(DASHBOARD)]).toEqual(Array(2).fill([201, "ok"]));
  });

  test("is refused before it is looked at: a foreign page learns nothing about projects or roles", async () => {
    const headers = { "sec-fetch-site": "cross-site" };
    const outsider = await signUp(service);
    const answers = [
      await outsider.request("POST", "/contacts", {}, { projectId: project.id, headers }),
      await member.request("POST", "/contacts", {}, { headers }),
      await member.request("DELETE", `/users/@me/projects/${project.id}`, undefined, { headers }),
      await member.request("POST", "/users/@me/projects", { name: "X" }, { headers }),
    ];

    expect(answers.map(outcome)).toEqual(Array(4).fill([403, "FORBIDDEN"]));
  });

  test("needs no origin with a key, and reading needs none at all", async () => {
    const withKey = await service.request("POST", "/contacts", {
      key: project.secret,
      body: { email: "key@example.com" },
      headers: { origin: "https://evil.example" },
    });
    const read = await contacts(member, { "sec-fetch-site": "cross-site" });

    expect([withKey.status, read.status]).toEqual([201, 200]);
  });
});

test("answers that need authentication are kept by no cache, and no answer is taken for what it is not", async () => {
  const answers = [
    await me(member),
    await contacts(member),
    await service.request("GET", "/contacts", { key: project.secret }),
    await service.request("GET", "/contacts"),
    await service.request("POST", "/auth/login", { body: { email: member.email, password: PASSWORD } }),
    await service.request("POST", "/auth/login", { body: { email: member.email, password: "wrong horse" } }),
    await member.request("GET", `/projects/${project.id}/members`),
  ];
  const open = [await service.request("GET", "/health"), await service.request("GET", "/nowhere")];

  expect(answers.map(({ headers }) => headers.get("cache-control"))).toEqual(answers.map(() => "no-store"));
  for (const { headers } of [...answers, ...open]) {
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
});

describe("the order of refusals", () => {
  const BROKEN = { raw: "{", headers: {} };

  test("missing, invalid, elsewhere, no project, no member, disabled, invalid body", async () => {
    const own = await service.createProject();
    const closed = await service.createProject();
    for (const id of [own.id, closed.id]) await join(service, member, id);
    await disableProject(service, closed.id, null);
    const ask = (headers: Record<string, string>) =>
      service.request("POST", "/contacts", { ...BROKEN, headers });
    const bad = "postrider_session=bad";
    const { cookie } = member;
    const here = { "sec-fetch-site": "same-origin" };
    const answers = [
      await ask({}),
      await ask({ "x-project-id": own.id }),
      await ask({ cookie: bad, "x-project-id": "nonsense", "sec-fetch-site": "cross-site" }),
      await ask({ cookie, "x-project-id": "nonsense", "sec-fetch-site": "cross-site" }),
      await ask({ cookie, ...here }),
      await ask({ cookie, ...here, "x-project-id": "nonsense" }),
      await ask({ cookie, ...here, "x-project-id": crypto.randomUUID() }),
      await ask({ cookie, ...here, "x-project-id": project.id.replace(/.$/, "0").replace(/^./, "f") }),
      await ask({ cookie, ...here, "x-project-id": closed.id }),
      await ask({ cookie, ...here, "x-project-id": own.id }),
    ];

    expect(answers.map(outcome)).toEqual([
      [401, "MISSING_AUTH"],
      [401, "MISSING_AUTH"],
      [401, "UNAUTHORIZED"],
      [403, "FORBIDDEN"],
      [400, "BAD_REQUEST"],
      [400, "BAD_REQUEST"],
      [403, "PROJECT_ACCESS_DENIED"],
      [403, "PROJECT_ACCESS_DENIED"],
      [403, "PROJECT_DISABLED"],
      [400, "VALIDATION_ERROR"],
    ]);
  });

  test("the role comes before a disabled project, and that before an unverified address", async () => {
    const own = await strict.createProject();
    const someone = await signUp(strict);
    await join(strict, someone, own.id);
    const ask = () => someone.request("POST", "/domains", { domain: "x.example" }, { projectId: own.id });
    await disableProject(strict, own.id, null);
    const low = await ask();
    await join(strict, someone, own.id, "ADMIN");
    const disabled = await ask();
    await strict.pool`update projects set disabled_at = null where id = ${own.id}`;
    const unverified = await ask();
    await strict.pool`update users set email_verified_at = now() where id = ${someone.userId}`;
    const done = await ask();

    expect([low, disabled, unverified, done].map(outcome)).toEqual([
      [403, "FORBIDDEN"],
      [403, "PROJECT_DISABLED"],
      [403, "EMAIL_VERIFICATION_REQUIRED"],
      [201, "ok"],
    ]);
  });

  test("where addresses have to be verified, one that is not can be looked at and verified, and no more", async () => {
    const someone = await signUp(strict);
    const own = await strict.createProject();
    await join(strict, someone, own.id, "OWNER");
    const answers = [
      await someone.request("GET", "/users/@me"),
      await someone.request("POST", "/auth/request-verification"),
      await someone.request("GET", "/users/@me/projects"),
      await someone.request("POST", "/users/@me/projects", { name: "X" }),
      await someone.request("GET", `/projects/${own.id}/members`),
      await someone.request("GET", "/contacts", undefined, { projectId: own.id }),
      await someone.request("GET", "/auth/logout"),
    ];

    expect(answers.map(outcome)).toEqual([
      [200, "ok"],
      [200, "ok"],
      ...Array(4).fill([403, "EMAIL_VERIFICATION_REQUIRED"]),
      [200, "ok"],
    ]);
  });

  test("sessions have a rate limit of their own for each project, which comes before the body", async () => {
    const own = await limited.createProject();
    const someone = await signUp(limited);
    await join(limited, someone, own.id);
    const first = await someone.request("GET", "/contacts", undefined, { projectId: own.id });
    const other = await limited.createProject();
    await join(limited, someone, other.id);
    for (let i = 0; i < 3; i++) await limited.request("GET", "/contacts", { key: own.secret });
    const byKey = await limited.request("GET", "/contacts", { key: own.secret });
    await someone.request("GET", `/projects/${own.id}/members`);
    await someone.request("GET", `/projects/${own.id}/members`);
    const elsewhere = await someone.request("GET", `/projects/${other.id}/members`);
    const beyond = await limited.request("POST", "/contacts", {
      raw: "{",
      headers: { cookie: someone.cookie, "sec-fetch-site": "same-origin", "x-project-id": own.id },
    });

    expect([first.headers.get("ratelimit-limit"), first.headers.get("ratelimit-remaining")]).toEqual([
      "3",
      "2",
    ]);
    expect([byKey.status, elsewhere.status]).toEqual([429, 200]);
    expect(outcome(beyond)).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect(beyond.headers.get("retry-after")).toMatch(/^\d+$/);
  });
});

describe("a key beside a cookie", () => {
  test("is what counts on a project endpoint, right or wrong", async () => {
    const own = await service.createProject();
    const headers = { cookie: member.cookie, "x-project-id": own.id };
    const right = await service.request("GET", "/contacts", { key: own.secret, headers });
    const wrong = await service.request("GET", "/contacts", { key: own.public, headers });
    const malformed = await contacts(member, { authorization: "Basic abc" });

    expect([right, wrong, malformed].map(outcome)).toEqual([
      [200, "ok"],
      [401, "INVALID_API_KEY"],
      [401, "MISSING_AUTH"],
    ]);
  });

  test("is of no use where a session is required", async () => {
    const key = project.secret;
    const answers = [
      await service.request("GET", "/users/@me", { key }),
      await service.request("GET", `/users/@me/projects/${project.id}/security`, { key }),
      await service.request("POST", `/projects/${project.id}/members`, { key, body: { email: "a@b.io" } }),
      await service.request("POST", "/auth/change-password", { key, body: {} }),
    ];

    expect(answers.map(outcome)).toEqual(Array(4).fill([401, "INVALID_API_KEY"]));
  });

  test("reads of its own project under /projects, and of no other", async () => {
    const other = await service.createProject();
    const read = (id: string, key: string) => service.request("GET", `/projects/${id}/members`, { key });

    expect(outcome(await read(project.id, project.secret))).toEqual([200, "ok"]);
    expect(outcome(await read(project.id.toUpperCase(), project.secret))).toEqual([200, "ok"]);
    expect(outcome(await read(project.id, other.secret))).toEqual([403, "PROJECT_ACCESS_DENIED"]);
    expect(outcome(await read(project.id, project.public))).toEqual([401, "INVALID_API_KEY"]);
  });

  test("/v1/track takes the public key only", async () => {
    const { status, body } = await member.request(
      "POST",
      "/v1/track",
      { email: "a@b.io", event: "x" },
      { projectId: project.id },
    );

    expect([status, body.error.code]).toEqual([401, "MISSING_AUTH"]);
  });
});

describe("what was taken away is gone for the next request", () => {
  test("membership and role", async () => {
    const own = await service.createProject();
    const add = () => member.request("POST", "/domains", { domain: "x.example" }, { projectId: own.id });
    const seen = [];
    for (const role of ["ADMIN", "MEMBER", "OWNER"] as const) {
      await join(service, member, own.id, role);
      const answer = await add();
      seen.push(outcome(answer));
      if (answer.status === 201) await service.pool`delete from domains where id = ${answer.body.id}`;
    }
    await service.pool`delete from memberships where project_id = ${own.id}`;
    seen.push(outcome(await add()));

    expect(seen).toEqual([
      [201, "ok"],
      [403, "FORBIDDEN"],
      [201, "ok"],
      [403, "PROJECT_ACCESS_DENIED"],
    ]);
  });

  test("for each of many requests at once its own session and project count", async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => signUp(service)));
    const projects = await Promise.all(people.map(() => service.createProject()));
    await Promise.all(people.map((someone, i) => join(service, someone, projects[i]!.id)));
    const pairs = people.flatMap((someone, i) =>
      projects.map((own, j) => ({ someone, own, isOwn: i === j })),
    );
    const answers = await Promise.all(
      [...pairs, ...pairs].map(({ someone, own }) =>
        someone.request("GET", "/contacts", undefined, { projectId: own.id }),
      ),
    );

    expect(answers.map(({ status }) => status)).toEqual(
      [...pairs, ...pairs].map(({ isOwn }) => (isOwn ? 200 : 403)),
    );
  });
});

describe("a disabled project", () => {
  test("is closed to sessions too, but can be looked at, left and deleted", async () => {
    const own = await service.createProject();
    const owner = await signUp(service);
    await join(service, owner, own.id, "OWNER");
    await join(service, member, own.id);
    await disableProject(service, own.id, "ABUSE");
    const answers = [
      await owner.request("GET", "/contacts", undefined, { projectId: own.id }),
      await owner.request("GET", `/projects/${own.id}/members`),
      await owner.request("GET", `/users/@me/projects/${own.id}/security`),
      await owner.request("POST", `/projects/${own.id}/members`, { email: "a@b.io" }),
      await owner.request("PATCH", `/users/@me/projects/${own.id}`, { name: "X" }),
      await owner.request("POST", `/users/@me/projects/${own.id}/regenerate-keys`),
      await member.request("DELETE", `/projects/${own.id}/members/${member.userId}`),
      await owner.request("DELETE", `/users/@me/projects/${own.id}`),
    ];

    expect(answers.map(outcome)).toEqual([
      [403, "PROJECT_DISABLED"],
      [200, "ok"],
      [200, "ok"],
      ...Array(3).fill([403, "PROJECT_DISABLED"]),
      [204, "ok"],
      [204, "ok"],
    ]);
    expect(outcome(await owner.request("GET", `/projects/${own.id}/members`))).toEqual([
      403,
      "PROJECT_ACCESS_DENIED",
    ]);
  });
});

describe("every endpoint", () => {
  interface Route {
    method: string;
    path: string;
    hooks: { detail?: { hide?: boolean; security?: object[] } };
  }

  let outsider: Person;
  beforeAll(async () => {
    outsider = await signUp(service);
  });

  /** No part of the document, and behind a key or a session all the same. */
  const GUARDED_AND_HIDDEN = /^\/(events\/contact\/usage$|mcp$|compat\/)/;
  const guarded = () =>
    (service.app.routes as Route[]).filter(
      ({ hooks: { detail }, path }) =>
        (!detail?.hide || GUARDED_AND_HIDDEN.test(path)) &&
        detail?.security?.length !== 0 &&
        path !== "/v1/track",
    );
  const ofProject = () => guarded().filter(({ path }) => !/^\/(users|projects|auth)\//.test(path));
  const ofPathProject = () => guarded().filter(({ path }) => /projects\/:id/.test(path));
  const filled = (path: string, id: string) => path.replace(/:(\w+)/g, () => id);
  const asked = async (someone: Person, { method, path }: Route, projectId?: string, cookie?: string) => {
    const body = method === "GET" ? undefined : {};
    const {
      status,
      body: answer,
      headers,
    } = await service.request(method, filled(path, project.id), {
      body,
      headers: {
        cookie: cookie ?? someone.cookie,
        "sec-fetch-site": "same-origin",
        ...(projectId && { "x-project-id": projectId }),
      },
    });
    // The APIs of other providers have errors of other shapes, with our code in a header.
    return [`${method} ${path}`, status, answer.error?.code ?? headers.get("x-error-code")];
  };

  test("of a project refuses somebody who is no member, names no project, or has an invalid cookie", async () => {
    const routes = ofProject();
    for (const route of routes) {
      const name = `${route.method} ${route.path}`;
      expect(await asked(outsider, route, project.id)).toEqual([name, 403, "PROJECT_ACCESS_DENIED"]);
      expect(await asked(member, route)).toEqual([name, 400, "BAD_REQUEST"]);
      expect(await asked(member, route, project.id, "postrider_session=x")).toEqual([
        name,
        401,
        "UNAUTHORIZED",
      ]);
    }
    expect(routes.length).toBeGreaterThan(60);
  });

  test("below a project's id refuses somebody who is no member, or has an invalid cookie", async () => {
    const routes = ofPathProject();
    for (const route of routes) {
      const name = `${route.method} ${route.path}`;
      expect(await asked(outsider, route)).toEqual([name, 403, "PROJECT_ACCESS_DENIED"]);
      expect(await asked(member, route, undefined, "postrider_session=x")).toEqual([
        name,
        401,
        "UNAUTHORIZED",
      ]);
    }
    expect(routes.length).toBeGreaterThan(10);
  });

  test("is open on purpose, or needs authentication", () => {
    const open = (service.app.routes as Route[])
      .filter((route) => !guarded().includes(route))
      .map(({ method, path }) => `${method} ${path}`);

    // Whoever adds one here has thought about who may call it.
    expect(open.filter((route) => !OPEN.test(route))).toEqual([]);
  });

  const OPEN =
    /^(GET \/(favicon\.ico)?$|GET \/app|POST \/v1\/track|(GET|POST) \/auth\/|(GET|POST) \/oauth\/|GET \/config|GET \/uploads\/|POST \/webhooks\/|GET \/(health|ready|metrics|docs|openapi)|\w+ \/inbox|(GET|POST) \/(un)?subscribe\/:token|(GET|POST) \/manage\/:token|GET \/t\/)/;

  test("of a project works with a session as with a key", async () => {
    const { email } = member;
    const request = (method: string, path: string, body?: object) =>
      member.request(method, path, body, { projectId: project.id });
    const sent = await request("POST", "/v1/send", {
      to: email,
      from: "x@shop.example",
      subject: "s",
      body: "b",
    });
    const verified = await request("POST", "/v1/verify", { email });
    const created = await request("POST", "/segments", { name: "S", type: "STATIC" });
    const deleted = await request("DELETE", `/segments/${created.body.id}`);
    const headers = { cookie: member.cookie, "x-project-id": project.id.toUpperCase() };
    const head = await service.app.handle(
      new Request("http://localhost/contacts", { method: "HEAD", headers }),
    );
    const form = new FormData();
    form.append("file", new File(["email\na@import.example\n"], "c.csv", { type: "text/csv" }));
    const upload = new Request("http://localhost/contacts/import", {
      method: "POST",
      body: form,
      headers: { ...headers, "sec-fetch-site": "same-origin" },
    });
    const imported = await service.app.handle(upload);

    const statuses = [sent, verified, created, deleted, head, imported].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 201, 204, 200, 202]);
  });
});

describe("CORS outside of /v1", () => {
  const preflight = async (path: string, origin: string) =>
    await service.request("OPTIONS", path, {
      headers: { origin, "access-control-request-method": "DELETE" },
    });

  test("lets dashboards act with the cookie", async () => {
    const asked = await preflight("/contacts", DASHBOARD);
    const answer = await contacts(member, { origin: DASHBOARD });
    const refusal = await service.request("GET", "/contacts", { headers: { origin: DASHBOARD } });

    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-headers")).toContain("X-Project-Id");
    expect(asked.headers.get("access-control-allow-methods")).toContain("DELETE");
    for (const { headers } of [asked, answer, refusal]) {
      expect(headers.get("access-control-allow-origin")).toBe(DASHBOARD);
      expect(headers.get("access-control-allow-credentials")).toBe("true");
      expect(headers.get("vary")).toBe("Origin");
    }
  });

  test("lets nobody else", async () => {
    for (const origin of [
      "https://evil.example",
      "null",
      `${DASHBOARD}.evil.example`,
      "http://localhost:3000",
    ]) {
      const answers = [await preflight("/contacts", origin), await contacts(member, { origin })];
      for (const { headers } of answers) {
        expect([origin, headers.get("access-control-allow-origin")]).toEqual([origin, null]);
        expect(headers.get("access-control-allow-credentials")).toBeNull();
      }
    }
  });

  test("leaves /v1 open to anybody, without cookies", async () => {
    const { headers } = await preflight("/v1/track", "https://shop.example");

    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  });
});

test("two sessions of one person are two", async () => {
  const second = await logIn(service, member.email);
  await second.request("GET", "/auth/logout");

  expect([(await me(member)).status, (await me(second)).status]).toEqual([200, 401]);
});
