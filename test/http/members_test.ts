import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { MAX_MEMBERS } from "../../src/accounts/projects/members.ts";
import { requestDeletion } from "../../src/accounts/projects/removal.ts";
import { disableProject } from "../../src/accounts/projects/mod.ts";
import { proveUser } from "../../src/accounts/people/mod.ts";
import { type Context, inTransaction } from "../../src/context.ts";
import { inviteMember } from "../../src/sending/platform/invitations.ts";
import { tasks } from "../../tasks/mod.ts";
import { join, PASSWORD, type Person, personOf, signUp } from "../support/accounts.ts";
import { untilBlocked } from "../support/locks.ts";
import { readMail } from "../support/received_mail.ts";
import { useService } from "../support/service.ts";

const service = useService({ PLATFORM_FROM: "Postrider <postrider@mail.example>", DISABLE_SIGNUPS: "false" });

type Role = "OWNER" | "ADMIN" | "MEMBER";

let owner: Person;
let admin: Person;
let member: Person;
let id: string;
let path: string;

const verify = (...people: Person[]) =>
  service.pool`update users set email_verified_at = now() where id = any(${people.map(({ userId }) => userId)})`;

beforeAll(async () => {
  [owner, admin, member] = [await signUp(service), await signUp(service), await signUp(service)];
  await verify(owner, admin, member);
});

beforeEach(async () => {
  id = (await owner.request("POST", "/users/@me/projects", { name: "Shop" })).body.id;
  path = `/projects/${id}/members`;
  await join(service, admin, id, "ADMIN");
  await join(service, member, id, "MEMBER");
  await service.runJobs();
  service.smtp.received.length = 0;
  await service.pool`delete from daily_counts`;
});

const invite = (person: Person, email: string, role?: Role) =>
  person.request("POST", path, { email, ...(role && { role }) });
const setRole = (person: Person, userId: string, role: Role) =>
  person.request("PATCH", `${path}/${userId}`, { role });
const remove = (person: Person, userId: string) => person.request("DELETE", `${path}/${userId}`);
const listed = async (person = owner) =>
  (await person.request("GET", path)).body.data as {
    userId: string;
    email: string;
    role: Role;
    status: string;
  }[];
const rolesOf = async () => Object.fromEntries((await listed()).map(({ email, role }) => [email, role]));
const mails = async () => {
  await service.runJobs();
  return await Promise.all(service.smtp.received.map(({ source }) => readMail(source)));
};
const linkIn = (text: string) => new URL(/https?:\/\/\S+/.exec(text)![0]);
let strangers = 0;
const stranger = () => `stranger${++strangers}@people.example`;

describe("GET /projects/:id/members", () => {
  test("lists who looks after the project, and then who was invited, to members and to the key", async () => {
    const { secret } = (await owner.request("POST", `/users/@me/projects/${id}/regenerate-keys`)).body;
    const email = stranger();
    await invite(owner, email, "ADMIN");
    const byKey = await service.request("GET", path, { key: secret });
    const expected = [
      { userId: owner.userId, email: owner.email, role: "OWNER", status: "ACTIVE" },
      { userId: admin.userId, email: admin.email, role: "ADMIN", status: "ACTIVE" },
      { userId: member.userId, email: member.email, role: "MEMBER", status: "ACTIVE" },
      { userId: expect.any(String), email, role: "ADMIN", status: "INVITED" },
    ];

    expect(await listed(member)).toEqual(expected as never);
    expect([byKey.status, byKey.body]).toEqual([200, { success: true, data: expected }]);
  });
});

describe("POST /projects/:id/members", () => {
  test("somebody with a verified account is a member at once, and is told by mail", async () => {
    const person = await signUp(service);
    await verify(person);
    await service.runJobs();
    service.smtp.received.length = 0;
    const before = await person.request("GET", "/contacts", undefined, { projectId: id });
    const { status, body } = await invite(admin, ` ${person.email.toUpperCase()} `);
    const after = await person.request("GET", "/contacts", undefined, { projectId: id });
    const [mail] = await mails();

    expect([before.status, status, after.status]).toEqual([403, 201, 200]);
    expect(body).toEqual({
      success: true,
      data: { userId: person.userId, email: person.email, role: "MEMBER", status: "ACTIVE" },
    });
    expect(mail!.to).toEqual([{ address: person.email, name: "" }]);
    expect(mail!.subject).toBe("You are now a member of “Shop”");
    expect(mail!.text).toContain(`${admin.email} added you`);
  });

  test("anybody else is invited by mail, and joins by signing up with its token", async () => {
    const email = stranger();
    const { status, body } = await invite(owner, email, "ADMIN");
    const [mail] = await mails();
    const link = linkIn(mail!.text!);
    const answer = await service.request("POST", "/auth/signup", {
      body: { email, password: PASSWORD, invitation: link.searchParams.get("invitation") },
    });
    const person = personOf(service, answer);

    expect([status, body.data.status]).toEqual([201, "INVITED"]);
    expect([mail!.to![0]!.address, link.searchParams.get("email")]).toEqual([email, email]);
    expect(mail!.text).toContain(`${owner.email} invites you to join the project “Shop” as an admin`);
    expect(answer.status).toBe(200);
    expect((await person.request("GET", "/users/@me")).body.emailVerified).toBe(true);
    expect((await listed()).find((one) => one.email === email)).toEqual({
      userId: person.userId,
      email,
      role: "ADMIN",
      status: "ACTIVE",
    });
  });

  test("typing an invited address in is not enough: who has not proven that it is theirs waits", async () => {
    const email = stranger();
    await invite(owner, email);
    const foreign = stranger();
    await invite(owner, foreign);
    const token = linkIn(
      (await mails()).find((mail) => mail.to![0]!.address === foreign)!.text!,
    ).searchParams.get("invitation");
    const person = personOf(
      service,
      await service.request("POST", "/auth/signup", {
        body: { email, password: PASSWORD, invitation: token },
      }),
    );
    const before = await person.request("GET", "/users/@me/projects");
    const other = await invite(owner, email);
    await verifyByMail(person);
    const after = await person.request("GET", "/users/@me/projects");

    expect([before.body, other.body.data.status]).toEqual([[], "INVITED"]);
    expect(after.body).toMatchObject([{ id, role: "MEMBER" }]);
    expect((await listed()).filter((one) => one.email === email).map(({ status }) => status)).toEqual([
      "ACTIVE",
    ]);
  });

  test("who proves an address joins every project that it was invited to", async () => {
    const email = stranger();
    await invite(owner, email, "MEMBER");
    const second = (await owner.request("POST", "/users/@me/projects", { name: "Second" })).body.id;
    await owner.request("POST", `/projects/${second}/members`, { email, role: "OWNER" });
    const person = await signUp(service, email);
    await verifyByMail(person);
    const projects = (await person.request("GET", "/users/@me/projects")).body as {
      id: string;
      role: Role;
    }[];

    expect(projects.map((project) => [project.id, project.role])).toEqual([
      [id, "MEMBER"],
      [second, "OWNER"],
    ]);
  });

  test("who is invited again gets a new mail, with the new role; only its token counts then", async () => {
    const email = stranger();
    const first = await invite(owner, email);
    const second = await invite(owner, email, "ADMIN");
    const tokens = (await mails()).map(({ text }) => linkIn(text!).searchParams.get("invitation"));
    const [{ n }] = (await service.pool`
      select count(*)::int as n from invitations where token_hash = any(
        select sha256(t::bytea) from unnest(${tokens as string[]}::text[]) as t)`) as unknown as [
      { n: number },
    ];

    expect([first.body.data.userId, new Set(tokens).size, n]).toEqual([second.body.data.userId, 2, 1]);
    expect((await listed()).filter((one) => one.email === email).map(({ role }) => role)).toEqual(["ADMIN"]);
  });

  test("an invitation is good for two weeks, and then forgotten", async () => {
    const [email, stayed] = [stranger(), stranger()];
    await invite(owner, email);
    await invite(owner, stayed);
    const token = linkIn((await mails())[0]!.text!).searchParams.get("invitation");
    const [made] = await service.pool`
      update invitations set expires_at = expires_at - interval '14 days' where email = ${email}
      returning expires_at - created_at as "left"`;
    await tasks.purge_expired(service, {});
    const kept = await service.pool`select from invitations where email = ${stayed}`;
    const gone = await service.pool`select from invitations where email = ${email}`;
    const body = { email, password: PASSWORD, invitation: token };
    const person = personOf(service, await service.request("POST", "/auth/signup", { body }));
    await verifyByMail(person);

    expect([made!.left, kept.length, gone.length]).toEqual(["00:00:00", 1, 0]);
    expect((await person.request("GET", "/users/@me/projects")).body).toEqual([]);
  });

  test("an invitation keeps its token as a hash", async () => {
    const email = stranger();
    await invite(owner, email);
    const [mail] = await mails();
    const token = linkIn(mail!.text!).searchParams.get("invitation")!;
    const [row] =
      await service.pool`select to_json(i)::text as text from invitations i where email = ${email}`;

    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(row!.text).not.toContain(token);
  });

  test.each([
    [{}, "email", "required"],
    [{ email: "nobody" }, "email", "invalid_string"],
    [{ email: "a@b.io", role: "KING" }, "role", "invalid_enum_value"],
  ])("%j is refused", async (body, field, code) => {
    const { status, body: answer } = await owner.request("POST", path, body);

    expect([status, answer.error.errors]).toEqual([422, [expect.objectContaining({ field, code })]]);
  });

  test("a member is not added twice, also when two do it at once", async () => {
    const person = await signUp(service);
    await verify(person);
    const answers = await Promise.all([owner, admin, owner].map((by) => invite(by, person.email)));
    const again = await invite(owner, owner.email, "MEMBER");

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect([again.status, again.body.error.code]).toEqual([409, "CONFLICT"]);
    expect(await rolesOf()).toMatchObject({ [owner.email]: "OWNER" });
  });

  test("an admin makes no owner, and takes no owner's invitation over", async () => {
    const [email, other] = [stranger(), stranger()];
    await invite(owner, email, "OWNER");
    const answers = [
      await invite(admin, other, "OWNER"),
      await invite(admin, email, "MEMBER"),
      await setRole(admin, (await listed()).find((one) => one.email === email)!.userId, "MEMBER"),
      await remove(admin, (await listed()).find((one) => one.email === email)!.userId),
    ];

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(4).fill([403, "FORBIDDEN"]),
    );
    expect(await rolesOf()).toMatchObject({ [email]: "OWNER" });
  });

  test("nobody is pestered: an address is written to ten times a day, from whatever project", async () => {
    const email = stranger();
    const answers = [];
    for (let i = 0; i < 12; i++) answers.push((await invite(owner, email)).status);
    const project = (await admin.request("POST", "/users/@me/projects", { name: "Other" })).body.id;
    const elsewhere = await admin.request("POST", `/projects/${project}/members`, { email });

    expect(answers).toEqual([...Array(10).fill(201), 429, 429]);
    expect([elsewhere.status, elsewhere.body.error.code]).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect(Number(elsewhere.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await mails()).length).toBe(10);
  });

  test("what stands behind a plus makes nobody else of an address", async () => {
    const answers = [];
    for (let i = 0; i < 11; i++) answers.push((await invite(owner, `ada+${i}@people.example`)).status);
    const plain = await invite(owner, "ada@people.example");
    const another = await invite(owner, "bob+1@people.example");

    expect(answers).toEqual([...Array(10).fill(201), 429]);
    expect([plain.status, another.status]).toEqual([429, 201]);
  });

  test("a project has 200 invitations a day, however many people share them", async () => {
    const day = service.now().toISOString().slice(0, 10);
    await service.pool`insert into daily_counts values (${`invitations to ${id}`}, ${day}, 198)`;
    const answers = [];
    for (const by of [owner, admin, owner, admin]) answers.push((await invite(by, stranger())).status);

    expect(answers).toEqual([201, 201, 429, 429]);
  });

  test("whose own address is not verified has no mail sent to others, and may do so afterwards", async () => {
    const person = await signUp(service);
    await join(service, person, id, "OWNER");
    await service.runJobs();
    service.smtp.received.length = 0;
    const [known, unknown] = [
      await invite(person, (await signUp(service)).email),
      await invite(person, stranger()),
    ];
    await service.runJobs();
    const invited = service.smtp.received.filter(({ source }) => source.includes("Subject: Join"));
    await verify(person);
    const verified = await invite(person, stranger());

    for (const { status, body } of [known, unknown])
      expect([status, body.error.code, body.error.suggestion]).toEqual([
        403,
        "EMAIL_VERIFICATION_REQUIRED",
        expect.stringContaining("/auth/request-verification"),
      ]);
    expect(invited).toEqual([]);
    expect(verified.status).toBe(201);
  });

  test("a name from before there were rules is one line of the mail, in quotes, and no link", async () => {
    const name =
      'X”\n\nBlocked: https://evil.example/login or www.evil.example, ask help@evil.example "\u202Enow';
    await service.pool`update projects set name = ${name} where id = ${id}`;
    const known = await signUp(service);
    await verify(known);
    await service.runJobs();
    service.smtp.received.length = 0;
    await invite(owner, stranger());
    await invite(owner, known.email);
    const shown = await mails();

    expect(shown).toHaveLength(2);
    for (const { subject, text, html } of shown) {
      for (const part of [subject!, text!, html!]) {
        expect(part).not.toMatch(/evil\.example|:\/\/evil|www\.evil|help@evil|\u202E/);
        expect(part).toMatch(/“X('|&#x27;) Blocked:[^”]*now”/);
      }
      expect(text!.split("\n").some((line) => line.startsWith("Blocked"))).toBe(false);
    }
  });

  test("the mail tells people who find an account that they did not make to ask for a new password", async () => {
    await invite(owner, (await signUp(service)).email);
    const mail = (await mails()).find(({ subject }) => subject === "Join “Shop”");

    expect(mail!.text!.replace(/\s+/g, " ")).toContain(
      "If you did not create it, reset the password on the same page: that makes it yours",
    );
    expect(mail!.text).not.toContain("verify");
  });

  test("a project has room for so many members and invitations, and no more when they come at once", async () => {
    await service.pool`
      insert into invitations (project_id, email, role, token_hash, created_at, expires_at)
      select ${id}, 'i' || n || '@people.example', 'MEMBER', sha256((${id} || n)::bytea), now(), now() + interval '1 day'
      from generate_series(1, ${MAX_MEMBERS - 3 - 2}::int) as n`;
    const answers = await Promise.all(Array.from({ length: 6 }, () => invite(owner, stranger())));

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    expect((await listed()).length).toBe(MAX_MEMBERS);
  });
});

describe("PATCH /projects/:id/members/:userId", () => {
  test("takes effect on the very next request", async () => {
    const audit = () => member.request("GET", `/projects/${id}/audit`);
    const before = await audit();
    const { status, body } = await setRole(admin, member.userId, "ADMIN");
    const during = await audit();
    await setRole(admin, member.userId, "MEMBER");
    const after = await audit();

    expect([status, body.data.role]).toEqual([200, "ADMIN"]);
    expect([before.status, during.status, after.status]).toEqual([403, 200, 403]);
  });

  test("an owner hands the project over, and steps down", async () => {
    const handed = await setRole(owner, admin.userId, "OWNER");
    const down = await setRole(owner, owner.userId, "ADMIN");

    expect([handed.status, down.status]).toEqual([200, 200]);
    expect(await rolesOf()).toMatchObject({ [owner.email]: "ADMIN", [admin.email]: "OWNER" });
  });

  test("an admin neither makes nor unmakes an owner, nor makes one of themselves", async () => {
    const answers = [
      await setRole(admin, owner.userId, "MEMBER"),
      await setRole(admin, member.userId, "OWNER"),
      await setRole(admin, admin.userId, "OWNER"),
      await setRole(member, member.userId, "ADMIN"),
      await remove(admin, owner.userId),
      await remove(member, admin.userId),
    ];

    expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(
      Array(6).fill([403, "FORBIDDEN"]),
    );
  });

  test("the last owner can neither be demoted nor leave; an invited one is none", async () => {
    await invite(owner, stranger(), "OWNER");
    const answers = [await setRole(owner, owner.userId, "ADMIN"), await remove(owner, owner.userId)];
    const same = await setRole(owner, owner.userId, "OWNER");

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(2).fill([409, "CONFLICT"]),
    );
    expect(same.status).toBe(200);
    expect(await rolesOf()).toMatchObject({ [owner.email]: "OWNER" });
  });

  test("20 at once who demote and remove two owners leave one, no matter which", async () => {
    for (let round = 0; round < 5; round++) {
      await join(service, owner, id, "OWNER");
      await join(service, admin, id, "OWNER");
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => {
          const [by, whom] = [i % 2 === 0 ? owner : admin, i % 4 < 2 ? owner : admin];
          return i % 5 === 0 ? remove(by, whom.userId) : setRole(by, whom.userId, "MEMBER");
        }),
      );
      const [{ n }] = (await service.pool`
        select count(*)::int as n from memberships where project_id = ${id} and role = 'OWNER'`) as unknown as [
        { n: number },
      ];

      expect(n).toBe(1);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    }
  });

  test.each(["5", crypto.randomUUID()])("nobody is found as %s", async (userId) => {
    const answers = [await setRole(owner, userId, "ADMIN"), await remove(owner, userId)];

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(2).fill([404, "RESOURCE_NOT_FOUND"]),
    );
  });

  test("a member of another project is nobody here", async () => {
    const other = await signUp(service);
    await verify(other);
    const theirs = (await other.request("POST", "/users/@me/projects", { name: "Other" })).body.id;
    const email = stranger();
    const { body } = await other.request("POST", `/projects/${theirs}/members`, { email });

    expect((await setRole(owner, other.userId, "ADMIN")).status).toBe(404);
    expect((await setRole(owner, body.data.userId, "ADMIN")).status).toBe(404);
    expect((await remove(owner, body.data.userId)).status).toBe(404);
  });
});

describe("DELETE /projects/:id/members/:userId", () => {
  test("somebody who is removed is out on the very next request, and may be invited again", async () => {
    const before = await member.request("GET", "/contacts", undefined, { projectId: id });
    const { status, body } = await remove(admin, member.userId);
    const after = await member.request("GET", "/contacts", undefined, { projectId: id });
    const again = await invite(owner, member.email);

    expect([before.status, status, body, after.status]).toEqual([200, 204, "", 403]);
    expect(after.body.error.code).toBe("PROJECT_ACCESS_DENIED");
    expect(again.body.data).toMatchObject({ userId: member.userId, status: "ACTIVE" });
  });

  test("everybody may leave, also a disabled project", async () => {
    await disableProject(service, id, "unpaid");
    const left = await remove(member, member.userId.toUpperCase());

    expect(left.status).toBe(204);
    expect(Object.keys(await rolesOf())).toEqual([owner.email, admin.email]);
  });

  test("an invitation that is withdrawn lets nobody in", async () => {
    const email = stranger();
    const { body } = await invite(owner, email);
    const token = linkIn((await mails())[0]!.text!).searchParams.get("invitation");
    const withdrawn = await remove(admin, body.data.userId);
    const person = personOf(
      service,
      await service.request("POST", "/auth/signup", {
        body: { email, password: PASSWORD, invitation: token },
      }),
    );

    expect(withdrawn.status).toBe(204);
    expect((await person.request("GET", "/users/@me/projects")).body).toEqual([]);
    expect((await person.request("GET", "/users/@me")).body.emailVerified).toBe(false);
  });
});

describe("an invitation is as good as the word of the person who gave it", () => {
  const audited = async () => {
    const { body } = await owner.request("GET", `/projects/${id}/audit?limit=100`);
    return (body.data as { action: string; actor: { name: string }; subject: string }[])
      .filter(({ action }) => action === "members.invitation_withdrawn")
      .map(({ actor, subject }) => [actor.name, subject])
      .toSorted();
  };
  const invited = async () =>
    (await listed())
      .filter(({ status }) => status === "INVITED")
      .map(({ email }) => email)
      .toSorted();

  test("an admin who is thrown out does not come back by one of their own", async () => {
    const [mine, other, kept] = [stranger(), stranger(), stranger()];
    await invite(admin, mine, "ADMIN");
    await invite(admin, other, "MEMBER");
    await invite(owner, kept, "ADMIN");
    const mail = (await mails()).find(({ to }) => to![0]!.address === mine);
    await remove(owner, admin.userId);
    const body = {
      email: mine,
      password: PASSWORD,
      invitation: linkIn(mail!.text!).searchParams.get("invitation"),
    };
    const person = personOf(service, await service.request("POST", "/auth/signup", { body }));

    expect(await invited()).toEqual([kept]);
    expect(await audited()).toEqual(
      [
        [owner.email, mine],
        [owner.email, other],
      ].toSorted(),
    );
    expect((await person.request("GET", "/users/@me/projects")).body).toEqual([]);
    expect((await person.request("GET", "/users/@me")).body.emailVerified).toBe(false);
  });

  test("outlives a change of their role", async () => {
    await join(service, member, id, "OWNER");
    const emails = [stranger(), stranger(), stranger()];
    await invite(member, emails[0]!, "OWNER");
    await invite(member, emails[1]!, "ADMIN");
    await invite(member, emails[2]!, "MEMBER");
    const before = await invited();
    await setRole(owner, member.userId, "ADMIN");
    const asAdmin = await invited();
    await setRole(owner, member.userId, "MEMBER");

    expect([before, asAdmin, await invited()]).toEqual([emails, emails, emails]);
    expect(await audited()).toEqual([]);
    const person = await signUp(service, emails[0]!);
    await verifyByMail(person);
    expect((await person.request("GET", "/users/@me/projects")).body).toMatchObject([{ id, role: "OWNER" }]);
  });

  test("who changes the role of an invitation vouches for it", async () => {
    const email = stranger();
    const { body } = await invite(admin, email, "MEMBER");
    await setRole(owner, body.data.userId, "OWNER");
    await remove(owner, admin.userId);
    const person = await signUp(service, email);
    await verifyByMail(person);

    expect((await person.request("GET", "/users/@me/projects")).body).toMatchObject([{ id, role: "OWNER" }]);
    expect(await audited()).toEqual([]);
  });

  test.each([
    ["a MEMBER", "MEMBER", [1, 1]],
    ["gone", null, [0, 1]],
  ] as const)(
    "at the very end it is looked at once more: its giver is %s by then",
    async (_, role, joined) => {
      const [email, theirs] = [stranger(), stranger()];
      await invite(admin, email, "ADMIN");
      await invite(owner, theirs, "ADMIN");
      // Behind the back of the service: no invitation is withdrawn.
      if (role) await join(service, admin, id, role);
      else await service.pool`delete from memberships where project_id = ${id} and user_id = ${admin.userId}`;
      const people = [await signUp(service, email), await signUp(service, theirs)];
      for (const person of people) await verifyByMail(person);
      const seen = [];
      for (const person of people)
        seen.push((await person.request("GET", "/users/@me/projects")).body.length);

      expect(seen).toEqual([...joined]);
    },
  );
});

describe("an invitation that meets the deletion of its project", () => {
  // Whoever is first has done its work, and has not committed yet.
  test.each(["the proof", "the deletion"])(
    "leaves neither a member nor a line behind: %s is first",
    async (first) => {
      const person = await signUp(service);
      await invite(owner, person.email, "ADMIN");
      const work = {
        "the proof": async (ctx: Context) => void (await proveUser(ctx, person.userId)),
        "the deletion": (ctx: Context) => requestDeletion(ctx, id, OPERATOR),
      };
      const [one, other] =
        first === "the proof"
          ? (["the proof", "the deletion"] as const)
          : (["the deletion", "the proof"] as const);
      const order: string[] = [];
      let second: Promise<void> = Promise.resolve();
      await inTransaction(service, async (tx) => {
        await work[one](tx);
        second = inTransaction(service, work[other]).then(() => void order.push(other));
        await untilBlocked(service.pool, {}, second);
        order.push(one);
      });
      await second;
      const members = await service.pool`select from memberships where project_id = ${id}`;
      const open = await service.pool`select from invitations where project_id = ${id}`;
      const joined =
        await service.pool`select from audit where project_id = ${id} and action = 'members.joined'`;

      expect(order).toEqual([one, other]);
      // It is a line of before the deletion, if any.
      expect([members.length, open.length, joined.length]).toEqual([0, 0, first === "the proof" ? 1 : 0]);
      expect((await person.request("GET", "/users/@me/projects")).body).toEqual([]);
    },
  );

  test("is not written any more", async () => {
    const email = stranger();
    const known = await signUp(service);
    await verify(known);
    // It is authenticated, and then it is deleted.
    await requestDeletion(service, id, OPERATOR);
    const by = { kind: "user", userId: owner.userId, email: owner.email, proven: true } as const;
    const asked = await Promise.allSettled(
      [email, known.email].map((address) =>
        inviteMember(service, id, { email: address, role: "MEMBER" }, by),
      ),
    );
    await service.runJobs();

    expect(asked.map((end) => end.status === "rejected" && end.reason.status)).toEqual([404, 404]);
    expect(service.smtp.received.flatMap(({ to }) => to)).not.toContain(email);
  });
});

describe("an invitation that meets the proof of its address", () => {
  test("always ends in a membership, no matter who comes first", async () => {
    for (let round = 0; round < 10; round++) {
      const email = stranger();
      const person = await signUp(service, email);
      const token = await verificationToken(email);
      await Promise.all([invite(owner, email), person.request("POST", "/auth/verify-email", { token })]);

      expect((await listed()).find((one) => one.email === email)).toMatchObject({
        userId: person.userId,
        status: "ACTIVE",
      });
      await remove(owner, person.userId);
    }
  });
});

describe("without PLATFORM_FROM", () => {
  const silent = useService();

  test("somebody who is known is added, and nobody can be invited", async () => {
    const [person, other] = [await signUp(silent), await signUp(silent)];
    // Nobody can verify an address here by themselves: who invites need not have done so.
    await silent.pool`update users set email_verified_at = now() where id = ${other.userId}`;
    const project = (await person.request("POST", "/users/@me/projects", { name: "Shop" })).body.id;
    const known = await person.request("POST", `/projects/${project}/members`, { email: other.email });
    const unknown = await person.request("POST", `/projects/${project}/members`, {
      email: "new@people.example",
    });

    expect([known.status, unknown.status, unknown.body.error.code]).toEqual([201, 501, "NOT_CONFIGURED"]);
    expect((await silent.pool`select from invitations`).length).toBe(0);
  });
});

async function verificationToken(email: string): Promise<string> {
  const found = (await mails()).findLast(
    (mail) => mail.to![0]!.address === email && mail.text!.includes("/app/verify-email"),
  );
  return linkIn(found!.text!).searchParams.get("token")!;
}

async function verifyByMail(person: Person): Promise<void> {
  const token = await verificationToken(person.email);
  const { status } = await person.request("POST", "/auth/verify-email", { token });
  expect(status).toBe(200);
}
