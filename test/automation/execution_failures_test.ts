// What becomes of executions when a statement fails: what may pass is tried again, what is wrong fails, and only that.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { sweepExecutions } from "../../src/automation/engine/recovery.ts";
import { runExecutions, startWorkflows, wakeExecutions } from "../../src/automation/engine/mod.ts";
import { startScheduledRun, startScheduledWorkflows } from "../../src/automation/engine/schedule.ts";
import type { Context } from "../../src/context.ts";
import { another, countJobs, databaseError, meddled, takeJobs } from "../support/meddling.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const workflows = workflowsOf(service, () => project);
const { build, call, later, outcomes, path, states, history, track } = workflows;

const EXIT = { type: "EXIT" };
const asking = (more: object = {}) =>
  build({
    steps: { Ask: { type: "CONDITION", field: "data.a", operator: "exists" }, End: EXIT },
    ways: ["Trigger > Ask", "Ask no> End"],
    ...more,
  });
const A_CONDITION = /^select c\.n/;

beforeEach(async () => {
  project = await service.createProject();
});

afterEach(async () => {
  service.setNow(new Date());
  await service.dropJobs();
  await service.pool`delete from workflows`;
});

/** A process in which statements like that fail with this error. */
const failing = (pattern: RegExp, error: Error): Context =>
  meddled(service, pattern, () => {
    throw error;
  });

/** Runs the jobs of single executions that are due, as a worker would whose statements fail. */
const tryAlone = async (ctx: Context) => {
  const due = await service.dropJobs(
    ({ name, runAt }) => name === "run_executions" && runAt <= service.now(),
  );
  for (const { payload } of due) await runExecutions(ctx, payload);
  return due.length;
};

describe("an error that will pass", () => {
  test.each(["25006", "40001", "53100", "53200", "53300", "55P03", "57P01", "58030", "CONNECTION_CLOSED"])(
    "is left to the queue, however often (%s): nobody fails",
    async (code) => {
      const { id } = await asking();
      await track("a@example.com");
      const [job] = await takeJobs(service, "start_workflows");
      const broken = failing(A_CONDITION, databaseError(code));
      const refusals: unknown[] = [];
      for (let n = 0; n < 8; n++) await startWorkflows(broken, job!).catch((error) => refusals.push(error));
      const before = await states(id);
      await startWorkflows(service, job!);
      await service.runJobs();

      expect([refusals.length, before]).toEqual([8, []]);
      expect(await states(id)).toEqual(["EXITED"]);
    },
  );

  test("is left to the queue also where an execution is run by itself", async () => {
    const { id } = await asking();
    const contactId = await track("a@example.com", "looked");
    await call("POST", `/workflows/${id}/executions`, { contactId });
    const [job] = await takeJobs(service, "run_executions");
    const alone = { ...job!, alone: true };
    const broken = failing(A_CONDITION, databaseError("53100"));
    for (let n = 0; n < 8; n++) expect(runExecutions(broken, alone)).rejects.toThrow("53100");
    await runExecutions(service, alone);

    expect(await states(id)).toEqual(["EXITED"]);
  });
});

describe("an error that nobody knows", () => {
  test.each([
    ["XX000", "an unexpected error occurs on every attempt"],
    ["57014", "it exceeds the database's time limit on every attempt"],
  ])("is tried again for some minutes, and then fails its execution (%s)", async (code, because) => {
    const { id } = await asking();
    await track("a@example.com");
    const broken = failing(A_CONDITION, databaseError(code));
    for (const job of await takeJobs(service, "start_workflows")) await startWorkflows(broken, job);
    let tries = 0;
    let minutes = 0;
    const inQueue: number[] = [];
    for (; (await states(id))[0] === "RUNNING" && minutes < 60; minutes++) {
      tries += await tryAlone(broken);
      service.setNow(new Date(service.now().getTime() + 60_000));
      await sweepExecutions(service);
      inQueue.push(await countJobs(service, "run_executions"));
    }
    const { status, exitReason, steps } = await history(id);

    expect([status, exitReason]).toEqual(["FAILED", `Cannot carry out "Ask": ${because}`]);
    expect(steps.at(-1)).toMatchObject({ step: "Ask", status: "FAILED", error: exitReason });
    expect([tries, minutes > 5, Math.max(...inQueue)]).toEqual([5, true, 1]);
  });

  test("is forgotten when the step was done in the end", async () => {
    const { id } = await asking();
    await track("a@example.com");
    const broken = failing(A_CONDITION, databaseError("XX000"));
    for (const job of await takeJobs(service, "start_workflows")) await startWorkflows(broken, job);
    for (let n = 0; n < 4; n++) {
      await tryAlone(broken);
      service.setNow(new Date(service.now().getTime() + 300_000));
    }
    const [before] = await service.pool`select status, tries from executions`;
    await service.runJobs();
    const [after] = await service.pool`select status, tries from executions`;

    expect([{ ...before }, { ...after }]).toEqual([
      { status: "RUNNING", tries: 4 },
      { status: "EXITED", tries: 0 },
    ]);
    expect(await path(id)).toEqual(["Trigger", "Ask: no", "End"]);
  });
});

test("what is too deep or too large for the database fails at once", async () => {
  const { id } = await asking();
  await track("a@example.com");
  const broken = failing(A_CONDITION, databaseError("54001"));
  for (const job of await takeJobs(service, "start_workflows")) await startWorkflows(broken, job);
  await tryAlone(broken);

  expect((await history(id)).exitReason).toBe(
    'Cannot carry out "Ask": the database rejects what it would write',
  );
});

describe("executions that cannot be done", () => {
  const TOO_LARGE = { type: "UPDATE_CONTACT", updates: { big2: "{{big}}{{big}}" } };
  const big = { big: "x".repeat(40_000) };

  test("take nothing from those that share their transaction: every event of those starts one", async () => {
    const own = await build({
      allowReentry: true,
      steps: { Update: TOO_LARGE, End: EXIT },
      ways: ["Trigger > Update", "Update > End"],
    });
    await track("bad@example.com", "looked", big);
    await track("bad@example.com");
    for (let n = 0; n < 5; n++) await track("good@example.com");
    const mine = project;
    project = await service.createProject();
    await build({ steps: { Update: TOO_LARGE }, ways: ["Trigger > Update"] });
    await track("bad@example.com", "looked", big);
    await track("bad@example.com");
    project = mine;
    const jobs = await takeJobs(service, "start_workflows");
    const eventsOf = (projectId: string) =>
      jobs.filter((job) => job.projectId === projectId).flatMap(({ eventIds }) => eventIds);
    await Promise.all(
      [...new Set(jobs.map((job) => job.projectId))].map((projectId) =>
        startWorkflows(service, { projectId, eventIds: eventsOf(projectId), depth: 0 }),
      ),
    );
    await service.runJobs();
    const rows = await service.pool`
      select c.email, x.status, count(*)::int from executions x
      join contacts c on c.project_id = x.project_id and c.id = x.contact_id
      where x.workflow_id = ${own.id} group by c.email, x.status order by c.email`;

    expect([...rows]).toEqual([
      { email: "bad@example.com", status: "FAILED", count: 1 },
      { email: "good@example.com", status: "EXITED", count: 5 },
    ]);
  });

  test("in time hold nobody up for good: later events of the same contacts are heard when it is over", async () => {
    const { id } = await asking({ allowReentry: true });
    for (let n = 0; n < 4; n++) await track("a@example.com");
    const jobs = await takeJobs(service, "start_workflows");
    const slow = failing(A_CONDITION, databaseError("57014"));
    const job = { projectId: project.id, eventIds: jobs.flatMap(({ eventIds }) => eventIds), depth: 0 };
    await startWorkflows(slow, job);
    const before = await states(id);
    await service.runJobs();
    await later(1, "minutes");

    expect([before, await states(id)]).toEqual([["RUNNING"], Array(4).fill("EXITED")]);
  });
});

describe("a job that is run twice", () => {
  test("starts nothing again, also where re-entry is allowed", async () => {
    const { id } = await asking({ allowReentry: true });
    await track("a@example.com");
    await track("b@example.com");
    const jobs = await takeJobs(service, "start_workflows");
    for (const job of [...jobs, ...jobs]) await startWorkflows(service, job);
    await Promise.all(jobs.flatMap((job) => [1, 2].map(() => startWorkflows(another(service), job))));
    await track("a@example.com");
    await service.runJobs();

    expect(jobs.length).toBe(2);
    expect(await workflows.states(id)).toEqual(Array(3).fill("EXITED"));
  });

  test("ends no delay early, however short", async () => {
    const { id } = await build({
      steps: {
        Short: { type: "DELAY", amount: 0.075, unit: "minutes" },
        Also: { type: "DELAY", amount: 0.075, unit: "minutes" },
      },
      ways: ["Trigger > Short", "Short > Also"],
    });
    await track("a@example.com");
    await service.runJobs();
    const [{ id: executionId }] = await workflows.executions(id);
    await runExecutions(service, { projectId: project.id, executionIds: [executionId] });
    const first = await path(id);
    service.setNow(new Date(service.now().getTime() + 3_000));
    const [timer] = await takeJobs(service, "wake_executions");
    await wakeExecutions(service, timer!);
    const second = await path(id);
    await wakeExecutions(service, timer!);

    expect([first, second]).toEqual([
      ["Trigger", "Short"],
      ["Trigger", "Short", "Also"],
    ]);
    expect((await history(id)).steps.at(-1)).toMatchObject({ step: "Also", status: "WAITING" });
    await later(6_000);
    expect(await states(id)).toEqual(["COMPLETED"]);
  });

  test("asks a webhook once: the sweep finds the job that waits", async () => {
    await build({
      steps: { Hook: { type: "WEBHOOK", url: "https://hook.test/" } },
      ways: ["Trigger > Hook"],
    });
    await track("a@example.com");
    for (const job of await takeJobs(service, "start_workflows")) await startWorkflows(service, job);
    service.setNow(new Date(service.now().getTime() + 8 * 60_000));
    await sweepExecutions(service);
    const woken = await takeJobs(service, "wake_executions");
    for (const job of woken) await wakeExecutions(service, job);

    expect([woken.length, await countJobs(service, "call_webhook")]).toEqual([1, 1]);
  });
});

test("a flood of events of one contact goes through one after the other, some at a time", async () => {
  const { id } = await build({
    allowReentry: true,
    steps: { Count: { type: "UPDATE_CONTACT", updates: { last: "{{event.n}}" } }, End: EXIT },
    ways: ["Trigger > Count", "Count > End"],
  });
  const contactId = await track("a@example.com", "looked");
  await service.pool`
    insert into events (project_id, contact_id, name, data)
    select ${project.id}, ${contactId}, 'signup', json_build_object('n', n)
    from generate_series(1, 300) as n`;
  const [job] = await takeJobs(service, "start_workflows");
  await startWorkflows(service, job!);
  const [{ count }] = (await service.pool`
    select count(*)::int from executions where workflow_id = ${id}`) as unknown as [{ count: number }];
  await service.runJobs();
  const rows = await service.pool`
    select status, count(*)::int, count(distinct context -> 'event' ->> 'n')::int as numbers
    from executions where workflow_id = ${id} group by status`;

  expect([job!.eventIds.length, count]).toEqual([300, 20]);
  expect([...rows]).toEqual([{ status: "EXITED", count: 300, numbers: 300 }]);
});

describe("a scheduled start", () => {
  const scheduled = async () => {
    const { id } = await build({ steps: { End: EXIT }, ways: ["Trigger > End"] });
    await call("PATCH", `/workflows/${id}`, {
      triggerType: "SCHEDULE",
      triggerConfig: { schedule: "@yearly" },
    });
    await track("a@example.com", "looked");
    const [run] = await service.pool`
      insert into scheduled_runs (project_id, workflow_id, due_at, created_at)
      values (${project.id}, ${id}, now(), ${new Date(service.now().getTime() + 1000)})
      returning id`;
    return { id, runId: run!.id as string };
  };
  const CONTACTS = /^select c\.id\s+from contacts c/;

  test("has one job at most that waits", async () => {
    await scheduled();
    for (let minute = 0; minute < 5; minute++) await startScheduledWorkflows(service);

    expect(await countJobs(service, "start_scheduled_run")).toBe(1);
  });

  test("that always takes too long is given up, and the log says so", async () => {
    const { runId } = await scheduled();
    const slow = failing(CONTACTS, databaseError("57014"));
    const ends: string[] = [];
    for (let n = 0; n < 10; n++) {
      await startScheduledRun(slow, project.id, runId).then(
        () => ends.push("done"),
        () => ends.push("failed"),
      );
    }
    const left = await service.pool`select from scheduled_runs where id = ${runId}`;

    expect([ends, left.length]).toEqual([[...Array(9).fill("failed"), "done"], 0]);
    expect(service.lines.filter(({ message }) => message === "a scheduled start was given up")).toMatchObject(
      [{ level: "error", runId }],
    );
  });

  test("is not given up while the database is away", async () => {
    const { id, runId } = await scheduled();
    const away = failing(CONTACTS, databaseError("53100"));
    for (let n = 0; n < 20; n++) await startScheduledRun(away, project.id, runId).catch(() => {});
    await startScheduledRun(service, project.id, runId);
    await service.runJobs();

    expect(await outcomes(id)).toEqual({ a: "EXITED" });
  });
});
