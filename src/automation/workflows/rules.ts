// The rules for every graph, whatever is edited: one transition for each branch, and no loop without a pause.
import { problems } from "../../problem/mod.ts";
import { type Graph, type GraphStep, type GraphTransition, triggerOf, wayOut } from "../graph.ts";
import { branchesOf, stepTypeOf } from "../steps/mod.ts";

const MAX_TRANSITIONS = 2_000;

/** A graph that is looked up in, and to which transitions are added one after another. */
export interface GrowingGraph {
  steps: ReadonlyMap<string, GraphStep>;
  transitions: GraphTransition[];
  ways: Map<string, GraphTransition[]>;
  /** Those that something leads to. */
  followed: Set<string>;
  pausing: ReadonlySet<string>;
  unread: ReadonlySet<string>;
}

/** A graph that can grow. Steps that are `unread` have no config: of what leaves them only the ends are checked. */
export function growing(
  { steps, transitions }: Graph,
  unread: ReadonlySet<string> = new Set(),
): GrowingGraph {
  return {
    unread,
    steps: new Map(steps.map((step) => [step.id, step])),
    transitions: [...transitions],
    ways: Map.groupBy(transitions, ({ from }) => from),
    followed: new Set(transitions.map(({ to }) => to)),
    pausing: pausingOf(steps, unread),
  };
}

/** Adds a transition; throws 400 with the reason when it cannot be added. What it costs grows with the graph, not with its square. */
export function addWay(graph: GrowingGraph, transition: GraphTransition): void {
  const { from, to, branch } = transition;
  if (graph.transitions.length >= MAX_TRANSITIONS) {
    throw problems.badRequest(`Cannot add a transition: a workflow has at most ${MAX_TRANSITIONS}`);
  }
  const source = graph.steps.get(from)!;
  assertEnds(source, graph.steps.get(to)!);
  const ways = graph.ways.get(from) ?? [];
  if (!graph.unread.has(from)) assertBranch(source, ways, branch);
  if (leadsTo(graph, to, from)) {
    const transitions = [...graph.transitions, transition];
    assertNoCircle({ steps: [...graph.steps.values()], transitions }, graph.pausing);
  }
  graph.transitions.push(transition);
  graph.ways.set(from, [...ways, transition]);
  graph.followed.add(to);
}

/** Throws 400 with the reason when a transition cannot be added to a graph that has both of its steps. */
export function assertTransition(graph: Graph, transition: Omit<GraphTransition, "id">): void {
  addWay(growing(graph), { ...transition, id: "" });
}

/** Whether an execution can come from the one step to the other without waiting. */
function leadsTo({ ways, followed, pausing }: GrowingGraph, from: string, to: string): boolean {
  if (pausing.has(from) || pausing.has(to) || !followed.has(to)) return false;
  const seen = new Set([from]);
  // A set that grows while it is walked is walked to its new end.
  for (const id of seen) {
    if (id === to) return true;
    for (const way of ways.get(id) ?? []) if (!pausing.has(way.to)) seen.add(way.to);
  }
  return false;
}

/** Throws 400 when no transition can lead from the one step to the other, whatever their configs are. */
export function assertEnds(from: Pick<GraphStep, "id" | "type">, to: Pick<GraphStep, "id" | "type">): void {
  if (from.id === to.id) throw problems.badRequest("Cannot connect a step to itself");
  if (stepTypeOf(from).place === "end") {
    throw problems.badRequest(`Cannot continue after an ${from.type}: it ends the execution`);
  }
  if (stepTypeOf(to).place === "start") {
    throw problems.badRequest("Cannot lead back to the trigger: every execution begins there");
  }
}

function assertBranch(step: GraphStep, ways: GraphTransition[], branch: string | null): void {
  const branches = branchesOf(step);
  if (branches.length === 0) {
    if (branch !== null) throw problems.badRequest(`Cannot branch at a ${step.type}: it has a single exit`);
    if (ways.length > 0) {
      const advice = "Delete the existing transition first, or branch with a CONDITION";
      throw problems.badRequest(`Cannot add a second transition from "${step.name}"`, advice);
    }
    return;
  }
  const known = `This step has the branches ${branches.join(", ")}`;
  if (branch === null && stepTypeOf(step).mustNameBranch) {
    throw problems.badRequest(`Cannot add a transition from a ${step.type} without a branch`, known);
  }
  if (branch !== null && !branches.includes(branch)) {
    throw problems.badRequest(`Cannot find the branch "${branch.slice(0, 100)}"`, known);
  }
  const taken = new Set(ways.map((way) => way.branch));
  const isTaken = taken.has(branch) || (branch === null && branches.every((name) => taken.has(name)));
  if (isTaken) {
    const which = branch === null ? `"${step.name}"` : `the branch "${branch}" of "${step.name}"`;
    throw problems.badRequest(
      `Cannot add a second transition from ${which}`,
      "Delete the existing transition first",
    );
  }
}

/** Throws 400 when a transition leaves a step by a branch that the step does not have, as after a change of its config. */
export function assertBranchesKept(graph: Graph, step: GraphStep): void {
  const branches = branchesOf(step);
  const lost = graph.transitions.find(
    ({ from, branch }) => from === step.id && branch !== null && !branches.includes(branch),
  );
  if (!lost) return;
  throw problems.badRequest(
    `Cannot remove the branch "${lost.branch}": a transition uses it`,
    `Delete the transition ${lost.id} first`,
  );
}

/** Throws 400 when an execution could go round in a cycle for ever without waiting. */
export function assertPauses(graph: Graph): void {
  assertNoCircle(graph, pausingOf(graph.steps));
}

function assertNoCircle(graph: Graph, pausing: ReadonlySet<string>): void {
  const next = Map.groupBy(
    graph.transitions.filter(({ from, to }) => !pausing.has(from) && !pausing.has(to)),
    ({ from }) => from,
  );
  const done = new Set<string>();
  for (const { id } of graph.steps) {
    const circle = circleFrom(id, next, done, []);
    if (!circle) continue;
    const names = circle.map((stepId) => graph.steps.find((step) => step.id === stepId)!.name);
    throw problems.badRequest(
      `Cannot create a loop that never waits: ${names.join(" → ").slice(0, 300)}`,
      "Add a DELAY with an amount, or a WAIT_FOR_EVENT, to it",
    );
  }
}

/** The ids of the steps at which time always passes; those that are unread may be such. */
function pausingOf(steps: GraphStep[], unread: ReadonlySet<string> = new Set()): Set<string> {
  const pausing = steps.filter(
    (step) => unread.has(step.id) || (stepTypeOf(step).pauses?.(step.config) ?? false),
  );
  return new Set(pausing.map(({ id }) => id));
}

type Ways = Map<string, GraphTransition[]>;

/** The steps of a cycle that is reached from `id`, or null. */
function circleFrom(id: string, next: Ways, done: Set<string>, path: string[]): string[] | null {
  if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
  if (done.has(id)) return null;
  for (const { to } of next.get(id) ?? []) {
    const circle = circleFrom(to, next, done, [...path, id]);
    if (circle) return circle;
  }
  done.add(id);
  return null;
}

/** The ids of the steps that an execution can come to. */
export function reachedSteps(graph: Graph): Set<string> {
  const ways = Map.groupBy(graph.transitions, ({ from }) => from);
  const reached = new Set([triggerOf(graph).id]);
  // A set that grows while it is walked is walked to its new end.
  for (const id of reached) for (const { to } of ways.get(id) ?? []) reached.add(to);
  return reached;
}

/**
 * The step after which the next one belongs: the only place where an execution ends without an EXIT. Null if there
 * are several, or where only the caller can say which branch is meant: a guess could send mail to the wrong people.
 */
export function openEnd(graph: Graph): GraphStep | null {
  const reached = reachedSteps(graph);
  const open = graph.steps.filter((step) => reached.has(step.id) && isOpen(graph, step));
  const [step, another] = open;
  if (!step || another || stepTypeOf(step).mustNameBranch) return null;
  return graph.transitions.some(({ from }) => from === step.id) ? null : step;
}

function isOpen(graph: Graph, step: GraphStep): boolean {
  const { place, branchesTaken } = stepTypeOf(step);
  if (place === "end") return false;
  const branches = branchesTaken?.(step.config) ?? branchesOf(step);
  if (branches.length === 0) return !wayOut(graph, step.id);
  return branches.some((branch) => !wayOut(graph, step.id, branch));
}
