// Contacts as a file: read page by page as fast as the reader takes them, and passed on as they come from Postgres, so that
// memory stays flat.
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

/** Lines of a statement, which answers them in pieces of 64: larger ones are collected later than they are replaced. */
const PAGE = 256;
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
): AsyncGenerator<Uint8Array> {
  const uptoId = newId(ctx);
  const page = (afterId: string | null) => {
    return { projectId, filter: selected(ctx), afterId, uptoId, limit: PAGE };
  };
  if (format === "ndjson") return yield* readPages((afterId) => q.contacts.export(ctx, page(afterId)));
  const keys = await keysOf(ctx, projectId);
  yield new TextEncoder().encode(toCsvLine([...STANDARD_NAMES, ...keys]));
  yield* readPages((afterId) => q.contacts.exportCsv(ctx, { ...page(afterId), keys }));
}

/** Lines, some at a time. While those of a page are being sent, the next page is read. */
async function* readPages(
  readAfter: (id: string | null) => Promise<Uint8Array[][]>,
): AsyncGenerator<Uint8Array> {
  const read = (afterId: string | null) => {
    const page = readAfter(afterId);
    // The reader may have gone by the time it fails.
    page.catch(() => {});
    return page;
  };
  const utf8 = new TextDecoder();
  for (let next = read(null); ;) {
    const pieces = await next;
    const last = pieces.at(-1);
    if (!last) return;
    next = read(utf8.decode(last[1]));
    for (const [lines] of pieces) yield lines!;
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
