import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import type { Fragment } from "../../db/types.ts";
import { searchedAddress } from "../../mail/address.ts";
import { withinBudget } from "../../time_budget.ts";

/** Which contacts a list shows. */
export interface ContactFilter {
  /** A part of the address, in any case. */
  search?: string | undefined;
  subscribed?: boolean | undefined;
}

/** The order of a list. Ties are broken by id. */
export interface ContactOrder {
  sort: "createdAt" | "email";
  dir: "asc" | "desc";
}

/** The place of a contact in an order: where a page ends and the next one begins. */
export interface ContactPlace {
  sortKey: string;
  id: string;
}

/** A contact in a list, with its place. */
export type ListedContact = Awaited<ReturnType<Queries["contacts"]["list"]>>[number];

// An exact count of a common search term reads the whole project. What takes longer is estimated.
const COUNT_BUDGET_MS = 250;
const SAMPLE_ROWS = 20_000;

/** One page in this order after this place, and one contact more when there are more. */
export async function listContacts(
  ctx: Context,
  projectId: string,
  filter: ContactFilter,
  page: { order: ContactOrder; after: ContactPlace | null; limit: number },
): Promise<ListedContact[]> {
  const { order, after, limit } = page;
  const parts = orderParts(ctx, order, after);
  return await q.contacts.list(ctx, {
    projectId,
    filter: compileFilter(ctx, filter),
    limit: limit + 1,
    ...parts,
  });
}

/**
 * How many contacts the filter lets through: kept as a counter without a search; counted with one, within a quarter
 * of a second; beyond that estimated from a sample.
 */
export async function countContacts(ctx: Context, projectId: string, filter: ContactFilter): Promise<number> {
  const total = await countBySubscription(ctx, projectId, filter.subscribed);
  if (!filter.search || total === 0) return total;
  const args = { projectId, filter: () => compileFilter(ctx, filter) };
  const exact = await withinBudget(ctx, COUNT_BUDGET_MS, (tx) =>
    q.contacts.countMatchingSearch(tx, { projectId, filter: args.filter() }),
  );
  if (exact) return exact.total;
  const percent = Math.min(100, (SAMPLE_ROWS / total) * 100);
  const { seen, matching } = await q.contacts.sampleMatchingSearch(ctx, {
    ...args,
    filter: args.filter(),
    percent,
  });
  return seen === 0 ? 0 : Math.round((matching / seen) * total);
}

/** How many contacts a project has. */
export async function countBySubscription(
  ctx: Context,
  projectId: string,
  subscribed?: boolean,
): Promise<number> {
  const counts = await q.contactCounts.total(ctx, { projectId });
  if (subscribed === true) return counts.subscribed;
  if (subscribed === false) return counts.unsubscribed;
  return counts.subscribed + counts.unsubscribed;
}

/** The filter as SQL over the contact `c`. The wildcards of LIKE are ordinary characters in a search. */
export function compileFilter({ sql }: Context, { search, subscribed }: ContactFilter): Fragment {
  const pattern = `%${searchedAddress(search ?? "").replace(/[\\%_]/g, "\\$&")}%`;
  return sql`(
    ${subscribed === undefined ? sql`true` : sql`c.subscribed = ${subscribed}`}
    and ${pattern === "%%" ? sql`true` : sql`c.email like ${pattern}`}
  )`;
}

function orderParts({ sql }: Context, { sort, dir }: ContactOrder, after: ContactPlace | null) {
  const byTime = sort === "createdAt";
  const direction = byTime
    ? dir === "desc"
      ? sql`c.created_at desc, c.id desc`
      : sql`c.created_at, c.id`
    : dir === "desc"
      ? sql`c.email desc`
      : sql`c.email`;
  return {
    direction,
    sortKey: byTime ? sql`c.created_at::text` : sql`c.email`,
    after: after ? afterPlace({ sql }, byTime, dir, after) : sql`true`,
  };
}

/**
 * Addresses are unique in a project: they need no second column. A time goes as text: the driver would make a Date of
 * it, and lose its microseconds.
 */
function afterPlace(
  { sql }: Pick<Context, "sql">,
  byTime: boolean,
  dir: ContactOrder["dir"],
  { sortKey, id }: ContactPlace,
): Fragment {
  if (!byTime) return dir === "desc" ? sql`c.email < ${sortKey}` : sql`c.email > ${sortKey}`;
  return dir === "desc"
    ? sql`(c.created_at, c.id) < (${sortKey}::text::timestamptz, ${id}::uuid)`
    : sql`(c.created_at, c.id) > (${sortKey}::text::timestamptz, ${id}::uuid)`;
}
