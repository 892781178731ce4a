// However many mails wait apart, a statement about some of them reads those, also where the planner believes that none wait: its
// statistics are old, as those of a large ledger are.
import { beforeAll, expect, test } from "bun:test";
import type { Context } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { useService } from "../support/service.ts";

const WAITING = 5_000;
const SOME = 20;
const DOMAIN = "many.example";
const holder = Bun.randomUUIDv7();

const service = useService();

beforeAll(async () => {
  const { id: projectId } = await service.createProject();
  const add = async (mails: number, status: string) =>
    await service.pool`
    insert into emails (project_id, address, source_type, status, due_at, queued_at, claimed_by, tried_at)
    select ${projectId}, n || ${`@${DOMAIN}`}, 'TRANSACTIONAL', ${status}::email_status, 'infinity', now(), null,
      case when n % 2 = 0 then now() - interval '2 days' end
    from generate_series(1, ${mails}::int) as n`;
  await service.pool`alter table emails set (autovacuum_enabled = off)`;
  await add(WAITING, "SENT");
  await service.pool`analyze emails`;
  await add(WAITING, "PENDING");
  await service.pool`
    update emails set due_at = now(), claimed_by = ${holder}
    where id in (select id from emails where status = 'PENDING' limit ${SOME})`;
}, 240_000);

const now = new Date();
const STATEMENTS: [string, (tx: Context) => Promise<unknown>][] = [
  [
    "come_back",
    (tx) =>
      q.apart.comeBack(tx, {
        domains: [DOMAIN],
        counts: [SOME],
        lasts: [0],
        workerId: service.workerId,
        now,
      }),
  ],
  [
    "return_fetched",
    (tx) => q.apart.returnFetched(tx, { workerIds: [holder], kept: [], before: null, now: new Date() }),
  ],
  ["begin_apart", (tx) => q.apart.beginApart(tx, { domain: DOMAIN, now, limit: SOME })],
  [
    "give_up_apart",
    (tx) => q.apart.giveUpApart(tx, { domain: DOMAIN, before: now, error: "late", now, limit: SOME }),
  ],
];

const PLANS = ["force_custom_plan", "force_generic_plan"] as const;

test.each(PLANS.flatMap((plan) => STATEMENTS.map(([name, run]) => [name, plan, run] as const)))(
  `%s of ${SOME} among ${WAITING} reads no others, with %s`,
  async (_name, plan, run) => {
    const UNDONE = new Error("undone");
    const seen = { changed: 0, read: 0 };
    const looking = service.pool.begin(async (sql) => {
      await sql`set local plan_cache_mode = ${sql.unsafe(plan)}`;
      const figures = async () => {
        const [mails] = await sql`
          select coalesce(seq_tup_read, 0)::int + coalesce(idx_tup_fetch, 0)::int as read, n_tup_upd::int as changed
          from pg_stat_xact_user_tables where relname = 'emails' and schemaname = 'public'`;
        return mails as unknown as typeof seen;
      };
      const before = await figures();
      await run({ ...service, sql });
      const after = await figures();
      seen.changed = after.changed - before.changed;
      seen.read = after.read - before.read;
      throw UNDONE;
    });
    await expect(looking).rejects.toBe(UNDONE);

    expect(seen.changed).toBe(SOME);
    // Found, locked, and changed by its key; those behind it in the index that do not fit are looked at, too.
    expect(seen.read).toBeLessThan(10 * SOME);
  },
);
