// What a workflow names is written down when it is saved, so that what is in use is found by an index.
import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { createSegment } from "../../src/audience/segments/mod.ts";
import { addStep, deleteStep, patchStep } from "../../src/automation/workflows/editor.ts";
import { createWorkflow, deleteWorkflow, duplicateWorkflow } from "../../src/automation/workflows/mod.ts";
import { patchWorkflow } from "../../src/automation/workflows/settings.ts";
import { usesOfEvent } from "../../src/insight/events/usage.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
let workflowId: string;
let vip: string;

beforeEach(async () => {
  project = await service.createProject();
  workflowId = (await createWorkflow(service, project.id, { name: "W", eventName: "signup" })).id;
  vip = (
    await createSegment(service, project.id, {
      name: "VIP",
      type: "STATIC",
      condition: null,
      trackMembership: false,
    })
  ).id;
});

const add = (type: "CONDITION" | "WAIT_FOR_EVENT", config: object) =>
  addStep(service, project.id, workflowId, { type, name: type, config, autoConnect: false });
const tree = (...filters: object[]) => ({ condition: { logic: "AND", groups: [{ filters }] } });
const triggered = (field: string) => ({ field, operator: "triggered" });

async function references(id = workflowId): Promise<string[]> {
  const rows = await service.pool<{ kind: string; name: string }[]>`
    select distinct kind, name from workflow_references where project_id = ${project.id} and workflow_id = ${id}`;
  return rows.map(({ kind, name }) => `${kind} ${name}`).sort();
}

describe("what a workflow names", () => {
  test("is its trigger, what its steps wait for, and what they ask about", async () => {
    await add("WAIT_FOR_EVENT", { eventName: " ordered " });
    await add("CONDITION", tree(triggered("event.viewed"), triggered("bare"), triggered("email.opened")));
    await add("CONDITION", { field: "event.paid", operator: "triggeredWithin", value: 3, unit: "days" });
    await add("CONDITION", { field: "event.plan", operator: "equals", value: "pro" });
    await add("CONDITION", { field: "data.plan", operator: "exists" });
    await add("CONDITION", {
      field: `segment.${vip.toUpperCase()}`,
      operator: "memberOfSegment",
      value: true,
    });

    expect(await references()).toEqual([
      "EVENT bare",
      "EVENT email.open",
      "EVENT ordered",
      "EVENT paid",
      "EVENT signup",
      "EVENT viewed",
      `SEGMENT ${vip}`,
    ]);
  });

  test("follows every change", async () => {
    const { id } = await add("WAIT_FOR_EVENT", { eventName: "a" });
    await patchStep(service, project.id, workflowId, id, { config: { eventName: "b" } });
    await patchStep(service, project.id, workflowId, id, { name: "Renamed" });
    expect(await references()).toEqual(["EVENT b", "EVENT signup"]);

    const triggerConfig = { schedule: "@daily", segmentId: vip.toUpperCase() };
    await patchWorkflow(service, project.id, workflowId, { triggerType: "SCHEDULE", triggerConfig });
    expect(await references()).toEqual(["EVENT b", `SEGMENT ${vip}`]);

    const copy = await duplicateWorkflow(service, project.id, workflowId);
    expect(await references(copy.id)).toEqual(["EVENT b", `SEGMENT ${vip}`]);

    await deleteStep(service, project.id, workflowId, id, { splice: false });
    expect(await references()).toEqual([`SEGMENT ${vip}`]);
    await deleteWorkflow(service, project.id, workflowId);
    expect([await references(), await references(copy.id)]).toEqual([[], ["EVENT b", `SEGMENT ${vip}`]]);
  });
});

test("a look-up reads an index, among the references of very many workflows", async () => {
  await service.pool`
    insert into workflow_steps (project_id, workflow_id, type, name)
    select ${project.id}, ${workflowId}, 'WAIT_FOR_EVENT', n::text from generate_series(1, 50000) as n`;
  await service.pool`
    insert into workflow_references (project_id, kind, name, step_id, workflow_id)
    select project_id, 'EVENT', 'event ' || name, id, workflow_id from workflow_steps where type = 'WAIT_FOR_EVENT'`;
  await service.pool`analyze workflow_references`;
  const plan = await service.pool`
    explain (analyze, buffers, format json)
    select workflow_id from workflow_references
    where project_id = ${project.id} and kind = 'EVENT' and name = 'event 40000'`;
  const { Plan: top } = (plan[0]!["QUERY PLAN"] as { Plan: Record<string, number> }[])[0]!;

  expect((await usesOfEvent(service, project.id, "event 40000")).workflows).toHaveLength(1);
  expect(top["Shared Hit Blocks"]! + top["Shared Read Blocks"]!).toBeLessThan(10);
});
