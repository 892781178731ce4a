import { expect, test } from "bun:test";
import { claimReceipts, purgeReceipts } from "../../src/accounts/webhook_receipts.ts";
import { openPool } from "../../src/db/pool.ts";
import { useService } from "../support/service.ts";

const service = useService();
const DAY_MS = 86_400_000;

test("what came within 7 days is kept, the rest is forgotten, and no lot of it costs a look at the whole table", async () => {
  // The statistics are those of a connection.
  const pool = openPool(service.databaseUrl, { max: 1 });
  const own = { ...service, pool, sql: pool };
  const scans = async () => {
    await pool`select pg_stat_force_next_flush()`;
    const [row] =
      await pool`select seq_scan::int as n from pg_stat_user_tables where relname = 'webhook_receipts'`;
    return row!.n as number;
  };
  const [old, young] = [
    new Date(Date.now() - 7 * DAY_MS - 60_000),
    new Date(Date.now() - 7 * DAY_MS + 60_000),
  ];
  for (const [source, at] of [
    ["old", old],
    ["young", young],
  ] as const) {
    await pool`
      insert into webhook_receipts (source, id, received_at)
      select ${source}, n::text, ${at} from generate_series(1, 25000) n`;
  }
  await pool`analyze webhook_receipts`;
  const before = await scans();
  await purgeReceipts(own);
  const after = await scans();
  const left = await pool`select source, count(*)::int as n from webhook_receipts group by source`;
  await pool.end();

  expect([...left].map((row) => ({ ...row }))).toEqual([{ source: "young", n: 25_000 }]);
  expect(after - before).toBe(0);
  expect(await claimReceipts(service, "young", ["1", "new"])).toEqual(new Set(["new"]));
});
