// Contacts as a file: read page by page as fast as the reader takes them, so that memory stays flat.
import { type Context, newId } from "../context.ts";
import { toCsvLine } from "../csv.ts";
import { q } from "../db/queries.ts";
import { listContactFields } from "./contacts/fields.ts";
import type { Selected } from "./selection.ts";
import { STANDARD_NAMES } from "./standard_fields.ts";

/** The formats of an export. */
export const EXPORT_FORMATS = ["csv", "ndjson"] as const;

/** A format of an export. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Lines of a statement: its text is one piece of memory, and larger ones are collected later than they are replaced. */
const PAGE = 250;
/** Lines that become CSV in one go: what they are read into is gone before the next ones are. */
const LINES_AT_ONCE = 50;
/** As many as an import takes: the fields that most contacts have. NDJSON has all of them. */
const MAX_FIELDS = 990;

/**
 * The selected contacts in the order in which they came, as text, piece by piece. Those that come while it is read are not
 * among them. A cell that a spreadsheet would take for a formula begins with an apostrophe, which an import takes off again.
 */
export async function* exportContacts(
  ctx: Context,
  projectId: string,
  selected: Selected,
  format: ExportFormat,
): AsyncGenerator<string> {
  const pages = readPages(ctx, projectId, selected);
  if (format === "ndjson") return yield* pages;
  const keys = await keysOf(ctx, projectId);
  yield toCsvLine([...STANDARD_NAMES, ...keys]);
  for await (const page of pages) yield* csvOf(page, keys);
}

/** Lines of JSON, some hundreds at a time. While some are being sent, the next ones are read. */
async function* readPages(ctx: Context, projectId: string, selected: Selected): AsyncGenerator<string> {
  const uptoId = newId(ctx);
  const read = (afterId: string | null) => {
    const page = q.contacts.export(ctx, { projectId, filter: selected(ctx), afterId, uptoId, limit: PAGE });
    // The reader may have gone by the time it fails.
    page.catch(() => {});
    return page;
  };
  for (let next = read(null); ;) {
    const { lines, count, lastId } = await next;
    if (count === PAGE) next = read(lastId);
    if (count > 0) yield lines;
    if (count < PAGE) return;
  }
}

async function keysOf(ctx: Context, projectId: string): Promise<string[]> {
  const fields = (await listContactFields(ctx, projectId)).filter(({ field }) => field.startsWith("data."));
  return fields
    .toSorted((a, b) => b.coverage - a.coverage)
    .slice(0, MAX_FIELDS)
    .map(({ field }) => field.slice("data.".length))
    .toSorted();
}

function* csvOf(lines: string, keys: string[]): Generator<string> {
  for (let from = 0; from < lines.length;) {
    let csv = "";
    for (let n = 0; n < LINES_AT_ONCE && from < lines.length; n++) {
      const end = lines.indexOf("\n", from);
      csv += csvLine(JSON.parse(lines.slice(from, end)) as Exported, keys);
      from = end + 1;
    }
    yield csv;
  }
}

/** A contact as it is in a line. */
type Exported = Record<(typeof STANDARD_NAMES)[number], unknown> & { data: Record<string, unknown> };

function csvLine(contact: Exported, keys: string[]): string {
  const { data } = contact;
  const own = keys.map((key) => (Object.hasOwn(data, key) ? cellOf(data[key]) : ""));
  return toCsvLine([...STANDARD_NAMES.map((name) => cellOf(contact[name])), ...own]);
}

function cellOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}
