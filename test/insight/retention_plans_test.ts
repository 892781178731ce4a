// However much there is, a batch of the retention reads what it takes away, and not the tables.
import { beforeAll, describe, expect, test } from "bun:test";
import type postgres from "postgres";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { useService } from "../support/service.ts";

const ROWS = 8_000;
const LIMIT = 20;
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";
const old = new Date(Date.now() - 400 * 86_400_000);
const before = new Date(Date.now() - 100 * 86_400_000);

const service = useService();
let project: NewProject;

beforeAll(async () => {
  project = await service.createProject();
  const ids = (sql: postgres.ISql, salt: string) =>
    sql`overlay(first_id_at(${old})::text placing lpad(to_hex(n), 12, '0') from 25)::uuid as id, ${salt}::text as salt`;
  await service.pool.begin(async (sql) => {
    await sql`
      insert into contents (project_id, id, subject, html, from_email, template_id)
      select ${project.id}, id, 'Hi', '<p>Hi</p>', 'a@shop.example', id
      from (select ${ids(sql, "contents")} from generate_series(1, ${ROWS}::int) as n) as made`;
    await sql`
      insert into attachments (project_id, content_id, position, filename, content_type, disposition, content)
      select project_id, id, 0, 'a.txt', 'text/plain', 'attachment', 'abc' from contents`;
    await sql`
      insert into emails (project_id, id, address, content_id, source_type, status, due_at, queued_at, workflow_execution_id)
      select ${project.id}, id, 'ada@example.com', id, 'WORKFLOW', 'SENT', ${old}, ${old}, id
      from (select ${ids(sql, "emails")} from generate_series(1, ${ROWS}::int) as n) as made`;
    await sql`
      insert into emails (project_id, id, address, content_id, source_type, status, due_at, queued_at, captured_at)
      select ${project.id}, id, 'ada@example.com', id, 'TRANSACTIONAL', 'CAPTURED', ${old}, ${old}, ${old}
      from (select ${ids(sql, "captured")} from generate_series(${ROWS + 1}::int, ${2 * ROWS}::int) as n) as made`;
    await sql`
      insert into emails (project_id, address, content_id, source_type, status, due_at, queued_at, scheduled_for)
      select ${project.id}, 'ada@example.com', uuid_v7(), 'TRANSACTIONAL', 'PENDING', at, now(), at
      from generate_series(1, ${ROWS}::int) as n, lateral (select now() + interval '30 days' as at) as time`;
    await sql`
      insert into workflows (project_id, id, name) values (${project.id}, ${BEFORE_ALL}, 'W')`;
    await sql`
      insert into executions (project_id, id, workflow_id, version_id, status, is_only, started_at, completed_at)
      select project_id, id, ${BEFORE_ALL}, id, 'COMPLETED', false, ${old}, ${old} from emails where status = 'SENT'`;
    await sql`
      insert into step_executions (project_id, id, execution_id, step_id, status, started_at, completed_at)
      select project_id, id, id, id, 'COMPLETED', ${old}, ${old} from emails where status = 'SENT'`;
    await sql`
      insert into contact_imports (project_id, state, dry_run, finished_at)
      select ${project.id}, 'completed', false, ${old} from generate_series(1, ${ROWS}::int)`;
    await sql`
      insert into moves (project_id, id, source, state, created_by, created_at, changed_at, finished_at)
      select ${project.id}, uuid_v7(), 'brevo', 'DONE', 'a', ${old}, ${old}, ${old}
      from generate_series(1, ${ROWS}::int)`;
    await sql`
      insert into requests (project_id, id, method, route, path, status, ms)
      select ${project.id}, id, 'GET', '/r', '/r', 200, 1
      from (select ${ids(sql, "requests")} from generate_series(1, ${ROWS}::int) as n) as made`;
    await sql`
      insert into bulk_jobs (project_id, operation, state, contact_ids, finished_at)
      select ${project.id}, 'subscribe', 'completed', '{}', ${old} from generate_series(1, ${ROWS}::int)`;
    await sql`
      insert into campaigns (
        project_id, id, name, subject, body, html, from_email, audience_type, content_id, status, finished_at
      )
      select project_id, id, 'C', 'S', 'B', 'B', 'a@shop.example', 'ALL', id, 'SENT', ${old} from emails where status = 'SENT'`;
  });
}, 240_000);

const batch = { before, limit: LIMIT };

/** Every statement of the retention that takes something away, or looks for where there is something. */
const STATEMENTS: [string, (tx: Context) => Promise<unknown>][] = [
  ["projects_with_emails", (tx) => q.retention.projectsWithEmails(tx, { before })],
  ["drop_emails", (tx) => q.retention.dropEmails(tx, { projectId: project.id, after: BEFORE_ALL, ...batch })],
  [
    "empty_contents",
    (tx) =>
      q.retention.emptyContents(tx, {
        after: BEFORE_ALL,
        now: new Date(),
        changedBefore: new Date(),
        ...batch,
      }),
  ],
  ["projects_with_captured", (tx) => q.retention.projectsWithCaptured(tx)],
  [
    "close_captured",
    (tx) => q.retention.closeCaptured(tx, { projectId: project.id, after: BEFORE_ALL, ...batch }),
  ],
  ["projects_with_contents", (tx) => q.retention.projectsWithContents(tx, { before })],
  [
    "drop_contents",
    (tx) =>
      q.retention.dropContents(tx, {
        projectId: project.id,
        after: BEFORE_ALL,
        madeBefore: before,
        emptiedBefore: before,
        limit: LIMIT,
      }),
  ],
  ["projects_with_history", (tx) => q.retention.projectsWithHistory(tx, { before })],
  [
    "drop_history",
    (tx) => q.retention.dropHistory(tx, { projectId: project.id, after: BEFORE_ALL, ...batch }),
  ],
  ["drop_moves", (tx) => q.retention.dropMoves(tx, batch)],
  ["drop_imports", (tx) => q.retention.dropImports(tx, batch)],
  ["drop_bulk_jobs", (tx) => q.retention.dropBulkJobs(tx, batch)],
  ["drop_requests", (tx) => q.retention.dropRequests(tx, { after: BEFORE_ALL, ...batch })],
];

/** The rows that a statement reads of each large table, in whatever order, when it is planned for any parameters. */
async function readBy(run: (tx: Context) => Promise<unknown>): Promise<Map<string, number>> {
  const undone = new Error("undone");
  let read = new Map<string, number>();
  await service.pool
    .begin(async (sql) => {
      await sql`set local plan_cache_mode = force_generic_plan`;
      await q.removals.readByIndex({ sql });
      const seen = async () =>
        new Map(
          (
            await sql`
              select relname, coalesce(seq_tup_read, 0)::int + coalesce(idx_tup_fetch, 0)::int as rows
              from pg_stat_xact_user_tables where schemaname = 'public'`
          ).map((row) => [row.relname as string, row.rows as number]),
        );
      const first = await seen();
      await run({ ...service, sql });
      read = new Map([...(await seen())].map(([table, rows]) => [table, rows - (first.get(table) ?? 0)]));
      throw undone;
    })
    .catch((error) => {
      if (error !== undone) throw error;
    });
  return read;
}

describe.each(["never analyzed", "analyzed"])("of tables %s, a batch", (state) => {
  beforeAll(async () => {
    if (state === "analyzed") await service.pool`analyze`;
  }, 240_000);

  test.each(STATEMENTS)("of %s reads what it looks at", async (_name, run) => {
    const read = await readBy(run);
    const most = Math.max(...read.values());

    // Rows, their like in a second table, and those of the page once more for each clause.
    expect(most).toBeLessThanOrEqual(LIMIT * 6);
    expect(most).toBeGreaterThan(0);
  });
});
