// The graph of a workflow as one document: saved as a whole or not at all, with what is wrong with it, and how
// executions fare in it.
import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { rollUpStepCounts } from "../../src/automation/workflows/statistics.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const { call, template, build, track, executions } = workflowsOf(service, () => project);

beforeEach(async () => {
  project = await service.createProject();
});

interface Step {
  id: string;
  type: string;
  name: string;
  config?: object;
  templateId?: string | null;
}

const make = async (): Promise<string> =>
  (await call("POST", "/workflows", { name: "Welcome", eventName: "signup" })).body.id;
const read = async (id: string) => (await call("GET", `/workflows/${id}/graph`)).body;
const save = (id: string, graph: object) => call("PUT", `/workflows/${id}/graph`, graph);
const faults = (body: { error: { errors: { field: string }[] } }) =>
  body.error.errors.map(({ field }) => field);
const exit = (name = "End"): Step => ({ id: crypto.randomUUID(), type: "EXIT", name });
const day = (name = "Day"): Step => ({
  id: crypto.randomUUID(),
  type: "DELAY",
  name,
  config: { amount: 1, unit: "days" },
});

describe("PUT /workflows/:id/graph", () => {
  test("saves what is new, changes what is there and removes what is gone", async () => {
    const id = await make();
    const { version, steps } = await read(id);
    const [trigger] = steps;
    const [first, last] = [day(), exit()];
    const one = await save(id, {
      version,
      steps: [trigger, { ...first, position: { x: 10, y: 20 } }, last],
      transitions: [
        { from: trigger.id, to: first.id },
        { from: first.id, to: last.id, priority: 3 },
      ],
    });
    const other = exit("Other");
    const two = await save(id, {
      version: one.body.version,
      steps: [trigger, { ...first, name: "Two days", config: { amount: 2, unit: "days" } }, other],
      transitions: [
        { from: trigger.id, to: first.id },
        { from: first.id, to: other.id },
      ],
    });

    expect([one.status, two.status]).toEqual([200, 200]);
    expect(one.body.steps.map((step: Step & { position: object }) => [step.name, step.position])).toEqual([
      ["Trigger", trigger.position],
      ["Day", { x: 10, y: 20 }],
      ["End", { x: 0, y: 0 }],
    ]);
    expect(one.body.transitions).toContainEqual({ from: first.id, to: last.id, branch: null, priority: 3 });
    expect(two.body.steps.map(({ name }: Step) => name)).toEqual(["Trigger", "Two days", "Other"]);
    expect(two.body.transitions.map(({ to }: { to: string }) => to)).toEqual([first.id, other.id]);
    expect(await read(id)).toEqual(two.body);
    expect((await save(id, two.body)).body).toEqual(two.body);
    const { body } = await call("GET", `/workflows/${id}`);
    expect(body.steps.map(({ name }: Step) => name)).toEqual(["Trigger", "Two days", "Other"]);
  });

  test("refuses a lost update, says who was first, and saves nothing of it", async () => {
    const id = await make();
    const seen = await read(id);
    const body = { ...seen, steps: [...seen.steps, exit()] };
    const [one, two] = await Promise.all([
      save(id, body),
      save(id, { ...body, steps: [...seen.steps, day()] }),
    ]);
    const refused = one.status === 412 ? one : two;

    expect([one.status, two.status].toSorted()).toEqual([200, 412]);
    expect(refused.body.error.code).toBe("PRECONDITION_FAILED");
    expect(refused.body.error.details).toMatchObject({
      editedBy: expect.any(String),
      editedAt: expect.any(String),
    });
    expect((await read(id)).steps).toHaveLength(2);
    const after = await call("POST", `/workflows/${id}/steps`, { type: "EXIT", name: "By itself" });
    expect(after.status).toBe(201);
    const late = await save(id, { ...seen });

    expect([late.status, late.body.error.suggestion]).toEqual([412, "Read it again, and repeat your change"]);
  });

  test("lists everything that is wrong at once, and changes nothing", async () => {
    const id = await make();
    const { version, steps } = await read(id);
    const [trigger] = steps;
    const [first, second] = [day(), exit()];
    const bad = await save(id, {
      version,
      steps: [
        trigger,
        { ...first, config: { amout: 3 } },
        second,
        { ...exit("Twice"), id: second.id },
        { ...exit(), type: "TRIGGER" },
      ],
      transitions: [],
    });
    const loose = await save(id, {
      version,
      steps: [trigger, first, second],
      transitions: [
        { from: trigger.id, to: crypto.randomUUID() },
        { from: first.id, to: first.id },
        { from: second.id, to: first.id },
      ],
    });
    const strange = await save(id, {
      version,
      steps: [
        trigger,
        { ...exit("Mail"), type: "SEND_EMAIL", templateId: crypto.randomUUID() },
        {
          ...exit("Asks"),
          type: "CONDITION",
          config: { field: `segment.${crypto.randomUUID()}`, operator: "memberOfSegment" },
        },
      ],
      transitions: [],
    });

    expect(bad.status).toBe(422);
    expect(faults(bad.body)).toEqual(
      expect.arrayContaining(["steps.3.id", "steps.4.type", "steps.1.config.amount", "steps.1.config.unit"]),
    );
    expect([loose.status, faults(loose.body)]).toEqual([
      422,
      ["transitions.0.to", "transitions.1", "transitions.2"],
    ]);
    expect([strange.status, faults(strange.body).toSorted()]).toEqual([
      422,
      ["steps.1.templateId", "steps.2.config.field"],
    ]);
    expect((await save(id, { version, steps: [first], transitions: [] })).status).toBe(422);
    expect(await read(id)).toMatchObject({ version, steps });
  });

  test("lists faults of steps, of what they refer to and of transitions in one answer", async () => {
    const id = await make();
    const { version, steps } = await read(id);
    const [trigger] = steps;
    const [sound, last] = [day(), exit()];
    const broken = { ...day("Broken"), config: { amount: -1, unit: "days" } };
    const mail = { ...exit("Mail"), type: "SEND_EMAIL", templateId: crypto.randomUUID() };
    const answer = await save(id, {
      version,
      steps: [trigger, sound, broken, mail, last],
      transitions: [
        { from: trigger.id, to: sound.id },
        { from: sound.id, to: sound.id },
        { from: broken.id, to: trigger.id },
        { from: last.id, to: mail.id },
        { from: mail.id, to: crypto.randomUUID() },
        { from: broken.id, to: mail.id },
      ],
    });
    const unread = await save(id, {
      steps: [trigger, { ...broken, name: 5 }, { ...sound, config: { amout: 1 } }, { ...last, id: "x" }],
      transitions: [],
    });

    expect([answer.status, faults(answer.body)]).toEqual([
      422,
      [
        "steps.2.config.amount",
        "steps.3.templateId",
        "transitions.1",
        "transitions.2",
        "transitions.3",
        "transitions.4.to",
      ],
    ]);
    expect([unread.status, faults(unread.body).toSorted()]).toEqual([
      422,
      [
        "steps.1.config.amount",
        "steps.1.name",
        "steps.2.config.amount",
        "steps.2.config.amout",
        "steps.2.config.unit",
        "steps.3.id",
        "version",
      ],
    ]);
    expect(await read(id)).toMatchObject({ version, steps });
  });

  test("takes a whole document only: a part of one would remove the rest", async () => {
    const id = await make();
    const { version, steps } = await read(id);
    const answers = [
      await call("PATCH", `/workflows/${id}/graph`, { version, steps }),
      await save(id, { steps }),
    ];

    expect(answers.map(({ status, body }) => [status, faults(body)])).toEqual([
      [422, ["transitions"]],
      [422, ["version", "transitions"]],
    ]);
  });

  test("lets executions under way go on by the version that they began with", async () => {
    const { id } = await build({
      steps: { Wait: { type: "DELAY", amount: 1, unit: "days" }, End: { type: "EXIT" } },
      ways: ["Trigger > Wait", "Wait > End"],
    });
    await track("ada@example.com");
    await service.runJobs();
    const graph = await read(id);
    const only = exit("Other end");
    const { status } = await save(id, {
      version: graph.version,
      steps: [graph.steps[0], only],
      transitions: [{ from: graph.steps[0].id, to: only.id }],
    });
    service.setNow(new Date(Date.now() + 2 * 86_400_000));
    await service.runJobs();
    service.setNow(new Date());

    expect(status).toBe(200);
    expect((await executions(id))[0].status).toBe("EXITED");
  });

  test("holds as many steps as a workflow may have, and no more", async () => {
    const id = await make();
    const { version, steps } = await read(id);
    const many = Array.from({ length: 499 }, (_, n) => exit(`End ${n}`));
    const over = await save(id, { version, steps: [...steps, ...many, exit()], transitions: [] });
    const full = await save(id, { version, steps: [...steps, ...many], transitions: [] });

    expect([over.status, full.status, full.body.steps.length]).toEqual([422, 200, 500]);
  });
});

describe("findings", () => {
  test("are shown with a draft, and those that are errors keep it from being enabled", async () => {
    const id = await make();
    const { findings } = await read(id);
    const refused = await call("PATCH", `/workflows/${id}`, { enabled: true });

    expect(findings).toEqual([
      {
        level: "error",
        stepId: null,
        field: null,
        message: "The trigger leads to no step: nothing would happen",
      },
    ]);
    expect([refused.status, faults(refused.body)]).toEqual([422, ["steps"]]);
  });

  test("name a decision without branches, a webhook to a private address and a step that nothing leads to", async () => {
    const id = await make();
    const { version, steps } = await read(id);
    const ask = { ...exit("Ask"), type: "CONDITION", config: { field: "data.plan", operator: "exists" } };
    const hook = { ...exit("Hook"), type: "WEBHOOK", config: { url: "http://10.0.0.7/hook" } };
    const lost = exit("Lost");
    const { body } = await save(id, {
      version,
      steps: [...steps, hook, ask, lost],
      transitions: [
        { from: steps[0].id, to: hook.id },
        { from: hook.id, to: ask.id },
      ],
    });
    const found = body.findings.map(({ level, stepId }: { level: string; stepId: string }) => [
      level,
      stepId,
    ]);
    const refused = await call("PATCH", `/workflows/${id}`, { enabled: true });

    expect(found.toSorted()).toEqual(
      [
        ["error", hook.id],
        ["error", ask.id],
        ["warning", lost.id],
      ].toSorted(),
    );
    expect(faults(refused.body).toSorted()).toEqual(
      [`steps.${ask.id}`, `steps.${hook.id}.config.url`].toSorted(),
    );
  });

  test("tell of a mail without a template, which only a draft may have", async () => {
    const id = await make();
    const { version, steps } = await read(id);
    const [trigger] = steps;
    const mail = { ...exit("Mail"), type: "SEND_EMAIL" };
    const transitions = [{ from: trigger.id, to: mail.id }];
    const draft = await save(id, { version, steps: [trigger, mail], transitions });
    const moved = await call("PATCH", `/workflows/${id}/steps/${mail.id}`, { position: { x: 5, y: 5 } });
    const emptied = await call("PATCH", `/workflows/${id}/steps/${mail.id}`, { templateId: null });
    const refused = await call("PATCH", `/workflows/${id}`, { enabled: true });
    const templateId = await template();
    const finished = await call("PATCH", `/workflows/${id}/steps/${mail.id}`, { templateId });
    const enabled = await call("PATCH", `/workflows/${id}`, { enabled: true });
    const now = await read(id);
    const undone = await save(id, { version: now.version, steps: [trigger, mail], transitions });

    expect([draft.status, draft.body.findings]).toEqual([
      200,
      [{ level: "error", stepId: mail.id, field: "templateId", message: '"Mail" has no template' }],
    ]);
    expect([moved.status, moved.body.position, emptied.status]).toEqual([200, { x: 5, y: 5 }, 200]);
    expect([refused.status, faults(refused.body)]).toEqual([422, [`steps.${mail.id}.templateId`]]);
    expect([finished.status, enabled.status]).toEqual([200, 200]);
    expect([undone.status, faults(undone.body)]).toEqual([422, ["steps.1.templateId"]]);
    expect(await read(id)).toEqual(now);
  });

  test("warn of a sender whose domain is not verified any more, and let it be enabled", async () => {
    const templateId = await template();
    const { id } = await build({
      steps: { Mail: { type: "SEND_EMAIL", template: templateId } },
      ways: ["Trigger > Mail"],
    });
    await service.pool`update domains set status = 'FAILED' where project_id = ${project.id}`;
    const { findings } = await read(id);
    await call("PATCH", `/workflows/${id}`, { enabled: false });

    expect(findings).toEqual([expect.objectContaining({ level: "warning" })]);
    expect((await call("PATCH", `/workflows/${id}`, { enabled: true })).status).toBe(200);
  });
});

describe("how executions fare", () => {
  const walk = async () => {
    const flow = await build({
      steps: {
        "Pro?": { type: "CONDITION", field: "data.plan", operator: "equals", value: "pro" },
        Wait: { type: "DELAY", amount: 1, unit: "days" },
        End: { type: "EXIT" },
        Out: { type: "EXIT" },
      },
      ways: ["Trigger > Pro?", "Pro? yes> Wait", "Pro? no> Out", "Wait > End"],
    });
    for (const [n, plan] of ["pro", "pro", "free"].entries()) {
      await call("POST", "/contacts", { email: `c${n}@example.com`, data: { plan } });
      await track(`c${n}@example.com`);
    }
    await service.runJobs();
    return flow;
  };

  test("at each step is counted: who waits there, passed it, and how many of those that began", async () => {
    const { id, ids } = await walk();
    const figures = async () => {
      const { body } = await call("GET", `/workflows/${id}/statistics`);
      const nameOf = Object.fromEntries(Object.entries(ids).map(([name, step]) => [step, name]));
      return Object.fromEntries(
        body.map(({ stepId, ...rest }: { stepId: string }) => [nameOf[stepId] ?? "Trigger", rest]),
      );
    };
    const zero = { waiting: 0, entered: 0, passed: 0, failed: 0, conversion: 0, transitions: [] };
    const on = (to: string, passed: number, share: number, branch: string | null = null) => ({
      to: ids[to],
      branch,
      passed,
      share,
    });
    const expected = {
      Trigger: { ...zero, entered: 3, passed: 3, conversion: 100, transitions: [on("Pro?", 3, 100)] },
      "Pro?": {
        ...zero,
        entered: 3,
        passed: 3,
        conversion: 100,
        transitions: [on("Wait", 2, 66.67, "yes"), on("Out", 1, 33.33, "no")],
      },
      Wait: { ...zero, entered: 2, waiting: 2, transitions: [on("End", 0, 0)] },
      End: zero,
      Out: { ...zero, entered: 1, passed: 1, conversion: 33.33 },
    };

    expect(await figures()).toEqual(expected);
    await rollUpStepCounts(service);
    expect(await figures()).toEqual(expected);
    service.setNow(new Date(Date.now() + 2 * 86_400_000));
    await service.runJobs();
    service.setNow(new Date());
    expect(await figures()).toMatchObject({
      Wait: { entered: 2, waiting: 0, passed: 2 },
      End: { entered: 2, passed: 2, conversion: 66.67 },
    });
  });

  test("is counted for each way out of a wait, and one without a branch takes what no other does", async () => {
    const { id, ids } = await build({
      steps: {
        Wait: { type: "WAIT_FOR_EVENT", eventName: "paid", timeout: 60 },
        Late: { type: "EXIT" },
        End: { type: "EXIT" },
      },
      ways: ["Trigger > Wait", "Wait timeout> Late", "Wait > End"],
    });
    for (const n of [0, 1, 2]) await track(`w${n}@example.com`);
    await service.runJobs();
    await track("w0@example.com", "paid");
    await service.runJobs();
    service.setNow(new Date(Date.now() + 86_400_000));
    await service.runJobs();
    service.setNow(new Date());
    const { body } = await call("GET", `/workflows/${id}/statistics`);
    const wait = body.find(({ stepId }: { stepId: string }) => stepId === ids.Wait);

    expect(wait.transitions).toEqual([
      { to: ids.Late, branch: "timeout", passed: 2, share: 66.67 },
      { to: ids.End, branch: null, passed: 1, share: 33.33 },
    ]);
  });

  test("is listed by contact, step, status and date", async () => {
    const { id, ids } = await walk();
    const [contact] =
      await service.pool`select id from contacts where email = 'c2@example.com' and project_id = ${project.id}`;
    const total = async (query: string) => {
      const { body } = await call("GET", `/workflows/${id}/executions?${query}`);
      return [body.total, body.data.length];
    };
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();

    expect(await total("")).toEqual([3, 3]);
    expect(await total(`contactId=${contact!.id}`)).toEqual([1, 1]);
    expect(await total(`contactId=${contact!.id}&status=WAITING`)).toEqual([0, 0]);
    expect(await total(`contactId=${contact!.id}&stepId=${ids.Wait}`)).toEqual([0, 0]);
    expect(await total(`stepId=${ids.Wait}`)).toEqual([2, 2]);
    expect(await total(`stepId=${ids.Wait}&pageSize=1`)).toEqual([2, 1]);
    expect(await total(`stepId=${ids.Wait}&status=RUNNING`)).toEqual([0, 0]);
    expect(await total(`stepId=${ids.Wait}&until=2020-01-01`)).toEqual([0, 0]);
    expect(await total(`from=${tomorrow}`)).toEqual([0, 0]);
    expect(await total(`until=${tomorrow}&status=WAITING`)).toEqual([2, 2]);
    const wrong = await call("GET", `/workflows/${id}/executions?from=x&until=y`);
    expect([wrong.status, faults(wrong.body)]).toEqual([400, ["from", "until"]]);
  });
});
