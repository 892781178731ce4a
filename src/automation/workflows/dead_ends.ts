// Where executions end, or never end, that were perhaps meant to continue.
import type { Graph, GraphStep, GraphTransition } from "../graph.ts";
import { branchesOf, stepTypeOf } from "../steps/mod.ts";

/** Steps at which contacts may be lost. */
export interface DeadEnds {
  /** Some branches lead on, and these do not. */
  open: { step: GraphStep; branches: string[] }[];
  /** The first step of each circle that no way leads out of. */
  caught: GraphStep[];
}

/** The dead ends among the steps that an execution can come to. Steps that the graph names without having them count as ends. */
export function deadEnds({ steps, transitions }: Graph, reached: ReadonlySet<string>): DeadEnds {
  const ways = Map.groupBy(transitions, ({ from }) => from);
  const looked = steps.filter(({ id }) => reached.has(id));
  const open = looked.flatMap((step) => {
    const branches = openBranches(step, ways.get(step.id) ?? []);
    return branches.length > 0 && ways.has(step.id) ? [{ step, branches }] : [];
  });
  const known = new Set(steps.map(({ id }) => id));
  const ends = [
    ...looked.filter((step) => !ways.has(step.id) || openBranches(step, ways.get(step.id)!).length > 0),
    ...transitions.flatMap(({ to }) => (known.has(to) ? [] : [{ id: to }])),
  ];
  const leaving = stepsBefore(transitions, ends);
  return {
    open,
    caught: firstOfEach(
      looked.filter(({ id }) => !leaving.has(id)),
      ways,
    ),
  };
}

/** The branches by which executions do leave the step, and that lead nowhere. */
function openBranches(step: GraphStep, ways: GraphTransition[]): string[] {
  const taken = new Set(ways.map(({ branch }) => branch));
  if (taken.has(null)) return [];
  const branches = stepTypeOf(step).branchesTaken?.(step.config) ?? branchesOf(step);
  return branches.filter((branch) => !taken.has(branch));
}

/** The ids of these steps, and of all from which a way leads to them. */
function stepsBefore(transitions: GraphTransition[], steps: Pick<GraphStep, "id">[]): Set<string> {
  const into = Map.groupBy(transitions, ({ to }) => to);
  const found = new Set(steps.map(({ id }) => id));
  // A set that grows while it is walked is walked to its new end.
  for (const id of found) for (const { from } of into.get(id) ?? []) found.add(from);
  return found;
}

/** Of steps that lead to each other, the first. */
function firstOfEach(steps: GraphStep[], ways: Map<string, GraphTransition[]>): GraphStep[] {
  const told = new Set<string>();
  return steps.filter(({ id }) => {
    if (told.has(id)) return false;
    const together = new Set([id]);
    for (const next of together) for (const { to } of ways.get(next) ?? []) together.add(to);
    for (const each of together) told.add(each);
    return true;
  });
}
