// Executions as the API sees them: started, listed, told and cancelled by hand.
import { firstIdAt } from "../../audience/conditions/tree.ts";
import { getContact } from "../../audience/contacts/mod.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { problems } from "../../problem/mod.ts";
import { addRuns } from "../runs/jobs.ts";
import { graphsOf } from "../runs/graphs.ts";
import type { ExecutionStatus } from "../runs/run.ts";
import { startRuns } from "./start.ts";
import { assertContext } from "./input.ts";
import type { Graph } from "../graph.ts";
import { getWorkflow } from "../workflows/mod.ts";
import { COUNT_UP_TO } from "../../totals.ts";

type Row = Awaited<ReturnType<Queries["executions"]["list"]>>[number];

/** An execution as the API shows it. */
export type Execution = Omit<Row, "versionId" | "contactEmail">;

/** A step as the execution knows it: the graph may be another one by now. */
export interface StepName {
  id: string;
  name: string;
  type: string;
}

/** An execution in a list. */
export type ListedExecution = Execution & {
  contact: { id: string; email: string } | null;
  currentStep: StepName | null;
};

/** An entry of a history. */
export type StepExecution = Awaited<ReturnType<Queries["executions"]["history"]>>[number] & {
  step: StepName | null;
};

/** An execution with its history. */
export type ToldExecution = ListedExecution & {
  workflow: { id: string; name: string };
  stepExecutions: StepExecution[];
};

const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const CANCEL_SIZE = 2_000;

/**
 * Starts a workflow for a contact; it runs in a job. Throws WORKFLOW_NOT_FOUND, CONTACT_NOT_FOUND, 422 for a context that is
 * too large or too deep, 400 for a workflow that is not enabled, and CONFLICT if the rule of re-entry does not allow it.
 */
export async function startExecution(
  ctx: Context,
  projectId: string,
  workflowId: string,
  { contactId, context }: { contactId: string; context?: Record<string, unknown> | undefined },
): Promise<Execution> {
  assertContext(context);
  const id = await inTransaction(ctx, async (tx) => {
    const { enabled, allowReentry } = await getWorkflow(tx, projectId, workflowId);
    if (!enabled) throw problems.workflowNotEnabled();
    await getContact(tx, projectId, contactId);
    const claim = { projectId, workflowId, versionId: null, allowReentry, contactId, context, depth: 0 };
    const [started] = await startRuns(tx, [claim]);
    if (!started) throw problems.alreadyInWorkflow(allowReentry);
    await addRuns(
      tx,
      [started].filter(({ status }) => status === "RUNNING"),
    );
    return started.id;
  });
  return toExecution(await findRow(ctx, projectId, workflowId, id));
}

/** Which executions of a workflow a list shows. */
export interface ExecutionFilter {
  status?: ExecutionStatus | undefined;
  contactId?: string | undefined;
  /** Those that are at this step now. */
  stepId?: string | undefined;
  /** Began at this moment or later. */
  from?: Date | undefined;
  /** Began before this moment. */
  until?: Date | undefined;
}

/** One page of the executions of a workflow, newest first, and how many there are; 100,000 means that or more. */
export async function listExecutions(
  ctx: Context,
  projectId: string,
  workflowId: string,
  { page, pageSize, ...filter }: ExecutionFilter & { page: number; pageSize: number },
): Promise<{ data: ListedExecution[]; total: number }> {
  await getWorkflow(ctx, projectId, workflowId);
  const part = { limit: pageSize, offset: (page - 1) * pageSize };
  const { rows, total } = await readPage(ctx, { projectId, workflowId, ...filter }, part);
  const graphs = await graphsOf(
    ctx,
    rows.map(({ versionId }) => ({ projectId, versionId })),
  );
  return { data: rows.map((row) => toListed(row, graphs.get(row.versionId))), total };
}

/** By the statement whose index leads to them: one plan could not serve all. */
async function readPage(
  ctx: Context,
  {
    from,
    until,
    status,
    contactId,
    stepId,
    ...which
  }: ExecutionFilter & { projectId: string; workflowId: string },
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: Row[]; total: number }> {
  const period = { fromId: from ? firstIdAt(from) : FIRST_ID, untilId: until ? firstIdAt(until) : LAST_ID };
  const all = { ...which, ...period, upTo: COUNT_UP_TO };
  const part = { ...which, ...period, limit, offset };
  if (contactId !== undefined) {
    const filter = { ...all, contactId, status: status ?? null, stepId: stepId ?? null };
    const rows = await q.executions.ofContact(ctx, filter);
    return { rows: rows.slice(offset, offset + limit), total: rows.length };
  }
  const [rows, { total }] = await Promise.all(
    stepId !== undefined
      ? [
          q.executions.atStep(ctx, { ...part, stepId, status: status ?? null }),
          q.executions.countAtStep(ctx, { ...all, stepId, status: status ?? null }),
        ]
      : status === undefined
        ? [q.executions.list(ctx, part), q.executions.count(ctx, all)]
        : [
            q.executions.listByStatus(ctx, { ...part, status }),
            q.executions.countByStatus(ctx, { ...all, status }),
          ],
  );
  return { rows, total };
}

/** The newest executions of a contact, in all workflows. */
export async function executionsOfContact(ctx: Context, projectId: string, contactId: string) {
  return await q.executions.newestOfContact(ctx, { projectId, contactId, limit: 20 });
}

/** One execution with its whole history. Throws not-found. */
export async function getExecution(
  ctx: Context,
  projectId: string,
  workflowId: string,
  executionId: string,
): Promise<ToldExecution> {
  const { workflowName, ...row } = await findRow(ctx, projectId, workflowId, executionId);
  const graphs = await graphsOf(ctx, [{ projectId, versionId: row.versionId }]);
  const graph = graphs.get(row.versionId);
  const history = await q.executions.history(ctx, { projectId, executionId });
  return {
    ...toListed(row, graph),
    workflow: { id: workflowId, name: workflowName },
    stepExecutions: history.map((page) => ({ ...page, step: nameOf(graph, page.stepId) })),
  };
}

/** Ends an execution permanently. Throws not-found, and CONFLICT for one that has ended. */
export async function cancelExecution(
  ctx: Context,
  projectId: string,
  workflowId: string,
  executionId: string,
): Promise<Execution> {
  const cancelled = await cancel(ctx, projectId, workflowId, [executionId]);
  const row = await findRow(ctx, projectId, workflowId, executionId);
  if (cancelled === 0) throw problems.executionEnded(row.status);
  return toExecution(row);
}

/** Ends all active executions of a workflow, some thousand a commit. Returns how many there were. */
export async function cancelExecutions(ctx: Context, projectId: string, workflowId: string): Promise<number> {
  await getWorkflow(ctx, projectId, workflowId);
  const which = { projectId, workflowId };
  const until = ctx.now();
  for (let total = 0; ;) {
    const active = await q.executions.active(ctx, { ...which, until, limit: CANCEL_SIZE });
    if (active.length === 0) return total;
    const ids = active.map((row) => row.id);
    total += await cancel(ctx, projectId, workflowId, ids);
  }
}

/** Ends those of these executions that are active; returns how many. */
async function cancel(
  ctx: Context,
  projectId: string,
  workflowId: string,
  executionIds: string[],
): Promise<number> {
  return await inTransaction(ctx, async (tx) => {
    const held = await q.executions.holdActive(tx, { projectId, workflowId, executionIds });
    const ids = held.map((row) => row.id);
    if (ids.length > 0) await q.executions.cancel(tx, { projectId, executionIds: ids, now: tx.now() });
    return ids.length;
  });
}

async function findRow(ctx: Context, projectId: string, workflowId: string, executionId: string) {
  const row = await q.executions.byId(ctx, { projectId, workflowId, executionId });
  if (!row) throw problems.notFound("execution", executionId);
  return row;
}

function toExecution(row: Row): Execution {
  const { id, workflowId, contactId, status, currentStepId, exitReason, context, startedAt, completedAt } =
    row;
  return { id, workflowId, contactId, status, currentStepId, exitReason, context, startedAt, completedAt };
}

function toListed(row: Row, graph: Graph | undefined): ListedExecution {
  const { contactId, contactEmail } = row;
  return {
    ...toExecution(row),
    contact: contactId === null ? null : { id: contactId, email: contactEmail! },
    currentStep: row.currentStepId === null ? null : nameOf(graph, row.currentStepId),
  };
}

function nameOf(graph: Graph | undefined, stepId: string): StepName | null {
  const step = graph?.steps.find(({ id }) => id === stepId);
  return step ? { id: step.id, name: step.name, type: step.type } : null;
}
