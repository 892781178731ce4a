import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { requestDeletion, requestReset } from "../../src/accounts/projects/removal.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { q } from "../../src/db/queries.ts";
import { KEPT } from "../../src/removal/_steps.ts";
import { deleteProject, resetProject } from "../../src/removal/mod.ts";
import { tasks } from "../../tasks/mod.ts";
import { join, signUp } from "../support/accounts.ts";
import { campaignsOf } from "../support/campaign.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { countsOf, fillProject, rowsOf } from "../support/whole_project.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const campaigns = campaignsOf(service, () => project);
const workflows = workflowsOf(service, () => project);

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
  service.lines.length = 0;
});

afterEach(async () => {
  service.smtp.behave({});
  service.setNow(new Date());
  await service.dropJobs();
});

const call = (method: string, path: string, body?: unknown) =>
  service.request(method, path, { key: project.secret, ...(body !== undefined && { body }) });

const send = (to: string) =>
  call("POST", "/v1/send", { to, from: `hello@${DOMAIN}`, subject: "Hi", body: "<p>Hi</p>" });

/** The job of the reset is not due for so long. */
const postpone = (ms: number) =>
  service.changeJobs(
    { runAt: new Date(Date.now() + ms) },
    ({ key }) => key?.startsWith("reset_project:") === true,
  );
const reset = () => requestReset(service, project.id, OPERATOR);
const failedJobs = () => service.lines.filter((line) => line.message === "job failed");
const recipients = () => service.smtp.received.flatMap(({ to }) => to).toSorted();

/** What counters say, and what there is. */
async function counters() {
  const { pool } = service;
  const fields = await pool`
    select field, type, sum(contacts)::int as contacts
    from (
      select field, type, contacts from contact_counts where project_id = ${project.id}
      union all select field, type, contacts from contact_count_deltas where project_id = ${project.id}
    ) as counted group by 1, 2 having sum(contacts) <> 0 order by 1, 2`;
  const counted = await pool`
    select '' as field, case when subscribed then 'subscribed' else 'unsubscribed' end as type, count(*)::int as contacts
    from contacts where project_id = ${project.id} group by 2
    union all
    select f.key, contact_field_type(f.value), count(*)::int
    from contacts c, jsonb_each(c.data) f where c.project_id = ${project.id} and f.value <> 'null' group by 1, 2
    order by 1, 2`;
  const segments = await pool`
    select s.name, s.member_count, (
      select count(*)::int from segment_members m where m.project_id = s.project_id and m.segment_id = s.id
    ) as members
    from segments s where s.project_id = ${project.id} and s.type = 'STATIC'`;
  return { fields: [...fields], counted: [...counted], segments: [...segments] };
}

describe("the reset of a project", () => {
  test("leaves nothing of what it held, all that it is, and every row of another project as it was", async () => {
    const other = await service.createProject();
    await fillProject(service.pool, project.id);
    await fillProject(service.pool, other.id);
    await service.pool`delete from resets`;
    const own = await rowsOf(service.pool, project.id);
    const others = await rowsOf(service.pool, other.id);
    await reset();
    await resetProject(service, { projectId: project.id });
    const after = await rowsOf(service.pool, project.id);
    const counts = /_deltas$|_counts$/;
    const kept = [...KEPT, "projects", "send_rates"].filter(
      (table) => !counts.test(table) && table !== "audit",
    );

    for (const table of kept) expect([table, after[table]]).toEqual([table, own[table]!]);
    const wiped = Object.keys(after).filter((table) => !kept.includes(table) && !counts.test(table));
    expect(Object.fromEntries(wiped.map((table) => [table, after[table]!.length]))).toEqual(
      Object.fromEntries(wiped.map((table) => [table, table === "audit" ? own.audit!.length + 1 : 0])),
    );
    expect(await counters()).toEqual({ fields: [], counted: [], segments: [] });
    expect(await rowsOf(service.pool, other.id)).toEqual(others);
  });

  test("comes to its end by its job, and stands in the audit with who asked for it", async () => {
    const owner = await signUp(service);
    await join(service, owner, project.id, "OWNER");
    await fillProject(service.pool, project.id);
    await service.pool`delete from resets`;
    const asked = await owner.request("POST", `/users/@me/projects/${project.id}/reset`);
    await service.runJobs();
    const { body } = await owner.request("GET", `/projects/${project.id}/audit`);

    expect([asked.status, asked.body]).toEqual([200, { success: true }]);
    expect(await countsOf(service.pool, project.id)).not.toHaveProperty("contacts");
    expect(await service.pool`select from resets`).toHaveLength(0);
    expect(body.data[0]).toMatchObject({
      action: "project.reset",
      actor: { kind: "USER", name: owner.email },
    });
    expect(failedJobs()).toEqual([]);
    expect((await call("GET", "/contacts")).body.total).toBe(0);
  });

  test("of an empty project leaves it as it is", async () => {
    const { audit: lines = 0, ...before } = await countsOf(service.pool, project.id);
    await reset();
    await service.runJobs();
    const { audit = 0, ...after } = await countsOf(service.pool, project.id);

    expect([audit, after]).toEqual([lines + 1, before]);
  });

  test("asked for twice at once is done once more, and both come to their end", async () => {
    await fillProject(service.pool, project.id);
    await Promise.all([reset(), reset()]);
    await Promise.all([
      resetProject(service, { projectId: project.id }),
      resetProject(service, { projectId: project.id }),
    ]);
    await service.runJobs();

    expect(await countsOf(service.pool, project.id)).not.toHaveProperty("contacts");
    expect(await service.pool`select from resets where project_id = ${project.id}`).toHaveLength(0);
  });

  test("asked for once more while it is under way goes further", async () => {
    await fillProject(service.pool, project.id);
    await reset();
    // Some tables are empty by now.
    await resetProject(service, { projectId: project.id }, { sliceMs: 30 });
    await fillProject(service.pool, project.id);
    const between = await countsOf(service.pool, project.id);
    await reset();
    await service.runJobs();
    const after = await countsOf(service.pool, project.id);

    expect(between.executions).toBeGreaterThan(0);
    for (const table of ["contacts", "executions", "emails", "events", "campaigns", "suppressions", "resets"])
      expect([table, after[table]]).toEqual([table, undefined]);
  });

  test("gives way to a deletion", async () => {
    await fillProject(service.pool, project.id);
    await reset();
    await resetProject(service, { projectId: project.id }, { sliceMs: -1 });
    await requestDeletion(service, project.id, OPERATOR);
    await resetProject(service, { projectId: project.id });
    const left = await countsOf(service.pool, project.id);
    await Promise.all([
      deleteProject(service, { projectId: project.id }, { graceMs: 0, sliceMs: 600_000 }),
      resetProject(service, { projectId: project.id }),
    ]);

    expect(left).toHaveProperty("contacts");
    expect(await countsOf(service.pool, project.id)).toEqual({});
  });
});

describe("what is made after a reset was asked for stays", () => {
  test("contacts too that were there before, as new ones", async () => {
    await call("POST", "/contacts", { email: "a@example.com", data: { plan: "pro" } });
    await call("POST", "/contacts", { email: "b@example.com", subscribed: false });
    await fillProject(service.pool, project.id);
    await reset();
    const { status, body } = await call("POST", "/contacts", {
      email: "a@example.com",
      data: { city: "Oslo" },
    });
    const track = { email: "b@example.com", event: "signup" };
    await service.request("POST", "/v1/track", { key: project.public, body: track });
    await send("c@example.com");
    await service.runJobs();
    const rows = await service.pool`
      select id, email, data, subscribed from contacts where project_id = ${project.id} order by email`;
    const names = await service.pool`select name from events where project_id = ${project.id} order by name`;
    const { fields, counted } = await counters();

    expect([status, body.data]).toEqual([201, { city: "Oslo" }]);
    expect(rows.map(({ email, data, subscribed }) => [email, data, subscribed])).toEqual([
      ["a@example.com", { city: "Oslo" }, true],
      ["b@example.com", {}, true],
      ["c@example.com", {}, false],
    ]);
    expect(rows[0]!.id).toBe(body.id);
    expect(names.map(({ name }) => name)).toEqual(["email.sent", "signup"]);
    expect(recipients()).toEqual(["c@example.com"]);
    expect(fields).toEqual(counted);
  });

  test("an import of the same people, with the counters of all", async () => {
    await campaigns.addContacts(300, "p");
    await reset();
    const csv = `email,city\n${Array.from({ length: 300 }, (_, n) => `p${n + 1}@example.com,Oslo`).join("\n")}`;
    const form = new FormData();
    form.set("file", new File([csv], "people.csv", { type: "text/csv" }));
    const response = await service.app.handle(
      new Request("http://localhost/contacts/import", {
        method: "POST",
        headers: { authorization: `Bearer ${project.secret}` },
        body: form,
      }),
    );
    const { jobId } = (await response.json()) as { jobId: string };
    await service.runJobs();
    const { body } = await call("GET", `/contacts/import/${jobId}`);
    const people = await service.pool`select data from contacts where project_id = ${project.id}`;
    const { fields, counted } = await counters();

    expect(body).toMatchObject({ state: "completed", result: { successCount: 300, createdCount: 300 } });
    expect(people).toHaveLength(300);
    expect(people.every(({ data }) => Object.keys(data).join() === "city")).toBe(true);
    expect(fields).toEqual(counted);
    expect(failedJobs()).toEqual([]);
  });

  test("a campaign, which reaches those only who came after", async () => {
    await campaigns.addContacts(40);
    await reset();
    const later = await campaigns.addContacts(5);
    const id = await campaigns.create();
    await campaigns.send(id);
    await service.runJobs();
    await service.runJobs();

    expect(recipients()).toEqual(later.toSorted());
    expect(await campaigns.get(id)).toMatchObject({ status: "SENT", totalRecipients: 5, sentCount: 5 });
  });

  test("a workflow, which runs for those only who came after", async () => {
    await campaigns.addContacts(10);
    await reset();
    const { id } = await workflows.build({
      steps: { One: { type: "SEND_EMAIL", template: await workflows.template({ subject: "One" }) } },
      ways: ["Trigger > One"],
    });
    await workflows.track("new@example.com");
    await service.runJobs();

    expect(await workflows.states(id)).toEqual(["COMPLETED"]);
    expect(recipients()).toEqual(["new@example.com"]);
    expect(failedJobs()).toEqual([]);
  });

  test("segments with the same names, and their counts", async () => {
    const condition = {
      logic: "AND",
      groups: [{ filters: [{ field: "subscribed", operator: "equals", value: true }] }],
    };
    const [old] = await campaigns.addContacts(20);
    await call("POST", "/segments", { name: "VIP", type: "STATIC" });
    await reset();
    const list = (await call("POST", "/segments", { name: "VIP", type: "STATIC" })).body;
    const all = (await call("POST", "/segments", { name: "All", type: "DYNAMIC", condition })).body;
    // Somebody of before is still there, and then is not.
    await call("POST", `/segments/${list.id}/members`, {
      emails: [old, "new@example.com"],
      createMissing: true,
    });
    await service.runJobs();
    const { body } = await call("GET", "/segments");

    expect([list.slug, all.memberCount]).toEqual(["vip", 20]);
    expect(
      body.map(({ name, slug, memberCount }: Record<string, unknown>) => [name, slug, memberCount]),
    ).toEqual([
      ["All", "all", 1],
      ["VIP", "vip", 1],
    ]);
  });

  test("addresses that get no mail, also one that was on the list before", async () => {
    await call("POST", "/suppressions", { email: "a@example.com" });
    await call("POST", "/suppressions", { email: "b@example.com" });
    await reset();
    const again = await call("POST", "/suppressions", { email: "a@example.com" });
    await service.runJobs();
    const { body } = await call("GET", "/suppressions");

    expect(again.status).toBe(201);
    expect(body.data.map(({ email }: { email: string }) => email)).toEqual(["a@example.com"]);
  });

  test("what a later thing refers to: a template of its step, a segment of its campaign", async () => {
    const templateId = await workflows.template({ subject: "Kept" });
    await workflows.template({ subject: "Gone" });
    const segment = (await call("POST", "/segments", { name: "Kept", type: "STATIC" })).body;
    await call("POST", "/segments", { name: "Gone", type: "STATIC" });
    await reset();
    const { id } = await workflows.build({
      steps: { One: { type: "SEND_EMAIL", template: templateId } },
      ways: ["Trigger > One"],
    });
    await campaigns.create({ audienceType: "SEGMENT", segmentId: segment.id });
    await service.runJobs();
    await workflows.track("new@example.com");
    await service.runJobs();
    const [templates, segments] = [await call("GET", "/templates"), await call("GET", "/segments")];

    expect(templates.body.data.map(({ subject }: { subject: string }) => subject)).toEqual(["Kept"]);
    expect(segments.body.map(({ name }: { name: string }) => name)).toEqual(["Kept"]);
    expect(await workflows.states(id)).toEqual(["COMPLETED"]);
    expect(workflows.subjects()).toEqual(["Kept"]);
  });

  test("an idempotency key that was used before is free", async () => {
    const track = () =>
      service.request("POST", "/v1/track", {
        key: project.public,
        body: { email: "a@example.com", event: "e" },
        headers: { "idempotency-key": "k1" },
      });
    await track();
    await reset();
    await service.runJobs();
    const freed = await track();
    const used = await track();

    expect([freed.status, used.status]).toEqual([200, 409]);
  });
});

describe("nothing of before a reset goes out", () => {
  test("neither mails that wait, nor what a running or a scheduled campaign has not sent", async () => {
    await campaigns.addContacts(30);
    await send("a@example.com");
    const running = await campaigns.create();
    await campaigns.send(running);
    // Its audience is in the ledger, and its batches are in the queue.
    await tasks.snapshot_audience(service, { projectId: project.id, campaignId: running });
    const scheduled = await campaigns.create();
    await campaigns.send(scheduled, new Date(service.now().getTime() + 3_600_000).toISOString());
    await reset();
    // The mails before the rest, as another process may.
    await postpone(1_000);
    await service.runJobs();
    const during = await service.pool`select status from emails where project_id = ${project.id}`;
    service.setNow(new Date(service.now().getTime() + 7_200_000));
    await tasks.sweep_campaigns(service, {});
    await tasks.sweep_emails(service, {});
    await service.runJobs();

    expect(during.map(({ status }) => status)).toEqual(Array(31).fill("PENDING"));
    expect(service.smtp.received).toHaveLength(0);
    expect(await countsOf(service.pool, project.id)).not.toHaveProperty("emails");
    expect(failedJobs()).toEqual([]);
  });

  test("nor what workflows would send, that run, wait, or start at a time", async () => {
    const templateId = await workflows.template({ subject: "One" });
    const { id } = await workflows.build({
      steps: {
        Day: { type: "DELAY", amount: 1, unit: "days" },
        One: { type: "SEND_EMAIL", template: templateId },
      },
      ways: ["Trigger > Day", "Day > One"],
    });
    const timed = await workflows.build({
      steps: { One: { type: "SEND_EMAIL", template: templateId } },
      ways: ["Trigger > One"],
    });
    await call("PATCH", `/workflows/${timed.id}`, {
      triggerType: "SCHEDULE",
      triggerConfig: { schedule: "0 * * * *" },
      enabled: true,
    });
    await workflows.track("waiting@example.com");
    await service.runJobs();
    await workflows.track("early@example.com");
    await reset();
    await postpone(3_600_000);
    const later = new Date(service.now().getTime() + 2 * 86_400_000);
    service.setNow(later);
    await tasks.start_scheduled_workflows(service, {});
    await tasks.sweep_executions(service, {});
    await postpone(9 * 86_400_000);
    await service.runJobs();
    const during = await countsOf(service.pool, project.id);
    await resetProject(service, { projectId: project.id });

    expect(id).toBeString();
    expect(during.executions).toBeGreaterThan(0);
    expect(service.smtp.received).toHaveLength(0);
    expect(await countsOf(service.pool, project.id)).not.toHaveProperty("executions");
    expect(failedJobs()).toEqual([]);
  });

  test("nor what a workflow begins at this moment: whoever starts one is waited for", async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let begun = () => {};
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const starting = service.pool.begin(async (sql) => {
      await q.executionRun.begin({ sql }, { projectIds: [project.id] });
      begun();
      await held;
      await fillProject(sql, project.id);
    });
    await hasBegun;
    let isAnswered = false;
    const asked = reset().then(() => (isAnswered = true));
    await Bun.sleep(200);
    const wasAnswered = isAnswered;
    letGo();
    await Promise.all([starting, asked]);
    await resetProject(service, { projectId: project.id });
    const left = await countsOf(service.pool, project.id);

    expect(wasAnswered).toBe(false);
    for (const table of ["executions", "emails", "workflows", "contacts"])
      expect([table, left[table]]).toEqual([table, undefined]);
  });

  test("but what is being handed over at this moment ends, and leaves nothing behind", async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    service.smtp.behave({ holdData: () => held });
    await send("a@example.com");
    const running = service.runJobs();
    while (
      (await service.pool`select from emails where project_id = ${project.id} and status = 'SENDING'`)
        .length < 1
    )
      await Bun.sleep(10);
    await reset();
    letGo();
    await running;
    await service.runJobs();

    expect(recipients()).toEqual(["a@example.com"]);
    expect(failedJobs()).toEqual([]);
    for (const table of ["emails", "events", "contacts", "contents", "resets"])
      expect(await countsOf(service.pool, project.id)).not.toHaveProperty(table);
  });
});

describe("work on contacts that is under way", () => {
  test("ends with a reset: an import adds nobody after it, a bulk job touches nobody new", async () => {
    await fillProject(service.pool, project.id);
    await service.pool`delete from resets`;
    const jobs = await service.pool`
      select id from contact_imports where project_id = ${project.id}
      union all select id from bulk_jobs where project_id = ${project.id}`;
    await reset();
    const states = await service.pool`
      select state, failed_reason from contact_imports where project_id = ${project.id}
      union all select state, failed_reason from bulk_jobs where project_id = ${project.id}`;
    await call("POST", "/contacts", { email: "new@example.com" });
    await tasks.import_contacts(service, { projectId: project.id, importId: jobs[0]!.id });
    await tasks.run_bulk_job(service, { projectId: project.id, jobId: jobs[1]!.id });
    await service.runJobs();
    const people = await service.pool`select email from contacts where project_id = ${project.id}`;

    expect(states.map(({ state, failedReason }) => [state, failedReason])).toEqual([
      ["failed", "The project was reset"],
      ["failed", "The project was reset"],
    ]);
    expect(people.map(({ email }) => email)).toEqual(["new@example.com"]);
  });
});
