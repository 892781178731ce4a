// Two-factor log-in with an authenticator app and recovery codes, and every way to a session while it is on.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Secret, TOTP } from "otpauth";
import { purgeChallenges } from "../../src/accounts/people/admission.ts";
import { switchOffTwoFactor } from "../../src/accounts/people/factors/mod.ts";
import { cookieOf, join, PASSWORD, type Person, personOf, signUp } from "../support/accounts.ts";
import { readMail } from "../support/received_mail.ts";
import { type Answer, useService } from "../support/service.ts";

const service = useService({ PLATFORM_FROM: "Postrider <postrider@mail.example>" });

const STEP_MS = 30_000;
const MINUTE_MS = 60_000;

let ada: Person;

beforeEach(async () => {
  // The middle of a step: no test runs over its end.
  service.setNow(new Date(Math.ceil(Date.now() / STEP_MS) * STEP_MS + STEP_MS / 2));
  ada = await proven();
});

afterEach(async () => {
  service.setNow(new Date());
  service.smtp.received.length = 0;
  await service.dropJobs();
  await service.pool`delete from login_failures`;
});

const outcome = ({ status, body }: Answer) => [status, body?.error?.code ?? "ok"];
const later = (ms: number) => service.setNow(new Date(service.now().getTime() + ms));

async function proven(): Promise<Person> {
  const person = await signUp(service);
  await service.pool`update users set email_verified_at = now() where id = ${person.userId}`;
  return person;
}

const codeOf = (secret: string, shiftMs = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service.now().getTime() + shiftMs });

/** Switches it on, and moves on to the next code. */
async function withApp(person = ada) {
  const { body } = await person.request("POST", "/users/@me/two-factor/totp");
  const confirmed = await person.request("POST", "/users/@me/two-factor/totp/confirm", {
    code: codeOf(body.secret),
  });
  expect(outcome(confirmed)).toEqual([200, "ok"]);
  later(STEP_MS);
  return { secret: body.secret as string, recoveryCodes: confirmed.body.recoveryCodes as string[] };
}

const logIn = (person = ada, password = PASSWORD) =>
  service.request("POST", "/auth/login", { body: { email: person.email, password } });
const challengeOf = async (person = ada) => {
  const answer = await logIn(person);
  expect([...outcome(answer), cookieOf(answer.headers)]).toEqual([401, "TWO_FACTOR_REQUIRED", null]);
  return answer.body.error.details.challenge as string;
};
const answer = (challenge: string, factor: object) =>
  service.request("POST", "/auth/two-factor", { body: { challenge, ...factor } });
const show = async (person = ada) => (await person.request("GET", "/users/@me/two-factor")).body;

async function subjects() {
  service.smtp.received.length = 0;
  await service.runJobs();
  const mails = await Promise.all(service.smtp.received.map(({ source }) => readMail(source)));
  return mails.map(({ subject }) => subject!).toSorted();
}

describe("switching it on", () => {
  test("takes a first code, gives ten recovery codes, ends the other sessions and tells by mail", async () => {
    const other = personOf(service, await logIn());
    await subjects();
    const begun = await ada.request("POST", "/users/@me/two-factor/totp");
    const before = await show();
    const wrong = await ada.request("POST", "/users/@me/two-factor/totp/confirm", { code: "000000" });
    const right = await ada.request("POST", "/users/@me/two-factor/totp/confirm", {
      code: codeOf(begun.body.secret),
    });
    const after = await show();
    const session = await ada.request("GET", "/auth/session");

    expect(begun.body.uri).toStartWith("otpauth://totp/Postrider:");
    expect([before.enabled, outcome(wrong), outcome(right)]).toEqual([
      false,
      [422, "VALIDATION_ERROR"],
      [200, "ok"],
    ]);
    expect(new Set(right.body.recoveryCodes).size).toBe(10);
    expect([after.enabled, after.recoveryCodesLeft, session.body.user.twoFactor]).toEqual([true, 10, true]);
    expect((await other.request("GET", "/users/@me")).status).toBe(401);
    expect(await subjects()).toEqual([
      "An authenticator app was added to your account",
      "Two-factor log-in is on",
    ]);
  });

  test("keeps neither the secret nor a recovery code in the clear", async () => {
    const { secret, recoveryCodes } = await withApp();
    const rows = await service.pool`
      select t::text as row from totp_secrets t union all select r::text from recovery_codes r`;
    const all = rows.map(({ row }) => String(row)).join("\n");
    const hex = (text: string) => Buffer.from(text).toString("hex");

    for (const text of [secret, ...recoveryCodes]) {
      expect([all.includes(text), all.includes(hex(text))]).toEqual([false, false]);
    }
  });

  test("is for those who have proven their address: nobody locks another out of it", async () => {
    const stranger = await signUp(service);

    expect(outcome(await stranger.request("POST", "/users/@me/two-factor/totp"))).toEqual([
      403,
      "EMAIL_VERIFICATION_REQUIRED",
    ]);
  });

  test("needs a recent proof, as switching it off and new recovery codes do", async () => {
    await withApp();
    later(11 * MINUTE_MS);
    const asks = () =>
      Promise.all([
        ada.request("POST", "/users/@me/two-factor/totp"),
        ada.request("DELETE", "/users/@me/two-factor/totp"),
        ada.request("POST", "/users/@me/two-factor/recovery-codes"),
        ada.request("POST", "/users/@me/two-factor/passkeys/options"),
      ]);

    expect((await asks()).map(outcome)).toEqual(Array(4).fill([403, "REAUTHENTICATION_REQUIRED"]));
    expect((await show()).enabled).toBe(true);
  });

  test("a second app takes the place of the first one only once it is confirmed", async () => {
    const first = await withApp();
    const { body } = await ada.request("POST", "/users/@me/two-factor/totp");
    const still = await answer(await challengeOf(), { code: codeOf(first.secret) });
    later(STEP_MS);
    const confirmed = await ada.request("POST", "/users/@me/two-factor/totp/confirm", {
      code: codeOf(body.secret),
    });
    later(STEP_MS);
    const old = await answer(await challengeOf(), { code: codeOf(first.secret) });
    const fresh = await answer(await challengeOf(), { code: codeOf(body.secret) });

    expect([still.status, confirmed.body.recoveryCodes, old.status, fresh.status]).toEqual([
      200,
      null,
      401,
      200,
    ]);
  });

  test("a secret that waits for its code for an hour is forgotten", async () => {
    const { body } = await ada.request("POST", "/users/@me/two-factor/totp");
    later(61 * MINUTE_MS);
    const late = await ada.request("POST", "/users/@me/two-factor/totp/confirm", {
      code: codeOf(body.secret),
    });

    expect([outcome(late), (await show()).enabled]).toEqual([[409, "CONFLICT"], false]);
  });
});

describe("a log-in", () => {
  test("answers with a challenge and no cookie, and the code gives the session", async () => {
    const { secret } = await withApp();
    const first = await logIn();
    const { challenge, methods } = first.body.error.details;
    const done = await answer(challenge, { code: codeOf(secret) });

    expect([...outcome(first), cookieOf(first.headers), methods]).toEqual([
      401,
      "TWO_FACTOR_REQUIRED",
      null,
      ["code", "recoveryCode"],
    ]);
    expect([outcome(done), done.body.data.id]).toEqual([[200, "ok"], ada.userId]);
    expect((await personOf(service, done).request("GET", "/users/@me")).status).toBe(200);
  });

  test("does not tell that it is on to somebody who does not know the password", async () => {
    await withApp();

    expect(outcome(await logIn(ada, "wrong horse battery"))).toEqual([401, "INVALID_CREDENTIALS"]);
  });

  test.each([
    [-2, 401],
    [-1, 200],
    [0, 200],
    [1, 200],
    [2, 401],
  ])("a code of %d steps from now is %d", async (steps, status) => {
    const { secret } = await withApp();
    later(5 * STEP_MS);

    expect((await answer(await challengeOf(), { code: codeOf(secret, steps * STEP_MS) })).status).toBe(
      status,
    );
  });

  test("takes a code once, even when it comes twice at the same moment, and none before it", async () => {
    const { secret } = await withApp();
    later(2 * STEP_MS);
    const code = codeOf(secret);
    const challenges = [await challengeOf(), await challengeOf(), await challengeOf()];
    const answers = await Promise.all(challenges.map((challenge) => answer(challenge, { code })));
    const earlier = await answer(await challengeOf(), { code: codeOf(secret, -STEP_MS) });

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
    expect(outcome(earlier)).toEqual([401, "INVALID_CREDENTIALS"]);
  });

  test("the code that confirmed the app is not one to log in with", async () => {
    const { body } = await ada.request("POST", "/users/@me/two-factor/totp");
    const code = codeOf(body.secret);
    await ada.request("POST", "/users/@me/two-factor/totp/confirm", { code });

    expect((await answer(await challengeOf(), { code })).status).toBe(401);
  });

  test("answers a challenge once, even when two right answers come at the same moment", async () => {
    const { secret, recoveryCodes } = await withApp();
    const challenge = await challengeOf();
    const answers = await Promise.all([
      answer(challenge, { code: codeOf(secret) }),
      answer(challenge, { recoveryCode: recoveryCodes[0] }),
    ]);

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    expect(outcome(await answer(challenge, { recoveryCode: recoveryCodes[1] }))).toEqual([
      401,
      "UNAUTHORIZED",
    ]);
    const { recoveryCodesLeft } = await show();
    expect(recoveryCodesLeft).toBe(answers[1]!.status === 200 ? 9 : 10);
  });

  test("a challenge ends after ten minutes, and goes with the sweep", async () => {
    const { secret } = await withApp();
    const challenge = await challengeOf();
    later(10 * MINUTE_MS);
    const late = await answer(challenge, { code: codeOf(secret) });
    await purgeChallenges(service);

    expect(outcome(late)).toEqual([401, "UNAUTHORIZED"]);
    expect(await service.pool`select from login_challenges where user_id = ${ada.userId}`).toHaveLength(0);
  });

  test("a challenge of one account takes no factor of another", async () => {
    await withApp();
    const bob = await proven();
    const theirs = await withApp(bob);

    expect(outcome(await answer(await challengeOf(), { code: codeOf(theirs.secret) }))).toEqual([
      401,
      "INVALID_CREDENTIALS",
    ]);
    const recovery = await answer(await challengeOf(), { recoveryCode: theirs.recoveryCodes[0] });
    expect(recovery.status).toBe(401);
  });

  test.each([
    ["no factor", {}],
    ["two factors", { code: "123456", recoveryCode: "0000-0000-0000-0000" }],
    ["a number", { code: 123456 }],
  ])("with %s is 422", async (_what, factor) => {
    await withApp();

    expect(outcome(await answer(await challengeOf(), factor))).toEqual([422, "VALIDATION_ERROR"]);
  });

  test("is locked after ten wrong factors, however many come at once, and its owner is told", async () => {
    const { secret } = await withApp();
    await subjects();
    const challenge = await challengeOf();
    const guesses = await Promise.all(
      Array.from({ length: 25 }, (_, i) => answer(challenge, { code: String(i).padStart(6, "0") })),
    );
    const right = await answer(challenge, { code: codeOf(secret) });
    const fresh = await answer(await challengeOf(), { code: codeOf(secret) });
    const told = await subjects();
    later(16 * MINUTE_MS);
    const after = await answer(await challengeOf(), { code: codeOf(secret) });

    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(guesses.filter(({ status }) => status === 429)).toHaveLength(15);
    expect([right, fresh, after].map(({ status }) => status)).toEqual([429, 429, 200]);
    expect(told).toContain("Failed attempts at the second factor of your account");
  });
});

describe("a recovery code", () => {
  test("works once, as people type it, and a mail tells of it", async () => {
    const { recoveryCodes } = await withApp();
    await subjects();
    const typed = recoveryCodes[3]!.toUpperCase().replaceAll("-", " ");
    const first = await answer(await challengeOf(), { recoveryCode: typed });
    const second = await answer(await challengeOf(), { recoveryCode: recoveryCodes[3] });

    expect([first.status, outcome(second)]).toEqual([200, [401, "INVALID_CREDENTIALS"]]);
    expect(await subjects()).toEqual(["A recovery code of your account was used"]);
  });

  test("used twice at the same moment lets in once", async () => {
    const { recoveryCodes } = await withApp();
    const challenges = [await challengeOf(), await challengeOf()];
    const answers = await Promise.all(
      challenges.map((challenge) => answer(challenge, { recoveryCode: recoveryCodes[0] })),
    );

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  test("of an earlier set is void", async () => {
    const { recoveryCodes } = await withApp();
    const { body } = await ada.request("POST", "/users/@me/two-factor/recovery-codes");
    const old = await answer(await challengeOf(), { recoveryCode: recoveryCodes[0] });
    const fresh = await answer(await challengeOf(), { recoveryCode: body.recoveryCodes[0] });

    expect([old.status, fresh.status]).toEqual([401, 200]);
  });

  test("is made for nobody without two-factor log-in", async () => {
    expect(outcome(await ada.request("POST", "/users/@me/two-factor/recovery-codes"))).toEqual([
      409,
      "CONFLICT",
    ]);
  });
});

describe("no way round it", () => {
  test("a new password by mail gives no session, and the next log-in asks for the factor", async () => {
    const { secret } = await withApp();
    const pending = await challengeOf();
    await subjects();
    await service.request("POST", "/auth/request-password-reset", { body: { email: ada.email } });
    await service.runJobs();
    const mail = await readMail(service.smtp.received.at(-1)!.source);
    const token = /reset-password\?token=([\w-]+)/.exec(mail.text!)![1];
    const newPassword = "another horse, another staple";
    const reset = await service.request("POST", "/auth/reset-password", { body: { token, newPassword } });
    const stale = await answer(pending, { code: codeOf(secret) });
    const next = await logIn(ada, newPassword);

    expect([reset.status, cookieOf(reset.headers)]).toEqual([200, "postrider_session="]);
    expect([outcome(stale), outcome(next)]).toEqual([
      [401, "UNAUTHORIZED"],
      [401, "TWO_FACTOR_REQUIRED"],
    ]);
  });

  test("failures are not forgotten by a new password", async () => {
    const { secret } = await withApp();
    const challenge = await challengeOf();
    for (let i = 0; i < 10; i++) await answer(challenge, { code: "000000" });
    await service.request("POST", "/auth/request-password-reset", { body: { email: ada.email } });
    service.smtp.received.length = 0;
    await service.runJobs();
    const mails = await Promise.all(service.smtp.received.map(({ source }) => readMail(source)));
    const text = mails.map((mail) => mail.text!).find((part) => part.includes("reset-password?token="))!;
    const token = /reset-password\?token=([\w-]+)/.exec(text)![1];
    const newPassword = "another horse, another staple";
    await service.request("POST", "/auth/reset-password", { body: { token, newPassword } });
    const { challenge: next } = (await logIn(ada, newPassword)).body.error.details;

    expect((await answer(next, { code: codeOf(secret) })).status).toBe(429);
  });

  test("a session that begins while it is switched on has passed it, or has ended", async () => {
    for (let round = 0; round < 5; round++) {
      const person = await proven();
      const { body } = await person.request("POST", "/users/@me/two-factor/totp");
      const [confirmed, ...logins] = await Promise.all([
        person.request("POST", "/users/@me/two-factor/totp/confirm", { code: codeOf(body.secret) }),
        logIn(person),
        logIn(person),
      ]);
      expect(confirmed!.status).toBe(200);
      for (const login of logins) {
        if (login.status !== 200) continue;
        expect((await personOf(service, login).request("GET", "/users/@me")).status).toBe(401);
      }
    }
  });

  test("only the gate, and what answers it, begins sessions", async () => {
    const found: string[] = [];
    for (const path of new Bun.Glob("src/**/*.ts").scanSync(".")) {
      if (/\b(startSession|replaceSession)\(/.test(await Bun.file(path).text())) found.push(path);
    }

    expect(found.toSorted()).toEqual(["src/accounts/people/admission.ts", "src/accounts/people/sessions.ts"]);
  });
});

describe("switching it off", () => {
  test("takes the recovery codes along, and the password is enough again", async () => {
    await withApp();
    await subjects();
    const off = await ada.request("DELETE", "/users/@me/two-factor/totp");
    const again = await ada.request("DELETE", "/users/@me/two-factor/totp");
    const after = await show();

    expect([off.status, outcome(again)]).toEqual([204, [404, "RESOURCE_NOT_FOUND"]]);
    expect([after.enabled, after.totp, after.recoveryCodesLeft]).toEqual([false, null, 0]);
    expect((await logIn()).status).toBe(200);
    expect(await subjects()).toEqual([
      "The authenticator app of your account was removed",
      "Two-factor log-in is off",
    ]);
  });

  test("a code or a recovery code is proof enough, once", async () => {
    const { secret, recoveryCodes } = await withApp();
    later(11 * MINUTE_MS);
    const prove = (proof: object) => ada.request("POST", "/auth/reauthenticate", proof);
    const code = codeOf(secret);
    const answers = [await prove({ code: "000000" }), await prove({ code }), await prove({ code })];
    const recovery = await prove({ recoveryCode: recoveryCodes[0] });
    const off = await ada.request("DELETE", "/users/@me/two-factor/totp");

    expect([...answers, recovery, off].map(({ status }) => status)).toEqual([401, 200, 401, 200, 204]);
  });

  test("by the operator ends the sessions, is in the audit log, and is told by mail", async () => {
    const project = await service.createProject();
    const owner = await proven();
    await join(service, owner, project.id, "OWNER");
    await join(service, ada, project.id, "MEMBER");
    await withApp();
    await subjects();
    const done = await switchOffTwoFactor(service, ada.email);
    const again = await switchOffTwoFactor(service, ada.email);
    const { body } = await owner.request("GET", `/projects/${project.id}/audit`);

    expect([done.wasOn, again.wasOn]).toEqual([true, false]);
    expect([(await ada.request("GET", "/users/@me")).status, (await logIn()).status]).toEqual([401, 200]);
    expect(body.data[0]).toMatchObject({
      action: "members.two_factor_off",
      subject: ada.email,
      actor: { kind: "OPERATOR" },
    });
    expect(await subjects()).toEqual(["Two-factor log-in was switched off by the operator"]);
  });

  test("with another SECRET_KEY the code cannot be checked, and the answer says what helps", async () => {
    const { secret, recoveryCodes } = await withApp();
    await service.pool`update totp_secrets set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1)`;
    const refused = await answer(await challengeOf(), { code: codeOf(secret) });
    const recovery = await answer(await challengeOf(), { recoveryCode: recoveryCodes[0] });

    expect([refused.status, refused.body.error.message]).toEqual([
      500,
      "Cannot check this code: the secret of the app was encrypted with another SECRET_KEY",
    ]);
    expect(refused.body.error.suggestion).toContain("two-factor-off");
    expect(recovery.status).toBe(200);
  });
});

describe("a project that requires it", () => {
  const require = (person: Person, id: string, requiresTwoFactor = true) =>
    person.request("PATCH", `/users/@me/projects/${id}`, { requiresTwoFactor });

  test("is made so by an owner who has it, and by nobody else", async () => {
    const project = await service.createProject();
    const admin = await proven();
    await join(service, admin, project.id, "ADMIN");
    await join(service, ada, project.id, "OWNER");
    await withApp(admin);
    const low = await require(admin, project.id);
    const without = await require(ada, project.id);
    await withApp();
    const done = await require(ada, project.id);
    const shown = await ada.request("GET", `/projects/${project.id}`);
    const off = await require(admin, project.id, false);

    expect([low, without, done, off].map(outcome)).toEqual([
      [403, "FORBIDDEN"],
      [403, "TWO_FACTOR_SETUP_REQUIRED"],
      [200, "ok"],
      [403, "FORBIDDEN"],
    ]);
    expect([shown.body.requiresTwoFactor, (await show()).requiredBy]).toEqual([
      true,
      [{ id: project.id, name: "Test" }],
    ]);
  });

  test("lets no member in without it, whatever they ask, and everybody with it; keys are not affected", async () => {
    const project = await service.createProject();
    const member = await proven();
    await join(service, ada, project.id, "OWNER");
    await join(service, member, project.id, "MEMBER");
    await withApp();
    await require(ada, project.id);
    const asks = () =>
      Promise.all([
        member.request("GET", "/contacts", undefined, { projectId: project.id }),
        member.request("POST", "/contacts", { email: "x@example.com" }, { projectId: project.id }),
        member.request("GET", `/projects/${project.id}`),
        member.request("GET", `/projects/${project.id}/members`),
        member.request("GET", `/domains/project/${project.id}`, undefined, { projectId: project.id }),
        member.request("GET", `/activity/stream?projectId=${project.id}`),
      ]);
    const without = await asks();
    const own = await member.request("GET", "/users/@me/two-factor");
    const key = await service.request("GET", "/contacts", { key: project.secret });
    await withApp(member);
    const with_ = await asks();

    expect(without.map(outcome)).toEqual(Array(6).fill([403, "TWO_FACTOR_SETUP_REQUIRED"]));
    expect(without[0]!.body.error.suggestion).toContain("/users/@me/two-factor");
    expect([own.body.requiredBy.length, key.status]).toEqual([1, 200]);
    expect(with_.map(({ status }) => status < 300)).toEqual(Array(6).fill(true));
  });

  test("keeps nobody in it", async () => {
    const project = await service.createProject();
    const member = await proven();
    await join(service, ada, project.id, "OWNER");
    await join(service, member, project.id, "ADMIN");
    await withApp();
    await require(ada, project.id);
    const others = await member.request("DELETE", `/projects/${project.id}/members/${ada.userId}`);
    const own = await member.request("DELETE", `/projects/${project.id}/members/${member.userId}`);

    expect([outcome(others), own.status]).toEqual([[403, "TWO_FACTOR_SETUP_REQUIRED"], 204]);
  });
});
