// Transitions between the steps of workflows.
import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { useService } from "../support/service.ts";
import { CONFIGS, type Step, workflowRequests } from "./workflow_requests.ts";

const service = useService();
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
});

const { call, create, get, add, connect, ways, triggerOf, fields } = workflowRequests(service, () => project);

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
