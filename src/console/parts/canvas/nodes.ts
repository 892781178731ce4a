// The graph in the terms of the library that draws it.
import { type Edge, MarkerType, type Node, Position } from "@xyflow/react";
import {
  branchName,
  type DrawnStep,
  type DrawnWay,
  type Marks,
  type Place,
  type StepMark,
  wayId,
  type WayMark,
} from "./graph.ts";
import { ENDS_HEIGHT, STEP_HEIGHT, STEP_WIDTH } from "./layout.ts";

/** What a step shows. */
export interface StepData extends Record<string, unknown> {
  step: DrawnStep;
  mark: StepMark | undefined;
  isChosen: boolean;
  /** Where the keys are. */
  isCurrent: boolean;
  isFaded: boolean;
  isOnPath: boolean;
  isEditable: boolean;
}

/** What a way shows. */
export interface WayData extends Record<string, unknown> {
  id: string;
  /** What it is, for screen readers. */
  says: string;
  /** The name of its branch; null if there is only one. */
  branch: string | null;
  mark: WayMark | undefined;
  isFaded: boolean;
  isOnPath: boolean;
}

/** A step, to the library. */
export type StepNode = Node<StepData, "step">;
/** A way, to the library. */
export type WayEdge = Edge<WayData, "way">;

interface Shown {
  marks: Marks | undefined;
  chosen: string | null;
  current: string | null;
  isEditable: boolean;
}

type Handles = NonNullable<StepNode["handles"]>;

const ONE = { width: 1, height: 1 };
/** How far apart open ends stand, about. */
const BETWEEN_ENDS = 76;

/** Said to the library, which need not measure what cannot be seen then: where ways come in, go out, and can be begun. */
function handlesOf({ openEnds = [] }: DrawnStep): Handles {
  const middle = STEP_WIDTH / 2;
  return [
    { id: null, type: "target", position: Position.Top, x: middle, y: 0, ...ONE },
    { id: null, type: "source", position: Position.Bottom, x: middle, y: STEP_HEIGHT, ...ONE },
    ...openEnds.map((branch, n): Handles[number] => ({
      id: branch ?? "",
      type: "source",
      position: Position.Bottom,
      x: middle + (n - (openEnds.length - 1) / 2) * BETWEEN_ENDS,
      y: STEP_HEIGHT + ENDS_HEIGHT,
      ...ONE,
    })),
  ];
}

/** The steps at their places. */
export function nodesOf(
  steps: DrawnStep[],
  places: ReadonlyMap<string, Place>,
  { marks, chosen, current, isEditable }: Shown,
): StepNode[] {
  return steps.map((step): StepNode => {
    const { id } = step;
    return {
      id,
      type: "step",
      position: places.get(id)!,
      width: STEP_WIDTH,
      height: STEP_HEIGHT,
      // Also of those that were never in sight: what shows all counts them by this.
      measured: { width: STEP_WIDTH, height: STEP_HEIGHT },
      handles: handlesOf(step),
      // A step is a button by itself: the box around it says nothing.
      domAttributes: { "aria-roledescription": undefined } as object,
      data: {
        step,
        mark: marks?.steps?.get(id),
        isChosen: id === chosen,
        isCurrent: id === current,
        isFaded: marks?.path !== undefined && !marks.path.steps.has(id),
        isOnPath: marks?.path?.steps.has(id) ?? false,
        isEditable,
      },
    };
  });
}

/** The ways, each with the name of its branch. */
export function edgesOf(steps: DrawnStep[], ways: DrawnWay[], marks: Marks | undefined): WayEdge[] {
  const known = new Map(steps.map((step) => [step.id, step]));
  return ways.map((way): WayEdge => {
    const { from, to, branch } = way;
    const id = wayId(way);
    const [source, target] = [known.get(from), known.get(to)];
    const name = branch === null ? null : branchName(branch, source?.branchNames);
    const mark = marks?.ways?.get(id);
    const says = [`From ${source?.name} to ${target?.name}`, name, mark?.label].filter(Boolean).join(", ");
    return {
      id,
      type: "way",
      source: from,
      target: to,
      ariaLabel: says,
      markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16, color: "var(--edge)" },
      data: {
        id,
        says,
        branch: name,
        mark,
        isFaded: marks?.path !== undefined && !marks.path.ways.has(id),
        isOnPath: marks?.path?.ways.has(id) ?? false,
      },
    };
  });
}
