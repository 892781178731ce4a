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

type Row = Awaited<ReturnType<typeof q.contacts.export>>[number];

const PAGE = 1_000;
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
  const lastId = newId(ctx);
  const keys = format === "csv" ? await keysOf(ctx, projectId) : [];
  const write = format === "csv" ? (row: Row) => csvLine(row, keys) : ndjsonLine;
  if (format === "csv") yield toCsvLine([...STANDARD_NAMES, ...keys]);
  for (let afterId: string | null = null; ;) {
    const rows: Row[] = await q.contacts.export(ctx, {
      projectId,
      filter: selected(ctx),
      afterId,
      lastId,
      limit: PAGE,
    });
    if (rows.length > 0) yield rows.map(write).join("");
    if (rows.length < PAGE) return;
    afterId = rows.at(-1)!.id;
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

function csvLine(row: Row, keys: string[]): string {
  const data = row.data as Record<string, unknown>;
  const own = keys.map((key) => (Object.hasOwn(data, key) ? cellOf(data[key]) : ""));
  return toCsvLine([...STANDARD_NAMES.map((name) => cellOf(row[name])), ...own]);
}

function ndjsonLine(row: Row): string {
  return `${JSON.stringify(row)}\n`;
}

function cellOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Date) return value.toISOString();
  return value === null || value === undefined ? "" : JSON.stringify(value);
}
