// Counts that are estimated: how many contacts are looked at for them, and how often each.
import { beforeAll, expect, test } from "bun:test";
import { lookAtSample, type SamplePart } from "../../src/audience/sampling.ts";
import { compileSelection, estimateSelected } from "../../src/audience/selection.ts";
import type { Context } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { useService } from "../support/service.ts";

const service = useService();
const PEOPLE = 500;
// Looked up contact by contact, whatever the planner expects.
const condition = {
  logic: "AND" as const,
  groups: [{ filters: [{ field: "event.ordered", operator: "triggeredAtLeast", count: 2 }] }],
};
let projectId: string;

beforeAll(async () => {
  ({ id: projectId } = await service.createProject());
  await service.pool`
    insert into contacts (project_id, email, subscribed)
    select ${projectId}, 'p' || n || '@example.com', true from generate_series(1, ${PEOPLE}::int) as n`;
});

/** How often `work` looks for events: in a partition each, as the database counts it. */
async function lookUps(work: (tx: Context) => Promise<unknown>): Promise<number> {
  return await service.pool.begin(async (sql) => {
    const seen = async () => {
      const [row] = await sql`
        select sum(seq_scan + coalesce(idx_scan, 0))::int as scans
        from pg_stat_xact_user_tables where schemaname = 'public' and relname like 'events\\_%'`;
      return row!.scans as number;
    };
    const before = await seen();
    await work({ ...service, sql });
    return (await seen()) - before;
  });
}

test("a condition is evaluated once for each contact of a sample, whatever is told of it", async () => {
  const selected = await compileSelection(service, projectId, { condition });
  const once = await lookUps(
    ({ sql }) => sql`
      select count(*) filter (where ${selected({ sql })}) from contacts c where c.project_id = ${projectId}`,
  );
  const ofPreview = await lookUps((tx) => estimateSelected(tx, projectId, selected, PEOPLE));
  const ofAudience = await lookUps((tx) =>
    q.audience.sampleReach(tx, { projectId, percent: 100, oneIn: 1, audience: selected(tx) }),
  );

  expect(once).toBeGreaterThanOrEqual(PEOPLE);
  expect([ofPreview, ofAudience]).toEqual([once, once]);
});

test.each([
  ["as many as there are, where they are few", 1_500, 0, [{ percent: 100, oneIn: 1 }]],
  [
    "20,000 where that is quick",
    1_000_000,
    Infinity,
    [
      { percent: 2, oneIn: 10 },
      { percent: 2, oneIn: 1 },
    ],
  ],
  ["2,000 where more would take too long", 1_000_000, 0, [{ percent: 2, oneIn: 10 }]],
])("a sample is of %s", async (_, total, budgetMs, expected) => {
  const looks: SamplePart[] = [];
  const answer = await lookAtSample(total, async (sample) => looks.push(sample), { budgetMs });

  expect(looks).toEqual(expected);
  expect(answer).toBe(expected.length);
});
