// A large project among others: each batch of its removal reads what it removes, and not the table. `bun run test:removal`
// has five times as many contacts.
import { beforeAll, describe, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { requestDeletion, requestReset } from "../../src/accounts/projects/removal.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { everythingOf, type Extent, type RemovalStep } from "../../src/removal/_batches.ts";
import { DELETION, RESET } from "../../src/removal/_steps.ts";
import { deleteProject, resetProject } from "../../src/removal/mod.ts";
import { useService } from "../support/service.ts";
import { countsOf, fillProject, rowsOf } from "../support/whole_project.ts";

const PEOPLE = process.env.REMOVAL_TEST === "long" ? 50_000 : 10_000;
const LIMIT = 20;
const TIMEOUT = 300_000;

const service = useService();
let large: NewProject;
let neighbour: NewProject;

beforeAll(async () => {
  // Statistics are taken when the test says so, and not by the server in between, of tables that are half full.
  await service.pool.unsafe(`
    do $$ declare name text; begin
      for name in select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' loop
        execute format('alter table %I set (autovacuum_enabled = off)', name);
      end loop;
    end $$`);
  large = await service.createProject();
  neighbour = await service.createProject();
  await fillProject(service.pool, neighbour.id, 200);
  await fillProject(service.pool, large.id, PEOPLE);
  await service.pool`delete from resets`;
}, TIMEOUT);

/** The id in the middle of the rows of a table, where half of the work is done. */
async function middleOf(table: string): Promise<string> {
  const [row] = await service.pool`
    select id::text from ${service.pool(table)} where project_id = ${large.id} order by id
    offset (select count(*) / 2 from ${service.pool(table)} where project_id = ${large.id}) limit 1`;
  return row!.id as string;
}

const WITH_IDS = [
  "executions",
  "emails",
  "contents",
  "events",
  "contacts",
  "suppressions",
  "templates",
  "campaigns",
];

const GONE_BEFORE: Record<string, string[]> = { workflows: ["executions"], segments: ["segment_members"] };

/** What a batch reads, with everything that hangs on it: rows in the order of a table, and rows by an index. */
async function readBy(step: RemovalStep, extent: Extent) {
  const after = WITH_IDS.includes(step.name) ? await middleOf(step.name) : step.first;
  const undone = new Error("undone");
  let read: { table: string; seq: number; idx: number }[] = [];
  let removed = 0;
  await service.pool
    .begin(async (sql) => {
      await sql`select set_config('enable_seqscan', 'off', true)`;
      await sql`update projects set disabled_at = now(), deleted_at = now() where id = ${large.id}`;
      // When their turn comes, these are gone.
      for (const table of GONE_BEFORE[step.name] ?? [])
        await sql`delete from ${sql(table)} where project_id = ${large.id}`;
      const seen = async () =>
        new Map(
          (
            await sql`
              select relname, seq_tup_read::int as seq, idx_tup_fetch::int as idx from pg_stat_xact_user_tables
              where schemaname = 'public'`
          ).map((row) => [
            row.relname as string,
            { seq: row.seq as number, idx: (row.idx as number | null) ?? 0 },
          ]),
        );
      const before = await seen();
      removed = (await step.remove({ ...service, sql }, { extent, after, limit: LIMIT })).removed;
      const after_ = await seen();
      read = [...after_].map(([table, { seq, idx }]) => ({
        table,
        seq: seq - (before.get(table)?.seq ?? 0),
        idx: idx - (before.get(table)?.idx ?? 0),
      }));
      throw undone;
    })
    .catch((error) => {
      if (error !== undone) throw error;
    });
  return { removed, read };
}

describe(`a batch in the middle of ${PEOPLE} contacts`, () => {
  const steps = [...new Set([...DELETION, ...RESET])].filter((step) => !step.isApart);

  test.each([["without statistics"], ["with them"]])(
    "%s, reads by indexes what it removes, and little else",
    async (how) => {
      if (how === "with them") await service.pool`analyze`;
      const extent = { ...everythingOf(large.id), askedAt: new Date() };
      const wrong: unknown[] = [];
      let removing = 0;
      for (const step of steps) {
        const { removed, read } = await readBy(step, extent);
        if (removed > 0) removing++;
        for (const { table, seq, idx } of read) {
          // A few rows of a table that has no more of them.
          if (seq > 50 || idx > 100 * LIMIT) wrong.push({ step: step.name, table, seq, idx });
        }
      }

      expect(removing).toBeGreaterThan(25);
      expect(wrong).toEqual([]);
    },
    TIMEOUT,
  );
});

describe(`the removal of ${PEOPLE} contacts with mails, events and executions`, () => {
  test(
    "as a reset, and then again as a deletion, leaves what it should, and the neighbour as it was",
    async () => {
      const before = await rowsOf(service.pool, neighbour.id);
      await requestReset(service, large.id, OPERATOR);
      await resetProject(service, { projectId: large.id }, { sliceMs: TIMEOUT });
      const kept = await countsOf(service.pool, large.id);
      await fillProject(service.pool, large.id, PEOPLE / 10);
      await requestDeletion(service, large.id, OPERATOR);
      await deleteProject(service, { projectId: large.id }, { sliceMs: TIMEOUT, graceMs: 0 });

      for (const table of [
        "contacts",
        "emails",
        "events",
        "executions",
        "step_executions",
        "waits",
        "segments",
        "resets",
      ])
        expect([table, kept[table]]).toEqual([table, undefined]);
      expect(await countsOf(service.pool, large.id)).toEqual({});
      expect(await rowsOf(service.pool, neighbour.id)).toEqual(before);
    },
    TIMEOUT,
  );
});
