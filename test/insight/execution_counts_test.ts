import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { auditProject, recountProject } from "../../src/insight/counts/audit.ts";
import { rollUpExecutionCounts } from "../../src/insight/counts/executions.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const flows = workflowsOf(service, () => project);

beforeEach(async () => {
  project = await service.createProject();
  service.setNow(new Date());
  service.lines.length = 0;
});

const PLAN = { allowReentry: true, steps: { End: { type: "EXIT" } }, ways: ["Trigger > End"] };

/** How many are said to have begun from one day to another. */
const started = async (first: string, last: string): Promise<number> => {
  const path = `/activity/stats?startDate=${first}&endDate=${last}`;
  return (await flows.call("GET", path)).body.totalWorkflowsStarted;
};

const stored = async (): Promise<Record<string, number>> => {
  const rows = await service.pool`
    select day::text as day, started::int as started from execution_counts where project_id = ${project.id} order by day`;
  return Object.fromEntries(rows.map((row) => [row.day as string, row.started as number]));
};

const faults = () =>
  service.lines.filter(({ message, projectId }) => message === "wrong count" && projectId === project.id);

describe("executions that began", () => {
  test("are counted by their day, before they are folded and after", async () => {
    await flows.build(PLAN);
    for (const at of ["2027-05-01T23:50:00Z", "2027-05-02T00:00:00Z", "2027-05-02T12:00:00Z"]) {
      service.setNow(new Date(at));
      await flows.track("ada@example.com");
      await service.runJobs();
    }
    const all = async () => [
      await started("2027-05-01", "2027-05-01"),
      await started("2027-05-02", "2027-05-02"),
      await started("2027-05-01", "2027-05-03"),
      await started("2027-05-03", "2027-05-03"),
    ];
    expect(await all()).toEqual([1, 2, 3, 0]);
    expect(await rollUpExecutionCounts(service)).toBe(true);

    expect(await all()).toEqual([1, 2, 3, 0]);
    expect(await stored()).toEqual({ "2027-05-01": 1, "2027-05-02": 2 });
    expect(await rollUpExecutionCounts(service)).toBe(false);
  });

  test("that are refused by the rule of re-entry did not begin", async () => {
    await flows.build({ ...PLAN, allowReentry: false });
    const today = service.now().toISOString().slice(0, 10);
    for (let i = 0; i < 3; i++) {
      await flows.track("ada@example.com");
      await service.runJobs();
    }

    expect(await started(today, today)).toBe(1);
  });

  test("stay when their contact goes, and go with their workflow", async () => {
    const { id } = await flows.build(PLAN);
    const today = service.now().toISOString().slice(0, 10);
    const contact = await flows.track("ada@example.com");
    await flows.track("bob@example.com");
    await service.runJobs();
    await flows.call("DELETE", `/contacts/${contact}`);
    expect(await started(today, today)).toBe(2);
    await flows.call("DELETE", `/workflows/${id}`);

    expect(await started(today, today)).toBe(0);
  });

  test("are audited and counted again", async () => {
    await flows.build(PLAN);
    const today = service.now().toISOString().slice(0, 10);
    await flows.track("ada@example.com");
    await service.runJobs();
    await rollUpExecutionCounts(service);
    await auditProject(service, project.id);
    expect(faults()).toEqual([]);
    await service.pool`update execution_counts set started = 9 where project_id = ${project.id}`;
    await service.pool`
      insert into execution_counts (project_id, day, started) values (${project.id}, '2020-01-01', 2)`;
    await auditProject(service, project.id);
    expect(faults()).toMatchObject([
      { day: "2020-01-01", facts: 0, counted: 2 },
      { day: today, facts: 1, counted: 9 },
    ]);

    expect((await recountProject(service, project.id)).executions).toBe(2);
    expect((await recountProject(service, project.id)).executions).toBe(0);
    expect(await started(today, today)).toBe(1);
    expect(await started("2020-01-01", "2020-01-01")).toBe(0);
  });
});
