import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { newInvitationToken } from "../../src/accounts/projects/invitations.ts";
import { cookieOf, logIn, PASSWORD, type Person, signUp } from "../support/accounts.ts";
import { untilBlocked } from "../support/locks.ts";
import { readMail } from "../support/received_mail.ts";
import { type Answer, type RequestOptions, useService } from "../support/service.ts";

const PLATFORM_FROM = "Postrider <postrider@mail.example>";
const service = useService({ PLATFORM_FROM });
const closed = useService({ PLATFORM_FROM, DISABLE_SIGNUPS: "true" });
const secure = useService({
  PLATFORM_FROM,
  BASE_URL: "https://mail.example",
  DASHBOARD_ORIGINS: "https://app.mail.example",
});

const NEW_PASSWORD = "another horse, another staple";
const HOUR_MS = 3_600_000;

let person: Person;

beforeEach(async () => {
  service.smtp.received.length = 0;
  person = await signUp(service);
});

afterEach(async () => {
  service.setNow(new Date());
  await service.dropJobs();
  await service.pool`delete from login_failures`;
});

const post = (path: string, body: unknown, options: RequestOptions = {}) =>
  service.request("POST", `/auth/${path}`, { body, ...options });
const later = (ms: number) => service.setNow(new Date(service.now().getTime() + ms));
const outcome = ({ status, body }: Answer) => [status, body.error?.code ?? "ok"];
const isAlive = async (someone: Person) => (await someone.request("GET", "/users/@me")).status === 200;

/** The links of the mails that were sent, in their order, without those that were looked at before. */
async function mails(): Promise<{ to: string; subject: string; path: string; token: string }[]> {
  await service.runJobs();
  const parsed = await Promise.all(service.smtp.received.map(({ source }) => readMail(source)));
  service.smtp.received.length = 0;
  return parsed.map(({ to, subject = "", text = "" }) => {
    const [, path = "", token = ""] = /http:\/\/localhost:3000(\/\S+?)\?token=([\w-]+)/.exec(text) ?? [];
    return { to: to?.[0]?.address ?? "", subject, path, token };
  });
}

async function tokenFor(request: "request-password-reset" | "request-verification", email = person.email) {
  await mails();
  await post(request, { email });
  return (await mails())[0]!.token;
}

describe("POST /auth/signup", () => {
  test("makes an account, and answers with it and a session cookie that no script reads", async () => {
    const { status, body, headers } = await post("signup", {
      email: " Ada@Example.com ",
      password: PASSWORD,
    });
    const cookie = headers.getSetCookie()[0]!;
    const [user] = await service.pool`select * from users where email = 'ada@example.com'`;

    expect([status, body]).toEqual([
      200,
      { success: true, data: { id: user!.id, email: "ada@example.com" } },
    ]);
    expect(headers.getSetCookie()).toHaveLength(1);
    expect(cookie).toMatch(/^postrider_session=[\w-]+\.[\w-]+\.[\w-]+; /);
    expect(cookie.split("; ").slice(1)).toEqual(["Max-Age=604800", "Path=/", "HttpOnly", "SameSite=Lax"]);
    expect(user!.passwordHash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
    expect(user!.emailVerifiedAt).toBeNull();
  });

  test("over https sends a cookie for https only, which no other host of the domain can set", async () => {
    const { headers } = await secure.request("POST", "/auth/signup", {
      body: { email: "ada@example.com", password: PASSWORD },
    });

    const cookie = headers.getSetCookie()[0]!;
    expect(cookie).toStartWith("__Host-postrider_session=");
    expect(cookie).toEndWith("; Path=/; HttpOnly; SameSite=Lax; Secure");
    expect(cookie.toLowerCase()).not.toContain("domain");
  });

  test("over https the name without the prefix is nobody's: a neighbour of the host may have set it", async () => {
    const someone = await signUp(secure);
    const plain = someone.cookie.replace("__Host-", "");
    const me = (cookie: string) => secure.request("GET", "/users/@me", { headers: { cookie } });
    const beside = await me(`${plain.replace(/=.*/, "=planted")}; ${someone.cookie}`);

    expect([outcome(await me(plain)), outcome(await me(someone.cookie)), outcome(beside)]).toEqual([
      [401, "MISSING_AUTH"],
      [200, "ok"],
      [200, "ok"],
    ]);
    const { body } = await secure.request("GET", "/openapi.json");
    expect(body.components.securitySchemes.session.name).toBe("__Host-postrider_session");
  });

  test("over https the end of a session clears the cookie by the name that it has", async () => {
    const someone = await signUp(secure);
    const { headers } = await someone.request("GET", "/auth/logout");

    expect(headers.getSetCookie()).toEqual([
      "__Host-postrider_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure",
    ]);
  });

  test("asks by mail whether the address is theirs", async () => {
    expect(await mails()).toEqual([
      {
        to: person.email,
        subject: "Is this your address?",
        path: "/app/verify-email",
        token: expect.any(String),
      },
    ]);
  });

  test("leads to the dashboard where there is one", async () => {
    await signUp(secure);
    await secure.runJobs();
    const { text } = await readMail(secure.smtp.received[0]!.source);

    expect(text).toContain("https://app.mail.example/auth/verify-email?token=");
  });

  test.each([
    ["a password of 7 characters", { password: "1234567" }, "password", "too_small"],
    ["a password of 129 characters", { password: "x".repeat(129) }, "password", "too_big"],
    ["no password", { password: undefined }, "password", "required"],
    ["a password that is a number", { password: 12345678 }, "password", "invalid_type"],
    ["a malformed address", { email: "ada" }, "email", "invalid_string"],
    ["no address", { email: undefined }, "email", "required"],
  ])("with %s is 422", async (_what, wrong, field, code) => {
    const { status, body } = await post("signup", { email: "x@example.com", password: PASSWORD, ...wrong });

    expect([status, body.error.errors[0].field, body.error.errors[0].code]).toEqual([422, field, code]);
  });

  test("with what is no JSON, or more than an address and a password need, is refused unread", async () => {
    const broken = await post("signup", null, { raw: "{" });
    const large = await post("signup", { email: "x@example.com", password: "x".repeat(20_000) });

    expect([outcome(broken), outcome(large)]).toEqual([
      [400, "VALIDATION_ERROR"],
      [413, "PAYLOAD_TOO_LARGE"],
    ]);
  });

  test("for an address that has an account is 409, and gives no session", async () => {
    const taken = await post("signup", { email: person.email.toUpperCase(), password: NEW_PASSWORD });

    expect([outcome(taken), cookieOf(taken.headers)]).toEqual([[409, "CONFLICT"], null]);
    await logIn(service, person.email);
  });

  test("of ten at once for one address makes one account", async () => {
    const body = { email: "race@example.com", password: PASSWORD };
    const answers = await Promise.all(Array.from({ length: 10 }, () => post("signup", body)));

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)]);
  });

  test("where sign-ups are closed is 403, whether or not there is an account, but for those who are invited", async () => {
    const project = await closed.createProject();
    const { token, tokenHash } = newInvitationToken();
    const until = new Date(closed.now().getTime() + HOUR_MS);
    await closed.pool`
      insert into invitations (project_id, email, role, token_hash, created_at, expires_at)
      values (${project.id}, 'ada@example.com', 'ADMIN', ${tokenHash}, now(), ${until})`;
    const ask = (email: string, invitation?: string) =>
      closed.request("POST", "/auth/signup", { body: { email, password: PASSWORD, invitation } });
    const refused = [
      await ask("ada@example.com"),
      await ask("eve@example.com", token),
      await ask("ada@example.com", token.replace(/./, "z")),
    ];
    const invited = await ask("ada@example.com", token);
    const again = await ask("ada@example.com");
    const [row] = await closed.pool`
      select role, email_verified_at from memberships m join users u on u.id = user_id
      where project_id = ${project.id}`;

    expect(refused.map(outcome)).toEqual(Array(3).fill([403, "FORBIDDEN"]));
    expect(outcome(invited)).toEqual([200, "ok"]);
    expect(outcome(again)).toEqual([403, "FORBIDDEN"]);
    expect(row).toEqual({ role: "ADMIN", emailVerifiedAt: expect.any(Date) });
  });

  test("leaves neither password, address nor token in the log", async () => {
    await mails();
    const log = JSON.stringify(service.lines);

    for (const secret of [PASSWORD, person.email, person.cookie.split(".")[2]!])
      expect(log).not.toContain(secret);
  });
});

describe("POST /auth/login", () => {
  const attempt = (email: string, password: string, options?: RequestOptions) =>
    post("login", { email, password }, options);

  test("answers as sign-up does, with a session of its own", async () => {
    const answer = await attempt(` ${person.email.toUpperCase()} `, PASSWORD);

    expect([answer.status, answer.body]).toEqual([
      200,
      { success: true, data: { id: person.userId, email: person.email } },
    ]);
    expect(cookieOf(answer.headers)).not.toBe(person.cookie);
    expect(await isAlive(person)).toBe(true);
  });

  test("says the same to a wrong password, an unknown address, and an account without a password", async () => {
    await service.pool`insert into users (email) values ('github@example.com') on conflict do nothing`;
    const answers = [
      await attempt(person.email, "wrong horse battery"),
      await attempt("nobody@example.com", PASSWORD),
      await attempt("github@example.com", PASSWORD),
    ];
    const [first, ...others] = answers.map(({ status, body, headers }) => {
      const { requestId: _id, ...error } = body.error;
      headers.delete("x-request-id");
      return { status, error, headers: [...headers] };
    });

    expect([first!.status, first!.error.code]).toEqual([401, "INVALID_CREDENTIALS"]);
    expect(others).toEqual([first!, first!]);
  });

  test("takes one password however it is composed", async () => {
    const email = "composed@example.com";
    await signUp(service, email, "café crème".normalize("NFC"));

    expect((await attempt(email, "café crème".normalize("NFD"))).status).toBe(200);
  });

  test("never takes over a session that somebody has prepared", async () => {
    const attacker = person;
    const victim = await signUp(service);
    const answer = await attempt(victim.email, PASSWORD, { headers: { cookie: attacker.cookie } });
    const made = await attempt(victim.email, PASSWORD, { headers: { cookie: "postrider_session=made-up" } });

    const cookies = [answer, made].map(({ headers }) => cookieOf(headers));
    expect(new Set([...cookies, attacker.cookie, null]).size).toBe(4);
    // The one that the browser had before has ended.
    expect(await isAlive(attacker)).toBe(false);
  });

  test("gives no session to a password that is changed while it is checked", async () => {
    const [user] = await service.pool`select password_hash from users where id = ${person.userId}`;
    const changed = await service.pool.begin(async (sql) => {
      await sql`update users set password_hash = ${`${user!.passwordHash}x`} where id = ${person.userId}`;
      const login = attempt(person.email, PASSWORD);
      await untilBlocked(service.pool);
      return { login };
    });

    expect(outcome(await changed.login)).toEqual([401, "INVALID_CREDENTIALS"]);
  });

  test.each([
    ["of another origin", { origin: "https://evil.example" }],
    ["of no origin", { origin: "null" }],
    ["of another site", { "sec-fetch-site": "cross-site" }],
    [
      "of another site that claims ours",
      { origin: "https://localhost.evil.example", "sec-fetch-site": "cross-site" },
    ],
  ])("from a page %s is 403: nobody is logged in by somebody else", async (_what, headers) => {
    const answer = await attempt(person.email, PASSWORD, { headers });

    expect([outcome(answer), cookieOf(answer.headers)]).toEqual([[403, "FORBIDDEN"], null]);
  });

  test.each([
    ["of ours", { origin: "http://localhost" }],
    ["of BASE_URL", { origin: "http://localhost:3000" }],
    ["that the browser vouches for", { "sec-fetch-site": "same-origin" }],
  ])("from a page %s is 200", async (_what, headers) => {
    expect((await attempt(person.email, PASSWORD, { headers })).status).toBe(200);
  });
});

describe("GET /auth/logout", () => {
  test("ends the session: a copy of the cookie is worth nothing, and others go on", async () => {
    const second = await logIn(service, person.email);
    const answer = await person.request("GET", "/auth/logout");
    const copy = await person.request("GET", "/users/@me");

    expect([answer.status, answer.body]).toEqual([200, { success: true }]);
    expect(answer.headers.getSetCookie()).toEqual([
      "postrider_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
    ]);
    expect(outcome(copy)).toEqual([401, "UNAUTHORIZED"]);
    expect(await isAlive(second)).toBe(true);
  });

  test("is done without a session too, and again", async () => {
    await person.request("GET", "/auth/logout");
    const answers = [
      await person.request("GET", "/auth/logout"),
      await service.request("GET", "/auth/logout"),
      await service.request("GET", "/auth/logout", { headers: { cookie: "postrider_session=nonsense" } }),
    ];

    expect(answers.map(({ body }) => body)).toEqual(Array(3).fill({ success: true }));
  });

  test("for a link on another site is 403, and the session goes on", async () => {
    const headers = { "sec-fetch-site": "cross-site" };

    expect(outcome(await person.request("GET", "/auth/logout", undefined, { headers }))).toEqual([
      403,
      "FORBIDDEN",
    ]);
    expect(await isAlive(person)).toBe(true);
  });

  test.each([["same-site"], ["cross-site"], ["something new"]])(
    "for a picture on a page that is %s is 403, and the session goes on",
    async (site) => {
      const answer = await person.request("GET", "/auth/logout", undefined, {
        headers: { "sec-fetch-site": site },
      });

      expect([outcome(answer), await isAlive(person)]).toEqual([[403, "FORBIDDEN"], true]);
    },
  );

  test("for a link of a dashboard, or one that was typed in, ends the session", async () => {
    const [one, two] = [await signUp(secure), await signUp(secure)];
    await one.request("GET", "/auth/logout", undefined, { headers: { "sec-fetch-site": "same-site" } });
    await two.request("GET", "/auth/logout", undefined, { headers: { "sec-fetch-site": "none" } });

    expect([await isAlive(one), await isAlive(two)]).toEqual([false, false]);
  });
});

describe("POST /auth/change-password", () => {
  const change = (body: object) => person.request("POST", "/auth/change-password", body);

  test("ends every other session, and only the new password is right", async () => {
    const [thief, friend] = [await logIn(service, person.email), await signUp(service)];
    const answer = await change({ password: PASSWORD, newPassword: NEW_PASSWORD });

    expect(outcome(answer)).toEqual([200, "ok"]);
    expect([await isAlive(person), await isAlive(thief), await isAlive(friend)]).toEqual([true, false, true]);
    expect((await post("login", { email: person.email, password: PASSWORD })).status).toBe(401);
    await logIn(service, person.email, NEW_PASSWORD);
  });

  test("needs the old one, and a new one of 8 characters", async () => {
    const other = await logIn(service, person.email);
    const wrong = await change({ password: "wrong horse battery", newPassword: NEW_PASSWORD });
    const short = await change({ password: PASSWORD, newPassword: "short" });

    expect([outcome(wrong), outcome(short)]).toEqual([
      [401, "INVALID_CREDENTIALS"],
      [422, "VALIDATION_ERROR"],
    ]);
    expect(await isAlive(other)).toBe(true);
  });

  test("is locked by failures as the log-in is, but by its own: strangers lock nobody out of it", async () => {
    const stranger = () => post("login", { email: person.email, password: "wrong horse battery" });
    for (let i = 0; i < 11; i++) await stranger();
    const locked = await stranger();
    for (let i = 0; i < 10; i++) {
      const wrong = await change({ password: "wrong horse battery", newPassword: NEW_PASSWORD });
      expect(outcome(wrong)).toEqual([401, "INVALID_CREDENTIALS"]);
    }

    expect([locked.status, outcome(await change({ password: PASSWORD, newPassword: NEW_PASSWORD }))]).toEqual(
      [429, [429, "RATE_LIMIT_EXCEEDED"]],
    );
  });
});

describe("POST /auth/reset-password", () => {
  const reset = (token: string, newPassword = NEW_PASSWORD) => post("reset-password", { token, newPassword });

  test("sets the password with the token of the mail, and ends every session", async () => {
    const [thief, friend] = [await logIn(service, person.email), await signUp(service)];
    const answer = await reset(await tokenFor("request-password-reset"));

    expect([answer.status, Object.keys(answer.body), typeof answer.body.data.message]).toEqual([
      200,
      ["success", "data"],
      "string",
    ]);
    expect([await isAlive(person), await isAlive(thief), await isAlive(friend)]).toEqual([
      false,
      false,
      true,
    ]);
    expect((await post("login", { email: person.email, password: PASSWORD })).status).toBe(401);
    await logIn(service, person.email, NEW_PASSWORD);
  });

  test("proves the address too, and opens what failures have locked", async () => {
    for (let i = 0; i < 11; i++)
      await post("login", { email: person.email, password: "wrong horse battery" });
    const locked = await post("login", { email: person.email, password: PASSWORD });
    await reset(await tokenFor("request-password-reset"));
    const opened = await logIn(service, person.email, NEW_PASSWORD);

    expect(locked.status).toBe(429);
    expect((await opened.request("GET", "/users/@me")).body.emailVerified).toBe(true);
  });

  test("takes a token once, however many try at once", async () => {
    const token = await tokenFor("request-password-reset");
    const answers = await Promise.all(Array.from({ length: 10 }, () => reset(token)));

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(400)]);
    expect(outcome(await reset(token))).toEqual([400, "BAD_REQUEST"]);
  });

  test("takes no token after an hour, and one just before", async () => {
    const [early, late] = [
      await tokenFor("request-password-reset"),
      await tokenFor("request-password-reset"),
    ];
    later(HOUR_MS + 1000);
    const expired = await reset(early);
    later(-5000);

    expect(outcome(expired)).toEqual([400, "BAD_REQUEST"]);
    expect(outcome(await reset(late))).toEqual([200, "ok"]);
  });

  test("drops the tokens of earlier mails", async () => {
    const [first, second] = [
      await tokenFor("request-password-reset"),
      await tokenFor("request-password-reset"),
    ];
    await reset(second);

    expect((await reset(first)).status).toBe(400);
  });

  test("takes no token of the other kind, none that is made up, and none as it is stored", async () => {
    const verification = (await mails())[0]!.token;
    const genuine = await tokenFor("request-password-reset");
    const [stored] = await service.pool`
      select token_hash from account_tokens where user_id = ${person.userId} and purpose = 'RESET_PASSWORD'`;
    const hash = stored!.tokenHash as Buffer;
    const tokens = [
      verification,
      `${genuine}x`,
      hash.toString("hex"),
      hash.toString("base64url"),
      "' or true --",
    ];

    for (const token of tokens) expect(outcome(await reset(token))).toEqual([400, "BAD_REQUEST"]);
    expect((await post("verify-email", { token: genuine })).status).toBe(400);
    expect(await isAlive(person)).toBe(true);
  });

  test("refuses a short password, and keeps the token for a longer one", async () => {
    const token = await tokenFor("request-password-reset");
    const short = await reset(token, "short");

    expect([outcome(short), outcome(await reset(token))]).toEqual([
      [422, "VALIDATION_ERROR"],
      [200, "ok"],
    ]);
  });

  test("gives a password to an account that came by another provider", async () => {
    await service.pool`insert into users (email, email_verified_at) values ('octo@example.com', now())`;
    await reset(await tokenFor("request-password-reset", "octo@example.com"));

    await logIn(service, "octo@example.com", NEW_PASSWORD);
  });
});

describe("POST /auth/request-password-reset", () => {
  test("says the same whether or not there is an account, and writes to nobody who has none", async () => {
    await mails();
    const answers = [
      await post("request-password-reset", { email: person.email }),
      await post("request-password-reset", { email: "nobody@example.com" }),
    ];

    expect(answers[0]!.status).toBe(200);
    expect(answers[1]!.body).toEqual(answers[0]!.body);
    expect((await mails()).map(({ to, path }) => [to, path])).toEqual([
      [person.email, "/app/reset-password"],
    ]);
  });

  test("sends at most five mails an hour to one address, and says so to nobody", async () => {
    await mails();
    const sent: number[] = [];
    for (let i = 0; i < 7; i++) {
      const { status } = await post("request-password-reset", { email: person.email });
      sent.push(status, (await mails()).length);
    }
    later(HOUR_MS + 1000);
    await post("request-password-reset", { email: person.email });

    expect(sent).toEqual([...Array(5).fill([200, 1]), [200, 0], [200, 0]].flat());
    expect(await mails()).toHaveLength(1);
  });
});

describe("POST /auth/verify-email", () => {
  const me = async () => (await person.request("GET", "/users/@me")).body;

  test("verifies the address with the token of the mail, once", async () => {
    const { token } = (await mails())[0]!;
    const before = await me();
    const first = await person.request("POST", "/auth/verify-email", { token });
    const second = await person.request("POST", "/auth/verify-email", { token });

    expect([before.emailVerified, (await me()).emailVerified]).toEqual([false, true]);
    expect([outcome(first), outcome(second)]).toEqual([
      [200, "ok"],
      [400, "BAD_REQUEST"],
    ]);
  });

  test("after an hour is refused, and the address is as it was", async () => {
    const { token } = (await mails())[0]!;
    later(HOUR_MS + 1000);

    expect((await post("verify-email", { token })).status).toBe(400);
    expect((await me()).emailVerified).toBe(false);
  });

  test("lets the person join what the address was invited to, and not before", async () => {
    const project = await service.createProject();
    const until = new Date(service.now().getTime() + HOUR_MS);
    await service.pool`
      insert into invitations (project_id, email, role, token_hash, created_at, expires_at)
      values (${project.id}, ${person.email}, 'MEMBER', ${newInvitationToken().tokenHash}, now(), ${until})`;
    const contacts = () => person.request("GET", "/contacts", undefined, { projectId: project.id });
    const before = await contacts();
    await person.request("POST", "/auth/verify-email", { token: (await mails())[0]!.token });

    expect([outcome(before), outcome(await contacts())]).toEqual([
      [403, "PROJECT_ACCESS_DENIED"],
      [200, "ok"],
    ]);
  });
});

describe("POST /auth/request-verification", () => {
  test("writes to the address of the session, or to the one that is given, if it is not verified yet", async () => {
    const verified = await signUp(service);
    await mails();
    await service.pool`update users set email_verified_at = now() where id = ${verified.userId}`;
    const answers = [
      await person.request("POST", "/auth/request-verification"),
      await post("request-verification", { email: verified.email }),
      await post("request-verification", { email: "nobody@example.com" }),
    ];

    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]!.body]);
    expect((await mails()).map(({ to }) => to)).toEqual([person.email]);
  });

  test("with the session needs a page of ours", async () => {
    const answer = await post("request-verification", {}, { headers: { cookie: person.cookie } });

    expect(outcome(answer)).toEqual([403, "FORBIDDEN"]);
  });

  test("without an address needs a session that stands", async () => {
    await person.request("GET", "/auth/logout");

    expect(outcome(await post("request-verification", {}))).toEqual([401, "MISSING_AUTH"]);
    expect(outcome(await person.request("POST", "/auth/request-verification"))).toEqual([
      401,
      "UNAUTHORIZED",
    ]);
  });
});
