// The sandbox of a project, and its test keys: who makes them, what they open, and what stays with the project.
import { beforeEach, describe, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { SANDBOX_MAILS } from "../../src/accounts/projects/sandbox.ts";
import { isSandbox, sandboxIdOf } from "../../src/accounts/projects/sandbox_id.ts";
import { disableProject, enableProject, listProjects } from "../../src/accounts/projects/mod.ts";
import { requestDeletion } from "../../src/accounts/projects/removal.ts";
import { q } from "../../src/db/queries.ts";
import { exportProject } from "../../src/moving/export.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { useService } from "../support/service.ts";
import { countsOf } from "../support/whole_project.ts";

const service = useService({ PLATFORM_FROM: "Postrider <postrider@mail.example>" });

let owner: Person;
let project: { id: string; secret: string; public: string };
let sandbox: { id: string; secret: string; public: string; secretHint: string; createdAt: string };

beforeEach(async () => {
  service.setNow(new Date());
  owner = await signUp(service);
  project = (await owner.request("POST", "/users/@me/projects", { name: "Shop" })).body;
  sandbox = (await owner.request("POST", `/projects/${project.id}/sandbox`)).body;
});

const MAIL = { to: "ada@example.com", from: "any@where.example", subject: "Hello", body: "<p>Hello</p>" };
const inTest = () => ({ projectId: sandbox.id });

describe("a sandbox", () => {
  test("is made once, with a pair of test keys, and shown with its project and not beside it", async () => {
    const again = await owner.request("POST", `/projects/${project.id}/sandbox`);
    const list = (await owner.request("GET", "/users/@me/projects")).body;
    const { secret, ...shown } = sandbox;
    const { body: own } = await owner.request("GET", `/projects/${sandbox.id}`);

    expect(secret).toMatch(/^sk_test_[0-9a-f]{48}$/);
    expect(shown).toEqual({
      id: sandboxIdOf(project.id),
      public: expect.stringMatching(/^pk_test_[0-9a-f]{48}$/),
      secretHint: secret.slice(-4),
      createdAt: expect.any(String),
    });
    expect([isSandbox(sandbox.id), isSandbox(project.id)]).toEqual([true, false]);
    expect([again.status, again.body.error.details]).toEqual([409, { sandboxId: sandbox.id }]);
    expect(list).toMatchObject([{ id: project.id, sandboxOf: null, sandbox: shown }]);
    expect(own).toMatchObject({ name: "Shop", sandboxOf: project.id, sandbox: null, role: "OWNER" });
    expect((await listProjects(service)).map(({ id }) => id)).not.toContain(sandbox.id);
  });

  test("cannot be a project, nor a project a sandbox, whatever the code does", async () => {
    const attempts = [
      service.pool`update projects set sandbox_of = null where id = ${sandbox.id}`,
      service.pool`update projects set public_key = ${sandbox.public.replace("test_", "")} where id = ${sandbox.id}`,
      service.pool`update projects set sandbox_of = ${sandbox.id} where id = ${project.id}`,
      service.pool`update projects set id = uuid_v7() where id = ${sandbox.id}`,
    ];

    for (const outcome of await Promise.allSettled(attempts)) expect(outcome.status).toBe("rejected");
  });

  test("is for the members of its project, in their roles, as long as they are", async () => {
    const [member, stranger] = [await signUp(service), await signUp(service)];
    await join(service, member, project.id, "MEMBER");
    const ask = async (person: Person, path = "/contacts") =>
      (await person.request("GET", path, undefined, inTest())).status;
    const make = (person: Person) =>
      person.request("POST", `/projects/${sandbox.id}/keys`, { name: "CI", scopes: ["send"] });
    const members = (await owner.request("GET", `/projects/${sandbox.id}/members`)).body.data;
    const told = await q.platformMails.membersToTell(service, { projectId: sandbox.id });

    expect([await ask(owner), await ask(member), await ask(stranger)]).toEqual([200, 200, 403]);
    expect([(await make(owner)).status, (await make(member)).status]).toEqual([201, 403]);
    expect(members.map(({ email }: { email: string }) => email)).toEqual([owner.email, member.email]);
    expect(told).toEqual([{ email: owner.email }]);
    await owner.request("DELETE", `/projects/${project.id}/members/${member.userId}`);
    expect(await ask(member)).toBe(403);
  });

  test("has the settings of its project, and what is closed for the one is closed for the other", async () => {
    const settings = { name: "Store", language: "de", timezone: "Europe/Berlin", postalAddress: "Street 1" };
    await owner.request("PATCH", `/users/@me/projects/${project.id}`, settings);
    const { body: now } = await owner.request("GET", `/projects/${sandbox.id}`);
    const sends = async () =>
      (await service.request("POST", "/v1/send", { key: sandbox.secret, body: MAIL })).status;
    const statuses = [await sends()];
    await disableProject(service, project.id, "Abuse");
    statuses.push(await sends());
    await enableProject(service, project.id);
    statuses.push(await sends());

    expect(now).toMatchObject(settings);
    expect(statuses).toEqual([200, 403, 200]);
  });

  test("refuses what is done in its project, with advice, and changes nothing", async () => {
    const refused: [method: string, path: string, body?: object][] = [
      ["PATCH", "/users/@me/projects/:id", { name: "Other" }],
      ["DELETE", "/users/@me/projects/:id"],
      ["POST", "/projects/:id/sandbox"],
      ["POST", "/projects/:id/members", { email: "new@people.example" }],
      ["POST", "/domains", { domain: "shop.example" }],
      ["POST", "/transports", { name: "Own", kind: "CAPTURE" }],
      ["PUT", "/routes", { rules: [] }],
      ["POST", "/warmup-plans", { name: "Plan", dailyLimits: [10] }],
      ["PUT", "/users/@me/projects/:id/billing-limits", { transactional: null }],
    ];
    const before = await countsOf(service.pool, sandbox.id);
    for (const [method, path, body] of refused) {
      const { status, body: answer } = await owner.request(
        method,
        path.replace(":id", sandbox.id),
        body,
        inTest(),
      );

      expect([method, path, status, answer.error?.code]).toEqual([method, path, 409, "CONFLICT"]);
      expect(answer.error.suggestion).toContain("in the project itself");
    }
    expect(await countsOf(service.pool, sandbox.id)).toEqual(before);
  });

  test("needs no domain: templates, campaigns and their check take any sender", async () => {
    const draft = { name: "News", subject: "News", body: "<p>{{manageUrl}}</p>", from: "news@any.example" };
    const made = [
      await service.request("POST", "/templates", { key: sandbox.secret, body: draft }),
      await service.request("POST", "/campaigns", {
        key: sandbox.secret,
        body: { ...draft, audienceType: "ALL" },
      }),
    ];
    const check = await service.request("POST", `/campaigns/${made[1]!.body.data.id}/check`, {
      key: sandbox.secret,
    });
    const state = await owner.request("GET", `/projects/${sandbox.id}/setup-state`);

    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    expect(JSON.stringify(check.body)).toContain("In test mode any sender will do");
    expect(state.body.data.hasVerifiedDomain).toBe(true);
  });

  test(`takes ${SANDBOX_MAILS} mails of each kind a month, whatever the project may send`, async () => {
    await service.pool`
      insert into usage_months (project_id, month, category, used)
      values (${sandbox.id}, usage_month(now()), 'transactional', ${SANDBOX_MAILS - 1})`;
    const send = async (key: string) =>
      (await service.request("POST", "/v1/send", { key, body: MAIL })).status;

    expect([await send(sandbox.secret), await send(sandbox.secret)]).toEqual([200, 402]);
  });
});

describe("a test key", () => {
  test("finds a template by its alias where other SDKs name it: the sandbox's own, or else that of its project", async () => {
    const make = async (projectId: string, alias: string, subject: string) =>
      await service.pool`
        insert into templates (project_id, name, alias, subject, body, html, from_email, type)
        values (${projectId}, ${subject}, ${alias}, ${subject}, 'Hi', 'Hi', 'any@where.example', 'TRANSACTIONAL')`;
    await make(project.id, "welcome", "Live welcome");
    await make(project.id, "receipt", "Live receipt");
    await make(sandbox.id, "receipt", "Test receipt");
    await make(sandbox.id, "draft", "Test draft");
    const subjectOf = async (key: string, id: string) => {
      const headers = { authorization: `Bearer ${key}` };
      const body = { to: "ada@example.com", template: { id } };
      const sent = await service.request("POST", "/compat/resend/emails", { headers, body });
      if (sent.status !== 200) return sent.status;
      return (await service.request("GET", `/compat/resend/emails/${sent.body.id}`, { headers })).body
        .subject;
    };

    expect(await subjectOf(sandbox.secret, "welcome")).toBe("Live welcome");
    expect(await subjectOf(sandbox.secret, "receipt")).toBe("Test receipt");
    expect(await subjectOf(project.secret, "draft")).toBe(404);
  });

  test("opens the sandbox alone, as a live key opens the project alone", async () => {
    const keys = [sandbox.secret, project.secret];
    for (const [n, key] of keys.entries()) {
      await service.request("POST", "/contacts", { key, body: { email: `${n}@example.com` } });
    }
    const lists = await Promise.all(
      keys.map(async (key) => (await service.request("GET", "/contacts", { key })).body.data),
    );
    const [ofTest, ofLive] = lists.map((rows) => rows.map(({ email }: { email: string }) => email));
    const crossed = await Promise.all([
      service.request("GET", `/projects/${project.id}`, { key: sandbox.secret }),
      service.request("GET", `/projects/${sandbox.id}`, { key: project.secret }),
      service.request("GET", `/contacts/${lists[0][0].id}`, { key: project.secret }),
      service.request("GET", `/contacts/${lists[1][0].id}`, { key: sandbox.secret }),
      service.request("GET", "/contacts", { key: project.secret, headers: { "x-project-id": sandbox.id } }),
    ]);

    expect([ofTest, ofLive]).toEqual([["0@example.com"], ["1@example.com"]]);
    expect(crossed.slice(0, 4).map(({ status }) => status)).toEqual([403, 403, 404, 404]);
    expect(crossed[4]!.body.data.map(({ email }: { email: string }) => email)).toEqual(ofLive);
  });

  test("with a name begins as the pair does, and is listed, changed and revoked there", async () => {
    const path = `/projects/${sandbox.id}/keys`;
    const made = await Promise.all(
      [["send"], ["track"]].map(
        async (scopes) => (await owner.request("POST", path, { name: "CI", scopes })).body,
      ),
    );
    const [sends, tracks] = made;
    const event = { event: "ordered", email: "ada@example.com" };
    const tries = [
      await service.request("POST", "/v1/send", { key: sends.key, body: MAIL }),
      await service.request("GET", "/contacts", { key: sends.key }),
      await service.request("POST", "/v1/track", { key: tracks.key, body: event }),
    ];
    await owner.request("DELETE", `${path}/${sends.id}`);
    tries.push(await service.request("POST", "/v1/send", { key: sends.key, body: MAIL }));

    expect(made.map(({ key }) => key.replace(/[0-9a-f]{48}$/, ""))).toEqual(["sk_test_", "pk_test_"]);
    expect(tries.map(({ status }) => status)).toEqual([200, 403, 200, 401]);
    expect((await owner.request("GET", path)).body.keys).toHaveLength(1);
    expect((await owner.request("GET", `/projects/${project.id}/keys`)).body.keys).toEqual([]);
  });

  test("of the pair is unknown once there is a new pair, and the live one stays", async () => {
    const { body: renewed } = await owner.request(
      "POST",
      `/users/@me/projects/${sandbox.id}/regenerate-keys`,
    );
    const status = async (key: string) => (await service.request("GET", "/contacts", { key })).status;

    expect(renewed).toMatchObject({ id: sandbox.id, sandboxOf: project.id });
    expect([renewed.secret, renewed.public].map((key: string) => key.slice(0, 8))).toEqual([
      "sk_test_",
      "pk_test_",
    ]);
    expect([
      await status(sandbox.secret),
      await status(renewed.secret),
      await status(project.secret),
    ]).toEqual([401, 200, 200]);
  });
});

describe("the sandbox goes with its project", () => {
  test("when that is deleted, to the last row", async () => {
    await service.request("POST", "/v1/send", { key: sandbox.secret, body: MAIL });
    await service.runJobs();
    await requestDeletion(service, project.id, OPERATOR);
    const refused = await service.request("GET", "/contacts", { key: sandbox.secret });
    for (let round = 0; round < 4; round++) {
      service.setNow(new Date(service.now().getTime() + 60_000));
      await service.runJobs();
    }

    expect(refused.status).toBe(401);
    const left = await service.pool`select from projects where id in (${project.id}, ${sandbox.id})`;
    expect(left.length).toBe(0);
    expect(Object.values(await countsOf(service.pool, sandbox.id)).filter((rows) => rows > 0)).toEqual([]);
  });

  test("but an export leaves it out, and is none of a sandbox", async () => {
    await service.request("POST", "/contacts", { key: sandbox.secret, body: { email: "only@test.example" } });
    const options = { ledger: true, passphrase: "correct horse battery" };
    const folder = `${process.env.TMPDIR ?? "/tmp"}/sandbox-${crypto.randomUUID()}`;
    const { rows } = await exportProject(service, project.id, { ...options, path: folder });
    await Bun.file(folder).delete();
    const refused = exportProject(service, sandbox.id, { ...options, path: folder });

    expect([rows.projects, rows.contacts]).toEqual([1, undefined]);
    expect(refused).rejects.toThrow("Cannot export a sandbox");
    await refused.catch(() => {});
  });
});
