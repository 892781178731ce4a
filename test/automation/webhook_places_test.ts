import { describe, expect, test } from "bun:test";
import { createPlaces } from "../../src/automation/_webhook_places.ts";

const release = (place: (() => void) | number): void => {
  if (typeof place === "number") throw new Error("Cannot release what was not taken");
  place();
};
const isTaken = (place: (() => void) | number) => typeof place === "function";

describe("places", () => {
  test("are as many as there are, and fewer for each project", async () => {
    const places = createPlaces({ all: 5, each: 3, patienceMs: 0 });
    const taken = await Promise.all([..."aaaa", ..."bbb"].map((project) => places.take(project)));

    expect(taken.map(isTaken)).toEqual([true, true, true, false, true, true, false]);
  });

  test("go on to who waits for them, first come first served", async () => {
    const places = createPlaces({ all: 2, each: 2, patienceMs: 10_000 });
    const [first] = await Promise.all([places.take("a"), places.take("a")]);
    const served: string[] = [];
    const waiting = ["a", "b"].map((project) =>
      places.take(project).then((place) => {
        served.push(project);
        release(place);
      }),
    );
    release(first!);
    await Promise.all(waiting);

    expect(served).toEqual(["a", "b"]);
  });

  test("pass by who waits for one of a project that has all of its own", async () => {
    const places = createPlaces({ all: 3, each: 2, patienceMs: 10_000 });
    const [, , b] = await Promise.all([places.take("a"), places.take("a"), places.take("b")]);
    const third = places.take("a");
    const other = places.take("c");
    release(b!);

    expect(isTaken(await other)).toBe(true);
    expect(await Promise.race([third, "still waiting"])).toBe("still waiting");
  });

  test("that are free again serve whoever asks, however many came before", async () => {
    const places = createPlaces({ all: 4, each: 2, patienceMs: 0 });
    for (let round = 0; round < 50; round++) {
      const taken = await Promise.all([..."aaabbbccc"].map((project) => places.take(project)));
      expect(taken.filter(isTaken)).toHaveLength(4);
      for (const place of taken) if (typeof place === "function") place();
    }
  });

  test("are waited for by no more than there are: the others hear at once when to come back", async () => {
    const places = createPlaces({ all: 2, each: 2, patienceMs: 60_000 });
    const asked = Array.from({ length: 10 }, () => places.take("a"));
    const heard = await Promise.all(
      asked.map((each) => Promise.race([each, Bun.sleep(50).then(() => "waits")])),
    );

    expect(heard.filter((place) => place === "waits")).toHaveLength(2);
    expect(heard.filter((place) => typeof place === "number")).toHaveLength(6);
  });

  test("are far away for who comes late, as far as two minutes", async () => {
    const places = createPlaces({ all: 2, each: 2, patienceMs: 0 });
    const asked = await Promise.all(Array.from({ length: 1_000 }, () => places.take("a")));
    const pauses = asked.filter((place) => typeof place === "number");

    expect(pauses[0]).toBe(1_000);
    // A call takes half a second, as far as is known, and two are made at once.
    expect(pauses[100]!).toBeWithin(20_000, 30_000);
    expect(pauses.at(-1)!).toBeWithin(90_000, 120_001);
  });
});
