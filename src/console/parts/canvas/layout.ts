// Where steps stand: from top to bottom, those of branches side by side. A place that somebody has chosen stays.
import dagre from "@dagrejs/dagre";
import type { DrawnStep, DrawnWay, Place } from "./graph.ts";

/** The size of a step. */
export const STEP_WIDTH = 232;
export const STEP_HEIGHT = 68;
/** Below a step, where its open ends are offered. */
export const ENDS_HEIGHT = 34;

/** Room for open ends, and below them for the names of branches. */
const BETWEEN_RANKS = 96;
const BESIDE = 36;
/** So many steps are ordered so that as few ways as possible cross. */
const ORDERED_UP_TO = 80;

type Step = Pick<DrawnStep, "id" | "place">;

/** The place of every step. Those without one follow the step that leads to them, and are on nobody else. */
export function layOut(steps: Step[], ways: DrawnWay[]): Map<string, Place> {
  const tidy = tidyPlaces(steps, ways);
  const chosen = new Map(steps.flatMap(({ id, place }) => (place ? [[id, place] as const] : [])));
  if (chosen.size === 0) return tidy;
  const places = new Map<string, Place>(chosen);
  const before = Map.groupBy(ways, ({ to }) => to);
  const rest = steps
    .filter(({ id }) => !chosen.has(id))
    .toSorted((a, b) => tidy.get(a.id)!.y - tidy.get(b.id)!.y);
  for (const { id } of rest) {
    const anchor = before.get(id)?.find(({ from }) => places.has(from))?.from ?? steps[0]!.id;
    const [own, from, at] = [tidy.get(id)!, tidy.get(anchor)!, places.get(anchor) ?? tidy.get(anchor)!];
    places.set(id, free({ x: at.x + own.x - from.x, y: at.y + own.y - from.y }, [...places.values()]));
  }
  return places;
}

/** The places that the layout would choose for all. The first step is at the origin of x. */
function tidyPlaces(steps: Step[], ways: DrawnWay[]): Map<string, Place> {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", ranksep: BETWEEN_RANKS, nodesep: BESIDE });
  for (const { id } of steps) graph.setNode(id, { width: STEP_WIDTH, height: STEP_HEIGHT });
  for (const { from, to, branch } of ways) graph.setEdge(from, to, {}, branch ?? "-");
  // It costs the most by far, and of a graph that size nobody counts the crossings.
  dagre.layout(graph, { disableOptimalOrderHeuristic: steps.length > ORDERED_UP_TO });
  const corner = (id: string): Place => {
    const { x, y, width, height } = graph.node(id);
    return { x: Math.round(x - width / 2), y: Math.round(y - height / 2) };
  };
  const origin = steps[0] ? corner(steps[0].id) : { x: 0, y: 0 };
  return new Map(
    steps.map(({ id }) => {
      const { x, y } = corner(id);
      return [id, { x: x - origin.x, y: y - origin.y }];
    }),
  );
}

/** The nearest free place to the right. */
function free(wanted: Place, taken: Place[]): Place {
  let { x } = wanted;
  const hits = (at: Place) =>
    Math.abs(at.x - x) < STEP_WIDTH + BESIDE / 2 && Math.abs(at.y - wanted.y) < STEP_HEIGHT + BESIDE / 2;
  for (let hit = taken.find(hits); hit; hit = taken.find(hits)) x = hit.x + STEP_WIDTH + BESIDE;
  return { x, y: wanted.y };
}
