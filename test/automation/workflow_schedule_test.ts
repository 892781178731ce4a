// Workflows that start by the clock.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { disableProject, enableProject, type NewProject } from "../../src/accounts/projects/mod.ts";
import { startScheduledRun, startScheduledWorkflows } from "../../src/automation/engine/schedule.ts";
import type { Context } from "../../src/context.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const workflows = workflowsOf(service, () => project);
const { build, call, outcomes, states, history, track } = workflows;

beforeEach(async () => {
  project = await service.createProject();
});

afterEach(async () => {
  service.setNow(new Date());
  await service.dropJobs();
  await service.pool`delete from workflows`;
});

/** A workflow that starts by a schedule. */
const scheduled = async (triggerConfig: object, more: object = {}) => {
  const { id } = await build({ steps: { End: { type: "EXIT" } }, ways: ["Trigger > End"], ...more });
  const { status, body } = await call("PATCH", `/workflows/${id}`, {
    triggerType: "SCHEDULE",
    triggerConfig,
  });
  expect([status, body.error]).toEqual([200, undefined]);
  return id;
};
/** What the crontab does each minute. */
const tick = async () => {
  await startScheduledWorkflows(service);
  await service.runJobs();
};
const at = async (time: string) => {
  service.setNow(new Date(time));
  await tick();
};
const addContacts = (count: number) => service.pool`
  insert into contacts (project_id, email, subscribed, created_at)
  select ${project.id}, 'p' || n || '@example.com', true, '2030-01-01' from generate_series(1, ${count}::int) as n`;

describe("a schedule", () => {
  test("starts the workflow for all contacts at its time, once", async () => {
    service.setNow(new Date("2030-03-04T08:00:00Z"));
    const id = await scheduled({ schedule: "0 9 * * *" }, { allowReentry: true });
    await addContacts(3);
    await at("2030-03-04T08:59:59Z");
    const before = await states(id);
    await at("2030-03-04T09:00:00Z");
    await at("2030-03-04T09:01:00Z");
    const first = await outcomes(id);
    await at("2030-03-05T09:00:30Z");

    expect([before, first]).toEqual([[], { p1: "EXITED", p2: "EXITED", p3: "EXITED" }]);
    expect(await states(id)).toEqual(Array(6).fill("EXITED"));
    expect((await history(id)).steps[0]!.output).toEqual({ scheduledFor: "2030-03-05T09:00:00.000Z" });
    expect(await service.pool`select from scheduled_runs`).toHaveLength(0);
  });

  test("without re-entry starts nobody twice, but those who have come since", async () => {
    service.setNow(new Date("2030-03-04T08:00:00Z"));
    const id = await scheduled({ schedule: "0 9 * * *" });
    await addContacts(2);
    await at("2030-03-04T09:00:00Z");
    await track("new@example.com", "looked");
    await at("2030-03-05T09:00:00Z");

    expect(await outcomes(id)).toEqual({ p1: "EXITED", p2: "EXITED", new: "EXITED" });
    expect(await states(id)).toHaveLength(3);
  });

  test("over a segment starts it for its members of that moment", async () => {
    const condition = {
      logic: "AND",
      groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }],
    };
    const segment = (await call("POST", "/segments", { name: "Pro", condition })).body;
    service.setNow(new Date("2030-03-04T08:00:00Z"));
    const id = await scheduled({ schedule: "0 9 * * *", segmentId: segment.id });
    await track("pro@example.com", "looked", { plan: "pro" });
    await track("free@example.com", "looked", { plan: "free" });
    await at("2030-03-04T09:00:00Z");

    expect(await outcomes(id)).toEqual({ pro: "EXITED" });
  });

  test("of a time zone goes by its clocks, also when they are put on and back", async () => {
    service.setNow(new Date("2030-03-29T12:00:00Z"));
    const id = await scheduled({ schedule: "30 2 * * *", timezone: "Europe/Berlin" }, { allowReentry: true });
    await addContacts(1);
    /** The next times at which it starts, each of them taken. */
    const times = async (count: number) => {
      const taken: string[] = [];
      while (taken.length < count) {
        const [row] = await service.pool`select next_run_at from workflows where id = ${id}`;
        taken.push((row!.nextRunAt as Date).toISOString());
        await at(taken.at(-1)!);
      }
      return taken;
    };
    // On 31 March there is no 2:30, and it is 3:30 instead; on 27 October there are two, and it is the first.
    const spring = await times(4);
    await at("2030-10-25T12:00:00Z");
    const autumn = await times(3);

    expect(spring).toEqual([
      "2030-03-30T01:30:00.000Z",
      "2030-03-31T01:30:00.000Z",
      "2030-04-01T00:30:00.000Z",
      "2030-04-02T00:30:00.000Z",
    ]);
    expect(await states(id)).toHaveLength(8);
    expect(autumn).toEqual([
      "2030-10-26T00:30:00.000Z",
      "2030-10-27T00:30:00.000Z",
      "2030-10-28T01:30:00.000Z",
    ]);
  });

  test("that was missed is made up for once", async () => {
    service.setNow(new Date("2030-03-04T08:00:00Z"));
    const id = await scheduled({ schedule: "*/5 * * * *" }, { allowReentry: true });
    await addContacts(1);
    await at("2030-03-04T20:02:00Z");
    await at("2030-03-04T20:03:00Z");
    const once = await states(id);
    await at("2030-03-04T20:05:00Z");

    expect([once.length, (await states(id)).length]).toEqual([1, 2]);
  });

  test("of a workflow that is disabled, or of a disabled project, starts nobody", async () => {
    service.setNow(new Date("2030-03-04T08:00:00Z"));
    const id = await scheduled({ schedule: "0 9 * * *" });
    const off = await scheduled({ schedule: "0 9 * * *" });
    await addContacts(1);
    await call("PATCH", `/workflows/${off}`, { enabled: false });
    await disableProject(service, project.id, null);
    await at("2030-03-04T09:00:00Z");
    const started = await service.pool`select from executions`;
    await enableProject(service, project.id);
    await at("2030-03-04T09:10:00Z");

    expect(started).toHaveLength(0);
    expect([await states(id), await states(off)]).toEqual([["EXITED"], []]);
  });

  test("two processes start everybody once between them", async () => {
    service.setNow(new Date("2030-03-04T08:00:00Z"));
    const id = await scheduled({ schedule: "0 9 * * *" }, { allowReentry: true });
    await addContacts(4_500);
    service.setNow(new Date("2030-03-04T09:00:00Z"));
    await Promise.all([1, 2, 3].map(() => startScheduledWorkflows(service)));
    const [run] = await service.pool`select id from scheduled_runs`;
    await Promise.all([1, 2, 3].map(() => startScheduledRun(service, project.id, run!.id)));
    await service.runJobs();
    const rows = await service.pool`
      select status, count(*)::int, count(distinct contact_id)::int as contacts from executions
      where workflow_id = ${id} group by status`;

    expect([...rows]).toEqual([{ status: "EXITED", count: 4_500, contacts: 4_500 }]);
  }, 240_000);

  test("goes on behind the last range when a process has died", async () => {
    service.setNow(new Date("2030-03-04T08:00:00Z"));
    const id = await scheduled({ schedule: "0 9 * * *" }, { allowReentry: true });
    await addContacts(5_000);
    service.setNow(new Date("2030-03-04T09:00:00Z"));
    await startScheduledWorkflows(service);
    const [run] = await service.pool`select id from scheduled_runs`;
    let ranges = 0;
    const pool = new Proxy(service.pool, {
      get: (target, name) =>
        name !== "begin"
          ? Reflect.get(target, name)
          : async (work: never) => {
              if (++ranges === 3) throw new Error("dead");
              return await target.begin(work);
            },
    });
    const mortal: Context = { ...service, pool, sql: pool };
    const death = await startScheduledRun(mortal, project.id, run!.id).catch((error: Error) => error.message);
    await service.runJobs();
    const [between] = await service.pool`select count(*)::int from executions where workflow_id = ${id}`;
    const [counted] = await service.pool`
      select count(distinct contact_id)::int from executions where workflow_id = ${id} and status = 'EXITED'`;

    expect([death, between!.count, counted!.count]).toEqual(["dead", 5_000, 5_000]);
  }, 240_000);
});
