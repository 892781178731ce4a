// A CSV file of contacts: rows from bytes, and what each row says about a contact. Knows no database.
import { CsvError, type Info, parse, type Parser } from "csv-parse";
import { parseAddress } from "../../mail/address.ts";
import { problems } from "../../problem.ts";
import { GIVEN_NAMES, type GivenValues, standardField } from "../standard_fields.ts";
import { readCell, withoutGuard } from "./cells.ts";
import { dataErrors, type DataChange, type DataInput, sortData } from "./data.ts";

/** A row with something in it. */
export interface CsvRow {
  /** As a spreadsheet counts: the header is 1, and blank rows count. */
  row: number;
  /** Where the next row begins, in bytes. */
  end: number;
  cells: string[];
}

/** Which column is what. */
export interface CsvColumns {
  email: number;
  /** The other standard fields that the file has. */
  given: { index: number; name: keyof GivenValues }[];
  data: { index: number; key: string }[];
  /** Whether an apostrophe may stand before what a spreadsheet would take for a formula, as exports write it. */
  isGuarded: boolean;
  /** Whether every row of fewer characters than this holds data of a size that is allowed. */
  safeLength: number;
}

/** A contact as a row describes it. */
export interface ContactRow {
  row: number;
  end: number;
  email: string;
  given: GivenValues;
  change: DataChange;
}

/** A row that cannot be used, and why. */
export interface RowError {
  row: number;
  email: string;
  error: string;
}

/** A row that cannot be used, with its place. */
export interface RefusedRow extends RowError {
  end: number;
}

/** A place between two rows of a file. */
export interface CsvPlace {
  bytes: number;
  /** Rows before it, with the header and blank ones. */
  lines: number;
}

/** What each column is, by its name in the file: `email`, `subscribed`, a key of the data, or null for nothing. */
export type ColumnMapping = Record<string, string | null>;

const START: CsvPlace = { bytes: 0, lines: 0 };

const MAX_SHOWN_EMAIL = 320;
const MAX_SHOWN_COLUMNS = 10;
/** More than anybody's table has; each row is looked through for each of them. */
const MAX_COLUMNS = 1_000;
/** Several times what a contact may hold. A row is worked on in one piece. */
const MAX_ROW_BYTES = 262_144;
const BOOLEANS = new Map([
  ["true", true],
  ["1", true],
  ["yes", true],
  ["false", false],
  ["0", false],
  ["no", false],
]);
const NONE: string[] = [];

/** What separates cells. */
export type Separator = "," | ";" | "\t";

const SEPARATORS: Record<Separator, string> = { ",": "commas", ";": "semicolons", "\t": "tabs" };

/**
 * Passes each row of a file to `take`, with what separates its cells, and pauses after each piece. That is the comma, the
 * semicolon or the tab, whichever is in the first row most. They may begin `at` a later row. Quoted cells may hold line breaks, rows may be ragged, blank
 * rows are skipped. Throws a Problem for anything that is not UTF-8, and for a quote that is never closed.
 */
export async function* readRows(
  pieces: AsyncIterable<Uint8Array>,
  take: (row: CsvRow, separator: Separator) => void,
  { at = START, separator }: { at?: CsvPlace; separator?: Separator } = {},
): AsyncGenerator<void> {
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  let parser: Parser | undefined;
  try {
    for await (const piece of pieces) {
      const text = utf8.decode(piece, { stream: true });
      parser ??= openParser(separator ?? separatorOf(text), take, at);
      await write(parser, piece);
      yield;
    }
    utf8.decode();
    if (parser) await finish(parser);
  } catch (error) {
    throw toProblem(error);
  } finally {
    parser?.destroy();
  }
}

function openParser(
  separator: Separator,
  take: (row: CsvRow, separator: Separator) => void,
  at: CsvPlace,
): Parser {
  const parser = parse({
    bom: true,
    delimiter: separator,
    ltrim: true,
    max_record_size: MAX_ROW_BYTES,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    // The rows are taken here, and not from the stream: that is three times as quick.
    on_record: (cells: string[], { records, empty_lines, bytes }: Info) => {
      const trimmed = cells.map((cell) => cell.trim());
      const row = at.lines + records + empty_lines;
      if (trimmed.some((cell) => cell !== ""))
        take({ row, end: at.bytes + bytes, cells: trimmed }, separator);
      return null;
    },
  });
  // Errors come through the callbacks below as well.
  parser.on("error", () => {});
  return parser;
}

/** What separates the cells of the first row; quoted cells do not count. */
function separatorOf(start: string): Separator {
  const header = start
    .replace(/"(?:[^"]|"")*"/g, "")
    .trimStart()
    .split(/[\r\n]/, 1)[0]!;
  const count = (separator: string) => header.split(separator).length;
  const [most] = (Object.keys(SEPARATORS) as Separator[]).sort((a, b) => count(b) - count(a));
  return most!;
}

/** Finds the columns in the header. Throws a Problem when there is no `email`, or more than one. */
export function readHeader(
  header: CsvRow | undefined,
  separator: Separator = ",",
  mapping: ColumnMapping | null = null,
): CsvColumns {
  if (!header) throw problems.unreadableFile("it is empty");
  const names = mapped(header.cells, mapping ?? {});
  if (names.length > MAX_COLUMNS) {
    throw problems.unreadableFile(`it has ${names.length} columns; ${MAX_COLUMNS} are allowed`);
  }
  const email = emailColumn(names);
  if (email === -1) {
    const found = names.slice(0, MAX_SHOWN_COLUMNS).map((name) => shown(name).slice(0, 40));
    throw problems.unreadableFile(
      `its first row has no column email; separated by ${SEPARATORS[separator]}, it has ${found.join(", ")}` +
        (names.length > found.length ? ` and ${names.length - found.length} others` : ""),
    );
  }
  const given = GIVEN_NAMES.map((name) => ({ index: columnOf(names, name), name })).filter(
    ({ index }) => index !== -1,
  );
  const taken = new Set([email, ...given.map(({ index }) => index)]);
  const data = names.flatMap((key, index) =>
    key === "" || taken.has(index) || isDropped(key) ? [] : [{ index, key }],
  );
  return { email, given, data, isGuarded: mapping !== null, safeLength: safeLengthOf(data) };
}

/** The names by which columns are read: those of the file, or what a request makes of them. */
function mapped(names: string[], mapping: ColumnMapping): string[] {
  const missing = Object.keys(mapping).filter((name) => !names.includes(name.trim()));
  if (missing.length > 0) {
    throw problems.unreadableFile(
      `its first row has no column ${missing.map(shown).join(", ").slice(0, 200)}`,
    );
  }
  const targets = new Map(Object.entries(mapping).map(([name, target]) => [name.trim(), target]));
  return names.map((name) => {
    const target = targets.get(name);
    return target === undefined ? name : (target ?? "").replace(/^data\./, "");
  });
}

/** The contact that a row describes, or what is wrong with it. */
export function readContact(columns: CsvColumns, { row, end, cells }: CsvRow): ContactRow | RefusedRow {
  const written = cells[columns.email] ?? "";
  const refused = (error: string): RefusedRow => ({ row, end, email: shown(written), error });
  if (cells.some((cell) => cell.includes("\0"))) return refused("NUL is not allowed in text");
  if (written === "") return refused("The email is missing");
  const address = parseAddress(written);
  if (!address) return refused("This is not an email address");
  const given: Record<string, unknown> = {};
  for (const { index, name } of columns.given) {
    const cell = cells[index] ?? "";
    if (cell === "") continue;
    const { value, error } = READERS[standardField(name).kind](cell, name);
    if (error !== undefined) return refused(error);
    given[name] = value;
  }
  const sets = readData(columns, cells);
  const length = cells.reduce((sum, cell) => sum + cell.length, 0);
  const wrong = length < columns.safeLength ? undefined : dataErrors(sets)[0];
  if (wrong) return refused(wrong.message);
  return { row, end, email: address.email, given, change: { sets, deletes: NONE, values: sets } };
}

/** How a cell is read that is not empty, by the kind of its field. */
const READERS: Record<
  ReturnType<typeof standardField>["kind"],
  (cell: string, name: string) => { value?: unknown; error?: string }
> = {
  text: (cell) => ({ value: cell }),
  boolean: (cell, name) => {
    const value = BOOLEANS.get(cell.toLowerCase());
    if (value !== undefined) return { value };
    return { error: `The column ${name} takes true, 1 or yes and false, 0 or no` };
  },
  time: (_cell, name) => ({ error: `The column ${name} cannot be set` }),
};

function readData(columns: CsvColumns, cells: string[]): DataInput {
  // Without a prototype, so that a column named `__proto__` is a key like any other.
  const data = Object.create(null) as DataInput;
  for (const { index, key } of columns.data) {
    if (index >= cells.length) break;
    const cell = cells[index];
    if (cell !== undefined && cell !== "")
      data[key] = key === "locale" ? cell : readCell(columns.isGuarded ? withoutGuard(cell) : cell);
  }
  return data;
}

/** True for the keys that are reserved. */
function isDropped(key: string): boolean {
  return Object.keys(sortData({ [key]: true }).sets).length === 0;
}

/**
 * JSON needs up to six characters for one, and a few around each. Most rows are so short that counting is not needed.
 */
function safeLengthOf(data: { key: string }[]): number {
  if (data.some(({ key }) => key.length > 100)) return 0;
  return 10_000 - data.reduce((sum, { key }) => sum + key.length + 6, 0);
}

/** The column named `email`; where there is none, one named E-Mail or Email Address. */
function emailColumn(names: string[]): number {
  const exact = columnOf(names, "email");
  if (exact !== -1) return exact;
  return names.findIndex((name) => /^e[-\s]?mail([-_\s]?ad(d?)ress(e?))?$/i.test(name));
}

function columnOf(names: string[], name: string): number {
  const isIt = (column: string) => column.toLowerCase() === name;
  const index = names.findIndex(isIt);
  if (index !== names.findLastIndex(isIt)) {
    throw problems.unreadableFile(`its first row has the column ${name} twice`);
  }
  return index;
}

function shown(email: string): string {
  return email.replaceAll("\0", "").slice(0, MAX_SHOWN_EMAIL);
}

function write(parser: Parser, piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}

function finish(parser: Parser): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.once("error", reject);
    parser.end(() => resolve());
  });
}

function toProblem(error: unknown): unknown {
  if (error instanceof CsvError) {
    const why: Record<string, string> = {
      CSV_QUOTE_NOT_CLOSED: "a quote is opened and never closed",
      CSV_MAX_RECORD_SIZE: `a row is longer than ${MAX_ROW_BYTES / 1024} KB, or a quote is never closed`,
    };
    return problems.unreadableFile(why[error.code] ?? error.message);
  }
  if (
    error instanceof TypeError &&
    (error as { code?: string }).code === "ERR_ENCODING_INVALID_ENCODED_DATA"
  ) {
    return problems.unreadableFile("it is not UTF-8 text");
  }
  return error;
}
