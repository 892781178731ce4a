// The live feed without a browser: nothing is shown twice, nothing is missed, and it never grows beyond its limit.
import { describe, expect, test } from "bun:test";
import type { Activity } from "../../src/console/api.gen.ts";
import {
  EMPTY,
  type Feed,
  MAX_TOLD,
  rowsOf,
  withFirstPage,
  withNews,
  withNextPage,
  withWaiting,
} from "../../src/console/pages/events/feed_state.ts";
import type { Told } from "../../src/console/parts/activity/stream.ts";

const item = (n: number): Activity => ({
  id: `item ${n}`,
  type: "event.triggered",
  timestamp: new Date(Date.UTC(2026, 0, 1) + n).toISOString(),
  metadata: {},
});
const told = (n: number): Told => ({ item: item(n), cursor: `behind ${n}` });
/** From the newest to the oldest. */
const range = (newest: number, oldest: number) =>
  Array.from({ length: newest - oldest + 1 }, (_, i) => newest - i);
const page = (newest: number, oldest: number) => ({
  data: range(newest, oldest).map(item),
  cursor: oldest > 0 ? `behind ${oldest}` : null,
});
const numbers = (feed: Feed) => rowsOf(feed).map(({ id }) => Number(id.slice("item ".length)));
const free = { isHeld: false };
const held = { isHeld: true };

describe("the feed", () => {
  test("shows what is told before what was read, the newest first, each once", () => {
    let feed = withFirstPage(EMPTY, page(9, 5));
    feed = withNews(feed, [told(11), told(10), told(9)], free);
    feed = withNews(feed, [told(13), told(11), told(12)], free);
    feed = withNextPage(feed, page(6, 0));

    expect(numbers(feed)).toEqual(range(13, 0));
    expect(feed.next).toBeNull();
    expect(withNews(feed, [told(13)], free)).toBe(feed);
  });

  test("keeps what is told while the list is read", () => {
    const feed = withFirstPage(withNews(EMPTY, [told(10), told(9)], free), page(9, 5));

    expect(numbers(feed)).toEqual(range(10, 5));
  });

  test("stands still while it is held, and then shows what has come", () => {
    const before = withFirstPage(EMPTY, page(9, 5));
    const waits = withNews(before, [told(11), told(10), told(9)], held);

    expect(rowsOf(waits)).toEqual(rowsOf(before));
    expect(waits.waiting).toHaveLength(2);
    expect(numbers(withWaiting(waits))).toEqual(range(11, 5));
    expect(withWaiting(waits).waiting).toEqual([]);
  });

  test("does not grow without end: what is older is read again behind the last that was kept", () => {
    let feed = withFirstPage(EMPTY, page(49, 0));
    for (let n = 50; n < 50 + MAX_TOLD + 200; n += 100)
      feed = withNews(feed, range(n + 99, n).map(told), free);
    const newest = 50 + MAX_TOLD + 200 - 1;

    expect(numbers(feed)).toEqual(range(newest, newest - MAX_TOLD + 1));
    expect(feed.next).toBe(`behind ${newest - MAX_TOLD + 1}`);
    expect(numbers(withNextPage(feed, page(newest - MAX_TOLD, 0)))).toEqual(range(newest, 0));
  });

  test("leaves no gap where more came while it was held than it keeps", () => {
    let feed = withFirstPage(EMPTY, page(49, 0));
    for (let n = 50; n < 50 + MAX_TOLD + 200; n += 100)
      feed = withNews(feed, range(n + 99, n).map(told), held);
    expect(feed.waiting).toHaveLength(MAX_TOLD);
    feed = withWaiting(feed);
    const newest = 50 + MAX_TOLD + 200 - 1;

    expect(numbers(feed)).toEqual(range(newest, newest - MAX_TOLD + 1));
    expect(feed.next).toBe(`behind ${newest - MAX_TOLD + 1}`);
  });

  test("begins anew with a first page that is read again, and keeps what is newer", () => {
    let feed = withFirstPage(EMPTY, page(9, 5));
    feed = withNews(feed, [told(31)], held);
    feed = withFirstPage(feed, page(30, 20));

    expect(numbers(feed)).toEqual(range(31, 20));
    expect(feed.next).toBe("behind 20");
  });
});
