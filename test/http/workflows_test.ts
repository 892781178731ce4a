import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { deleteSegment } from "../../src/audience/segments/mod.ts";
import { deleteTemplate } from "../../src/content/templates.ts";
import type { Context } from "../../src/context.ts";
import type { Db } from "../../src/db/types.ts";
import { untilBlocked } from "../support/locks.ts";
import { useService } from "../support/service.ts";
import { withoutReferences } from "../support/openapi.ts";

const service = useService();
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
});

const call = (method: string, path: string, body?: unknown, key = project.secret) =>
  service.request(method, path, { key, body });
const create = async (input: object = {}) =>
  (await call("POST", "/workflows", { name: "Welcome", eventName: "signup", ...input })).body;
const get = async (id: string) => (await call("GET", `/workflows/${id}`)).body;
const patch = (id: string, body: object) => call("PATCH", `/workflows/${id}`, body);
/** With a step behind the trigger, so that it can be enabled. */
const createWhole = async (input: object = {}) => {
  const workflow = await create(input);
  await call("POST", `/workflows/${workflow.id}/steps`, { type: "EXIT", name: "End" });
  return workflow;
};

interface Step {
  id: string;
  name: string;
  outgoingTransitions: { id: string; toStepId: string; condition: { branch: string } | null }[];
}

const CONFIGS = {
  DELAY: { amount: 1, unit: "days" },
  WAIT_FOR_EVENT: { eventName: "paid", timeout: 60 },
  CONDITION: { field: "data.plan", operator: "equals", value: "pro" },
  WEBHOOK: { url: "https://example.com/" },
  UPDATE_CONTACT: { updates: { plan: "pro" } },
  EXIT: {},
};
type Kind = keyof typeof CONFIGS;

/** Adds a step that is not connected, named after its type or as it is said. */
const add = async (workflowId: string, type: Kind, name: string = type, more: object = {}) => {
  const body = { type, name, config: CONFIGS[type], autoConnect: false, ...more };
  return (await call("POST", `/workflows/${workflowId}/steps`, body)).body.id as string;
};
const connect = (workflowId: string, fromStepId: string, toStepId: string, branch?: string) =>
  call("POST", `/workflows/${workflowId}/transitions`, {
    fromStepId,
    toStepId,
    ...(branch && { condition: { branch } }),
  });
/** The transitions by the names of their ends, such as `Trigger > DELAY` or `CONDITION yes> EXIT`. */
const ways = async (workflowId: string) => {
  const { steps } = (await get(workflowId)) as { steps: Step[] };
  const nameOf = (id: string) => steps.find((step) => step.id === id)!.name;
  return steps
    .flatMap((step) =>
      step.outgoingTransitions.map(
        ({ toStepId, condition }) => `${step.name} ${condition?.branch ?? ""}> ${nameOf(toStepId)}`,
      ),
    )
    .sort();
};
const triggerOf = async (workflowId: string) => (await get(workflowId)).steps[0].id as string;
const makeTemplate = async (name = "Hello") => {
  const body = { name, subject: "Hi", body: "<p>Hi {{data.nick}}</p>", from: "a@shop.example" };
  return (await call("POST", "/templates", body)).body.id as string;
};
const segment = async (name = "Pro") => {
  const filter = { field: "data.plan", operator: "equals", value: "pro" };
  const condition = { logic: "AND", groups: [{ filters: [filter] }] };
  return (await call("POST", "/segments", { name, condition })).body as { id: string; slug: string };
};
const memberOf = (id: string) => ({ field: `segment.${id}`, operator: "memberOfSegment" });
const fields = (body: { error: { errors?: { field: string }[] } }) =>
  (body.error.errors ?? []).map(({ field }) => field);

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
  test("lists a page with how many steps and executions each has", async () => {
    const first = await create({ name: "First" });
    await create({ name: "Second", description: "a later one" });
    await add(first.id, "EXIT");
    await execution(first.id, "COMPLETED");
    const { status, body } = await call("GET", "/workflows?sort=name&dir=asc");

    expect(status).toBe(200);
    expect(body).toMatchObject({ page: 1, pageSize: 20, total: 2, totalPages: 1 });
    expect(body.data).toEqual([
      { ...(await listed(first.id)), _count: { steps: 2, executions: 1 } },
      expect.objectContaining({ name: "Second", _count: { steps: 1, executions: 0 } }),
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

describe("GET /workflows/fields", () => {
  test("lists the contact, its data and the data of events", async () => {
    await call("POST", "/v1/track", track("signup", { plan: "pro", seats: 3 }), project.public);
    await call("POST", "/v1/track", track("order", { total: 9.5, paid: true }), project.public);
    await service.runJobs();
    const { status, body } = await call("GET", "/workflows/fields");

    expect(status).toBe(200);
    expect(body.count).toBe(body.fields.length);
    expect(body.fields.slice(0, 3)).toEqual(["contact.email", "contact.subscribed", "contact.createdAt"]);
    expect(body.fields).toEqual(body.typedFields.map(({ field }: { field: string }) => field));
    expect(body.typedFields).toContainEqual({ field: "data.seats", type: "number", category: "Custom Data" });
    expect(body.typedFields).toContainEqual({ field: "event.paid", type: "boolean", category: "Event Data" });
  });

  test("lists the data of one event only, when it is named", async () => {
    await call("POST", "/v1/track", track("signup", { plan: "pro" }), project.public);
    await call("POST", "/v1/track", track("order", { total: 9.5 }), project.public);
    await call("POST", "/v1/track", track("order", { total: "nine", note: null }), project.public);
    const { body } = await call("GET", "/workflows/fields?eventName=order");
    const events = body.typedFields.filter(({ field }: { field: string }) => field.startsWith("event."));

    expect(events).toEqual([{ field: "event.total", type: "string", category: "Event Data" }]);
  });

  const track = (event: string, data: object) => ({ email: "ada@example.com", event, data });
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

describe("POST /workflows/:id/duplicate", () => {
  test("copies the trigger and the graph, with ids of their own, disabled", async () => {
    const templateId = await makeTemplate();
    const { id } = await create({ description: "why", allowReentry: true });
    const condition = await add(id, "CONDITION");
    const mail = (
      await call("POST", `/workflows/${id}/steps`, {
        type: "SEND_EMAIL",
        name: "Mail",
        templateId,
        position: { x: 5, y: 7 },
        autoConnect: false,
      })
    ).body.id;
    await connect(id, await triggerOf(id), condition);
    await connect(id, condition, mail, "yes");
    await patch(id, { enabled: true });
    const { status, body } = await call("POST", `/workflows/${id}/duplicate`);
    const [original, copy] = [await get(id), await get(body.id)];

    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: "Welcome (Copy)",
      description: "why",
      enabled: false,
      allowReentry: true,
    });
    expect(body.triggerConfig).toEqual({ eventName: "signup" });
    expect(await ways(body.id)).toEqual(await ways(id));
    const bare = (steps: Record<string, unknown>[]) =>
      steps.map(({ name, type, config, position, template }) => ({ name, type, config, position, template }));
    expect(bare(copy.steps)).toEqual(bare(original.steps));
    const ids = [...original.steps, ...copy.steps].flatMap((step: Step) => [
      step.id,
      ...step.outgoingTransitions.map((way) => way.id),
    ]);
    expect(new Set(ids).size).toBe(10);
  });

  test("finds room for the name of the copy", async () => {
    const { id } = await create({ name: `${"n".repeat(247)}😀${"n".repeat(6)}` });
    const { body } = await call("POST", `/workflows/${id}/duplicate`);

    expect(body.name).toBe(`${"n".repeat(247)} (Copy)`);
  });
});

describe("POST /workflows/:id/steps", () => {
  test("adds a step behind the trigger, and shows it with its template", async () => {
    const { id } = await create();
    const templateId = await makeTemplate("Hello");
    const { status, body } = await call("POST", `/workflows/${id}/steps`, {
      type: "SEND_EMAIL",
      name: " Mail ",
      config: { templateId, recipient: { type: "CUSTOM", customEmail: "{{data.boss}}" }, colour: "red" },
      position: { x: 10, y: -20.5 },
    });

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      workflowId: id,
      type: "SEND_EMAIL",
      name: "Mail",
      position: { x: 10, y: -20.5 },
      config: { recipient: { type: "CUSTOM", customEmail: "{{data.boss}}" } },
      templateId,
    });
    const { steps } = await get(id);
    const way = {
      id: expect.any(String),
      fromStepId: steps[0].id,
      toStepId: body.id,
      condition: null,
      priority: 0,
    };
    expect(steps[1]).toEqual({
      ...body,
      template: { id: templateId, name: "Hello" },
      outgoingTransitions: [],
      incomingTransitions: [way],
    });
    expect(steps[0].outgoingTransitions).toEqual([way]);
  });

  test("builds a line, and stops where it cannot know how to go on", async () => {
    const { id } = await create();
    for (const type of ["DELAY", "WAIT_FOR_EVENT", "CONDITION", "UPDATE_CONTACT", "EXIT"] as const) {
      await add(id, type, type, { autoConnect: undefined });
    }

    expect(await ways(id)).toEqual([
      "DELAY > WAIT_FOR_EVENT",
      "Trigger > DELAY",
      "WAIT_FOR_EVENT > CONDITION",
    ]);
  });

  test("lists what is wrong with the config beside what is wrong with the rest", async () => {
    const { id } = await create();
    const config = { amount: 0, unit: "years" };
    const { status, body } = await call("POST", `/workflows/${id}/steps`, { type: "DELAY", config });

    expect(status).toBe(422);
    expect(fields(body).sort()).toEqual(["config.amount", "config.unit", "name"]);
  });

  test.each([
    ["an unknown type", { type: "SMS", name: "S", config: {} }, 422, "VALIDATION_ERROR"],
    ["a second trigger", { type: "TRIGGER", name: "T", config: {} }, 400, "BAD_REQUEST"],
    ["a config with a fault", { type: "DELAY", name: "D", config: {} }, 422, "VALIDATION_ERROR"],
    ["a mail without a template", { type: "SEND_EMAIL", name: "M" }, 422, "VALIDATION_ERROR"],
    [
      "an unknown template",
      { type: "SEND_EMAIL", name: "M", templateId: crypto.randomUUID() },
      404,
      "TEMPLATE_NOT_FOUND",
    ],
    [
      "an unknown template in the config",
      { type: "SEND_EMAIL", name: "M", config: { templateId: crypto.randomUUID() } },
      404,
      "TEMPLATE_NOT_FOUND",
    ],
    [
      "an unknown segment",
      { type: "CONDITION", name: "C", config: memberOf(crypto.randomUUID()) },
      422,
      "VALIDATION_ERROR",
    ],
  ])("refuses %s, and leaves nothing behind", async (_, body, status, code) => {
    const { id } = await create();
    const answer = await call("POST", `/workflows/${id}/steps`, body);

    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect((await get(id)).steps).toHaveLength(1);
  });

  test.each(["operator", "field"])(
    "refuses an object with a toString of its own as %s of a condition",
    async (at) => {
      const { id } = await create();
      const config = { ...CONFIGS.CONDITION, [at]: { toString: null } };
      const branches = { mode: "multi", field: config.field, branches: [{ id: "a", name: "A", ...config }] };
      for (const asked of [config, branches]) {
        const { status } = await call("POST", `/workflows/${id}/steps`, {
          type: "CONDITION",
          name: "C",
          config: asked,
        });

        expect(status).toBe(422);
      }
    },
  );

  test("refuses a template and a segment of another project", async () => {
    const [templateId, { id: segmentId }] = [await makeTemplate(), await segment()];
    project = await service.createProject();
    const { id } = await create();
    const mail = { type: "SEND_EMAIL", name: "M", templateId };
    const asks = { type: "CONDITION", name: "C", config: memberOf(segmentId) };

    expect((await call("POST", `/workflows/${id}/steps`, mail)).status).toBe(404);
    expect((await call("POST", `/workflows/${id}/steps`, asks)).status).toBe(422);
  });

  test("names the place of a segment in a tree that is not there", async () => {
    const { id } = await create();
    const filters = [
      { field: "contact.email", operator: "contains", value: "@" },
      memberOf(crypto.randomUUID()),
    ];
    const config = { condition: { logic: "OR", groups: [{ filters }] } };
    const { body } = await call("POST", `/workflows/${id}/steps`, { type: "CONDITION", name: "C", config });

    expect(fields(body)).toEqual(["config.condition.groups.0.filters.1.field"]);
  });

  test("takes a condition tree that is nested ten levels deep, and refuses the eleventh where it begins", async () => {
    const filter = { field: "data.plan", operator: "exists" };
    const nested = (levels: number): object => ({
      logic: "AND",
      groups: [{ filters: [filter], ...(levels > 1 && { conditions: nested(levels - 1) }) }],
    });
    const { id } = await create();
    const save = (condition: object) =>
      call("POST", `/workflows/${id}/steps`, { type: "CONDITION", name: "C", config: { condition } });
    const [taken, refused] = [await save(nested(10)), await save(nested(11))];

    expect([taken.status, taken.body.config]).toEqual([201, { condition: nested(10) }]);
    expect([refused.status, fields(refused.body)]).toEqual([
      422,
      [`config.condition${".groups.0.conditions".repeat(10)}`],
    ]);
  });

  test("takes as much as 1 MB for all steps together, however it is added", async () => {
    const { id } = await create();
    const config = (length: number) => ({ url: "https://example.com/", body: "x".repeat(length) });
    const last = (await call("POST", `/workflows/${id}/steps`, { type: "EXIT", name: "E", config: {} })).body;
    const adding = [];
    for (let i = 0; i < 15; i++) {
      const body = { type: "WEBHOOK", name: "W", config: config(65_000), autoConnect: false };
      adding.push((await call("POST", `/workflows/${id}/steps`, body)).status);
    }
    const small = await add(id, "WEBHOOK");
    const grown = await call("PATCH", `/workflows/${id}/steps/${small}`, { config: config(65_000) });
    const [{ id: way }] = (await get(id)).steps[0].outgoingTransitions;
    const inserted = await call("POST", `/workflows/${id}/transitions/${way}/insert-step`, {
      type: "WEBHOOK",
      name: "W",
      config: config(65_000),
    });
    const message = "The configs of all steps of a workflow have at most 1000 KB as JSON together";

    expect(adding).toEqual(Array(15).fill(201));
    for (const { status, body } of [grown, inserted]) {
      expect([status, body.error.errors]).toEqual([422, [{ field: "config", code: "too_big", message }]]);
    }
    expect((await call("PATCH", `/workflows/${id}/steps/${last.id}`, { name: "End" })).status).toBe(200);
  });
});

describe("PATCH /workflows/:id/steps/:stepId", () => {
  test("changes what is given, and replaces the config as a whole", async () => {
    const { id } = await create();
    const step = await add(id, "WAIT_FOR_EVENT", "Wait");
    const path = `/workflows/${id}/steps/${step}`;
    const moved = await call("PATCH", path, { position: { x: 1, y: 2 }, type: "WAIT_FOR_EVENT" });
    const changed = await call("PATCH", path, { name: "Wait longer", config: { eventName: "bought" } });

    expect(moved.status).toBe(200);
    expect(moved.body).toMatchObject({
      name: "Wait",
      position: { x: 1, y: 2 },
      config: CONFIGS.WAIT_FOR_EVENT,
    });
    expect(changed.body).toMatchObject({
      name: "Wait longer",
      position: { x: 1, y: 2 },
      config: { eventName: "bought" },
    });
  });

  test("keeps the template unless another is given, beside the config or in it", async () => {
    const [first, second] = [await makeTemplate("First"), await makeTemplate("Second")];
    const { id } = await create();
    const step = await call("POST", `/workflows/${id}/steps`, {
      type: "SEND_EMAIL",
      name: "Mail",
      templateId: first,
    });
    const path = `/workflows/${id}/steps/${step.body.id}`;
    const templateAfter = async (body: object) => (await call("PATCH", path, body)).body.templateId;

    expect(await templateAfter({ config: {} })).toBe(first);
    expect(await templateAfter({ templateId: second })).toBe(second);
    expect(await templateAfter({ config: { templateId: first } })).toBe(first);
    const taken = await call("PATCH", path, { templateId: null });
    expect([taken.status, fields(taken.body)]).toEqual([422, ["templateId"]]);
    const unknown = await call("PATCH", path, { templateId: crypto.randomUUID() });
    expect([unknown.status, unknown.body.error.code]).toEqual([404, "TEMPLATE_NOT_FOUND"]);
  });

  test.each([
    ["another type", "DELAY", { type: "EXIT" }, 400],
    ["a config with a fault", "DELAY", { config: { amount: 1 } }, 422],
    ["a config for the trigger", "TRIGGER", { config: { eventName: "other" } }, 400],
  ])("refuses %s", async (_, type, body, status) => {
    const { id } = await create();
    const step = type === "TRIGGER" ? await triggerOf(id) : await add(id, "DELAY");

    expect((await call("PATCH", `/workflows/${id}/steps/${step}`, body)).status).toBe(status);
  });

  test("takes null for what is left out", async () => {
    const { id } = await create();
    const step = await add(id, "DELAY", "D", { position: { x: 1, y: 2 } });
    const { status, body } = await call("PATCH", `/workflows/${id}/steps/${step}`, {
      name: null,
      type: null,
      position: null,
      config: null,
      templateId: null,
    });
    const added = await call("POST", `/workflows/${id}/steps`, {
      type: "EXIT",
      name: "E",
      position: null,
      config: null,
      templateId: null,
      autoConnect: null,
    });

    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ name: "D", position: { x: 1, y: 2 }, config: CONFIGS.DELAY }),
    ]);
    expect([added.status, added.body.position, added.body.config]).toEqual([201, { x: 0, y: 0 }, {}]);
  });

  test("renames and moves the trigger", async () => {
    const { id } = await create();
    const body = { name: "Signed up", position: { x: 3, y: 4 }, config: {} };
    const answer = await call("PATCH", `/workflows/${id}/steps/${await triggerOf(id)}`, body);

    expect(answer.body).toMatchObject({ ...body, type: "TRIGGER" });
  });

  test("refuses a config without a branch by which a transition leaves", async () => {
    const { id } = await create();
    const [condition, exit] = [await add(id, "CONDITION"), await add(id, "EXIT")];
    const way = (await connect(id, condition, exit, "yes")).body.id;
    const branches = [{ id: "pro", name: "Pro", operator: "equals", value: "pro" }];
    const config = { mode: "multi", field: "data.plan", branches };
    const path = `/workflows/${id}/steps/${condition}`;
    const refused = await call("PATCH", path, { config });

    expect(refused.status).toBe(400);
    expect(refused.body.error.message).toContain('"yes"');
    await call("DELETE", `/workflows/${id}/transitions/${way}`);
    expect((await call("PATCH", path, { config })).status).toBe(200);
    expect((await connect(id, condition, exit, "pro")).status).toBe(201);
    expect((await connect(id, condition, exit, "default")).status).toBe(201);
  });

  test("refuses to take the pause out of a circle", async () => {
    const { id } = await create();
    const [delay, update] = [await add(id, "DELAY"), await add(id, "UPDATE_CONTACT")];
    await connect(id, delay, update);
    expect((await connect(id, update, delay)).status).toBe(201);
    const body = { config: { until: "data.renewal" } };

    expect((await call("PATCH", `/workflows/${id}/steps/${delay}`, body)).status).toBe(400);
  });
});

describe("DELETE /workflows/:id/steps/:stepId", () => {
  /** Trigger > CONDITION; yes> DELAY > UPDATE_CONTACT; no> DELAY. */
  const build = async () => {
    const { id } = await create();
    const names = ["CONDITION", "DELAY", "UPDATE_CONTACT"] as const;
    const [condition, delay, update] = await Promise.all(names.map((type) => add(id, type)));
    await connect(id, await triggerOf(id), condition!);
    await connect(id, condition!, delay!, "yes");
    await connect(id, condition!, delay!, "no");
    await connect(id, delay!, update!);
    return { id, condition: condition!, delay: delay!, update: update! };
  };

  test("removes a step and its transitions; what only it led to stays", async () => {
    const { id, delay } = await build();
    const { status } = await call("DELETE", `/workflows/${id}/steps/${delay}`);

    expect(status).toBe(204);
    expect(await ways(id)).toEqual(["Trigger > CONDITION"]);
    expect((await get(id)).steps).toHaveLength(3);
  });

  test("leads what led to it to the step behind it, with splice", async () => {
    const { id, delay } = await build();
    const { status } = await call("DELETE", `/workflows/${id}/steps/${delay}?splice=true`);

    expect(status).toBe(204);
    expect(await ways(id)).toEqual([
      "CONDITION no> UPDATE_CONTACT",
      "CONDITION yes> UPDATE_CONTACT",
      "Trigger > CONDITION",
    ]);
  });

  test("ends what led to it where nothing is behind it", async () => {
    const { id, update } = await build();
    await call("DELETE", `/workflows/${id}/steps/${update}?splice=true`);

    expect(await ways(id)).toEqual(["CONDITION no> DELAY", "CONDITION yes> DELAY", "Trigger > CONDITION"]);
  });

  test("refuses to splice a CONDITION, and a wait with two ways out", async () => {
    const { id, condition, delay, update } = await build();
    const wait = await add(id, "WAIT_FOR_EVENT");
    await connect(id, update, wait);
    await connect(id, wait, delay, "timeout");
    expect((await call("DELETE", `/workflows/${id}/steps/${condition}?splice=true`)).status).toBe(400);
    expect((await connect(id, wait, await add(id, "EXIT"), "event")).status).toBe(201);
    expect((await call("DELETE", `/workflows/${id}/steps/${wait}?splice=true`)).status).toBe(400);
    expect((await call("DELETE", `/workflows/${id}/steps/${condition}`)).status).toBe(204);
  });

  test("refuses to splice the pause out of a circle, and the only other step of one", async () => {
    const { id } = await create();
    const [delay, update, webhook] = [
      await add(id, "DELAY"),
      await add(id, "UPDATE_CONTACT"),
      await add(id, "WEBHOOK"),
    ];
    await connect(id, delay, update);
    await connect(id, update, webhook);
    await connect(id, webhook, delay);
    const splice = (step: string) => call("DELETE", `/workflows/${id}/steps/${step}?splice=true`);

    expect((await splice(delay)).body.error.message).toContain("never waits");
    expect((await splice(webhook)).status).toBe(204);
    expect((await splice(update)).body.error.message).toContain("itself");
    expect(await ways(id)).toEqual(["DELAY > UPDATE_CONTACT", "UPDATE_CONTACT > DELAY"]);
  });

  test("refuses to delete the trigger", async () => {
    const { id } = await create();
    const path = `/workflows/${id}/steps/${await triggerOf(id)}`;

    expect((await call("DELETE", path)).status).toBe(400);
    expect((await call("DELETE", `${path}?splice=true`)).status).toBe(400);
  });
});

describe("POST /workflows/:id/transitions", () => {
  test("leads from one step to another, by a branch said in either way", async () => {
    const { id } = await create();
    const [condition, exit] = [await add(id, "CONDITION"), await add(id, "EXIT")];
    const yes = await connect(id, condition, exit, "yes");
    const body = { fromStepId: condition, toStepId: exit, branch: "no", priority: 3 };
    const no = await call("POST", `/workflows/${id}/transitions`, body);

    expect(yes.status).toBe(201);
    expect(yes.body).toEqual({
      id: expect.any(String),
      fromStepId: condition,
      toStepId: exit,
      condition: { branch: "yes" },
      priority: 0,
    });
    expect(no.body).toMatchObject({ condition: { branch: "no" }, priority: 3 });
  });

  test("refuses what breaks a rule of the graph, and says which", async () => {
    const { id } = await create();
    const [delay, exit] = [await add(id, "DELAY"), await add(id, "EXIT")];
    const itself = await connect(id, delay, delay);
    const out = await connect(id, exit, delay);

    expect([itself.status, itself.body.error.message]).toEqual([400, "Cannot connect a step to itself"]);
    expect([out.status, out.body.error.message]).toEqual([400, expect.stringContaining("EXIT")]);
  });

  test("refuses steps of another workflow, and such that do not exist", async () => {
    const [first, second] = [await create(), await create()];
    const [here, there] = [await add(first.id, "DELAY"), await add(second.id, "DELAY")];
    const answers = await Promise.all([
      connect(first.id, here, there),
      connect(first.id, there, here),
      connect(first.id, here, crypto.randomUUID()),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(answers[0].body.error.details).toEqual({ resource: "workflow step", id: there });
  });

  test.each([
    [{ fromStepId: "x" }, ["fromStepId", "toStepId"]],
    [
      { fromStepId: crypto.randomUUID(), toStepId: crypto.randomUUID(), priority: 1.5, branch: 5 },
      ["branch", "priority"],
    ],
    [
      {
        fromStepId: crypto.randomUUID(),
        toStepId: crypto.randomUUID(),
        branch: "yes",
        condition: { branch: "no" },
      },
      ["branch"],
    ],
  ])("%j is refused by its fields", async (body, expected) => {
    const { id } = await create();
    const answer = await call("POST", `/workflows/${id}/transitions`, body);

    expect([answer.status, fields(answer.body).sort()]).toEqual([422, expected]);
  });
});

describe("DELETE /workflows/:id/transitions/:transitionId", () => {
  test("deletes a transition; what it led to stays", async () => {
    const { id } = await create();
    const way = (await connect(id, await triggerOf(id), await add(id, "DELAY"))).body.id;

    expect((await call("DELETE", `/workflows/${id}/transitions/${way}`)).status).toBe(204);
    expect((await call("DELETE", `/workflows/${id}/transitions/${way}`)).status).toBe(404);
    expect(await ways(id)).toEqual([]);
    expect((await get(id)).steps).toHaveLength(2);
  });
});

describe("POST /workflows/:id/transitions/:transitionId/insert-step", () => {
  const insert = (id: string, way: string, type: string, config: object) =>
    call("POST", `/workflows/${id}/transitions/${way}/insert-step`, { type, name: "New", config });

  test("puts a step between the two ends, and keeps the branch", async () => {
    const { id } = await create();
    const [condition, exit] = [await add(id, "CONDITION"), await add(id, "EXIT")];
    const way = (await connect(id, condition, exit, "no")).body.id;
    const { status, body } = await insert(id, way, "DELAY", CONFIGS.DELAY);

    expect(status).toBe(201);
    expect(body).toMatchObject({ type: "DELAY", name: "New", position: { x: 0, y: 0 } });
    expect(await ways(id)).toEqual(["CONDITION no> New", "New > EXIT"]);
    const { steps } = (await get(id)) as { steps: Step[] };
    expect(steps.find((step) => step.id === condition)!.outgoingTransitions[0]!.id).toBe(way);
  });

  test.each([
    ["CONDITION", CONFIGS.CONDITION, "yes"],
    [
      "CONDITION",
      { mode: "multi", field: "data.a", branches: [{ id: "one", name: "One", operator: "exists" }] },
      "one",
    ],
    ["WAIT_FOR_EVENT", CONFIGS.WAIT_FOR_EVENT, ""],
  ])("goes on from a %s with %j by %p", async (type, config, branch) => {
    const { id } = await create();
    const way = (await connect(id, await triggerOf(id), await add(id, "EXIT"))).body.id;
    await insert(id, way, type, config);

    expect(await ways(id)).toEqual([`New ${branch}> EXIT`, "Trigger > New"]);
  });

  test.each([
    ["TRIGGER", {}, 400],
    ["EXIT", {}, 400],
    ["DELAY", {}, 422],
  ])("refuses %s %j and changes nothing", async (type, config, status) => {
    const { id } = await create();
    const way = (await connect(id, await triggerOf(id), await add(id, "DELAY"))).body.id;

    expect((await insert(id, way, type, config)).status).toBe(status);
    expect(await ways(id)).toEqual(["Trigger > DELAY"]);
    expect((await get(id)).steps).toHaveLength(2);
  });

  test("finds no transition of another workflow", async () => {
    const [first, second] = [await create(), await create()];
    const way = (await connect(second.id, await triggerOf(second.id), await add(second.id, "DELAY"))).body.id;

    expect((await insert(first.id, way, "DELAY", CONFIGS.DELAY)).status).toBe(404);
    expect(await ways(second.id)).toEqual(["Trigger > DELAY"]);
  });
});

describe("changes at the same time", () => {
  test("are seen as a whole, or not yet", async () => {
    const { id } = await create();
    await call("POST", `/workflows/${id}/steps`, { type: "UPDATE_CONTACT", name: "U", config: {} });
    const template = { type: "UPDATE_CONTACT", name: "N", config: {} };
    let isDone = false;
    const edit = async () => {
      for (let i = 0; i < 40; i++) {
        const [{ id: way }] = (await get(id)).steps[0].outgoingTransitions;
        const { body } = await call("POST", `/workflows/${id}/transitions/${way}/insert-step`, template);
        await call("DELETE", `/workflows/${id}/steps/${body.id}?splice=true`);
      }
      isDone = true;
    };
    const torn: object[] = [];
    const read = async () => {
      while (!isDone) {
        const { steps } = (await get(id)) as {
          steps: (Step & { incomingTransitions: { id: string }[] })[];
        };
        const ids = steps.map((step) => step.id);
        const out = steps.flatMap((step) => step.outgoingTransitions);
        const into = steps.flatMap((step) => step.incomingTransitions);
        const isLine = out.length === steps.length - 1 && into.length === out.length;
        if (!isLine || !out.every(({ toStepId }) => ids.includes(toStepId))) torn.push(steps);
      }
    };
    await Promise.all([edit(), read(), read(), read()]);

    expect(torn).toEqual([]);
  });

  test("lead on from a step once", async () => {
    const { id } = await create();
    const from = await triggerOf(id);
    const ends = await Promise.all(Array.from({ length: 12 }, (_, i) => add(id, "DELAY", `D${i}`)));
    const answers = await Promise.all(ends.map((end) => connect(id, from, end)));

    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(400)]);
    expect(await ways(id)).toHaveLength(1);
  });

  test("never close a circle that does not wait", async () => {
    const { id } = await create();
    const steps = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => add(id, "UPDATE_CONTACT", `U${n}`)));
    const answers = await Promise.all(
      steps.map((step, i) => connect(id, step, steps[(i + 1) % steps.length]!)),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 400]);
    expect(await ways(id)).toHaveLength(5);
  });

  test("append to the line one after another", async () => {
    const { id } = await create();
    const names = Array.from({ length: 10 }, (_, i) => `D${i}`);
    await Promise.all(names.map((name) => add(id, "DELAY", name, { autoConnect: true })));
    const all = await ways(id);

    expect(all).toHaveLength(10);
    expect(new Set(all.map((way) => way.split(" > ")[0])).size).toBe(10);
    expect(new Set(all.map((way) => way.split(" > ")[1])).size).toBe(10);
  });

  test("never leave a transition to a step that is deleted, nor a branch that is gone", async () => {
    const { id } = await create();
    const [condition, delay, exit] = [
      await add(id, "CONDITION"),
      await add(id, "DELAY"),
      await add(id, "EXIT"),
    ];
    const way = (await connect(id, condition, delay, "yes")).body.id;
    const config = {
      mode: "multi",
      field: "data.a",
      branches: [{ id: "one", name: "One", operator: "exists" }],
    };
    await call("DELETE", `/workflows/${id}/transitions/${way}`);
    const [deleted, , , changed, led] = await Promise.all([
      call("DELETE", `/workflows/${id}/steps/${delay}`),
      connect(id, delay, exit),
      connect(id, await triggerOf(id), delay),
      call("PATCH", `/workflows/${id}/steps/${condition}`, { config }),
      connect(id, condition, exit, "no"),
    ]);
    const { steps } = (await get(id)) as { steps: Step[] };
    const known = new Set(steps.map((step) => step.id));

    expect(deleted.status).toBe(204);
    expect([
      [200, 400],
      [400, 201],
    ]).toContainEqual([changed.status, led.status]);
    for (const step of steps)
      for (const { toStepId } of step.outgoingTransitions) expect(known).toContain(toStepId);
  });
});

describe("a deletion at the same time", () => {
  /** Runs `work` in a transaction, and ends that when `meanwhile` waits for it, or did not. */
  const during = async <T>(work: (tx: Context) => Promise<unknown>, meanwhile: () => Promise<T>) => {
    let answer!: Promise<T>;
    await service.pool.begin(async (sql) => {
      await work({ ...service, sql });
      answer = meanwhile();
      await untilBlocked(service.pool, {}, answer);
    });
    return await answer;
  };

  test("of a segment is waited for by a step that would ask about it, and the step is refused", async () => {
    const { id } = await create();
    const pro = await segment();
    const step = { type: "CONDITION", name: "Pro?", config: memberOf(pro.id) };
    const answer = await during(
      (tx) => deleteSegment(tx, project.id, pro.id),
      () => call("POST", `/workflows/${id}/steps`, step),
    );

    expect([answer.status, fields(answer.body)]).toEqual([422, ["config.field"]]);
  });

  test("of a segment is waited for by a workflow that would start for it, and the workflow is not enabled", async () => {
    const { id } = await create();
    const pro = await segment();
    await patch(id, { triggerType: "SCHEDULE", triggerConfig: { schedule: "@daily", segmentId: pro.id } });
    const answer = await during(
      (tx) => deleteSegment(tx, project.id, pro.id),
      () => patch(id, { enabled: true }),
    );

    expect([answer.status, (await get(id)).enabled]).toEqual([404, false]);
  });

  test("of a workflow waits for an execution that begins, and is refused", async () => {
    const { id } = await create();
    const answer = await during(
      (tx) => execution(id, "RUNNING", tx.sql),
      () => call("DELETE", `/workflows/${id}`),
    );

    expect([answer.status, answer.body.error.details]).toEqual([409, { activeExecutions: 1 }]);
  });

  test("of a template is waited for by a step that would send it, and the step is refused", async () => {
    const { id } = await create();
    const templateId = await makeTemplate();
    const answer = await during(
      (tx) => deleteTemplate(tx, project.id, templateId),
      () => call("POST", `/workflows/${id}/steps`, { type: "SEND_EMAIL", name: "Mail", templateId }),
    );

    expect([answer.status, answer.body.error.code]).toEqual([404, "TEMPLATE_NOT_FOUND"]);
  });
});

describe("a request that cannot be read", () => {
  test("is answered as the document of the API says, whatever it asks for", async () => {
    const document = withoutReferences((await service.request("GET", "/openapi.json")).body);
    const operations = Object.entries<Record<string, { responses: object }>>(document.paths)
      .filter(([path]) => path.startsWith("/workflows"))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
      );
    const ask = (method: string, path: string, raw?: string) =>
      service.request(method.toUpperCase(), path, { key: project.secret, ...(raw !== undefined && { raw }) });
    const answers = await Promise.all(
      operations.map(async ({ path, method, responses }) => {
        const [unreadable, broken] = [
          await ask(method, path.replaceAll(/\{\w+\}/g, "%00")),
          await ask(
            method,
            path.replaceAll(/\{\w+\}/g, crypto.randomUUID()),
            method === "get" ? undefined : "{",
          ),
        ];
        return [unreadable, broken].map(({ status }) => ({ method, path, status, responses }));
      }),
    );
    expect(operations).toHaveLength(22);
    for (const { status, responses, ...which } of answers.flat()) {
      expect({ ...which, names: Object.keys(responses) }).toEqual({
        ...which,
        names: expect.arrayContaining([String(status)]),
      });
    }
    expect(answers.flat().filter(({ status }) => status === 400).length).toBeGreaterThan(operations.length);
  });
});

describe("a workflow of another project", () => {
  test("is not found by any endpoint, and neither is what has no id", async () => {
    const { id } = await create();
    const step = await add(id, "DELAY");
    const way = (await connect(id, await triggerOf(id), step)).body.id;
    const other = await service.createProject();
    const step2 = { type: "EXIT", name: "E", config: {} };
    const requests = (workflow: string): [string, string, object?][] => [
      ["GET", `/workflows/${workflow}`],
      ["PATCH", `/workflows/${workflow}`, { name: "Mine" }],
      ["DELETE", `/workflows/${workflow}`],
      ["POST", `/workflows/${workflow}/duplicate`],
      ["POST", `/workflows/${workflow}/steps`, step2],
      ["PATCH", `/workflows/${workflow}/steps/${step}`, { name: "Mine" }],
      ["DELETE", `/workflows/${workflow}/steps/${step}`],
      ["POST", `/workflows/${workflow}/transitions`, { fromStepId: step, toStepId: step }],
      ["DELETE", `/workflows/${workflow}/transitions/${way}`],
      ["POST", `/workflows/${workflow}/transitions/${way}/insert-step`, { ...step2, type: "UPDATE_CONTACT" }],
    ];
    const before = await get(id);

    for (const workflow of [id, "nonsense"]) {
      for (const [method, path, body] of requests(workflow)) {
        const { status, body: answer } = await call(method, path, body, other.secret);
        expect([method, path, status, answer.error.code]).toEqual([method, path, 404, "WORKFLOW_NOT_FOUND"]);
        expect(answer.error.details).toEqual({ resource: "workflow", id: workflow });
      }
    }
    expect((await call("GET", "/workflows", undefined, other.secret)).body.total).toBe(0);
    expect(await get(id)).toEqual(before);
  });

  test("its steps and transitions are found under none of one's own", async () => {
    const { id } = await create();
    const step = await add(id, "DELAY");
    const way = (await connect(id, await triggerOf(id), step)).body.id;
    const mine = await create();

    for (const [method, path] of [
      ["PATCH", `steps/${step}`],
      ["DELETE", `steps/${step}`],
      ["PATCH", "steps/nonsense"],
      ["DELETE", `transitions/${way}`],
      ["DELETE", "transitions/nonsense"],
    ] as const) {
      const { status, body } = await call(method, `/workflows/${mine.id}/${path}`, {});
      expect([path, status, body.error.code]).toEqual([path, 404, "RESOURCE_NOT_FOUND"]);
    }
    expect(await ways(id)).toEqual(["Trigger > DELAY"]);
  });
});

describe("what a workflow needs stays", () => {
  test("a template that a step sends, until the step is gone", async () => {
    const templateId = await makeTemplate();
    const { id } = await create();
    const step = (
      await call("POST", `/workflows/${id}/steps`, { type: "SEND_EMAIL", name: "Mail", templateId })
    ).body;
    const uses = [{ id: step.id, name: "Mail", workflowId: id, workflowName: "Welcome" }];
    const refused = await call("DELETE", `/templates/${templateId}`);

    expect((await call("GET", `/templates/${templateId}/usage`)).body.workflowSteps).toEqual(uses);
    expect(refused.status).toBe(409);
    expect(refused.body.error.details).toEqual({ campaigns: [], workflowSteps: uses });
    await call("DELETE", `/workflows/${id}/steps/${step.id}`);
    expect((await call("DELETE", `/templates/${templateId}`)).status).toBe(204);
  });

  test.each([
    [
      "starts for its members",
      ({ id }: { id: string; slug: string }): object => ({
        triggerType: "SCHEDULE",
        triggerConfig: { schedule: "@daily", segmentId: id },
      }),
    ],
    [
      "starts when somebody enters it",
      ({ slug }: { id: string; slug: string }): object => ({
        triggerConfig: { eventName: `segment.${slug}.entry` },
      }),
    ],
  ])("a segment that an enabled workflow %s", async (_, trigger) => {
    const pro = await segment();
    const { id } = await createWhole();
    await patch(id, { ...trigger(pro), enabled: true });
    const refused = await call("DELETE", `/segments/${pro.id}`);

    expect(refused.status).toBe(409);
    expect(refused.body.error.details.workflows).toEqual([{ id, name: "Welcome" }]);
    await patch(id, { enabled: false });
    expect((await call("DELETE", `/segments/${pro.id}`)).status).toBe(204);
  });

  test.each([
    ["asks about", "CONDITION", ({ id }: { id: string }) => memberOf(id.toUpperCase())],
    [
      "asks about deep in a tree",
      "CONDITION",
      ({ id }: { id: string }) => ({
        condition: {
          logic: "OR",
          groups: [{ filters: [], conditions: { logic: "AND", groups: [{ filters: [memberOf(id)] }] } }],
        },
      }),
    ],
    [
      "asks about by its event",
      "CONDITION",
      ({ slug }: { slug: string }) => ({ field: `segment.${slug}.exit`, operator: "triggered" }),
    ],
    ["waits for", "WAIT_FOR_EVENT", ({ slug }: { slug: string }) => ({ eventName: `segment.${slug}.exit` })],
  ] as const)("a segment that an enabled workflow %s", async (_, type, config) => {
    const pro = await segment();
    const { id } = await createWhole();
    await add(id, type, type, { config: config(pro) });
    await add(id, "CONDITION");
    await patch(id, { enabled: true });
    const refused = await call("DELETE", `/segments/${pro.id}`);

    expect(refused.status).toBe(409);
    expect(refused.body.error.details.workflows).toEqual([{ id, name: "Welcome" }]);
    await patch(id, { enabled: false });
    expect((await call("DELETE", `/segments/${pro.id}`)).status).toBe(204);
  });

  test("but not a segment that no workflow names", async () => {
    const [pro, free] = [await segment("Pro"), await segment("Free")];
    const { id } = await createWhole({ eventName: `segment.${free.slug}.entry` });
    await add(id, "CONDITION", "C", { config: memberOf(free.id) });
    await patch(id, { enabled: true });

    expect((await call("DELETE", `/segments/${pro.id}`)).status).toBe(204);
  });

  test.each([
    ["a condition", "CONDITION", { field: "contact.data.nick", operator: "exists" }, true],
    ["a condition on a path below it", "CONDITION", { field: "data.nick.short", operator: "exists" }, true],
    [
      "a tree",
      "CONDITION",
      { condition: { logic: "AND", groups: [{ filters: [{ field: "data.nick", operator: "exists" }] }] } },
      true,
    ],
    ["a delay until its date", "DELAY", { until: "data.nick" }, true],
    ["an update of it", "UPDATE_CONTACT", { updates: { nick: "A" } }, true],
    ["a text of an update", "UPDATE_CONTACT", { updates: { other: "{{data.nick}}" } }, true],
    ["the address of a webhook", "WEBHOOK", { url: "https://example.com/{{data.nick}}" }, true],
    [
      "the body of a webhook",
      "WEBHOOK",
      { url: "https://example.com/", body: { a: [{ b: "{{nick}}" }] } },
      true,
    ],
    ["another field of a like name", "CONDITION", { field: "data.nickname", operator: "exists" }, false],
    ["the data of an event", "CONDITION", { field: "event.nick", operator: "exists" }, false],
    ["a text without an expression", "WEBHOOK", { url: "https://example.com/nick" }, false],
  ] as const)("a contact's field: %s", async (_, type, config, isUsed) => {
    const { id } = await create();
    await add(id, type, type, { config });
    const { body } = await call("GET", "/contacts/fields/nick/usage");
    const deleted = await call("DELETE", "/contacts/fields/data.nick");

    expect(body.usedInWorkflows).toEqual(isUsed ? [{ id, name: "Welcome" }] : []);
    expect(body.canDelete).toBe(!isUsed);
    expect(deleted.status).toBe(isUsed ? 409 : 200);
    if (isUsed) expect(deleted.body.error.details.workflows).toEqual([{ id, name: "Welcome" }]);
  });

  test("a contact's field that the template of a mail shows, or that its recipient is", async () => {
    const { id } = await create();
    await call("POST", `/workflows/${id}/steps`, {
      type: "SEND_EMAIL",
      name: "Mail",
      templateId: await makeTemplate(),
      config: { recipient: { type: "CUSTOM", customEmail: "{{data.boss}}" } },
    });
    const usedIn = async (field: string) =>
      (await call("GET", `/contacts/fields/${field}/usage`)).body.usedInWorkflows.length;

    expect([await usedIn("nick"), await usedIn("boss"), await usedIn("other")]).toEqual([1, 1, 0]);
  });
});

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
