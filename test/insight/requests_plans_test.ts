// The log of requests, 60,000 in one project among others: a page reads what it shows, and a filter that matches little
// what it may look at; what is deleted is found by indexes.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { getRequest, listRequests, type RequestFilter } from "../../src/insight/requests/mod.ts";
import { useService } from "../support/service.ts";

const ROWS = 60_000;
/** Of these one in so many was refused. */
const REFUSED = 20;

const service = useService();
let project: NewProject;

beforeAll(async () => {
  project = await service.createProject();
  const neighbour = await service.createProject();
  for (const id of [project.id, neighbour.id]) {
    await service.pool`
      insert into requests (project_id, id, method, route, path, status, ms, body, mentions)
      select
        ${id}, uuid_v7(), 'POST', '/v1/track', '/v1/track', case when n % ${REFUSED}::int = 0 then 422 else 200 end, 1,
        case when n % ${REFUSED}::int = 0 then repeat('x', 500) end,
        case when n % ${REFUSED}::int = 0 then array[mention_of(${id}, 'c' || n || '@x.test')] end
      from generate_series(1, ${ROWS}::int) as n`;
  }
  await service.pool`vacuum (analyze) requests`;
}, 240_000);

/** The rows of the log, or of its indexes, that are looked at, whichever way, when statements are planned for any parameters. */
async function read(run: (tx: Context) => Promise<unknown>, mode: string): Promise<number> {
  const undone = new Error("undone");
  let rows = 0;
  await service.pool
    .begin(async (sql) => {
      await sql`select set_config('plan_cache_mode', ${mode}, true)`;
      const seen = async () => {
        const [row] = await sql`
          select seq_tup_read::int + idx_tup_fetch::int as rows
          from pg_stat_xact_user_tables where relname = 'requests'`;
        return row!.rows as number;
      };
      const before = await seen();
      await run({ ...service, sql });
      rows = (await seen()) - before;
      throw undone;
    })
    .catch((error) => {
      if (error !== undone) throw error;
    });
  return rows;
}

const page = { limit: 20, beforeId: null };
const list = (filter: RequestFilter) => (tx: Context) => listRequests(tx, project.id, filter, page);

describe.each(["force_generic_plan", "force_custom_plan"])("with %s", (mode) => {
  test.each<[string, RequestFilter, number]>([
    ["without a filter", {}, 25],
    ["of what was refused", { statuses: { from: 400, to: 499 } }, 3_100],
    ["of a period", { until: new Date(), from: new Date(Date.now() - 3_600_000) }, 25],
    [
      "of a route that there is not, among the refused",
      { path: "/x", statuses: { from: 400, to: 499 } },
      6_100,
    ],
    ["of a method that there is not", { method: "PUT" }, 40_100],
    ["of a key that there is not", { key: { id: crypto.randomUUID() } }, 40_100],
  ])("a page %s reads no more than it has to", async (_what, filter, most) => {
    expect(await read(list(filter), mode)).toBeLessThanOrEqual(most);
  });

  test("one request is found by either id, and what names a contact by its address", async () => {
    const [row] =
      await service.pool`select id from requests where project_id = ${project.id} offset 30000 limit 1`;
    const [contact] = await service.pool`
      insert into contacts (project_id, email, subscribed)
      values (${project.id}, 'c2000@x.test', true)
      on conflict (project_id, email) do update set subscribed = true
      returning id`;
    const contactIds = [contact!.id as string];
    const find = (tx: Context) => getRequest(tx, project.id, row!.id);
    const part = (tx: Context) =>
      q.contactDeletion.partWithRequests(tx, { projectId: project.id, contactIds });

    expect(await read(find, mode)).toBeLessThanOrEqual(3);
    expect(await read(part, mode)).toBeLessThanOrEqual(3);
  });
});
