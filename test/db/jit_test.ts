// A server with LLVM compiles plans that it believes to be expensive. Where planning is told what to avoid it believes that of all,
// and a statement that looks at one row takes a third of a second. The Postgres of the tests never compiles: this looks for what
// would.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { parseStatements } from "../../src/db/_parse.ts";
import { QUERIES_DIR } from "../../src/db/queries.ts";
import { useService } from "../support/service.ts";

const service = useService();

test("no function and no statement that turns a way of planning off has its plans compiled", async () => {
  const functions = await service.pool<{ name: string; isOff: boolean }[]>`
    select proname as name, proconfig @> '{jit=off}' as "is_off"
    from pg_proc
    where pronamespace = 'public'::regnamespace and proconfig::text like '%enable\\_%'`;
  const statements = readdirSync(QUERIES_DIR).flatMap((file) =>
    parseStatements(readFileSync(new URL(file, QUERIES_DIR), "utf8"), file)
      .map(({ name, strings }) => ({ name, text: strings.join("") }))
      .filter(({ text }) => text.includes("set_config('enable_"))
      .map(({ name, text }) => ({ name, isOff: text.includes("set_config('jit', 'off', true)") })),
  );

  for (const found of [functions, statements]) {
    expect(found.length).toBeGreaterThan(2);
    expect(found.filter(({ isOff }) => !isOff)).toEqual([]);
  }
});
