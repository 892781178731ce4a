// What differs between two graphs, in words.
import { branchName, branchNamesOf, wayId } from "../../parts/canvas/graph.ts";
import { hasSameGraph, hasSameTrigger, type Model, type Step, stepOf, type Way } from "./model.ts";

/** What was done to get from the one to the other. Places are not told. Empty if nothing differs. */
export function differences(before: Model, after: Model): string[] {
  const ways = (model: Model) => new Map(model.ways.map((way) => [wayId(way), way]));
  const [old, now] = [ways(before), ways(after)];
  const isThere = (model: Model, id: string) => stepOf(model, id) !== undefined;
  return [
    ...(hasSameTrigger(before, after) ? [] : ["Changed when it starts"]),
    ...after.steps.filter(({ id }) => !isThere(before, id)).map(({ name }) => `Added “${name}”`),
    ...before.steps.filter(({ id }) => !isThere(after, id)).map(({ name }) => `Deleted “${name}”`),
    ...after.steps.flatMap((step) => changesOf(stepOf(before, step.id), step)),
    ...[...now.values()]
      .filter((way) => old.get(wayId(way))?.to !== way.to)
      .map((way) => `${exitName(after, way)} leads to “${stepOf(after, way.to)?.name}”`),
    ...[...old.values()]
      .filter((way) => !now.has(wayId(way)) && isThere(after, way.from))
      .map((way) => `${exitName(after, way)} leads nowhere`),
  ];
}

function changesOf(before: Step | undefined, after: Step): string[] {
  if (!before) return [];
  const only = (step: Step): Model => ({
    trigger: {} as Model["trigger"],
    steps: [{ ...step, place: null, name: "" }],
    ways: [],
  });
  return [
    ...(before.name === after.name ? [] : [`Renamed “${before.name}” to “${after.name}”`]),
    ...(hasSameGraph(only(before), only(after)) ? [] : [`Changed “${after.name}”`]),
  ];
}

function exitName(model: Model, { from, branch }: Way): string {
  const step = stepOf(model, from);
  const words = branch === null ? "" : `, ${branchName(branch, step && branchNamesOf(step))}`;
  return `“${step?.name}”${words}`;
}
