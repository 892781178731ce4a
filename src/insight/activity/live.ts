// What happens in a project, as it happens, for those who watch it. One look a second for each project that somebody
// watches from this process, however many they are; none where nobody does.
import { type Context, perService } from "../../context.ts";
import { describeError } from "../../log.ts";
import { type FeedPlace, type PlacedActivity, readItems } from "./_items.ts";
import { findPlaces } from "./mod.ts";
import { timeOf } from "../ids.ts";
import { ACTIVITY_TYPES, sourcesOf } from "./types.ts";

/** What has happened, oldest first. */
export interface News {
  items: PlacedActivity[];
  /** More happened than is told: the feed has it. */
  isCut: boolean;
}

/** Somebody who watches. */
export interface Watcher {
  tell(news: News): void;
  /** The process stops. */
  end(): void;
}

/** Between two looks, from the end of one to the start of the next: with the look itself under a second. */
const PAUSE_MS = 700;
/** How far back each look goes: what is committed later than that after it happened is missed. */
const OVERLAP_MS = 10_000;
/** What is told at once, at most. */
export const MAX_NEWS = 500;

/** Each costs a statement a second, however many watch it. */
const MAX_PROJECTS = 100;

interface Watched {
  watchers: Set<Watcher>;
  /** What has been told, or happened before anybody watched. */
  seen: Set<string>;
  lookedAt: Date;
  isAway: boolean;
  timer: Timer | undefined;
}

const watchedOf = perService(() => new Map<string, Watched>());

/** Tells what happens in a project from now on, until the function that it returns is called. */
export async function watchActivity(ctx: Context, projectId: string, watcher: Watcher): Promise<() => void> {
  const all = watchedOf(ctx);
  const known = all.get(projectId);
  const watched = known ?? {
    watchers: new Set(),
    seen: new Set(),
    lookedAt: ctx.now(),
    isAway: false,
    timer: undefined,
  };
  watched.watchers.add(watcher);
  if (!known) {
    all.set(projectId, watched);
    await begin(ctx, projectId, watched).catch((error: unknown) => {
      all.delete(projectId);
      watched.watchers.delete(watcher);
      // Who has come meanwhile would wait for news for ever.
      for (const other of watched.watchers) other.end();
      throw error;
    });
  }
  return () => {
    watched.watchers.delete(watcher);
    if (watched.watchers.size > 0 || all.get(projectId) !== watched) return;
    all.delete(projectId);
    clearTimeout(watched.timer);
  };
}

/** Whether a project is watched, or may be: a process looks at a hundred. */
export function mayWatch(ctx: Context, projectId: string): boolean {
  const all = watchedOf(ctx);
  return all.has(projectId) || all.size < MAX_PROJECTS;
}

/** Ends all watching: a server that stops waits for open answers. */
export function endWatching(ctx: Context): void {
  for (const { watchers } of watchedOf(ctx).values()) for (const watcher of watchers) watcher.end();
}

/**
 * What happened since a place, and some seconds before it: something that is committed late may not have been told. More than
 * {@linkcode MAX_NEWS} are cut.
 */
export async function readSince(ctx: Context, projectId: string, { key }: FeedPlace): Promise<News> {
  return await look(ctx, projectId, new Date(timeOf(key).getTime() - OVERLAP_MS), new Set());
}

/** What happened before somebody watched is not told. What happens while the past is read is. */
async function begin(ctx: Context, projectId: string, watched: Watched): Promise<void> {
  const { lookedAt, seen } = watched;
  const past = await findRecent(ctx, projectId, new Date(lookedAt.getTime() - OVERLAP_MS));
  for (const place of past) if (timeOf(place.key) < lookedAt) seen.add(nameOf(place));
  goOn(ctx, projectId, watched);
}

function goOn(ctx: Context, projectId: string, watched: Watched): void {
  watched.timer = setTimeout(async () => {
    await tell(ctx, projectId, watched);
    if (watchedOf(ctx).get(projectId) === watched) goOn(ctx, projectId, watched);
  }, PAUSE_MS);
  watched.timer.unref();
}

async function tell(ctx: Context, projectId: string, watched: Watched): Promise<void> {
  const now = ctx.now();
  try {
    const from = new Date(watched.lookedAt.getTime() - OVERLAP_MS);
    const news = await look(ctx, projectId, from, watched.seen);
    watched.lookedAt = now;
    watched.isAway = false;
    if (news.items.length > 0 || news.isCut) for (const watcher of watched.watchers) watcher.tell(news);
  } catch (error) {
    // What happened in the meantime is told when the database is back.
    if (!watched.isAway) ctx.log.warn("activity cannot be watched", { projectId, ...describeError(error) });
    watched.isAway = true;
  }
}

/** What is there from a moment on and is not among `seen`, which learns it, and forgets what is older. */
async function look(ctx: Context, projectId: string, from: Date, seen: Set<string>): Promise<News> {
  const places = await findRecent(ctx, projectId, from);
  const fresh = places.slice(0, MAX_NEWS).filter((place) => !seen.has(nameOf(place)));
  const isCut = places.length > MAX_NEWS && fresh.length === MAX_NEWS;
  const items = await readItems(ctx, projectId, fresh.toReversed());
  seen.clear();
  for (const place of places) seen.add(nameOf(place));
  return { items, isCut };
}

async function findRecent(ctx: Context, projectId: string, from: Date): Promise<FeedPlace[]> {
  const page = { after: null, limit: MAX_NEWS + 1 };
  return await findPlaces(ctx, projectId, { from, wanted: sourcesOf(ACTIVITY_TYPES) }, page);
}

function nameOf({ key, kind, id }: FeedPlace): string {
  return `${key}.${kind}.${id}`;
}
