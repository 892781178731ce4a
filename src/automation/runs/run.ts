// An execution while its row is held: read once, moved in memory, written once.
import { mailScope, type Scope } from "../../content/handlebars/mod.ts";
import { standardValues, type StandardValues } from "../../audience/standard_fields.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import type { Json } from "../../db/types.ts";
import { graphsOf } from "./graphs.ts";
import { type Graph, type GraphStep, wayOut } from "../graph.ts";

/** The states of an execution. The first two are in progress, the others final. */
export type ExecutionStatus = "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED";

/** Identifies an execution. */
export interface ExecutionKey {
  projectId: string;
  id: string;
}

/** The contact of an execution, as last read. */
export interface RunContact extends StandardValues {
  id: string;
  data: Record<string, unknown>;
}

/** An entry of the history that is yet to be written. */
interface Page {
  id: string;
  stepId: string;
  /** Its place. The first page, of the trigger, has 0. */
  seq: number;
  status: "WAITING" | "RUNNING" | "COMPLETED" | "FAILED";
  output: Json;
  error: string | null;
  startedAt: Date;
  completedAt: Date | null;
}

/** What happened to a page that stood open. */
interface Ending {
  id: string;
  status: "COMPLETED" | "FAILED";
  output: Json;
  error: string | null;
  completedAt: Date;
}

/** An execution that is in progress, in memory. */
export interface Run extends ExecutionKey {
  workflowId: string;
  versionId: string;
  graph: Graph;
  contact: RunContact;
  status: ExecutionStatus;
  /** The step that comes next, or that it waits at. */
  stepId: string;
  /** WAITING: the page that stands open. */
  openEntryId: string | null;
  /** It was waiting when it was read. */
  wasWaiting: boolean;
  wakeAt: Date | null;
  /** Its project is disabled. */
  heldUp: boolean;
  /** How many workflows led to it. */
  depth: number;
  /** What the caller gave, and `event`. */
  context: Record<string, unknown>;
  exitReason: string | null;
  completedAt: Date | null;
  /** How often it had moved when it was read, and has since. */
  revision: number;
  moved: number;
  /** How many attempts at the next step have failed. */
  tries: number;
  hasNewContext: boolean;
  /** The event that it waits for from now on. */
  awaits: string | null;
  told: Page[];
  ended: Ending[];
}

/** The result of a step. `output` goes into the history. */
export type StepOutcome =
  | { kind: "on"; branch?: string; output?: Json }
  | { kind: "wait"; until: Date | null; event?: string; output?: Json }
  /** An external service is called, and reports when the step has ended. */
  | { kind: "ask" }
  | { kind: "exit"; reason: string | null }
  | { kind: "fail"; reason: string; output?: Json };

/** Reads executions that are in progress and holds them until the commit, each once. Those that have ended are missing. */
export async function holdRuns(tx: Context, keys: ExecutionKey[]): Promise<Run[]> {
  if (keys.length === 0) return [];
  const rows = await q.executionRun.hold(tx, {
    projectIds: keys.map((key) => key.projectId),
    ids: keys.map((key) => key.id),
  });
  const graphs = await graphsOf(tx, rows);
  return rows.map((row) => toRun(row, graphs.get(row.versionId)!));
}

type Row = Awaited<ReturnType<Queries["executionRun"]["hold"]>>[number];

function toRun(row: Row, graph: Graph): Run {
  const position = { graph, stepId: row.currentStepId };
  const { projectId, id, workflowId, versionId, status, wakeAt, heldUp, depth, revision, tries } = row;
  return newRun({
    projectId,
    id,
    workflowId,
    versionId,
    status,
    wakeAt,
    heldUp,
    depth,
    revision,
    tries,
    ...position,
    contact: {
      id: row.contactId,
      ...standardValues(row),
      data: row.data as Record<string, unknown>,
    },
    openEntryId: row.stepExecutionId,
    wasWaiting: status === "WAITING",
    context: row.context as Record<string, unknown>,
  });
}

/** A new run, except for the fields given. */
export function newRun(
  given: Pick<
    Run,
    "projectId" | "id" | "workflowId" | "versionId" | "graph" | "contact" | "stepId" | "context"
  > &
    Partial<Run>,
): Run {
  return {
    status: "RUNNING",
    openEntryId: null,
    wasWaiting: false,
    wakeAt: null,
    heldUp: false,
    depth: 0,
    exitReason: null,
    completedAt: null,
    revision: 0,
    moved: 0,
    tries: 0,
    hasNewContext: false,
    awaits: null,
    told: [],
    ended: [],
    ...given,
  };
}

/** The step that a run is at. */
export function stepOf({ graph, stepId }: Pick<Run, "graph" | "stepId">): GraphStep {
  return graph.steps.find(({ id }) => id === stepId)!;
}

/** What templates of a step see: the contact, what the caller gave, and `event`. */
export function scopeOf({ contact, context }: Pick<Run, "contact" | "context">): Scope {
  const { event, ...given } = context;
  const urls = { unsubscribeUrl: "", subscribeUrl: "", manageUrl: "" };
  return mailScope({ contact, data: given, urls, event });
}

/** Stores the result of a step, and moves the run accordingly. `entryId` is the step's entry in the history. */
export function takeOutcome(
  run: Run,
  entryId: string,
  startedAt: Date,
  outcome: StepOutcome,
  now: Date,
): void {
  const seq = run.revision + run.moved + 1;
  const page = {
    id: entryId,
    stepId: run.stepId,
    seq,
    startedAt,
    error: null,
    output: null,
    completedAt: now,
  };
  switch (outcome.kind) {
    case "on": {
      const { branch, output } = outcome;
      run.told.push({ ...page, status: "COMPLETED", output: output ?? null });
      return moveOn(run, branch ?? null, now);
    }
    case "wait":
      run.told.push({ ...page, status: "WAITING", output: outcome.output ?? null, completedAt: null });
      return rest(run, entryId, outcome.until, outcome.event ?? null);
    case "ask":
      run.told.push({ ...page, status: "RUNNING", completedAt: null });
      return rest(run, entryId, now, null);
    case "exit":
      run.told.push({ ...page, status: "COMPLETED" });
      return endRun(run, "EXITED", outcome.reason, now);
    case "fail":
      run.told.push({ ...page, status: "FAILED", output: outcome.output ?? null, error: outcome.reason });
      return endRun(run, "FAILED", outcome.reason, now);
  }
}

/** Ends what a run waits for; it continues by this branch. */
export function endWait(run: Run, branch: string | null, output: Json, now: Date): void {
  endPage(run, "COMPLETED", output, null, now);
  moveOn(run, branch, now);
}

/** Ends a run whose open step has failed. */
export function failWait(run: Run, reason: string, output: Json, now: Date): void {
  endPage(run, "FAILED", output, reason, now);
  endRun(run, "FAILED", reason, now);
}

/** Ends a run where it stands. */
export function endRun(run: Run, status: ExecutionStatus, reason: string | null, now: Date): void {
  Object.assign(run, { status, exitReason: reason, wakeAt: null, completedAt: now });
  run.moved++;
}

function endPage(run: Run, status: Ending["status"], output: Json, error: string | null, now: Date): void {
  run.ended.push({ id: run.openEntryId!, status, output, error, completedAt: now });
  run.openEntryId = null;
}

function rest(run: Run, entryId: string, until: Date | null, event: string | null): void {
  Object.assign(run, { status: "WAITING", openEntryId: entryId, wakeAt: until, awaits: event });
  run.moved++;
}

function moveOn(run: Run, branch: string | null, now: Date): void {
  const way = wayOut(run.graph, run.stepId, branch);
  if (!way) return endRun(run, "COMPLETED", null, now);
  Object.assign(run, { status: "RUNNING", stepId: way.to, wakeAt: now });
  run.moved++;
}
