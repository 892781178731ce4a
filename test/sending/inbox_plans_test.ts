// However many mails the inbox keeps, a page of a project reads what is kept of that project, and a page of all of them
// the newest.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import {
  countCapturedMails,
  deleteCapturedMail,
  getCapturedMail,
  type InboxScope,
  listCapturedMails,
  markAllCapturedMails,
  markCapturedMail,
} from "../../src/sending/captured/mod.ts";
import { q } from "../../src/db/queries.ts";
import { useService } from "../support/service.ts";

const OTHERS = 30_000;
const KEPT = 500;
/** Of all projects so many are looked through. */
const WINDOW = 10_000;

const service = useService();
let project: NewProject;
let id: string;

beforeAll(async () => {
  project = await service.createProject();
  // Those of the project are the oldest: behind all others.
  for (const [owner, count] of [
    [project.id, KEPT],
    [null, OTHERS],
  ] as const) {
    await service.pool`
      insert into captured_mails (project_id, from_address, to_address, subject, source)
      select coalesce(${owner}::uuid, md5((n % 60)::text)::uuid), 'a@shop.example', n || '@many.example', 'Hello ' || n, ''
      from generate_series(1, ${count}::int) as n`;
    await Bun.sleep(2);
  }
  const [first] = await service.pool`select id from captured_mails where project_id = ${project.id} limit 1`;
  id = first!.id as string;
}, 240_000);

const page = { limit: 20, beforeId: null, afterId: null };

const READS: [string, number, (tx: Context, scope: InboxScope) => Promise<unknown>][] = [
  ["list", 21, (tx, scope) => listCapturedMails(tx, scope, {}, page)],
  ["list of a search", WINDOW, (tx, scope) => listCapturedMails(tx, scope, { search: "nobody has" }, page)],
  ["list of a recipient", WINDOW, (tx, scope) => listCapturedMails(tx, scope, { to: "x@y.test" }, page)],
  ["count", WINDOW, (tx, scope) => countCapturedMails(tx, scope, { search: "hello" })],
  ["by_id", 1, (tx, scope) => getCapturedMail(tx, scope, id)],
  ["mark", 1, (tx, scope) => markCapturedMail(tx, scope, id, true)],
  ["delete", 1, (tx, scope) => deleteCapturedMail(tx, scope, id)],
];
const OF_PROJECT: typeof READS = [
  ...READS,
  ["mark_all", KEPT, (tx) => markAllCapturedMails(tx, project.id, true)],
  ["clear", KEPT, (tx) => q.capturedMails.clear(tx, { projectId: project.id })],
  ["prune", KEPT, (tx) => q.capturedMails.prune(tx, { projectId: project.id, keep: KEPT - 10 })],
];

/** The rows that a statement reads when it is planned for any parameters; nothing of it stays. */
async function readBy(run: (tx: Context) => Promise<unknown>): Promise<number> {
  let read = 0;
  const undone = new Error("Undone");
  await service.pool
    .begin(async (sql) => {
      await sql`set local plan_cache_mode = force_generic_plan`;
      const seen = async () => {
        const [row] = await sql`
          select coalesce(seq_tup_read, 0)::int + coalesce(idx_tup_fetch, 0)::int as rows
          from pg_stat_xact_user_tables where relname = 'captured_mails' and schemaname = 'public'`;
        return row!.rows as number;
      };
      const before = await seen();
      await run({ ...service, sql });
      read = (await seen()) - before;
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return read;
}

describe.each(["never analyzed", "analyzed"])("with the table %s", (state) => {
  beforeAll(async () => {
    if (state === "analyzed") await service.pool`analyze captured_mails`;
  });

  test.each(OF_PROJECT)("%s of a project reads nothing of the others", async (_name, most, run) => {
    const read = await readBy((tx) => run(tx, project.id));

    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThanOrEqual(Math.min(most, KEPT) * 2);
  });

  test.each(READS)("%s of all projects ends with the window", async (_name, most, run) => {
    const read = await readBy((tx) => run(tx, null));

    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThanOrEqual(most);
  });
});
