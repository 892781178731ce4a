// One feed over what happened to contacts and mails, campaigns and workflows, in the order of time.
import { firstIdAt } from "../../audience/conditions/tree.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type Activity, KINDS, type FeedPlace, readItems } from "./_items.ts";
import { FIRST_ID, LAST_ID, timeOf } from "../ids.ts";
import { type Sources, sourcesOfWanted, type WantedActivity } from "./types.ts";

export type { Activity, FeedPlace } from "./_items.ts";

/** A filter of items. Fields left out are no condition. */
export interface ActivityFilter extends WantedActivity {
  contactId?: string | undefined;
  /** From this moment on. */
  from?: Date | undefined;
  /** Before this moment. */
  until?: Date | undefined;
}

/** Where a page begins, and how much it holds. */
export interface ActivityPage {
  limit: number;
  /** The last item of the page before. */
  after: FeedPlace | null;
}

/** Items, and the place of the last one where more follow. */
export interface ActivityList {
  items: Activity[];
  next: FeedPlace | null;
}

/**
 * How many months before that of the cursor are read together, until finally everything before: so a full page reads
 * one or two partitions, and a rare item is found in a few steps.
 */
const MONTHS_BACK = [0, 3, 15];
/** How many of them are looked at first for a contact with many events. */
const MONTHS_OF_CONTACT = 3;

/**
 * One page of the feed, newest first. The order is that of event ids, which are assigned when something happens,
 * and of the times of everything else, in milliseconds; ties are ordered too. So whatever was committed when the first
 * page was read is on exactly one page, except what is deleted in the meantime and campaigns that are rescheduled.
 * Later items are never on two. They are missed where the reader has already passed their time: usually because they
 * are new, and now and then because they were committed, or reported by a provider, after things that happened later.
 * They have their place when the feed is read again.
 */
export async function listActivity(
  ctx: Context,
  projectId: string,
  filter: ActivityFilter,
  { limit, after }: ActivityPage,
): Promise<ActivityList> {
  const wanted = sourcesOfWanted(filter);
  const places = await findPlaces(ctx, projectId, { ...filter, wanted }, { after, limit: limit + 1 });
  return await toList(ctx, projectId, places, limit);
}

/** A list of these places, which are one more than `limit` where more follow. */
export async function toList(
  ctx: Context,
  projectId: string,
  places: FeedPlace[],
  limit: number,
): Promise<ActivityList> {
  const page = places.slice(0, limit);
  const items = await readItems(ctx, projectId, page);
  return { items: items.map(({ item }) => item), next: places.length > limit ? page.at(-1)! : null };
}

/** Where the next items are, newest first: of a contact, or of all. */
export async function findPlaces(
  ctx: Context,
  projectId: string,
  { contactId, from, until, wanted }: Omit<ActivityFilter, keyof WantedActivity> & { wanted: Sources },
  { after, limit }: ActivityPage,
): Promise<FeedPlace[]> {
  const end: FeedPlace = { key: until ? firstIdAt(until) : LAST_ID, kind: 0, id: FIRST_ID };
  let before = after && after.key < end.key ? after : end;
  const found: FeedPlace[] = [];
  if (contactId) {
    const [since, recent] = [from ? firstIdAt(from) : FIRST_ID, monthBack(ctx, before, MONTHS_OF_CONTACT)];
    return await q.activity.pageOfContact(ctx, {
      projectId,
      contactId,
      since,
      recent,
      limit,
      ...wanted,
      ...boundsOf(before),
    });
  }
  for (const since of startsOf(ctx, before, from)) {
    const window = { projectId, since, limit: limit - found.length, ...wanted, ...boundsOf(before) };
    found.push(...(await q.activity.page(ctx, window)));
    if (found.length === limit) break;
    before = { key: since, kind: 0, id: FIRST_ID };
  }
  return found;
}

/** Where the windows to be read begin, newest first. */
function startsOf(ctx: Context, before: FeedPlace, from: Date | undefined): string[] {
  const first = from ? firstIdAt(from) : FIRST_ID;
  const starts = MONTHS_BACK.map((months) => monthBack(ctx, before, months));
  return [...starts.filter((start) => first < start), first];
}

/** The first id of a month, so many before that of a place: partitions begin there. */
function monthBack(ctx: Context, before: FeedPlace, months: number): string {
  const newest = new Date(Math.min(timeOf(before.key).getTime(), ctx.now().getTime()));
  return firstIdAt(new Date(Date.UTC(newest.getUTCFullYear(), newest.getUTCMonth() - months)));
}

/** What comes after a place, for each kind: of those with the same key, those with an id below this one. */
function boundsOf({ key, kind, id }: FeedPlace) {
  const below = (name: (typeof KINDS)[number]) => {
    const own = KINDS.indexOf(name);
    if (own === kind) return id;
    return own < kind ? LAST_ID : FIRST_ID;
  };
  return {
    before: key,
    scheduledBelow: below("campaign.scheduled"),
    sentBelow: below("campaign.sent"),
    completedBelow: below("workflow.completed"),
    startedBelow: below("workflow.started"),
  };
}
