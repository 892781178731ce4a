// Statistics are taken in the middle of the work of a project. A vacuum against the end of transaction ids holds a table for hours,
// and another project's work until its commit: nobody waits for them, as the statement would end after 30 s, and the work with it.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { parseStatements } from "../../src/db/_parse.ts";
import { QUERIES_DIR } from "../../src/db/queries.ts";
import { useService } from "../support/service.ts";

const service = useService();

/** Those of the demo are an operator's own command: it is alone, and waits. */
const NOT_IN_SERVICE = new Set(["demo.sql"]);

const statements = readdirSync(QUERIES_DIR)
  .filter((file) => file.endsWith(".sql") && !NOT_IN_SERVICE.has(file))
  .flatMap((file) =>
    parseStatements(readFileSync(new URL(file, QUERIES_DIR), "utf8"), file).map(({ name, strings }) => ({
      name: `${file} ${name}`,
      text: strings.join("").trim(),
    })),
  )
  .filter(({ text }) => /^analyze\b/i.test(text));

test("no statement that takes statistics waits for somebody who has the table", async () => {
  const tables = statements.flatMap(({ text }) =>
    text.replace(/^analyze(\s*\([^)]*\))?/i, "").match(/\w+/g)!,
  );
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holder = service.pool.begin(async (sql) => {
    await sql.unsafe(
      `lock table ${[...new Set(tables)].map((table) => `only ${table}`).join(", ")} in share update exclusive mode`,
    );
    held.resolve();
    await over;
  });
  await held.promise;
  const waited: string[] = [];
  for (const { name, text } of statements) {
    const asked = service.pool.begin(async (sql) => {
      await sql`set local lock_timeout = '200ms'`;
      await sql.unsafe(text);
    });
    await asked.catch((error: Error) => waited.push(`${name}: ${error.message}`));
  }
  end();
  await holder;

  expect(statements.length).toBeGreaterThanOrEqual(4);
  expect(waited).toEqual([]);
});
