// Graphs as they were, drawn: of an execution, of a version.
import type { ExecutionGraph, GraphStep } from "../../api.gen.ts";
import { drawnSteps } from "../../parts/canvas/drawn.ts";
import type { DrawnStep } from "../../parts/canvas/graph.ts";
import type { Names, Trigger } from "../../parts/canvas/words.ts";

const NO_TRIGGER: Trigger = { triggerType: "MANUAL", triggerConfig: null };

/** The steps of a graph of which places may not be known. Until the workflow is known its trigger says nothing. */
export function drawnGraph(
  steps: ExecutionGraph["steps"] | GraphStep[],
  names: Names,
  trigger: Trigger | undefined,
): DrawnStep[] {
  const placed = steps.map((step) => ({ ...step, position: step.position ?? { x: 0, y: 0 } }));
  const drawn = drawnSteps(placed, names, trigger ?? NO_TRIGGER);
  return trigger ? drawn : drawn.map((step) => (step.type === "TRIGGER" ? { ...step, about: "" } : step));
}
