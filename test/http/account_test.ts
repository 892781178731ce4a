// The account of a person: its name, its address, its sessions, and its end.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { cookieOf, join, logIn, PASSWORD, type Person, personOf, signUp } from "../support/accounts.ts";
import { readMail } from "../support/received_mail.ts";
import { type Answer, useService } from "../support/service.ts";

const service = useService({ PLATFORM_FROM: "Postrider <postrider@mail.example>" });

const MINUTE_MS = 60_000;
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0";

let ada: Person;
let fresh = 0;
const freshAddress = () => `fresh${++fresh}@people.example`;

beforeEach(async () => {
  ada = await signUp(service);
});

afterEach(async () => {
  service.setNow(new Date());
  service.smtp.received.length = 0;
  await service.dropJobs();
});

const outcome = ({ status, body }: Answer) => [status, body?.error?.code ?? "ok"];
const later = (ms: number) => service.setNow(new Date(service.now().getTime() + ms));
const me = async (person = ada) => (await person.request("GET", "/users/@me")).body;
const prove = async (person = ada) =>
  expect((await person.request("POST", "/auth/reauthenticate", { password: PASSWORD })).status).toBe(200);

/** The mails that are sent now: to whom, and what they say. */
async function mails() {
  service.smtp.received.length = 0;
  await service.runJobs();
  const parsed = await Promise.all(service.smtp.received.map(async ({ source }) => await readMail(source)));
  return parsed.map(({ to, subject, text = "" }) => ({
    to: to![0]!.address!,
    subject,
    text: text.replace(/\s+/g, " "),
    token: /change-email\?token=([\w-]+)/.exec(text)?.[1],
  }));
}

async function askForEmail(email: string, person = ada) {
  const answer = await person.request("POST", "/users/@me/email", { email });
  return { answer, sent: await mails() };
}

describe("the name", () => {
  test("is set, shown, and taken away", async () => {
    const set = await ada.request("PATCH", "/users/@me", { name: "  Ada Lovelace " });
    const session = await ada.request("GET", "/auth/session");
    const none = await ada.request("PATCH", "/users/@me", { name: null });

    expect([set.body.name, session.body.user.name, none.body.name]).toEqual([
      "Ada Lovelace",
      "Ada Lovelace",
      null,
    ]);
  });

  test.each([
    ["", "too_small"],
    ["x".repeat(101), "too_big"],
    ["Ada www.evil.example", "invalid_string"],
    ["Ada\u202e", "invalid_string"],
  ])("%j is refused and changes nothing", async (name, code) => {
    const refused = await ada.request("PATCH", "/users/@me", { name });

    expect([refused.status, refused.body.error.errors[0].code]).toEqual([422, code]);
    expect((await me()).name).toBeNull();
  });
});

describe("the sessions of a person", () => {
  const list = async (person = ada) =>
    (await person.request("GET", "/users/@me/sessions")).body.sessions as Record<string, unknown>[];
  const logInWith = async (userAgent: string) =>
    personOf(
      service,
      await service.request("POST", "/auth/login", {
        body: { email: ada.email, password: PASSWORD },
        headers: { "user-agent": userAgent },
      }),
    );

  test("are listed with their device, the last used first", async () => {
    later(MINUTE_MS);
    const second = await logInWith(FIREFOX);
    const sessions = await list(second);

    expect(sessions.map(({ device, current }) => [device, current])).toEqual([
      ["Firefox on Windows", true],
      ["Unknown device", false],
    ]);
  });

  test.each([
    ["curl/8.5.0", "curl"],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
      "Safari on iOS",
    ],
    [`${"x".repeat(5_000)}`, "x".repeat(200)],
    ["<script>alert(1)</script>", "<script>alert(1)<"],
  ])("a browser that calls itself %j is shown without harm", async (userAgent, device) => {
    const [session] = await list(await logInWith(userAgent));

    expect([session!.device, String(session!.userAgent).length <= 200]).toEqual([device, true]);
  });

  test("say when they were last used, to the minute, and a request waits for no such note", async () => {
    const used = async () =>
      (await service.pool`select last_used_at from sessions where user_id = ${ada.userId}`)[0]!
        .lastUsedAt as Date;
    const first = await used();
    await me();
    const soon = await used();
    later(2 * MINUTE_MS);
    await me();
    for (let i = 0; i < 500 && (await used()).getTime() === first.getTime(); i++) await Bun.sleep(10);

    expect(soon).toEqual(first);
    expect((await used()).getTime()).toBeGreaterThan(first.getTime());
  });

  test("end one by one, and nobody ends those of others", async () => {
    const second = await logIn(service, ada.email);
    const [other] = (await list()).filter(({ current }) => !current);
    const stranger = await signUp(service);
    const foreign = await stranger.request("DELETE", `/users/@me/sessions/${other!.id}`);
    const nonsense = await ada.request("DELETE", "/users/@me/sessions/nonsense");
    const before = await second.request("GET", "/users/@me");
    const ended = await ada.request("DELETE", `/users/@me/sessions/${other!.id}`);

    expect([outcome(foreign), outcome(nonsense), before.status, ended.status]).toEqual([
      [404, "RESOURCE_NOT_FOUND"],
      [404, "RESOURCE_NOT_FOUND"],
      200,
      204,
    ]);
    expect(outcome(await second.request("GET", "/users/@me"))).toEqual([401, "UNAUTHORIZED"]);
    expect((await mails()).find(({ subject }) => subject!.includes("sessions"))!.to).toBe(ada.email);
  });

  test("end all but the one that asks, which may end itself", async () => {
    const others = [await logIn(service, ada.email), await logIn(service, ada.email)];
    const ended = await ada.request("DELETE", "/users/@me/sessions");
    const [own] = await list();
    const left = await list();
    const gone = await Promise.all(others.map((person) => person.request("GET", "/users/@me")));
    const last = await ada.request("DELETE", `/users/@me/sessions/${own!.id}`);

    expect([ended.status, left.length, ...gone.map(({ status }) => status)]).toEqual([204, 1, 401, 401]);
    expect([last.status, cookieOf(last.headers)]).toEqual([204, "postrider_session="]);
    expect((await ada.request("GET", "/users/@me")).status).toBe(401);
  });
});

describe("another address", () => {
  test("is asked of its mailbox, told to the old one, and then is that of the account", async () => {
    const email = freshAddress();
    await mails();
    const { answer, sent } = await askForEmail(email);
    const pending = await me();
    const told = sent.find(({ to }) => to === ada.email)!;
    const asked = sent.find(({ to }) => to === email)!;
    const changed = await ada.request("POST", "/auth/change-email", { token: asked.token });
    const after = await me();
    const again = await ada.request("POST", "/auth/change-email", { token: asked.token });

    expect([answer.status, pending.email, pending.pendingEmail]).toEqual([200, ada.email, email]);
    expect([told.subject, told.text.includes(email)]).toEqual([
      "A new address was requested for your account",
      true,
    ]);
    expect([outcome(changed), outcome(again)]).toEqual([
      [200, "ok"],
      [400, "BAD_REQUEST"],
    ]);
    expect([after.email, after.emailVerified, after.emailProven, after.pendingEmail]).toEqual([
      email,
      true,
      true,
      null,
    ]);
    expect((await mails()).map(({ to, subject }) => [to, subject])).toEqual([
      [ada.email, "The address of your account was changed"],
    ]);
    await logIn(service, email);
    const old = await service.request("POST", "/auth/login", {
      body: { email: ada.email, password: PASSWORD },
    });
    expect(outcome(old)).toEqual([401, "INVALID_CREDENTIALS"]);
  });

  test("joins the projects that it is invited to, and not before", async () => {
    const email = freshAddress();
    const project = await service.createProject();
    const owner = await signUp(service);
    await join(service, owner, project.id, "OWNER");
    await service.pool`update users set email_verified_at = now() where id = ${owner.userId}`;
    await owner.request("POST", `/projects/${project.id}/members`, { email });
    const { sent } = await askForEmail(email);
    const { token } = sent.find((mail) => mail.to === email && mail.token)!;
    const before = await ada.request("GET", "/users/@me/projects");
    await ada.request("POST", "/auth/change-email", { token });
    const after = await ada.request("GET", "/users/@me/projects");

    expect([before.body.length, after.body.length]).toEqual([0, 1]);
  });

  test("is not lent to the account of somebody else by following a link", async () => {
    const email = freshAddress();
    const { sent } = await askForEmail(email);
    const { token } = sent.find(({ to }) => to === email)!;
    const victim = await signUp(service);
    const answers = [
      await service.request("POST", "/auth/change-email", { body: { token } }),
      await victim.request("POST", "/auth/change-email", { token }),
      await victim.request("POST", "/auth/change-email", { token, password: "not her password" }),
    ];
    const unchanged = await me();
    const right = await service.request("POST", "/auth/change-email", {
      body: { token, password: PASSWORD },
    });

    expect(answers.map(outcome)).toEqual([
      [401, "MISSING_AUTH"],
      [401, "MISSING_AUTH"],
      [401, "INVALID_CREDENTIALS"],
    ]);
    expect([unchanged.email, outcome(right), cookieOf(right.headers)]).toEqual([
      ada.email,
      [200, "ok"],
      null,
    ]);
  });

  test("that has an account gets a mail that says so; the answer does not", async () => {
    const other = await signUp(service);
    await mails();
    const { answer, sent } = await askForEmail(other.email);

    expect(outcome(answer)).toEqual([200, "ok"]);
    const mail = sent.find(({ to }) => to === other.email)!;
    expect([mail.subject, mail.token]).toEqual(["This address already has an account", undefined]);
  });

  test("that two accounts confirm at once goes to one of them", async () => {
    const email = freshAddress();
    const bob = await signUp(service);
    const tokens = [];
    for (const person of [ada, bob]) {
      const { sent } = await askForEmail(email, person);
      tokens.push(sent.find(({ to }) => to === email)!.token);
    }
    const answers = await Promise.all([
      ada.request("POST", "/auth/change-email", { token: tokens[0] }),
      bob.request("POST", "/auth/change-email", { token: tokens[1] }),
    ]);

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await service.pool`select from users where email = ${email}`).toHaveLength(1);
  });

  test("asked for last is the one that counts, and a new password ends them all", async () => {
    const [first, second] = [freshAddress(), freshAddress()];
    const one = (await askForEmail(first)).sent.find(({ to }) => to === first)!;
    const two = (await askForEmail(second)).sent.find(({ to }) => to === second)!;
    const voided = await ada.request("POST", "/auth/change-email", { token: one.token });
    await service.request("POST", "/auth/request-password-reset", { body: { email: ada.email } });
    await service.runJobs();
    const source = await readMail(service.smtp.received.at(-1)!.source);
    const reset = /reset-password\?token=([\w-]+)/.exec(source.text!)![1];
    await service.request("POST", "/auth/reset-password", {
      body: { token: reset, newPassword: "another horse, another staple" },
    });
    const late = await service.request("POST", "/auth/change-email", {
      body: { token: two.token, password: "another horse, another staple" },
    });

    expect([outcome(voided), outcome(late)]).toEqual([
      [400, "BAD_REQUEST"],
      [400, "BAD_REQUEST"],
    ]);
  });

  test("needs a recent proof, which the password gives and a wrong one does not", async () => {
    later(11 * MINUTE_MS);
    const ask = () => ada.request("POST", "/users/@me/email", { email: freshAddress() });
    const stale = await ask();
    const wrong = await ada.request("POST", "/auth/reauthenticate", { password: "wrong horse battery" });
    const still = await ask();
    await prove();
    const done = await ask();

    expect([stale, wrong, still, done].map(outcome)).toEqual([
      [403, "REAUTHENTICATION_REQUIRED"],
      [401, "INVALID_CREDENTIALS"],
      [403, "REAUTHENTICATION_REQUIRED"],
      [200, "ok"],
    ]);
  });

  test("is asked for ten times a day at most, no matter whose mailbox it is", async () => {
    const answers = [];
    for (let i = 0; i < 11; i++)
      answers.push(await ada.request("POST", "/users/@me/email", { email: freshAddress() }));

    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429]);
  });

  test("has a page: with the button where one is logged in, with the password elsewhere", async () => {
    const email = freshAddress();
    const { sent } = await askForEmail(email);
    const { token } = sent.find(({ to }) => to === email)!;
    const path = `/auth/change-email?token=${token}`;
    const own = await ada.request("GET", path);
    const elsewhere = await service.request("GET", path);
    const send = (fields: Record<string, string>) =>
      service.request("POST", "/auth/change-email/page", {
        raw: new URLSearchParams({ token: token!, ...fields }).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
      });
    const wrong = await send({ password: "wrong horse battery" });
    const done = await send({ password: PASSWORD });
    const dead = await service.request("GET", path);

    expect([own.body.includes('name="password"'), elsewhere.body.includes('name="password"')]).toEqual([
      false,
      true,
    ]);
    expect([wrong.status, done.status, done.body.includes("has been changed"), dead.status]).toEqual([
      401,
      200,
      true,
      400,
    ]);
    expect((await me()).email).toBe(email);
  });
});

describe("the end of an account", () => {
  const newProject = async (name: string, person = ada) =>
    (await person.request("POST", "/users/@me/projects", { name })).body.id as string;
  const end = (query = "") => ada.request("DELETE", `/users/@me${query}`);
  const exists = async () => (await service.pool`select from users where id = ${ada.userId}`).length > 0;

  test("asks for the password again, even of somebody who has just logged in", async () => {
    const hasty = await end();
    await prove();
    const done = await end();

    expect([outcome(hasty), done.status, cookieOf(done.headers)]).toEqual([
      [403, "REAUTHENTICATION_REQUIRED"],
      204,
      "postrider_session=",
    ]);
    expect([await exists(), (await ada.request("GET", "/users/@me")).status]).toEqual([false, 401]);
    expect((await mails()).at(-1)).toMatchObject({ to: ada.email, subject: "Your account was deleted" });
  });

  test("takes the projects that nobody else is in along, only where it is told to", async () => {
    const id = await newProject("Mine");
    await prove();
    const refused = await end();
    const kept = await exists();
    const done = await end("?deleteProjects=true");

    expect([outcome(refused), refused.body.error.details.projects, kept]).toEqual([
      [409, "CONFLICT"],
      [{ id, name: "Mine" }],
      true,
    ]);
    expect([done.status, await exists()]).toEqual([204, false]);
    expect(await service.pool`select from projects where id = ${id} and deleted_at is null`).toHaveLength(0);
  });

  test("waits while others depend on it as the only owner, and says where", async () => {
    const id = await newProject("Ours");
    const bob = await signUp(service);
    await join(service, bob, id, "ADMIN");
    await prove();
    const refused = await end("?deleteProjects=true");
    await join(service, bob, id, "OWNER");
    const done = await end("?deleteProjects=true");

    expect([outcome(refused), refused.body.error.details.projects, done.status]).toEqual([
      [409, "CONFLICT"],
      [{ id, name: "Ours" }],
      204,
    ]);
    const members = await bob.request("GET", `/projects/${id}/members`);
    expect(members.body.data.map(({ email }: { email: string }) => email)).toEqual([bob.email]);
    const { body } = await bob.request("GET", `/projects/${id}/audit`);
    expect(body.data[0]).toMatchObject({ action: "members.removed", subject: ada.email });
  });
});
