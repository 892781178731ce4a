// CSV: rows from bytes as they come, and lines to be written.
import { CsvError, type Info, parse, type Parser } from "csv-parse";
import { problems } from "./problem/mod.ts";

/** A row with something in it. */
export interface CsvRow {
  /** As a spreadsheet counts: the header is 1, and blank rows count. */
  row: number;
  /** Where the next row begins, in bytes. */
  end: number;
  cells: string[];
}

/** A place between two rows of a file. */
export interface CsvPlace {
  bytes: number;
  /** Rows before it, with the header and blank ones. */
  lines: number;
}

const START: CsvPlace = { bytes: 0, lines: 0 };

/** Several times what a contact may hold. A row is worked on in one piece. */
const MAX_ROW_BYTES = 262_144;

/** What separates cells. */
export type Separator = "," | ";" | "\t";

/** Each with its name. */
export const SEPARATORS: Record<Separator, string> = { ",": "commas", ";": "semicolons", "\t": "tabs" };

/**
 * Passes each row of a file to `take`, with what separates its cells, and pauses after each piece. That is the comma, the
 * semicolon or the tab, whichever is in the first row most. They may begin `at` a later row. Quoted cells may hold line
 * breaks, rows may be ragged, blank rows are skipped. Throws a Problem for anything that is not UTF-8, and for a quote that
 * is never closed.
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

/** The column named `email` in a header; if there is none, one named E-Mail or Email Address; -1 for none. */
export function emailColumn(names: string[]): number {
  const exact = columnOf(names, "email");
  if (exact !== -1) return exact;
  return names.findIndex((name) => /^e[-\s]?mail([-_\s]?ad(d?)ress(e?))?$/i.test(name));
}

/** The column of this name in a header, in any case; -1 for none. Throws a Problem if there are two. */
export function columnOf(names: string[], name: string): number {
  const isIt = (column: string) => column.toLowerCase() === name;
  const index = names.findIndex(isIt);
  if (index !== names.findLastIndex(isIt)) {
    throw problems.unreadableFile(`its first row has the column ${name} twice`);
  }
  return index;
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

const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/** Text that no spreadsheet takes for a formula: with an apostrophe before it, if it would. */
export function guarded(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/** The opposite. */
export function withoutGuard(cell: string): string {
  return cell.startsWith("'") && guarded(cell.slice(1)) === cell ? cell.slice(1) : cell;
}

// The statement `export_csv` does the same.
/** A line by RFC 4180; a cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function toCsvLine(cells: string[]): string {
  return `${cells
    .map(guarded)
    .map((cell) => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(",")}\r\n`;
}
