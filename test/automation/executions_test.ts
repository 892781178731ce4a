// Executions from their event to their end.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { wakeExecutions } from "../../src/automation/engine/mod.ts";
import { another, takeJobs } from "../support/meddling.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const workflows = workflowsOf(service, () => project);
const { build, call, later, outcomes, path, subjects, template, track } = workflows;

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
});

afterEach(async () => {
  service.smtp.behave({});
  service.setNow(new Date());
  await service.dropJobs();
});

const EXIT = { type: "EXIT" };
const wait = (days: number) => ({ type: "DELAY", amount: days, unit: "days" });

describe("a welcome series", () => {
  test("of 14 days sends each mail on its day, once", async () => {
    const mail = async (subject: string) => ({ type: "SEND_EMAIL", template: await template({ subject }) });
    const { id } = await build({
      steps: {
        "Day 0": await mail("Welcome {{firstName}}"),
        "3 days": wait(3),
        "Day 3": await mail("Tips"),
        "4 days": wait(4),
        "Day 7": await mail("More"),
        "7 days": wait(7),
        "Day 14": await mail("Goodbye"),
      },
      ways: [
        "Trigger > Day 0",
        "Day 0 > 3 days",
        "3 days > Day 3",
        "Day 3 > 4 days",
        "4 days > Day 7",
        "Day 7 > 7 days",
        "7 days > Day 14",
      ],
    });
    await track("ada@example.com", "signup", { firstName: "Ada" });
    const sent: string[][] = [];
    for (let day = 0; day <= 15; day++) {
      if (day > 0) await later(1, "days");
      else await service.runJobs();
      sent[day] = subjects();
      service.smtp.received.length = 0;
    }

    expect(sent.map((list, day) => [day, ...list]).filter((row) => row.length > 1)).toEqual([
      [0, "Welcome Ada"],
      [3, "Tips"],
      [7, "More"],
      [14, "Goodbye"],
    ]);
    expect(await workflows.states(id)).toEqual(["COMPLETED"]);
    expect(await workflows.path(id)).toEqual([
      "Trigger",
      "Day 0",
      "3 days",
      "Day 3",
      "4 days",
      "Day 7",
      "7 days",
      "Day 14",
    ]);
    const { body } = await call("GET", `/emails?contactId=${(await workflows.executions(id))[0].contactId}`);
    expect(
      body.data.map((email: { sourceType: string; status: string }) => [email.sourceType, email.status]),
    ).toEqual(Array(4).fill(["WORKFLOW", "SENT"]));
  });
});

describe("a delay", () => {
  test("of 365 days is over after 365 days, and not before", async () => {
    const { id } = await build({
      steps: { Year: wait(365), End: EXIT },
      ways: ["Trigger > Year", "Year > End"],
    });
    await track("a@example.com");
    await service.runJobs();
    await later(364, "days");
    const before = await workflows.states(id);
    await later(23, "hours");
    const justBefore = await workflows.states(id);
    await later(1, "hours");

    expect([before, justBefore, await workflows.states(id)]).toEqual([["WAITING"], ["WAITING"], ["EXITED"]]);
  });

  test("directly after a delay begins when the first one ends", async () => {
    const { id } = await build({
      steps: { One: wait(1), Two: wait(1), End: EXIT },
      ways: ["Trigger > One", "One > Two", "Two > End"],
    });
    await track("a@example.com");
    await service.runJobs();
    await later(25, "hours");
    const [between] = await workflows.executions(id);
    await later(23, "hours");
    const stillThere = await workflows.states(id);
    await later(1, "hours");

    expect([between.status, between.currentStep.name]).toEqual(["WAITING", "Two"]);
    expect([stillThere, await workflows.states(id)]).toEqual([["WAITING"], ["EXITED"]]);
  });

  test("as the last step is waited for, and then the execution is COMPLETED", async () => {
    const { id } = await build({ steps: { Last: wait(1) }, ways: ["Trigger > Last"] });
    await track("a@example.com");
    await service.runJobs();
    const before = await workflows.states(id);
    await later(1, "days");
    const { status, completedAt, currentStepId, steps } = await workflows.history(id);

    expect(before).toEqual(["WAITING"]);
    expect([status, completedAt, currentStepId]).toEqual(["COMPLETED", expect.any(String), null]);
    expect(steps.at(-1)).toMatchObject({ step: "Last", status: "COMPLETED", error: null });
  });

  test("until a date of the contact ends then; one that has passed is not waited for", async () => {
    const { id } = await build({
      steps: { Trial: { type: "DELAY", until: "data.trialEndsAt" }, End: EXIT },
      ways: ["Trigger > Trial", "Trial > End"],
    });
    const inTwoDays = new Date(service.now().getTime() + 2 * 86_400_000).toISOString();
    await track("future@example.com", "signup", { trialEndsAt: inTwoDays });
    await track("past@example.com", "signup", { trialEndsAt: "2020-01-31" });
    await service.runJobs();
    const before = await outcomes(id);
    await later(2, "days");

    expect(before).toEqual({ future: "WAITING", past: "EXITED" });
    expect(await outcomes(id)).toEqual({ future: "EXITED", past: "EXITED" });
  });

  test("until a date that the contact has not got fails, and says so", async () => {
    const { id } = await build({
      steps: { Trial: { type: "DELAY", until: "data.trialEndsAt" } },
      ways: ["Trigger > Trial"],
    });
    await track("a@example.com", "signup", { trialEndsAt: "soon" });
    await service.runJobs();
    const { status, exitReason, steps } = await workflows.history(id);

    expect([status, exitReason]).toEqual([
      "FAILED",
      'Cannot wait in "Trial": the contact has no date in data.trialEndsAt',
    ]);
    expect(steps.at(-1)).toMatchObject({ step: "Trial", status: "FAILED", error: exitReason });
  });

  test("until a date beyond the year 9999, by its offset, fails, and says so", async () => {
    const { id } = await build({
      steps: { Trial: { type: "DELAY", until: "data.trialEndsAt" } },
      ways: ["Trigger > Trial"],
    });
    await track("in@example.com", "signup", { trialEndsAt: "9999-12-31T23:59:59+14:00" });
    await track("beyond@example.com", "signup", { trialEndsAt: "9999-12-31T23:59:59-14:00" });
    await service.runJobs();

    expect(await outcomes(id)).toEqual({ in: "WAITING", beyond: "FAILED" });
    expect((await workflows.history(id, await workflows.of(id, "beyond"))).exitReason).toBe(
      'Cannot wait in "Trial": the contact has no date in data.trialEndsAt',
    );
  });
});

test("a history is in the order in which it happened, whatever the clocks of the processes say", async () => {
  const { id } = await build({
    steps: {
      Short: { type: "DELAY", amount: 0.05, unit: "minutes" },
      Wait: { type: "WAIT_FOR_EVENT", eventName: "paid" },
    },
    ways: ["Trigger > Short", "Short > Wait"],
  });
  await track("a@example.com");
  await service.runJobs();
  const [timer] = await takeJobs(service, "wake_executions");
  const slow = another(service, () => new Date(service.now().getTime() - 1_500));
  await wakeExecutions(slow, timer!);
  await track("a@example.com", "paid");
  await service.runJobs();

  expect(await path(id)).toEqual(["Trigger", "Short", "Wait: event"]);
});

describe("a wait for an event", () => {
  const BOTH = ["Trigger > Paid?", "Paid? event> Thanks", "Paid? timeout> Reminder"];
  const waiting = (timeout?: number) => ({
    type: "WAIT_FOR_EVENT",
    eventName: "paid",
    ...(timeout && { timeout }),
  });
  const plan = async (timeout?: number) => ({
    steps: {
      "Paid?": waiting(timeout),
      Thanks: { type: "SEND_EMAIL", template: await template({ subject: "Thanks for {{event.amount}}" }) },
      Reminder: { type: "SEND_EMAIL", template: await template({ subject: "Reminder" }) },
    },
    ways: BOTH,
  });

  test("goes on by the event, with its data, and the timeout finds nothing left", async () => {
    const { id } = await build(await plan(3_600));
    await track("a@example.com");
    await service.runJobs();
    await track("a@example.com", "paid", { amount: { value: 42, persistent: false } });
    await service.runJobs();
    await later(2, "hours");

    expect(subjects()).toEqual(["Thanks for 42"]);
    expect(await workflows.path(id)).toEqual(["Trigger", "Paid?: event", "Thanks"]);
    expect((await workflows.history(id)).context).toEqual({ event: { amount: 42 } });
    expect(await service.pool`select from waits`).toHaveLength(0);
  });

  test("goes on by the timeout, and the event finds nothing left", async () => {
    const { id } = await build(await plan(3_600));
    await track("a@example.com");
    await service.runJobs();
    await later(1, "hours");
    await track("a@example.com", "paid");
    await service.runJobs();

    expect(subjects()).toEqual(["Reminder"]);
    expect(await workflows.path(id)).toEqual(["Trigger", "Paid?: timeout", "Reminder"]);
  });

  test.each(["event", "timeout"])("with one way out goes on by it after the %s", async (end) => {
    const { id } = await build({
      steps: { "Paid?": waiting(60), End: EXIT },
      ways: ["Trigger > Paid?", "Paid? > End"],
    });
    await track("a@example.com");
    await service.runJobs();
    if (end === "event") await track("a@example.com", "paid");
    await later(end === "event" ? 1_000 : 60_000);

    expect(await workflows.path(id)).toEqual(["Trigger", `Paid?: ${end}`, "End"]);
  });

  test.each(["event", "timeout"])("that leads nowhere ends with the %s", async (end) => {
    const { id } = await build({ steps: { "Paid?": waiting(60) }, ways: ["Trigger > Paid?"] });
    await track("a@example.com");
    await service.runJobs();
    const before = await workflows.states(id);
    if (end === "event") await track("a@example.com", "paid");
    await later(end === "event" ? 1_000 : 60_000);

    expect([before, await workflows.states(id)]).toEqual([["WAITING"], ["COMPLETED"]]);
    expect(await service.pool`select from waits`).toHaveLength(0);
  });

  test("without a timeout waits for ever", async () => {
    const { id } = await build(await plan());
    await track("a@example.com");
    await service.runJobs();
    await later(400, "days");
    const before = await workflows.states(id);
    await track("a@example.com", "paid", { amount: 1 });
    await service.runJobs();

    expect([before, await workflows.states(id)]).toEqual([["WAITING"], ["COMPLETED"]]);
  });

  test("is not ended by an event of another contact, of another name, or from before it began", async () => {
    const { id } = await build(await plan());
    await track("a@example.com", "paid");
    await track("a@example.com");
    await service.runJobs();
    await track("b@example.com", "paid");
    await track("a@example.com", "Paid");
    await service.runJobs();

    expect(await workflows.states(id)).toEqual(["WAITING"]);
  });

  test("for the same event twice needs two of them", async () => {
    const { id } = await build({
      steps: { One: waiting(), Two: waiting() },
      ways: ["Trigger > One", "One > Two"],
    });
    await track("a@example.com");
    await service.runJobs();
    await Promise.all([1, 2, 3].map(() => track("a@example.com", "paid")));
    await service.runJobs();
    const [between] = await workflows.executions(id);
    await track("a@example.com", "paid");
    await service.runJobs();

    expect(between.currentStep.name).toBe("Two");
    expect(await workflows.states(id)).toEqual(["COMPLETED"]);
  });
});
