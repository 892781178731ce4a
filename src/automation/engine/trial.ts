// The way that a contact would take through a workflow, without anything being done.
import { sortData } from "../../audience/contacts/data.ts";
import { getContact } from "../../audience/contacts/mod.ts";
import { newValues } from "../../audience/standard_fields.ts";
import type { Budget } from "../../content/handlebars/mod.ts";
import { type Context, newId } from "../../context.ts";
import { isRefusal } from "../../database_errors.ts";
import type { Json } from "../../db/types.ts";
import { Problem } from "../../problem/mod.ts";
import { reasonOf } from "../runs/failures.ts";
import { budgetOf } from "../../content/handlebars/filled.ts";
import { newRun, type StepOutcome, type Run, type RunContact, stepOf, takeOutcome } from "../runs/run.ts";
import { type GraphStep, triggerOf } from "../graph.ts";
import { stepTypeOf } from "../steps/mod.ts";
import { loadGraph } from "../workflows/versions.ts";

/** Who goes through the workflow: a contact of the project, or somebody with this data. */
export interface TrialInput {
  contactId?: string | undefined;
  data?: Record<string, unknown> | undefined;
  /** The data of the event that starts it. */
  eventData?: Record<string, unknown> | undefined;
  /** How waits end: by their event, which is the default, or by their timeout. */
  waits?: "event" | "timeout" | undefined;
}

/** A step of the way. */
export interface TrialStep {
  stepId: string;
  name: string;
  type: string;
  /** When it would begin, if the workflow started now. */
  at: Date;
  branch: string | null;
  /** What it would do, and what decides. */
  output: Json;
  error: string | null;
}

/** The path, and how it ends. RUNNING: it loops, and the beginning of the loop is reported. */
export interface ExecutionTrial {
  path: TrialStep[];
  status: "COMPLETED" | "EXITED" | "FAILED" | "RUNNING";
  exitReason: string | null;
}

const MAX_STEPS = 200;

/**
 * Walks the current graph for one contact, and returns the path: nothing is written, sent or called. Time passes in
 * delays as it would, and what cannot be done fails as it would. Throws WORKFLOW_NOT_FOUND and CONTACT_NOT_FOUND.
 */
export async function tryWorkflow(
  ctx: Context,
  projectId: string,
  workflowId: string,
  input: TrialInput,
): Promise<ExecutionTrial> {
  const graph = await loadGraph(ctx, projectId, workflowId);
  const contact = await contactOf(ctx, projectId, input);
  const { eventData } = input;
  const run = newRun({
    projectId,
    id: "",
    workflowId,
    versionId: "",
    graph,
    contact,
    stepId: triggerOf(graph).id,
    context: eventData === undefined ? {} : { event: eventData },
  });
  const budget = budgetOf("trial");
  const path: TrialStep[] = [];
  let now = ctx.now();
  while (run.status === "RUNNING" && path.length < MAX_STEPS) {
    const step = stepOf(run);
    const at = now;
    const outcome = await outcomeOf({ ...ctx, now: () => at }, step, run, budget);
    const { until, event, ...end } = passed(outcome, input.waits ?? "event", at);
    if (event) run.context = { ...run.context, event: {} };
    now = until;
    path.push({ stepId: step.id, name: step.name, type: step.type, at, ...toldOf(end.outcome) });
    takeOutcome(run, step.id, at, end.outcome, now);
  }
  return { path, status: run.status as ExecutionTrial["status"], exitReason: run.exitReason };
}

/** What a step would come to, also where it cannot be carried out. */
async function outcomeOf(ctx: Context, step: GraphStep, run: Run, budget: Budget): Promise<StepOutcome> {
  try {
    return await perform(ctx, step, run, budget);
  } catch (error) {
    if (!isRefusal(error) && !(error instanceof Problem)) throw error;
    return { kind: "fail", reason: reasonOf(error, step.name) };
  }
}

async function perform(ctx: Context, step: GraphStep, run: Run, budget: Budget): Promise<StepOutcome> {
  const type = stepTypeOf(step);
  if (type.rehearse !== "as performed") return await type.rehearse(ctx, step, run, budget);
  const [outcome] = await type.perform(ctx, step, [{ run, entryId: step.id }]);
  return outcome as StepOutcome;
}

/** A wait that is over, and the moment at which it is. */
function passed(
  outcome: StepOutcome,
  waits: "event" | "timeout",
  now: Date,
): { outcome: StepOutcome; until: Date; event: boolean } {
  if (outcome.kind !== "wait") return { outcome, until: now, event: false };
  const output = outcome.output ?? null;
  if (outcome.event === undefined) {
    return { outcome: { kind: "on", output }, until: outcome.until!, event: false };
  }
  const branch = outcome.until === null ? "event" : waits;
  const until = branch === "timeout" ? outcome.until! : now;
  return { outcome: { kind: "on", branch, output }, until, event: branch === "event" };
}

function toldOf(outcome: StepOutcome): Pick<TrialStep, "branch" | "output" | "error"> {
  const branch = outcome.kind === "on" ? (outcome.branch ?? null) : null;
  const output = "output" in outcome ? (outcome.output ?? null) : null;
  return { branch, output, error: outcome.kind === "fail" ? outcome.reason : null };
}

async function contactOf(ctx: Context, projectId: string, input: TrialInput): Promise<RunContact> {
  if (input.contactId !== undefined) {
    return (await getContact(ctx, projectId, input.contactId)) as unknown as RunContact;
  }
  const { sets: data, values } = sortData(input.data);
  const email = typeof values.email === "string" ? values.email : "sample@example.com";
  return { id: newId(ctx), data, ...newValues(email, ctx.now()) };
}
