import { readdirSync, readFileSync } from "node:fs";
import postgres from "postgres";
import { inSpan, tracer } from "../tracing.ts";
import { parseStatements, type Statement } from "./_parse.ts";
import { answerOf } from "./patience.ts";
import { countUse, isPool } from "./pool.ts";
import type { Queries } from "./queries.gen.ts";
import type { Db } from "./types.ts";

/** The folder of the statements; each file is one namespace of {@linkcode q}. */
export const QUERIES_DIR = new URL("../../sql/queries/", import.meta.url);

/** Every statement of `sql/queries/` as a typed function: `q.<file>.<name>(ctx, parameters)`. */
export const q = loadQueries();

function loadQueries(): Queries {
  const namespaces = readdirSync(QUERIES_DIR)
    .filter((file) => file.endsWith(".sql"))
    .map((file) => {
      const statements = parseStatements(readFileSync(new URL(file, QUERIES_DIR), "utf8"), file);
      const functions = statements.map((s) => [postgres.toCamel(s.name), toFunction(s, file)]);
      return [postgres.toCamel(file.slice(0, -".sql".length)), Object.fromEntries(functions)];
    });
  return Object.fromEntries(namespaces) as Queries;
}

function toFunction(statement: Statement, file: string) {
  const keys = statement.params.map(postgres.toCamel);
  // A spliced statement has a new text for every condition, and a prepared one lives as long as its connection.
  const prepared = statement.splices.size === 0;
  const name = `${file.slice(0, -".sql".length)}.${statement.name}`;
  // What a trace says of it: never its values.
  const attributes = { "db.system.name": "postgresql", "db.query.summary": name };
  const asSpan = { kind: "client" as const, attributes };
  return async ({ sql, patienceMs }: { sql: Db; patienceMs?: number }, args: Record<string, never> = {}) => {
    // postgres.js takes a file's statement as if it were a tagged template: values, arrays and fragments included.
    const query = sql(statement.strings, ...keys.map((key) => args[key]!));
    if (statement.rows === "bytes") query.raw();
    const patient = patienceMs === Infinity;
    if (!prepared || patient)
      Object.assign(query, { options: { ...(!prepared && { prepare: false }), patient } });
    const ask = () => countUse(sql, () => answerOf(query, patienceMs, { isAlone: isPool(sql) }));
    const rows = await (tracer === undefined ? ask() : inSpan(name, asSpan, ask));
    if (statement.rows === "many" || statement.rows === "bytes") return [...rows];
    if (statement.rows === "exec") return rows.count;
    if (statement.rows === "maybe") return rows[0] ?? null;
    if (rows.length === 1) return rows[0];
    throw new Error(
      `Cannot take one row from ${file}:${statement.line} "${statement.name}": got ${rows.length}`,
    );
  };
}
