// Counts that are estimated: how many contacts are looked at for them, and how often each.
import { beforeAll, expect, test } from "bun:test";
import { listFieldValues } from "../../src/audience/contacts/fields.ts";
import { lookAtSample, type SamplePart } from "../../src/audience/sampling.ts";
import { compileSelection, estimateSelected } from "../../src/audience/selection.ts";
import type { Context } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { until } from "../support/process.ts";
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

test("values of a field are those of the newest contacts, and of all where few of them have it", async () => {
  const { id } = await service.createProject();
  await service.pool.begin(async (sql) => {
    // Triggers count each of them, which takes ten times as long.
    await sql`set local session_replication_role = replica`;
    await sql`
      insert into contacts (project_id, email, subscribed, data, created_at)
      select
        ${id}, 'v' || n || '@example.com', true,
        case when n <= 100 then '{"rare": "yes"}' when n <= 200 then '{"plan": "old"}' else '{"plan": "new"}' end::jsonb,
        now() + n * interval '1 second'
      from generate_series(1, 22000) as n`;
    await sql`
      insert into contact_count_deltas (project_id, field, type, contacts) values (${id}, '', 'subscribed', 22000)`;
  });
  await service.pool`analyze contacts`;
  const valuesOf = (key: string) =>
    service.pool.begin(async (sql) => {
      // As it is among millions.
      await sql`set local enable_seqscan = off`;
      const read = async () => {
        const [row] = await sql`
          select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
          from pg_stat_xact_user_tables where schemaname = 'public' and relname = 'contacts'`;
        return row!.rows as number;
      };
      const before = await read();
      const found = await listFieldValues({ ...service, sql }, id, key, { limit: 10 });
      return { ...found, rows: (await read()) - before };
    });

  expect(await valuesOf("plan")).toEqual({ values: ["new"], estimated: true, rows: 20_000 });
  // A busy machine may not read all of them in the time that this has: whoever asks again gets them.
  let rare = await valuesOf("rare");
  await until("all were read", async () => !rare.estimated || !(rare = await valuesOf("rare")).estimated);
  expect(rare.values).toEqual(["yes"]);
});
