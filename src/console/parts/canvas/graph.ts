// What the canvas draws: steps and the ways between them, and what is said about them besides.
import type { GraphStep, GraphTransition } from "../../api.gen.ts";
import type { Tone } from "../tone.ts";

/** The type of a step. */
export type StepType = GraphStep["type"];

/** A place on the canvas: the upper left corner of a step. */
export interface Place {
  x: number;
  y: number;
}

/** A step as it is drawn. */
export interface DrawnStep {
  id: string;
  type: StepType;
  name: string;
  /** What it does, in a few words: {@linkcode aboutOf} of `words.ts` writes it. */
  about: string;
  /** Null if nobody has chosen it: the layout does. */
  place: Place | null;
  /** The branches that lead nowhere yet, offered to be continued; `null` among them is the one way out. */
  openEnds?: (string | null)[] | undefined;
  /** Whether it leads on already: what is open stands beside that way, not on it. */
  leadsOn?: boolean | undefined;
  /** What its branches are called, where that differs from what all of the type are called. */
  branchNames?: Record<string, string> | undefined;
}

/** A way from one step to another. */
export type DrawnWay = Pick<GraphTransition, "from" | "to" | "branch">;

/** A small sign at a step, such as how many are there. */
export interface Badge {
  label: string;
  tone?: Tone | undefined;
  /** The whole of it, for screen readers and as a hint. */
  title?: string | undefined;
}

/** What is said about a step. */
export interface StepMark {
  /** The colour of its edge. */
  tone?: Tone | undefined;
  badges?: Badge[] | undefined;
}

/** What is said about a way. */
export interface WayMark {
  /** Stands beside the name of its branch. */
  label?: string | undefined;
  tone?: Tone | undefined;
}

/** What is drawn on the graph: marks at steps by their id, at ways by {@linkcode wayId}, and a path that stands out. */
export interface Marks {
  steps?: ReadonlyMap<string, StepMark> | undefined;
  ways?: ReadonlyMap<string, WayMark> | undefined;
  /** The steps and ways of a path: the others fade. */
  path?: { steps: ReadonlySet<string>; ways: ReadonlySet<string> } | undefined;
}

/** The name of a way: of each branch of a step there is one. */
export const wayId = ({ from, branch }: Pick<DrawnWay, "from" | "branch">) => `${from}>${branch ?? ""}`;

const BRANCHES: ReadonlyMap<string, string> = new Map([
  ["yes", "Yes"],
  ["no", "No"],
  ["event", "It happened"],
  ["timeout", "Time is up"],
  ["default", "None of them"],
]);

/** A branch in words. */
export const branchName = (branch: string, names: Record<string, string> = {}) =>
  (Object.hasOwn(names, branch) ? names[branch] : BRANCHES.get(branch)) ?? branch;

/** As stored, a place that nobody has chosen is the origin. */
const isOrigin = ({ x, y }: Place) => x === 0 && y === 0;

/** A place beyond this cannot be drawn, and nobody has put a step there by hand. */
const MAX_PLACE = 1_000_000;
const isFar = ({ x, y }: Place) => Math.max(Math.abs(x), Math.abs(y)) > MAX_PLACE;

/** The places of stored steps; null: one has to be found. The trigger may be at the origin, where the others have places. */
export function placesOf(steps: Pick<GraphStep, "id" | "position" | "type">[]): Map<string, Place | null> {
  const isChosen = steps.some(({ position }) => !isOrigin(position));
  return new Map(
    steps.map(({ id, type, position }) => [
      id,
      isFar(position) || (isOrigin(position) && !(type === "TRIGGER" && isChosen)) ? null : position,
    ]),
  );
}

/** What the author has called the branches of a step; one without a name is told by its number. */
export function branchNamesOf({ config }: Pick<GraphStep, "config">): Record<string, string> | undefined {
  if (!Array.isArray(config.branches)) return undefined;
  const branches = config.branches as { id?: string; name?: string }[];
  return Object.fromEntries(
    branches.flatMap(({ id, name }, n) => (id ? [[id, name?.trim() || `Branch ${n + 1}`]] : [])),
  );
}
