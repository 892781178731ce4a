// The texts of steps: whatever they ask for, they cost so much and no more.
import { beforeEach, describe, expect, spyOn, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Run } from "../../src/automation/runs/run.ts";
import { runExecutions } from "../../src/automation/engine/mod.ts";
import { updateContactStep } from "../../src/automation/steps/update_contact.ts";
import { inTransaction, newId } from "../../src/context.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const { build, call, outcomes, history, of, recipients, template, track } = workflowsOf(
  service,
  () => project,
);

beforeEach(async () => {
  service.setNow(new Date());
  project = await service.createProject();
  service.smtp.received.length = 0;
});

/** Some 30,000 steps for an event with a list of 10,000. */
const LOOP = "{{#each event.list}}{{#if a}}{{/if}}{{/each}}";
/** As many of them as a step may have, with room for another text. */
const FULL = Math.floor(10_000 / LOOP.length) - 1;
const list = Array(10_000).fill(0);

describe("the texts of one execution", () => {
  test("that are too much work together fail it with a reason, and no other", async () => {
    const { id } = await build({
      steps: {
        Update: { type: "UPDATE_CONTACT", updates: { a: Array(FULL).fill(LOOP), plan: "{{event.plan}}" } },
        Exit: { type: "EXIT" },
      },
      ways: ["Trigger > Update", "Update > Exit"],
    });
    for (const who of ["a", "guilty", "b"]) {
      await track(`${who}@example.com`, "signup", { plan: "pro", list: who === "guilty" ? list : [1] });
    }
    await service.runJobs();
    const { exitReason, steps } = await history(id, await of(id, "guilty"));
    const { body } = await call("GET", "/contacts?search=guilty");

    expect(await outcomes(id)).toEqual({ a: "EXITED", b: "EXITED", guilty: "FAILED" });
    expect(exitReason).toBe('Cannot carry out "Update": its texts take too much work');
    expect(steps.at(-1)).toMatchObject({ step: "Update", status: "FAILED", error: exitReason });
    expect(body.data[0].data).not.toHaveProperty("a");
  });

  test("that are too long together fail it with a reason", async () => {
    const { id } = await build({
      steps: { Update: { type: "UPDATE_CONTACT", updates: { a: Array(50).fill("{{event.long}}") } } },
      ways: ["Trigger > Update"],
    });
    await track("a@example.com", "signup", { long: "x".repeat(30_000) });
    await service.runJobs();

    expect((await history(id)).exitReason).toBe(
      'Cannot carry out "Update": its texts have more than 1,000,000 characters',
    );
  });

  test("are filled in wherever they stand, and everything else stays as it is", async () => {
    const { id } = await build({
      steps: {
        Update: {
          type: "UPDATE_CONTACT",
          updates: { a: ["{{event.plan}}", 1, { b: "{{email}}", c: null, d: true }], "{{event.plan}}": 5 },
        },
      },
      ways: ["Trigger > Update"],
    });
    await track("a@example.com", "signup", { plan: "pro" });
    await service.runJobs();
    const { body } = await call("GET", "/contacts?search=a@example.com");

    expect(await outcomes(id)).toEqual({ a: "COMPLETED" });
    expect(body.data[0].data).toMatchObject({
      a: ["pro", 1, { b: "a@example.com", c: null, d: true }],
      "{{event.plan}}": 5,
    });
  });
});

test("the address of a mail that is too much work is none", async () => {
  const { id } = await build({
    steps: {
      Mail: {
        type: "SEND_EMAIL",
        template: await template(),
        recipient: { type: "CUSTOM", customEmail: `${LOOP}boss@example.com` },
      },
    },
    ways: ["Trigger > Mail"],
  });
  await track("a@example.com", "signup", { list: [1, 2, 3] });
  await track("guilty@example.com", "signup", { list });
  await service.runJobs();

  expect(await outcomes(id)).toEqual({ a: "COMPLETED", guilty: "FAILED" });
});

test("many executions with costly texts let everybody else have a turn in between", async () => {
  let turns = 0;
  const turnsSeen = new Set<number>();
  const context = {
    get event() {
      turnsSeen.add(turns);
      return { list };
    },
  };
  const contact = { id: newId(service), email: "a@example.com", subscribed: true, data: {} };
  const visits = Array.from({ length: 40 }, () => ({
    entryId: newId(service),
    run: { projectId: project.id, depth: 0, contact, context } as unknown as Run,
  }));
  const step: Parameters<typeof updateContactStep.perform>[1] = {
    id: newId(service),
    type: "UPDATE_CONTACT",
    name: "Update",
    templateId: null,
    config: { updates: { a: Array(300).fill(LOOP) }, subscriptionAction: "none" },
  };
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const made = await inTransaction(service, (tx) => updateContactStep.perform(tx, step, visits));
  isDone = true;

  // Where the machine is slow, the last ones are left to another transaction.
  const done = made.filter((outcome) => outcome !== "later");
  expect(new Set(done.map(({ kind }) => kind))).toEqual(new Set(["fail"]));
  expect(turnsSeen.size).toBeGreaterThan(done.length / 10);
});

test("executions with texts that take too long for one transaction go on in others, each once", async () => {
  const { id, ids: steps } = await build({
    steps: {
      Update: { type: "UPDATE_CONTACT", updates: { plan: "{{event.plan}}" } },
      Again: { type: "UPDATE_CONTACT", updates: { again: "{{plan}}" } },
      Mail: { type: "SEND_EMAIL", template: await template() },
    },
    ways: ["Trigger > Update", "Update > Again", "Again > Mail"],
  });
  const names = Array.from({ length: 20 }, (_, i) => `c${i}`);
  const executionIds: string[] = [];
  for (const name of names) {
    const { body: contact } = await call("POST", "/contacts", { email: `${name}@example.com` });
    const start = { contactId: contact.id, context: { event: { plan: "pro" } } };
    executionIds.push((await call("POST", `/workflows/${id}/executions`, start)).body.id);
  }
  // All of them in one job.
  await service.dropJobs();
  // Every look at the clock takes half a second.
  let ms = performance.now();
  const clock = spyOn(performance, "now").mockImplementation(() => (ms += 500));
  await runExecutions(service, { projectId: project.id, executionIds });
  clock.mockRestore();
  await service.runJobs();
  const commits = await service.pool`
    select distinct xmin::text from step_executions where step_id = ${steps.Update!}`;

  expect(new Set(Object.values(await outcomes(id)))).toEqual(new Set(["COMPLETED"]));
  expect(commits.length).toBeGreaterThan(1);
  expect(recipients().toSorted()).toEqual(names.map((name) => `${name}@example.com`).toSorted());
});
