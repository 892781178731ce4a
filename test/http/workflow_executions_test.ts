import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const { build, call, later, template, track } = workflowsOf(service, () => project);

const DAY = { type: "DELAY", amount: 1, unit: "days" };
const EXIT = { type: "EXIT", reason: "Done" };
const unknown = "0190d5a0-0000-7000-8000-000000000000";

beforeEach(async () => {
  service.setNow(new Date());
  project = await service.createProject();
});

describe("POST /workflows/:id/executions", () => {
  test("starts one and answers it", async () => {
    const { id, ids } = await build({ steps: { Day: DAY }, ways: ["Trigger > Day"] });
    const contactId = await track("a@example.com", "looked");
    const { status, body } = await call("POST", `/workflows/${id}/executions`, {
      contactId,
      context: { trial: true },
    });

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      workflowId: id,
      contactId,
      status: "RUNNING",
      currentStepId: ids.Day,
      exitReason: null,
      context: { trial: true },
      startedAt: expect.any(String),
      completedAt: null,
    });
  });

  test("what is given as context is there for templates and conditions, `event` as event.*", async () => {
    const { id } = await build({
      steps: {
        "Trial?": { type: "CONDITION", field: "context.trial", operator: "equals", value: true },
        Mail: { type: "SEND_EMAIL", template: await template({ subject: "{{coupon}} for {{event.plan}}" }) },
      },
      ways: ["Trigger > Trial?", "Trial? yes> Mail"],
    });
    const contactId = await track("a@example.com", "looked");
    const context = { trial: true, coupon: "C1", event: { plan: "pro" } };
    await call("POST", `/workflows/${id}/executions`, { contactId, context });
    await service.runJobs();

    expect(service.smtp.received.at(-1)!.source).toContain("Subject: C1 for pro");
  });

  test("is 400 for a workflow that is not enabled, and 409 where re-entry is not allowed", async () => {
    const { id } = await build({ steps: { Exit: EXIT }, ways: ["Trigger > Exit"] });
    const contactId = await track("a@example.com", "looked");
    const start = () => call("POST", `/workflows/${id}/executions`, { contactId });
    await start();
    await service.runJobs();
    const again = await start();
    await call("PATCH", `/workflows/${id}`, { allowReentry: true });
    const third = await start();
    const fourth = await start();
    await call("PATCH", `/workflows/${id}`, { enabled: false });
    const disabled = await start();

    expect([again, third, fourth, disabled].map(({ status }) => status)).toEqual([409, 201, 409, 400]);
    expect([again.body.error.code, disabled.body.error.code]).toEqual(["CONFLICT", "BAD_REQUEST"]);
    expect(again.body.error.suggestion).toContain("allowReentry");
  });

  test("is 404 for what is not the project's own", async () => {
    const { id } = await build({ steps: { Exit: EXIT }, ways: ["Trigger > Exit"] });
    const contactId = await track("a@example.com", "looked");
    const other = await service.createProject();
    const byOther = await service.request("POST", `/workflows/${id}/executions`, {
      key: other.secret,
      body: { contactId },
    });
    const noContact = await call("POST", `/workflows/${id}/executions`, { contactId: unknown });
    const noWorkflow = await call("POST", `/workflows/nonsense/executions`, { contactId });

    expect([byOther, noContact, noWorkflow].map(({ status, body }) => [status, body.error.code])).toEqual([
      [404, "WORKFLOW_NOT_FOUND"],
      [404, "CONTACT_NOT_FOUND"],
      [404, "WORKFLOW_NOT_FOUND"],
    ]);
  });

  test("is 422 for a body that is none", async () => {
    const { id } = await build({ steps: { Exit: EXIT }, ways: ["Trigger > Exit"] });
    const contactId = await track("a@example.com", "looked");
    const bodies = [
      {},
      { contactId: "x" },
      { contactId, context: [] },
      { contactId, context: { a: "x".repeat(70_000) } },
    ];
    const answers = await Promise.all(
      bodies.map((body) => call("POST", `/workflows/${id}/executions`, body)),
    );

    expect(answers.map(({ status, body }) => [status, body.error.errors?.[0].field])).toEqual([
      [422, "contactId"],
      [422, "contactId"],
      [422, "context"],
      [422, "context"],
    ]);
    expect(answers[2]!.body.error.errors[0].message).toBe("Expected an object");
  });

  test.each([51, 1_000, 20_000])(
    "is 422 for a context that is nested %i levels deep, and one of 50 goes through",
    async (levels) => {
      const { id } = await build({
        steps: {
          "Deep?": { type: "CONDITION", field: "event.a", operator: "exists" },
          Note: { type: "UPDATE_CONTACT", updates: { seen: "{{event}}" } },
        },
        ways: ["Trigger > Deep?", "Deep? no> Note"],
      });
      const contactId = await track("a@example.com", "looked");
      const start = (depth: number) => {
        const event = "[".repeat(depth - 1) + "]".repeat(depth - 1);
        const raw = `{"contactId": "${contactId}", "context": {"event": ${event}}}`;
        return service.request("POST", `/workflows/${id}/executions`, { key: project.secret, raw });
      };
      const [refused, taken] = [await start(levels), await start(50)];
      await service.runJobs();

      expect([refused.status, refused.body.error.errors]).toEqual([
        422,
        [expect.objectContaining({ field: "context", code: "custom" })],
      ]);
      expect(taken.status).toBe(201);
      expect((await call("GET", `/workflows/${id}/executions`)).body.data[0].status).toBe("COMPLETED");
    },
  );

  test("is 422 for a number beyond all bounds", async () => {
    const { id } = await build({ steps: { Exit: EXIT }, ways: ["Trigger > Exit"] });
    const contactId = await track("a@example.com", "looked");
    const raw = `{"contactId": "${contactId}", "context": {"a": [1e999]}}`;
    const { status, body } = await service.request("POST", `/workflows/${id}/executions`, {
      key: project.secret,
      raw,
    });

    expect([status, body.error.errors[0].field]).toEqual([422, "context"]);
  });
});

describe("GET /workflows/:id/executions", () => {
  test("lists them, the newest first, with the contact and the step, page by page and by status", async () => {
    const { id, ids } = await build({ steps: { Day: DAY }, ways: ["Trigger > Day"] });
    for (let n = 0; n < 5; n++) {
      await track(`p${n}@example.com`);
      await service.runJobs();
    }
    const all = (await call("GET", `/workflows/${id}/executions?pageSize=2`)).body;
    await call("DELETE", `/workflows/${id}/executions/${all.executions[0].id}`);
    const cancelled = (await call("GET", `/workflows/${id}/executions?status=CANCELLED`)).body;
    const waiting = (await call("GET", `/workflows/${id}/executions?status=WAITING&page=2&limit=3`)).body;
    const wrong = await call("GET", `/workflows/${id}/executions?status=nonsense`);

    expect(all).toMatchObject({ total: 5, page: 1, pageSize: 2, totalPages: 3 });
    expect(all.data).toEqual(all.executions);
    expect(all.executions.map((row: { contact: { email: string } }) => row.contact.email)).toEqual([
      "p4@example.com",
      "p3@example.com",
    ]);
    expect(all.executions[0]).toMatchObject({
      status: "WAITING",
      currentStepId: ids.Day,
      currentStep: { id: ids.Day, name: "Day", type: "DELAY" },
      contact: { id: all.executions[0].contactId, email: "p4@example.com" },
    });
    expect([cancelled.total, cancelled.data[0].id]).toEqual([1, all.executions[0].id]);
    expect([waiting.total, waiting.data.length, waiting.totalPages]).toEqual([4, 1, 2]);
    expect(wrong.status).toBe(400);
  });

  test("is 404 for an unknown workflow", async () => {
    expect((await call("GET", `/workflows/${unknown}/executions`)).status).toBe(404);
    expect((await call("POST", `/workflows/${unknown}/executions/cancel-all`)).status).toBe(404);
  });
});

describe("GET /workflows/:id/executions/:executionId", () => {
  test("tells the whole history, also when the graph is another one since", async () => {
    const { id, ids } = await build({
      steps: {
        "Pro?": { type: "CONDITION", field: "data.plan", operator: "equals", value: "pro" },
        Mail: { type: "SEND_EMAIL", template: await template() },
        Exit: EXIT,
      },
      ways: ["Trigger > Pro?", "Pro? yes> Mail", "Mail > Exit"],
    });
    await track("a@example.com", "signup", { plan: "pro" });
    await service.runJobs();
    await call("PATCH", `/workflows/${id}/steps/${ids["Pro?"]}`, { name: "Renamed" });
    const [{ id: executionId }] = (await call("GET", `/workflows/${id}/executions`)).body.executions;
    const { status, body } = await call("GET", `/workflows/${id}/executions/${executionId}`);
    const pages = body.stepExecutions;

    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: executionId,
      status: "EXITED",
      exitReason: "Done",
      currentStep: null,
      workflow: { id, name: "Welcome" },
      contact: { email: "a@example.com" },
      context: { event: { plan: "pro" } },
      completedAt: expect.any(String),
    });
    expect(
      pages.map((page: { step: { name: string }; status: string }) => [page.step.name, page.status]),
    ).toEqual([
      ["Trigger", "COMPLETED"],
      ["Pro?", "COMPLETED"],
      ["Mail", "COMPLETED"],
      ["Exit", "COMPLETED"],
    ]);
    expect(pages[1]).toMatchObject({
      executionId,
      stepId: ids["Pro?"],
      output: { branch: "yes", values: { "data.plan": "pro" } },
      error: null,
    });
    const email = await call("GET", `/emails/${pages[2].output.emailId}`);
    expect(email.body).toMatchObject({
      workflowExecutionId: executionId,
      sourceType: "WORKFLOW",
      status: "SENT",
    });
  });

  test("is 404 for one of another workflow, and for what is no id", async () => {
    const { id } = await build({ steps: { Exit: EXIT }, ways: ["Trigger > Exit"] });
    const { id: other } = await build({ event: "else", steps: { Exit: EXIT }, ways: ["Trigger > Exit"] });
    await track("a@example.com");
    await service.runJobs();
    const [{ id: executionId }] = (await call("GET", `/workflows/${id}/executions`)).body.executions;

    for (const path of [
      `${other}/executions/${executionId}`,
      `${id}/executions/x`,
      `${id}/executions/${unknown}`,
    ]) {
      expect([path, (await call("GET", `/workflows/${path}`)).status]).toEqual([path, 404]);
      expect([path, (await call("DELETE", `/workflows/${path}`)).status]).toEqual([path, 404]);
    }
  });
});

describe("DELETE /workflows/:id", () => {
  test("takes the executions that have ended with it, and their histories", async () => {
    const { id } = await build({ steps: { Exit: EXIT }, ways: ["Trigger > Exit"] });
    await track("a@example.com");
    await service.runJobs();
    const pages = () => service.pool`select from step_executions where project_id = ${project.id}`;
    const before = await pages();
    const { status } = await call("DELETE", `/workflows/${id}`);

    expect([before.length, status, (await pages()).length]).toEqual([2, 204, 0]);
  });
});

describe("DELETE /workflows/:id/executions/:executionId", () => {
  test("answers the execution, CANCELLED; 409 when it has ended", async () => {
    const { id, ids } = await build({ steps: { Day: DAY }, ways: ["Trigger > Day"] });
    await track("a@example.com");
    await service.runJobs();
    const [{ id: executionId }] = (await call("GET", `/workflows/${id}/executions`)).body.executions;
    const { status, body } = await call("DELETE", `/workflows/${id}/executions/${executionId}`);
    const again = await call("DELETE", `/workflows/${id}/executions/${executionId}`);
    await later(2, "days");

    expect([status, body]).toMatchObject([
      200,
      { id: executionId, status: "CANCELLED", currentStepId: ids.Day, completedAt: expect.any(String) },
    ]);
    expect([again.status, again.body.error.details]).toEqual([409, { status: "CANCELLED" }]);
    expect((await call("GET", `/workflows/${id}/executions/${executionId}`)).body.status).toBe("CANCELLED");
  });
});

describe("POST /workflows/:id/test", () => {
  const plan = async () => ({
    steps: {
      "Pro?": { type: "CONDITION", field: "data.plan", operator: "equals", value: "pro" },
      Upgrade: { type: "UPDATE_CONTACT", updates: { plan: "pro" } },
      Mail: { type: "SEND_EMAIL", template: await template() },
      "3 days": { type: "DELAY", amount: 3, unit: "days" },
      "Paid?": { type: "WAIT_FOR_EVENT", eventName: "paid", timeout: 86_400 },
      Hook: { type: "WEBHOOK", url: "https://hook.test/" },
      Exit: EXIT,
    },
    ways: [
      "Trigger > Pro?",
      "Pro? no> Upgrade",
      "Upgrade > Mail",
      "Pro? yes> Mail",
      "Mail > 3 days",
      "3 days > Paid?",
      "Paid? event> Hook",
      "Paid? timeout> Exit",
    ],
  });
  const names = (body: { path: { name: string; branch: string | null }[] }) =>
    body.path.map(({ name, branch }) => (branch ? `${name}: ${branch}` : name));

  test("answers the path of a contact, and does nothing", async () => {
    const { id } = await build(await plan());
    const contactId = await track("a@example.com", "looked", { plan: "pro" });
    const before = await service.jobs();
    service.smtp.received.length = 0;
    const { status, body } = await call("POST", `/workflows/${id}/test`, { contactId });
    const after = await service.jobs();

    expect([status, body.status, body.exitReason]).toEqual([200, "COMPLETED", null]);
    expect(names(body)).toEqual(["Trigger", "Pro?: yes", "Mail", "3 days", "Paid?: event", "Hook"]);
    expect(body.path[2].output).toMatchObject({ to: "a@example.com" });
    const [mailAt, waitAt] = [body.path[2].at, body.path[4].at].map((time) => new Date(time).getTime());
    expect(waitAt! - mailAt!).toBe(3 * 86_400_000);
    expect(after).toEqual(before);
    expect(await service.pool`select from executions where workflow_id = ${id}`).toHaveLength(0);
    expect(await service.pool`select from emails where project_id = ${project.id}`).toHaveLength(0);
  });

  test("goes by data and event of somebody who does not exist, and by timeouts where that is wanted", async () => {
    const { id } = await build(await plan());
    const { body } = await call("POST", `/workflows/${id}/test`, {
      data: { plan: "free" },
      waits: "timeout",
    });

    expect(names(body)).toEqual([
      "Trigger",
      "Pro?: no",
      "Upgrade",
      "Mail",
      "3 days",
      "Paid?: timeout",
      "Exit",
    ]);
    expect([body.status, body.exitReason]).toEqual(["EXITED", "Done"]);
    expect(await service.pool`select from contacts where project_id = ${project.id}`).toHaveLength(0);
  });

  test("says where it would fail, and ends in a circle", async () => {
    const failing = await build({
      steps: { Trial: { type: "DELAY", until: "data.trialEndsAt" } },
      ways: ["Trigger > Trial"],
    });
    const circle = await build({ steps: { A: DAY, B: DAY }, ways: ["Trigger > A", "A > B", "B > A"] });
    const [failed, endless] = await Promise.all(
      [failing, circle].map(({ id }) => call("POST", `/workflows/${id}/test`, {})),
    );

    expect(failed!.body).toMatchObject({
      status: "FAILED",
      path: [{}, { error: expect.stringContaining("no date") }],
    });
    expect([endless!.body.status, endless!.body.path.length]).toEqual(["RUNNING", 200]);
  });

  test("asks for the data of the event", async () => {
    const { id } = await build({
      steps: {
        "Much?": { type: "CONDITION", field: "event.total", operator: "greaterThan", value: 100 },
        Exit: EXIT,
      },
      ways: ["Trigger > Much?", "Much? yes> Exit"],
    });
    const { body } = await call("POST", `/workflows/${id}/test`, { eventData: { total: 101 } });

    expect([names(body), body.path[1].output]).toEqual([
      ["Trigger", "Much?: yes", "Exit"],
      { branch: "yes", values: { "event.total": 101 } },
    ]);
  });

  test.each([
    ["both a contact and data", `{"contactId": "${unknown}", "data": {}}`, "data"],
    ["data that no contact could hold", `{"data": {"a": ${"[".repeat(100)}${"]".repeat(100)}}}`, "data.a"],
    ["data that is too large", `{"data": {"a": "${"x".repeat(70_000)}"}}`, "data"],
    [
      "an event that is too deep",
      `{"eventData": {"a": ${"[".repeat(5_000)}${"]".repeat(5_000)}}}`,
      "eventData",
    ],
    ["an event that is too large", `{"eventData": {"a": "${"x".repeat(70_000)}"}}`, "eventData"],
    ["a number beyond all bounds", `{"eventData": {"a": 1e999}}`, "eventData"],
  ])("is 422 for %s", async (_, raw, field) => {
    const { id } = await build({ steps: { Exit: EXIT }, ways: ["Trigger > Exit"] });
    const { status, body } = await service.request("POST", `/workflows/${id}/test`, {
      key: project.secret,
      raw,
    });

    expect([status, body.error.errors?.map((error: { field: string }) => error.field)]).toEqual([
      422,
      [field],
    ]);
  });

  test("tells where texts would be too much work, each for itself and all together", async () => {
    const update = (count: number, text: string) => ({
      type: "UPDATE_CONTACT",
      updates: { a: Array(count).fill(text) },
    });
    const loop = "{{#each event.l}}{{#if z}}{{/if}}{{#if z}}{{/if}}{{/each}}";
    const alone = await build({ steps: { U: update(170, loop) }, ways: ["Trigger > U"] });
    // As much as can be saved in one step; thirteen of them are more than one trial may cost.
    const many = Array.from({ length: 16 }, (_, i) => `U${i}`);
    const together = await build({
      steps: Object.fromEntries(many.map((name) => [name, update(410, "{{event.some_long_name}}")])),
      ways: many.map((name, i) => `${many[i - 1] ?? "Trigger"} > ${name}`),
    });
    const eventData = { l: Array(10_000).fill(0) };
    const [one, all] = [
      await call("POST", `/workflows/${alone.id}/test`, { eventData }),
      await call("POST", `/workflows/${together.id}/test`, { eventData }),
    ];

    expect([one.body.status, one.body.exitReason]).toEqual([
      "FAILED",
      'Cannot carry out "U": its texts take too much work',
    ]);
    expect([all.status, all.body.status, all.body.path.at(-1).error]).toEqual([
      200,
      "FAILED",
      'Cannot carry out "U12": its texts take too much work',
    ]);
  });

  test("is 404 for an unknown contact or workflow", async () => {
    const { id } = await build({ steps: { Exit: EXIT }, ways: ["Trigger > Exit"] });

    expect((await call("POST", `/workflows/${id}/test`, { contactId: unknown })).body.error.code).toBe(
      "CONTACT_NOT_FOUND",
    );
    expect((await call("POST", `/workflows/${unknown}/test`, {})).body.error.code).toBe("WORKFLOW_NOT_FOUND");
  });
});
