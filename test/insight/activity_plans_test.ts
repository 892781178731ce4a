// What a page of the feed reads in a project that is two years old, beside another one: by the counters that Postgres keeps
// of every table and index, with plans made for the page and with those that are kept.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type postgres from "postgres";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { type ActivityFilter, listActivity, type FeedPlace } from "../../src/insight/activity/mod.ts";
import { countRecent } from "../../src/insight/activity/stats.ts";
import { listContactEvents } from "../../src/insight/events/log.ts";
import { listActivityTypes } from "../../src/insight/activity/types.ts";
import { listUpcoming } from "../../src/insight/activity/upcoming.ts";
import { fillPatiently, openTestPool } from "../support/postgres.ts";
import { useService } from "../support/service.ts";

const TIMEOUT = 240_000;
const LIMIT = 50;
const EVENTS = 160_000;
const CONTACTS = 2_000;
const EXECUTIONS = 60_000;
const MONTHS = 24;
const NOW = new Date("2026-05-27T12:00:00Z");
/** The newest month, and what is made ahead of it, by the clock of the test and by ours. */
const isNewest = (partition: string) => partition >= "events_2026_05";

const service = useService();
let project: NewProject;
let held: postgres.Sql;
let ctx: Context;
/** Contacts with eight events in two years, and with every tenth of all of them. */
let quiet: string;
let busy: string;
/** One who has done 5,000 different things. */
let versatile: { projectId: string; contactId: string };

beforeAll(async () => {
  service.setNow(NOW);
  project = await service.createProject();
  const other = await service.createProject();
  const { pool } = service;
  await pool`
    select make_events_partition((date '2024-05-01' + n * interval '1 month')::date)
    from generate_series(0, ${MONTHS + 3}::int) as n`;
  await pool`
    create function an_id_at(at timestamptz) returns uuid language sql volatile
    return (left(first_id_at(at)::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid`;
  for (const { id } of [project, other]) {
    await fillPatiently(service.databaseUrl, async (sql) => {
      // Without triggers and foreign keys it takes half as long.
      await sql`set local session_replication_role = 'replica'`;
      await fill(sql, id, id === project.id ? 1 : 10);
    });
  }
  versatile = await addVersatile();
  // They are counted together every minute: hardly any are ever there.
  await pool`delete from event_count_deltas`;
  await pool`
    vacuum (analyze) events, event_count_deltas, event_counts, event_totals, executions, campaigns, contacts, workflows`;
  const [first, second] = await pool`
    select id from contacts where project_id = ${project.id} order by email limit 2`;
  [busy, quiet] = [first!.id as string, second!.id as string];
  held = openTestPool(new URL(service.databaseUrl).pathname.slice(1), 1);
  ctx = { ...service, pool: held, sql: held };
}, TIMEOUT);

afterAll(async () => {
  await held.end({ timeout: 1 });
});

/** Two years of a project, or a part of them. What matches hardly anything is long ago. */
async function fill(pool: postgres.TransactionSql, projectId: string, part: number): Promise<void> {
  const [events, executions] = [EVENTS / part, EXECUTIONS / part];
  await pool`
    insert into contacts (project_id, id, email, subscribed)
    select ${projectId}, uuid_v7(), 'c' || lpad(n::text, 5, '0') || '@example.com', true
    from generate_series(0, ${CONTACTS}::int - 1) as n`;
  await pool`
    insert into events (project_id, id, contact_id, name, created_at)
    select
      ${projectId}, an_id_at(g.at), c.id,
      case
        when n % 20000 = 19999 and n > ${events}::int / 2 then 'email.complaint'
        when n % 36000 = 35999 and n > ${events}::int / 2 then 'bought'
        else (array['email.sent', 'email.delivery', 'email.open', 'email.click'])[1 + n % 4]
      end,
      g.at
    from (
      select n, ${NOW}::timestamptz - n * (interval '725 days' / ${events}::int) as at
      from generate_series(1, ${events}::int) as n
    ) as g
    join (
      select id, row_number() over (order by email) - 1 as place from contacts where project_id = ${projectId}
    ) as c on c.place = case
      when n % 10 = 0 then 0
      when n % (${events}::int / 8) = 1 then 1
      else 2 + n % (${CONTACTS}::int - 2)
    end`;
  await pool`
    with flow as (
      insert into workflows (project_id, name) values (${projectId}, 'W') returning project_id, id
    ),
    version as (
      insert into workflow_versions (project_id, workflow_id, graph)
      select project_id, id, '{"steps": [], "transitions": []}' from flow
      returning project_id, id, workflow_id
    )
    insert into executions (
      project_id, id, workflow_id, version_id, contact_id, is_only, status, started_at, completed_at, wake_at
    )
    select
      v.project_id, an_id_at(g.at), v.workflow_id, v.id, c.id, false,
      (case when n < 900 then 'WAITING' else 'COMPLETED' end)::execution_status, g.at,
      case when n >= 900 then g.at + interval '1 day' end,
      case when n < 900 then g.at + interval '40 days' end
    from version v
    cross join (
      select n, ${NOW}::timestamptz - n * (interval '725 days' / ${executions}::int) as at
      from generate_series(1, ${executions}::int) as n
    ) as g
    join (
      select id, row_number() over (order by email) - 1 as place from contacts where project_id = ${projectId}
    ) as c on c.place = n % ${CONTACTS}::int`;
  await pool`
    insert into campaigns (
      project_id, name, subject, body, html, from_email, status, audience_type, scheduled_for, scheduled_at, sent_at
    )
    select
      ${projectId}, 'N', 'Hi', '<p>Hi</p>', '<p>Hi</p>', 'news@shop.example', 'SENT', 'ALL', at, at - interval '1 day', at
    from generate_series(1, 1000) as n, lateral (select ${NOW}::timestamptz - n * interval '17 hours' as at) as t`;
}

async function addVersatile() {
  const { id: projectId } = await service.createProject();
  const [contact] = await service.pool`
    insert into contacts (project_id, email, subscribed) values (${projectId}, 'v@example.com', true) returning id`;
  await service.pool`
    insert into events (project_id, id, contact_id, name, created_at)
    select ${projectId}, an_id_at(at), ${contact!.id}, 'name ' || n, at
    from generate_series(1, 5000) as n, lateral (select ${NOW}::timestamptz - n * interval '5 minutes' as at) as t`;
  return { projectId, contactId: contact!.id as string };
}

/** What was read of a table: rows in its own order, rows by its indexes, and entries of these. */
interface Reading {
  table: string;
  seq: number;
  fetched: number;
  entries: number;
  scans: number;
}

async function counters(): Promise<Map<string, Reading>> {
  await held`select pg_stat_force_next_flush()`;
  const rows = await held`
    select
      t.relname as table, t.seq_tup_read::int as seq, coalesce(t.idx_tup_fetch, 0)::int as fetched,
      (t.seq_scan + coalesce(t.idx_scan, 0))::int as scans,
      coalesce((select sum(i.idx_tup_read) from pg_stat_user_indexes i where i.relid = t.relid), 0)::int as entries
    from pg_stat_user_tables t
    where t.schemaname = 'public'`;
  return new Map(rows.map((row) => [row.table as string, row as unknown as Reading]));
}

/** What `work` reads when its plans have been made. */
async function readBy(work: () => Promise<unknown>): Promise<Reading[]> {
  await work();
  const before = await counters();
  await work();
  const after = await counters();
  return [...after].flatMap(([table, now]) => {
    const then = before.get(table)!;
    const scans = now.scans - then.scans;
    if (scans === 0) return [];
    const [seq, fetched, entries] = [
      now.seq - then.seq,
      now.fetched - then.fetched,
      now.entries - then.entries,
    ];
    return [{ table, seq, fetched, entries, scans }];
  });
}

const isOfEvents = ({ table }: Reading) => table.startsWith("events_");
const partitionsIn = (readings: Reading[]) =>
  readings.filter((reading) => isOfEvents(reading)).map(({ table }) => table);
// Of workflows there are two.
const sum = (readings: Reading[], what: "seq" | "fetched" | "entries") =>
  readings.reduce((total, reading) => total + (reading.table === "workflows" ? 0 : reading[what]), 0);

const page = (filter: ActivityFilter = {}, after: FeedPlace | null = null) =>
  listActivity(ctx, project.id, filter, { limit: LIMIT, after });

/** The last place before a moment. */
const placeAt = (at: string): FeedPlace => ({
  key: `${Date.parse(at)
    .toString(16)
    .padStart(12, "0")
    .replace(/^(.{8})/, "$1-")}-0000-0000-000000000000`,
  kind: 0,
  id: "00000000-0000-0000-0000-000000000000",
});

describe.each(["force_custom_plan", "force_generic_plan"])("with %s", (mode) => {
  beforeAll(async () => {
    await held`select set_config('plan_cache_mode', ${mode}, false)`;
  });

  test("the first page reads the newest month, and no more entries of indexes than it has items of each source", async () => {
    const readings = await readBy(() => page());

    expect(partitionsIn(readings).every(isNewest)).toBe(true);
    expect(sum(readings, "seq")).toBe(0);
    expect(sum(readings, "entries")).toBeLessThan(LIMIT * 12);
    expect((await page()).items).toHaveLength(LIMIT);
  });

  test.each([
    ["2026-04-20", ["events_2026_04"]],
    ["2025-03-31T23:59:59Z", ["events_2025_03"]],
    ["2024-07-15", ["events_2024_07"]],
    // Of the first hour of a month there is not enough: the three before are looked at together.
    ["2025-10-01T01:00:00Z", ["events_2025_07", "events_2025_08", "events_2025_09", "events_2025_10"]],
  ])("a page before %s reads %j only", async (at, partitions) => {
    const readings = await readBy(() => page({}, placeAt(at)));

    expect(partitions).toEqual(expect.arrayContaining(partitionsIn(readings)));
    expect(sum(readings, "seq")).toBe(0);
    expect(sum(readings, "entries")).toBeLessThan(LIMIT * 12);
    expect((await page({}, placeAt(at))).items).toHaveLength(LIMIT);
  });

  test("a period reads its own months only", async () => {
    const period = { from: new Date("2025-01-10"), until: new Date("2025-02-10") };
    const readings = await readBy(() => page({ ...period, types: ["email.complaint", "event.triggered"] }));

    expect(partitionsIn(readings).toSorted()).toEqual(["events_2025_01", "events_2025_02"]);
  });

  test.each<[string, () => ActivityFilter, number]>([
    ["one type", () => ({ types: ["email.opened"] }), LIMIT],
    ["all types but one", () => ({ types: ["email.sent", "email.opened", "email.clicked"] }), LIMIT],
    ["a type of which hardly anything is there", () => ({ types: ["email.complaint"] }), 4],
    ["what clients track, where it is next to nothing", () => ({ types: ["event.triggered"] }), 2],
    ["types of which nothing is there", () => ({ types: ["email.bounced", "contact.subscribed"] }), 0],
    ["what workflows did", () => ({ types: ["workflow.started", "workflow.completed"] }), LIMIT],
    ["what campaigns did", () => ({ types: ["campaign.sent", "campaign.scheduled"] }), LIMIT],
    ["a contact with 30,000 events", () => ({ contactId: busy }), LIMIT],
    ["a contact with few", () => ({ contactId: quiet }), LIMIT],
    ["a type that a contact hardly has", () => ({ contactId: busy, types: ["email.complaint"] }), 0],
    ["what clients track of a contact", () => ({ contactId: busy, types: ["event.triggered"] }), 0],
    ["nobody", () => ({ contactId: project.id }), 0],
  ])("%s: found by indexes, without walking past what does not match", async (_, filter, count) => {
    const readings = await readBy(() => page(filter()));

    expect((await page(filter())).items.length).toBe(count);
    expect(sum(readings, "seq")).toBe(0);
    expect(sum(readings.filter(isOfEvents), "entries")).toBeLessThan(LIMIT * 12);
    expect(sum(readings, "fetched")).toBeLessThan(LIMIT * 12);
  });

  test("a contact with 5,000 names: a page of the feed and of its events is not looked up name by name", async () => {
    const feed = await readBy(() =>
      listActivity(ctx, versatile.projectId, versatile, { limit: LIMIT, after: null }),
    );
    const log = await readBy(() =>
      listContactEvents(ctx, versatile.projectId, versatile.contactId, { limit: LIMIT, beforeId: null }),
    );

    for (const readings of [feed, log]) {
      const scans = readings.filter(isOfEvents).reduce((all, reading) => all + reading.scans, 0);
      expect(sum(readings, "seq")).toBe(0);
      expect(sum(readings, "entries")).toBeLessThan(5_000 + 12 * LIMIT + 1_000);
      // Each of the first 300 names in each partition that may have it, and not 5,000.
      expect(scans).toBeLessThan(6_000);
    }
  });

  test("recent ones are counted, types and what comes next are found by indexes", async () => {
    const count = await readBy(() => countRecent(ctx, project.id, 60));
    const types = await readBy(() => listActivityTypes(ctx, project.id));
    const upcoming = await readBy(() => listUpcoming(ctx, project.id, { daysAhead: 90, limit: 20 }));

    expect(partitionsIn(count).every(isNewest)).toBe(true);
    expect([sum(count, "seq"), sum(count, "entries") < 200]).toEqual([0, true]);
    expect([sum(types, "seq"), sum(types, "entries") < 50, partitionsIn(types)]).toEqual([0, true, []]);
    expect([sum(upcoming, "seq"), sum(upcoming, "entries") < 200]).toEqual([0, true]);
  });
});
