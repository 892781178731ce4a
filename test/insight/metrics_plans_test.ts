// What a scrape of /metrics reads in a ledger of mails that have ended: by the plan of the statement as it is in
// sql/queries, made for one call and kept for all.
import { beforeAll, expect, test } from "bun:test";
import { parseStatements } from "../../src/db/_parse.ts";
import { QUERIES_DIR } from "../../src/db/queries.ts";
import { useService } from "../support/service.ts";

const service = useService();

const ENDED = 30_000;
const OPEN = { PENDING: 300, SENDING: 20, IN_DOUBT: 5 };

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Node[];
}

beforeAll(async () => {
  const { pool } = service;
  const { id } = await service.createProject();
  const counts = Object.entries({ SENT: ENDED, ...OPEN });
  for (const [status, count] of counts) {
    await pool`
      insert into emails (project_id, address, source_type, status, queued_at, due_at)
      select ${id}, 'c' || n || '@example.com', 'TRANSACTIONAL', ${status}::text::email_status, now(), now()
      from generate_series(1, ${count}::int) as n`;
  }
  await pool`vacuum (analyze) emails`;
}, 240_000);

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

test.each(["force_generic_plan", "force_custom_plan"])(
  "with %s open mails are counted without those that have ended",
  async (mode) => {
    const text = await Bun.file(new URL("metrics.sql", QUERIES_DIR)).text();
    const statement = parseStatements(text, "metrics").find(({ name }) => name === "open_mails")!;
    const sql = statement.strings.raw.reduce((before, part, i) => `${before}$${i}${part}`);
    const args = statement.params.map(() => 100_000).join(", ");
    const held = await service.pool.reserve();
    try {
      await held.unsafe(`set plan_cache_mode = ${mode}; prepare statement as ${sql}`).simple();
      const [row] = await held.unsafe(`explain (analyze, format json) execute statement (${args})`).simple();
      const answers = await held.unsafe(`execute statement (${args})`).simple();
      const scans = nodesOf((row!.queryPlan ?? row!["QUERY PLAN"])[0].Plan).filter(
        (node) => node["Relation Name"] === "emails",
      );

      expect(Object.fromEntries(answers.map(({ status, mails }) => [status, mails]))).toEqual(OPEN);
      expect(scans.map((node) => node["Index Name"])).toEqual([
        "emails_pending",
        "emails_sending",
        "emails_in_doubt",
      ]);
      for (const scan of scans) expect(scan["Rows Removed by Filter"] ?? 0).toBe(0);
    } finally {
      await held.unsafe("deallocate all; reset plan_cache_mode").simple();
      held.release();
    }
  },
);
