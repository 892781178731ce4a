// The rules for every graph, whatever is edited: one transition for each branch, and no loop without a pause.
import { problems } from "../../problem.ts";
import { type Graph, type GraphStep, type GraphTransition, triggerOf, wayOut } from "../graph.ts";
import { branchesOf, stepTypeOf } from "../steps/mod.ts";

const MAX_TRANSITIONS = 2_000;

/** Throws 400 with the reason when a transition cannot be added to a graph that has both of its steps. */
export function assertTransition(graph: Graph, transition: Omit<GraphTransition, "id">): void {
  const { from, branch } = transition;
  if (graph.transitions.length >= MAX_TRANSITIONS) {
    throw problems.badRequest(`Cannot add a transition: a workflow has at most ${MAX_TRANSITIONS}`);
  }
  assertEnds(graph.steps, transition);
  assertBranch(
    graph,
    graph.steps.find(({ id }) => id === from)!,
    branch,
  );
  assertPauses({ ...graph, transitions: [...graph.transitions, { ...transition, id: "" }] });
}

/** Throws 400 when no transition can lead from the one step to the other, whatever their configs are. */
export function assertEnds(
  steps: Pick<GraphStep, "id" | "type">[],
  { from, to }: Pick<GraphTransition, "from" | "to">,
): void {
  const typeAt = (end: string) => steps.find(({ id }) => id === end)!;
  if (from === to) throw problems.badRequest("Cannot connect a step to itself");
  if (stepTypeOf(typeAt(from)).place === "end") {
    throw problems.badRequest(`Cannot continue after an ${typeAt(from).type}: it ends the execution`);
  }
  if (stepTypeOf(typeAt(to)).place === "start") {
    throw problems.badRequest("Cannot lead back to the trigger: every execution begins there");
  }
}

function assertBranch(graph: Graph, step: GraphStep, branch: string | null): void {
  const branches = branchesOf(step);
  const ways = graph.transitions.filter(({ from }) => from === step.id);
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

/** Throws 400 when an execution could go round in a circle for ever without waiting. */
export function assertPauses(graph: Graph): void {
  const pausing = new Set(graph.steps.filter(pauses).map(({ id }) => id));
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

function pauses(step: GraphStep): boolean {
  return stepTypeOf(step).pauses?.(step.config) ?? false;
}

type Ways = Map<string, GraphTransition[]>;

/** The steps of a circle that is reached from `id`, or null. */
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
  const reached = new Set([triggerOf(graph).id]);
  // A set that grows while it is walked is walked to its new end.
  for (const id of reached) {
    for (const { from, to } of graph.transitions) if (from === id) reached.add(to);
  }
  return reached;
}

/**
 * The step after which the next one belongs: the only place where an execution ends without an EXIT. Null where there
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
