// A workflow as it runs: steps and the transitions between them. Nothing here knows the database, nor what a step does.

/** A step. Its config is complete: every default is filled in. The types are defined in `steps/`. */
export interface GraphStep<Config = unknown> {
  id: string;
  type: string;
  name: string;
  config: Config;
  templateId: string | null;
}

/** A way from one step to another; `branch` is one of those by which the type of the step is left. */
export interface GraphTransition {
  id: string;
  from: string;
  to: string;
  branch: string | null;
}

/** A whole workflow, as a version keeps it. The steps are in the order in which they were added. */
export interface Graph {
  steps: GraphStep[];
  transitions: GraphTransition[];
}

/** The type of the step that every execution begins with. */
export const TRIGGER = "TRIGGER";

/** The step that every execution begins with. */
export function triggerOf(graph: Graph): GraphStep {
  return graph.steps.find((step) => step.type === TRIGGER)!;
}

/**
 * The transition that leaves a step on this branch, or null if the graph ends. One without a branch serves every
 * branch that has none of its own.
 */
export function wayOut(graph: Graph, stepId: string, branch: string | null = null): GraphTransition | null {
  const ways = graph.transitions.filter(({ from }) => from === stepId);
  return ways.find((way) => way.branch === branch) ?? ways.find((way) => way.branch === null) ?? null;
}
