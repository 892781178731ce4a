// The feed of what a text names: contacts by their address, events by their name.
import type { Context } from "../../context.ts";
import { beginning, containing } from "../../db/like.ts";
import { q } from "../../db/queries.ts";
import { searchedAddress } from "../../mail/address.ts";
import { problems } from "../../problem/mod.ts";
import { type ActivityFilter, type ActivityList, type ActivityPage, findPlaces, toList } from "./mod.ts";
import type { FeedPlace } from "./_items.ts";
import { ACTIVITY_TYPES, sourcesOfWanted, typeOfEvent } from "./types.ts";

/** How many contacts, and how many names, are checked. */
export const MAX_SEARCHED = 10;
/** Shorter texts have no three letters in a row, and the index none for them. */
const MIN_SEARCH = 3;

/**
 * One page of what happened to the contacts whose address contains a text, and of the events whose name does, in any case,
 * the newest first. Throws 400 for a text of fewer than three letters, and for one that more than ten contacts or names
 * contain.
 */
export async function searchActivity(
  ctx: Context,
  projectId: string,
  text: string,
  filter: ActivityFilter,
  { limit, after }: ActivityPage,
): Promise<ActivityList> {
  const sought = text.trim();
  if ([...sought].length < MIN_SEARCH) throw problems.searchTooShort(MIN_SEARCH);
  const { contactIds, names } = await findNamed(ctx, projectId, sought);
  const { types = ACTIVITY_TYPES, eventName } = filter;
  const page = { after, limit: limit + 1 };
  const found: FeedPlace[][] = [];
  if (!filter.contactId && contactIds.length > 0) {
    // Ten statements at most, one after another: each of them reads its page from the indexes of one contact.
    const wanted = sourcesOfWanted(filter);
    for (const contactId of contactIds)
      found.push(await findPlaces(ctx, projectId, { ...filter, contactId, wanted }, page));
  }
  const wantedNames = names.filter(
    (name) => types.includes(typeOfEvent(name)) && (eventName ?? name) === name,
  );
  if (wantedNames.length > 0)
    found.push(
      await findPlaces(ctx, projectId, { ...filter, wanted: { sources: [], names: wantedNames } }, page),
    );
  return await toList(ctx, projectId, merged(found).slice(0, limit + 1), limit);
}

async function findNamed(ctx: Context, projectId: string, text: string) {
  const args = { projectId, limit: MAX_SEARCHED + 1 };
  const [contacts, events] = await Promise.all([
    q.emails.foundContacts(ctx, { ...args, pattern: containing(searchedAddress(text)) }),
    q.search.events(ctx, { ...args, containing: containing(text), beginning: beginning(text) }),
  ]);
  if (Math.max(contacts.length, events.length) > MAX_SEARCHED)
    throw problems.searchTooBroad(MAX_SEARCHED, "contacts or event names", "Search for more of it");
  return { contactIds: contacts.map(({ id }) => id), names: events.map(({ name }) => name) };
}

/** Each place once, newest first. */
function merged(lists: FeedPlace[][]): FeedPlace[] {
  const orderOf = ({ key, kind, id }: FeedPlace) => `${key}.${kind}.${id}`;
  const byOrder = new Map(lists.flat().map((place) => [orderOf(place), place]));
  return [...byOrder.keys()]
    .toSorted()
    .toReversed()
    .map((order) => byOrder.get(order)!);
}
