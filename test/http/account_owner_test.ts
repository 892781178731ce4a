// Somebody signs up with an address that is not theirs, before its owner does: what each of the two can reach from there.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { makeToken } from "../../src/accounts/people/tokens.ts";
import { asUser, MustProve } from "../../src/accounts/people/oauth/identities.ts";
import { newInvitationToken } from "../../src/accounts/projects/invitations.ts";
import { cookieOf, join, logIn, PASSWORD, type Person, personOf, signUp } from "../support/accounts.ts";
import { readMail } from "../support/received_mail.ts";
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
  await service.dropJobs();
  await service.pool`delete from login_failures`;
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
const OWN_SESSION = () => ({ headers: { cookie: intruder.cookie, "sec-fetch-site": "same-origin" } });
const signInAtGoogle = () =>
  asUser(
    service,
    { provider: "Google", issuer: "g", subject: email, email, emailVerified: true },
    async (_, user) => user.id,
  );

const SHUT_OUT = [401, "UNAUTHORIZED"];
const WRONG = [401, "INVALID_CREDENTIALS"];
const IN = [200, "ok"];

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

type Invitation = Awaited<ReturnType<typeof invited>>;

/** What the owner of the address does, or the one who was first; beside it what becomes of the one who was first. */
const MOVES: {
  what: string;
  act: (invitation: Invitation) => Promise<unknown>;
  /** Who was first is still logged in, and their password is right. */
  stays: boolean;
  /** The account is in the project that the address is invited to. */
  joins: boolean;
}[] = [
  { what: "the link is pressed in another browser", act: () => verify(), stays: true, joins: false },
  {
    what: "the link is pressed in a session of somebody else",
    act: async () => await verify({ headers: { cookie: (await signUp(service)).cookie } }),
    stays: true,
    joins: false,
  },
  {
    what: "it is pressed twice, in two browsers",
    act: async () => [await verify(), await verify()],
    stays: true,
    joins: false,
  },
  { what: "who was first logs in again", act: () => logIn(service, email), stays: true, joins: false },
  {
    what: "who was first asks for another mail, and its link is pressed in another browser",
    act: async () => {
      await intruder.request("POST", "/auth/request-verification");
      await verify();
    },
    stays: true,
    joins: false,
  },
  {
    what: "its owner signs up without an invitation",
    act: () => post("signup", { email, password: OWN_PASSWORD }),
    stays: true,
    joins: false,
  },
  {
    what: "its owner signs up with the invitation, and a password of their own",
    act: ({ invitation }) => post("signup", { email, password: OWN_PASSWORD, invitation }),
    stays: true,
    joins: false,
  },
  {
    what: "who was first signs up again with the invitation of somebody else",
    act: async () => {
      const { token: foreign } = newInvitationToken();
      await post("signup", { email, password: PASSWORD, invitation: foreign });
    },
    stays: true,
    joins: false,
  },
  {
    what: "its owner signs in at a provider",
    act: () => signInAtGoogle().catch((error) => error),
    stays: true,
    joins: false,
  },
  {
    what: "its owner gets a new password by mail",
    act: async () =>
      await post("reset-password", { token: await token("RESET_PASSWORD"), newPassword: OWN_PASSWORD }),
    stays: false,
    joins: true,
  },
  // From here on it is the owner who was first: they know the password, and have the mail.
  {
    what: "the link is pressed in a session of the account",
    act: () => verify(OWN_SESSION()),
    stays: true,
    joins: true,
  },
  {
    what: "somebody has the mail of the invitation and the password of the account",
    act: ({ invitation }) => post("signup", { email, password: PASSWORD, invitation }),
    stays: true,
    joins: true,
  },
];

describe.each([
  ["never verified", async () => {}],
  ["verified in another browser", async () => void (await verify())],
])("an account that was %s", (_state, before) => {
  test.each(MOVES)("$what", async ({ act, stays, joins }) => {
    const invitation = await invited();
    await before();
    await act(invitation);

    const [session, password] = [await me(intruder), await logInAs(PASSWORD)];
    expect([session, password]).toEqual(stays ? [IN, IN] : [SHUT_OUT, WRONG]);
    expect(await rolesIn(invitation.projectId)).toEqual(joins ? [[intruder.userId, "ADMIN"]] : []);
  });

  test("does not get what it is invited to afterwards, but an invitation", async () => {
    await before();
    const owner = await signUp(service);
    await service.pool`update users set email_verified_at = now() where id = ${owner.userId}`;
    const { id } = (await owner.request("POST", "/users/@me/projects", { name: "Shop" })).body;
    const { body } = await owner.request("POST", `/projects/${id}/members`, { email, role: "ADMIN" });
    const seen = await intruder.request("GET", "/contacts", undefined, { projectId: id });

    expect(body.data.status).toBe("INVITED");
    expect([outcome(seen), (await intruder.request("GET", "/users/@me/projects")).body]).toEqual([
      [403, "PROJECT_ACCESS_DENIED"],
      [],
    ]);
  });

  test("is not linked to a sign-in at a provider", async () => {
    await before();

    await expect(signInAtGoogle()).rejects.toBeInstanceOf(MustProve);
    expect((await service.pool`select from identities where user_id = ${intruder.userId}`).length).toBe(0);
  });
});

describe("pressing the link in another browser", () => {
  test("verifies the address, ends nothing, and answers with nothing but a message", async () => {
    const { status, body, headers } = await verify();

    expect([status, body]).toEqual([200, { success: true, data: { message: "Your address is verified." } }]);
    expect(headers.getSetCookie()).toEqual([]);
    expect((await intruder.request("GET", "/users/@me")).body.emailVerified).toBe(true);
  });

  test("takes nothing from an account that is proven, by a link of before", async () => {
    const old = await token("VERIFY_EMAIL");
    const { projectId, invitation } = await invited();
    await post("signup", { email, password: PASSWORD, invitation });
    await post("verify-email", { token: old });

    expect(await rolesIn(projectId)).toEqual([[intruder.userId, "ADMIN"]]);
    expect(await signInAtGoogle()).toBe(intruder.userId);
  });
});

describe("somebody who pressed it on the phone first", () => {
  test("may press it again where they are logged in: then it is proven that the account is theirs, once", async () => {
    const { projectId } = await invited();
    const same = await token("VERIFY_EMAIL");
    const proven = async () => (await intruder.request("GET", "/users/@me")).body.emailProven;
    const phone = await post("verify-email", { token: same });
    const between = await proven();
    const session = await post("verify-email", { token: same }, OWN_SESSION());
    const again = await post("verify-email", { token: same }, OWN_SESSION());

    expect([phone.status, session.status, again.status]).toEqual([200, 200, 400]);
    expect([between, await proven()]).toEqual([false, true]);
    expect((await rolesIn(projectId)).length).toBe(1);
  });

  test("invites nobody until then, and the log does not call the account verified", async () => {
    const { body: project } = await intruder.request("POST", "/users/@me/projects", { name: "Shop" });
    await verify();
    const invite = () =>
      intruder.request("POST", `/projects/${project.id}/members`, { email: "no@else.test", role: "ADMIN" });
    const [refused] = [await invite()];
    await intruder.request("PATCH", `/users/@me/projects/${project.id}`, { name: "Shop 2" });
    const unproven = (await intruder.request("GET", `/projects/${project.id}/audit`)).body.data[0];
    await verify(OWN_SESSION());
    const taken = await invite();
    const proven = (await intruder.request("GET", `/projects/${project.id}/audit`)).body.data[0];

    expect(outcome(refused)).toEqual([403, "EMAIL_VERIFICATION_REQUIRED"]);
    expect(refused.body.error.suggestion).toContain("in the same browser");
    expect(taken.status).toBe(201);
    expect([unproven.details.verified, proven.details.verified]).toEqual([false, true]);
  });
});

describe("the password of the account, with the invitation", () => {
  test("begins a session that has joined, and ends no other", async () => {
    const { projectId, invitation } = await invited();
    await verify();
    const answer = await post("signup", { email, password: PASSWORD, invitation });
    const owner = personOf(service, answer);
    const contacts = await owner.request("GET", "/contacts", undefined, { projectId });

    expect([outcome(answer), owner.userId, contacts.status]).toEqual([IN, intruder.userId, 200]);
    expect([await me(intruder), cookieOf(answer.headers) === intruder.cookie]).toEqual([IN, false]);
    expect(await signInAtGoogle()).toBe(intruder.userId);
  });

  test("where it is another one, says what to do, and counts as a failed log-in", async () => {
    const { invitation } = await invited();
    const wrong = () => post("signup", { email, password: OWN_PASSWORD, invitation });
    const first = await wrong();
    for (let i = 0; i < 9; i++) await wrong();
    const locked = await post("signup", { email, password: PASSWORD, invitation });

    expect([outcome(first), cookieOf(first.headers)]).toEqual([[409, "CONFLICT"], null]);
    expect(first.body.error.suggestion).toContain("request a password reset");
    expect(locked.status).toBe(429);
  });

  test("is of no use with an invitation that was withdrawn, accepted, or meant for another address", async () => {
    const { projectId, invitation } = await invited();
    const other = await signUp(service);
    const foreign = await post("signup", { email: other.email, password: PASSWORD, invitation });
    await post("signup", { email, password: PASSWORD, invitation });
    const again = await post("signup", { email, password: PASSWORD, invitation });
    await service.pool`delete from memberships where project_id = ${projectId}`;

    expect([foreign, again].map(outcome)).toEqual(Array(2).fill([409, "CONFLICT"]));
    expect(await rolesIn(projectId)).toEqual([]);
  });

  test("may be one that others would guess: it is not chosen now", async () => {
    const early = await signUp(service, `early-${email}`, "password1");
    email = early.email;
    const { invitation } = await invited();

    expect(outcome(await post("signup", { email, password: "password1", invitation }))).toEqual(IN);
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
    const mails = await Promise.all(service.smtp.received.map(({ source }) => readMail(source)));
    return mails.filter(({ subject }) => subject === "Check the projects of your account");
  };
  const proven = () => service.pool`
    select actor_name, subject from audit where project_id = ${projectId} and action = 'owner.proven'`;
  const reset = async () =>
    await post("reset-password", { token: await token("RESET_PASSWORD"), newPassword: OWN_PASSWORD });

  test.each([
    ["never verified", async () => {}],
    ["verified in another browser", async () => void (await verify())],
  ])("by mail and in the audit log after a new password, where it was %s", async (_state, before) => {
    await before();
    await reset();
    const [mail, ...more] = await told();

    expect([mail?.to?.[0]?.address, more]).toEqual([email, []]);
    expect(mail!.text).toContain(`“Planted” (partner-${email})`);
    expect(mail!.text).toContain("regenerate the keys");
    expect([...(await proven())]).toEqual([{ actorName: email, subject: email }]);
  });

  test("but not where they have verified it in their own session, and not twice", async () => {
    await verify(OWN_SESSION());
    await reset();

    expect([await told(), [...(await proven())]]).toEqual([[], []]);
  });
});

describe("who verifies the address in the session that made the account", () => {
  test("keeps the session, the password, and every other session", async () => {
    const second = await logIn(service, email);
    const { body } = await verify(OWN_SESSION());

    expect(body.data).toEqual({ message: "Your address is verified." });
    expect([await me(intruder), await me(second), await logInAs(PASSWORD)]).toEqual(Array(3).fill(IN));
  });

  test("may do so after it was verified elsewhere, by another mail", async () => {
    await service.runJobs();
    await verify();
    const { projectId } = await invited();
    service.smtp.received.length = 0;
    await intruder.request("POST", "/auth/request-verification");
    await service.runJobs();
    const { text } = await readMail(service.smtp.received[0]!.source);
    const again = /verify-email\?token=([\w-]+)/.exec(text!)![1]!;
    await post("verify-email", { token: again }, OWN_SESSION());

    expect(await rolesIn(projectId)).toEqual([[intruder.userId, "ADMIN"]]);
  });

  test("in one that has ended, has not done so in their own", async () => {
    const { projectId } = await invited();
    await intruder.request("GET", "/auth/logout");
    await verify(OWN_SESSION());

    expect(await rolesIn(projectId)).toEqual([]);
  });
});

test("a way to a new password that was mailed before a password is changed is closed by the change", async () => {
  const old = await token("RESET_PASSWORD");
  await intruder.request("POST", "/auth/change-password", { password: PASSWORD, newPassword: OWN_PASSWORD });
  const reset = await post("reset-password", { token: old, newPassword: "a third password" });

  expect([outcome(reset), await logInAs(OWN_PASSWORD)]).toEqual([[400, "BAD_REQUEST"], IN]);
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
    const answers = await Promise.all(
      tokens.map((one) => person.request("POST", "/auth/verify-email", { token: one })),
    );

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
