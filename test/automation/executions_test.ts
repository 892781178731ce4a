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
const { build, call, later, outcomes, path, recipients, subjects, template, track } = workflows;

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

describe("a condition", () => {
  const mail = async (subject: string) => ({ type: "SEND_EMAIL", template: await template({ subject }) });

  test("of one field takes yes or no, and tells what decided", async () => {
    const { id } = await build({
      steps: {
        "Pro?": { type: "CONDITION", field: "data.plan", operator: "equals", value: "pro" },
        Yes: EXIT,
      },
      ways: ["Trigger > Pro?", "Pro? yes> Yes"],
    });
    await track("pro@example.com", "signup", { plan: "pro" });
    await track("free@example.com", "signup", { plan: "free" });
    await track("none@example.com");
    await service.runJobs();
    const told = async (name: string) => {
      const { status, steps } = await workflows.history(id, await workflows.of(id, name));
      return [status, steps[1]!.output];
    };

    expect(await Promise.all(["pro", "free", "none"].map(told))).toEqual([
      ["EXITED", { branch: "yes", values: { "data.plan": "pro" } }],
      ["COMPLETED", { branch: "no", values: { "data.plan": "free" } }],
      ["COMPLETED", { branch: "no", values: { "data.plan": null } }],
    ]);
  });

  test("with several branches takes the first that holds, else the default", async () => {
    const { id } = await build({
      steps: {
        "How many?": {
          type: "CONDITION",
          mode: "multi",
          field: "data.orders",
          branches: [
            { id: "many", name: "Many", operator: "greaterThan", value: 10 },
            { id: "some", name: "Some", operator: "greaterThan", value: 0 },
          ],
        },
        Many: await mail("Many"),
        Some: await mail("Some"),
        Default: await mail("None"),
      },
      ways: [
        "Trigger > How many?",
        "How many? many> Many",
        "How many? some> Some",
        "How many? default> Default",
      ],
    });
    for (const orders of [11, 1, 0]) await track(`o${orders}@example.com`, "signup", { orders });
    await service.runJobs();

    const arrived = service.smtp.received.map(({ to }, i) => [to[0], subjects()[i]]);
    expect(Object.fromEntries(arrived)).toEqual({
      "o11@example.com": "Many",
      "o1@example.com": "Some",
      "o0@example.com": "None",
    });
    expect(await workflows.states(id)).toEqual(Array(3).fill("COMPLETED"));
  });

  test("may be a whole tree, with events and segments in it", async () => {
    const segment = (await call("POST", "/segments", { name: "VIP", type: "STATIC" })).body;
    await track("both@example.com", "bought");
    await track("member@example.com", "looked");
    await call("POST", `/segments/${segment.id}/members`, {
      emails: ["both@example.com", "member@example.com"],
    });
    const condition = {
      logic: "AND",
      groups: [
        { filters: [{ field: `segment.${segment.id}`, operator: "memberOfSegment" }] },
        { filters: [{ field: "event.bought", operator: "triggeredWithin", value: 1, unit: "days" }] },
      ],
    };
    const { id } = await build({
      steps: { "Buyer?": { type: "CONDITION", condition }, Yes: EXIT },
      ways: ["Trigger > Buyer?", "Buyer? yes> Yes"],
    });
    for (const who of ["both", "member", "nobody"]) await track(`${who}@example.com`);
    await service.runJobs();

    const isMember = { field: `segment.${segment.id}`, operator: "memberOfSegment" };
    const hasBought = { field: "event.bought", operator: "triggeredWithin", value: 1, unit: "days" };
    const told = async (who: string) =>
      (await workflows.history(id, await workflows.of(id, who))).steps[1]!.output;

    expect(await outcomes(id)).toEqual({ both: "EXITED", member: "COMPLETED", nobody: "COMPLETED" });
    expect([await told("both"), await told("member"), await told("nobody")]).toEqual([
      {
        branch: "yes",
        values: {},
        filters: [
          { ...isMember, holds: true },
          { ...hasBought, holds: true },
        ],
      },
      {
        branch: "no",
        values: {},
        filters: [
          { ...isMember, holds: true },
          { ...hasBought, holds: false },
        ],
      },
      {
        branch: "no",
        values: {},
        filters: [
          { ...isMember, holds: false },
          { ...hasBought, holds: false },
        ],
      },
    ]);
  });

  test("that decides by a single event tells it, too", async () => {
    const { id } = await build({
      steps: { "Paid?": { type: "CONDITION", field: "event.paid", operator: "notTriggered" }, Yes: EXIT },
      ways: ["Trigger > Paid?", "Paid? yes> Yes"],
    });
    await track("a@example.com");
    await service.runJobs();

    expect((await workflows.history(id)).steps[1]!.output).toEqual({
      branch: "yes",
      values: {},
      filters: [{ field: "event.paid", operator: "notTriggered", holds: true }],
    });
  });

  test("that counts events in its branches tells how it counted", async () => {
    const often = {
      id: "often",
      name: "Often",
      operator: "triggeredAtLeast",
      count: 2,
      value: 1,
      unit: "days",
    };
    const once = { id: "once", name: "Once", operator: "triggeredAtMost", count: 1 };
    const { id } = await build({
      steps: {
        "How often?": { type: "CONDITION", mode: "multi", field: "event.bought", branches: [often, once] },
        Yes: EXIT,
      },
      ways: ["Trigger > How often?", "How often? often> Yes"],
    });
    for (const who of ["keen", "keen", "calm"]) await track(`${who}@example.com`, "bought");
    for (const who of ["keen", "calm"]) await track(`${who}@example.com`);
    await service.runJobs();
    const { steps } = await workflows.history(id, await workflows.of(id, "keen"));

    expect(await outcomes(id)).toEqual({ keen: "EXITED", calm: "COMPLETED" });
    expect(steps[1]!.output).toMatchObject({
      branch: "often",
      filters: [
        {
          field: "event.bought",
          operator: "triggeredAtLeast",
          count: 2,
          value: 1,
          unit: "days",
          holds: true,
        },
      ],
    });
  });

  test("tells long texts in short, without half a character", async () => {
    const { id } = await build({
      steps: { "Bio?": { type: "CONDITION", field: "data.bio", operator: "exists" }, Yes: EXIT },
      ways: ["Trigger > Bio?", "Bio? yes> Yes"],
    });
    await track("a@example.com", "signup", { bio: "😀".repeat(300) });
    await service.runJobs();
    const { status, steps } = await workflows.history(id);
    const { "data.bio": bio } = steps[1]!.output!.values as { "data.bio": string };

    expect(status).toBe("EXITED");
    expect([bio.length, bio.isWellFormed(), bio.slice(-4)]).toEqual([501, true, "😀\ufffd…"]);
  });

  test("may ask for the data of the event, and of what the caller gave", async () => {
    const { id } = await build({
      steps: {
        "Much?": { type: "CONDITION", field: "event.total", operator: "greaterThan", value: 100 },
        "Tried?": { type: "CONDITION", field: "context.trial", operator: "equals", value: true },
        Yes: EXIT,
      },
      ways: ["Trigger > Much?", "Much? yes> Yes", "Much? no> Tried?", "Tried? yes> Yes"],
    });
    const total = (value: number) => ({ total: { value, persistent: false } });
    await track("much@example.com", "signup", total(101));
    await track("little@example.com", "signup", total(99));
    await service.runJobs();
    const contactId = await track("given@example.com", "looked");
    await call("POST", `/workflows/${id}/executions`, { contactId, context: { trial: true } });
    await service.runJobs();

    expect(await outcomes(id)).toEqual({ much: "EXITED", little: "COMPLETED", given: "EXITED" });
    expect((await workflows.history(id, await workflows.of(id, "little"))).steps[1]!.output).toEqual({
      branch: "no",
      values: { "event.total": 99 },
    });
  });
});

describe("an update of the contact", () => {
  test("goes by the rule of every request, and its events are recorded once", async () => {
    const { id } = await build({
      steps: {
        Update: {
          type: "UPDATE_CONTACT",
          updates: {
            plan: "pro",
            city: null,
            note: "",
            paid: "{{event.amount}} EUR",
            n: { value: 1, persistent: true },
          },
          subscriptionAction: "unsubscribe",
        },
      },
      ways: ["Trigger > Update"],
    });
    const data = { city: "Oslo", note: "kept", amount: { value: 5, persistent: false } };
    const contactId = await track("a@example.com", "signup", data);
    await service.runJobs();
    const { body } = await call("GET", `/contacts/${contactId}`);
    const events = await service.pool`select name from events where contact_id = ${contactId} order by id`;

    expect([body.subscribed, body.data]).toEqual([false, { plan: "pro", note: "kept", paid: "5 EUR", n: 1 }]);
    expect(events.map((event) => event.name)).toEqual(["signup", "contact.unsubscribed"]);
    expect((await workflows.history(id)).steps[1]!.output).toEqual({
      set: expect.arrayContaining(["plan", "paid", "n"]),
      removed: ["city"],
      subscribed: false,
    });
  });

  test("is seen by the steps behind it", async () => {
    const { id } = await build({
      steps: {
        Update: { type: "UPDATE_CONTACT", updates: { plan: "pro" } },
        "Pro?": { type: "CONDITION", field: "data.plan", operator: "equals", value: "pro" },
        Mail: { type: "SEND_EMAIL", template: await template({ subject: "You are {{plan}}" }) },
      },
      ways: ["Trigger > Update", "Update > Pro?", "Pro? yes> Mail"],
    });
    await track("a@example.com");
    await service.runJobs();

    expect(subjects()).toEqual(["You are pro"]);
    expect(await workflows.path(id)).toEqual(["Trigger", "Update", "Pro?: yes", "Mail"]);
  });

  test("that the database refuses fails its own execution with a reason, and no other", async () => {
    const { id } = await build({
      steps: {
        Before: { type: "SEND_EMAIL", template: await template({ subject: "Before" }) },
        Update: { type: "UPDATE_CONTACT", updates: { text: "{{event.text}}" } },
        After: { type: "SEND_EMAIL", template: await template({ subject: "After" }) },
      },
      ways: ["Trigger > Before", "Before > Update", "Update > After"],
    });
    // The two together are more than a contact may hold.
    await track("guilty@example.com", "looked", { kept: "y".repeat(20_000) });
    await Promise.all(
      ["a", "b", "guilty", "c"].map((who) => {
        const value = who === "guilty" ? "x".repeat(60_000) : "small";
        return track(`${who}@example.com`, "signup", { text: { value, persistent: false } });
      }),
    );
    await service.runJobs();
    const { exitReason, steps } = await workflows.history(id, await workflows.of(id, "guilty"));

    expect(await outcomes(id)).toEqual({ a: "COMPLETED", b: "COMPLETED", c: "COMPLETED", guilty: "FAILED" });
    expect(exitReason).toBe('Cannot carry out "Update": The data of one contact has at most 64 KB');
    expect(steps.map(({ step, status }) => [step, status])).toEqual([
      ["Trigger", "COMPLETED"],
      ["Before", "COMPLETED"],
      ["Update", "FAILED"],
    ]);
    expect(subjects().toSorted()).toEqual([...Array(3).fill("After"), ...Array(4).fill("Before")]);
  });
});

describe("a mail", () => {
  const sending = async (more: object = {}, recipient?: object) => ({
    steps: { Mail: { type: "SEND_EMAIL", template: await template(more), ...(recipient && { recipient }) } },
    ways: ["Trigger > Mail"],
  });

  test("to somebody who is not subscribed is SUPPRESSED, and the execution goes on", async () => {
    const { id } = await build(await sending({ type: "MARKETING" }));
    const contactId = await track("a@example.com", "signup");
    await service.pool`update contacts set subscribed = false where id = ${contactId}`;
    await service.runJobs();
    const { steps } = await workflows.history(id);
    const { body } = await call("GET", `/emails/${String(steps[1]!.output!.emailId)}`);

    expect(recipients()).toEqual([]);
    expect(body).toMatchObject({
      status: "SUPPRESSED",
      error: "The contact is not subscribed",
      sourceType: "WORKFLOW",
    });
    expect(await workflows.states(id)).toEqual(["COMPLETED"]);
  });

  test("to another address knows the contact that it is about", async () => {
    const subject = "New: {{contact.email}} of {{company}} wants {{event.plan}}, {{email}}";
    const { id } = await build(
      await sending({ subject }, { type: "CUSTOM", customEmail: "{{region}}@shop.example" }),
    );
    const data = { company: "ACME", region: "north", plan: { value: "pro", persistent: false } };
    await track("a@example.com", "signup", data);
    await service.runJobs();
    const contacts = await service.pool`select email from contacts where project_id = ${project.id}`;

    expect([recipients(), subjects()]).toEqual([
      ["north@shop.example"],
      ["New: a@example.com of ACME wants pro, north@shop.example"],
    ]);
    expect(contacts).toHaveLength(1);
    expect(await workflows.states(id)).toEqual(["COMPLETED"]);
  });

  test("to what is no address fails, and says so", async () => {
    const { id } = await build(await sending({}, { type: "CUSTOM", customEmail: "{{region}}@shop.example" }));
    await track("a@example.com");
    await service.runJobs();

    expect((await workflows.history(id)).exitReason).toBe(
      'Cannot send "Mail": {{region}}@shop.example gives no email address',
    );
  });

  test("says what its template says when it is sent by its step, and not what it said before", async () => {
    const templateId = await template({ subject: "Before" });
    await build({
      allowReentry: true,
      steps: { Mail: { type: "SEND_EMAIL", template: templateId } },
      ways: ["Trigger > Mail"],
    });
    const round = async () => {
      await track("a@example.com");
      await service.runJobs();
    };
    await round();
    await round();
    await call("PATCH", `/templates/${templateId}`, { subject: "After" });
    await round();
    const contents = await service.pool`select from contents where project_id = ${project.id}`;

    expect(subjects()).toEqual(["Before", "Before", "After"]);
    expect(contents).toHaveLength(2);
  });

  test("from a domain that is not verified any more fails, and says so", async () => {
    const { id } = await build(await sending());
    await service.pool`update domains set status = 'FAILED' where project_id = ${project.id}`;
    await track("a@example.com");
    await service.runJobs();

    expect((await workflows.history(id)).exitReason).toStartWith("Cannot send from shop.example");
  });

  test("to an address on the suppression list is in the ledger and not sent", async () => {
    await call("POST", "/suppressions", { email: "a@example.com" });
    const { id } = await build(await sending());
    await track("a@example.com");
    await service.runJobs();
    const [row] = await service.pool`select status, data from emails where project_id = ${project.id}`;

    expect([row, recipients(), await workflows.states(id)]).toEqual([
      { status: "SUPPRESSED", data: null },
      [],
      ["COMPLETED"],
    ]);
  });

  test("keeps nothing of the event once it was sent", async () => {
    await build(await sending({ subject: "{{event.secret}}" }));
    await track("a@example.com", "signup", { secret: { value: "s3cret", persistent: false } });
    await service.runJobs();
    const [row] = await service.pool`select status, data from emails where project_id = ${project.id}`;

    expect([subjects(), row]).toEqual([["s3cret"], { status: "SENT", data: null }]);
  });
});
