import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { actorOf, OPERATOR } from "../../src/accounts/audit.ts";
import { requestDeletion, requestReset, sweepRemovals } from "../../src/accounts/projects/removal.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Jobs } from "../../src/jobs.ts";
import { DELETION, FOLLOWING, KEPT, RESET } from "../../src/removal/_steps.ts";
import { deleteProject, resetProject } from "../../src/removal/mod.ts";
import { recordReceived } from "../../src/sending/feedback/received_mails.ts";
import { subscriptionUrls } from "../../src/sending/compose/subscription_links.ts";
import { tasks } from "../../tasks/mod.ts";
import { join, signUp } from "../support/accounts.ts";
import { campaignsOf } from "../support/campaign.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { countsOf, fillProject, projectTables, rowsOf } from "../support/whole_project.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const campaigns = campaignsOf(service, () => project);
const workflows = workflowsOf(service, () => project);

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
  service.lines.length = 0;
});

afterEach(async () => {
  service.smtp.behave({});
  service.setNow(new Date());
  await service.dropJobs();
});

const call = (method: string, path: string, body?: unknown) =>
  service.request(method, path, { key: project.secret, ...(body !== undefined && { body }) });

const send = (to: string) =>
  call("POST", "/v1/send", { to, from: `hello@${DOMAIN}`, subject: "Hi", body: "<p>Hi</p>" });

/** Runs the jobs, also those that wait for the end of the requests of before. */
async function finish(): Promise<void> {
  await service.runJobs();
  service.setNow(new Date(service.now().getTime() + 60_000));
  await service.runJobs();
}

const failedJobs = () => service.lines.filter((line) => line.message === "job failed");

describe("the lists of tables", () => {
  test("name every table that holds rows of projects, for a deletion and for a reset", async () => {
    const tables = await projectTables(service.pool);
    const names = (steps: readonly { name: string }[]) => steps.map((step) => step.name);
    const wiped = names(RESET).filter((name) => !name.startsWith("late "));

    expect(
      names(DELETION)
        .filter((name) => name !== "jobs" && name !== "billing")
        .toSorted(),
    ).toEqual(tables);
    expect([...wiped, ...FOLLOWING, ...KEPT, "resets"].toSorted()).toEqual(tables);
  });
});

describe("the deletion of a project", () => {
  test("leaves no row of it in any table, and every row of another project as it was", async () => {
    const other = await service.createProject();
    await fillProject(service.pool, project.id);
    await fillProject(service.pool, other.id);
    const before = await rowsOf(service.pool, other.id);
    const full = await countsOf(service.pool, project.id);
    const tables = await projectTables(service.pool);

    await requestDeletion(service, project.id, OPERATOR);
    // By itself: the jobs of the other one would change its rows.
    await deleteProject(service, { projectId: project.id }, { graceMs: 0 });

    expect(Object.keys(full).toSorted()).toEqual([...tables, "projects", "send_rates"].toSorted());
    expect(await countsOf(service.pool, project.id)).toEqual({});
    expect(await rowsOf(service.pool, other.id)).toEqual(before);
  });

  test("comes to its end by its job, which leaves none behind in the queue", async () => {
    await fillProject(service.pool, project.id);
    await requestDeletion(service, project.id, OPERATOR);
    // Requests that had come in before are waited for: here longer than any machine takes for all of this.
    await deleteProject(service, { projectId: project.id }, { graceMs: 3_600_000 });
    const early = await countsOf(service.pool, project.id);
    service.setNow(new Date(Date.now() + 7_200_000));
    await finish();

    expect(Object.keys(early)).toContain("projects");
    expect(await countsOf(service.pool, project.id)).toEqual({});
    expect(await service.jobs()).toEqual([]);
    expect(failedJobs()).toEqual([]);
  });

  test("is written to the log, with who did it", async () => {
    const ada = { id: crypto.randomUUID(), email: "ada@example.com", proven: true };
    await requestDeletion(service, project.id, actorOf(ada));

    expect(service.lines).toContainEqual(
      expect.objectContaining({
        message: "project deleted",
        projectId: project.id,
        by: "user",
        userId: ada.id,
      }),
    );
    expect(JSON.stringify(service.lines)).not.toContain("ada@example.com");
  });

  test("is asked for once: then there is no such project", async () => {
    await requestDeletion(service, project.id, OPERATOR);
    const again = await Promise.allSettled([
      requestDeletion(service, project.id, OPERATOR),
      requestReset(service, project.id, OPERATOR),
      requestDeletion(service, crypto.randomUUID(), OPERATOR),
    ]);

    expect(again.map((end) => end.status === "rejected" && end.reason.status)).toEqual([404, 404, 404]);
  });

  test("that is asked for three times at once happens once", async () => {
    const asked = await Promise.allSettled(
      [1, 2, 3].map(() => requestDeletion(service, project.id, OPERATOR)),
    );

    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

describe("a deleted project is gone at once", () => {
  test("for its keys", async () => {
    await requestDeletion(service, project.id, OPERATOR);
    const track = { email: "a@example.com", event: "signup" };
    const answers = [
      await service.request("POST", "/v1/track", { key: project.public, body: track }),
      await send("a@example.com"),
      await call("GET", "/contacts"),
    ];

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      answers.map(() => [401, "INVALID_API_KEY"]),
    );
  });

  test("for those who look after it", async () => {
    const owner = await signUp(service);
    await join(service, owner, project.id, "OWNER");
    const deleted = await owner.request("DELETE", `/users/@me/projects/${project.id}`);
    const list = await owner.request("GET", "/users/@me/projects");
    const page = await owner.request("GET", "/contacts", undefined, { projectId: project.id });
    const again = await owner.request("DELETE", `/users/@me/projects/${project.id}`);

    expect([deleted.status, deleted.body]).toEqual([204, ""]);
    expect(list.body).toEqual([]);
    expect([page.status, page.body.error.code]).toEqual([403, "PROJECT_ACCESS_DENIED"]);
    expect([403, 404]).toContain(again.status);
  });

  test("for the operator", async () => {
    await requestDeletion(service, project.id, OPERATOR);

    expect(
      JSON.stringify(await import("../../src/accounts/projects/mod.ts").then((m) => m.listProjects(service))),
    ).not.toContain(project.id);
  });

  test("for the pages behind its mails", async () => {
    const { body } = await call("POST", "/contacts", { email: "a@example.com" });
    const { unsubscribeUrl, manageUrl } = subscriptionUrls(service, project.id, body.id);
    const pages = [unsubscribeUrl, manageUrl].map((url) => new URL(url).pathname);
    const before = await Promise.all(pages.map((page) => service.request("GET", page)));
    await requestDeletion(service, project.id, OPERATOR);
    const after = await Promise.all(pages.map((page) => service.request("GET", page)));
    const oneClick = await service.request("POST", pages[0]!);

    expect(before.map(({ status }) => status)).toEqual([200, 200]);
    expect(after.map(({ status }) => status)).toEqual([404, 404]);
    expect(oneClick.status).toBe(200);
  });

  test("for mail that comes in for its domains", async () => {
    await requestDeletion(service, project.id, OPERATOR);
    const mail = {
      sender: { email: "b@example.com", name: null },
      recipients: [`hello@${DOMAIN}`],
      verdicts: {},
    };
    const { forNobody } = await service.pool.begin((sql) =>
      recordReceived({ ...service, sql }, [
        { ...mail, subject: "Hi", messageId: null, at: new Date() },
      ] as never),
    );
    const rows = await service.pool`select from contacts where project_id = ${project.id}`;

    // The domain may be that of other projects of this file.
    expect(forNobody === 1 || rows.length === 0).toBe(true);
    expect(rows).toHaveLength(0);
  });
});

describe("nothing of a deleted project goes out", () => {
  test("neither mails that wait nor campaigns, now or at their time", async () => {
    await campaigns.addContacts(30);
    await send("a@example.com");
    const running = await campaigns.create();
    await campaigns.send(running);
    const scheduled = await campaigns.create();
    await campaigns.send(scheduled, new Date(service.now().getTime() + 3_600_000).toISOString());
    await requestDeletion(service, project.id, OPERATOR);
    await service.runJobs();
    service.setNow(new Date(service.now().getTime() + 7_200_000));
    await tasks.sweep_campaigns(service, {});
    await tasks.sweep_emails(service, {});
    await service.runJobs();

    expect(service.smtp.received).toHaveLength(0);
    expect(failedJobs()).toEqual([]);
    expect(await countsOf(service.pool, project.id)).toEqual({});
  });

  test("nor workflows that run, wait, or are due", async () => {
    const { id } = await workflows.build({
      steps: {
        One: { type: "SEND_EMAIL", template: await workflows.template({ subject: "One" }) },
        Day: { type: "DELAY", amount: 1, unit: "days" },
        Two: { type: "SEND_EMAIL", template: await workflows.template({ subject: "Two" }) },
      },
      ways: ["Trigger > One", "One > Day", "Day > Two"],
    });
    await workflows.track("early@example.com");
    await service.runJobs();
    await workflows.track("late@example.com");
    await requestDeletion(service, project.id, OPERATOR);
    await service.runJobs();
    service.setNow(new Date(service.now().getTime() + 2 * 86_400_000));
    await tasks.sweep_executions(service, {});
    await tasks.start_scheduled_workflows(service, {});
    await service.runJobs();

    expect(id).toBeString();
    expect(workflows.subjects()).toEqual(["One"]);
    expect(failedJobs()).toEqual([]);
    expect(await countsOf(service.pool, project.id)).toEqual({});
  });

  test("but what is being handed over at this moment ends, and leaves nothing behind", async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let ended = 0;
    service.smtp.behave({
      holdData: () => {
        ended++;
        return held;
      },
    });
    await send("a@example.com");
    await send("b@example.com");
    const running = service.runJobs();
    // What has not come so far is not ended any more.
    while (ended < 2) await Bun.sleep(10);
    await requestDeletion(service, project.id, OPERATOR);
    await deleteProject(service, { projectId: project.id }, { graceMs: 0 });
    letGo();
    await running;
    await finish();

    expect(service.smtp.received).toHaveLength(2);
    expect(failedJobs()).toEqual([]);
    expect(await countsOf(service.pool, project.id)).toEqual({});
  });
});

describe("jobs of a project that is gone", () => {
  test("end quietly, whatever they are about", async () => {
    const [projectId, id] = [crypto.randomUUID(), crypto.randomUUID()];
    const jobs: Partial<Jobs> = {
      call_webhook: { projectId, executionId: id, stepExecutionId: id },
      delete_project: { projectId },
      snapshot_audience: { projectId, campaignId: id },
      import_contacts: { projectId, importId: id },
      judge_reputation: { projectId },
      recount_segments: { projectId, segmentIds: [id] },
      reset_project: { projectId },
      run_bulk_job: { projectId, jobId: id },
      run_executions: { projectId, executionIds: [id] },
      send_batch: { projectId, campaignId: id, fromId: id, toId: id },
      send_emails: { projectId, emailIds: [id] },
      start_campaign: { projectId, campaignId: id },
      start_scheduled_run: { projectId, runId: id },
      start_workflows: { projectId, eventIds: [id], depth: 0 },
      suppress_campaign: { projectId, campaignId: id },
      sweep_project_segments: { projectId },
      update_segments: { projectId },
      wake_executions: { projectId, executionIds: [id] },
      warn_of_limit: { projectId, category: "inbound" },
    };
    for (const [name, payload] of Object.entries(jobs)) {
      await tasks[name as keyof Jobs](service, payload as never);
    }

    expect(service.lines.filter((line) => line.level === "error" || line.level === "warn")).toEqual([]);
    expect(await countsOf(service.pool, projectId)).toEqual({});
  });
});

describe("what others add meanwhile", () => {
  test("does not survive: requests that came before, answered or not", async () => {
    const statuses = new Set<number>();
    let isOver = false;
    const client = async (n: number) => {
      for (let i = 0; !isOver; i++) {
        const email = `c${n}-${i}@example.com`;
        const { status } =
          i % 2 === 0
            ? await service.request("POST", "/v1/track", { key: project.public, body: { email, event: "e" } })
            : await send(email);
        statuses.add(status);
      }
    };
    const clients = [1, 2, 3, 4].map(client);
    await fillProject(service.pool, project.id);
    await requestDeletion(service, project.id, OPERATOR);
    await service.runJobs();
    isOver = true;
    await Promise.all(clients);
    await finish();

    // 403: its domain went between two looks.
    expect([...statuses].filter((status) => ![200, 401, 403].includes(status))).toEqual([]);
    expect(statuses).toContain(401);
    expect(await countsOf(service.pool, project.id)).toEqual({});
  });

  test("is waited for: a transaction that has written, and has not ended", async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let begun = () => {};
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    // A table that does not refer to the project.
    const writing = service.pool.begin(async (sql) => {
      await sql`insert into usage_deltas values (${project.id}, '2026-01-01', 'inbound', 1)`;
      begun();
      await held;
    });
    await hasBegun;
    await requestDeletion(service, project.id, OPERATOR);
    await deleteProject(service, { projectId: project.id }, { graceMs: 0 });
    const during = await countsOf(service.pool, project.id);
    letGo();
    await writing;
    await finish();

    expect(during).toEqual({ projects: 1 });
    expect(await countsOf(service.pool, project.id)).toEqual({});
  });
});

describe("removals take turns", () => {
  /** The projects whose jobs come next, in the order in which they are taken. */
  const jobs = async () =>
    (await service.jobs())
      .filter(({ key }) => /^(delete|reset)_project:/.test(key ?? ""))
      .toSorted((a, b) => a.priority - b.priority || a.runAt.getTime() - b.runAt.getTime());
  const line = async () => (await jobs()).map(({ payload }) => payload.projectId as string);
  const make = async (person: { userId: string }, count: number) => {
    const made = [];
    for (let i = 0; i < count; i++) {
      const { id } = await service.createProject();
      await join(service, person, id, "OWNER");
      made.push(id);
    }
    return made;
  };

  test("who deletes and resets many projects does not hold others up", async () => {
    const [greedy, modest] = [await signUp(service), await signUp(service)];
    const many = await make(greedy, 12);
    const few = await make(modest, 2);
    for (const id of many.slice(0, 6)) await greedy.request("DELETE", `/users/@me/projects/${id}`);
    for (const id of many.slice(6)) await greedy.request("POST", `/users/@me/projects/${id}/reset`);
    await modest.request("DELETE", `/users/@me/projects/${few[0]}`);
    await modest.request("POST", `/users/@me/projects/${few[1]}/reset`);

    expect(await line()).toEqual([many[0]!, few[0]!, many[1]!, few[1]!, ...many.slice(2)]);
  });

  test("a removal that goes on in a new job keeps its turn", async () => {
    const greedy = await signUp(service);
    const many = await make(greedy, 3);
    await fillProject(service.pool, many[2]!);
    await fillProject(service.pool, many[1]!);
    for (const id of many.slice(0, 2)) await greedy.request("DELETE", `/users/@me/projects/${id}`);
    await greedy.request("POST", `/users/@me/projects/${many[2]}/reset`);
    const before = await jobs();
    await deleteProject(service, before[1]!.payload, { sliceMs: 0 });
    await resetProject(service, before[2]!.payload, { sliceMs: 0 });
    const after = await jobs();

    const turns = many.map((id, turn) => [id, turn]);
    expect(before.map(({ payload, priority }) => [payload.projectId, priority])).toEqual(turns);
    expect(after.map(({ payload, priority }) => [payload.projectId, priority])).toEqual(turns);
    expect(after.slice(1).every(({ payload }) => typeof payload.step === "string")).toBe(true);
  });
});

describe("a removal that has lost its job", () => {
  test("gets another one, and one that has a job keeps it", async () => {
    const other = await service.createProject();
    await fillProject(service.pool, other.id);
    await requestReset(service, other.id, OPERATOR);
    await requestDeletion(service, project.id, OPERATOR);
    const keys = [`delete_project:${project.id}`, `reset_project:${other.id}`];
    const jobs = async () =>
      (await service.jobs())
        .filter(({ key }) => keys.includes(key ?? ""))
        .toSorted((a, b) => keys.indexOf(a.key!) - keys.indexOf(b.key!));
    await sweepRemovals(service);
    const first = await jobs();
    await service.dropJobs(({ key }) => key === keys[0]);
    // It was tried as often as may be.
    await service.changeJobs({ attempts: "all" }, ({ key }) => key === keys[1]);
    await sweepRemovals(service);
    const swept = await jobs();
    await sweepRemovals(service);

    expect(first.map(({ key }) => key)).toEqual(keys);
    expect(swept.map(({ key, attempts }) => [key, attempts])).toEqual(keys.map((key) => [key, 0]));
    expect(swept.map(({ id }) => id)).not.toEqual(first.map(({ id }) => id));
    expect(await jobs()).toEqual(swept);
  });
});
