// Steps of workflows that are changed and deleted.
import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { useService } from "../support/service.ts";
import { CONFIGS, workflowRequests } from "./workflow_requests.ts";

const service = useService();
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
});

const { call, create, get, add, connect, ways, triggerOf, makeTemplate, fields } = workflowRequests(
  service,
  () => project,
);

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
