// A body that is a CSV file.
import { problems } from "../../problem/mod.ts";
import type { StreamedBody } from "../entry/stream_body.ts";

const CSV_TYPES = [
  "",
  "text/csv",
  "text/plain",
  "text/tab-separated-values",
  "application/csv",
  "application/octet-stream",
  "application/vnd.ms-excel",
];
/** How an Excel workbook begins: it is a ZIP. */
const ZIP = [0x50, 0x4b, 0x03, 0x04];
const WANTED = "a CSV file: text/csv";

/** The bytes of a file. Throws 415 for what is not CSV: a form, or an Excel workbook whatever its name. */
export async function* csvStream({ type, pieces }: StreamedBody): AsyncGenerator<Uint8Array> {
  if (!CSV_TYPES.includes(type)) throw problems.unsupportedMediaType(type, WANTED);
  let isFirst = true;
  for await (const piece of pieces) {
    if (isFirst && ZIP.every((byte, n) => piece[n] === byte)) {
      throw problems.unsupportedMediaType(
        "an Excel workbook or a ZIP",
        `${WANTED}; in Excel, save it as CSV UTF-8`,
      );
    }
    isFirst = false;
    yield piece;
  }
  if (isFirst) throw problems.badRequest("Cannot import without a file", "Send the CSV file as the body");
}
