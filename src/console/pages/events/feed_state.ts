// What the live feed holds: what was told as it happened, what was read from the list, and what waits while somebody reads.
import type { Activity } from "../../api.gen.ts";
import type { Told } from "../../parts/activity/stream.ts";

/** As many are kept of what was told. What is older is read again from the list when somebody scrolls there. */
export const MAX_TOLD = 1_000;

/** The feed. All lists begin with the newest. */
export interface Feed {
  told: Told[];
  /** Behind what was told. */
  read: Activity[];
  /** Where the list continues behind both; null at its end. */
  next: string | null;
  /** What came while the feed was held. */
  waiting: Told[];
  /** Some of what came was let go: there is a gap between what waits and the rest. */
  isCut: boolean;
}

/** Before anything was read. */
export const EMPTY: Feed = { told: [], read: [], next: null, waiting: [], isCut: false };

/** A page of the list. */
export interface Page {
  data: Activity[];
  cursor: string | null;
}

/** All that is shown, newest first. */
export function rowsOf({ told, read }: Feed): Activity[] {
  return [...told.map(({ item }) => item), ...read];
}

/** The feed with what was told: at its beginning, or among what waits while it is held. */
export function withNews(feed: Feed, news: Told[], { isHeld }: { isHeld: boolean }): Feed {
  const known = new Set([...feed.waiting.map(({ item }) => item.id), ...rowsOf(feed).map(({ id }) => id)]);
  const fresh = news.filter(({ item }) => !known.has(item.id));
  if (fresh.length === 0) return feed;
  if (!isHeld) return withTold(feed, merged(fresh, feed.told));
  const waiting = merged(fresh, feed.waiting);
  return {
    ...feed,
    waiting: waiting.slice(0, MAX_TOLD),
    isCut: feed.isCut || waiting.length > MAX_TOLD,
  };
}

/** The feed with what has waited. */
export function withWaiting(feed: Feed): Feed {
  if (feed.waiting.length === 0) return feed;
  const { waiting } = feed;
  if (feed.isCut) return { told: waiting, read: [], next: waiting.at(-1)!.cursor, waiting: [], isCut: false };
  return withTold({ ...feed, waiting: [] }, merged(waiting, feed.told));
}

/** The feed with the first page of the list, which has all that had happened when it was read. */
export function withFirstPage(feed: Feed, { data, cursor }: Page): Feed {
  const ids = new Set(data.map(({ id }) => id));
  const newest = data[0]?.timestamp ?? "";
  const told = merged(feed.waiting, feed.told).filter(
    ({ item }) => !ids.has(item.id) && item.timestamp >= newest,
  );
  return { told, read: data, next: cursor, waiting: [], isCut: false };
}

/** The feed with the next page of the list. */
export function withNextPage(feed: Feed, { data, cursor }: Page): Feed {
  const ids = new Set(rowsOf(feed).map(({ id }) => id));
  return { ...feed, read: [...feed.read, ...data.filter(({ id }) => !ids.has(id))], next: cursor };
}

/** What is told beyond the limit goes, and with it all that is older: the list has it. */
function withTold(feed: Feed, told: Told[]): Feed {
  if (told.length <= MAX_TOLD) return { ...feed, told };
  const kept = told.slice(0, MAX_TOLD);
  return { ...feed, told: kept, read: [], next: kept.at(-1)!.cursor };
}

/** Both, newest first. Nearly everything that is new is newer than the rest. */
function merged(fresh: Told[], before: Told[]): Told[] {
  return [...fresh, ...before].toSorted((a, b) =>
    a.item.timestamp < b.item.timestamp ? 1 : a.item.timestamp > b.item.timestamp ? -1 : 0,
  );
}
