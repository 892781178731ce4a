// The demo, as the command makes it: its counters agree with its facts, and every list of the API has something to show.
import { beforeAll, describe, expect, test } from "bun:test";
import { createProject } from "../src/accounts/projects/mod.ts";
import { createDemo } from "../src/demo/mod.ts";
import { eventCountFaults } from "../src/insight/counts/events.ts";
import { executionCountFaults } from "../src/insight/counts/executions.ts";
import { mailCountFaults } from "../src/insight/counts/mails.ts";
import { demo } from "../src/admin/demo.ts";
import { useService } from "./support/service.ts";

const service = useService({ SMTP_URL: "" });
const CONTACTS = 600;
let key = "";
let projectId = "";

beforeAll(async () => {
  const made = await demo(service, { contacts: String(CONTACTS) });
  key = made.project!.secret;
  projectId = made.projectId;
});

const get = async (path: string) => {
  const { status, body } = await service.request("GET", path, { key });
  expect([path, status, body.error]).toEqual([path, 200, undefined]);
  return body;
};

const valuesOf = async (rows: PromiseLike<readonly { value?: string }[]>) =>
  (await rows).map(({ value }) => value!).sort();

/** Without what counts back from the moment at which it was made. */
const told = ({ email, subscribed }: { email: string; subscribed: boolean }) => ({ email, subscribed });

const audience = async (id: string) =>
  await service.pool<{ email: string; subscribed: boolean }[]>`
    select email, subscribed from contacts where project_id = ${id} order by email`;

describe("the demo", () => {
  test("has counters that agree with its facts", async () => {
    const limit = 5;
    expect(await mailCountFaults(service, projectId, { limit })).toEqual([]);
    expect(await eventCountFaults(service, projectId, { limit })).toEqual([]);
    expect(await executionCountFaults(service, projectId, { limit })).toEqual([]);
    const [counted] = await service.pool`
      select
        (select sum(contacts)::int from contact_count_deltas where project_id = ${projectId} and field = '') as contacts,
        (
          select count(*)::int from campaigns c where c.project_id = ${projectId} and c.status = 'SENT' and (
            select (count(*), count(e.sent_at), count(e.delivered_at), count(e.opened_at), count(e.clicked_at), count(e.bounced_at))
            from emails e where e.project_id = c.project_id and e.campaign_id = c.id
          ) is distinct from (
            c.total_recipients::bigint, c.sent_count::bigint, c.delivered_count::bigint, c.opened_count::bigint,
            c.clicked_count::bigint, c.bounced_count::bigint
          )
        ) as wrong`;
    expect(counted).toMatchObject({ contacts: CONTACTS, wrong: 0 });
  });

  test("has mails, executions, steps and campaigns in every state that lasts", async () => {
    const { pool } = service;
    const ofEmails = pool`select distinct status::text as value from emails where project_id = ${projectId}`;
    // SENDING belongs to a process that is alive.
    const lasting = pool`
      select s::text as value from unnest(enum_range(null::email_status)) as s where s::text not in ('SENDING', 'IN_DOUBT')`;
    expect((await valuesOf(ofEmails)).filter((status) => status !== "IN_DOUBT")).toEqual(
      await valuesOf(lasting),
    );
    const ofExecutions = pool`select distinct status::text as value from executions where project_id = ${projectId}`;
    expect(await valuesOf(ofExecutions)).toEqual(
      await valuesOf(pool`select s::text as value from unnest(enum_range(null::execution_status)) as s`),
    );
    const ofCampaigns = pool`select distinct status::text as value from campaigns where project_id = ${projectId}`;
    expect(await valuesOf(ofCampaigns)).toEqual(["DRAFT", "SCHEDULED", "SENT"]);
    const ofSuppressions = pool`select distinct reason::text as value from suppressions where project_id = ${projectId}`;
    expect(await valuesOf(ofSuppressions)).toContain("BOUNCE");
  });

  test("has nothing that has happened in the future", async () => {
    const { now } = await service.pool`select clock_timestamp() as now`.then(([row]) => row as { now: Date });
    const past: Record<string, string[]> = {
      contacts: ["created_at", "updated_at", "opted_out_at"],
      events: ["created_at"],
      emails: ["queued_at", "tried_at", "captured_at", "sent_at", "delivered_at", "opened_at", "clicked_at"],
      executions: ["started_at", "completed_at"],
      step_executions: ["started_at", "completed_at"],
      campaigns: ["created_at", "updated_at", "sent_at", "finished_at"],
      segment_members: ["entered_at"],
      suppressions: ["created_at"],
      audit: ["at"],
    };
    for (const [table, columns] of Object.entries(past)) {
      for (const column of columns) {
        const [{ n }] = (await service.pool`
          select count(*)::int as n from ${service.pool(table)}
          where project_id = ${projectId} and ${service.pool(column)} > ${now}`) as [{ n: number }];
        expect([table, column, n]).toEqual([table, column, 0]);
      }
    }
    const { data } = await get("/activity?limit=100");
    expect(data.filter(({ timestamp }: { timestamp: string }) => new Date(timestamp) > now)).toEqual([]);
  });

  test("has something for every list of the API", async () => {
    for (const path of [
      "/contacts",
      "/contacts/fields",
      "/segments",
      "/templates",
      "/campaigns",
      "/workflows",
      "/emails",
      "/events",
      "/activity",
      "/suppressions",
      "/uploads",
    ]) {
      const text = JSON.stringify(await get(path));
      expect([path, text.length > 300]).toEqual([path, true]);
    }
    expect((await get("/contacts?limit=1")).total).toBe(CONTACTS);
    const { data: campaigns } = await get("/campaigns?pageSize=50");
    const sent = campaigns.filter((campaign: { status: string }) => campaign.status === "SENT");
    expect(sent).toHaveLength(10);
    for (const { id, deliveredCount, openedCount, clickedCount } of sent) {
      expect(deliveredCount).toBeGreaterThan(openedCount);
      expect(openedCount).toBeGreaterThanOrEqual(clickedCount);
      await get(`/campaigns/${id}/stats`);
    }
  });

  test("sends nothing, and has nothing that is due", async () => {
    await service.runJobs();
    expect(service.smtp.received).toHaveLength(0);
    const [late] = await service.pool`
      select count(*)::int as n from emails
      where project_id = ${projectId} and status in ('PENDING', 'SENDING') and due_at < now() + interval '1 day'`;
    expect(late!.n).toBe(0);
  });

  test("is the same shop for the same seed", async () => {
    const { id } = await createProject(service, "Same");
    await createDemo(service, { projectId: id, contacts: CONTACTS, seed: 1 });
    const [first, second] = [await audience(projectId), await audience(id)];

    expect(second).toHaveLength(CONTACTS);
    expect(second.map(told)).toEqual(first.map(told));
  });
});

describe("the command", () => {
  test("refuses a second demo in the same project, and changes nothing", async () => {
    await expect(demo(service, { project: projectId, yes: true })).rejects.toThrow(
      "Cannot make the demo twice",
    );
    await expect(demo(service, {})).rejects.toThrow("name another one with --project");
    expect((await get("/contacts?limit=1")).total).toBe(CONTACTS);
  });

  test("refuses a project with contacts, whatever is said", async () => {
    const { id } = await createProject(service, "Mine");
    await service.pool`insert into contacts (project_id, email, subscribed) values (${id}, 'me@example.com', true)`;
    await expect(demo(service, { project: id, yes: true })).rejects.toThrow("it has contacts");
  });

  test.each([
    ["production", { NODE_ENV: "production" }, "in production without --yes"],
    ["a mail server", { SMTP_URL: "smtp://127.0.0.1:9" }, "where mail is really sent"],
  ])("refuses %s without --yes", async (_what, settings, reason) => {
    const config = { ...service.config, ...settings } as typeof service.config;
    await expect(demo({ ...service, config }, { contacts: "10" })).rejects.toThrow(reason);
  });

  test.each([
    [{ contacts: "0" }, "--contacts"],
    [{ contacts: "many" }, "--contacts"],
    [{ seed: "-1" }, "--seed"],
    [{ project: "5" }, "id"],
    [{ project: "01920000-0000-7000-8000-000000000000" }, "Cannot find this project"],
  ])("refuses %p", async (words, reason) => {
    await expect(demo(service, words)).rejects.toThrow(reason);
  });
});
