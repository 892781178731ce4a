// The first rows of a file, read in the browser: which columns there are, and what is in them.
import Papa from "papaparse";
import { inUtf8, type Readable } from "./encoding.ts";

/** What a column is to become: one of the first two, a key of the data, or null to leave it out. */
export type Target = string | null;

/** A column of the file. */
export interface FileColumn {
  /** As the first row has it. */
  name: string;
  /** What is in the first rows. */
  values: string[];
  /** What its name says that it is. */
  guess: Target;
}

/** A file with its first rows. */
export interface FilePreview extends Readable {
  columns: FileColumn[];
}

/** The service takes files up to this size. */
export const MAX_BYTES = 200 * 1_048_576;
const READ_BYTES = 262_144;
const ROWS = 5;
const TOO_LARGE = "The file is larger than 200 MB. Split it, and import the parts.";
const ZIP = "PK\u0003\u0004";

const EMAIL = /^(e-?mail|mail)([ _-]?(address|adresse?))?$|^(email|mail)$/i;
const SUBSCRIBED = /^(subscribed|opt-?in|newsletter|consent)$/i;

/** Reads the beginning of a file. Throws, with what to do, for what holds no table of contacts. */
export async function readPreview(given: File): Promise<FilePreview> {
  if ((await given.slice(0, ZIP.length).text()) === ZIP)
    throw new Error("This is an Excel workbook. In Excel, save it as CSV UTF-8.");
  if (given.size > MAX_BYTES) throw new Error(TOO_LARGE);
  const { file, encoding } = await inUtf8(given);
  if (file.size > MAX_BYTES) throw new Error(TOO_LARGE);
  const text = await file.slice(0, READ_BYTES).text();
  const { data } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ""), {
    preview: ROWS + 1,
    skipEmptyLines: true,
    delimitersToGuess: [",", ";", "\t"],
  });
  const [header, ...rows] = data;
  if (!header || header.every((name) => name.trim() === "")) throw new Error("The file is empty.");
  if (rows.length === 0) throw new Error("The file has a first row with names, and nothing below it.");
  const columns = header.map((name, index) => ({
    name: name.trim(),
    values: rows.map((row) => row[index] ?? ""),
    guess: null,
  }));
  return { file, encoding, columns: guessed(columns) };
}

/** Each meaning is given once. Without a telling name, the column that has addresses in it is the address. */
function guessed(columns: FileColumn[]): FileColumn[] {
  const isAddress = ({ values }: FileColumn) => values.some((value) => /^\S+@\S+\.\S+$/.test(value.trim()));
  const email = columns.find(({ name }) => EMAIL.test(name)) ?? columns.find(isAddress);
  const subscribed = columns.find((column) => column !== email && SUBSCRIBED.test(column.name));
  return columns.map((column) => ({
    ...column,
    guess: column === email ? "email" : column === subscribed ? "subscribed" : keyOf(column.name),
  }));
}

/** `First name` as `firstName`: what can be written in a template. A name that is one word stays as it is. */
export function keyOf(name: string): Target {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return /^(id|email|subscribed)$/i.test(name) ? `${name}_` : name;
  const words = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  if (words.length === 0) return null;
  const [first, ...others] = words.map((word) => word.toLowerCase());
  return first + others.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
}
