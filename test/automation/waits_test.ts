// An event that somebody waits for ends the wait, however the two transactions lie to each other.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { startWorkflows } from "../../src/automation/engine/mod.ts";
import { another, countJobs, meddled, takeJobs } from "../support/meddling.ts";
import { startProcess, until } from "../support/process.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const workflows = workflowsOf(service, () => project);
const { build, later, path, states, history, subjects, template, track } = workflows;

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
});

afterEach(async () => {
  service.setNow(new Date());
  await service.dropJobs();
  await service.pool`delete from workflows`;
});

const FOR_EVER = { type: "WAIT_FOR_EVENT", eventName: "paid" };
const waiting = (step: { type: string; eventName?: string; timeout?: number } = FOR_EVER) =>
  build({ steps: { Wait: step }, ways: ["Trigger > Wait"] });

/** Somebody records an event, and commits when told. */
const recordSlowly = async (contactId: string, name: string) => {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const done = service.pool.begin(async (sql) => {
    await sql`
      insert into events (project_id, contact_id, name, created_at)
      values (${project.id}, ${contactId}, ${name}, ${service.now()})`;
    begun.resolve();
    await end.promise;
  });
  await begun.promise;
  return async () => {
    end.resolve();
    await done;
  };
};

describe("a wait is ended by an event", () => {
  test.each([
    ["for ever", FOR_EVER],
    ["with a timeout", { ...FOR_EVER, timeout: 7 * 86_400 }],
  ])("that is committed while the transaction of the wait is open (%s)", async (_how, step) => {
    const { id } = await waiting(step);
    await track("a@example.com");
    const [job] = await takeJobs(service, "start_workflows");
    const ctx = meddled(service, /insert into waits/, async () => {
      await Bun.sleep(5);
      await track("a@example.com", "paid", { amount: 7 });
    });
    await startWorkflows(ctx, job!);
    const unheard = await countJobs(service, "start_workflows");
    await service.runJobs();

    expect([unheard, await states(id), await path(id)]).toEqual([
      0,
      ["COMPLETED"],
      ["Trigger", "Wait: event"],
    ]);
    expect((await history(id)).context).toEqual({ event: { amount: 7 } });
  });

  test("that was recorded while its transaction was open, and is committed long after it", async () => {
    const { id } = await waiting();
    const contactId = await track("a@example.com");
    const [job] = await takeJobs(service, "start_workflows");
    let commit = async () => {};
    const ctx = meddled(service, /insert into waits/, async () => {
      await Bun.sleep(5);
      commit = await recordSlowly(contactId, "paid");
    });
    await startWorkflows(ctx, job!);
    for (let round = 0; round < 5; round++) await later(10, "minutes");
    const before = [...(await states(id)), await countJobs(service, "recheck_waits")];
    await commit();
    const unheard = await countJobs(service, "start_workflows");
    await later(10, "minutes");
    const after = await states(id);

    expect([before, unheard, after]).toEqual([["WAITING", 1], 0, ["COMPLETED"]]);
    expect(await path(id)).toEqual(["Trigger", "Wait: event"]);
    // What others do on the same server counts, too.
    await until(
      "nobody looks any more",
      async () => {
        await later(1, "hours");
        return (await countJobs(service, "recheck_waits")) === 0;
      },
      240_000,
    );
  }, 240_000);

  test("that another workflow of the same transaction makes", async () => {
    const { id } = await waiting({ type: "WAIT_FOR_EVENT", eventName: "contact.unsubscribed" });
    await build({
      steps: {
        First: { type: "UPDATE_CONTACT", updates: { seen: true } },
        Off: { type: "UPDATE_CONTACT", subscriptionAction: "unsubscribe" },
      },
      ways: ["Trigger > First", "First > Off"],
    });
    await track("a@example.com");
    await service.runJobs();

    expect(await path(id)).toEqual(["Trigger", "Wait: event"]);
  });

  test("once: one that has started the execution, or ended a wait of it, ends none, by whatever clock", async () => {
    const signup = { type: "WAIT_FOR_EVENT", eventName: "signup" };
    const { id } = await build({
      steps: { One: signup, Two: signup, Three: FOR_EVER },
      ways: ["Trigger > One", "One > Two", "Two > Three"],
    });
    const slow = another(service, () => new Date(service.now().getTime() - 60_000));
    const paths: string[][] = [];
    for (let n = 0; n < 3; n++) {
      await track("a@example.com");
      for (const job of await takeJobs(service, "start_workflows")) {
        await startWorkflows(slow, job);
        await startWorkflows(slow, job);
      }
      await later(1, "minutes");
      await later(1, "minutes");
      paths.push((await history(id)).steps.map(({ step, status }) => `${step} ${status}`));
    }

    expect(paths).toEqual([
      ["Trigger COMPLETED", "One WAITING"],
      ["Trigger COMPLETED", "One COMPLETED", "Two WAITING"],
      ["Trigger COMPLETED", "One COMPLETED", "Two COMPLETED", "Three WAITING"],
    ]);
  });

  test("but not by one that the execution has just recorded itself, in the same millisecond", async () => {
    const { id } = await build({
      steps: {
        Off: { type: "UPDATE_CONTACT", subscriptionAction: "unsubscribe" },
        Again: { type: "WAIT_FOR_EVENT", eventName: "contact.unsubscribed" },
      },
      ways: ["Trigger > Off", "Off > Again"],
    });
    await track("a@example.com");
    const now = service.now();
    const [job] = await takeJobs(service, "start_workflows");
    await startWorkflows(
      another(service, () => now),
      job!,
    );
    await later(1, "minutes");
    await later(1, "minutes");
    const [recorded] = await service.pool`
      select e.created_at = w.started_at - interval '1 ms' as just_before
      from waits w join events e on e.contact_id = w.contact_id and e.name = w.event_name`;

    expect([recorded!.justBefore, await path(id)]).toEqual([true, ["Trigger", "Off", "Again"]]);
  });
});

test("an event that is found without its job is as deep in its chain as it is", async () => {
  const { id } = await build({
    steps: { Wait: { ...FOR_EVER, timeout: 60 }, End: { type: "EXIT" } },
    ways: ["Trigger > Wait", "Wait > End"],
  });
  const deepest = async (depth: string, email: string) => {
    const contactId = await track(email);
    await service.runJobs();
    await service.pool.begin(async (sql) => {
      await sql`select set_config('postrider.depth', ${depth}, true)`;
      await sql`
        insert into events (project_id, contact_id, name, created_at)
        values (${project.id}, ${contactId}, 'paid', ${service.now()})`;
    });
    await takeJobs(service, "start_workflows");
  };
  await deepest("19", "a@example.com");
  await deepest("20", "b@example.com");
  await later(61_000);
  const rows = await service.pool`
    select status, depth from executions where workflow_id = ${id} order by id`;

  expect(rows.map(({ status, depth }) => [status, depth])).toEqual([
    ["EXITED", 19],
    ["FAILED", 20],
  ]);
});

describe("two services under load", () => {
  test("lose no event of any contact, and start and mail everybody once", async () => {
    const PEOPLE = 200;
    const dir = mkdtempSync(join(tmpdir(), "postrider-waits-"));
    const mail = async (subject: string) => ({ type: "SEND_EMAIL", template: await template({ subject }) });
    const { id } = await build({
      steps: { One: await mail("One"), "Paid?": FOR_EVER, Two: await mail("Two") },
      ways: ["Trigger > One", "One > Paid?", "Paid? event> Two"],
    });
    const settings = {
      DATABASE_URL: service.databaseUrl,
      SECRET_KEY: service.config.SECRET_KEY!,
      SMTP_URL: `${service.smtp.url}?maxConnections=5`,
      DATA_DIR: dir,
      RATE_LIMIT_PER_MINUTE: "0",
    };
    const apps = [await startProcess(settings), await startProcess(settings)];
    const post = async (person: number, app: number, event: string) => {
      const response = await fetch(`${apps[app]!.url}/v1/track`, {
        method: "POST",
        headers: { authorization: `Bearer ${project.public}`, "content-type": "application/json" },
        body: JSON.stringify({ email: `p${person}@example.com`, event }),
      });
      if (!response.ok) throw new Error(`Cannot track: ${await response.text()}`);
    };
    const countOf = async (rows: PromiseLike<readonly unknown[]>) =>
      Number(((await rows)[0] as { count: string }).count);
    const unheard = () =>
      countOf(service.pool`
        select count(*) from waits w
        join events e on e.project_id = w.project_id and e.contact_id = w.contact_id and e.name = w.event_name
        where e.created_at >= w.started_at`);
    const people = Array.from({ length: PEOPLE }, (_, n) => n);
    try {
      const hasBegun = (person: number) =>
        until(
          "the wait has begun",
          async () =>
            (await countOf(service.pool`
              select count(*) from waits w join contacts c on c.project_id = w.project_id and c.id = w.contact_id
              where c.email = ${`p${person}@example.com`}`)) > 0,
          180_000,
        );
      // The event that is waited for comes at the moment at which the wait begins, a little earlier or later; for some, later.
      const go = async (person: number) => {
        await Promise.all([post(person, 0, "signup"), post(person, 1, "signup"), post(person, 0, "signup")]);
        await (person % 20 === 19 ? hasBegun(person) : Bun.sleep((person % 40) * 8));
        await post(person, 1, "paid");
      };
      const queue = [...people];
      const workers = Array.from({ length: 30 }, async () => {
        for (let person = queue.shift(); person !== undefined; person = queue.shift()) await go(person);
      });
      await Promise.all(workers);
      await until(
        "all of them started",
        async () => (await countOf(service.pool`select count(*) from executions`)) === PEOPLE,
        240_000,
      );
      await until("no event is left unheard", async () => (await unheard()) === 0, 180_000);
      const open = () =>
        countOf(service.pool`select count(*) from emails where status in ('PENDING', 'SENDING')`);
      await until("all mails have gone out", async () => (await open()) === 0, 180_000);
    } finally {
      for (const app of apps) await app.end("SIGKILL");
      rmSync(dir, { recursive: true, force: true });
    }
    const rows = await service.pool`
      select status, count(*)::int from executions where workflow_id = ${id} group by status`;
    const ended = rows.find(({ status }) => status === "COMPLETED")?.count ?? 0;
    const each = Map.groupBy(
      service.smtp.received.map(({ to }, i) => `${to[0]} ${subjects()[i]}`),
      (key) => key,
    );

    expect(rows.map(({ status }) => status).filter((s) => s !== "COMPLETED" && s !== "WAITING")).toEqual([]);
    expect([...each.values()].filter((same) => same.length > 1)).toEqual([]);
    expect(each.size).toBe(PEOPLE + ended);
    // What came before the wait began does not count.
    expect(ended).toBeGreaterThanOrEqual(PEOPLE / 20);
  }, 240_000);
});
