// A database that exists: of a version before this one, which gets what is new, and of one that nothing leads on from.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type postgres from "postgres";
import { drawSchema } from "../../src/db/schema_picture.ts";
import { FOREIGN, migrate, migrationNames } from "../../src/db/migrate.ts";
import { openWorkerPool } from "../../src/db/worker_pool.ts";
import { databaseUrl, dropDatabase, newDatabase, openTestPool } from "../support/postgres.ts";

let database: string;
let sql: postgres.Sql;

beforeAll(async () => {
  database = await newDatabase();
  sql = openTestPool(database);
});

beforeEach(async () => {
  await sql.unsafe(`
    drop schema public cascade;
    create schema public;
    create table migrations (name text primary key, applied_at timestamptz not null default now())`);
});

afterAll(async () => {
  await sql.end({ timeout: 1 });
  await dropDatabase(database);
});

const migrateIt = async () => {
  const workerPool = openWorkerPool(databaseUrl(database), 2);
  return await migrate(sql, workerPool).finally(() => workerPool.end());
};

/** Applies migrations as an older version did, which had no others. */
const applyOnly = async (names: string[]) =>
  await sql.begin(async (tx) => {
    for (const name of names) {
      await tx.unsafe(readFileSync(new URL(`../../sql/migrations/${name}`, import.meta.url), "utf8"));
      await tx`insert into migrations (name) values (${name})`;
    }
  });

test("every migration has a number of its own", () => {
  const numbers = migrationNames().map((name) => /^(\d{4})_[a-z_]+\.sql$/.exec(name)?.[1]);

  expect(numbers).toEqual(migrationNames().map((_, n) => String(n + 1).padStart(4, "0")));
});

describe("a database of before", () => {
  test.each([1, 8, migrationNames().length - 1])(
    "with the first %d migrations gets the others",
    async (n) => {
      await applyOnly(migrationNames().slice(0, n));

      expect(await migrateIt()).toEqual(migrationNames().slice(n));
      expect(await drawSchema(sql)).toBe(
        await Bun.file(new URL("../../sql/schema.sql", import.meta.url)).text(),
      );
      expect(await migrateIt()).toEqual([]);
    },
  );

  test("that has one under the number of another, which it had once, keeps what it made", async () => {
    const moved = migrationNames().find((name) => name.endsWith("_project_key_kinds.sql"))!;
    const earlier = migrationNames().filter((name) => name < moved);
    await applyOnly([...earlier, moved]);
    await sql`update migrations set name = '0023_project_key_kinds.sql' where name = ${moved}`;
    await sql`
      insert into projects (name, public_key, secret_hash, secret_hint)
      values ('Shop', ${`pk_${"0".repeat(48)}`}, ${Buffer.alloc(32)}, 'abcd')`;
    await sql`
      insert into project_keys (project_id, name, scopes, hash, hint, created_by, is_public)
      select id, 'Server', '{track}', ${Buffer.alloc(32)}, 'abcd', 'ada@example.com', false from projects`;
    const applied = await migrateIt();
    const keys = await sql`select is_public from project_keys`;

    expect(applied[0]).toBe(moved);
    expect(keys.map((key) => key.isPublic as boolean)).toEqual([false]);
    expect(await drawSchema(sql)).toBe(
      await Bun.file(new URL("../../sql/schema.sql", import.meta.url)).text(),
    );
  });

  test("knows of campaigns that are being sent how many mails have an outcome", async () => {
    await applyOnly(migrationNames().filter((name) => name < "0037"));
    await sql`
      insert into projects (name, public_key, secret_hash, secret_hint)
      values ('Shop', ${`pk_${"0".repeat(48)}`}, ${Buffer.alloc(32)}, 'abcd')`;
    await sql`
      insert into campaigns (project_id, name, subject, body, html, from_email, audience_type, status, snapshot_count)
      select id, v.name, 's', 'b', 'b', 'a@example.com', 'ALL', v.status::campaign_status, v.mails
      from projects
      cross join (values ('Draft', 'DRAFT', 0), ('Under way', 'SENDING', 5), ('Over', 'SENT', 9)) as v (name, status, mails)`;
    await sql`
      insert into emails (project_id, address, source_type, campaign_id, status, due_at, queued_at)
      select project_id, 'a@example.com', 'CAMPAIGN', id, v.outcome::email_status, now(), now()
      from campaigns
      cross join unnest('{PENDING,SENDING,PENDING,SENT,FAILED}'::text[]) as v (outcome)
      where name = 'Under way'`;
    await migrateIt();
    const campaigns = await sql`select name, processed_count from campaigns order by name`;

    expect(campaigns.map((row) => [row.name, row.processedCount])).toEqual([
      ["Draft", 0],
      ["Over", 9],
      ["Under way", 2],
    ]);
  });

  test("the first release is refused with what to do, and stays as it is", async () => {
    await sql.unsafe("drop schema graphile_worker cascade");
    await sql`insert into migrations (name) values ('0001_functions.sql'), ('0002_projects.sql')`;
    const error = await migrateIt().catch((thrown: Error) => thrown.message);
    const [left] = await sql`
      select to_regclass('contacts') as contacts, to_regnamespace('graphile_worker') as queue, count(*)::int as n
      from migrations`;

    expect(error).toBe(FOREIGN);
    expect(left).toEqual({ contacts: null, queue: null, n: 2 });
  });
});
