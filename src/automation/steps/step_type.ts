// What a step type is. Each is defined in a file of its own; `mod.ts` is the table of all.
import type { SegmentDefinition } from "../../audience/conditions/tree.ts";
import type { Budget } from "../../content/handlebars/mod.ts";
import type { Config as Settings } from "../../config/mod.ts";
import type { Context } from "../../context.ts";
import type { Json } from "../../db/types.ts";
import type { FieldError } from "../../problem/mod.ts";
import type { GraphStep } from "../graph.ts";
import type { StepOutcome, Run } from "../runs/run.ts";

/** How long a step may wait, for a time or for an event: a year. */
export const MAX_WAIT_SECONDS = 31_536_000;

/** An object, or one of several. */
export type ConfigSchema = { description?: string } & (
  { type: "object"; properties?: Record<string, unknown>; required?: string[] } | { anyOf: ConfigSchema[] }
);

/** A config as given or as stored: the fields of its type, and no others. */
export type Given = Record<string, unknown>;

/** An execution at a step. */
export interface StepVisit {
  run: Run;
  /** The history entry of this step. */
  entryId: string;
}

/** Not in this transaction, which has lasted long enough: the run stays where it is, and gets a job of its own. */
export type Later = "later";

/** A segment, by its id, or an event, by its name, that a step names. */
export interface Reference {
  kind: "SEGMENT" | "EVENT";
  name: string;
}

/** How a run continues that has waited. */
export interface WaitEnd {
  branch: string | null;
  output: Json;
}

/** What can be done and found with steps of a type. */
export interface StepType<Config = unknown> {
  /**
   * Its config as JSON Schema, for the document: what it lets through is accepted, but for what only `faults` can tell.
   * Fields that it does not name are ignored.
   */
  schema: ConfigSchema;
  /** All that is wrong with a config in a request. */
  faults(config: Given): FieldError[];
  /** A stored config with every default filled in. */
  complete(stored: Given): Config;
  /** Does the step for all executions that are at it: set by set, and nothing but statements. */
  perform(tx: Context, step: GraphStep<Config>, visits: StepVisit[]): Promise<(StepOutcome | Later)[]>;
  /** What `perform` would come to for one execution, in a trial. `as performed`: it only decides, and leaves nothing behind. */
  rehearse:
    | "as performed"
    | ((ctx: Context, step: GraphStep<Config>, run: Run, budget: Budget) => Promise<StepOutcome>);
  /** It may wait for an event. */
  awaitsEvent?: true;
  /** What happens to a run whose time to wait is over: how it continues, or null if it waits on. Left out: it continues. */
  whenDue?(tx: Context, run: Run): Promise<WaitEnd | null>;
  /** The branches by which it is left; left out: it has one way out. */
  branches?(config: Config): string[];
  /** Those of the branches that are ever taken; left out: all. */
  branchesTaken?(config: Config): string[];
  /** Each transition has to name its branch. */
  mustNameBranch?: true;
  /** Time always passes there: a cycle of steps may lead through it. */
  pauses?(config: Config): boolean;
  /** It begins every workflow, or ends an execution. */
  place?: "start" | "end";
  /** It sends a template. */
  sendsTemplate?: true;
  /** Texts of its config are templates, which are compiled when it is saved and when it is done. */
  hasTexts?: true;
  /** The segments and events that it names: while a workflow does, they are in use. Templates are found by `sendsTemplate`. */
  refersTo?(config: Config): Reference[];
  /** It may name segments, which are locked against deletion while it is saved. */
  mayNameSegments?: true;
  /** What keeps a workflow with it from being enabled, though it can be saved: a draft may be unfinished. */
  unfit?(config: Config, settings: Pick<Settings, "ALLOW_PRIVATE_WEBHOOKS">): FieldError[];
  /** What is odd about it, though it can be saved and done. */
  advice?(config: Config, now: Date): Pick<FieldError, "field" | "message">[];
  /** What is wrong with the segments, campaigns and templates that its conditions name. */
  referenceFaults?(config: Config, known: KnownReferences): FieldError[];
}

/** What conditions may name. */
export interface KnownReferences {
  /** Those of the project. */
  segments: SegmentDefinition[];
  /** Of the campaigns and templates that are named, the ids of those that the project has. */
  sources: ReadonlySet<string>;
}

/** A step type, whose config is inferred from what completes it. */
export function defineStep<Config>(type: StepType<Config>): StepType<Config> {
  return type;
}

/** The same outcome for each. */
export function all(visits: StepVisit[], outcome: StepOutcome): StepOutcome[] {
  return visits.map(() => outcome);
}
