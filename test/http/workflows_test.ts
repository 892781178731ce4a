import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Db } from "../../src/db/types.ts";
import { useService } from "../support/service.ts";
import { workflowRequests } from "./workflow_requests.ts";

const service = useService();
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
});

const { call, create, get, patch, createWhole, add, connect, triggerOf, segment, memberOf, fields } =
  workflowRequests(service, () => project);

/** An execution as the engine keeps it, of a contact of its own. */
async function execution(workflowId: string, status: string, sql: Db = service.pool): Promise<string> {
  const email = `${Bun.randomUUIDv7()}@example.com`;
  const contactId = (await call("POST", "/contacts", { email })).body.id;
  const [version] = await sql`
    insert into workflow_versions (project_id, workflow_id, graph)
    values (${project.id}, ${workflowId}, '{"steps": [], "transitions": []}') returning id`;
  const [row] = await sql`
    insert into executions (project_id, workflow_id, version_id, contact_id, status, is_only)
    values (${project.id}, ${workflowId}, ${version!.id}, ${contactId}, ${status}, true) returning id`;
  return row!.id as string;
}

describe("POST /workflows", () => {
  test("makes a workflow that starts at an event, disabled, with its trigger", async () => {
    const { status, body } = await call("POST", "/workflows", {
      name: " Welcome ",
      eventName: " signup ",
      description: "for new ones",
      enabled: true,
      triggerType: "MANUAL",
    });

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: "Welcome",
      description: "for new ones",
      enabled: false,
      triggerType: "EVENT",
      triggerConfig: { eventName: "signup" },
      allowReentry: false,
      projectId: project.id,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await get(body.id)).toEqual({
      ...body,
      steps: [
        {
          id: expect.any(String),
          workflowId: body.id,
          type: "TRIGGER",
          name: "Trigger",
          position: { x: 0, y: 0 },
          config: {},
          templateId: null,
          template: null,
          outgoingTransitions: [],
          incomingTransitions: [],
        },
      ],
    });
  });

  test.each(["contact.subscribed", "segment.pro.entry", "email.open"])(
    "may start at %s",
    async (eventName) => {
      expect((await create({ eventName })).triggerConfig).toEqual({ eventName });
    },
  );

  test("lists every field that is wrong", async () => {
    const { status, body } = await call("POST", "/workflows", { name: " ", allowReentry: "no" });

    expect(status).toBe(422);
    expect(fields(body).sort()).toEqual(["allowReentry", "eventName", "name"]);
  });
});

describe("GET /workflows", () => {
  test("lists a page with how many steps and executions each has, and how many of these are under way", async () => {
    const first = await create({ name: "First" });
    await create({ name: "Second", description: "a later one" });
    await add(first.id, "EXIT");
    await execution(first.id, "COMPLETED");
    await execution(first.id, "WAITING");
    const { status, body } = await call("GET", "/workflows?sort=name&dir=asc");

    expect(status).toBe(200);
    expect(body).toMatchObject({ page: 1, pageSize: 20, total: 2, totalPages: 1 });
    expect(body.data).toEqual([
      { ...(await listed(first.id)), _count: { steps: 2, executions: 2, active: 1 } },
      expect.objectContaining({ name: "Second", _count: { steps: 1, executions: 0, active: 0 } }),
    ]);
  });

  test.each([
    ["?search=LATER", ["B"]],
    ["?search=%25", []],
    ["?status=active", ["A"]],
    ["?status=disabled", ["C", "B"]],
    ["?pageSize=1&page=2", ["B"]],
    ["?sort=name&dir=desc", ["C", "B", "A"]],
    ["?sort=updatedAt&dir=desc", ["A", "C", "B"]],
    ["?sort=nonsense", ["C", "B", "A"]],
  ])("%s", async (query, expected) => {
    const { id } = await createWhole({ name: "A" });
    await create({ name: "B", description: "a later one" });
    await create({ name: "C" });
    await patch(id, { enabled: true });
    const { body } = await call("GET", `/workflows${query}`);

    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(expected);
  });

  test("refuses a status that there is none of", async () => {
    expect((await call("GET", "/workflows?status=on")).status).toBe(400);
  });

  test("says what a page is that is none", async () => {
    const { status, body } = await call("GET", "/workflows?page=abc");

    expect([status, body.error.errors[0].message]).toEqual([400, "Expected a whole number"]);
  });

  const listed = async (id: string) => {
    const { steps: _steps, ...workflow } = await get(id);
    return workflow;
  };
});

describe("PATCH /workflows/:id", () => {
  test("changes what is given, and nothing else", async () => {
    const { id, ...before } = await create({ description: "old" });
    const first = await patch(id, { name: "Hello", allowReentry: true });
    const second = await patch(id, { description: null });

    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      name: "Hello",
      allowReentry: true,
      description: "old",
      enabled: false,
    });
    expect(second.body).toMatchObject({
      name: "Hello",
      description: null,
      triggerConfig: before.triggerConfig,
    });
    expect(second.body.updatedAt > before.updatedAt).toBe(true);
  });

  test("changes the trigger, and keeps what belongs to it", async () => {
    const { id } = await create();
    const { id: segmentId } = await segment();
    const config = { schedule: "0 9 * * 1", segmentId, timezone: "Europe/Oslo", eventName: "signup" };
    const scheduled = await patch(id, { triggerType: "SCHEDULE", triggerConfig: config });
    const manual = await patch(id, { triggerType: "MANUAL" });
    const event = await patch(id, { triggerType: "EVENT", triggerConfig: { eventName: "email.open" } });

    const { eventName: _eventName, ...kept } = config;
    expect(scheduled.body).toMatchObject({ triggerType: "SCHEDULE", triggerConfig: kept });
    expect(manual.body).toMatchObject({ triggerType: "MANUAL", triggerConfig: null });
    expect(event.body).toMatchObject({ triggerType: "EVENT", triggerConfig: { eventName: "email.open" } });
  });

  test("refuses a trigger with a fault, by its field", async () => {
    const { id } = await create();
    const config = { schedule: "at nine", timezone: "Mars/Crater", segmentId: "x" };
    const { status, body } = await patch(id, { triggerType: "SCHEDULE", triggerConfig: config });

    expect(status).toBe(422);
    expect(fields(body)).toEqual([
      "triggerConfig.schedule",
      "triggerConfig.timezone",
      "triggerConfig.segmentId",
    ]);
    expect((await get(id)).triggerType).toBe("EVENT");
  });

  test("refuses a segment that the project has not", async () => {
    const { id } = await create();
    const triggerConfig = { schedule: "@daily", segmentId: crypto.randomUUID() };
    const { status, body } = await patch(id, { triggerType: "SCHEDULE", triggerConfig });

    expect([status, body.error.code]).toEqual([404, "SEGMENT_NOT_FOUND"]);
  });

  test.each([
    ["EVENT", "triggerConfig.eventName"],
    ["SCHEDULE", "triggerConfig.schedule"],
  ])("does not enable an %s workflow without its %s", async (triggerType, field) => {
    const { id } = await createWhole();
    await patch(id, { triggerType: "MANUAL" });
    await patch(id, { triggerType });
    const { status, body } = await patch(id, { enabled: true });

    expect([status, fields(body)]).toEqual([422, [field]]);
    expect((await get(id)).enabled).toBe(false);
  });

  test("does not take the trigger away from an enabled workflow", async () => {
    const { id } = await createWhole();
    await patch(id, { enabled: true });

    expect(fields((await patch(id, { triggerConfig: null })).body)).toEqual(["triggerConfig.eventName"]);
    expect(fields((await patch(id, { triggerType: "SCHEDULE" })).body)).toEqual(["triggerConfig.schedule"]);
    expect((await patch(id, { triggerConfig: null, enabled: false })).body.triggerConfig).toBeNull();
  });

  test("does not enable a workflow that asks about a segment which is gone, and names the step", async () => {
    const { id } = await createWhole();
    const pro = await segment();
    const step = await add(id, "CONDITION", "Pro?", { config: memberOf(pro.id) });
    expect((await call("DELETE", `/segments/${pro.id}`)).status).toBe(204);
    const { status, body } = await patch(id, { enabled: true });

    expect([status, fields(body)]).toEqual([422, [`steps.${step}.config.field`]]);
    expect(body.error.errors[0].message).toContain("Pro?");
  });

  test("counts from now when a schedule is enabled, and not when it is saved again", async () => {
    const { id } = await createWhole();
    const nextRun = async () => {
      const [row] = await service.pool`select next_run_at from workflows where id = ${id}`;
      return row!.nextRunAt as Date | null;
    };
    const trigger = { triggerType: "SCHEDULE", triggerConfig: { schedule: "30 9 * * *" } };
    await patch(id, trigger);
    expect(await nextRun()).toBeNull();

    const before = new Date();
    await patch(id, { enabled: true });
    const due = await nextRun();
    expect(due!.toISOString()).toContain("T09:30:00.000Z");
    expect(due!.getTime() - before.getTime()).toBeLessThanOrEqual(86_400_000);

    await service.pool`update workflows set next_run_at = '2020-01-01' where id = ${id}`;
    await patch(id, { ...trigger, enabled: true, name: "Again" });
    expect(await nextRun()).toEqual(new Date("2020-01-01"));

    await patch(id, { triggerConfig: { schedule: "45 9 * * *" } });
    expect((await nextRun())!.toISOString()).toContain("T09:45:00.000Z");
    await patch(id, { enabled: false });
    expect(await nextRun()).toBeNull();
  });
});

describe("DELETE /workflows/:id", () => {
  test("deletes a workflow with everything of it", async () => {
    const { id } = await create();
    await connect(id, await triggerOf(id), await add(id, "DELAY"));
    await execution(id, "COMPLETED");

    expect((await call("DELETE", `/workflows/${id}`)).status).toBe(204);
    expect((await call("GET", `/workflows/${id}`)).status).toBe(404);
    const [left] = await service.pool`
      select
        (select count(*) from workflow_steps where workflow_id = ${id})
        + (select count(*) from workflow_transitions where workflow_id = ${id})
        + (select count(*) from workflow_versions where workflow_id = ${id})
        + (select count(*) from executions where workflow_id = ${id}) as rows`;
    expect(Number(left!.rows)).toBe(0);
  });

  test.each(["RUNNING", "WAITING"])("refuses while an execution is %s, and says how many", async (status) => {
    const { id } = await create();
    const executionId = await execution(id, status);
    const refused = await call("DELETE", `/workflows/${id}`);

    expect([refused.status, refused.body.error.code]).toEqual([409, "CONFLICT"]);
    expect(refused.body.error.details).toEqual({ activeExecutions: 1 });

    await service.pool`update executions set status = 'CANCELLED' where id = ${executionId}`;
    expect((await call("DELETE", `/workflows/${id}`)).status).toBe(204);
  });
});
