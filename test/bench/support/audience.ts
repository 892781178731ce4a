// Contacts by the million, made by SQL, and what several benches do with them.
import type { Context } from "../../../src/context.ts";
import { openLoader } from "./loader.ts";
import { median } from "./report.ts";

const BATCH = 100_000;
const RUNS = 15;

/** Contacts of a project, with the index on addresses built at the end. */
export async function fillContacts(url: string, projectId: string, contacts: number): Promise<void> {
  const loader = openLoader(url, { triggers: true });
  const index = "create index contacts_email_trigrams on contacts using gin (email gin_trgm_ops)";
  await loader.unsafe("drop index contacts_email_trigrams");
  for (let from = 1; from <= contacts; from += BATCH) {
    await loader`
      insert into contacts (project_id, email, subscribed, data, created_at)
      select
        ${projectId},
        case
          when n % 100 < 45 then 'user' || n || '@gmail.com'
          when n % 100 < 47 then 'user' || n || '@acme.io'
          when n % 10000 = 9999 then 'rare' || n || '@zebra.org'
          else 'user' || n || '@corp' || (n % 5000) || '.net'
        end,
        n % 5 <> 0,
        jsonb_build_object(
          'plan', (array['free', 'pro', 'team'])[1 + n % 3], 'age', n % 80, 'city', 'City ' || n % 1000
        ),
        now() - n * interval '1 second'
      from generate_series(${from}::int, ${Math.min(contacts, from + BATCH - 1)}::int) as n`;
  }
  await loader.unsafe(index);
  await loader.unsafe("vacuum analyze contacts");
  await loader.end();
}

/** The median of some runs in milliseconds, after one that does not count. */
export async function timed(work: () => Promise<unknown>, runs = RUNS): Promise<number> {
  await work();
  const times: number[] = [];
  for (let i = 0; i < runs; i++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

/** The pages of 8 KB that some work reads, in tables and indexes, on one connection. */
export async function pagesRead(ctx: Context, work: (tx: Context) => Promise<unknown>): Promise<number> {
  const sql = await ctx.pool.reserve();
  try {
    const seen = async () => {
      await sql`select pg_stat_force_next_flush()`;
      const [row] = await sql`
        select sum(
          heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0)
            + coalesce(toast_blks_read + toast_blks_hit + tidx_blks_read + tidx_blks_hit, 0)
        )::int as pages
        from pg_statio_user_tables where schemaname = 'public'`;
      return row!.pages as number;
    };
    const before = await seen();
    await work({ ...ctx, sql });
    return (await seen()) - before;
  } finally {
    sql.release();
  }
}
