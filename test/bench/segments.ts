// How long it takes to count who satisfies a condition, against the best SQL that we could write by hand for the same
// question, on the same data in the same run. Both have the memory for hashing that the service asks for.
import type postgres from "postgres";
import { type Condition, conditionErrors, type Filter } from "../../src/audience/conditions/tree.ts";
import { compileCondition } from "../../src/audience/conditions/mod.ts";
import { type Context, inTransaction } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { measureCompute } from "./segment_compute.ts";
import { below, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { onStage } from "./support/stage.ts";

const CONTACTS = 1_000_000;
const EVENTS = 5_000_000;
const DAY_MS = 86_400_000;

/** A condition, and the ways to write it by hand; the quickest of them counts. */
interface Question {
  name: string;
  tree: Condition;
  /** What is written by hand does less: the ratio is of interest, and no goal. */
  isHarder?: boolean;
  byHand: ((sql: postgres.ISql, projectId: string, since: Date) => postgres.PendingQuery<postgres.Row[]>)[];
}

const all = (...filters: Filter[]): Condition => ({ logic: "AND", groups: [{ filters }] });
const pro: Filter = { field: "data.plan", operator: "equals", value: "pro" };
const older: Filter = { field: "data.age", operator: "greaterThan", value: 30 };
const bought: Filter = { field: "event.purchased", operator: "triggeredWithin", value: 30, unit: "days" };
const opened: Filter = { field: "email.opened", operator: "triggered" };

const QUESTIONS: Question[] = [
  {
    name: "equality on a data key",
    tree: all(pro),
    byHand: [
      (sql, id) =>
        sql`select count(*)::int as n from contacts where project_id = ${id} and data ->> 'plan' = 'pro'`,
      (sql, id) =>
        sql`select count(*)::int as n from contacts where project_id = ${id} and data -> 'plan' = '"pro"'`,
    ],
  },
  {
    name: "a number in a data key",
    tree: all(older),
    byHand: [
      (sql, id) => sql`
        select count(*)::int as n from contacts
        where project_id = ${id} and jsonb_typeof(data -> 'age') = 'number' and (data -> 'age')::numeric > 30`,
    ],
  },
  {
    name: "a date in a data key",
    // By hand it fails at the first value that is no date.
    isHarder: true,
    tree: all({ field: "data.signedUpAt", operator: "within", value: 30, unit: "days" }),
    byHand: [
      (sql, id, since) => sql`
        select count(*)::int as n from contacts
        where project_id = ${id} and (data ->> 'signedUpAt')::timestamptz >= ${since}`,
    ],
  },
  {
    name: "event within 30 days",
    tree: all(bought),
    byHand: [
      (sql, id, since) => sql`
        select count(*)::int as n from contacts c where c.project_id = ${id} and exists (
          select from events e where e.project_id = ${id} and e.contact_id = c.id and e.name = 'purchased' and e.created_at >= ${since})`,
      (sql, id, since) => sql`
        select count(*)::int as n from contacts c where c.project_id = ${id} and c.id in (
          select e.contact_id from events e where e.project_id = ${id} and e.name = 'purchased' and e.created_at >= ${since})`,
    ],
  },
  {
    name: "email activity",
    tree: all(opened),
    byHand: [
      (sql, id) => sql`
        select count(*)::int as n from contacts c where c.project_id = ${id} and exists (
          select from events e where e.project_id = ${id} and e.contact_id = c.id and e.name = 'email.open')`,
      (sql, id) => sql`
        select count(*)::int as n from contacts c where c.project_id = ${id} and c.id in (
          select e.contact_id from events e where e.project_id = ${id} and e.name = 'email.open')`,
    ],
  },
  {
    name: "email activity, against the events alone",
    tree: all(opened),
    // True as long as every event has a contact; no other condition could stand beside it.
    isHarder: true,
    byHand: [
      (sql, id) => sql`
        select count(distinct contact_id)::int as n from events where project_id = ${id} and name = 'email.open'`,
    ],
  },
  {
    name: "no email activity",
    tree: all({ ...opened, operator: "notTriggered" }),
    byHand: [
      (sql, id) => sql`
        select count(*)::int as n from contacts c where c.project_id = ${id} and not exists (
          select from events e where e.project_id = ${id} and e.contact_id = c.id and e.name = 'email.open')`,
    ],
  },
  {
    name: "a mixed tree, all of data, number and activity",
    tree: all(pro, older, opened),
    byHand: [
      (sql, id) => sql`
        select count(*)::int as n from contacts c
        where c.project_id = ${id} and data ->> 'plan' = 'pro' and (data ->> 'age')::numeric > 30 and exists (
          select from events e where e.project_id = ${id} and e.contact_id = c.id and e.name = 'email.open')`,
    ],
  },
  {
    name: "a mixed tree with a choice of events",
    tree: {
      logic: "AND",
      groups: [
        { filters: [pro, older] },
        { conditions: { logic: "OR", groups: [{ filters: [bought] }, { filters: [opened] }] } },
      ],
    },
    byHand: [
      (sql, id, since) => sql`
        select count(*)::int as n from contacts c
        where c.project_id = ${id} and data ->> 'plan' = 'pro' and (data ->> 'age')::numeric > 30 and (exists (
          select from events e where e.project_id = ${id} and e.contact_id = c.id and e.name = 'purchased' and e.created_at >= ${since}
        ) or exists (
          select from events e where e.project_id = ${id} and e.contact_id = c.id and e.name = 'email.open'))`,
      (sql, id, since) => sql`
        select count(*)::int as n from contacts c
        where c.project_id = ${id} and data ->> 'plan' = 'pro' and (data ->> 'age')::numeric > 30 and c.id in (
          select contact_id from events where project_id = ${id} and name = 'purchased' and created_at >= ${since}
          union
          select contact_id from events where project_id = ${id} and name = 'email.open')`,
    ],
  },
  {
    name: "a mixed tree, data or activity",
    tree: { logic: "OR", groups: [{ filters: [pro] }, { filters: [opened] }] },
    byHand: [
      (sql, id) => sql`
        select count(*)::int as n from contacts c
        where c.project_id = ${id} and (data ->> 'plan' = 'pro' or exists (
          select from events e where e.project_id = ${id} and e.contact_id = c.id and e.name = 'email.open'))`,
      (sql, id) => sql`
        select count(*)::int as n from (
          select id from contacts where project_id = ${id} and data ->> 'plan' = 'pro'
          union
          select contact_id from events where project_id = ${id} and name = 'email.open') as either`,
    ],
  },
];

/** Runs the bench. */
export async function run(
  report: Report,
  { rounds, contacts = CONTACTS, events = EVENTS }: BenchOptions,
): Promise<void> {
  await onStage(async ({ ctx, project }) => {
    const now = ctx.now();
    await inTransaction(ctx, (tx) => fill(tx, project.id, now, contacts, events));
    await ctx.pool`vacuum analyze contacts`;
    await ctx.pool`vacuum analyze events`;
    for (const question of QUESTIONS) await measure(report, ctx, project.id, now, question, rounds);
    await measureChange(report, ctx, project.id, now, rounds);
    await measureCompute(report, ctx, project.id);
  });
}

/** Half a year of contacts, a year of events: some of them frequent, some rare, unevenly spread. */
async function fill(tx: Context, id: string, now: Date, contacts: number, events: number): Promise<void> {
  const { sql } = tx;
  await sql`set local statement_timeout = 0`;
  // The references are right by construction, and looking each of them up takes longer than all the rest.
  await sql`set local session_replication_role = replica`;
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index
    where indrelid in ('contacts'::regclass, 'events'::regclass) and not indisunique`;
  for (const { name } of indexes) await sql`drop index ${sql(name)}`;
  await sql`
    create function pg_temp.id_at(at timestamptz, n int) returns uuid language sql immutable
    return (
      lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0')
    )::uuid`;
  await sql`
    create function pg_temp.joined_at(n int) returns timestamptz language sql immutable
    return ${sql.unsafe(`'${now.toISOString()}'::timestamptz - interval '180 days' * (1 - n::float8 / ${contacts})`)}`;
  await sql`
    insert into contacts (project_id, id, email, subscribed, data, created_at, updated_at)
    select
      ${id}, pg_temp.id_at(at, n), 'user' || n || '@example.com', n % 10 <> 0,
      jsonb_build_object(
        'plan', (array['free', 'free', 'free', 'pro', 'team'])[1 + floor(random() * 5)],
        'age', 18 + floor(random() * 60),
        'firstName', 'Name ' || n,
        'signedUpAt', to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'tags', jsonb_build_array('a' || n % 7, 'b' || n % 11),
        'address', jsonb_build_object('country', (array['NO', 'DE', 'NL', 'FR'])[1 + n % 4], 'zip', n % 80000)
      ),
      at, at
    from (
      select n, pg_temp.joined_at(n) as at
      from generate_series(0, ${contacts}::int - 1) as n
    ) as made`;
  await sql`
    insert into events (project_id, id, contact_id, name, data, created_at)
    select ${id}, pg_temp.id_at(at, n), pg_temp.id_at(pg_temp.joined_at(who), who), name, '{"source": "web"}', at
    from (
      select
        n,
        ${now}::timestamptz - interval '365 days' * (1 - n::float8 / ${events}::int) as at,
        floor(random() * random() * ${contacts}::int)::int as who,
        (array[
          'email.sent', 'email.sent', 'email.sent', 'email.delivery', 'email.open', 'email.open', 'email.click',
          'email.bounce', 'page viewed', 'page viewed', 'page viewed', 'page viewed', 'added to cart', 'signed in',
          'signed in', 'purchased', 'video watched', 'searched', 'searched', 'invited'
        ])[1 + floor(random() * 20)] as name
      from generate_series(0, ${events}::int - 1) as n
      offset 0
    ) as made`;
  // Of a table with partitions Postgres names the index without theirs.
  for (const { definition } of indexes) await sql.unsafe(definition.replace(" ON ONLY ", " ON "));
}

async function measure(
  report: Report,
  ctx: Context,
  projectId: string,
  now: Date,
  { name, tree, byHand, isHarder }: Question,
  rounds: number,
): Promise<void> {
  if (conditionErrors(tree).length > 0) throw new Error(`Cannot measure "${name}": its tree has faults`);
  const since = new Date(now.getTime() - 30 * DAY_MS);
  const ours: number[] = [];
  const theirs: number[][] = byHand.map(() => []);
  const counts = new Set<number>();
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    const mine = await timed(ctx, async (tx) => {
      const audience = compileCondition(tx.sql, projectId, tree, { now, segments: new Map() });
      return (await q.audience.countMatching(tx, { projectId, audience })).total;
    });
    counts.add(mine.count);
    if (round > 0) ours.push(mine.ms);
    for (const [i, write] of byHand.entries()) {
      const other = await timed(ctx, async (tx) => (await write(tx.sql, projectId, since))[0]!.n as number);
      counts.add(other.count);
      if (round > 0) theirs[i]!.push(other.ms);
    }
  }
  const ceiling = Math.min(...theirs.map(median));
  report.line(name, median(ours), "ms", {
    ceiling,
    note: { count: [...counts][0]! },
    ...(!isHarder && { goal: below(1.3) }),
  });
  report.line(`${name}, alone`, median(ours), "ms", { goal: below(1000) });
  report.line(`${name}, different counts`, counts.size - 1, "counts", { goal: exactly(0) });
}

/** What a change of a few contacts costs: the same condition over these contacts only. */
async function measureChange(
  report: Report,
  ctx: Context,
  projectId: string,
  now: Date,
  rounds: number,
): Promise<void> {
  const rows =
    await ctx.sql`select id from contacts where project_id = ${projectId} order by id desc limit 10`;
  const ids = rows.map((row) => row.id as string);
  const tree: Condition = { logic: "OR", groups: [{ filters: [pro, bought] }, { filters: [older, opened] }] };
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const { ms } = await timed(ctx, async ({ sql }) => {
      const audience = compileCondition(sql, projectId, tree, { now, segments: new Map() });
      const found = await sql`
        select count(*)::int as n from contacts c
        where c.project_id = ${projectId} and c.id = any(${ids}::uuid[]) and ${audience}`;
      return found[0]!.n as number;
    });
    if (round > 0) times.push(ms);
  }
  report.line("ten contacts in a mixed tree", median(times), "ms", { goal: below(10) });
}

async function timed(
  ctx: Context,
  count: (tx: Context) => Promise<number>,
): Promise<{ count: number; ms: number }> {
  return await inTransaction(ctx, async (tx) => {
    await q.audience.allowHashing(tx);
    const startedAt = performance.now();
    return { count: await count(tx), ms: performance.now() - startedAt };
  });
}
