// Postgres 15 is the oldest we promise. Where Debian's is installed, the schema is tried on it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, chmodSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type postgres from "postgres";
import { generateTypes } from "../../src/db/generate.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openPool } from "../../src/db/pool.ts";
import { openWorkerPool } from "../../src/db/worker_pool.ts";

const BIN = "/usr/lib/postgresql/15/bin";
const found = existsSync(join(BIN, "initdb"));

let dir: string;
let sql: postgres.Sql;

/** Runs a program of Postgres, which refuses to run as root. */
async function run(...command: string[]): Promise<void> {
  const asPostgres = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--"] : [];
  const child = Bun.spawn([...asPostgres, ...command], { cwd: "/", stdout: "ignore", stderr: "ignore" });
  if ((await child.exited) !== 0) throw new Error(`Cannot run ${command.join(" ")}`);
}

describe.skipIf(!found)(`Postgres 15${found ? "" : " (skipped: not installed)"}`, () => {
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "postrider-pg15-"));
    chmodSync(dir, 0o777);
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
    await run(
      join(BIN, "initdb"),
      "-D",
      join(dir, "data"),
      "-U",
      "app",
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C.UTF-8",
    );
    await run(
      join(BIN, "pg_ctl"),
      "-D",
      join(dir, "data"),
      "-o",
      options,
      "-l",
      join(dir, "log"),
      "-w",
      "start",
    );
    const url = `postgres://app@127.0.0.1:${port}/postgres`;
    sql = openPool(url, { max: 4 });
    const workerPool = openWorkerPool(url, 1);
    await migrate(sql, workerPool);
    await workerPool.end();
  });

  afterAll(async () => {
    await sql.end({ timeout: 1 });
    await run(join(BIN, "pg_ctl"), "-D", join(dir, "data"), "-m", "immediate", "-w", "stop");
    rmSync(dir, { recursive: true, force: true });
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
