import { describe, expect, test } from "bun:test";
import { createCallPlaces } from "../../src/automation/webhooks/_places.ts";

interface PlacedCall {
  projectId: string;
  stepExecutionId: string;
}

let count = 0;
const call = (projectId: string): PlacedCall => ({ projectId, stepExecutionId: String(count++) });
const calls = (projects: string) => [...projects].map(call);

describe("places", () => {
  test("are as many as there are, and fewer for each project", () => {
    const places = createCallPlaces<PlacedCall>({ all: 5, each: 3 });
    expect(calls("aaaabbb").map(places.enter)).toEqual([true, true, true, false, true, true, false]);
  });

  test("that are given back are there again", () => {
    const places = createCallPlaces<PlacedCall>({ all: 4, each: 2 });
    for (let round = 0; round < 50; round++) {
      const inside = calls("aaabbbccc").filter(places.enter);
      expect(inside).toHaveLength(4);
      for (const each of inside) places.leave(each);
    }
  });

  test("go to those who were put aside, the first first, one project after the other", () => {
    const places = createCallPlaces<PlacedCall>({ all: 2, each: 2 });
    const inside = calls("aa");
    inside.forEach(places.enter);
    const aside = calls("aaabbc");
    expect(aside.map(places.putAside)).toEqual(Array(6).fill(true));
    const order: (PlacedCall | null)[] = [places.enterNext()];
    for (let leaving = inside.shift(); leaving; leaving = inside.shift()) {
      places.leave(leaving);
      const next = places.enterNext();
      order.push(next);
      if (next) inside.push(next);
    }

    expect(order.map((each) => each && aside.indexOf(each))).toEqual([null, 0, 3, 5, 1, 4, 2, null, null]);
  });

  test("are not for a project that has all of its own, however long it waits", () => {
    const places = createCallPlaces<PlacedCall>({ all: 3, each: 2 });
    calls("aa").forEach(places.enter);
    calls("aa").forEach(places.putAside);
    const other = call("b");
    places.putAside(other);

    expect(places.enterNext()).toBe(other);
    expect(places.enterNext()).toBeNull();
  });

  test("are waited for once by each, though it comes again", () => {
    const places = createCallPlaces<PlacedCall>({ all: 1, each: 1 });
    const [inside, first, second] = calls("aaa") as [PlacedCall, PlacedCall, PlacedCall];
    places.enter(inside);
    for (const each of [first, second, { ...first }, first]) expect(places.putAside(each)).toBe(true);
    places.leave(inside);
    const released = [places.release(), places.release(), places.release()];

    expect(released).toEqual([first, second, null]);
  });

  test.each([
    [1, 1],
    [2, 1],
    [4, 2],
  ])("of %i, %i for each, are not kept by a project whose calls all last too long", (all, each) => {
    const places = createCallPlaces<PlacedCall>({ all, each });
    const running = calls("aaaa".slice(0, each));
    running.forEach(places.enter);
    calls("aaaaaaaabbb").forEach(places.putAside);
    const order: string[] = [];
    while (running.length > 0) {
      places.leave(running.shift()!);
      // Its time is over: who is next gets a job of its own, which finds the place.
      const next = places.release();
      if (next && places.enter(next)) running.push(next);
      if (next) order.push(next.projectId);
    }

    expect(order).toHaveLength(11);
    expect(order.slice(0, 6).filter((projectId) => projectId === "b")).toHaveLength(3);
  });

  test("are not waited for by a project that has all of its own", () => {
    const places = createCallPlaces<PlacedCall>({ all: 2, each: 1 });
    calls("a").forEach(places.enter);
    calls("aab").forEach(places.putAside);

    expect(places.release()).toHaveProperty("projectId", "b");
    expect(places.release()).toBeNull();
  });

  test("are waited for by as many as have their turn in half a minute", () => {
    const places = createCallPlaces<PlacedCall>({ all: 4, each: 2 });
    const asideOf = (project: string) => {
      let aside = 0;
      while (places.putAside(call(project))) aside += 1;
      return aside;
    };

    // A call takes 0.2 s, as far as is known, and two are made at once.
    expect(asideOf("a")).toBe(301);
    expect([asideOf("b"), asideOf("c"), asideOf("d")]).toEqual([301, 301, 97]);
  });

  test("are waited for by fewer where calls are slow", async () => {
    const places = createCallPlaces<PlacedCall>({ all: 2, each: 2 });
    const slow = call("a");
    places.enter(slow);
    await Bun.sleep(2_000);
    places.leave(slow);
    let aside = 0;
    while (places.putAside(call("a"))) aside += 1;

    // Of five calls as they were thought to be, one was ten times as long.
    expect(aside).toBeWithin(60, 101);
  });

  test("are the further away the more were sent away, as far as two minutes", () => {
    const places = createCallPlaces<PlacedCall>({ all: 2, each: 2 });
    const pauses = Array.from({ length: 2_000 }, () => places.pauseMs("a"));

    expect(pauses[0]).toBe(1_000);
    expect(pauses[100]!).toBeWithin(9_500, 10_500);
    expect(pauses[1_000]!).toBeWithin(99_000, 101_000);
    for (const late of pauses.slice(1_300)) expect(late).toBeWithin(90_000, 120_001);
    expect(places.pauseMs("b")).toBe(1_000);
  });
});
