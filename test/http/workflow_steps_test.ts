// Steps of workflows: what may be asked about, and how steps are added.
import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { useService } from "../support/service.ts";
import { CONFIGS, workflowRequests } from "./workflow_requests.ts";

const service = useService();
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
});

const { call, create, get, add, ways, makeTemplate, segment, memberOf, fields } = workflowRequests(
  service,
  () => project,
);

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
