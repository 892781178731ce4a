import { describe, expect, test } from "bun:test";
import { createBatcher, togetherOrHalves } from "../src/batcher.ts";
import { problems } from "../src/problem/mod.ts";

/** A flush that is answered when told, and the batches it was given. */
function controlled<In>() {
  const batches: In[][] = [];
  const answers: (() => void)[] = [];
  const flush = (items: In[]) =>
    new Promise<(string | Error)[]>((resolve) => {
      batches.push(items);
      answers.push(() => resolve(items.map((item) => `done ${JSON.stringify(item)}`)));
    });
  return { batches, answer: async () => (answers.shift()?.(), await Bun.sleep(0)), flush };
}

describe("a batcher", () => {
  test("sends a lone call at once, and what comes meanwhile together", async () => {
    const { batches, answer, flush } = controlled<number>();
    const call = createBatcher(flush, { maxItems: 10, maxFlights: 1 });
    const results = [1, 2, 3, 4].map((n) => call(n));
    expect(batches).toEqual([[1]]);
    await answer();
    expect(batches).toEqual([[1], [2, 3, 4]]);
    await answer();

    expect(await Promise.all(results)).toEqual(["done 1", "done 2", "done 3", "done 4"]);
  });

  test("keeps to its numbers of items and of flights", async () => {
    const { batches, answer, flush } = controlled<number>();
    const call = createBatcher(flush, { maxItems: 2, maxFlights: 2 });
    const results = [1, 2, 3, 4, 5, 6, 7].map((n) => call(n));
    expect(batches).toEqual([[1], [2]]);
    await answer();
    expect(batches).toEqual([[1], [2], [3, 4]]);
    for (let i = 0; i < 5; i++) await answer();

    expect(await Promise.all(results)).toHaveLength(7);
    expect(batches.every((batch) => batch.length <= 2)).toBe(true);
  });

  test("never has two items of one key under way, and keeps their order", async () => {
    const { batches, answer, flush } = controlled<{ key: string; n: number }>();
    const call = createBatcher(flush, { maxItems: 10, maxFlights: 2, keysOf: (item) => [item.key] });
    const results = [1, 2, 3].map((n) => call({ key: "a", n }));
    const other = call({ key: "b", n: 4 });
    expect(batches).toEqual([[{ key: "a", n: 1 }], [{ key: "b", n: 4 }]]);
    for (let i = 0; i < 4; i++) await answer();

    await Promise.all([...results, other]);
    expect(
      batches
        .flat()
        .filter((item) => item.key === "a")
        .map((item) => item.n),
    ).toEqual([1, 2, 3]);
    expect(batches.every((batch) => new Set(batch.map((item) => item.key)).size === batch.length)).toBe(true);
  });

  test("lets nobody overtake an item with one of its keys", async () => {
    const { batches, answer, flush } = controlled<string[]>();
    const call = createBatcher(flush, { maxItems: 10, maxFlights: 2, keysOf: (item) => item });
    const results = [["a"], ["a", "b"], ["b"], ["c"]].map((keys) => call(keys));
    expect(batches).toEqual([[["a"]], [["c"]]]);
    for (let i = 0; i < 5; i++) await answer();

    await Promise.all(results);
    expect(batches).toEqual([[["a"]], [["c"]], [["a", "b"]], [["b"]]]);
  });

  test("keeps a flush below its size; an item that is larger goes by itself", async () => {
    const { batches, answer, flush } = controlled<number>();
    const sizes = { of: (item: number) => item, max: 10 };
    const call = createBatcher(flush, { maxItems: 10, maxFlights: 1, sizes });
    const results = [1, 4, 5, 3, 20, 1].map((n) => call(n));
    for (let i = 0; i < 5; i++) await answer();

    await Promise.all(results);
    expect(batches).toEqual([[1], [4, 5, 1], [3], [20]]);
  });

  test("fails one call by its own error, and all of a flush that throws; then goes on", async () => {
    const call = createBatcher<string, string>(
      async (items) => {
        if (items.includes("throw")) throw new Error("all");
        return items.map((item) => (item === "bad" ? new Error("alone") : item));
      },
      { maxItems: 10, maxFlights: 1 },
    );
    const ends = await Promise.allSettled([call("first"), call("bad"), call("good")]);
    const thrown = await Promise.allSettled([call("x"), call("throw"), call("y")]);

    expect(ends.map((end) => (end.status === "fulfilled" ? end.value : end.reason.message))).toEqual([
      "first",
      "alone",
      "good",
    ]);
    expect(thrown.map((end) => end.status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(await call("again")).toBe("again");
  });
});

describe("items in one go, or in halves", () => {
  /** Work that refuses everything as long as an item of `bad` is in it, and what it was given. */
  const refusing = (bad: number[], error: Error = problems.badRequest("no")) => {
    const given: number[][] = [];
    const work = async (items: number[]) => {
      given.push(items);
      if (items.some((item) => bad.includes(item))) throw error;
      return items.map((item) => `done ${item}`);
    };
    return { given, work };
  };
  const eight = [1, 2, 3, 4, 5, 6, 7, 8];

  test("fail the faulty one alone, found in few steps, and every result is at its place", async () => {
    const { given, work } = refusing([6]);
    const results = await togetherOrHalves(eight, work);

    expect(results.map((result) => (result instanceof Error ? "refused" : result))).toEqual(
      eight.map((n) => (n === 6 ? "refused" : `done ${n}`)),
    );
    expect(given).toEqual([eight, [1, 2, 3, 4], [5, 6, 7, 8], [5, 6], [5], [6], [7, 8]]);
  });

  test("are not repeated where nobody knows whose fault it is", async () => {
    const { given, work } = refusing([6], new Error("The connection is lost"));

    expect(togetherOrHalves(eight, work)).rejects.toThrow("The connection is lost");
    expect(given).toEqual([eight]);
  });

  test("keep what a half has done when the database is lost during the other", async () => {
    const lost = new Error("The connection is lost");
    const results = await togetherOrHalves(eight, async (items) => {
      if (items.length === 8) throw problems.badRequest("no");
      if (items.includes(8)) throw lost;
      return items;
    });

    expect(results).toEqual([1, 2, 3, 4, lost, lost, lost, lost]);
  });
});
