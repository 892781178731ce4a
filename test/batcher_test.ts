import { describe, expect, test } from "bun:test";
import { createBatcher } from "../src/batcher.ts";

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
