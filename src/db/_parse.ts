// The small language of `sql/queries/`: named statements with `:parameters`.

/** How many rows a statement returns: exactly one, one or none, any number, any number as bytes, or only a count. */
export type Rows = "one" | "maybe" | "many" | "bytes" | "exec";

/** One named statement. */
export interface Statement {
  name: string;
  rows: Rows;
  /** The prose under the header lines: it becomes the doc comment of the function. */
  comment: string[];
  line: number;
  /** The text between the parameters, in the form a tagged template has. */
  strings: TemplateStringsArray;
  params: string[];
  /** Parameters that may be null; `rows.name` is a column of a parameter that holds rows. */
  nullable: Set<string>;
  /** Parameters that hold rows as JSON, with the columns that are read from them. */
  records: Map<string, RecordColumn[]>;
  /** Parameters replaced by SQL, with the text that replaces them for type checking. */
  splices: Map<string, string>;
}

/** A column of rows that are given as JSON: its name and its type, as SQL writes them. */
export interface RecordColumn {
  name: string;
  type: string;
}

const NAME = /^-- name: (\w+) :(one|maybe|many|bytes|exec)$/;
const NULLABLE = /^-- nullable: (.+)$/;
const SPLICE = /^-- splice: (\w+) = (.+)$/;
const RECORDSET = /\bjsonb?_to_recordset\(:(\w+)::jsonb?\)\s*as\s*\w*\s*\(([^)]*)\)/g;
// What may contain a colon that is not a parameter comes first: literals, names, comments, casts.
const TOKEN = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|::|:(\w+)/g;

/** Cuts the text of a query file into its statements. Throws on a duplicate name and on text before the first one. */
export function parseStatements(text: string, file: string): Statement[] {
  const lines = text.split("\n");
  const starts = lines.flatMap((line, i) => (NAME.test(line) ? [i] : []));
  const preface = lines
    .slice(0, starts[0] ?? lines.length)
    .find((line) => line !== "" && !line.startsWith("--"));
  if (preface !== undefined)
    throw new Error(`Cannot load ${file}: "${preface}" stands before the first name`);
  const statements = starts.map((start, n) => parseOne(lines.slice(start, starts[n + 1]), start + 1));
  const twice = statements.find((s, i) => statements.findIndex((other) => other.name === s.name) < i);
  if (twice) throw new Error(`Cannot load ${file}:${twice.line}: "${twice.name}" is there twice`);
  for (const statement of statements) {
    const [unknown] = statement.nullable.difference(namesOf(statement));
    if (unknown === undefined) continue;
    throw new Error(
      `Cannot load ${file}:${statement.line}: "${unknown}" is called nullable, and is not there`,
    );
  }
  return statements;
}

function namesOf({ params, records }: Statement): Set<string> {
  const columns = [...records].flatMap(([param, rows]) => rows.map(({ name }) => `${param}.${name}`));
  return new Set([...params, ...columns]);
}

function parseOne(lines: string[], line: number): Statement {
  const [, name, rows] = NAME.exec(lines[0]!)!;
  const end = lines.findIndex((text, i) => i > 0 && !text.startsWith("--"));
  const header = lines.slice(1, end === -1 ? lines.length : end);
  const nullable = header.flatMap((text) => NULLABLE.exec(text)?.[1]!.split(", ") ?? []);
  const splices = header.flatMap((text) => {
    const match = SPLICE.exec(text);
    return match ? [[match[1]!, match[2]!] as const] : [];
  });
  const comment = header
    .filter((text) => !NULLABLE.test(text) && !SPLICE.test(text))
    .map((text) => text.slice(3));
  // A comment that introduces the next statement belongs to the file, not to this one.
  const body = lines
    .slice(1 + header.length)
    .join("\n")
    .replace(/;\s*(--[^\n]*\s*)*$/, "")
    .trim();
  return {
    name: name!,
    rows: rows as Rows,
    comment,
    line,
    nullable: new Set(nullable),
    splices: new Map(splices),
    records: recordsIn(body),
    ...splitAtParams(body),
  };
}

function recordsIn(body: string): Statement["records"] {
  return new Map(
    [...body.matchAll(RECORDSET)].map(([, param, columns]) => [
      param!,
      columns!.split(",").map((column) => {
        const [name, type] = column.trim().split(/\s+/);
        return { name: name!, type: type! };
      }),
    ]),
  );
}

function splitAtParams(body: string): Pick<Statement, "strings" | "params"> {
  const strings: string[] = [];
  const params: string[] = [];
  let from = 0;
  for (const token of body.matchAll(TOKEN)) {
    if (token[1] === undefined) continue;
    strings.push(body.slice(from, token.index));
    params.push(token[1]);
    from = token.index + token[0].length;
  }
  strings.push(body.slice(from));
  return { strings: Object.assign(strings, { raw: strings }), params };
}
