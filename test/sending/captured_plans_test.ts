// However much was captured, a page of a release reads that page, wherever it is.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { useService } from "../support/service.ts";

const ROWS = 20_000;
const LIMIT = 20;
const FIRST = new Date("2026-01-01T00:00:00Z");
/** Far behind the first ones. */
const PLACE = new Date(FIRST.getTime() + 15_000);

const service = useService();
let project: NewProject;
/** Its mails were captured after all others. */
let late: NewProject;
let ids: string[];

beforeAll(async () => {
  project = await service.createProject();
  await service.pool`
    insert into contents (project_id, subject, html, from_email) values (${project.id}, 'Hi', 'Hi', 'a@shop.example')`;
  await service.pool`
    insert into emails (project_id, address, content_id, source_type, status, due_at, queued_at, captured_at)
    select ${project.id}, n || '@many.example', (select id from contents), 'TRANSACTIONAL', 'CAPTURED', ${FIRST},
      ${FIRST}, ${FIRST}::timestamptz + n * interval '1 millisecond'
    from generate_series(1, ${ROWS}::int) as n`;
  late = await service.createProject();
  await service.pool`
    insert into emails (project_id, address, content_id, source_type, status, due_at, queued_at, captured_at)
    select ${late.id}, n || '@many.example', (select id from contents), 'TRANSACTIONAL', 'CAPTURED', ${FIRST},
      ${FIRST}, ${FIRST}::timestamptz + interval '1 day'
    from generate_series(1, 100) as n`;
  ids = (
    await service.pool`select id from emails where captured_at > ${PLACE} and project_id = ${project.id} order by id limit ${LIMIT}`
  ).map((mail) => mail.id as string);
}, 240_000);

const keys = () => ({ projectIds: ids.map(() => project.id), ids });
const range = { since: FIRST, until: new Date() };
const place = () => ({ until: range.until, afterAt: PLACE, afterId: ids[0]!, limit: LIMIT });

const STATEMENTS: [string, (tx: Context) => Promise<unknown[]>][] = [
  ["next", (tx) => q.capturedRelease.next(tx, { ...place(), afterProjectId: project.id })],
  [
    "next of a project, behind many of another one",
    (tx) => q.capturedRelease.nextOfProject(tx, { ...place(), afterAt: new Date(0), projectId: late.id }),
  ],
  ["of_ids", (tx) => q.capturedRelease.ofIds(tx, { projectId: null, ids, ...range })],
  ["hold", (tx) => q.capturedRelease.hold(tx, keys())],
  ["look", (tx) => q.capturedRelease.look(tx, keys())],
];

/** The mails that a statement reads when it is planned for any parameters, and those that it answers. */
async function readBy(run: (tx: Context) => Promise<unknown[]>): Promise<{ read: number; rows: number }> {
  return await service.pool.begin(async (sql) => {
    await sql`set local plan_cache_mode = force_generic_plan`;
    const seen = async () => {
      const [mails] = await sql`
        select coalesce(seq_tup_read, 0)::int + coalesce(idx_tup_fetch, 0)::int as rows
        from pg_stat_xact_user_tables where relname = 'emails' and schemaname = 'public'`;
      return mails!.rows as number;
    };
    const before = await seen();
    const rows = await run({ ...service, sql });
    return { read: (await seen()) - before, rows: rows.length };
  });
}

describe.each(["never analyzed", "analyzed"])("of tables %s, a page", (state) => {
  beforeAll(async () => {
    if (state === "analyzed") await service.pool`analyze`;
  });

  test.each(STATEMENTS)("by %s reads what it answers", async (_name, run) => {
    const { read, rows } = await readBy(run);

    expect(rows).toBe(LIMIT);
    expect(read).toBeLessThanOrEqual(LIMIT * 2);
  });
});
