import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { OPERATOR, recordAudit } from "../../src/accounts/audit.ts";
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import { requestDeletion } from "../../src/accounts/projects/removal.ts";
import { disableProject, enableProject } from "../../src/accounts/projects/mod.ts";
import { proveUser } from "../../src/accounts/people/mod.ts";
import { type Context, inTransaction } from "../../src/context.ts";
import { judgeReputation, securityOf } from "../../src/sending/feedback/reputation.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { campaignsOf } from "../support/campaign.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService({ PLATFORM_FROM: "Postrider <postrider@mail.example>" });

let owner: Person;
let project: { id: string; secret: string; secretHint: string };

beforeAll(async () => {
  owner = await signUp(service);
  await service.pool`update users set email_verified_at = now() where id = ${owner.userId}`;
});

beforeEach(async () => {
  project = (await owner.request("POST", "/users/@me/projects", { name: "Shop" })).body;
});

const byKey = (path: string, key = project.secret) =>
  service.request("GET", `/projects/${project.id}${path}`, { key });
const bySession = (path: string, person = owner) => person.request("GET", `/projects/${project.id}${path}`);

describe("GET /projects/:id/setup-state", () => {
  const nothing = {
    hasVerifiedDomain: false,
    contactCount: 0,
    hasTemplate: false,
    hasMail: false,
    lastCampaignSentAt: null,
    hasEnabledWorkflow: false,
    hasSubscription: false,
  };

  test("a new project has nothing", async () => {
    const { status, body } = await bySession("/setup-state");

    expect([status, body]).toEqual([200, { success: true, data: nothing }]);
    expect((await byKey("/setup-state")).body).toEqual(body);
  });

  test("shows each step as soon as it is taken, and what another project has does not count", async () => {
    const mine = project;
    const { create, send, addContacts } = campaignsOf(service, () => mine as never);
    const { createWorkflow } = workflowsFor(mine);
    const state = async () => (await bySession("/setup-state")).body.data;
    const seen = [await state()];
    await addVerifiedDomain(service, mine.id, DOMAIN);
    seen.push(await state());
    await addContacts(3);
    seen.push(await state());
    await service.request("POST", "/templates", {
      key: mine.secret,
      body: { name: "t", subject: "s", body: "b", from: `a@${DOMAIN}` },
    });
    seen.push(await state());
    const campaign = await create();
    seen.push(await state());
    await send(campaign);
    seen.push(await state());
    await createWorkflow();
    seen.push(await state());
    await service.request("POST", "/v1/send", {
      key: mine.secret,
      body: { to: "ada@example.com", from: `a@${DOMAIN}`, subject: "s", body: "b" },
    });
    seen.push(await state());
    project = (await owner.request("POST", "/users/@me/projects", { name: "Other" })).body;
    const other = await state();

    const steps = [
      {},
      { hasVerifiedDomain: true },
      { contactCount: 3 },
      { hasTemplate: true },
      {},
      { lastCampaignSentAt: expect.any(String) },
      { hasEnabledWorkflow: true },
      { hasMail: true, contactCount: 4 },
    ];
    let expected: object = nothing;
    for (const [i, step] of steps.entries())
      expect(seen[i]).toEqual((expected = { ...expected, ...step }) as never);
    expect(other).toEqual(nothing);
  });
});

describe("GET /projects/:id/security and /users/@me/projects/:id/security", () => {
  test("say the same, the one wrapped and the other bare", async () => {
    await service.pool`insert into reputation_days values (${project.id}, current_date, 200, 15, 1)`;
    await disableProject(service, project.id, "unpaid");
    const expected = JSON.parse(JSON.stringify(await securityOf(service, project.id)));
    const wrapped = await bySession("/security");
    const bare = await owner.request("GET", `/users/@me/projects/${project.id}/security`);

    expect([wrapped.status, wrapped.body]).toEqual([200, { success: true, data: expected }]);
    expect([bare.status, bare.body]).toEqual([200, expected]);
    expect(expected).toMatchObject({
      status: { sevenDay: { total: 200, bounces: 15, bounceRate: 7.5 }, isHealthy: false },
      isDisabled: true,
      suspensions: [{ reason: "unpaid", liftedAt: null }],
    });
  });

  test("the key of a disabled project still reads them", async () => {
    expect((await byKey("/security")).body.data.isDisabled).toBe(false);
    await disableProject(service, project.id, null);

    expect((await byKey("/security")).body.data.isDisabled).toBe(true);
  });

  test("the key of another project is refused, and so is a public one", async () => {
    const other = await service.createProject();
    const codes = [await byKey("/security", other.secret), await byKey("/security", other.public)].map(
      ({ status, body }) => [status, body.error.code],
    );

    expect(codes).toEqual([
      [403, "PROJECT_ACCESS_DENIED"],
      [401, "INVALID_API_KEY"],
    ]);
  });

  test("a session-only view takes no key", async () => {
    const { status, body } = await service.request("GET", `/users/@me/projects/${project.id}/security`, {
      key: project.secret,
    });

    expect([status, body.error.code]).toEqual([401, "INVALID_API_KEY"]);
  });
});

type Line = {
  id: string;
  at: string;
  actor: { kind: string; userId: string | null; name: string | null };
  action: string;
  subject: string | null;
  details: Record<string, unknown>;
};

const lines = async (): Promise<Line[]> => (await bySession("/audit?limit=100")).body.data.reverse();

describe("GET /projects/:id/audit", () => {
  test("tells who did what, the newest first, page by page", async () => {
    for (const language of ["de", "fr", "es"]) {
      await owner.request("PATCH", `/users/@me/projects/${project.id}`, { language });
    }
    const first = (await bySession("/audit?limit=3")).body;
    const second = (await bySession(`/audit?limit=3&cursor=${first.cursor}`)).body;
    const actor = { kind: "USER", userId: owner.userId, name: owner.email };

    expect([first.total, first.hasMore, second.total, second.hasMore, second.cursor]).toEqual([
      4,
      true,
      0,
      false,
      null,
    ]);
    expect([...first.data, ...second.data]).toMatchObject([
      { actor, action: "project.updated", details: { language: { from: "fr", to: "es" } } },
      { actor, action: "project.updated", details: { language: { from: "de", to: "fr" } } },
      { actor, action: "project.updated", details: { language: { from: "en", to: "de" } } },
      { actor, action: "project.created", subject: "Shop" },
    ]);
    expect((await bySession("/audit?cursor=x")).status).toBe(400);
  });

  test("everything that is administered leaves its line, with the person who did it", async () => {
    const { id, secret } = project;
    const ours = { kind: "USER", userId: owner.userId, name: owner.email };
    const key = { kind: "KEY", userId: null, name: project.secretHint };
    const operator = { kind: "OPERATOR", userId: null, name: null };
    const known = await signUp(service);
    await service.pool`update users set email_verified_at = now() where id = ${known.userId}`;
    const settings = `/users/@me/projects/${id}`;
    const people = `/projects/${id}/members`;
    const api = (method: string, path: string, body?: object) =>
      service.request(method, path, { key: secret, body });

    await owner.request("PATCH", settings, { name: "Store", tracking: "DISABLED" });
    await owner.request("POST", people, { email: known.email });
    await owner.request("PATCH", `${people}/${known.userId}`, { role: "ADMIN" });
    const invited = await owner.request("POST", people, { email: "new@people.example", role: "ADMIN" });
    await owner.request("DELETE", `${people}/${invited.body.data.userId}`);
    await known.request("DELETE", `${people}/${known.userId}`);
    const domain = await api("POST", "/domains", { domain: "keyed.example" });
    await owner.request("DELETE", `/domains/${domain.body.id}`, undefined, { projectId: id });
    await addVerifiedDomain(service, id, DOMAIN);
    await api("POST", "/contacts", { email: "ada@example.com" });
    const scheduledFor = new Date(Date.now() + 86_400_000).toISOString();
    const { create, send } = campaignsOf(service, () => project as never);
    const [now, later] = [await create({ name: "Now" }), await create({ name: "Later" })];
    await send(now);
    await owner.request("POST", `/campaigns/${later}/send`, { scheduledFor }, { projectId: id });
    await api("POST", `/campaigns/${later}/cancel`);
    await disableProject(service, id, "unpaid");
    await enableProject(service, id);
    const rotated = await owner.request("POST", `${settings}/regenerate-keys`);

    const { email } = known;
    const theirs = { kind: "USER", userId: known.userId, name: email };
    const line = (actor: { kind: string }, action: string, subject: string | null, details: object = {}) => ({
      actor,
      action,
      subject,
      details: { ...details, ...(actor.kind === "USER" && { verified: true }) },
    });
    const shown = (await lines()).map(({ id: _id, at: _at, ...told }) => told);
    expect(shown as object[]).toEqual([
      line(ours, "project.created", "Shop"),
      line(ours, "project.updated", null, {
        name: { from: "Shop", to: "Store" },
        tracking: { from: "ENABLED", to: "DISABLED" },
      }),
      line(ours, "members.added", email, { role: "MEMBER" }),
      line(ours, "members.role_changed", email, { from: "MEMBER", to: "ADMIN" }),
      line(ours, "members.invited", "new@people.example", { role: "ADMIN" }),
      line(ours, "members.invitation_withdrawn", "new@people.example", { role: "ADMIN" }),
      line(theirs, "members.removed", email, { role: "ADMIN" }),
      line(key, "domain.added", "keyed.example"),
      line(ours, "domain.removed", "keyed.example"),
      line(operator, "domain.added", DOMAIN, { isVouchedFor: true }),
      line(key, "campaign.sent", "Now", { campaignId: now, totalRecipients: 1 }),
      line(ours, "campaign.scheduled", "Later", {
        campaignId: later,
        totalRecipients: 1,
        scheduledFor,
      }),
      line(key, "campaign.cancelled", "Later", { campaignId: later }),
      line(operator, "project.disabled", null, { reason: "unpaid" }),
      line(operator, "project.enabled", null),
      line(ours, "keys.regenerated", null, { secretHint: rotated.body.secretHint }),
    ]);
  });

  test("who joins by an invitation, and a project that the service disables, leave theirs", async () => {
    const person = await signUp(service);
    await owner.request("POST", `/projects/${project.id}/members`, { email: person.email, role: "ADMIN" });
    await inTransaction(service, (tx) => proveUser(tx, person.userId));
    await service.pool`insert into reputation_days values (${project.id}, current_date, 1000, 500, 0)`;
    const ctx: Context = { ...service, config: { ...service.config, AUTO_PROJECT_DISABLE: true } };
    await judgeReputation(ctx, project.id);

    const { email } = person;
    expect(
      (await lines()).slice(1).map(({ actor, action, details }) => [actor.name, action, details]),
    ).toEqual([
      [owner.email, "members.invited", { role: "ADMIN", verified: true }],
      [email, "members.joined", { role: "ADMIN", verified: true }],
      [null, "project.disabled", { reason: "EMAIL_REPUTATION" }],
    ]);
  });

  test("nothing that fails, and nothing that changes nothing, leaves a line", async () => {
    const settings = `/users/@me/projects/${project.id}`;
    const people = `/projects/${project.id}/members`;
    await owner.request("PATCH", settings, {});
    await owner.request("PATCH", settings, { name: "Shop", language: "en" });
    await owner.request("PATCH", settings, { language: "xx" });
    await owner.request("PATCH", `${people}/${owner.userId}`, { role: "OWNER" });
    await owner.request("PATCH", `${people}/${owner.userId}`, { role: "MEMBER" });
    await owner.request("POST", people, { email: owner.email });
    await owner.request("DELETE", `${people}/${owner.userId}`);
    await enableProject(service, project.id);
    await inTransaction(service, async (tx) => {
      await recordAudit(tx, { projectId: project.id, actor: OPERATOR, action: "project.reset" });
      throw new Error("rolled back");
    }).catch(() => {});

    expect((await lines()).map(({ action }) => action)).toEqual(["project.created"]);
  });

  test("is for admins and owners; a member and an outsider are refused", async () => {
    const [admin, member, outsider] = [await signUp(service), await signUp(service), await signUp(service)];
    await join(service, admin, project.id, "ADMIN");
    await join(service, member, project.id, "MEMBER");
    const statuses = [];
    for (const person of [owner, admin, member, outsider])
      statuses.push((await bySession("/audit", person)).status);

    expect(statuses).toEqual([200, 200, 403, 403]);
  });

  test("nobody changes or takes away what stands in it, not even with SQL", async () => {
    await owner.request("PATCH", `/users/@me/projects/${project.id}`, { name: "Store" });
    const before = await lines();
    const { id } = project;
    const sql = service.pool;
    const attempts = [
      () => sql`update audit set action = 'x.y' where project_id = ${id}`,
      () => sql`update audit set project_id = ${id}`,
      () => sql`delete from audit where project_id = ${id}`,
      () => sql`delete from audit`,
      () => sql`truncate audit`,
      () => sql`truncate projects cascade`,
      () => sql`with gone as (delete from audit where project_id = ${id}) select 1`,
    ];
    for (const attempt of attempts) {
      await expect((async () => await attempt())()).rejects.toThrow("only appended to");
    }

    expect(await lines()).toEqual(before);
  });

  test("says of somebody whether their address is verified: else it proves nothing", async () => {
    const person = await signUp(service);
    const { id } = (await person.request("POST", "/users/@me/projects", { name: "Mine" })).body;
    const before = (await person.request("GET", `/projects/${id}/audit`)).body.data;
    await service.pool`update users set email_verified_at = now() where id = ${person.userId}`;
    await person.request("PATCH", `/users/@me/projects/${id}`, { language: "de" });
    const after = (await person.request("GET", `/projects/${id}/audit`)).body.data;

    expect([before[0].details, after[0].details]).toEqual([
      { verified: false },
      { language: { from: "en", to: "de" }, verified: true },
    ]);
  });

  test("nobody takes lines away by deleting a project and bringing it back", async () => {
    await requestDeletion(service, project.id, OPERATOR);
    const sql = service.pool;
    const attempts = [
      () => sql`update projects set deleted_at = null where id = ${project.id}`,
      () => sql`update projects set deleted_at = now() + interval '1 day' where id = ${project.id}`,
    ];
    for (const attempt of attempts)
      await expect((async () => await attempt())()).rejects.toThrow("does not come back");
  });

  test("it goes with its project, and with no other one", async () => {
    const other = (await owner.request("POST", "/users/@me/projects", { name: "Other" })).body.id;
    await service.pool`delete from projects where id = ${project.id}`;
    const left = await service.pool<{ projectId: string }[]>`
      select distinct project_id from audit where project_id in (${project.id}, ${other})`;

    expect(left.map(({ projectId }) => projectId)).toEqual([other]);
  });
});

function workflowsFor(mine: { secret: string }) {
  const call = (method: string, path: string, body: object) =>
    service.request(method, path, { key: mine.secret, body });
  const createWorkflow = async () => {
    const { body } = await call("POST", "/workflows", { name: "W", eventName: "signup" });
    await call("POST", `/workflows/${body.id}/steps`, { type: "EXIT", name: "End" });
    const { status } = await call("PATCH", `/workflows/${body.id}`, { enabled: true });
    expect(status).toBe(200);
  };
  return { createWorkflow };
}
