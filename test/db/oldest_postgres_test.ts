// Postgres 15 is the oldest we promise. Where Debian's is installed, the schema is tried on it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type postgres from "postgres";
import { generateTypes } from "../../src/db/generate.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openPool } from "../../src/db/pool.ts";
import { openWorkerPool } from "../../src/db/worker_pool.ts";
import { HAS_POSTGRES_15, startPostgres15 } from "../support/postgres15.ts";

let server: Awaited<ReturnType<typeof startPostgres15>>;
let sql: postgres.Sql;

describe.skipIf(!HAS_POSTGRES_15)(`Postgres 15${HAS_POSTGRES_15 ? "" : " (skipped: not installed)"}`, () => {
  beforeAll(async () => {
    server = await startPostgres15();
    sql = openPool(server.url, { max: 4 });
    const workerPool = openWorkerPool(server.url, 1);
    await migrate(sql, workerPool);
    await workerPool.end();
  });

  afterAll(async () => {
    await sql.end({ timeout: 1 });
    await server.stop();
  });

  test("takes the migrations and runs every statement", async () => {
    expect(await generateTypes(sql)).toContain("upsertMany");
  });

  test("makes ids of version 7 in the order of time", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const [row] = await sql<{ id: string }[]>`select uuid_v7() as id`;
      ids.push(row!.id);
      await Bun.sleep(3);
    }
    const millis = parseInt(ids[0]!.replace("-", "").slice(0, 12), 16);

    expect(
      ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
    ).toBe(true);
    expect(ids.toSorted()).toEqual(ids);
    expect(Math.abs(millis - Date.now())).toBeLessThan(60_000);
  });
});
