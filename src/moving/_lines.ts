// The file of an export: lines of JSON, compressed with Zstandard. The first line says what it is; then come the tables,
// each with a line of its own before its rows; the last line says how many rows there were. Rows are passed on as Postgres
// wrote them: a number with more digits than JavaScript has stays as it is.
import { createReadStream, createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import type { PassphraseNote } from "./_passphrase.ts";

/** The number of this format. It grows when older versions could not read a file any more. */
export const FORMAT_VERSION = 1;

/** The first line of an export. */
export interface ExportHeader {
  postrider: "export";
  version: number;
  exportId: string;
  exportedAt: string;
  /** Where links of mails lead that were sent before. */
  baseUrl: string;
  project: { id: string; name: string };
  /** Whether mails and events are in it. */
  ledger: boolean;
  /** The project went on where it was exported: this is a copy. */
  copy: boolean;
  /** The newest migration of the database. */
  migration: string;
  passphrase: PassphraseNote;
}

/** A line of an export. A row is the text of an object. */
export type ExportLine =
  | { kind: "table"; table: string }
  | { kind: "row"; table: string; row: string }
  | { kind: "end"; rows: number };

/** A row as a line. */
export const rowLine = (table: string, row: string): string => `{"table":"${table}","row":${row}}\n`;
/** What comes before the rows of a table. */
export const tableLine = (table: string): string => `{"table":"${table}"}\n`;
/** The last line. */
export const endLine = (rows: number): string => `{"end":{"rows":${rows}}}\n`;

const LINE = /^\{"table":"([a-z_]+)"(?:\}$|,"row":)/;
const END = /^\{"end":\{"rows":(\d+)\}\}$/;

/** Reads a line that is not the first. Throws for one that no export has. */
export function readLine(line: string, number: number): ExportLine {
  const [head, table] = LINE.exec(line) ?? [];
  if (head !== undefined && table !== undefined) {
    return head.endsWith(":")
      ? { kind: "row", table, row: line.slice(head.length, -1) }
      : { kind: "table", table };
  }
  const rows = END.exec(line)?.[1];
  if (rows !== undefined) return { kind: "end", rows: Number(rows) };
  throw new Error(`Cannot import this file: line ${number} is none of an export`);
}

/** Reads the first line. Throws where the file is something else, or comes from a newer version. */
export function readExportHeader(line: string): ExportHeader {
  let header: Partial<ExportHeader> | null = null;
  try {
    header = JSON.parse(line) as Partial<ExportHeader> | null;
  } catch {}
  if (header?.postrider !== "export") {
    throw new Error("Cannot import this file: it is not an export of Postrider (`bun run admin export`)");
  }
  if (header.version !== FORMAT_VERSION) {
    throw new Error(
      `Cannot import this file: its format is ${header.version}, and this version of Postrider reads ${FORMAT_VERSION}`,
    );
  }
  return header as ExportHeader;
}

/** Writes a file, readable by its owner only. Throws where it exists; one that was not completed is removed. */
export async function writeLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  // Opened first: somebody else's file is neither overwritten nor removed.
  const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
  await new Promise<void>((resolve, reject) =>
    file.once("open", () => resolve()).once("error", reject),
  ).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? new Error(`Cannot write ${path}: there is a file already`) : error;
  });
  try {
    await pipeline(Readable.from(lines, { objectMode: true }), createZstdCompress(), file);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

const NEWLINE = 0x0a;

/** The lines of a file, one after the other. Throws where it is no Zstandard, or was cut off. */
export async function* linesOf(path: string): AsyncGenerator<string, undefined> {
  const file = createReadStream(path);
  const bytes = createZstdDecompress();
  // What fails on one side ends the other one.
  file.on("error", (error) => bytes.destroy(error));
  file.pipe(bytes);
  let parts: Buffer[] = [];
  for await (const chunk of readable(bytes)) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, at));
      yield Buffer.concat(parts).toString("utf8");
      parts = [];
      from = at + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  if (parts.length > 0) throw new Error("Cannot import this file: it was cut off");
}

/** Says whose fault it is when the bytes are none of Zstandard, or end too early. */
async function* readable(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  try {
    yield* bytes;
  } catch (error) {
    throw new Error(`Cannot import this file: ${(error as Error).message}`, { cause: error });
  }
}
