// The addresses that a project sends nothing to. `emails.insert_many` looks here when a mail is accepted, and
// `delivery.settle_and_claim` once more when it is claimed.
import { type Context, newId } from "../context.ts";
import { containing } from "../db/like.ts";
import { q } from "../db/queries.ts";
import type { Queries } from "../db/queries.gen.ts";
import { searchedAddress } from "../mail/address.ts";
import { type FieldError, problems } from "../problem/mod.ts";
import { COUNT_UP_TO } from "../totals.ts";

/** An address on the list, as the API shows it. */
export type Suppression = Awaited<ReturnType<Queries["suppressions"]["list"]>>[number];

/** Why nothing is sent to an address. COMPLAINT weighs more than BOUNCE, and BOUNCE more than MANUAL. */
export type SuppressionReason = Suppression["reason"];

/** Which addresses a list shows. */
export interface SuppressionFilter {
  /** A part of the address, in any case. */
  search?: string | undefined;
  reason?: SuppressionReason | undefined;
}

/** Where a page begins: behind this row, the newest or the oldest first. */
export interface SuppressionPage {
  limit: number;
  afterId: string | null;
  dir: "asc" | "desc";
}

/** The body of `POST /suppressions`, valid by its schema: one address or a list of them. */
export interface SuppressInput {
  email?: string | undefined;
  emails?: string[] | undefined;
}

/** One page in the order of time, and one row more when there are more. */
export async function listSuppressions(
  ctx: Context,
  projectId: string,
  filter: SuppressionFilter,
  { limit, afterId, dir }: SuppressionPage,
): Promise<Suppression[]> {
  const list = dir === "asc" ? q.suppressions.listOldestFirst : q.suppressions.list;
  return await list(ctx, { projectId, ...filterArgs(filter), afterId, limit: limit + 1 });
}

/** Those of the addresses that are on the list, in their order. They are as contacts have them. */
export async function suppressedAmong(ctx: Context, projectId: string, emails: string[]): Promise<string[]> {
  if (emails.length === 0) return [];
  return (await q.suppressions.among(ctx, { projectId, emails })).map(({ email }) => email);
}

/** How many addresses match the filter; 100,000 means that many or more. */
export async function countSuppressions(
  ctx: Context,
  projectId: string,
  filter: SuppressionFilter,
): Promise<number> {
  const args = { projectId, ...filterArgs(filter), upTo: COUNT_UP_TO };
  return (await q.suppressions.count(ctx, args)).total;
}

/** Everything wrong with the input besides its schema. `refused` are fields left out of it by the schema. */
export function suppressErrors(
  { email, emails }: SuppressInput,
  refused: ReadonlySet<string> = new Set(),
): FieldError[] {
  if (email !== undefined && emails !== undefined) {
    return [{ field: "emails", code: "custom", message: "Give either email or emails" }];
  }
  if (email !== undefined || emails !== undefined || refused.has("email") || refused.has("emails")) return [];
  return [
    { field: "email", code: "required", message: "An address is required: email, or a list as emails" },
  ];
}

/** Puts an address on the list. One that is there keeps its row; a stronger reason replaces a weaker one. */
export async function suppressAddress(
  ctx: Context,
  projectId: string,
  email: string,
  reason: SuppressionReason,
): Promise<{ suppression: Suppression; isNew: boolean }> {
  const [row] = await suppressAddresses(ctx, [{ projectId, email, reason }]);
  const { isNew, ...suppression } = row!;
  return { suppression, isNew };
}

/** Puts a list of addresses on the list. An address that is named twice counts once. */
export async function suppressList(
  ctx: Context,
  projectId: string,
  emails: string[],
  reason: SuppressionReason,
): Promise<{ added: number; existing: number }> {
  const rows = await suppressAddresses(
    ctx,
    emails.map((email) => ({ projectId, email, reason })),
  );
  const added = rows.filter((row) => row.isNew).length;
  return { added, existing: rows.length - added };
}

/**
 * Puts addresses (lower case) on the lists of their projects in one statement, and returns each of them once. A reason
 * is never weakened; of concurrent calls for one address exactly one is told that it is new.
 */
export async function suppressAddresses(
  tx: Context,
  rows: { projectId: string; email: string; reason: SuppressionReason }[],
): Promise<(Suppression & { isNew: boolean })[]> {
  if (rows.length === 0) return [];
  const given = rows.map(({ projectId, email, reason }) => ({
    id: newId(tx),
    project_id: projectId,
    email,
    reason,
  }));
  const ids = new Set(given.map((row) => row.id));
  const written = await q.suppressions.addMany(tx, { rows: given });
  return written.map((row) => ({ ...row, isNew: ids.has(row.id) }));
}

/** Takes an address off the list. Throws not-found. */
export async function removeSuppression(ctx: Context, projectId: string, email: string): Promise<void> {
  const removed = await q.suppressions.remove(ctx, { projectId, email });
  if (removed === 0) throw problems.notFound("suppression", email);
}

/** Stored addresses are lower case. */
function filterArgs({ search = "", reason }: SuppressionFilter) {
  const part = searchedAddress(search);
  const pattern = part === "" ? null : containing(part);
  return { reason: reason ?? null, pattern };
}
