// The suppression list as a CSV file, out and in: page by page, so that memory stays flat.
import { type Context, newId } from "../context.ts";
import { columnOf, type CsvRow, emailColumn, readRows, toCsvLine, withoutGuard } from "../csv.ts";
import { q } from "../db/queries.ts";
import { parseAddress } from "../mail/address.ts";
import { problems } from "../problem/mod.ts";
import { suppressList, type SuppressionReason } from "./suppressions.ts";

/** Limit of a file, in bytes: about a million addresses. */
export const MAX_SUPPRESSIONS_BYTES = 50 * 1_048_576;
/** The first of the rows that cannot be used. */
export const MAX_ROW_ERRORS = 100;

const PAGE = 1_000;
const MAX_SHOWN = 320;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const REASONS = ["BOUNCE", "COMPLAINT", "MANUAL"] as const satisfies SuppressionReason[];

/** The list as text, piece by piece, oldest first. What comes while it is read is not in it. */
export async function* exportSuppressions(ctx: Context, projectId: string): AsyncGenerator<string> {
  const lastId = newId(ctx);
  yield toCsvLine(["email", "reason", "createdAt"]);
  for (let afterId = FIRST_ID; ;) {
    const rows = await q.suppressions.export(ctx, { projectId, afterId, lastId, limit: PAGE });
    const lines = rows.map(({ email, reason, createdAt }) =>
      toCsvLine([email, reason, createdAt.toISOString()]),
    );
    if (rows.length > 0) yield lines.join("");
    if (rows.length < PAGE) return;
    afterId = rows.at(-1)!.id;
  }
}

/** What happened to a file. */
export interface SuppressionImport {
  added: number;
  existing: number;
  invalid: number;
  /** The first 100 of those that are invalid. Row 1 is the first of the file. */
  errors: { row: number; email: string; error: string }[];
}

interface Entry {
  email: string;
  reason: SuppressionReason;
}

/**
 * Puts the addresses of a CSV file on the list: of its column `email`, with the reasons of its column `reason` or else the one
 * that is given; a file of one column may do without a header. A thousand are written at a time, each a commit of its own:
 * what breaks off can be repeated, and changes nothing then. Throws a Problem for a file that cannot be read.
 */
export async function importSuppressions(
  ctx: Context,
  projectId: string,
  pieces: AsyncIterable<Uint8Array>,
  usual: SuppressionReason,
): Promise<SuppressionImport> {
  const report: SuppressionImport = { added: 0, existing: 0, invalid: 0, errors: [] };
  let columns: { email: number; reason: number } | undefined;
  let taken: Entry[] = [];
  const take = (row: CsvRow) => {
    if (columns === undefined) {
      columns = columnsOf(row);
      if (parseAddress(row.cells[columns.email]!) === null) return;
    }
    const entry = entryOf(row, columns, usual);
    if (!("error" in entry)) return void taken.push(entry);
    report.invalid++;
    if (report.errors.length < MAX_ROW_ERRORS) report.errors.push(entry);
  };
  const write = async (atLeast: number) => {
    while (taken.length > 0 && taken.length >= atLeast) {
      const { added, existing } = await suppressChunk(ctx, projectId, taken.slice(0, PAGE));
      taken = taken.slice(PAGE);
      report.added += added;
      report.existing += existing;
    }
  };
  for await (const _ of readRows(pieces, take)) await write(PAGE);
  await write(0);
  return report;
}

/** Row by row of the same reason: the strongest comes last, and stays. */
async function suppressChunk(ctx: Context, projectId: string, entries: Entry[]) {
  const sum = { added: 0, existing: 0 };
  for (const [reason, group] of Map.groupBy(entries, (entry) => entry.reason)) {
    const emails = group.map(({ email }) => email);
    const { added, existing } = await suppressList(ctx, projectId, emails, reason);
    sum.added += added;
    sum.existing += existing;
  }
  return sum;
}

/** A first row that is an address is not a header. */
function columnsOf({ cells }: CsvRow): { email: number; reason: number } {
  const plain = cells.findIndex((cell) => parseAddress(cell) !== null);
  if (plain !== -1) return { email: plain, reason: -1 };
  const email = emailColumn(cells);
  if (email !== -1) return { email, reason: columnOf(cells, "reason") };
  throw problems.unreadableFile("its first row has no column email, and is not an address");
}

function entryOf(
  { row, cells }: CsvRow,
  columns: { email: number; reason: number },
  usual: SuppressionReason,
) {
  const written = withoutGuard(cells[columns.email] ?? "");
  const refused = (error: string) => ({
    row,
    email: written.replaceAll("\0", "").slice(0, MAX_SHOWN),
    error,
  });
  const address = parseAddress(written);
  if (!address) return refused(written === "" ? "The email is missing" : "This is not an email address");
  const word = (cells[columns.reason] ?? "").toUpperCase();
  const reason = word === "" ? usual : REASONS.find((known) => known === word);
  if (reason === undefined) return refused(`Expected one of ${REASONS.join(", ")} as the reason`);
  return { email: address.email, reason };
}
