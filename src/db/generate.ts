import { readdirSync, readFileSync } from "node:fs";
import postgres from "postgres";
import { parseStatements, type Statement } from "./_parse.ts";
import { QUERIES_DIR } from "./queries.ts";

const TYPES: Record<string, string> = {
  bool: "boolean",
  bytea: "Uint8Array",
  date: "Date",
  float4: "number",
  float8: "number",
  int2: "number",
  int4: "number",
  int8: "string",
  json: "Json",
  jsonb: "Json",
  numeric: "string",
  text: "string",
  timestamptz: "Date",
  uuid: "string",
  varchar: "string",
  void: "null",
};

type Described = Awaited<ReturnType<postgres.PendingQuery<postgres.Row[]>["describe"]>>;

/** What a field of a row may be that is given as JSON, by the type of its column, if that is not the same as elsewhere. */
const JSON_TYPES: Record<string, string> = {
  int: "number",
  bigint: "number | string",
  boolean: "boolean",
  json: "JsonArg",
  jsonb: "JsonArg",
  timestamptz: "Date | string",
};

/** What the database says about types and columns. */
interface Catalogue {
  types: Map<number, string>;
  /** The same by the names of the types. */
  named: Map<string, string>;
  notNull: Set<string>;
}

/**
 * Writes the TypeScript types of every statement, as the database describes each. Throws on one that it cannot run.
 * `sql` is a plain pool: ours renames columns, and the generator must see `total!` as written.
 */
export async function generateTypes(sql: postgres.Sql): Promise<string> {
  const catalogue = { ...(await loadTypes(sql)), notNull: await loadNotNull(sql) };
  const files = readdirSync(QUERIES_DIR)
    .filter((file) => file.endsWith(".sql"))
    .sort();
  const lines = [
    "// Generated from sql/queries by `bun run sql:types`. Do not edit.",
    'import type { Db, Fragment, Json, JsonArg } from "./types.ts";',
    "",
    "type On = { sql: Db; patienceMs?: number };",
    "",
    "export interface Queries {",
  ];
  for (const file of files) {
    lines.push(`  ${postgres.toCamel(file.slice(0, -4))}: {`);
    for (const statement of parseStatements(readFileSync(new URL(file, QUERIES_DIR), "utf8"), file)) {
      lines.push(...signature(statement, await describe(sql, statement, file), file, catalogue));
    }
    lines.push("  };");
  }
  return [...lines, "}", ""].join("\n");
}

async function describe(sql: postgres.Sql, s: Statement, file: string): Promise<Described> {
  const sample = (param: string) => (s.splices.has(param) ? sql.unsafe(s.splices.get(param)!) : null);
  try {
    return await sql(s.strings, ...s.params.map(sample)).describe();
  } catch (error) {
    throw new Error(`Cannot describe ${file}:${s.line} "${s.name}": ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function signature(s: Statement, described: Described, file: string, catalogue: Catalogue): string[] {
  const comment = [...s.comment, `(sql/queries/${file}:${s.line})`].join("\n     * ");
  return [
    `    /** ${comment} */`,
    `    ${postgres.toCamel(s.name)}(on: On${argsType(s, described, catalogue)}): Promise<${rowsType(s, described, catalogue)}>;`,
  ];
}

function argsType(s: Statement, described: Described, catalogue: Catalogue): string {
  const { types } = catalogue;
  const fields = new Map<string, string>();
  let position = 0;
  for (const param of s.params) {
    const type = s.splices.has(param) ? "Fragment" : (types.get(described.types[position++]!) ?? "unknown");
    const written = s.records.has(param) ? recordsType(s, param, catalogue) : type;
    const field = `${written === "Json" ? "JsonArg" : written}${s.nullable.has(param) ? " | null" : ""}`;
    // Postgres may know more about one use of a parameter than about another.
    if (!fields.has(param) || fields.get(param)!.startsWith("unknown")) fields.set(param, field);
  }
  if (fields.size === 0) return "";
  return `, args: { ${[...fields].map(([name, type]) => `${postgres.toCamel(name)}: ${type}`).join("; ")} }`;
}

/** Every column has to be given, so that none is forgotten; a statement says which of them may be null. */
function recordsType(s: Statement, param: string, { named }: Catalogue): string {
  const fields = s.records.get(param)!.map(({ name, type }) => {
    const isNullable = s.nullable.has(`${param}.${name}`);
    return `${name}: ${JSON_TYPES[type] ?? named.get(type) ?? "unknown"}${isNullable ? " | null | undefined" : ""}`;
  });
  return `{ ${fields.join("; ")} }[]`;
}

function rowsType(s: Statement, described: Described, { types, notNull }: Catalogue): string {
  if (s.rows === "exec") return "number";
  if (s.rows === "bytes") return "Uint8Array[][]";
  const fields = described.columns.map((description) => {
    const column = description as unknown as { name: string; type: number; table: number; number: number };
    const sure = notNull.has(`${column.table}.${column.number}`) && !column.name.endsWith("?");
    const name = postgres.toCamel(column.name.replace(/[!?]$/, ""));
    return `${name}: ${types.get(column.type) ?? "unknown"}${sure || column.name.endsWith("!") ? "" : " | null"}`;
  });
  const row = `{ ${fields.join("; ")} }`;
  return { many: `${row}[]`, maybe: `${row} | null`, one: row }[s.rows];
}

async function loadTypes(sql: postgres.Sql): Promise<Pick<Catalogue, "types" | "named">> {
  const rows = await sql<{ oid: number; name: string; element: string | null; labels: string[] | null }[]>`
    select
      t.oid::int,
      t.typname as name,
      (select e.typname from pg_type e where e.oid = t.typelem and t.typcategory = 'A') as element,
      (
        select array_agg(l.enumlabel order by l.enumsortorder)
        from pg_enum l
        where l.enumtypid = case when t.typcategory = 'A' then t.typelem else t.oid end
      ) as labels
    from pg_type t`;
  return {
    types: new Map(rows.map((row) => [row.oid, typeOf(row)])),
    named: new Map(rows.map((row) => [row.name, typeOf(row)])),
  };
}

function typeOf({
  name,
  element,
  labels,
}: {
  name: string;
  element: string | null;
  labels: string[] | null;
}): string {
  if (labels) {
    const either = labels.map((label) => JSON.stringify(label)).join(" | ");
    return element ? `(${either})[]` : either;
  }
  if (element) return `${TYPES[element] ?? "unknown"}[]`;
  return TYPES[name] ?? "unknown";
}

async function loadNotNull(sql: postgres.Sql): Promise<Set<string>> {
  const rows = await sql<{ key: string }[]>`
    select attrelid || '.' || attnum as key from pg_attribute where attnotnull and attnum > 0`;
  return new Set(rows.map((row) => row.key));
}
