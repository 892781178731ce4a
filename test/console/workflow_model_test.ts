// A workflow as somebody changes it, without a browser: the graph, steps back and on, and what is wrong with it.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { BRANCH_NAMES } from "../../src/automation/workflows/findings.ts";
import { layOut, STEP_HEIGHT, STEP_WIDTH } from "../../src/console/parts/canvas/layout.ts";
import { firstView, isAnySeen } from "../../src/console/parts/canvas/view.ts";
import {
  branchName,
  branchNamesOf,
  placesOf,
  type StepType,
  wayId,
} from "../../src/console/parts/canvas/graph.ts";
import { scheduleWords } from "../../src/console/parts/canvas/words.ts";
import { differences } from "../../src/console/pages/workflow/differences.ts";
import { faultsOf, faultsOfRefusal, merged, stillSaid } from "../../src/console/pages/workflow/faults.ts";
import { cronOf, rhythmOf } from "../../src/console/pages/workflow/forms/schedule.ts";
import { begun, changedTo, type History, redone, undone } from "../../src/console/pages/workflow/history.ts";
import {
  added,
  bodyOf,
  branchesOf,
  changed,
  connected,
  cut,
  doubled,
  linesOf,
  type Model,
  modelOf,
  moved,
  newStep,
  openEndsOf,
  removed,
  stepOf,
  tidied,
  type Where,
  whyNot,
} from "../../src/console/pages/workflow/model.ts";

const TYPES: StepType[] = [
  "SEND_EMAIL",
  "DELAY",
  "WAIT_FOR_EVENT",
  "CONDITION",
  "WEBHOOK",
  "UPDATE_CONTACT",
  "EXIT",
];

const empty: Model = {
  trigger: { triggerType: "EVENT", triggerConfig: { eventName: "signed up" }, allowReentry: false },
  steps: [{ id: "t", type: "TRIGGER", name: "Trigger", config: {}, templateId: null, place: null }],
  ways: [],
};
const add = (model: Model, id: string, type: StepType, where: Where = null) =>
  added(model, { ...newStep(model, type, id, id), name: id }, where);
const leads = (model: Model) => model.ways.map(({ from, branch, to }) => `${from} ${branch ?? ""}> ${to}`);

/** Trigger > mail > question, yes> a, no> b. */
const branched = () => {
  const mail = add(empty, "mail", "SEND_EMAIL", { after: "t", branch: null });
  const question = add(mail, "question", "CONDITION", { after: "mail", branch: null });
  const yes = add(question, "a", "UPDATE_CONTACT", { after: "question", branch: "yes" });
  return add(yes, "b", "WEBHOOK", { after: "question", branch: "no" });
};

/** An edit, by numbers that choose what it is about. */
type Edit = [kind: number, one: number, two: number, three: number];

function edited(model: Model, [kind, one, two, three]: Edit, n: number): Model {
  const step = model.steps[one % model.steps.length]!;
  const other = model.steps[two % model.steps.length]!;
  const way = model.ways[two % Math.max(1, model.ways.length)];
  const type = TYPES[three % TYPES.length]!;
  const exits = openEndsOf(model, step);
  switch (kind % 9) {
    case 0:
      return add(
        model,
        `s${n}`,
        type,
        exits.length > 0 ? { after: step.id, branch: exits[three % exits.length]! } : null,
      );
    case 1:
      return way ? add(model, `s${n}`, type, { into: wayId(way) }) : add(model, `s${n}`, type);
    case 2:
      return removed(model, step.id);
    case 3: {
      const branches = branchesOf(step);
      const branch = branches.length > 0 ? branches[three % branches.length]! : null;
      return connected(model, { from: step.id, branch, to: other.id });
    }
    case 4:
      return way ? cut(model, wayId(way)) : model;
    case 5:
      return moved(model, new Map([[step.id, { x: one, y: two }]]));
    case 6:
      return changed(model, step.id, { name: `${step.name} ${three % 3}` });
    case 7:
      return doubled(model, step.id, `s${n}`);
    default:
      return tidied(model);
  }
}

/** What the service would refuse. */
function faultsOfGraph({ steps, ways }: Model): string[] {
  const ids = new Set(steps.map(({ id }) => id));
  const taken = new Set<string>();
  return ways.flatMap((way) => {
    const from = steps.find(({ id }) => id === way.from);
    const faults = [];
    if (!ids.has(way.from) || !ids.has(way.to)) faults.push("leads from or to nothing");
    if (way.from === way.to) faults.push("leads to itself");
    if (way.to === "t") faults.push("leads to the trigger");
    if (from?.type === "EXIT") faults.push("leaves an exit");
    if (taken.has(wayId(way))) faults.push("two by one branch");
    if (way.branch !== null && from && !branchesOf(from).includes(way.branch))
      faults.push("a branch that is none");
    taken.add(wayId(way));
    return faults;
  });
}

describe("the graph", () => {
  const edits = fc.array(fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99), fc.nat(99)), {
    minLength: 50,
    maxLength: 120,
  });

  test("is back where it began after as many steps back as there were edits, and where it ended after as many on", () => {
    fc.assert(
      fc.property(edits, (all) => {
        let history: History<Model> = begun(empty);
        const states = [empty];
        for (const [n, edit] of all.entries()) {
          history = changedTo(history, edited(history.present, edit as Edit, n));
          if (history.present !== states.at(-1)) states.push(history.present);
        }
        const end = history.present;
        for (const state of states.slice(0, -1).toReversed()) {
          history = undone(history);
          expect(history.present).toEqual(state);
        }
        expect(undone(history).present).toEqual(empty);
        for (let n = 1; n < states.length; n++) history = redone(history);
        expect(history.present).toEqual(end);
        expect(redone(history)).toEqual(history);
      }),
      { numRuns: 60 },
    );
  });

  test("is one that the service takes, whatever is done to it", () => {
    fc.assert(
      fc.property(edits, (all) => {
        let model = empty;
        for (const [n, edit] of all.entries()) {
          model = edited(model, edit as Edit, n);
          expect(faultsOfGraph(model)).toEqual([]);
        }
        expect(model.steps.filter(({ type }) => type === "TRIGGER")).toHaveLength(1);
        expect(
          linesOf(model)
            .map(({ step }) => step.id)
            .toSorted(),
        ).toEqual(model.steps.map(({ id }) => id).toSorted());
      }),
      { numRuns: 60 },
    );
  });

  test("a step that is put into a way leads on to where that led; an exit does not", () => {
    const model = branched();
    const with5 = add(model, "wait", "WAIT_FOR_EVENT", { into: wayId({ from: "mail", branch: null }) });
    expect(leads(with5)).toContain("mail > wait");
    expect(leads(with5)).toContain("wait event> question");
    const ended = add(model, "end", "EXIT", { into: wayId({ from: "mail", branch: null }) });
    expect(leads(ended)).toContain("mail > end");
    expect(leads(ended)).not.toContain("end > question");
  });

  test("what led to a step that is removed leads on to the one that followed, and to none of several", () => {
    const model = branched();
    expect(leads(removed(model, "mail"))).toEqual(["question yes> a", "question no> b", "t > question"]);
    expect(leads(removed(model, "question"))).toEqual(["t > mail"]);
    expect(removed(model, "t")).toBe(model);
  });

  test("a circle needs a pause", () => {
    const model = add(branched(), "later", "DELAY", { after: "a", branch: null });
    expect(whyNot(model, { from: "b", branch: null, to: "mail" })).toMatch(/delay or a wait/);
    expect(connected(model, { from: "b", branch: null, to: "mail" })).toBe(model);
    expect(whyNot(model, { from: "later", branch: null, to: "mail" })).toBe(null);
    const until = changed(model, "later", { config: { until: "2030-01-01" } });
    expect(whyNot(until, { from: "later", branch: null, to: "mail" })).toMatch(/delay or a wait/);
    expect(whyNot(model, { from: "mail", branch: null, to: "t" })).toMatch(/trigger/);
  });

  test("ways by branches that a question has no more are gone with them", () => {
    const multi = {
      mode: "multi",
      field: "data.plan",
      branches: [{ id: "x", name: "X", operator: "exists" }],
    };
    const both = { ...multi, branches: [...multi.branches, { id: "y", name: "", operator: "exists" }] };
    const before = connected(changed(branched(), "question", { config: both }), {
      from: "question",
      branch: "y",
      to: "b",
    });
    const model = changed(before, "question", { config: multi });
    expect(leads(model)).toEqual(leads(changed(branched(), "question", { config: multi })));
    expect(branchNamesOf({ config: both })).toEqual({ x: "X", y: "Branch 2" });
  });

  test("a question with several answers leads on to where yes and no led, and back", () => {
    const multi = { mode: "multi", field: "", branches: [{ id: "x", name: "", operator: "equals" }] };
    const model = changed(branched(), "question", { config: multi });
    expect(model.ways.map(({ branch, to }) => [branch, to])).toEqual([
      [null, "mail"],
      [null, "question"],
      ["x", "a"],
      ["default", "b"],
    ]);
    expect(changed(model, "question", { config: {} }).ways).toEqual(branched().ways);
  });

  test("a wait without an end is left by its event only, and a way without a branch serves both", () => {
    const wait = add(empty, "wait", "WAIT_FOR_EVENT", { after: "t", branch: null });
    const endOf = (model: Model) => openEndsOf(model, stepOf(model, "wait")!);
    expect(endOf(wait)).toEqual(["event", "timeout"]);
    expect(endOf(changed(wait, "wait", { config: { eventName: "ordered" } }))).toEqual(["event"]);
    const both = {
      ...add(wait, "mail", "SEND_EMAIL"),
      ways: [{ from: "wait", to: "mail", branch: null, priority: 0 }],
    };
    expect(endOf(both)).toEqual([]);
  });

  test("comes back from the service as it was saved, with the places that were chosen and without the others", () => {
    const model = moved(branched(), new Map([["mail", { x: 40, y: 200 }]]));
    const { steps, transitions } = bodyOf(model, "v");
    const stored = modelOf(model.trigger, { steps, transitions } as never);
    expect(stored.ways).toEqual(model.ways);
    expect(stored.steps.map(({ id, place }) => [id, place])).toEqual([
      // Beside those that were moved the trigger stands where it is.
      ["t", { x: 0, y: 0 }],
      ["mail", { x: 40, y: 200 }],
      ["question", null],
      ["a", null],
      ["b", null],
    ]);
    expect([...placesOf(bodyOf(branched(), "v").steps as never).values()]).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});

describe("steps back and on", () => {
  test("letters of one field are one step; those of another, and after a step back, are another", () => {
    let history = begun("");
    for (const text of ["a", "ab", "abc"]) history = changedTo(history, text, "name");
    history = changedTo(history, "abc!", "other");
    expect(history.past).toEqual(["", "abc"]);
    history = changedTo(undone(history), "abcd", "name");
    expect(history.past).toEqual(["", "abc"]);
    expect(history.future).toEqual([]);
  });

  test("the oldest are forgotten, and what is the same is no step", () => {
    let history = begun(0);
    for (let n = 1; n <= 500; n++) history = changedTo(history, n);
    expect(history.past).toHaveLength(200);
    expect(changedTo(history, 500)).toBe(history);
  });
});

describe("the layout", () => {
  test("stands steps on nobody else, and leaves those where they are that somebody has put somewhere", () => {
    let model = empty;
    for (let n = 0; n < 40; n++) {
      const [end] = model.steps.flatMap((step) =>
        openEndsOf(model, step).map((branch) => ({ after: step.id, branch })),
      );
      model = add(model, `s${n}`, TYPES[n % 4]!, end!);
    }
    const chosen = moved(model, new Map([["s5", { x: 900, y: 900 }]]));
    for (const one of [model, chosen]) {
      const places = [...layOut(one.steps, one.ways).values()];
      expect(places).toHaveLength(41);
      const overlaps = places.flatMap((a, n) =>
        places
          .slice(n + 1)
          .filter((b) => Math.abs(a.x - b.x) < STEP_WIDTH && Math.abs(a.y - b.y) < STEP_HEIGHT),
      );
      expect(overlaps).toEqual([]);
    }
    expect(layOut(chosen.steps, chosen.ways).get("s5")).toEqual({ x: 900, y: 900 });
  });
});

describe("what is wrong", () => {
  test("names a branch as the canvas does, also one that is called like something of the language", () => {
    for (const [branch, name] of BRANCH_NAMES) expect(branchName(branch)).toBe(name);
    expect(branchName("constructor")).toBe("constructor");
    expect(branchName("yes", { yes: "Buyers" })).toBe("Buyers");
  });

  const told = (model: Model) =>
    faultsOf(model).map(({ level, stepId, field }) => `${level} ${stepId} ${field ?? ""}`.trim());

  test("is told for each step as it begins, by what it keeps the workflow from", () => {
    expect(told(empty)).toEqual(["error t"]);
    expect(told(branched())).toEqual([
      "unsaved question config.condition",
      "unsaved b config.url",
      "error mail templateId",
    ]);
    expect(told(add(branched(), "apart", "DELAY"))).toContain("warning apart");
  });

  test("a refusal of the service is told at its step, and the same fault once", () => {
    const model = branched();
    const fields = [
      { field: "steps.4.config.url", code: "custom", message: "Expected a URL" },
      { field: "transitions.0", code: "custom", message: "Cannot connect" },
      { field: "triggerConfig.eventName", code: "custom", message: "Expected a name" },
    ];
    const refused = faultsOfRefusal(model, fields as never);
    expect(refused.map(({ stepId, field }) => [stepId, field])).toEqual([
      ["b", "config.url"],
      ["t", null],
      ["t", "triggerConfig.eventName"],
    ]);
    const all = merged(refused, faultsOf(model));
    expect(all.filter(({ stepId, field }) => stepId === "b" && field === "config.url")).toHaveLength(1);
  });

  test("what the service said of a step is not said any more once the step is another one", () => {
    const before = branched();
    const said = faultsOfRefusal(before, [
      { field: "steps.4.config.url", message: "Expected a URL" },
    ] as never);
    expect(stillSaid(said, before.steps, changed(before, "a", { name: "Other" }))).toEqual(said);
    expect(stillSaid(said, before.steps, structuredClone(before))).toEqual(said);
    expect(
      stillSaid(said, before.steps, changed(before, "b", { config: { url: "https://x.example" } })),
    ).toEqual([]);
    expect(stillSaid(said, before.steps, removed(before, "b"))).toEqual([]);
  });

  test("two versions are compared in words", () => {
    const before = branched();
    const after = changed(removed(before, "a"), "mail", { name: "Letter", templateId: "x" });
    expect(differences(before, after)).toEqual([
      "Deleted “a”",
      "Renamed “mail” to “Letter”",
      "Changed “Letter”",
      "“question”, Yes leads nowhere",
    ]);
    expect(differences(before, moved(before, new Map([["a", { x: 1, y: 1 }]])))).toEqual([]);
  });
});

describe("schedules", () => {
  test.each([
    ["0 * * * *", "hour", "Every hour"],
    ["30 9 * * *", "day", "Every day at 09:30"],
    ["0 9 * * 1-5", "weekday", "Every weekday at 09:00"],
    ["15 7 * * 3", "week", "Every Wednesday at 07:15"],
    ["0 9 28 * *", "month", "On day 28 of every month at 09:00"],
    ["0 9 1 1 *", "own", "At the times of “0 9 1 1 *”"],
    ["*/5 * * * *", "own", "At the times of “*/5 * * * *”"],
  ])("%s is chosen as every %s, and read as: %s", (cron, rhythm, words) => {
    expect(rhythmOf(cron).rhythm).toBe(rhythm as never);
    expect(cronOf(rhythmOf(cron))).toBe(cron);
    expect(scheduleWords(cron)).toBe(words);
  });
});

describe("what of the canvas is in sight", () => {
  const screen = { clientWidth: 390, clientHeight: 400 };
  const places = new Map([
    ["t", { x: 0, y: 0 }],
    ["far", { x: 5_000, y: 9_000 }],
  ]);

  test("is a step at first, and none where the canvas was moved away or what was there is gone", () => {
    expect(isAnySeen(places, firstView(places, "t", screen), screen)).toBe(true);
    const there = { x: -5_000, y: -9_000, zoom: 1 };
    expect(isAnySeen(places, there, screen)).toBe(true);
    expect(isAnySeen(new Map([["t", { x: 0, y: 0 }]]), there, screen)).toBe(false);
    // At the edges, by a pixel.
    for (const [x, y] of [
      [-STEP_WIDTH, 0],
      [390, 0],
      [0, -STEP_HEIGHT],
      [0, 400],
    ] as const) {
      const inside = { x: x + (x < 0 ? 1 : x > 0 ? -1 : 0), y: y + (y < 0 ? 1 : y > 0 ? -1 : 0), zoom: 1 };
      expect(isAnySeen(places, { x, y, zoom: 1 }, screen)).toBe(false);
      expect(isAnySeen(places, inside, screen)).toBe(true);
    }
  });
});
