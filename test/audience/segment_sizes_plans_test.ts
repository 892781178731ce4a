// The sizes of all segments in one answer: it reads the days that were asked for, whatever else was ever counted.
import { beforeAll, describe, expect, test } from "bun:test";
import { allSegmentSizes } from "../../src/audience/segments/sizes.ts";
import { useService } from "../support/service.ts";

const service = useService();
const SEGMENTS = 1_000;
const DAYS_COUNTED = 200;
/** As much as one request may ask for. */
const DAYS_ASKED = 90;
const LAST = Temporal.PlainDate.from("2026-05-31");
let projectId: string;

beforeAll(async () => {
  ({ id: projectId } = await service.createProject());
  const { id: other } = await service.createProject();
  const { pool } = service;
  for (const id of [projectId, other]) {
    await pool`
      insert into segments (project_id, name, slug, type)
      select ${id}, 'Segment ' || n, 'segment-' || n, 'STATIC' from generate_series(1, ${SEGMENTS}::int) as n`;
  }
  await pool`delete from segment_sizes`;
  // Day after day, as they are counted: those of one segment lie far from each other.
  await pool.begin(async (sql) => {
    await sql`set local session_replication_role = 'replica'`;
    await sql`
      insert into segment_sizes (project_id, segment_id, day, members)
      select s.project_id, s.id, ${LAST.toString()}::date - n, n
      from generate_series(0, ${DAYS_COUNTED - 1}::int) as n
      cross join segments s
      order by n desc`;
  });
}, 120_000);

/** What was read of the sizes, as the database counts it: rows, and ways down into an index. */
async function readOf(asked: number): Promise<{ rows: number; scans: number; answer: number }> {
  return await service.pool.begin(async (sql) => {
    const seen = async () => {
      const [sizes] = await sql`
        select (seq_tup_read + idx_tup_fetch)::int as rows, (seq_scan + idx_scan)::int as scans
        from pg_stat_xact_user_tables where relname = 'segment_sizes' and schemaname = 'public'`;
      return sizes as unknown as { rows: number; scans: number };
    };
    const before = await seen();
    const days = { first: LAST.subtract({ days: asked - 1 }), last: LAST };
    const { segments } = await allSegmentSizes({ ...service, sql }, projectId, days);
    const after = await seen();
    const answer = segments.flatMap(({ members }) => members).filter((count) => count !== null).length;
    return { rows: after.rows - before.rows, scans: after.scans - before.scans, answer };
  });
}

describe.each(["never analyzed", "analyzed"])("of tables %s", (state) => {
  beforeAll(async () => {
    if (state === "analyzed") await service.pool`analyze segments, segment_sizes`;
  });

  test.each([[7], [DAYS_ASKED]])(
    "the last %i of 200 days of 1,000 segments: their rows alone, each segment looked up once",
    async (asked) => {
      const { rows, scans, answer } = await readOf(asked);

      expect(answer).toBe(SEGMENTS * asked);
      expect(rows).toBeLessThanOrEqual(answer);
      expect(scans).toBeLessThanOrEqual(SEGMENTS);
    },
  );
});
