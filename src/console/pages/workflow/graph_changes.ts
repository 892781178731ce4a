// What differs between two graphs of a workflow, in words and as marks on the canvas.
import type { GraphStep, WorkflowVersion } from "../../api.gen.ts";
import {
  type Badge,
  branchName,
  type DrawnWay,
  type Marks,
  type StepMark,
  wayId,
} from "../../parts/canvas/graph.ts";
import { formatCount } from "../../parts/format.ts";
import type { Tone } from "../../parts/tone.ts";

/** A graph that is compared. */
export type Compared = Pick<WorkflowVersion, "steps" | "transitions">;

/** What was done to a step. */
export interface StepChange {
  kind: "added" | "removed" | "changed";
  /** As it is afterwards, or was, where it is gone. */
  step: GraphStep;
  /** What was changed: `name`, `template`, a field of the config such as `amount`. */
  fields: string[];
}

/** What was done to a graph. */
export interface GraphChanges {
  steps: StepChange[];
  /** Ways that are new, and those that are gone. */
  added: DrawnWay[];
  removed: DrawnWay[];
  /** How many steps were only put somewhere else. */
  moved: number;
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const leads = ({ from, to, branch }: DrawnWay) => `${wayId({ from, branch })}>${to}`;

/** The differences; those of steps in the order of the steps, those that are gone at the end. */
export function changesBetween(before: Compared, after: Compared): GraphChanges {
  const old = new Map(before.steps.map((step) => [step.id, step]));
  const now = new Set(after.steps.map(({ id }) => id));
  const steps = after.steps.flatMap((step): StepChange[] => {
    const was = old.get(step.id);
    if (!was) return [{ kind: "added", step, fields: [] }];
    const fields = fieldsChanged(was, step);
    return fields.length > 0 ? [{ kind: "changed", step, fields }] : [];
  });
  const gone = before.steps
    .filter(({ id }) => !now.has(id))
    .map((step): StepChange => ({ kind: "removed", step, fields: [] }));
  const [ways, oldWays] = [after, before].map(({ transitions }) => new Set(transitions.map(leads))) as [
    Set<string>,
    Set<string>,
  ];
  return {
    steps: [...steps, ...gone],
    added: after.transitions.filter((way) => !oldWays.has(leads(way))),
    removed: before.transitions.filter((way) => !ways.has(leads(way))),
    moved: after.steps.filter(({ id, position }) => old.has(id) && !same(old.get(id)!.position, position))
      .length,
  };
}

function fieldsChanged(was: GraphStep, is: GraphStep): string[] {
  const names = new Set([...Object.keys(was.config), ...Object.keys(is.config)]);
  return [
    ...(was.name === is.name ? [] : ["name"]),
    ...(was.templateId === is.templateId ? [] : ["template"]),
    ...[...names].filter((name) => !same(was.config[name], is.config[name])),
  ];
}

/** The differences as sentences. `names` are those of all steps of both, `branchNames` those of their branches. */
export function changeWords(
  changes: GraphChanges,
  names: ReadonlyMap<string, string>,
  branchNames: ReadonlyMap<string, Record<string, string> | undefined> = new Map(),
): string[] {
  const nameOf = (id: string) => `“${names.get(id) ?? "a step"}”`;
  const wayWords = ({ from, to, branch }: DrawnWay) =>
    `${nameOf(from)}${branch === null ? "" : `, ${branchName(branch, branchNames.get(from))},`} leads to ${nameOf(to)}`;
  return [
    ...changes.steps.map(({ kind, step, fields }) => {
      if (kind === "added") return `${nameOf(step.id)} was added`;
      if (kind === "removed") return `“${step.name}” was removed`;
      return `${nameOf(step.id)}: ${fields.map(fieldWords).join(", ")} changed`;
    }),
    ...changes.added.map((way) => wayWords(way)),
    ...changes.removed
      // What a step that is gone led to is gone with it.
      .filter(
        ({ from, to }) =>
          !changes.steps.some(({ kind, step }) => kind === "removed" && (step.id === from || step.id === to)),
      )
      .filter((way) => !changes.added.some((other) => wayId(other) === wayId(way)))
      .map((way) => `${wayWords(way).replace(" leads to ", " no longer leads to ")}`),
    ...(changes.moved > 0 ? [`${formatCount(changes.moved, "step")} moved on the canvas`] : []),
  ];
}

const FIELDS: Record<string, string> = {
  customEmail: "address",
  eventName: "event",
  subscriptionAction: "subscription",
  updates: "data",
};

/** `eventName` as `event`. */
const fieldWords = (field: string) => FIELDS[field] ?? field;

/** Both graphs as one: what is gone is next to what there is. */
export function merged(before: Compared, after: Compared): Compared {
  const { steps, removed } = changesBetween(before, after);
  const taken = new Set(after.transitions.map(wayId));
  return {
    steps: [...after.steps, ...steps.filter(({ kind }) => kind === "removed").map(({ step }) => step)],
    // Of each branch one way is drawn: the one that there is.
    transitions: [
      ...after.transitions,
      ...before.transitions.filter(
        (way) => removed.some((gone) => leads(gone) === leads(way)) && !taken.has(wayId(way)),
      ),
    ],
  };
}

const TONES: Record<StepChange["kind"], Tone> = { added: "fine", removed: "bad", changed: "warn" };
const WORDS: Record<StepChange["kind"], string> = { added: "Added", removed: "Removed", changed: "Changed" };

/** The differences on the canvas of both. */
export function changeMarks({ steps, added, removed }: GraphChanges): Marks {
  const badge = (kind: StepChange["kind"]): Badge => ({ label: WORDS[kind], tone: TONES[kind] });
  return {
    steps: new Map(
      steps.map(({ kind, step }): [string, StepMark] => [
        step.id,
        { tone: TONES[kind], badges: [badge(kind)] },
      ]),
    ),
    ways: new Map([
      ...removed.map((way) => [wayId(way), { tone: "bad" as Tone }] as const),
      ...added.map((way) => [wayId(way), { tone: "warn" as Tone }] as const),
    ]),
  };
}
