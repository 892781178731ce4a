// Workflows that several requests change at the same time.
import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { deleteSegment } from "../../src/audience/segments/mod.ts";
import { deleteTemplate } from "../../src/content/templates.ts";
import type { Context } from "../../src/context.ts";
import type { Db } from "../../src/db/types.ts";
import { untilBlocked } from "../support/locks.ts";
import { useService } from "../support/service.ts";
import { type Step, workflowRequests } from "./workflow_requests.ts";

const service = useService();
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
});

const { call, create, get, patch, add, connect, ways, triggerOf, makeTemplate, segment, memberOf, fields } =
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
