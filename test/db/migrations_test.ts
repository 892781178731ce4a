// An installation that exists gets its new migrations in one transaction. There a new label of an enum cannot be used
// before the commit, which a database that is made from nothing would not notice: its types are as new as their labels.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type postgres from "postgres";
import { migrate, migrationNames } from "../../src/db/migrate.ts";
import { openWorkerPool } from "../../src/db/worker_pool.ts";
import { databaseUrl, dropDatabase, newDatabase, openTestPool } from "../support/postgres.ts";

/** The first one that adds a label to a type of an earlier one. */
const FIRST_LABEL = "0032_captured_mails.sql";

let database: string;
let sql: postgres.Sql;

beforeAll(async () => {
  database = await newDatabase();
  sql = openTestPool(database);
  await sql.unsafe("drop schema public, graphile_worker cascade; create schema public");
});

afterAll(async () => {
  await sql.end({ timeout: 1 });
  await dropDatabase(database);
});

test("a database of before gets what is new in one transaction", async () => {
  const workerPool = openWorkerPool(databaseUrl(database), 2);
  const before = migrationNames().filter((name) => name < FIRST_LABEL);
  const after = migrationNames().filter((name) => name >= FIRST_LABEL);
  await sql.begin(async (tx) => {
    await tx`create table migrations (name text primary key, applied_at timestamptz not null default now())`;
    for (const name of before) {
      const text = readFileSync(new URL(`../../sql/migrations/${name}`, import.meta.url), "utf8");
      await tx.unsafe(text);
      await tx`insert into migrations (name) values (${name})`;
    }
  });
  const applied = await migrate(sql, workerPool).finally(() => workerPool.end());
  const [status] = await sql`select 'CAPTURED'::email_status as status`;

  expect(applied).toEqual(after);
  expect(status).toEqual({ status: "CAPTURED" });
});
