// A process that dies, at every point of a run. Whatever was under way is as if it had never begun, or is done.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type postgres from "postgres";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { sweepExecutions } from "../../src/automation/engine/recovery.ts";
import {
  finishStep,
  runExecutions,
  startWorkflows,
  wakeExecutions,
} from "../../src/automation/engine/mod.ts";
import { type Context, inTransaction } from "../../src/context.ts";
import type { Jobs } from "../../src/jobs.ts";
import { takeJobs } from "../support/meddling.ts";
import { IMPATIENT, killUnseen, startProcess, until } from "../support/process.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const workflows = workflowsOf(service, () => project);
const { build, later, path, recipients, states, subjects, template, track } = workflows;

const mail = async (subject: string) => ({ type: "SEND_EMAIL", template: await template({ subject }) });

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
});

afterEach(async () => {
  service.setNow(new Date());
  await service.dropJobs();
  await service.pool`delete from workflows`;
});

/** The places at which a process can die, by the statement that is next to them. */
const POINTS = {
  "the executions are made": /insert into executions/,
  "the executions are held": /for update of e/,
  "a condition is asked": /^select c\.n/,
  "the contact is changed": /from upsert_contacts/,
  "its event is recorded": /insert into events/,
  "the content of the mails is made": /insert into contents/,
  "the mails are in the ledger": /insert into emails/,
  "jobs are added": /graphile_worker\.add_jobs\(array_agg\(\s*row\(\s*\$/,
  "the moves are written": /update executions/,
  "the history is told":
    /insert into step_executions \(\s*project_id, id, execution_id, step_id, seq, status, output, error/,
  "an open page is closed": /update step_executions/,
  "a wait is begun": /insert into waits/,
  "a wait is over": /delete from waits/,
  "a wait looks for its event":
    /pg_snapshot|from json_to_recordset\(\$::json\) as r \(project_id uuid, execution_id uuid, until/,
  "jobs of executions are added": /row\(r\.task/,
  commit: null,
};

/** How dead a process is: `hits` says whether it came to the point at all. */
interface Mortal extends Context {
  hits: () => number;
}

/** A process that dies right before or after a point: from then on nothing of it reaches the database. */
function mortal(point: keyof typeof POINTS, side: "before" | "after"): Mortal {
  const pattern = POINTS[point];
  let hits = 0;
  const die = () => {
    hits++;
    throw Object.assign(new Error("dead"), { code: "CONNECTION_DESTROYED" });
  };
  // oxlint-disable-next-line typescript/no-explicit-any
  const statement = (target: any, self: unknown, args: unknown[]) => {
    if (hits > 0) die();
    const text = (args[0] as { raw?: string[] })?.raw?.join("$") ?? "";
    const isPoint = pattern?.test(text) ?? false;
    if (isPoint && side === "before") die();
    const query = Reflect.apply(target as never, self, args) as Promise<unknown>;
    return isPoint ? query.then(die) : query;
  };
  const pool: postgres.Sql = new Proxy(service.pool, {
    apply: statement,
    get: (target, name) =>
      name !== "begin"
        ? Reflect.get(target, name)
        : async (work: (sql: unknown) => unknown) => {
            if (hits > 0) die();
            const result = await target.begin(async (sql: postgres.TransactionSql) => {
              const done = await work(new Proxy(sql, { apply: statement }));
              if (point === "commit" && side === "before") die();
              return done;
            });
            if (point === "commit" && side === "after") die();
            return result;
          },
  });
  return { ...service, pool, sql: pool, hits: () => hits };
}

/** The payloads of the jobs of one kind that wait. */
const waiting = async <Name extends keyof Jobs>(name: Name): Promise<Jobs[Name][]> => {
  return (await service.jobs(name)).map(({ payload }) => payload as Jobs[Name]);
};

describe("a process that dies", () => {
  const cases = Object.keys(POINTS).flatMap((point) =>
    (["before", "after"] as const).map((side) => [side, point as keyof typeof POINTS] as const),
  );

  test.each(cases)("right %s %s: each mail goes out once, and nothing is stranded", async (side, point) => {
    const { id } = await build({
      steps: {
        "New?": { type: "CONDITION", field: "data.seen", operator: "notExists" },
        Update: { type: "UPDATE_CONTACT", updates: { seen: true }, subscriptionAction: "unsubscribe" },
        One: await mail("One"),
        Day: { type: "DELAY", amount: 1, unit: "days" },
        Two: await mail("Two"),
        "Paid?": { type: "WAIT_FOR_EVENT", eventName: "paid", timeout: 86_400 },
        Three: await mail("Three"),
        Hook: { type: "WEBHOOK", url: "https://hook.test/" },
        Four: await mail("Four"),
      },
      ways: [
        "Trigger > New?",
        "New? yes> Update",
        "Update > One",
        "One > Day",
        "Day > Two",
        "Two > Paid?",
        "Paid? event> Three",
        "Three > Hook",
        "Hook > Four",
      ],
    });
    let hits = 0;
    /** Dies over each job of a kind, and has the queue give it to somebody else. */
    const survive = async <Name extends keyof Jobs>(
      name: Name,
      run: (ctx: Context, job: Jobs[Name]) => Promise<void>,
    ) => {
      const found = await waiting(name);
      expect([name, found.length]).toEqual([name, 1]);
      const ctx = mortal(point, side);
      await run(ctx, found[0]!).catch(() => {});
      hits += ctx.hits();
    };
    await track("a@example.com");
    await survive("start_workflows", startWorkflows);
    await service.runJobs();
    service.setNow(new Date(service.now().getTime() + 86_400_000));
    await survive("wake_executions", wakeExecutions);
    await service.runJobs();
    await track("a@example.com", "paid");
    await survive("start_workflows", startWorkflows);
    // Nobody answers at the other end of the webhook here: its end is told by hand.
    for (const job of await takeJobs(service, "start_workflows")) await startWorkflows(service, job);
    const [call] = await takeJobs(service, "call_webhook");
    const finish = (ctx: Context) =>
      inTransaction(ctx, (tx) =>
        finishStep(tx, { ...call!, ok: true, output: { status: 200 }, error: null }),
      );
    const ctx = mortal(point, side);
    await finish(ctx).catch(() => {});
    hits += ctx.hits();
    await finish(service);
    await survive("run_executions", runExecutions);
    await service.runJobs();
    const events = await service.pool`
      select name from events where project_id = ${project.id} and name like 'contact.%'`;

    expect(hits).toBeGreaterThan(0);
    expect(subjects().toSorted()).toEqual(["Four", "One", "Three", "Two"]);
    expect(await states(id)).toEqual(["COMPLETED"]);
    expect(await path(id)).toEqual([
      "Trigger",
      "New?: yes",
      "Update",
      "One",
      "Day",
      "Two",
      "Paid?: event",
      "Three",
      "Hook",
      "Four",
    ]);
    expect(events.map((event) => event.name)).toEqual(["contact.unsubscribed"]);
    expect(await service.pool`select from waits`).toHaveLength(0);
    expect(await waiting("run_executions")).toEqual([]);
  });
});

describe("the sweep", () => {
  test("finds what has lost its job: executions that run, and waits whose time is over", async () => {
    const { id } = await build({
      steps: { Day: { type: "DELAY", amount: 1, unit: "days" }, Mail: await mail("Late") },
      ways: ["Trigger > Day", "Day > Mail"],
    });
    const contactId = await track("a@example.com", "looked");
    await workflows.call("POST", `/workflows/${id}/executions`, { contactId });
    await service.dropJobs();
    await sweepExecutions(service);
    const atOnce = await waiting("run_executions");
    await later(3, "minutes");
    await sweepExecutions(service);
    await service.runJobs();
    const running = await states(id);
    await service.dropJobs();
    await later(25, "hours");
    const lost = await states(id);
    await sweepExecutions(service);
    await service.runJobs();

    expect([atOnce, running, lost]).toEqual([[], ["WAITING"], ["WAITING"]]);
    expect([await states(id), subjects()]).toEqual([["COMPLETED"], ["Late"]]);
  });

  test("takes nothing for lost while the queue is behind", async () => {
    const { id } = await build({ steps: { Mail: await mail("Hi") }, ways: ["Trigger > Mail"] });
    const contactId = await track("a@example.com", "looked");
    await workflows.call("POST", `/workflows/${id}/executions`, { contactId });
    service.setNow(new Date(service.now().getTime() + 3 * 60_000));
    await sweepExecutions(service);

    expect(await waiting("run_executions")).toHaveLength(1);
  });
});

describe("workers that are killed under load", () => {
  test("leave every mail sent once, and every execution at its end", async () => {
    const PEOPLE = 150;
    const dir = mkdtempSync(join(tmpdir(), "postrider-workflows-"));
    const settings = {
      DATABASE_URL: service.databaseUrl,
      SECRET_KEY: service.config.SECRET_KEY!,
      SMTP_URL: `${service.smtp.url}?maxConnections=10`,
      DATA_DIR: dir,
      MODE: "worker",
    };
    const { id } = await build({
      steps: {
        "New?": { type: "CONDITION", field: "data.seen", operator: "notExists" },
        Seen: { type: "UPDATE_CONTACT", updates: { seen: true } },
        One: await mail("One"),
        Pause: { type: "DELAY", amount: 0.05, unit: "minutes" },
        Two: await mail("Two"),
      },
      ways: ["Trigger > New?", "New? yes> Seen", "Seen > One", "One > Pause", "Pause > Two"],
    });
    const ended = async () =>
      Number((await service.pool`select count(*) from executions where completed_at is not null`)[0]!.count);
    const open = async () =>
      Number(
        (await service.pool`select count(*) from emails where status in ('PENDING', 'SENDING')`)[0]!.count,
      );
    const workers = [
      await startProcess(settings, { preload: IMPATIENT }),
      await startProcess(settings, { preload: IMPATIENT }),
    ];
    try {
      // As clients track them: some at once, in many transactions.
      for (let from = 1; from <= PEOPLE; from += 25) {
        await service.pool`
          with people as (
            insert into contacts (project_id, email, subscribed)
            select ${project.id}, 'p' || n || '@example.com', true
            from generate_series(${from}::int, ${from + 24}::int) as n
            returning project_id, id
          )
          insert into events (project_id, contact_id, name) select project_id, id, 'signup' from people`;
        if (from % 50 === 1) {
          await killUnseen(service.pool, workers.shift()!);
          workers.push(await startProcess(settings, { preload: IMPATIENT }));
        }
      }
      await until("some at their end", async () => (await ended()) > PEOPLE / 3, 180_000);
      await killUnseen(service.pool, workers.shift()!);
      workers.push(await startProcess(settings, { preload: IMPATIENT }));
      await until(
        "all at their end",
        async () => (await ended()) === PEOPLE && (await open()) === 0,
        240_000,
      );
    } finally {
      for (const worker of workers) await worker.end("SIGKILL");
      rmSync(dir, { recursive: true, force: true });
    }
    const wrong = await service.pool`
      select x.status, array_agg(s.status order by s.id) as steps
      from executions x
      join step_executions s on s.project_id = x.project_id and s.execution_id = x.id
      where x.workflow_id = ${id}
      group by x.id, x.status
      having x.status <> 'COMPLETED' or array_agg(s.status order by s.id) <> array_fill('COMPLETED'::step_status, '{6}')`;
    const doubted = await service.pool`
      select address from emails where project_id = ${project.id} and doubted_at is not null`;
    const arrivals = Map.groupBy(
      service.smtp.received.map(({ to }, i) => `${to[0]} ${subjects()[i]}`),
      (key) => key,
    );
    const twice = [...arrivals.values()].filter((same) => same.length > 1);
    const inDoubt = new Set(doubted.map((row) => row.address as string));
    const missing = Array.from({ length: PEOPLE }, (_, n) => `p${n + 1}@example.com`).filter(
      (address) =>
        !inDoubt.has(address) && !(arrivals.has(`${address} One`) && arrivals.has(`${address} Two`)),
    );
    const rows = await service.pool`select from emails where project_id = ${project.id}`;

    expect([wrong, twice, missing]).toEqual([[], [], []]);
    expect(rows).toHaveLength(2 * PEOPLE);
    // No more than the dead had in their hands: their connections.
    expect(inDoubt.size).toBeLessThanOrEqual(6 * 10);
    expect(new Set(recipients()).size).toBeGreaterThanOrEqual(PEOPLE - inDoubt.size);
  }, 240_000);
});
