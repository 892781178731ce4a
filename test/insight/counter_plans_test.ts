// How the counters of a project are read that has 24 months of them, beside one that is a tenth of its age.
import { beforeAll, describe, expect, test } from "bun:test";
import { useService } from "../support/service.ts";

const service = useService();

const MONTHS = 24;
const END = "2026-07-01";
const projects = { old: "", young: "" };

/** The readers as the analytics use them, by what they answer. `$1` is the project. */
const READERS: Record<string, string> = {
  "mails by day in a zone, of 30 days": `
    select date_trunc('day', c.at at time zone 'Asia/Kathmandu')::date as day, sum(c.sent), sum(c.opened)
    from mail_counts_of($1, '2026-06-01', '2026-07-01') as c
    group by 1`,
  "events by name, of 30 days": `
    select c.name, sum(c.count)
    from event_counts_of($1, '2026-06-01', '2026-06-30') as c
    group by 1`,
  "days of one event, of 30 days": `
    select c.day, sum(c.count)
    from event_counts_of($1, '2026-06-01', '2026-06-30') as c
    where c.name = 'name 13'
    group by 1`,
  "all names of all time": `
    select t.name, sum(t.count)
    from event_totals_of($1) as t
    group by 1`,
  "one name of all time": `
    select sum(t.count)
    from event_totals_of($1) as t
    where t.name = 'name 13'`,
};

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: Node[];
}

beforeAll(async () => {
  projects.old = (await service.createProject()).id;
  projects.young = (await service.createProject()).id;
  const { id: other } = await service.createProject();
  await service.pool`
    insert into event_totals select ${other}, 'name ' || n, 100 from generate_series(1, 5000) as n`;
  // In the order of their ids, so that the pages of both indexes are equally full.
  await fill(projects.old, `interval '${MONTHS} months'`);
  await fill(projects.young, `interval '${MONTHS / 10} months'`);
  // Vacuumed by us: else the server does it at some moment, and pages that an index scan looks at are spared from then on.
  await service.pool`
    vacuum (analyze) mail_counts, event_counts, event_totals, mail_count_deltas, event_count_deltas`;
}, 240_000);

/** Counts of every quarter and day up to the end, and deltas of others and of the last hours that are not rolled up yet. */
async function fill(projectId: string, age: string): Promise<void> {
  await service.pool.unsafe(`
    insert into mail_counts
    select '${projectId}', at, 'TRANSACTIONAL', '00000000-0000-0000-0000-000000000000', 60, 55, 20, 5, 1, 0, 1, 3
    from generate_series(timestamptz '${END}' - ${age}, timestamptz '${END}', interval '15 minutes') as at;
    insert into mail_count_deltas
    select case when n < 200 then '${projectId}' else gen_random_uuid() end,
      timestamptz '${END}' - n % 8 * interval '15 minutes', 'TRANSACTIONAL', '00000000-0000-0000-0000-000000000000',
      1, 0, 0, 0, 0, 0, 0, 0
    from generate_series(0, 10000) as n;
    insert into event_counts
    select '${projectId}', day::date, 'name ' || 10 + n, 900
    from generate_series(timestamp '${END}' - ${age}, timestamp '${END}', interval '1 day') as day
    cross join generate_series(1, 20) as n
    order by day, n;
    insert into event_totals
    select '${projectId}', 'name ' || 10 + n, 100000
    from generate_series(1, 20) as n;
    insert into event_count_deltas
    select case when n < 200 then '${projectId}' else gen_random_uuid() end, date '${END}' - 1, 'name ' || 10 + n % 20, 1
    from generate_series(0, 10000) as n;
  `);
}

/** How a reader was run, by the plan that is kept for all parameters, or by one for these. */
async function planOf(reader: string, projectId: string, mode: string): Promise<Node> {
  const held = await service.pool.reserve();
  try {
    await held.unsafe(`set plan_cache_mode = ${mode}; prepare reader (uuid) as ${READERS[reader]}`);
    const explain = `explain (analyze, buffers, format json) execute reader ('${projectId}')`;
    // The first one reads what others then find in memory.
    await held.unsafe(explain).simple();
    const [row] = await held.unsafe(explain).simple();
    const [{ Plan: plan }] = row!.queryPlan ?? row!["QUERY PLAN"];
    return plan;
  } finally {
    await held.unsafe("deallocate all; reset plan_cache_mode").simple();
    held.release();
  }
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const pagesOf = (plan: Node) => plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
const rowsRead = (plan: Node) =>
  nodesOf(plan)
    .filter((node) => node["Relation Name"])
    .reduce(
      (sum, node) =>
        sum + (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
      0,
    );

describe.each(["force_generic_plan", "force_custom_plan"])("with %s", (mode) => {
  test.each(Object.keys(READERS))(
    "%s: by index, and no more for an old project than for a young one",
    async (reader) => {
      const old = await planOf(reader, projects.old, mode);
      const young = await planOf(reader, projects.young, mode);

      const tables = nodesOf(old).filter((node) => node["Relation Name"]);
      expect(tables).toHaveLength(2);
      expect(tables.map((node) => node["Node Type"])).not.toContain("Seq Scan");
      expect(rowsRead(old)).toBeLessThanOrEqual(30 * 96 + 200);
      expect(rowsRead(old)).toBe(rowsRead(young));
      expect(pagesOf(old)).toBeLessThanOrEqual(pagesOf(young) * 1.3 + 2);
    },
  );
});
