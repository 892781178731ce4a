// The CSV files of an export: given one by one, or in a zip, which is read where it lies. Nothing is unpacked to the disk,
// and no file is held in memory.
import { createReadStream, statSync } from "node:fs";
import { basename } from "node:path";
import { openPromise, type ZipFile } from "yauzl";
import { type CsvRow, readRows } from "../csv.ts";
import { isDatabaseAway, isTimeout } from "../database_errors.ts";
import { SourceFault } from "./incoming_types.ts";

/** A file that was given, wherever it lies. */
export interface GivenFile {
  /** Without its folder. */
  name: string;
  bytes(): AsyncIterable<Uint8Array>;
  /** As a zip, which it is by its name. */
  zip(): Promise<ZipFile>;
}

/** A CSV file, which can be read more than once. */
export interface CsvFile {
  /** Without its folder. */
  name: string;
  /** Its rows, some at a time; the first one is the header. Throws where it is no CSV. */
  rows(): AsyncGenerator<CsvRow[], void>;
}

/** Far more than an account has; what a small zip can claim to contain is more than any disk has. */
const MAX_FILES = 20_000;
const MAX_BYTES = 8 * 1_073_741_824;

/** The files at these paths. */
export function filesAt(paths: string[]): GivenFile[] {
  return paths.map((path) => {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
      throw new SourceFault(`Cannot read ${path}: there is no such file`);
    }
    return { name: basename(path), bytes: () => createReadStream(path), zip: () => openPromise(path) };
  });
}

/** The CSV files among these, and in them, and how many files of zips are something else. Throws for a broken zip. */
export async function csvFilesOf(given: GivenFile[]): Promise<{ files: CsvFile[]; others: number }> {
  const found: CsvFile[] = [];
  let others = 0;
  for (const file of given) {
    if (!/\.zip$/i.test(file.name)) {
      found.push(csvFile(file.name, () => file.bytes()));
      continue;
    }
    const zipped = await namesIn(file);
    const names = zipped.filter((name) => /\.csv$/i.test(name));
    others += zipped.length - names.length;
    found.push(...names.map((name) => csvFile(basename(name), () => unzipped(file, name))));
  }
  return { files: found, others };
}

function csvFile(name: string, open: () => AsyncIterable<Uint8Array>): CsvFile {
  return {
    name,
    async *rows() {
      let rows: CsvRow[] = [];
      try {
        for await (const _ of readRows(open(), (row) => void rows.push(row))) {
          if (rows.length > 0) yield rows;
          rows = [];
        }
        // The last row may end with the file.
        if (rows.length > 0) yield rows;
      } catch (error) {
        if (isOfDatabase(error)) throw error;
        throw new SourceFault(`Cannot import ${name}: ${(error as Error).message}`, { cause: error });
      }
    },
  };
}

/** The files in a zip, without folders and what macOS adds. */
async function namesIn(file: GivenFile): Promise<string[]> {
  try {
    const zip = await file.zip();
    const names: string[] = [];
    let bytes = 0;
    if (zip.entryCount > MAX_FILES) {
      zip.close();
      throw new Error(`it contains ${zip.entryCount} files, and at most ${MAX_FILES} are read`);
    }
    for await (const { fileName, uncompressedSize } of zip.eachEntry()) {
      if (fileName.endsWith("/") || fileName.startsWith("__MACOSX/")) continue;
      bytes += uncompressedSize;
      names.push(fileName);
    }
    if (bytes > MAX_BYTES) throw new Error(`unpacked it has more than ${MAX_BYTES / 1_073_741_824} GB`);
    return names;
  } catch (error) {
    if (isOfDatabase(error)) throw error;
    throw new SourceFault(`Cannot read ${file.name}: ${(error as Error).message}`, { cause: error });
  }
}

/** A file in a zip. It fails where there is more of it than the zip has said, so the limit above holds. */
async function* unzipped(file: GivenFile, name: string): AsyncGenerator<Uint8Array> {
  const zip = await file.zip();
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== name) continue;
    yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>;
    return;
  }
}

/** Where the file is kept in the database, and that is away: no fault of the file. */
function isOfDatabase(error: unknown): boolean {
  return isDatabaseAway(error) || isTimeout(error);
}
