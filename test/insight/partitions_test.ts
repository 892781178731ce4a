// The partitions of the events: made ahead, while everybody writes, and no event is ever refused or lost.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type postgres from "postgres";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Condition } from "../../src/audience/conditions/tree.ts";
import { compileCondition } from "../../src/audience/conditions/mod.ts";
import { inTransaction } from "../../src/context.ts";
import {
  analyzeEvents,
  dropPartition,
  listPartitions,
  makePartitions,
  monthStart,
} from "../../src/insight/partitions.ts";
import { openTestPool } from "../support/postgres.ts";
import { useService } from "../support/service.ts";

const service = useService();
const HOUR_MS = 3_600_000;
const nowadays = monthStart(new Date());
let project: NewProject;

beforeAll(async () => {
  project = await service.createProject();
});

beforeEach(() => service.setNow(new Date()));

afterEach(() => service.setNow(new Date()));

const nameOf = (month: Date) => month.toISOString().slice(0, 7);

const months = async () => (await listPartitions(service)).map(({ month }) => nameOf(month));

const track = (event: string, email = "ada@example.com") =>
  service.request("POST", "/v1/track", { key: project.public, body: { event, email } });

/** In which partition each event of a name is, by its id. */
const placesOf = async (name: string): Promise<Map<string, string>> => {
  const rows = await service.pool`
    select id, tableoid::regclass::text as partition from events where project_id = ${project.id} and name = ${name}`;
  return new Map(rows.map((row) => [row.id as string, row.partition as string]));
};

const inDefault = async () => Number((await service.pool`select count(*) as n from events_default`)[0]!.n);

/** The project's counter of a name. */
const counted = async (name: string) =>
  Number(
    (
      await service.pool`
        select coalesce(sum(count), 0) as n from event_totals_of(${project.id}) where name = ${name}`
    )[0]!.n,
  );

/** A month that no test has been in yet. */
let used = 0;
const freshMonth = () => monthStart(nowadays, (used += 6));

describe("partitions of events", () => {
  test("are there from the beginning for this month and two ahead, and are made month by month", async () => {
    const ahead = [0, 1, 2].map((n) => nameOf(monthStart(nowadays, n)));
    const before = await months();
    const nothing = await makePartitions(service);
    service.setNow(new Date(monthStart(nowadays, 1).getTime() + HOUR_MS));
    const { made } = await makePartitions(service);

    expect(before).toEqual(ahead);
    expect(nothing).toEqual({ made: [], notMade: [] });
    expect(made).toEqual([nameOf(monthStart(nowadays, 3))]);
    expect(await months()).toEqual([...ahead, ...made]);
  });

  test("heal themselves after four months out of service: what was tracked before they did moves", async () => {
    service.setNow(new Date(freshMonth().getTime() + 9 * 24 * HOUR_MS));
    const month = nameOf(service.now());
    const { status } = await track("after the pause");
    const before = [...(await placesOf("after the pause")).values()];
    await service.pool`select graphile_worker.add_job('make_partitions')`;
    await service.runJobs();

    expect(status).toBe(200);
    expect(before).toEqual(["events_default"]);
    expect([...(await placesOf("after the pause")).values()]).toEqual([`events_${month.replace("-", "_")}`]);
    expect((await months()).slice(-3)).toEqual([0, 1, 2].map((n) => nameOf(monthStart(service.now(), n))));
    expect(await inDefault()).toBe(0);
  });

  test("change with the month while writers write: nothing is refused, lost or doubled", async () => {
    const month = freshMonth();
    service.setNow(new Date(month.getTime() - 500));
    const answers: { status: number; id: string }[] = [];
    let writing = true;
    const writer = async (n: number) => {
      while (writing) {
        const { status, body } = await track("at the turn", `w${n}@example.com`);
        answers.push({ status, id: body.data?.event });
      }
    };
    const writers = [1, 2, 3, 4].map(writer);
    while (service.now().getTime() < month.getTime() + 200) await Bun.sleep(20);
    const making = await makePartitions(service);
    await Bun.sleep(300);
    writing = false;
    await Promise.all(writers);
    const places = await placesOf("at the turn");
    const expected = answers.map(({ id }): [string, string] => {
      const at = new Date(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));
      return [id, `events_${nameOf(at).replace("-", "_")}`];
    });

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(making.notMade).toEqual([]);
    expect(new Set(expected.map(([, partition]) => partition)).size).toBe(2);
    expect([...places].toSorted()).toEqual(expected.toSorted());
    expect(await inDefault()).toBe(0);
    expect(await counted("at the turn")).toBe(answers.length);
  });

  test("take every column of what moves, and no trigger takes it for new", async () => {
    const month = freshMonth();
    const { id: workflowId } = (
      await service.request("POST", "/workflows", {
        key: project.secret,
        body: { name: "W", eventName: "every column" },
      })
    ).body;
    await service.pool`update workflows set enabled = true where id = ${workflowId}`;
    const [contact] = await service.pool`
      insert into contacts (project_id, email, subscribed) values (${project.id}, 'column@example.com', true) returning id`;
    await service.pool`
      insert into events (project_id, id, contact_id, email_id, name, data, created_at, depth)
      values (
        ${project.id}, ${Bun.randomUUIDv7("hex", month.getTime())}, ${contact!.id as string}, gen_random_uuid(),
        'every column', '{"machine": true, "n": 1}', ${month}, 7
      )`;
    const shown = async () =>
      (await service.pool`select to_jsonb(e) as row from events e where name = 'every column'`)[0]!
        .row as object;
    const jobs = async () => (await service.jobs()).map(({ id }) => id);
    const before = { row: await shown(), jobs: await jobs(), counted: await counted("every column") };
    service.setNow(month);
    await makePartitions(service);
    const defaults = await service.pool`
      select attname as name from pg_attribute where attrelid = 'events'::regclass and attnum > 0 and not attisdropped`;

    expect(Object.keys(before.row).toSorted()).toEqual(defaults.map((row) => row.name as string).toSorted());
    // Else a column that is left behind would not show.
    expect(Object.values(before.row)).not.toContain(null);
    expect(before.row).toMatchObject({ depth: 7, bot: true });
    expect(await inDefault()).toBe(0);
    expect({ row: await shown(), jobs: await jobs(), counted: await counted("every column") }).toEqual(
      before,
    );
  });

  test("have what the other tables have: keys, indexes, and references to contacts", async () => {
    const month = freshMonth();
    service.setNow(month);
    await track("with its contact", "gone@example.com");
    await makePartitions(service);
    await service.pool`delete from contacts where email = 'gone@example.com'`;
    const indexes = await service.pool`
      select c.relname as partition, count(*)::int as n
      from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_index x on x.indrelid = c.oid
      where i.inhparent = 'events'::regclass group by 1`;

    expect(await placesOf("with its contact")).toEqual(new Map());
    expect(new Set(indexes.map((row) => row.n as number)).size).toBe(1);
  });
});

/** A transaction that stays open, with what it has done. */
async function held(
  work: (sql: postgres.TransactionSql) => Promise<unknown>,
): Promise<{ end: () => Promise<void>; pool: postgres.Sql }> {
  const pool = openTestPool(new URL(service.databaseUrl).pathname.slice(1), 1);
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  const ended = pool.begin(async (sql) => {
    await work(sql);
    begin();
    await isOver;
  });
  await hasBegun;
  // Longer than a moment, by the measure of `assert_not_held`.
  await Bun.sleep(300);
  return {
    pool,
    async end() {
      end();
      await ended;
      await pool.end();
    },
  };
}

/** What a process answers that is killed right before it would commit. */
async function killedWhile(work: (sql: postgres.ReservedSql) => Promise<unknown>): Promise<unknown> {
  const pool = openTestPool(new URL(service.databaseUrl).pathname.slice(1), 1);
  const sql = await pool.reserve();
  await sql`begin`;
  const answer = await work(sql);
  const [{ pid } = {}] = await sql`select pg_backend_pid() as pid`;
  // Waits for its end: until then it holds its locks.
  await service.pool`select pg_terminate_backend(${pid as number}, 10000)`;
  await pool.end({ timeout: 0 });
  return answer;
}

/** Writes contacts and events as quickly as it can, until told to stop; a lock that takes a second is refused. */
function writeOn(month: Date) {
  const pool = openTestPool(new URL(service.databaseUrl).pathname.slice(1), 4);
  let writing = true;
  let written = 0;
  const writer = async (n: number) => {
    while (writing) {
      await pool.begin(async (sql) => {
        await sql`set local lock_timeout = '1s'`;
        // The others record what became of mails, and touch no contact.
        if (n === 1)
          await sql`
          insert into contacts (project_id, email, subscribed) values (${project.id}, 'busy@example.com', true)
          on conflict (project_id, email) do update set updated_at = now()`;
        await sql`
          insert into events (project_id, id, name)
          values (${project.id}, ${Bun.randomUUIDv7("hex", month.getTime() + written++)}, 'busy')`;
      });
    }
  };
  const writers = [1, 2, 3, 4].map(writer);
  return async () => {
    writing = false;
    await Promise.all(writers);
    await pool.end();
    return written;
  };
}

describe("a transaction that stays open", () => {
  test.each([
    ["has written a contact", (sql: postgres.TransactionSql) => sql`update contacts set updated_at = now()`],
    [
      "has written an event",
      (sql: postgres.TransactionSql) => sql`insert into events (project_id, id, name)
        values (${project.id}, ${Bun.randomUUIDv7("hex", service.now().getTime())}, 'held')`,
    ],
    ["reads all events", (sql: postgres.TransactionSql) => sql`select count(*) from events`],
  ])("and %s lets the job give up and come again; nobody waits behind it", async (_what, work) => {
    service.setNow(freshMonth());
    await track("before");
    const holder = await held(work as (sql: postgres.TransactionSql) => Promise<unknown>);
    const stop = writeOn(service.now());
    const first = await makePartitions(service);
    const warned = service.lines.some(
      ({ message }) => message === "partition not made yet: events are in use",
    );
    const before = await inDefault();
    await holder.end();
    const second = await makePartitions(service);
    const written = await stop();

    expect(first).toEqual({ made: [], notMade: second.made });
    expect(warned).toBe(true);
    expect(before).toBeGreaterThan(0);
    expect(second.made).toHaveLength(3);
    expect(await inDefault()).toBe(0);
    expect(await counted("busy")).toBeGreaterThanOrEqual(written);
    await service.pool`delete from events where name in ('busy', 'held')`;
  });

  test("keeps its partition from being dropped; a process that is killed while it drops one leaves it whole", async () => {
    const month = freshMonth();
    service.setNow(month);
    await makePartitions(service);
    await track("to be dropped");
    const name = `events_${nameOf(month).replace("-", "_")}`;
    const holder = await held((sql) => sql`select count(*) from events`);
    const stop = writeOn(month);
    const whileRead = await dropPartition(service, name);
    await holder.end();
    await stop();
    const killed = await killedWhile((sql) => sql`select drop_events_partition(${name})`);
    const afterKill = (await placesOf("to be dropped")).size;
    const isDropped = await dropPartition(service, name);
    const again = await dropPartition(service, name);

    expect([whileRead, killed, afterKill]).toEqual([false, [{ dropEventsPartition: true }], 1]);
    expect([isDropped, again]).toEqual([true, true]);
    expect((await placesOf("to be dropped")).size).toBe(0);
    expect(await months()).not.toContain(nameOf(month));
    // What it was is still counted.
    expect(await counted("to be dropped")).toBe(1);
  });

  test("too much to move in a second is left where it is, and said; an operator moves it", async () => {
    const month = freshMonth();
    service.setNow(month);
    await service.pool`
      insert into events (project_id, id, name)
      select ${project.id}, overlay(first_id_at(${month})::text placing right(md5(n::text), 12) from 25)::uuid, 'many'
      from generate_series(1, 20) as n`;
    // Each event that moves takes a tenth of a second.
    await service.pool.unsafe(`
      create function be_slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.1); return old; end $$;
      create trigger slow before delete on events_default for each row execute function be_slow()`);
    const first = await makePartitions(service);
    const error = service.lines.find(({ message }) =>
      String(message).startsWith("partition not created: moving its events"),
    );
    const patient = await makePartitions(service, { patient: true });
    await service.pool.unsafe("drop trigger slow on events_default; drop function be_slow");

    expect(first.notMade).toEqual([nameOf(month)]);
    expect(error).toMatchObject({ level: "error", month: nameOf(month) });
    expect(patient).toEqual({ made: [nameOf(month)], notMade: [] });
    expect(new Set((await placesOf("many")).values())).toEqual(
      new Set([`events_${nameOf(month).replace("-", "_")}`]),
    );
  });
});

describe("a range of time", () => {
  const bought = (more: object): Condition => ({
    logic: "AND",
    groups: [{ filters: [{ field: "event.bought", ...more } as never] }],
  });

  /** The partitions that a condition looks into. */
  const partitionsOf = async (condition: Condition): Promise<string[]> =>
    await inTransaction(service, async ({ sql, now }) => {
      const compiled = compileCondition(sql, project.id, condition, { now: now(), segments: new Map() });
      const rows = await sql`
        explain (format json) select count(*) from contacts c where c.project_id = ${project.id} and ${compiled}`;
      const plan = JSON.stringify(rows);
      return [
        ...new Set([...plan.matchAll(/"Relation Name":"(events_\w+)"/g)].map((match) => match[1]!)),
      ].toSorted();
    });

  test("looks into its own partitions only, of twenty-six", async () => {
    for (let n = -23; n <= 2; n++) {
      await service.pool`select make_events_partition(${monthStart(nowadays, n)}::date)`;
    }
    const all = (await listPartitions(service)).map(({ name }) => name);
    const since = new Date(service.now().getTime() - 31 * 24 * HOUR_MS);
    const touched = all.filter((name) => name >= `events_${nameOf(since).replace("-", "_")}`);
    const within = await partitionsOf(bought({ operator: "triggeredWithin", value: 30, unit: "days" }));
    const ever = await partitionsOf(bought({ operator: "triggered" }));

    expect(all.length).toBeGreaterThanOrEqual(26);
    expect(within).toEqual([...touched, "events_default"].toSorted());
    expect(ever).toEqual([...all, "events_default"].toSorted());
  });

  test("is planned by what all partitions have together, looked at again when they have grown", async () => {
    const analyzed = async () =>
      Number((await service.pool`select reltuples as n from pg_class where oid = 'events'::regclass`)[0]!.n);
    await service.pool`
      insert into events (project_id, name) select ${project.id}, 'grown' from generate_series(1, 5000)`;
    await service.pool`analyze events`;
    const first = await analyzed();
    await service.pool`
      insert into events (project_id, name) select ${project.id}, 'grown' from generate_series(1, 100)`;
    await service.pool.unsafe(`analyze events_${nameOf(nowadays).replace("-", "_")}`);
    await analyzeEvents(service);
    const few = await analyzed();
    await service.pool`
      insert into events (project_id, name) select ${project.id}, 'grown' from generate_series(1, 5000)`;
    await service.pool.unsafe(`analyze events_${nameOf(nowadays).replace("-", "_")}`);
    await analyzeEvents(service);

    expect(few).toBe(first);
    expect(await analyzed()).toBeGreaterThanOrEqual(first + 5000);
  });
});
