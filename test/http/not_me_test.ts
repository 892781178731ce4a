// "This was not me": the owner of an address removes the account that somebody else has made with it.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { hostedInstead } from "../../src/accounts/people/links.ts";
import { makeToken, type TokenPurpose } from "../../src/accounts/people/tokens.ts";
import { createOwnProject } from "../../src/accounts/projects/own.ts";
import { disownAccount } from "../../src/accounts/people/removal.ts";
import { inTransaction } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { join, PASSWORD, type Person, signUp } from "../support/accounts.ts";
import { untilBlocked } from "../support/locks.ts";
import { readMail } from "../support/received_mail.ts";
import { useService } from "../support/service.ts";

const PLATFORM_FROM = "Postrider <postrider@mail.example>";
const service = useService({ PLATFORM_FROM });
const elsewhere = useService({
  PLATFORM_FROM,
  BASE_URL: "https://mail.example/post",
  DASHBOARD_ORIGINS: "https://app.mail.example",
});

let stranger: Person;

beforeEach(async () => {
  stranger = await signUp(service);
});

afterEach(async () => {
  service.smtp.received.length = 0;
  await service.dropJobs();
});

const tokenFor = async (purpose: TokenPurpose, of = stranger) =>
  (await makeToken(service, of.userId, purpose))!;
const press = (token: string, headers: Record<string, string> = {}, more: Record<string, string> = {}) =>
  service.request("POST", "/auth/not-me/page", {
    raw: new URLSearchParams({ token, ...more }).toString(),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "sec-fetch-site": "same-origin",
      ...headers,
    },
  });
const newProject = async (name: string) =>
  (await stranger.request("POST", "/users/@me/projects", { name })).body.id as string;
const lastMail = async () => {
  const { text, subject } = await readMail(service.smtp.received.at(-1)!.source);
  return { text: text!.replace(/\s+/g, " "), subject };
};
/** What anybody may do. */
const askForMail = async () => {
  service.smtp.received.length = 0;
  await service.request("POST", "/auth/request-verification", { body: { email: stranger.email } });
  await service.runJobs();
  return await lastMail();
};
const users = async () => (await service.pool`select from users where id = ${stranger.userId}`).length;
const isDeleted = async (projectId: string) =>
  (await service.pool`select deleted_at from projects where id = ${projectId}`)[0]?.deletedAt !== null;
const membersOf = async (projectId: string) => [
  ...(await service.pool`
    select u.email, m.role from memberships m join users u on u.id = m.user_id
    where m.project_id = ${projectId} order by m.role, u.email`),
];

describe("the mail that asks whether the address is theirs", () => {
  test("says what pressing means, and offers to remove the account on a page of ours, whatever dashboard there is", async () => {
    await signUp(elsewhere);
    elsewhere.smtp.received.length = 0;
    await elsewhere.runJobs();
    const { text, html } = await readMail(elsewhere.smtp.received[0]!.source);
    const words = text!.replace(/\s+/g, " ");

    expect(words).toContain("Either way, the account stays with the person who created it.");
    expect(words).toContain("If it was not you, do not press it.");
    expect(words).toContain("Yes, it was me: https://app.mail.example/auth/verify-email?token=");
    expect(words).toContain("This was not me: https://mail.example/post/auth/not-me?token=");
    expect(html).toContain('href="https://mail.example/post/auth/not-me?token');
  });

  test("leads to a page that removes it, and changes nothing before its button is pressed", async () => {
    await service.runJobs();
    const { text } = await readMail(service.smtp.received[0]!.source);
    const [, path = "", token = ""] = /localhost:3000(\/auth\/not-me\?token=([\w-]+))/.exec(text!)!;
    const page = await service.request("GET", path);
    await service.request("GET", path);
    const before = await users();
    const foreign = await press(token, { "sec-fetch-site": "cross-site" });
    const between = await users();
    const done = await press(token);

    expect([page.status, foreign.status, done.status]).toEqual([200, 403, 200]);
    expect(page.body).toContain('action="/auth/not-me/page"');
    expect([before, between, await users()]).toEqual([1, 1, 0]);
    expect(done.body).toContain("The account has been removed.");
  });
});

describe("the mail that anybody can have sent", () => {
  const DAY_MS = 24 * 3_600_000;

  test("offers to remove the account while it is new, and names it with its projects", async () => {
    await newProject("Live shop");
    const { createdAt } = await q.users.byId(service, { userId: stranger.userId });
    const { text } = await askForMail();
    const [, token = ""] = /not-me\?token=([\w-]+)/.exec(text)!;
    const page = await service.request("GET", `/auth/not-me?token=${token}`);

    for (const said of [text, page.body as string]) {
      expect(said).toContain(`The account ${stranger.email} has existed since`);
      expect(said).toContain(createdAt.toISOString().slice(0, 10));
      expect(said).toContain("“Live shop”");
    }
  });

  test.each([
    ["a day old and never verified", "Is this your address?", false, DAY_MS],
    ["verified elsewhere, in its first minute", "Is this your account?", true, 0],
    ["verified elsewhere, and a year old", "Is this your account?", true, 365 * DAY_MS],
  ])(
    "offers a new password, and nothing that removes, for an account that is %s",
    async (_, subject, verified, age) => {
      await newProject("Live shop");
      if (verified) {
        await service.request("POST", "/auth/verify-email", {
          body: { token: await tokenFor("VERIFY_EMAIL") },
        });
      }
      service.setNow(new Date(Date.now() + age));
      const mail = await askForMail();
      const removing = await service.pool`
        select from account_tokens where user_id = ${stranger.userId} and purpose = 'REMOVE_ACCOUNT'
          and created_at > ${new Date(service.now().getTime() - 1_000)}`;
      const page = new URL(/Reset the password: (\S+)/.exec(mail.text)![1]!);
      // As a browser without a script: the page of the console leads to the hosted one.
      const shown = await service.request("GET", hostedInstead(page)!);
      service.setNow(new Date());

      expect(mail.subject).toBe(subject);
      expect(mail.text).not.toContain("not-me");
      expect(removing.length).toBe(0);
      expect(mail.text).toContain("Its projects: “Live shop”");
      expect(shown.body).toContain(`value="${stranger.email}"`);
    },
  );
});

describe("removing it", () => {
  test("ends its sessions, its password and its links, and the address is free", async () => {
    const [reset, verification] = [await tokenFor("RESET_PASSWORD"), await tokenFor("VERIFY_EMAIL")];
    await press(await tokenFor("REMOVE_ACCOUNT"));
    const answers = [
      await stranger.request("GET", "/users/@me"),
      await service.request("POST", "/auth/login", { body: { email: stranger.email, password: PASSWORD } }),
      await service.request("POST", "/auth/reset-password", {
        body: { token: reset, newPassword: "another horse" },
      }),
      await service.request("POST", "/auth/verify-email", { body: { token: verification } }),
      await service.request("POST", "/auth/signup", { body: { email: stranger.email, password: PASSWORD } }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 400, 400, 200]);
  });

  test("is refused once somebody has said that the account is theirs, also to a page that was open; it leads to a new password", async () => {
    const remove = await tokenFor("REMOVE_ACCOUNT");
    await service.request("POST", "/auth/verify-email", { body: { token: await tokenFor("VERIFY_EMAIL") } });
    await service.runJobs();
    service.smtp.received.length = 0;
    const [before, page] = [
      await press(remove),
      await service.request("GET", `/auth/not-me?token=${remove}`),
    ];
    const asked = await press(remove, {}, { email: stranger.email });
    await service.runJobs();
    const { text, subject } = await lastMail();

    expect([before.status, page.status, asked.status, await users()]).toEqual([409, 200, 200, 1]);
    expect(before.body).toContain("that ends every session and deletes nothing");
    expect(page.body).toContain("Reset the password by mail</button>");
    expect(page.body).not.toContain("Remove the account");
    expect(subject).toBe("A new password");
    expect(text).toContain("somebody else did, with your address");
  });

  test("is not offered by a link that is used, made up or missing: it leads to a new password instead", async () => {
    const used = await tokenFor("REMOVE_ACCOUNT");
    await press(used);
    const paths = ["", "?token=", "?token=made-up", `?token=${used}`];
    const pages = await Promise.all(paths.map((query) => service.request("GET", `/auth/not-me${query}`)));

    for (const { status, body } of pages) {
      expect([status, body.includes("<form"), body.includes("Remove the account")]).toEqual([
        400,
        false,
        false,
      ]);
      expect(body).toContain("If you removed the account, it is gone. If not:");
      expect(body).toContain('href="/auth/request-password-reset"');
    }
  });

  test("has a page that leads to a new password for this very address", async () => {
    const page = await service.request("GET", `/auth/not-me?token=${await tokenFor("REMOVE_ACCOUNT")}`);

    expect(page.body).toContain(`/auth/request-password-reset?email=${encodeURIComponent(stranger.email)}`);
  });

  test("takes no token twice, none of another kind, none that is an hour old", async () => {
    const [used, old] = [
      await tokenFor("REMOVE_ACCOUNT"),
      await tokenFor("REMOVE_ACCOUNT", await signUp(service)),
    ];
    const other = await signUp(service);
    const answers = [
      await press(await tokenFor("VERIFY_EMAIL")),
      await press(await tokenFor("RESET_PASSWORD")),
    ];
    const page = await press(used);
    answers.push(await press(used), await press("made-up"), await press(""));
    const asVerification = await service.request("POST", "/auth/verify-email", {
      body: { token: await tokenFor("REMOVE_ACCOUNT", other) },
    });
    service.setNow(new Date(service.now().getTime() + 3_601_000));
    answers.push(await press(old));
    service.setNow(new Date());

    expect([page.status, asVerification.status]).toEqual([200, 400]);
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(400));
    for (const { body } of answers) expect(body).toContain("This link has been used or has expired");
  });

  test.each([
    [
      "not been verified in the browser that is logged in",
      async () =>
        await stranger.request("POST", "/auth/verify-email", { token: await tokenFor("VERIFY_EMAIL") }),
      409,
    ],
    [
      "given a new password by mail, which ends every link",
      async () =>
        await service.request("POST", "/auth/reset-password", {
          body: { token: await tokenFor("RESET_PASSWORD"), newPassword: "another horse" },
        }),
      400,
    ],
  ])("is refused for an account that was %s", async (_what, prove, status) => {
    const remove = await tokenFor("REMOVE_ACCOUNT");
    await prove();
    const refused = await press(remove);

    expect([refused.status, await users()]).toEqual([status, 1]);
    expect(refused.body).toContain(status === 409 ? 'role="alert"' : "has been used or has expired");
  });
});

describe("the projects of the account", () => {
  test("are named by the page, before and after: which are deleted, and which go on", async () => {
    await newProject("Alone");
    const [shared, orphan] = [await newProject("<i>Shared"), await newProject("Orphan")];
    await join(service, await signUp(service), shared, "ADMIN");
    await join(service, await signUp(service), orphan, "MEMBER");
    const token = await tokenFor("REMOVE_ACCOUNT");
    const page = await service.request("GET", `/auth/not-me?token=${token}`);
    const done = await press(token);

    for (const { body } of [page, done]) {
      expect(body).toContain("Deleted: “Alone”. Continues: “&lt;i&gt;Shared”.");
      expect(body).toContain("Disabled, because no owner or admin is left: “Orphan”.");
    }
  });

  test("are deleted where nobody else is in them, as by the one who owns them", async () => {
    const projectId = await newProject("Planted");
    await stranger.request("POST", "/contacts", { email: "ada@example.com" }, { projectId });
    await press(await tokenFor("REMOVE_ACCOUNT"));
    const deleted = await isDeleted(projectId);
    await service.runJobs();

    expect(deleted).toBe(true);
    expect((await service.pool`select from contacts where project_id = ${projectId}`).length).toBe(0);
  });

  test("go on where others are in them: an admin owns it, the log says so, and a mail; the secret key ends", async () => {
    const projectId = await newProject("Shared");
    const [member, admin] = [await signUp(service), await signUp(service)];
    await join(service, member, projectId, "MEMBER");
    await join(service, admin, projectId, "ADMIN");
    await stranger.request("POST", "/contacts", { email: "ada@example.com" }, { projectId });
    const { secret, public: publicKey } = (
      await stranger.request("POST", `/users/@me/projects/${projectId}/regenerate-keys`)
    ).body;
    await service.runJobs();
    service.smtp.received.length = 0;
    const before = await service.request("GET", "/contacts", { key: secret });
    await press(await tokenFor("REMOVE_ACCOUNT"));
    const after = await service.request("GET", "/contacts", { key: secret });
    await service.runJobs();
    const told = service.smtp.received.map(({ to }) => to);
    const { text } = await lastMail();
    const projects = (await admin.request("GET", "/users/@me/projects")).body;
    const audit = (await admin.request("GET", `/projects/${projectId}/audit`)).body.data as {
      action: string;
      subject: string;
      details: object;
    }[];

    expect(await membersOf(projectId)).toEqual([
      { email: admin.email, role: "OWNER" },
      { email: member.email, role: "MEMBER" },
    ]);
    expect(await isDeleted(projectId)).toBe(false);
    expect((await member.request("GET", "/contacts", undefined, { projectId })).body.data.length).toBe(1);
    expect(audit.map(({ action, subject }) => [action, subject])).toEqual(
      expect.arrayContaining([
        ["members.removed", stranger.email],
        ["members.role_changed", admin.email],
        ["keys.regenerated", null],
      ]),
    );
    expect([before.status, after.status]).toEqual([200, 401]);
    expect(JSON.stringify(projects)).toContain(publicKey);
    expect(told).toEqual([[admin.email]]);
    expect(text).toContain(`belongs to ${admin.email}`);
    expect(text).toContain("Create new keys in the settings of the project");
  });

  test("are disabled where only members are left: none of them becomes an owner, and all are told", async () => {
    const projectId = await newProject("Shared");
    const member = await signUp(service);
    await join(service, member, projectId, "MEMBER");
    await service.runJobs();
    service.smtp.received.length = 0;
    await press(await tokenFor("REMOVE_ACCOUNT"));
    await service.runJobs();
    const { text, subject } = await lastMail();
    const [project] = await service.pool`
      select disabled_at is not null as disabled, disabled_reason, deleted_at from projects where id = ${projectId}`;

    expect(await membersOf(projectId)).toEqual([{ email: member.email, role: "MEMBER" }]);
    expect(project).toEqual({ disabled: true, disabledReason: "NO_OWNER", deletedAt: null });
    expect(service.smtp.received.map(({ to }) => to)).toEqual([[member.email]]);
    expect(subject).toBe("“Shared” is disabled: its owner was removed");
    expect(text).toContain("Ask the operator of this installation");
  });

  test("stay with their other owner, and nobody gets more than they had", async () => {
    const projectId = await newProject("Shared");
    const [owner, admin] = [await signUp(service), await signUp(service)];
    await join(service, owner, projectId, "OWNER");
    await join(service, admin, projectId, "ADMIN");
    await press(await tokenFor("REMOVE_ACCOUNT"));

    expect(await membersOf(projectId)).toEqual([
      { email: owner.email, role: "OWNER" },
      { email: admin.email, role: "ADMIN" },
    ]);
  });

  test("whom the account has invited is invited no longer; what the address is invited to waits for its owner", async () => {
    const projectId = await newProject("Shared");
    await join(service, await signUp(service), projectId, "OWNER");
    const invite = async (to: string, by: string | null, into: string) => service.pool`
      insert into invitations (project_id, email, role, invited_by, token_hash, created_at, expires_at)
      values (${into}, ${to}, 'MEMBER', ${by}, sha256(${to}::bytea), now(), now() + interval '1 day')`;
    await invite("friend@people.example", stranger.userId, projectId);
    await invite(stranger.email, null, (await service.createProject()).id);
    await press(await tokenFor("REMOVE_ACCOUNT"));
    const open = await service.pool`
      select email from invitations where email in ('friend@people.example', ${stranger.email})`;

    expect([...open]).toEqual([{ email: stranger.email }]);
  });
});

describe("at the same moment", () => {
  test("somebody joins a project of the account: it is not deleted under them", async () => {
    const projectId = await newProject("Shared");
    const friend = await signUp(service);
    const token = await tokenFor("REMOVE_ACCOUNT");
    const removal = await inTransaction(service, async (tx) => {
      await q.projects.hold(tx, { projectId });
      await q.members.add(tx, { projectId, userId: friend.userId, role: "MEMBER" });
      const pending = disownAccount(service, token);
      await untilBlocked(service.pool);
      return { pending };
    });
    await removal.pending;

    expect(await isDeleted(projectId)).toBe(false);
    expect(await membersOf(projectId)).toEqual([{ email: friend.email, role: "MEMBER" }]);
  });

  test("a request of the account that has been authenticated makes no project any more", async () => {
    await press(await tokenFor("REMOVE_ACCOUNT"));
    const user = { id: stranger.userId, email: stranger.email, proven: false };

    await expect(createOwnProject(service, "Late", user)).rejects.toMatchObject({ status: 401 });
  });

  test("it is pressed ten times: it is done once", async () => {
    const token = await tokenFor("REMOVE_ACCOUNT");
    const answers = await Promise.all(Array.from({ length: 10 }, () => press(token)));

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(400)]);
  });
});
