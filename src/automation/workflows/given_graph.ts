// A graph that comes as one document: what it holds, and everything that is wrong with it.
import { fault, isUuid } from "../../audience/faults.ts";
import { knownSources } from "../../audience/conditions/sources.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type FieldError, Problem } from "../../problem/mod.ts";
import type { Graph } from "../graph.ts";
import type { KnownReferences } from "../steps/step_type.ts";
import {
  completeConfig,
  stepErrors,
  type StepInput,
  type StepTypeName,
  stepTypeOf,
  storedConfig,
  templateOf,
} from "../steps/mod.ts";
import { MAX_STEPS, sizeErrors } from "./_graph_edits.ts";
import type { DocumentTransition, Position } from "./records.ts";
import { addWay, growing } from "./rules.ts";

/** A step to be saved. One whose id is not known yet is new. */
export interface GivenStep extends StepInput {
  id: string;
  type: StepTypeName;
  name: string;
  position?: Position | null | undefined;
}

/** A graph to be saved. */
export interface GivenGraph {
  version: string;
  steps: GivenStep[];
  transitions: {
    from: string;
    to: string;
    branch?: string | null | undefined;
    priority?: number | null | undefined;
  }[];
}

/** What a step may refer to. */
interface Known extends KnownReferences {
  templates: Set<string>;
}

/** A graph that comes in a request. */
export interface ReadGraph {
  errors: FieldError[];
  /** Those that can be saved. */
  transitions: DocumentTransition[];
  /** The graph as far as it can be checked: every step once, and the transitions whose ends it has. */
  graph: Graph;
  /** The steps whose configs are not to be read: something is wrong with them. */
  unread: ReadonlySet<string>;
}

/**
 * A graph that comes in a request, with everything that is wrong with it: its steps, each by itself and among each other, what
 * they refer to, and its transitions, as far as the steps at their ends can be read. `before` is the graph that it replaces; a
 * draft may lack templates.
 */
export async function readGiven(
  tx: Context,
  projectId: string,
  { steps, transitions }: Pick<GivenGraph, "steps" | "transitions">,
  { before, isDraft }: { before: Graph; isDraft: boolean },
): Promise<ReadGraph> {
  const faults = steps.map((step) => stepErrors(step.type, step, { isDraft }));
  const known = await knownTo(tx, projectId, steps, faults);
  const identity = identityErrors(before, steps);
  const own = steps.map((step, n) => [...faults[n]!, ...unknownTo(step, known, faults[n]!)]);
  const errors = [
    ...wholeErrors(before, steps),
    ...steps.flatMap((_, n) => [...identity[n]!, ...own[n]!].map((error) => under(`steps.${n}`, error))),
  ];
  const unread = new Set(
    steps.flatMap(({ id }, n) => (identity[n]!.length + own[n]!.length > 0 ? [id] : [])),
  );
  const { errors: ofTransitions, kept, ways } = readTransitions(steps, unread, transitions);
  return {
    errors: [...errors, ...ofTransitions],
    transitions: kept,
    graph: { steps: stepsOf(steps, unread), transitions: ways },
    unread,
  };
}

/** Everything wrong with the steps of a request that can be told without knowing the workflow. */
export function givenErrors({ steps = [] }: { steps?: GivenStep[] }): FieldError[] {
  return steps.flatMap((step, n) =>
    stepErrors(step.type, step, { isDraft: true }).map((error) => under(`steps.${n}`, error)),
  );
}

async function knownTo(
  tx: Context,
  projectId: string,
  steps: GivenStep[],
  faults: FieldError[][],
): Promise<Known> {
  const named = steps.map((step) => templateOf(step.type, step)).filter((id) => id !== null);
  const templateIds = [...new Set(named)].filter(isUuid);
  const segments = await q.segments.conditions(tx, { projectId });
  const templates = await q.workflowGraphs.senders(tx, { projectId, templateIds });
  // Configs of other types, and faulty ones, may hold anything under these names.
  const asked = steps.filter(({ type }, n) => type === "CONDITION" && faults[n]!.length === 0);
  const configs = asked.map(({ config }) => config);
  const sources = await knownSources(tx, projectId, configs);
  return { segments, sources, templates: new Set(templates.map(({ id }) => id)) };
}

/** What a step names that the project has not. Of one with other `faults` only its template is looked at. */
function unknownTo(step: GivenStep, known: Known, faults: FieldError[]): FieldError[] {
  const { type, config } = step;
  const templateId = templateOf(type, step);
  if (templateId !== null && isUuid(templateId) && !known.templates.has(templateId.toLowerCase()))
    return [fault("templateId", "custom", "No template of the project has this id", templateId)];
  if (faults.length > 0) return [];
  const complete = completeConfig(type, storedConfig(type, config));
  return stepTypeOf(step).referenceFaults?.(complete, known) ?? [];
}

/** What is wrong with each step for what the others and the graph before it are. */
function identityErrors(before: Graph, steps: GivenStep[]): FieldError[][] {
  const known = new Map(before.steps.map((step) => [step.id, step.type]));
  const seen = new Set<string>();
  return steps.map(({ id, type }) => {
    if (seen.has(id)) return [fault("id", "custom", "Another step has this id")];
    seen.add(id);
    const was = known.get(id);
    if (was !== undefined && was !== type)
      return [fault("type", "custom", `This step is a ${was}: its type stays`)];
    const isSecond = was === undefined && stepTypeOf({ type }).place === "start";
    return isSecond ? [fault("type", "custom", "Every workflow has exactly one trigger")] : [];
  });
}

/** What is wrong with the steps as a whole. */
function wholeErrors(before: Graph, steps: GivenStep[]): FieldError[] {
  const errors = sizeErrors(
    "steps",
    steps.map(({ type, config }) => storedConfig(type, config)),
  );
  const trigger = before.steps.find((step) => stepTypeOf(step).place === "start")!;
  if (!steps.some(({ id }) => id === trigger.id))
    errors.push(fault("steps", "custom", `The trigger is missing: its id is ${trigger.id}`));
  if (steps.length > MAX_STEPS)
    errors.push(fault("steps", "too_big", `A workflow has at most ${MAX_STEPS} steps`));
  return errors;
}

/**
 * The transitions, each by the rules of the graph with those before it. Of one that leaves a step that is refused only its ends can
 * be checked. `ways` are all that lead from a step to another.
 */
function readTransitions(steps: GivenStep[], refused: ReadonlySet<string>, given: GivenGraph["transitions"]) {
  const graph = growing({ steps: stepsOf(steps, refused), transitions: [] }, refused);
  const errors: FieldError[] = [];
  const kept: DocumentTransition[] = [];
  for (const [n, { from, to, branch = null, priority }] of given.entries()) {
    const transition = { id: String(n), from: from.toLowerCase(), to: to.toLowerCase(), branch };
    const missing = (["from", "to"] as const).filter((end) => !graph.steps.has(transition[end]));
    for (const end of missing)
      errors.push(fault(`transitions.${n}.${end}`, "custom", "There is no such step"));
    if (missing.length > 0) continue;
    try {
      addWay(graph, transition);
      const { id: _, ...stored } = transition;
      kept.push({ ...stored, priority: priority ?? 0 });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      errors.push(fault(`transitions.${n}`, "custom", error.message));
    }
  }
  return { errors, kept, ways: graph.transitions };
}

/** Each step once; one that is not to be read has no config. */
function stepsOf(steps: GivenStep[], unread: ReadonlySet<string>): Graph["steps"] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  return [...byId.values()].map(({ id, type, name, config, templateId }) => ({
    id,
    type,
    name,
    config: unread.has(id) ? null : completeConfig(type, storedConfig(type, config)),
    templateId: templateOf(type, { config, templateId }),
  }));
}

function under(place: string, error: FieldError): FieldError {
  return { ...error, field: `${place}.${error.field}` };
}
