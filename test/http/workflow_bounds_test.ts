// Copies of workflows, and whose they are: what a project may not reach, and what may not be taken from a workflow.
import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { useService } from "../support/service.ts";
import { withoutReferences } from "../support/openapi.ts";
import { type Step, workflowRequests } from "./workflow_requests.ts";

const service = useService();
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
});

const {
  call,
  create,
  get,
  patch,
  createWhole,
  add,
  connect,
  ways,
  triggerOf,
  makeTemplate,
  segment,
  memberOf,
} = workflowRequests(service, () => project);

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
    expect(operations).toHaveLength(27);
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
