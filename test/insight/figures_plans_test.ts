// What lists, figures and deletions of events read in a project with 24 months of them, beside one that is a tenth of its
// age: by the plans of the statements as they are in sql/queries, made for one call and kept for all.
import { beforeAll, describe, expect, test } from "bun:test";
import { parseStatements, type Statement } from "../../src/db/_parse.ts";
import { QUERIES_DIR } from "../../src/db/queries.ts";
import { recountProject } from "../../src/insight/counts/audit.ts";
import { upkeepTasks } from "../../tasks/upkeep.ts";
import { useService } from "../support/service.ts";

const service = useService();

const MONTHS = 24;
const EVENTS = 60_000;
const CONTACTS = 2_000;
const NOW = new Date("2026-05-27T12:00:00Z");
/** What counters have for mails of no campaign. */
const NO_CAMPAIGN = "00000000-0000-0000-0000-000000000000";
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: Node[];
}

interface Subject {
  projectId: string;
  contactId: string;
}

const subjects = { old: {} as Subject, young: {} as Subject };

beforeAll(async () => {
  service.setNow(NOW);
  const { pool } = service;
  await pool`
    select make_events_partition((date '2024-05-01' + n * interval '1 month')::date)
    from generate_series(0, ${MONTHS + 1}::int) as n`;
  await pool`
    create function an_id_at(at timestamptz) returns uuid language sql volatile
    return (left(first_id_at(at)::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid`;
  subjects.young = await fill(1);
  subjects.old = await fill(10);
  for (const { projectId } of Object.values(subjects)) await recountProject(service, projectId);
  await fillCounts(subjects.young, 1);
  await fillCounts(subjects.old, 10);
  await upkeepTasks.roll_up_counts(service);
  const { id: other } = await service.createProject();
  await pool`insert into event_totals select ${other}, 'name ' || n, 100 from generate_series(1, 5000) as n`;
  await pool`
    vacuum (analyze) events, contacts, event_counts, event_totals, event_count_deltas, mail_counts, execution_counts`;
}, 240_000);

/** As dense as the other one, and so many times as old as 73 days. */
async function fill(times: number): Promise<Subject> {
  const { pool } = service;
  const { id } = await service.createProject();
  await pool`
    insert into contacts (project_id, email, subscribed)
    select ${id}, 'c' || lpad(n::text, 5, '0') || '@example.com', true from generate_series(1, ${CONTACTS}::int) as n`;
  const contacts = await pool`select id from contacts where project_id = ${id} order by email`;
  const ids = contacts.map((row) => row.id as string);
  await pool.begin(async (sql) => {
    // Without triggers and foreign keys: half of the time.
    await sql`set local session_replication_role = 'replica'`;
    await sql`
    insert into events (project_id, id, contact_id, name, created_at)
    select
      ${id}, an_id_at(g.at), (${ids}::text[]::uuid[])[1 + n % ${CONTACTS}::int],
      case when n % 1000 = 0 then 'rare' else 'usual ' || n % 14 end, g.at
    from (
      select n, ${NOW.toISOString()}::timestamptz - n * interval '17.5 minutes' as at
      from generate_series(1, ${(EVENTS / 10) * times}::int) as n
    ) as g`;
  });
  return { projectId: id, contactId: ids[7]! };
}

/** Counters that have no facts here: what is told about events is enough. */
async function fillCounts({ projectId }: Subject, times: number): Promise<void> {
  const { pool } = service;
  await pool`
    insert into mail_counts
    select ${projectId}, at, 'TRANSACTIONAL', ${NO_CAMPAIGN}, 60, 55, 20, 5, 1, 0, 1, 3
    from generate_series(
      '2026-05-28'::timestamptz - ${73 * times}::int * interval '1 day', '2026-05-28', interval '15 minutes'
    ) as at`;
  await pool`
    insert into execution_counts
    select ${projectId}, '2026-05-28'::date - n, 5 from generate_series(0, ${73 * times}::int) as n`;
}

/** The arguments of a call, by the names that the statement has for them. */
type Arguments = Record<string, string | number | null>;

const page = { since: "019dd1d3-7c00-7000-8000-000000000000", before: LAST_ID, limit: 21, named: null };
const mailRange = { since: "2026-04-28T00:00:00Z", until: "2026-05-28T00:00:00Z" };
const days = { first_day: "2026-04-28", last_day: "2026-05-27" };
const midnights = (after: number) =>
  `{${Array.from({ length: 30 }, (_, i) => `"${new Date(Date.UTC(2026, 3, 28 + i + after)).toISOString()}"`)}}`;

/** Each statement with its usual arguments, and how many rows of tables it may look at. */
const STATEMENTS: [file: string, name: string, args: Arguments, rows: number][] = [
  ["event_log", "recent", page, 2 * 21],
  ["event_log", "recent", { ...page, named: "usual 3" }, 2 * 21],
  ["event_log", "recent_of_contact", { ...page, recent: page.since }, 2 * 21],
  ["event_stats", "of_all_time", { limit: 10_000 }, 100],
  ["event_stats", "of_days", { ...days, limit: 10_000 }, 30 * 15],
  ["event_stats", "top", { ...days, first_day_before: "2026-03-29", reserved: "^email", limit: 5 }, 60 * 15],
  // Each of 15 names: its days, the last of them, and its last event.
  ["event_stats", "by_day", { first_day: days.first_day, last_day: days.last_day, limit: 1_000 }, 33 * 15],
  ["event_usage", "total", { name: "usual 3" }, 100],
  ["event_usage", "contacts", { name: "usual 3", limit: 500 }, 500],
  ["event_deletion", "newest", { name: "usual 3" }, 30],
  ["event_deletion", "count", { name: "usual 3", up_to: LAST_ID, limit: 101 }, 130],
  ["mail_series", "by_day", { starts: midnights(0), ends: midnights(1), campaign_id: null }, 30 * 96],
  ["mail_series", "by_day", { starts: midnights(0), ends: midnights(1), campaign_id: NO_CAMPAIGN }, 30 * 96],
  ["mail_series", "total", mailRange, 30 * 96],
  ["activity_stats", "events", days, 30 * 15],
  ["activity_stats", "executions", days, 30],
];

async function statementOf(file: string, name: string): Promise<Statement> {
  const text = await Bun.file(new URL(`${file}.sql`, QUERIES_DIR)).text();
  return parseStatements(text, file).find((statement) => statement.name === name)!;
}

/** How a statement was run, and again when all it reads was in memory. */
async function planOf(statement: Statement, args: Arguments, of: Subject, mode: string): Promise<Node> {
  const all: Arguments = { project_id: of.projectId, contact_id: of.contactId, ...args };
  const text = statement.strings.raw.reduce((before, part, i) => `${before}$${i}${part}`);
  const values = statement.params.map((param) => literalOf(all[param])).join(", ");
  const held = await service.pool.reserve();
  try {
    await held.unsafe(`set plan_cache_mode = ${mode}; prepare statement as ${text}`).simple();
    const explain = `explain (analyze, buffers, format json) execute statement (${values})`;
    await held.unsafe(explain).simple();
    const [row] = await held.unsafe(explain).simple();
    return (row!.queryPlan ?? row!["QUERY PLAN"])[0].Plan;
  } finally {
    await held.unsafe("deallocate all; reset plan_cache_mode").simple();
    held.release();
  }
}

const literalOf = (value: string | number | null | undefined) => (value === null ? "null" : `'${value}'`);
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const scansOf = (plan: Node) =>
  nodesOf(plan).filter((node) => node["Relation Name"] && node["Actual Loops"] > 0);
const rowsRead = (plan: Node) =>
  scansOf(plan).reduce(
    (sum, node) => sum + (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
    0,
  );
const pagesOf = (plan: Node) => plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];

describe.each(["force_generic_plan", "force_custom_plan"])("with %s", (mode) => {
  test.each(STATEMENTS)(
    "%s.%s reads no more of an old project than of a young one",
    async (file, name, args, rows) => {
      const statement = await statementOf(file, name);
      const old = await planOf(statement, args, subjects.old, mode);
      const young = await planOf(statement, args, subjects.young, mode);

      const large = scansOf(old).filter(
        (node) => node["Node Type"] === "Seq Scan" && node["Actual Rows"] > 0,
      );
      expect(large.map((node) => node["Relation Name"])).toEqual([]);
      expect(old["Actual Rows"]).toBeGreaterThan(0);
      expect(rowsRead(old)).toBeLessThanOrEqual(rows * 1.1 + 10);
      expect(pagesOf(old)).toBeLessThanOrEqual(pagesOf(young) * 1.3 + 60);
    },
  );

  test.each<[string, Arguments]>([
    ["by_day", { starts: midnights(0), ends: midnights(1), campaign_id: null }],
    ["by_day", { starts: midnights(0), ends: midnights(1), campaign_id: NO_CAMPAIGN }],
    ["total", mailRange],
  ])("mail_series.%s takes the counters from an index, without their rows", async (name, args) => {
    const plan = await planOf(await statementOf("mail_series", name), args, subjects.old, mode);

    const scans = scansOf(plan).filter((node) => node["Relation Name"] === "mail_counts");
    expect(scans.map((node) => [node["Node Type"], node["Index Name"]])).toEqual([
      ["Index Only Scan", "mail_counts_by_time"],
    ]);
  });
});

test("a batch of a deletion finds its events by the index of their name", async () => {
  const statement = await statementOf("event_deletion", "remove");
  const held = await service.pool.reserve();
  const { projectId } = subjects.old;
  const all: Arguments = {
    project_id: projectId,
    name: "rare",
    after: "00000000-0000-0000-0000-000000000000",
    up_to: LAST_ID,
    limit: 50,
  };
  const text = statement.strings.raw.reduce((before, part, i) => `${before}$${i}${part}`);
  const values = statement.params.map((param) => `'${all[param]}'`).join(", ");
  try {
    await held.unsafe(`prepare statement as ${text}`).simple();
    await held.unsafe("begin; set local enable_seqscan = off").simple();
    const [row] = await held
      .unsafe(`explain (analyze, buffers, format json) execute statement (${values})`)
      .simple();
    const plan = (row!.queryPlan ?? row!["QUERY PLAN"])[0].Plan as Node;

    expect(nodesOf(plan).map((node) => node["Node Type"])).not.toContain("Seq Scan");
    // Looked for, the first one in each partition, fetched, and deleted.
    expect(rowsRead(plan)).toBeLessThanOrEqual(3 * 50 + 30);
  } finally {
    await held.unsafe("rollback; deallocate all").simple();
    held.release();
  }
});
