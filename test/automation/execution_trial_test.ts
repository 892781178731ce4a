// A dry run says what a real one would come to.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { useService } from "../support/service.ts";
import { type StepPlan, workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const workflows = workflowsOf(service, () => project);
const { build, call, states, history, template, track } = workflows;

beforeEach(async () => {
  project = await service.createProject();
});

afterEach(async () => {
  await service.dropJobs();
});

/** The end of a dry run and that of a real one, of the same contact. */
const bothEnds = async (step: StepPlan, data: object = {}, before = async () => {}) => {
  const { id } = await build({ steps: { Step: step }, ways: ["Trigger > Step"] });
  const contactId = await track("a@example.com", "looked", data);
  await before();
  const trial = (await call("POST", `/workflows/${id}/test`, { contactId })).body;
  const untouched = [await states(id), await service.pool`select data from contacts where id = ${contactId}`];
  await call("POST", `/workflows/${id}/executions`, { contactId });
  await service.runJobs();
  const real = await history(id);
  expect(untouched).toMatchObject([[], [{ data }]]);
  return {
    trial: [trial.status, trial.exitReason, trial.path.at(-1).error],
    real: [real.status, real.exitReason, real.steps.at(-1)!.error],
  };
};

describe("a dry run fails as the real one does", () => {
  test("where the domain of the sender is not verified any more", async () => {
    const step = { type: "SEND_EMAIL", template: await template() };
    const { trial, real } = await bothEnds(step, {}, async () => {
      await service.pool`delete from domains where project_id = ${project.id}`;
    });

    expect(trial).toEqual(real);
    expect(trial[0]).toBe("FAILED");
  });

  test("where an update would make too much of the data", async () => {
    const step = { type: "UPDATE_CONTACT", updates: { twice: "{{big}}{{big}}" } };
    const { trial, real } = await bothEnds(step, { big: "x".repeat(40_000) });

    expect(trial).toEqual(real);
    expect(trial[1]).toBe('Cannot carry out "Step": The data of one contact has at most 64 KB');
  });

  test("where a date is beyond every calendar", async () => {
    const { trial, real } = await bothEnds(
      { type: "DELAY", until: "data.when" },
      { when: "9999-12-31T23:59:59-14:00" },
    );

    expect(trial).toEqual(real);
    expect(trial[1]).toBe('Cannot wait in "Step": the contact has no date in data.when');
  });

  test("where a template would send to nobody", async () => {
    const recipient = { type: "CUSTOM", customEmail: "{{owner}}" };
    const { trial, real } = await bothEnds({
      type: "SEND_EMAIL",
      template: await template(),
      recipient,
    });

    expect(trial).toEqual(real);
    expect(trial[1]).toBe('Cannot send "Step": {{owner}} gives no email address');
  });
});

test("a dry run updates by the rule of every request, and the steps behind it see it", async () => {
  const { id } = await build({
    steps: {
      Update: {
        type: "UPDATE_CONTACT",
        updates: { plan: "pro", old: null, empty: "", once: { value: 1, persistent: false } },
      },
      "Pro?": { type: "CONDITION", field: "data.plan", operator: "equals", value: "pro" },
      "Old?": { type: "CONDITION", field: "data.old", operator: "exists" },
      End: { type: "EXIT" },
    },
    ways: ["Trigger > Update", "Update > Pro?", "Pro? yes> Old?", "Old? yes> End"],
  });
  const { body } = await call("POST", `/workflows/${id}/test`, { data: { plan: "free", old: 1 } });

  expect(body.path.map(({ name, branch }: { name: string; branch: string }) => [name, branch])).toEqual([
    ["Trigger", null],
    ["Update", null],
    ["Pro?", "yes"],
    ["Old?", "no"],
  ]);
  expect(body.path[1].output).toEqual({ set: ["plan"], removed: ["old"] });
});

test("a dry run writes nothing, not even a version of the graph", async () => {
  const { id, ids } = await build({
    steps: {
      Mail: { type: "SEND_EMAIL", template: await template() },
      Update: { type: "UPDATE_CONTACT", updates: { a: 1 }, subscriptionAction: "unsubscribe" },
      Wait: { type: "WAIT_FOR_EVENT", eventName: "paid", timeout: 60 },
      Hook: { type: "WEBHOOK", url: "https://hook.test/" },
      End: { type: "EXIT" },
    },
    ways: ["Trigger > Mail", "Mail > Update", "Update > Wait", "Wait > Hook", "Hook > End"],
  });
  const contactId = await track("a@example.com", "looked");
  const written = async () => [
    await service.jobs(),
    ...(await service.pool`
      select
        (select count(*) from workflow_versions)::int as versions,
        (select count(*) from contents)::int as contents,
        (select count(*) from events)::int as events,
        (select array_agg(xmin::text || ctid::text) from contacts) as contacts`),
  ];
  await call("PATCH", `/workflows/${id}/steps/${ids.End}`, { config: { reason: "Other" } });
  const before = await written();
  for (let n = 0; n < 3; n++) await call("POST", `/workflows/${id}/test`, { contactId });

  expect(await written()).toEqual(before);
});
