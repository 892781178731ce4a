// A workflow as somebody is changing it: its trigger, its steps and the ways between them. Every change makes another one; nothing
// here knows the page.
import type { GraphBody, GraphDocument, GraphStep, GraphTransition, Workflow } from "../../api.gen.ts";
import { type Place, placesOf, type StepType, wayId } from "../../parts/canvas/graph.ts";

/** A step. */
export interface Step extends Omit<GraphStep, "position"> {
  /** Null if nobody has chosen it. */
  place: Place | null;
  /** What is begun in its form and not finished, and therefore not in its config. */
  writing?: unknown;
}

/** A way from one step to another. */
export type Way = GraphTransition;

/** When it starts, and for whom again. */
export type Trigger = Pick<Workflow, "triggerType" | "triggerConfig" | "allowReentry">;

/** The whole. The first step is the trigger. */
export interface Model {
  trigger: Trigger;
  steps: Step[];
  ways: Way[];
}

/** Where a step is added: behind another by one of its branches, into a way by its name, or, null, apart. */
export type Where = { after: string; branch: string | null } | { into: string } | null;

/** What is stored. */
export function modelOf(
  { triggerType, triggerConfig, allowReentry }: Trigger,
  { steps, transitions }: Pick<GraphDocument, "steps" | "transitions">,
): Model {
  const places = placesOf(steps);
  return {
    trigger: { triggerType, triggerConfig, allowReentry },
    steps: steps.map((stored) => {
      const { position: _, ...step } = stored;
      return { ...step, place: places.get(step.id) ?? null };
    }),
    ways: transitions,
  };
}

/** What saves the graph. */
export function bodyOf({ steps, ways }: Model, version: string): GraphBody {
  return {
    version,
    steps: steps.map((written) => {
      const { place, writing: _, ...step } = written;
      return { ...step, name: step.name.trim(), position: place ?? { x: 0, y: 0 } };
    }) as GraphBody["steps"],
    transitions: ways,
  };
}

/** Whether both say the same. */
export const areSame = (one: Model, other: Model) => hasSameGraph(one, other) && hasSameTrigger(one, other);

/** Whether both have the same steps, at the same places, and the same ways. */
export const hasSameGraph = (one: Model, other: Model) =>
  one === other || (textOf(one.steps) === textOf(other.steps) && textOf(one.ways) === textOf(other.ways));

/** Whether both start alike. */
export const hasSameTrigger = (one: Model, other: Model) => textOf(one.trigger) === textOf(other.trigger);

const textOf = (value: unknown) =>
  JSON.stringify(value, (_key, part: unknown) =>
    part && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** The step with this id. */
export const stepOf = (model: Model, id: string): Step | undefined =>
  model.steps.find((step) => step.id === id);

/** The branches by which a step is left; none: it has one way out. */
export function branchesOf({ type, config }: Pick<Step, "type" | "config">): string[] {
  if (type === "WAIT_FOR_EVENT") return ["event", "timeout"];
  if (type !== "CONDITION") return [];
  if (!Array.isArray(config.branches)) return ["yes", "no"];
  return [...(config.branches as { id: string }[]).map(({ id }) => id), "default"];
}

/** The ways out of a step, whether they lead anywhere or not; null is the only one. */
export function exitsOf(model: Model, step: Step): (string | null)[] {
  if (step.type === "EXIT") return [];
  const branches = branchesOf(step);
  if (branches.length === 0) return [null];
  const ways = model.ways.filter(({ from }) => from === step.id);
  // One without a branch serves all of those that have none of their own.
  if (ways.some(({ branch }) => branch === null))
    return [null, ...branches.filter((name) => isTaken(ways, name))];
  const isEndless = step.type === "WAIT_FOR_EVENT" && step.config.timeout === undefined;
  return isEndless ? branches.filter((name) => name === "event" || isTaken(ways, name)) : branches;
}

const isTaken = (ways: Way[], name: string) => ways.some(({ branch }) => branch === name);

/** The ways out of a step that lead nowhere. */
export function openEndsOf(model: Model, step: Step): (string | null)[] {
  const taken = new Set(model.ways.filter(({ from }) => from === step.id).map(({ branch }) => branch));
  return exitsOf(model, step).filter((branch) => !taken.has(branch));
}

/** Why a way cannot be drawn, in words; null if it can. One that leaves by the same branch gives way to it. */
export function whyNot(
  model: Model,
  { from, branch, to }: Pick<Way, "from" | "branch" | "to">,
): string | null {
  const [source, target] = [stepOf(model, from), stepOf(model, to)];
  if (!source || !target) return "The step was deleted";
  if (from === to) return "A step cannot lead to itself";
  if (source.type === "EXIT") return "Nothing follows an exit";
  if (target.type === "TRIGGER") return "Nothing leads back to the trigger";
  const ways = [
    ...model.ways.filter((way) => wayId(way) !== wayId({ from, branch })),
    { from, to, branch, priority: 0 },
  ];
  return goesRound(model.steps, ways, from) ? "A loop needs a delay or a wait" : null;
}

/** Whether a contact could go round from this step for ever without a pause. */
function goesRound(steps: Step[], ways: Way[], start: string): boolean {
  const pausing = new Set(steps.filter(pauses).map(({ id }) => id));
  if (pausing.has(start)) return false;
  const next = Map.groupBy(ways, ({ from }) => from);
  const reached = new Set((next.get(start) ?? []).map(({ to }) => to));
  for (const id of reached) {
    if (id === start) return true;
    if (!pausing.has(id)) for (const { to } of next.get(id) ?? []) reached.add(to);
  }
  return false;
}

const pauses = ({ type, config }: Step) =>
  type === "WAIT_FOR_EVENT" || (type === "DELAY" && config.until === undefined);

/** With a way, in place of the one that left by the same branch. The same where it cannot be. */
export function connected(model: Model, way: Pick<Way, "from" | "branch" | "to">): Model {
  if (whyNot(model, way)) return model;
  const id = wayId(way);
  const drawn = { from: way.from, to: way.to, branch: way.branch, priority: 0 };
  const isThere = model.ways.some((one) => wayId(one) === id);
  const ways = isThere
    ? model.ways.map((one) => (wayId(one) === id ? { ...drawn, priority: one.priority } : one))
    : [...model.ways, drawn];
  return { ...model, ways };
}

/** Without a way. */
export const cut = (model: Model, id: string): Model => ({
  ...model,
  ways: model.ways.filter((way) => wayId(way) !== id),
});

/** With another step. One that is put into a way leads on to where that led; nothing follows an exit. */
export function added(model: Model, step: Step, where: Where): Model {
  const grown = { ...model, steps: [...model.steps, step] };
  if (where === null) return grown;
  const wanted = "into" in where ? where.into : wayId({ from: where.after, branch: where.branch });
  const way = model.ways.find((one) => wayId(one) === wanted);
  if (!way) {
    return "after" in where
      ? connected(grown, { from: where.after, branch: where.branch, to: step.id })
      : grown;
  }
  const [exit] = exitsOf(grown, step);
  const before = connected(grown, { from: way.from, branch: way.branch, to: step.id });
  return exit === undefined ? before : connected(before, { from: step.id, branch: exit, to: way.to });
}

/** Without a step. What led to it leads on to what followed, where that was one step only. The trigger stays. */
export function removed(model: Model, id: string): Model {
  if (stepOf(model, id)?.type === "TRIGGER") return model;
  const follows = new Set(model.ways.flatMap(({ from, to }) => (from === id ? [to] : [])));
  const [next] = follows.size === 1 ? [...follows] : [];
  const rest = {
    ...model,
    steps: model.steps.filter((step) => step.id !== id),
    ways: model.ways.filter(({ from, to }) => from !== id && to !== id),
  };
  if (next === undefined || next === id) return rest;
  return model.ways
    .filter(({ to, from }) => to === id && from !== id)
    .reduce((now, { from, branch }) => connected(now, { from, branch, to: next }), rest);
}

/** What happens to the neighbours of a step that is removed, in words. */
export function afterRemoval(model: Model, id: string): string {
  const names = (ids: Iterable<string>) =>
    [...new Set(ids)].map((each) => `“${stepOf(model, each)?.name}”`).join(", ");
  const before = model.ways.filter(({ to, from }) => to === id && from !== id).map(({ from }) => from);
  const after = removed(model, id);
  const joined = after.ways.filter(
    (way) => !model.ways.some((one) => wayId(one) === wayId(way) && one.to === way.to),
  );
  if (joined.length > 0)
    return `${names(joined.map(({ from }) => from))} now leads to ${names(joined.map(({ to }) => to))}`;
  const reached = reachedIn(after);
  const lost = model.ways.flatMap(({ from, to }) => (from === id && !reached.has(to) ? [to] : []));
  if (lost.length > 0) return `Nothing leads to ${names(lost)} any more`;
  return before.length > 0 ? `${names(before)} is now an end` : "";
}

/**
 * With other words, another config or another template of a step. Ways by branches that are gone go, too, unless it now
 * decides in another manner: then “Yes” is the first of several answers, “No” is “None of them”, and the other way round.
 */
export function changed(model: Model, id: string, patch: Partial<Omit<Step, "id" | "type">>): Model {
  const steps = model.steps.map((step) => (step.id === id ? { ...step, ...patch } : step));
  const step = steps.find((one) => one.id === id);
  if (!step) return model;
  const branches = branchesOf(step);
  const isKept = ({ from, branch }: Way) => from !== id || branch === null || branches.includes(branch);
  if (model.ways.every(isKept)) return { ...model, steps };
  const renamed = inOtherManner(branchesOf(stepOf(model, id)!), branches);
  const ways = model.ways.map((way) =>
    way.from === id && way.branch !== null ? { ...way, branch: renamed.get(way.branch) ?? way.branch } : way,
  );
  return { ...model, steps, ways: ways.filter(isKept) };
}

/** What the branches are afterwards where one question becomes several answers, or several one. */
function inOtherManner(before: string[], after: string[]): Map<string, string> {
  const isMany = (branches: string[]) => branches.at(-1) === "default";
  if (before.length === 0 || after.length === 0 || isMany(before) === isMany(after)) return new Map();
  return new Map([
    [before[0]!, after[0]!],
    [before.at(-1)!, after.at(-1)!],
  ]);
}

/** With steps at other places. */
export function moved(model: Model, places: ReadonlyMap<string, Place | null>): Model {
  return {
    ...model,
    steps: model.steps.map((step) => ({ ...step, place: places.get(step.id) ?? step.place })),
  };
}

/** With all steps where the layout puts them. */
export const tidied = (model: Model): Model => ({
  ...model,
  steps: model.steps.map((step) => (step.place ? { ...step, place: null } : step)),
});

/** With a copy of a step that leads nowhere. */
export function doubled(model: Model, id: string, newId: string): Model {
  const step = stepOf(model, id);
  if (!step || step.type === "TRIGGER") return model;
  const place = step.place && { x: step.place.x + 40, y: step.place.y + 100 };
  return {
    ...model,
    steps: [...model.steps, { ...structuredClone(step), id: newId, name: `${step.name} (Copy)`, place }],
  };
}

/** A step of this type as it begins. Its name is one that no other has. */
export function newStep(model: Model, type: StepType, id: string, label: string): Step {
  const taken = new Set(model.steps.map(({ name }) => name));
  let name = label;
  for (let n = 2; taken.has(name); n++) name = `${label} ${n}`;
  return { id, type, name, config: structuredClone(FIRST[type]), templateId: null, place: null };
}

const FIRST: Record<StepType, Record<string, unknown>> = {
  TRIGGER: {},
  SEND_EMAIL: {},
  DELAY: { amount: 1, unit: "days" },
  WAIT_FOR_EVENT: { eventName: "", timeout: 3 * 86_400 },
  CONDITION: {},
  WEBHOOK: { url: "", method: "POST" },
  UPDATE_CONTACT: {},
  EXIT: {},
};

/** The steps that contacts can come to. */
export function reachedIn({ steps, ways }: Model): Set<string> {
  const next = Map.groupBy(ways, ({ from }) => from);
  const reached = new Set(steps.flatMap(({ id, type }) => (type === "TRIGGER" ? [id] : [])));
  // A set that grows while it is walked is walked to its new end.
  for (const id of reached) for (const { to } of next.get(id) ?? []) reached.add(to);
  return reached;
}

/** A line of the list of steps. */
export interface Line {
  step: Step;
  /** By which branches one comes here: how far it is in. */
  depth: number;
  /** The branch that leads here from the step before; null if there is only one way, or none. */
  branch: string | null;
}

/** The steps in the order in which they are gone through: those of a branch behind it, further in. Then those that nothing leads to. */
export function linesOf(model: Model): Line[] {
  const lines: Line[] = [];
  const seen = new Set<string>();
  const next = Map.groupBy(model.ways, ({ from }) => from);
  const begin = model.steps.toReversed().map(({ id }) => ({ id, depth: 0, branch: null as string | null }));
  for (let at = begin.pop(); at; at = begin.pop()) {
    const step = stepOf(model, at.id);
    if (!step || seen.has(at.id)) continue;
    seen.add(at.id);
    lines.push({ step, depth: at.depth, branch: at.branch });
    const order = [null, ...branchesOf(step)];
    const ways = (next.get(at.id) ?? []).toSorted(
      (a, b) => order.indexOf(a.branch) - order.indexOf(b.branch),
    );
    const isSplit = ways.length > 1;
    for (const { to, branch } of ways.toReversed())
      begin.push({ id: to, depth: at.depth + (isSplit ? 1 : 0), branch });
  }
  return lines;
}
