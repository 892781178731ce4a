import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import PostalMime from "postal-mime";
import { makeToken } from "../../src/accounts/account_tokens.ts";
import { asUser } from "../../src/accounts/identities.ts";
import { newInvitationToken } from "../../src/accounts/invitations.ts";
import { cookieOf, join, logIn, PASSWORD, type Person, personOf, signUp } from "../support/accounts.ts";
import { type Answer, type RequestOptions, useService } from "../support/service.ts";

const service = useService({ PLATFORM_FROM: "Postrider <postrider@mail.example>" });
const OWN_PASSWORD = "the password of its owner";

let intruder: Person;
let email: string;

beforeEach(async () => {
  service.smtp.received.length = 0;
  // Who signs up with an address that is not theirs, before its owner does.
  intruder = await signUp(service);
  ({ email } = intruder);
});

afterEach(async () => {
  await service.pool`delete from graphile_worker._private_jobs`;
});

const post = (path: string, body: unknown, options: RequestOptions = {}) =>
  service.request("POST", `/auth/${path}`, { body, ...options });
const outcome = ({ status, body }: Answer) => [status, body.error?.code ?? "ok"];
const me = async (someone: Person) => outcome(await someone.request("GET", "/users/@me"));
const logInAs = async (password: string) => outcome(await post("login", { email, password }));
const token = async (purpose: "VERIFY_EMAIL" | "RESET_PASSWORD", of = intruder) =>
  (await makeToken(service, of.userId, purpose))!;
const verify = async (options?: RequestOptions) =>
  await post("verify-email", { token: await token("VERIFY_EMAIL") }, options);

const SHUT_OUT = [401, "UNAUTHORIZED"];
const WRONG = [401, "INVALID_CREDENTIALS"];

/** A project that the address is invited to, with the token of the mail. */
async function invited(role = "ADMIN") {
  const project = await service.createProject();
  const { token: invitation, tokenHash } = newInvitationToken();
  const until = new Date(service.now().getTime() + 3_600_000);
  await service.pool`
    insert into invitations (project_id, email, role, token_hash, created_at, expires_at)
    values (${project.id}, ${email}, ${role}, ${tokenHash}, now(), ${until})`;
  return { projectId: project.id, invitation };
}

const rolesIn = async (projectId: string) =>
  (await service.pool`select user_id, role from memberships where project_id = ${projectId}`).map(
    ({ userId, role }) => [userId, role],
  );

describe("whoever has made an account with somebody else's address", () => {
  test("is shut out when that one verifies it, and a new password can be set", async () => {
    const { status, body } = await verify();
    const { resetToken } = body.data;
    const before = await logInAs(PASSWORD);
    const set = await post("reset-password", { token: resetToken, newPassword: OWN_PASSWORD });

    expect([status, await me(intruder), before]).toEqual([200, SHUT_OUT, WRONG]);
    expect([set.status, await logInAs(PASSWORD), await logInAs(OWN_PASSWORD)]).toEqual([
      200,
      WRONG,
      [200, "ok"],
    ]);
  });

  test("does not get what the address is invited to", async () => {
    const { projectId } = await invited();
    await verify();
    const seen = await intruder.request("GET", "/contacts", undefined, { projectId });

    expect([outcome(seen), await logInAs(PASSWORD)]).toEqual([SHUT_OUT, WRONG]);
    expect(await rolesIn(projectId)).toEqual([[intruder.userId, "ADMIN"]]);
  });

  test("is shut out, too, when it is verified with the session of somebody else, or with one that has ended", async () => {
    const other = await signUp(service);
    const first = await verify({ headers: { cookie: other.cookie } });
    const ended = await signUp(service);
    await ended.request("GET", "/auth/logout");
    const second = await post(
      "verify-email",
      { token: await token("VERIFY_EMAIL", ended) },
      { headers: { cookie: ended.cookie } },
    );

    expect([first, second].map(({ body }) => typeof body.data.resetToken)).toEqual(["string", "string"]);
    expect([await me(intruder), await me(other)]).toEqual([SHUT_OUT, [200, "ok"]]);
  });

  test("is shut out when that one signs up with the invitation, and has its projects", async () => {
    const { projectId, invitation } = await invited();
    const answer = await post("signup", { email, password: OWN_PASSWORD, invitation });
    const owner = personOf(service, answer);
    const contacts = await owner.request("GET", "/contacts", undefined, { projectId });

    expect([outcome(answer), owner.userId, contacts.status]).toEqual([[200, "ok"], intruder.userId, 200]);
    expect([await me(intruder), await logInAs(PASSWORD)]).toEqual([SHUT_OUT, WRONG]);
    expect((await owner.request("GET", "/users/@me")).body.emailVerified).toBe(true);
  });

  test("cannot do so by an invitation of another address, or one that was accepted", async () => {
    const { invitation } = await invited();
    const other = await signUp(service);
    const foreign = await post("signup", { email: other.email, password: OWN_PASSWORD, invitation });
    await post("signup", { email, password: OWN_PASSWORD, invitation });
    const again = await post("signup", { email, password: "a third password", invitation });

    expect([foreign, again].map(outcome)).toEqual(Array(2).fill([409, "CONFLICT"]));
    expect([await me(other), await logInAs(OWN_PASSWORD)]).toEqual([
      [200, "ok"],
      [200, "ok"],
    ]);
  });

  test("has no way back by a link that was mailed before", async () => {
    const old = await token("RESET_PASSWORD");
    const second = await token("VERIFY_EMAIL");
    await asUser(
      service,
      { provider: "Google", issuer: "g", subject: email, email, emailVerified: true },
      async () => {},
    );
    const reset = await post("reset-password", { token: old, newPassword: "a third password" });

    expect([outcome(reset), outcome(await post("verify-email", { token: second }))]).toEqual(
      Array(2).fill([400, "BAD_REQUEST"]),
    );
    expect(await me(intruder)).toEqual(SHUT_OUT);
  });
});

describe("the owner of an address is told of the projects that were in the account", () => {
  let projectId: string;

  beforeEach(async () => {
    projectId = (await intruder.request("POST", "/users/@me/projects", { name: "Planted" })).body.id;
    await join(service, await signUp(service, `partner-${email}`), projectId, "OWNER");
    await service.runJobs();
    service.smtp.received.length = 0;
  });

  const told = async () => {
    await service.runJobs();
    const mails = await Promise.all(service.smtp.received.map(({ source }) => PostalMime.parse(source)));
    return mails.filter(({ subject }) => subject === "Look through the projects of your account");
  };
  const proven = () => service.pool`
    select actor_name, subject from audit where project_id = ${projectId} and action = 'owner.proven'`;

  test.each([
    ["a verification elsewhere", async () => void (await verify())],
    [
      "a new password",
      async () =>
        void (await post("reset-password", {
          token: await token("RESET_PASSWORD"),
          newPassword: OWN_PASSWORD,
        })),
    ],
    [
      "a sign-in at a provider",
      async () =>
        asUser(
          service,
          { provider: "Google", issuer: "g", subject: email, email, emailVerified: true },
          async () => {},
        ),
    ],
    [
      "a sign-up with an invitation",
      async () =>
        void (await post("signup", {
          email,
          password: OWN_PASSWORD,
          invitation: (await invited()).invitation,
        })),
    ],
  ])("by mail and in the audit log after %s", async (_what, come) => {
    await come();
    const [mail, ...more] = await told();

    expect([mail?.to?.[0]?.address, more]).toEqual([email, []]);
    expect(mail!.text).toContain(`“Planted” (partner-${email})`);
    expect(mail!.text).toContain("regenerate the keys");
    // What they were invited to was nobody's plant.
    expect(mail!.text).not.toContain("Test");
    expect([...(await proven())]).toEqual([{ actorName: email, subject: email }]);
  });

  test("but not where they have verified it in their own session, and not twice", async () => {
    await verify({ headers: { cookie: intruder.cookie, "sec-fetch-site": "same-origin" } });
    await post("reset-password", { token: await token("RESET_PASSWORD"), newPassword: OWN_PASSWORD });

    expect([await told(), [...(await proven())]]).toEqual([[], []]);
  });
});

describe("who verifies the address in the session that made the account", () => {
  test("keeps the session, the password, and every other session", async () => {
    const second = await logIn(service, email);
    const { body } = await verify({ headers: { cookie: intruder.cookie, "sec-fetch-site": "same-origin" } });

    expect(body.data).toEqual({ message: "Your address is verified." });
    expect([await me(intruder), await me(second), await logInAs(PASSWORD)]).toEqual(
      Array(3).fill([200, "ok"]),
    );
  });
});

test("a way to a new password that was mailed before a password is changed is closed by the change", async () => {
  const old = await token("RESET_PASSWORD");
  await intruder.request("POST", "/auth/change-password", { password: PASSWORD, newPassword: OWN_PASSWORD });
  const reset = await post("reset-password", { token: old, newPassword: "a third password" });

  expect([outcome(reset), await logInAs(OWN_PASSWORD)]).toEqual([
    [400, "BAD_REQUEST"],
    [200, "ok"],
  ]);
});

test("changing the password does not let more mails go to the address than five an hour", async () => {
  for (let i = 0; i < 5; i++) await token("RESET_PASSWORD");
  await intruder.request("POST", "/auth/change-password", { password: PASSWORD, newPassword: OWN_PASSWORD });

  expect(await makeToken(service, intruder.userId, "RESET_PASSWORD")).toBeNull();
});

test("two links of one person that are used at once do not wait for each other in a circle", async () => {
  const deadlocks = async () =>
    (await service.pool`select deadlocks::int from pg_stat_database where datname = current_database()`)[0]!
      .deadlocks;
  for (let round = 0; round < 5; round++) {
    const person = await signUp(service);
    const tokens = await Promise.all([1, 2, 3].map(() => token("VERIFY_EMAIL", person)));
    const answers = await Promise.all(tokens.map((one) => post("verify-email", { token: one })));

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
  }
  await service.pool`select pg_stat_force_next_flush()`;
  expect(await deadlocks()).toBe(0);
});

test("who signs up in a browser that has a session leaves that one", async () => {
  const { cookie } = intruder;
  const answer = await post(
    "signup",
    { email: `next-${email}`, password: PASSWORD },
    { headers: { cookie, "sec-fetch-site": "same-origin" } },
  );

  expect([answer.status, cookieOf(answer.headers) === cookie, await me(intruder)]).toEqual([
    200,
    false,
    SHUT_OUT,
  ]);
});
