import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parseStatements } from "../../src/db/_parse.ts";
import { generateTypes } from "../../src/db/generate.ts";
import { q } from "../../src/db/queries.ts";
import { drawSchema } from "../../src/db/schema_picture.ts";
import { dropDatabase, newDatabase, openPlainPool } from "../support/postgres.ts";
import type postgres from "postgres";

let database: string;
let sql: postgres.Sql;

beforeAll(async () => {
  database = await newDatabase();
  sql = openPlainPool(database);
});

afterAll(async () => {
  await sql.end({ timeout: 1 });
  await dropDatabase(database);
});

const fileText = (path: string) => Bun.file(new URL(`../../${path}`, import.meta.url)).text();

describe("what is generated", () => {
  test("queries.gen.ts is what Postgres says about sql/queries today", async () => {
    expect(await generateTypes(sql)).toBe(await fileText("src/db/queries.gen.ts"));
  });

  test("schema.sql is the picture of the migrations today", async () => {
    expect(await drawSchema(sql)).toBe(await fileText("sql/schema.sql"));
  });
});

describe("the schema", () => {
  test("says of each table, function, trigger and index what it is for", async () => {
    const silent = await sql`
      select relkind::text || ' ' || relname as what
      from pg_class c
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'i', 'I') and not relispartition
        and not exists (select from pg_constraint k where k.conindid = c.oid or k.conindid = any(
          select i.inhparent from pg_inherits i where i.inhrelid = c.oid
        ))
        and obj_description(oid, 'pg_class') is null
      union all
      select 'function ' || proname
      from pg_proc p
      where pronamespace = 'public'::regnamespace and obj_description(oid, 'pg_proc') is null
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      union all
      select 'trigger ' || tgname
      from pg_trigger
      where not tgisinternal and tgparentid = 0 and obj_description(oid, 'pg_trigger') is null`;

    expect(silent.map((row) => row.what as string)).toEqual([]);
  });

  test("has each trigger named in the source, by what makes it fire", async () => {
    const triggers = await sql`select tgname from pg_trigger where not tgisinternal and tgparentid = 0`;
    const source = await Promise.all(
      [...new Bun.Glob("src/**/*.ts").scanSync()].filter((path) => !path.endsWith(".gen.ts")).map(fileText),
    );
    const named = new Set(
      source.flatMap((text) => [...text.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name)),
    );

    expect(triggers.length).toBeGreaterThan(15);
    expect(triggers.map((row) => row.tgname as string).filter((name) => !named.has(name))).toEqual([]);
  });

  test("names statements that there are, where it says what an index serves", async () => {
    const comments = await sql`
      select obj_description(oid, 'pg_class') as text from pg_class where relkind in ('i', 'I')`;
    const named = comments.flatMap(({ text }) => [...String(text).matchAll(/`([a-z_]+)[.]([a-z_]+)`/g)]);
    const queries = q as unknown as Record<string, Record<string, unknown> | undefined>;
    const camel = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

    expect(named.length).toBeGreaterThan(40);
    expect(
      named.filter(([, file, name]) => !queries[camel(file!)]?.[camel(name!)]).map(([whole]) => whole),
    ).toEqual([]);
  });
});

describe("a query file", () => {
  test("is cut at its parameters, and not at casts, literals, names or comments", () => {
    const [statement] = parseStatements(
      "-- name: pick :many\n-- nullable: b\n-- splice: c = true\n-- Says why.\nselect ':no', \"a:no\", x::int -- :no\nfrom t where a = :a and b = :b and :c;\n",
      "t.sql",
    );

    expect(statement).toMatchObject({
      name: "pick",
      rows: "many",
      comment: ["Says why."],
      line: 1,
      params: ["a", "b", "c"],
    });
    expect([...statement!.nullable]).toEqual(["b"]);
    expect([...statement!.splices]).toEqual([["c", "true"]]);
    expect(statement!.strings.raw.join("?")).toBe(
      "select ':no', \"a:no\", x::int -- :no\nfrom t where a = ? and b = ? and ?",
    );
  });

  test("says which columns its rows have that are given as JSON, and which of them may be null", () => {
    const [statement] = parseStatements(
      "-- name: add :exec\n-- nullable: rows.b\ninsert into t select * from json_to_recordset(:rows::json) as r (\n  a uuid, b timestamptz\n);\n",
      "t.sql",
    );

    expect(statement!.records.get("rows")).toEqual([
      { name: "a", type: "uuid" },
      { name: "b", type: "timestamptz" },
    ]);
    expect([...statement!.nullable]).toEqual(["rows.b"]);
  });

  test("that calls something nullable which it does not have is refused", () => {
    expect(() => parseStatements("-- name: a :one\n-- nullable: b\nselect :a;\n", "t.sql")).toThrow('"b"');
  });

  test("with one name twice is refused", () => {
    expect(() =>
      parseStatements("-- name: a :one\nselect 1;\n-- name: a :one\nselect 2;\n", "t.sql"),
    ).toThrow("twice");
  });

  test("with text before its first name is refused", () => {
    expect(() => parseStatements("select 1;\n-- name: a :one\nselect 2;\n", "t.sql")).toThrow(
      "before the first name",
    );
  });

  test("with a statement that Postgres cannot run is refused with its place", async () => {
    const statement = parseStatements("-- name: a :one\nselect nothing from nowhere;\n", "t.sql");
    expect(statement).toHaveLength(1);
    const broken = sql(statement[0]!.strings).describe();
    expect(await broken.catch((error: Error) => error.message)).toContain("nowhere");
  });
});
