// A CSV file of contacts: what each column is, and what each row says about a contact. Knows no database.
import { columnOf, type CsvRow, emailColumn, type Separator, SEPARATORS, withoutGuard } from "../../csv.ts";
import { parseAddress } from "../../mail/address.ts";
import { problems } from "../../problem/mod.ts";
import { GIVEN_NAMES, type GivenValues, standardField } from "../standard_fields.ts";
import { readCell } from "./cells.ts";
import { dataErrors, type DataChange, type DataInput, sortData } from "./data.ts";

/** Which column is what. */
export interface CsvColumns {
  /** How many the first row has. */
  count: number;
  email: number;
  /** The other standard fields that the file has. */
  given: { index: number; name: keyof GivenValues }[];
  data: { index: number; key: string }[];
  /** Whether an apostrophe may be before what a spreadsheet would take for a formula, as exports write it. */
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

/** Whether a row cannot be used. */
export function isRefusedRow(row: ContactRow | RefusedRow): row is RefusedRow {
  return "error" in row;
}

/** What each column is, by its name in the file: `email`, `subscribed`, a key of the data, or null for nothing. */
export type ColumnMapping = Record<string, string | null>;

const MAX_SHOWN_EMAIL = 320;
const MAX_SHOWN_COLUMNS = 10;
/** More than anybody's table has; each row is looked through for each of them. */
const MAX_COLUMNS = 1_000;
/** As systems and spreadsheets write them, also those of people who do not write English. */
const BOOLEANS = new Map([
  ...["true", "1", "yes", "y", "on", "ja", "oui", "sí", "si", "sim", "wahr"].map(
    (word) => [word, true] as const,
  ),
  ...["false", "0", "no", "n", "off", "nein", "nee", "non", "não", "falsch"].map(
    (word) => [word, false] as const,
  ),
]);
const NONE: string[] = [];

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
  return {
    count: names.length,
    email,
    given,
    data,
    isGuarded: mapping !== null,
    safeLength: safeLengthOf(data),
  };
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
  const address = cells[columns.email] ?? "";
  const written = columns.isGuarded ? withoutGuard(address) : address;
  const refused = (error: string): RefusedRow => ({ row, end, email: shown(written), error });
  if (cells.some((cell) => cell.includes("\0"))) return refused("NUL is not allowed in text");
  const used = cells.findLastIndex((cell) => cell !== "") + 1;
  if (used > columns.count) return refused(surplus(used, columns.count));
  if (written === "") return refused("The email is missing");
  const parsed = parseAddress(written);
  if (!parsed) return refused("This is not an email address");
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
  return { row, end, email: parsed.email, given, change: { sets, deletes: NONE, values: sets } };
}

/** A separator within a value has shifted the cells after it: nobody can tell which value belongs where. */
function surplus(cells: number, columns: number): string {
  const expected = `the first row has ${columns} ${columns === 1 ? "column" : "columns"}`;
  return `This row has ${cells} cells, and ${expected}: a value with a separator in it must be in quotes`;
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

function shown(email: string): string {
  return email.replaceAll("\0", "").slice(0, MAX_SHOWN_EMAIL);
}
