// What the console makes of executions and versions, without a browser: the way that was taken, and what differs, in words.
import { describe, expect, test } from "bun:test";
import type { GraphStep } from "../../src/console/api.gen.ts";
import { marksOf, outcomeWords, type Visit, visitsOf } from "../../src/console/pages/execution/story.ts";
import {
  changeMarks,
  changesBetween,
  changeWords,
  merged,
} from "../../src/console/pages/workflow/graph_changes.ts";

const step = (id: string, more: Partial<GraphStep> = {}): GraphStep => ({
  id,
  type: "DELAY",
  name: id.toUpperCase(),
  position: { x: 0, y: 0 },
  config: { amount: 1, unit: "days" },
  templateId: null,
  ...more,
});
const way = (from: string, to: string, branch: string | null = null) => ({ from, to, branch, priority: 0 });

describe("the way of an execution", () => {
  const ways = [
    way("a", "b"),
    way("b", "c", "yes"),
    way("b", "c", "no"),
    way("c", "b"),
    way("b", "d", "later"),
  ];
  const visit = (stepId: string, branch: string | null = null, tone: Visit["tone"] = "fine") => ({
    stepId,
    branch,
    tone,
  });

  test("is the steps that it came to and the ways between them, by the branches that it took", () => {
    const { path, steps } = marksOf([visit("a"), visit("b", "no"), visit("c", null, "busy")], ways);

    expect([...path!.steps]).toEqual(["a", "b", "c"]);
    expect([...path!.ways]).toEqual(["a>", "b>no"]);
    expect(steps!.get("c")).toEqual({
      tone: "busy",
      badges: [{ label: "Is here", title: "Is here now", tone: "busy" }],
    });
  });

  test("says how often it came to a step, and where it failed", () => {
    const { path, steps } = marksOf(
      [visit("a"), visit("b", "yes"), visit("c"), visit("b", "later"), visit("d", null, "bad")],
      ways,
    );

    expect([...path!.ways]).toEqual(["a>", "b>yes", "c>", "b>later"]);
    expect(steps!.get("b")!.badges!.map(({ label }) => label)).toEqual(["2×"]);
    expect(steps!.get("d")!.badges!.map(({ label }) => label)).toEqual(["Failed"]);
  });

  test("of an entry whose output has no branch has none", () => {
    const entry = { stepId: "a", status: "COMPLETED", output: null } as Parameters<
      typeof visitsOf
    >[0][number];
    expect(visitsOf([entry])).toEqual([visit("a")]);
  });
});

test.each([
  ["SEND_EMAIL", { emailId: "x" }, false, "The mail was queued"],
  ["SEND_EMAIL", { to: "a@b.io" }, false, "Would send a mail to a@b.io"],
  ["DELAY", { until: "2026-01-01" }, true, "Waits"],
  ["WAIT_FOR_EVENT", { eventName: "paid" }, true, "Waits for “paid”"],
  ["WAIT_FOR_EVENT", { branch: "event", event: { name: "paid" } }, false, "“paid” happened"],
  ["WAIT_FOR_EVENT", { branch: "timeout" }, false, "Time was up"],
  ["CONDITION", { branch: "yes" }, false, "Takes the branch “Yes”"],
  [
    "WEBHOOK",
    { attempts: [{ status: 500 }, { status: 200 }], response: { status: 200 } },
    false,
    "Answered with 200, after 2 attempts",
  ],
  ["WEBHOOK", { attempts: [{ status: 500 }] }, true, "1 attempt so far"],
  ["WEBHOOK", { method: "GET", url: "https://x.example" }, false, "Would call GET https://x.example"],
  [
    "UPDATE_CONTACT",
    { set: ["plan"], removed: ["old"], subscribed: false },
    false,
    "Set plan; removed old; unsubscribed",
  ],
  ["UPDATE_CONTACT", { set: [], removed: [] }, false, "Changed nothing"],
  [undefined, {}, false, ""],
] as const)("what came of a %s with %j is said: waiting %p, %p", (type, told, isWaiting, words) => {
  expect(outcomeWords(type, told as never, isWaiting)).toBe(words);
});

describe("what differs between two graphs", () => {
  const before = {
    steps: [step("a"), step("b"), step("c"), step("d")],
    transitions: [way("a", "b"), way("b", "c"), way("c", "d")],
  };
  const after = {
    steps: [
      step("a", { position: { x: 5, y: 0 } }),
      step("b", { name: "New name", config: { amount: 2, unit: "days" } }),
      step("d", { templateId: "t" }),
      step("e"),
    ],
    transitions: [way("a", "b"), way("b", "d"), way("d", "e")],
  };
  const names = new Map([...before.steps, ...after.steps].map(({ id, name }) => [id, name]));

  test("is told in words, each thing once", () => {
    expect(changeWords(changesBetween(before, after), names)).toEqual([
      "“New name”: name, amount changed",
      "“D”: template changed",
      "“E” was added",
      "“C” was removed",
      "“New name” leads to “D”",
      "“D” leads to “E”",
      "1 step moved on the canvas",
    ]);
    expect(changeWords(changesBetween(before, before), names)).toEqual([]);
  });

  test("names a way that was cut, and one that leads elsewhere now, by its branch", () => {
    const one = { steps: before.steps, transitions: [way("a", "b", "yes"), way("a", "c", "no")] };
    const other = { steps: before.steps, transitions: [way("a", "d", "yes")] };
    expect(changeWords(changesBetween(one, other), names)).toEqual([
      "“A”, Yes, leads to “D”",
      "“A”, No, no longer leads to “C”",
    ]);
    const own = new Map([["a", { yes: "Paid" }]]);
    expect(changeWords(changesBetween(one, other), names, own)[0]).toBe("“A”, Paid, leads to “D”");
  });

  test("is drawn as one graph, with what is gone beside what there is", () => {
    const both = merged(before, after);
    const marks = changeMarks(changesBetween(before, after));

    expect(both.steps.map(({ id }) => id)).toEqual(["a", "b", "d", "e", "c"]);
    expect(both.transitions).toEqual([way("a", "b"), way("b", "d"), way("d", "e"), way("c", "d")]);
    expect([...marks.steps!].map(([id, { tone }]) => [id, tone])).toEqual([
      ["b", "warn"],
      ["d", "warn"],
      ["e", "fine"],
      ["c", "bad"],
    ]);
  });
});
