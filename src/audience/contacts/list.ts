import type { Context } from "../../context.ts";
import { containing } from "../../db/like.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import type { Fragment } from "../../db/types.ts";
import { searchedAddress } from "../../mail/address.ts";

/** Which contacts a list shows. */
export interface ContactFilter {
  /** A part of the address, in any case. */
  search?: string | undefined;
  subscribed?: boolean | undefined;
}

/** What a list can be sorted by. */
export const SORTS = ["createdAt", "updatedAt", "email", "lastActivity"] as const;

/** The order of a list. Ties are broken by id. By activity it begins with the newest. */
export interface ContactOrder {
  sort: (typeof SORTS)[number];
  dir: "asc" | "desc";
}

/** The place of a contact in an order: where a page ends and the next one begins. */
export interface ContactPlace {
  sortKey: string;
  /** Null: the place itself is on the page. */
  id: string | null;
}

/** A contact in a list, with its place. */
export type ListedContact = Awaited<ReturnType<Queries["contacts"]["list"]>>[number] & {
  lastActivityAt?: Date;
};

/** A page of a list. */
export interface ContactPage {
  order: ContactOrder;
  after: ContactPlace | null;
  limit: number;
}

/**
 * One page of the contacts that `filter` lets through, in this order after this place, and one contact more when there are
 * more. By the time of the last change no index leads, because every event would have to move a contact in it: of 1,000,000
 * contacts a page takes 0.4 s.
 */
export async function listContacts(
  ctx: Context,
  projectId: string,
  filter: (ctx: Context) => Fragment,
  { order, after, limit }: ContactPage,
): Promise<ListedContact[]> {
  const parts = orderParts(ctx, order, after);
  return await q.contacts.list(ctx, { projectId, filter: filter(ctx), limit: limit + 1, ...parts });
}

// Events of each kind that are checked in one go, and for how long it continues.
const ACTIVITY_WINDOW = 1_000;
const ACTIVITY_MS = 500;
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/**
 * One page by what contacts did last: those who did nothing are not on it. After half a second a page may be shorter than
 * it could be; `next` is where the next one begins, null at the end.
 */
export async function listByActivity(
  ctx: Context,
  projectId: string,
  filter: (ctx: Context) => Fragment,
  { after, limit }: Pick<ContactPage, "after" | "limit">,
): Promise<{ contacts: ListedContact[]; next: string | null }> {
  const until = performance.now() + ACTIVITY_MS;
  const contacts: ListedContact[] = [];
  for (let beforeId = after?.sortKey ?? LAST_ID; ;) {
    const from = { projectId, beforeId, maxEach: ACTIVITY_WINDOW };
    const { reached } = await q.contacts.activityReached(ctx, from);
    const wanted = limit - contacts.length;
    const page = { filter: filter(ctx), reached: reached ?? FIRST_ID, limit: wanted + 1 };
    const rows = await q.contacts.byActivity(ctx, { ...from, ...page });
    contacts.push(...rows.slice(0, wanted));
    if (rows.length > wanted) return { contacts, next: contacts.at(-1)!.sortKey };
    if (reached === null) return { contacts, next: null };
    beforeId = reached;
    if (contacts.length === limit || performance.now() > until) return { contacts, next: reached };
  }
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

/** The filter as SQL over the contact `c`. */
export function compileFilter(
  { sql }: Pick<Context, "sql">,
  { search, subscribed }: ContactFilter,
): Fragment {
  const pattern = containing(searchedAddress(search ?? ""));
  return sql`(
    ${subscribed === undefined ? sql`true` : sql`c.subscribed = ${subscribed}`}
    and ${pattern === "%%" ? sql`true` : sql`c.email like ${pattern}`}
  )`;
}

function orderParts({ sql }: Context, { sort, dir }: ContactOrder, after: ContactPlace | null) {
  const column = columnOf({ sql }, sort);
  const key = sort === "email" ? column : sql`${column}::text`;
  const order = dir === "desc" ? sql`${column} desc, c.id desc` : sql`${column}, c.id`;
  // Addresses are unique in a project: they need no second column.
  const byEmail = dir === "desc" ? sql`c.email desc` : sql`c.email`;
  return {
    direction: sort === "email" ? byEmail : order,
    sortKey: key,
    after: after ? afterPlace({ sql }, { sort, dir }, after) : sql`true`,
  };
}

function columnOf({ sql }: Pick<Context, "sql">, sort: ContactOrder["sort"]): Fragment {
  if (sort === "email") return sql`c.email`;
  return sort === "updatedAt" ? sql`c.updated_at` : sql`c.created_at`;
}

/** A time goes as text: the driver would make a Date of it, and lose its microseconds. */
function afterPlace(
  { sql }: Pick<Context, "sql">,
  { sort, dir }: ContactOrder,
  { sortKey, id }: ContactPlace,
): Fragment {
  const column = columnOf({ sql }, sort);
  const key = sort === "email" ? sql`${sortKey}` : sql`${sortKey}::text::timestamptz`;
  if (id === null) return dir === "desc" ? sql`${column} <= ${key}` : sql`${column} >= ${key}`;
  if (sort === "email") return dir === "desc" ? sql`c.email < ${key}` : sql`c.email > ${key}`;
  return dir === "desc"
    ? sql`(${column}, c.id) < (${key}, ${id}::uuid)`
    : sql`(${column}, c.id) > (${key}, ${id}::uuid)`;
}
