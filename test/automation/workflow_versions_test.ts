import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { startExecution } from "../../src/automation/engine/executions.ts";
import { addStep, patchStep } from "../../src/automation/workflows/editor.ts";
import { addTransition, deleteTransition } from "../../src/automation/workflows/transitions.ts";
import { patchWorkflow } from "../../src/automation/workflows/settings.ts";
import { currentVersion, purgeVersions } from "../../src/automation/workflows/versions.ts";
import { createWorkflow, getWorkflowGraph } from "../../src/automation/workflows/mod.ts";
import { inTransaction } from "../../src/context.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
let workflowId: string;

beforeEach(async () => {
  project = await service.createProject();
  workflowId = (await createWorkflow(service, project.id, { name: "Welcome", eventName: "signup" })).id;
});

const version = () => currentVersion(service, project.id, workflowId);
const add = (type: "DELAY" | "WEBHOOK", config: object) =>
  addStep(service, project.id, workflowId, { type, name: type, config, autoConnect: true });
const delay = { amount: 1, unit: "days" };

describe("a version", () => {
  test("holds the graph with every default filled in", async () => {
    const { steps } = await getWorkflowGraph(service, project.id, workflowId);
    const webhook = await add("WEBHOOK", { url: "https://example.com/", note: "dropped" });
    const { id, graph } = await version();

    expect(graph).toEqual({
      steps: [
        { id: steps[0]!.id, type: "TRIGGER", name: "Trigger", config: {}, templateId: null },
        {
          id: webhook.id,
          type: "WEBHOOK",
          name: "WEBHOOK",
          config: { url: "https://example.com/", method: "POST", headers: {} },
          templateId: null,
        },
      ],
      transitions: [{ id: expect.any(String), from: steps[0]!.id, to: webhook.id, branch: null }],
    });
    expect(await version()).toEqual({ id, graph });
  });

  test("is the same until the graph is edited; what the workflow is called or whether it is enabled is no edit", async () => {
    await add("DELAY", delay);
    const first = await version();
    await patchWorkflow(service, project.id, workflowId, {
      name: "Hello",
      enabled: true,
      allowReentry: true,
    });
    expect((await version()).id).toBe(first.id);

    const step = await add("DELAY", delay);
    const second = await version();
    const change = { config: { amount: 2, unit: "days" } };
    await patchStep(service, project.id, workflowId, step.id, change);
    const third = await version();
    await deleteTransition(service, project.id, workflowId, third.graph.transitions[0]!.id);
    const fourth = await version();

    expect(new Set([first, second, third, fourth].map(({ id }) => id)).size).toBe(4);
    expect([second, third, fourth].map(({ graph }) => graph.transitions.length)).toEqual([2, 2, 1]);
  });

  test("never changes, whatever is edited", async () => {
    const step = await add("DELAY", delay);
    const { id, graph } = await version();
    await patchStep(service, project.id, workflowId, step.id, { config: { amount: 9, unit: "weeks" } });
    await version();
    const [stored] = await service.pool`select graph from workflow_versions where id = ${id}`;

    expect(stored!.graph).toEqual(graph);
    expect(graph.steps[1]!.config).toEqual(delay as never);
  });

  test("is made once, by however many at once", async () => {
    const versions = await Promise.all(Array.from({ length: 12 }, version));
    const rows = await service.pool`select id from workflow_versions where workflow_id = ${workflowId}`;

    expect(new Set(versions.map(({ id }) => id)).size).toBe(1);
    expect(rows).toHaveLength(1);
  });

  test("is that of an edit which was first, never half of one", async () => {
    const first = await add("DELAY", delay);
    const others = await Promise.all(
      Array.from({ length: 6 }, () =>
        addStep(service, project.id, workflowId, {
          type: "DELAY",
          name: "D",
          config: delay,
          autoConnect: false,
        }),
      ),
    );
    const edits = others.map(
      (step) => () =>
        addTransition(service, project.id, workflowId, {
          fromStepId: step.id,
          toStepId: first.id,
          branch: null,
          priority: 0,
        }),
    );
    const made = await Promise.all(edits.flatMap((edit) => [edit().then(version), version()]));

    expect(made.at(-2)!.graph.steps).toHaveLength(8);
    // Whoever connected a step sees that in the version asked for afterwards.
    const last = await version();
    expect(last.graph.transitions).toHaveLength(7);
    for (const [i, { id, from }] of last.graph.transitions.slice(1).entries()) {
      const asked = made[2 * others.findIndex((step) => step.id === from)]!;
      expect([i, asked.graph.transitions.some((way) => way.id === id)]).toEqual([i, true]);
    }
  });

  test("that was made in a transaction which failed was never made", async () => {
    const failed = inTransaction(service, async (tx) => {
      await currentVersion(tx, project.id, workflowId);
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    const rows = await service.pool`select id from workflow_versions where workflow_id = ${workflowId}`;

    expect(rows).toHaveLength(0);
    expect((await version()).graph.steps).toHaveLength(1);
  });

  test("that nothing ever began with goes a day after the graph was edited, and every other one stays", async () => {
    await add("DELAY", delay);
    const begun = await version();
    const { body: contact } = await service.request("POST", "/contacts", {
      key: project.secret,
      body: { email: "ada@example.com" },
    });
    await patchWorkflow(service, project.id, workflowId, { enabled: true });
    await startExecution(service, project.id, workflowId, { contactId: contact.id });
    await add("DELAY", delay);
    const idle = await version();
    await add("DELAY", delay);
    const current = await version();
    const ids = async () =>
      (await service.pool`select id from workflow_versions where workflow_id = ${workflowId}`)
        .map((row) => row.id as string)
        .sort();
    const after = (hours: number) => service.setNow(new Date(Date.now() + hours * 3_600_000));
    after(23);
    await purgeVersions(service);
    const soon = await ids();
    after(25);
    await purgeVersions(service);
    const late = await ids();
    const again = await purgeVersions(service);
    after(0);

    expect(soon).toEqual([begun.id, idle.id, current.id].sort());
    expect(late).toEqual([begun.id, current.id].sort());
    expect(again).toBe(0);
    expect(await version()).toEqual(current);
  });

  test("that nothing began with goes, however many there are", async () => {
    await service.pool`
      insert into workflow_versions (project_id, workflow_id, graph, superseded_at)
      select ${project.id}, ${workflowId}, '{}', now() - interval '2 days' from generate_series(1, 250)`;

    await purgeVersions(service);
    const left = await service.pool`select from workflow_versions where workflow_id = ${workflowId}`;

    expect(left).toHaveLength(0);
  });

  test("is not one of another project's", async () => {
    const other = await service.createProject();
    const asked = currentVersion(service, other.id, workflowId);
    await expect(asked).rejects.toMatchObject({ status: 404, problemCode: "WORKFLOW_NOT_FOUND" });
  });
});
