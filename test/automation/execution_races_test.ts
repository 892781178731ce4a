// What happens to executions when several things happen at once.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { disableProject, enableProject, type NewProject } from "../../src/accounts/projects/mod.ts";
import { sweepExecutions } from "../../src/automation/engine/recovery.ts";
import { runExecutions, startWorkflows, wakeExecutions } from "../../src/automation/engine/mod.ts";
import type { Context } from "../../src/context.ts";
import { untilBlocked } from "../support/locks.ts";
import { takeJobs } from "../support/meddling.ts";
import { useService } from "../support/service.ts";
import { type StepPlan, workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const workflows = workflowsOf(service, () => project);
const { build, call, later, outcomes, path, recipients, states, history, subjects, template, track } =
  workflows;

const EXIT = { type: "EXIT" };
const DAY = { type: "DELAY", amount: 1, unit: "days" };
const mail = async (subject: string) => ({ type: "SEND_EMAIL", template: await template({ subject }) });

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
});

afterEach(async () => {
  service.setNow(new Date());
  await service.dropJobs();
  await service.pool`delete from executions`;
});

/** Another process on the same database. */
const another = (): Context => {
  const pool = new Proxy(service.pool, {});
  return { ...service, pool, sql: pool };
};

/** A process in which something happens before the n-th statement of a transaction. */
const interrupted = (n: number, act: () => unknown): Context => {
  let statements = 0;
  const pool = new Proxy(service.pool, {
    get: (target, name) =>
      name !== "begin"
        ? Reflect.get(target, name)
        : (work: (sql: unknown) => unknown) =>
            target.begin((sql) =>
              work(
                new Proxy(sql, {
                  apply: (statement, self, args) => {
                    if (++statements === n) act();
                    return Reflect.apply(statement as never, self, args);
                  },
                }),
              ),
            ),
  });
  return { ...service, pool, sql: pool };
};

describe("re-entry", () => {
  test("is not allowed: 100 events at once make one execution, and later ones none", async () => {
    const { id } = await build({ steps: { Mail: await mail("Once") }, ways: ["Trigger > Mail"] });
    await Promise.all(Array.from({ length: 100 }, () => track("a@example.com")));
    const jobs = await takeJobs(service, "start_workflows");
    const [first, second] = [another(), another()];
    await Promise.all(jobs.flatMap((job) => [startWorkflows(first, job), startWorkflows(second, job)]));
    await service.runJobs();
    await track("a@example.com");
    await service.runJobs();

    expect(jobs.flatMap((job) => job.eventIds)).toHaveLength(100);
    expect([await states(id), recipients()]).toEqual([["COMPLETED"], ["a@example.com"]]);
  });

  test("is not allowed: of 30 calls at once one is 201 and the others are 409", async () => {
    const { id } = await build({ steps: { Wait: DAY }, ways: ["Trigger > Wait"] });
    const contactId = await track("a@example.com", "looked");
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => call("POST", `/workflows/${id}/executions`, { contactId })),
    );

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(29).fill(409)]);
    expect(await states(id)).toHaveLength(1);
  });

  test("is allowed: one at a time, and again when it has ended", async () => {
    const { id } = await build({ allowReentry: true, steps: { Wait: DAY }, ways: ["Trigger > Wait"] });
    for (let round = 1; round <= 3; round++) {
      await Promise.all(Array.from({ length: 20 }, () => track("a@example.com")));
      await service.runJobs();
      expect((await states(id)).filter((status) => status === "WAITING")).toHaveLength(1);
      expect(await states(id)).toHaveLength(round);
      await later(1, "days");
    }
    expect(await states(id)).toEqual(Array(3).fill("COMPLETED"));
  });

  test("is allowed: events at once go through one after the other, where the way is short", async () => {
    const { id } = await build({
      allowReentry: true,
      steps: {
        Count: { type: "UPDATE_CONTACT", updates: { last: "{{event.n}}" } },
        Mail: await mail("No. {{event.n}}"),
      },
      ways: ["Trigger > Count", "Count > Mail"],
    });
    await Promise.all(
      [1, 2, 3, 4, 5].map((n) => track("a@example.com", "signup", { n: { value: n, persistent: false } })),
    );
    const [all] = await takeJobs(service, "start_workflows").then((jobs) => [
      jobs.flatMap((job) => job.eventIds),
    ]);
    await startWorkflows(service, { projectId: project.id, eventIds: all!, depth: 0 });
    await service.runJobs();

    expect(await states(id)).toEqual(Array(5).fill("COMPLETED"));
    expect(subjects().toSorted()).toEqual([1, 2, 3, 4, 5].map((n) => `No. ${n}`));
  });

  test("that is forbidden later counts those who came in while it was allowed", async () => {
    const { id } = await build({ allowReentry: true, steps: { End: EXIT }, ways: ["Trigger > End"] });
    await track("a@example.com");
    await service.runJobs();
    await call("PATCH", `/workflows/${id}`, { allowReentry: false });
    await track("a@example.com");
    await service.runJobs();

    expect(await states(id)).toEqual(["EXITED"]);
  });
});

describe("an event and a timeout", () => {
  const plan = async () => ({
    steps: {
      "Paid?": { type: "WAIT_FOR_EVENT", eventName: "paid", timeout: 60 },
      Thanks: await mail("Thanks"),
      Reminder: await mail("Reminder"),
    },
    ways: ["Trigger > Paid?", "Paid? event> Thanks", "Paid? timeout> Reminder"],
  });
  const people = Array.from({ length: 40 }, (_, n) => `p${n}@example.com`);

  test("at the same instant settle on one of them for everybody", async () => {
    const { id } = await build(await plan());
    await Promise.all(people.map((email) => track(email)));
    await service.runJobs();
    const timers = await takeJobs(service, "wake_executions");
    service.setNow(new Date(service.now().getTime() + 60_500));
    await Promise.all(people.map((email) => track(email, "paid")));
    const heard = await takeJobs(service, "start_workflows");
    const [first, second] = [another(), another()];
    const each = timers.flatMap((job) => job.executionIds);
    await Promise.all([
      ...each.map((executionId) =>
        wakeExecutions(first, { projectId: project.id, executionIds: [executionId] }),
      ),
      ...heard
        .flatMap((job) => job.eventIds)
        .map((eventId) => startWorkflows(second, { projectId: project.id, eventIds: [eventId], depth: 0 })),
    ]);
    await service.runJobs();

    expect(each).toHaveLength(40);
    expect(recipients().toSorted()).toEqual(people.toSorted());
    expect(await outcomes(id)).toEqual(
      Object.fromEntries(people.map((email) => [email.split("@")[0], "COMPLETED"])),
    );
    const paths = await Promise.all(
      (await workflows.executions(id)).map((execution) => path(id, execution.id)),
    );
    for (const steps of paths) {
      expect([
        ["Trigger", "Paid?: event", "Thanks"],
        ["Trigger", "Paid?: timeout", "Reminder"],
      ]).toContainEqual(steps);
    }
  });

  test("settle on the event where it came in time, also when the timeout is dealt with first", async () => {
    const { id } = await build(await plan());
    await track("a@example.com");
    await service.runJobs();
    await track("a@example.com", "paid", { amount: 7 });
    const heard = await takeJobs(service, "start_workflows");
    await later(61_000);
    for (const job of heard) await startWorkflows(service, job);
    await service.runJobs();

    expect(await path(id)).toEqual(["Trigger", "Paid?: event", "Thanks"]);
    expect((await history(id)).context).toEqual({ event: { amount: 7 } });
    expect(subjects()).toEqual(["Thanks"]);
  });
});

describe("cancelling", () => {
  const before: Record<string, StepPlan> = {
    SEND_EMAIL: { type: "SEND_EMAIL" },
    DELAY: DAY,
    WAIT_FOR_EVENT: { type: "WAIT_FOR_EVENT", eventName: "paid", timeout: 86_400 },
    CONDITION: { type: "CONDITION", field: "data.plan", operator: "exists" },
    WEBHOOK: { type: "WEBHOOK", url: "https://hook.test/" },
    UPDATE_CONTACT: { type: "UPDATE_CONTACT", updates: { touched: true } },
    EXIT,
  };
  const planOf = async (type: string) => {
    const step = type === "SEND_EMAIL" ? { ...before[type]!, template: await template() } : before[type]!;
    const ways = type === "CONDITION" ? ["Step no> After"] : type === "EXIT" ? [] : ["Step > After"];
    return {
      steps: { Step: step, After: { type: "UPDATE_CONTACT", updates: { after: true } } },
      ways: ["Trigger > Step", ...ways],
    };
  };
  const dataOf = async (contactId: string) => (await call("GET", `/contacts/${contactId}`)).body.data;

  test.each(Object.keys(before))("before a %s begins is final: nothing is done", async (type) => {
    const { id } = await build(await planOf(type));
    const contactId = await track("a@example.com", "looked");
    const { body } = await call("POST", `/workflows/${id}/executions`, { contactId });
    const cancelled = await call("DELETE", `/workflows/${id}/executions/${body.id}`);
    await service.runJobs();
    await later(2, "days");

    expect([cancelled.status, cancelled.body.status]).toEqual([200, "CANCELLED"]);
    expect([await states(id), await dataOf(contactId), recipients()]).toEqual([["CANCELLED"], {}, []]);
    expect(await path(id)).toEqual(["Trigger"]);
  });

  test.each(["DELAY", "WAIT_FOR_EVENT", "WEBHOOK"])(
    "while a %s lasts is final: nothing follows",
    async (type) => {
      const { id } = await build(await planOf(type));
      const contactId = await track("a@example.com");
      for (const job of await takeJobs(service, "start_workflows")) await startWorkflows(service, job);
      const [execution] = await workflows.executions(id);
      const cancelled = await call("DELETE", `/workflows/${id}/executions/${execution.id}`);
      const again = await call("DELETE", `/workflows/${id}/executions/${execution.id}`);
      await track("a@example.com", "paid");
      await service.runJobs();
      await later(2, "days");
      const { status, exitReason, steps } = await history(id);

      expect([execution.status, cancelled.status, again.status]).toEqual(["WAITING", 200, 409]);
      expect([status, exitReason, await dataOf(contactId)]).toEqual(["CANCELLED", "Cancelled", {}]);
      expect(steps.at(-1)).toMatchObject({
        step: "Step",
        status: "FAILED",
        error: "The execution was cancelled",
      });
      expect(await service.pool`select from waits`).toHaveLength(0);
    },
  );

  // While the row is held nobody else can change it: so a cancellation comes before the transaction, or behind it.
  test.each(Object.keys(before))("while the transaction of a %s is open comes behind it", async (type) => {
    const { id } = await build(await planOf(type));
    const contactId = await track("a@example.com", "looked");
    const { body } = await call("POST", `/workflows/${id}/executions`, { contactId });
    const [job] = await takeJobs(service, "run_executions");
    let cancelling: ReturnType<typeof call> | undefined;
    const ctx = interrupted(5, () => (cancelling = call("DELETE", `/workflows/${id}/executions/${body.id}`)));
    await runExecutions(ctx, job!);
    const { status } = await cancelling!;
    const { steps } = await history(id);
    const open = await service.pool`
      select from step_executions where project_id = ${project.id} and completed_at is null`;
    const awaiting = await service.pool`select from waits where project_id = ${project.id}`;
    await takeJobs(service, "call_webhook");
    await service.runJobs();
    await later(2, "days");

    const waits = ["DELAY", "WAIT_FOR_EVENT", "WEBHOOK"].includes(type);
    expect([status, ...(await states(id))]).toEqual(
      waits ? [200, "CANCELLED"] : [409, type === "EXIT" ? "EXITED" : "COMPLETED"],
    );
    expect([open.length, awaiting.length]).toEqual([0, 0]);
    if (waits) expect(steps.at(-1)).toMatchObject({ status: "FAILED", error: "The execution was cancelled" });
    expect((await dataOf(contactId)).after).toBe(waits || type === "EXIT" ? undefined : true);
  });

  test("all of them leaves none under way", async () => {
    const { id } = await build({ steps: { Wait: DAY }, ways: ["Trigger > Wait"] });
    await Promise.all(Array.from({ length: 30 }, (_, n) => track(`p${n}@example.com`)));
    await service.runJobs();
    await track("late@example.com");
    const { status, body } = await call("POST", `/workflows/${id}/executions/cancel-all`);
    await service.runJobs();
    await later(1, "days");

    expect([status, body]).toEqual([200, { cancelled: 30 }]);
    expect((await outcomes(id)).late).toBe("COMPLETED");
    expect(Object.values(await outcomes(id)).filter((state) => state === "CANCELLED")).toHaveLength(30);
  });
});

describe("meanwhile", () => {
  test("an edit of the graph is for those who start after it", async () => {
    const { id, ids } = await build({
      steps: { Wait: DAY, Mail: await mail("As it was") },
      ways: ["Trigger > Wait", "Wait > Mail"],
    });
    await track("old@example.com");
    await service.runJobs();
    const graph = (await call("GET", `/workflows/${id}`)).body;
    const second = graph.steps.find((step: { id: string }) => step.id === ids.Mail).incomingTransitions[0].id;
    await call("DELETE", `/workflows/${id}/transitions/${second}`);
    await call("DELETE", `/workflows/${id}/steps/${ids.Mail}`);
    await call("PATCH", `/workflows/${id}/steps/${ids.Wait}`, { config: { amount: 2, unit: "days" } });
    await track("new@example.com");
    await service.runJobs();
    await later(1, "days");
    const between = await outcomes(id);
    await later(1, "days");

    expect(between).toEqual({ old: "COMPLETED", new: "WAITING" });
    expect(await outcomes(id)).toEqual({ old: "COMPLETED", new: "COMPLETED" });
    expect([recipients(), subjects()]).toEqual([["old@example.com"], ["As it was"]]);
    expect(await path(id, await workflows.of(id, "old"))).toEqual(["Trigger", "Wait", "Mail"]);
  });

  test("a workflow that is disabled starts nobody, and lets those go on who are under way", async () => {
    const { id } = await build({ steps: { Wait: DAY }, ways: ["Trigger > Wait"] });
    await track("on@example.com");
    await service.runJobs();
    await call("PATCH", `/workflows/${id}`, { enabled: false });
    await track("off@example.com");
    await later(1, "days");

    expect(await outcomes(id)).toEqual({ on: "COMPLETED" });
  });

  test.each(["DELAY", "WAIT_FOR_EVENT"])(
    "the deletion of a contact ends its %s, and what was known of it goes",
    async (type) => {
      const step = type === "DELAY" ? DAY : { type, eventName: "paid", timeout: 86_400 };
      const { id } = await build({
        steps: { Step: step, Mail: await mail("Late") },
        ways: ["Trigger > Step", "Step > Mail"],
      });
      const contactId = await track("a@example.com", "signup", { secret: "s3cret" });
      await service.runJobs();
      const deleted = await call("DELETE", `/contacts/${contactId}`);
      await later(2, "days");
      const { status, exitReason, context, steps } = await history(id);

      expect(deleted.status).toBe(204);
      expect([status, exitReason, context]).toEqual(["CANCELLED", "The contact was deleted", {}]);
      expect(steps.at(-1)).toMatchObject({ step: "Step", status: "FAILED", output: null });
      expect([recipients(), await service.pool`select from waits`]).toEqual([[], []]);
    },
  );

  test("the deletion of a contact in the middle of a transaction leaves neither a mail nor an address", async () => {
    const { id } = await build({
      steps: { Mail: await mail("Hi"), Wait: DAY },
      ways: ["Trigger > Mail", "Mail > Wait"],
    });
    for (let statement = 2; statement <= 12; statement++) {
      const contactId = await track(`p${statement}@example.com`);
      const [job] = await takeJobs(service, "start_workflows");
      let deleting: ReturnType<typeof call> | undefined;
      const ctx = interrupted(statement, () => (deleting = call("DELETE", `/contacts/${contactId}`)));
      await startWorkflows(ctx, job!);
      expect([statement, (await deleting!).status]).toEqual([statement, 204]);
    }
    await service.runJobs();
    const kept = await service.pool`
      select address, status, contact_id, data from emails where project_id = ${project.id}`;

    expect(new Set(await states(id))).toEqual(new Set(["CANCELLED"]));
    expect(kept.map((row) => [row.address.includes("@"), row.status, row.contactId, row.data])).toEqual(
      kept.map(() => [false, "SUPPRESSED", null, null]),
    );
    expect(recipients()).toEqual([]);
  });

  test("a contact that gets another address just then starts all the same, with the data of the event", async () => {
    const { id } = await build({ steps: { Wait: DAY }, ways: ["Trigger > Wait"] });
    const contactId = await track("a@example.com", "signup", { plan: { value: "pro", persistent: false } });
    const [job] = await takeJobs(service, "start_workflows");
    let starting: Promise<void> | undefined;
    await service.pool.begin(async (sql) => {
      await sql`update contacts set email = 'b@example.com' where id = ${contactId}`;
      starting = startWorkflows(service, job!);
      await untilBlocked(service.pool, {}, starting);
    });
    await starting;

    expect(await outcomes(id)).toEqual({ b: "WAITING" });
    expect((await history(id)).context).toEqual({ event: { plan: "pro" } });
  });

  test("a project that is disabled holds its executions; enabled, they go on", async () => {
    const { id } = await build({
      steps: {
        "Paid?": { type: "WAIT_FOR_EVENT", eventName: "email.sent" },
        Wait: DAY,
        Mail: await mail("Hi"),
      },
      ways: ["Trigger > Paid?", "Paid? event> Wait", "Wait > Mail"],
    });
    const { id: delays } = await build({
      event: "looked",
      steps: { Wait: DAY, Mail: await mail("Delayed") },
      ways: ["Trigger > Wait", "Wait > Mail"],
    });
    const { id: fresh } = await build({
      event: "new",
      steps: { Mail: await mail("New") },
      ways: ["Trigger > Mail"],
    });
    const contactId = await track("a@example.com");
    await track("a@example.com", "looked");
    await service.runJobs();
    await track("a@example.com", "new");
    await disableProject(service, project.id, "MANUAL");
    // A notice of the mail server still comes in.
    await service.pool`
      insert into events (project_id, contact_id, name, created_at)
      values (${project.id}, ${contactId}, 'email.sent', ${service.now()})`;
    await later(2, "days");
    await sweepExecutions(service);
    await service.runJobs();
    const held = await service.pool`select status from executions order by workflow_id`;
    const sentWhileDisabled = recipients();
    await enableProject(service, project.id);
    await later(3, "minutes");
    await sweepExecutions(service);
    await service.runJobs();
    await later(1, "days");

    expect([held.map((row) => row.status), sentWhileDisabled]).toEqual([
      ["RUNNING", "RUNNING", "RUNNING"],
      [],
    ]);
    expect([await states(id), await states(delays), await states(fresh)]).toEqual(
      Array(3).fill(["COMPLETED"]),
    );
    expect(subjects().toSorted()).toEqual(["Delayed", "Hi", "New"]);
  });
});
