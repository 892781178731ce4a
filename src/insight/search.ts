// What one box finds in all of a project.
import { compileFilter } from "../audience/contacts/list.ts";
import type { Context } from "../context.ts";
import { beginning, containing } from "../db/like.ts";
import { q } from "../db/queries.ts";
import { searchedAddress } from "../mail/address.ts";
import { withinBudget } from "../time_budget.ts";

/** Of each noun. */
export const MAX_FOUND = 5;
/** What each statement may take, in milliseconds: somebody is typing. */
const BUDGET_MS = 150;
/** Shorter texts have no three letters in a row, and the index of addresses none for them. */
const MIN_PART = 3;

/** What was found of each noun; those that took too long are in `incomplete`. */
export interface Found {
  contacts: FoundContact[];
  templates: { id: string; name: string; type: string }[];
  campaigns: { id: string; name: string; status: string }[];
  segments: { id: string; name: string; type: string }[];
  workflows: { id: string; name: string; enabled: boolean }[];
  events: { name: string; count: number }[];
  incomplete: (typeof PARTS)[number][];
}

/** What can be incomplete. */
export const PARTS = ["contacts", "names", "events"] as const;

interface FoundContact {
  id: string;
  email: string;
  subscribed: boolean;
}

/**
 * Five of each noun whose name (of contacts the address, of campaigns also the subject) contains a text, in any case, those
 * that begin with it first. A text of one or two letters finds contacts whose address begins with it, and so does one with an
 * @ if there are any. An empty one finds nothing.
 */
export async function search(ctx: Context, projectId: string, text: string): Promise<Found> {
  const sought = text.trim();
  if (sought === "") return foundOf({ contacts: [], names: [], events: [] });
  const args = { projectId, beginning: beginning(sought), containing: containing(sought), limit: MAX_FOUND };
  const [contacts, [names, events]] = await Promise.all([
    searchContacts(ctx, projectId, searchedAddress(sought)),
    inTurn(
      () => withinBudget(ctx, BUDGET_MS, (tx) => q.search.named(tx, args)),
      () => withinBudget(ctx, BUDGET_MS, (tx) => q.search.events(tx, args)),
    ),
  ]);
  return foundOf({ contacts, names, events });
}

async function searchContacts(ctx: Context, projectId: string, text: string): Promise<FoundContact[] | null> {
  const args = { projectId, limit: MAX_FOUND };
  const first = await withinBudget(ctx, BUDGET_MS, (tx) => q.search.contactsFrom(tx, { ...args, text }));
  if (first === null || first.length === MAX_FOUND || [...text].length < MIN_PART) return first;
  // A term that goes as far as the @ means that address. Its letters are in so many others that the index of parts takes its
  // time: 114 ms among two million.
  if (first.length > 0 && text.indexOf("@") > 0) return first;
  const more = await withinBudget(ctx, BUDGET_MS, (tx) =>
    q.search.contactsWith(tx, { ...args, filter: compileFilter(tx, { search: text }) }),
  );
  if (more === null) return first.length > 0 ? first : null;
  const byId = new Map([...first, ...more].map((contact) => [contact.id, contact]));
  return [...byId.values()].slice(0, MAX_FOUND);
}

interface Rows {
  contacts: FoundContact[] | null;
  names: { noun: string; id: string; name: string; detail: string }[] | null;
  events: { name: string; count: number }[] | null;
}

function foundOf(rows: Rows): Found {
  const of = (noun: string) => (rows.names ?? []).filter((row) => row.noun === noun);
  return {
    contacts: rows.contacts ?? [],
    templates: of("templates").map(({ id, name, detail }) => ({ id, name, type: detail })),
    campaigns: of("campaigns").map(({ id, name, detail }) => ({ id, name, status: detail })),
    segments: of("segments").map(({ id, name, detail }) => ({ id, name, type: detail })),
    workflows: of("workflows").map(({ id, name, detail }) => ({ id, name, enabled: detail === "ENABLED" })),
    events: rows.events ?? [],
    incomplete: PARTS.filter((part) => rows[part] === null),
  };
}

/** One after the other, so that a box takes two connections at most. */
async function inTurn<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  const result = await first();
  return [result, await second()];
}
