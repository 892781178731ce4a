// Contacts on their way through a workflow, below /workflows.
import { Elysia, t } from "elysia";
import { assertTrial } from "../../automation/engine/input.ts";
import { tryWorkflow } from "../../automation/engine/trial.ts";
import {
  cancelExecution,
  cancelExecutions,
  getExecution,
  listExecutions,
  startExecution,
} from "../../automation/engine/executions.ts";
import { type ExecutionGraph as DrawnGraph, executionGraph } from "../../automation/workflows/history.ts";
import { STEP_TYPES } from "../../automation/steps/mod.ts";
import type { Context } from "../../context.ts";
import { COUNT_UP_TO } from "../../totals.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import { periodErrors, readPeriod, SpanQuery } from "./_periods.ts";
import { PageQuery, pageList, readPage } from "./_lists.ts";
import { answers, Data, Int, Nullable, PathId, Timestamp, Uuid, Words } from "../entry/schemas.ts";
import { ExecutionGraph } from "./_workflow_graph_schemas.ts";
import { ExecutionStatus } from "./_workflow_schemas.ts";
import { idOf, workflowId } from "./_workflow_ids.ts";

const Status = ExecutionStatus;
const StepName = t.Object({ id: Uuid, name: t.String(), type: Words(STEP_TYPES) }, { title: "StepName" });

const Execution = t.Object(
  {
    id: Uuid,
    workflowId: Uuid,
    contactId: Nullable(Uuid),
    status: Status,
    currentStepId: Nullable(Uuid),
    exitReason: Nullable(t.String()),
    context: Data,
    startedAt: Timestamp,
    completedAt: Nullable(Timestamp),
  },
  { title: "Execution" },
);

const ListedExecution = t.Object(
  {
    ...Execution.properties,
    contact: Nullable(t.Object({ id: Uuid, email: t.String() })),
    currentStep: Nullable(StepName),
  },
  { title: "ListedExecution" },
);

const ToldExecution = t.Object(
  {
    ...ListedExecution.properties,
    workflow: t.Object({ id: Uuid, name: t.String() }),
    stepExecutions: t.Array(
      t.Object({
        id: Uuid,
        executionId: Uuid,
        stepId: Uuid,
        step: Nullable(StepName),
        status: Words(["PENDING", "WAITING", "RUNNING", "COMPLETED", "FAILED"]),
        output: t.Unknown({
          description: "The branch and why it was taken, the id of the mail, or the response of the webhook.",
        }),
        error: Nullable(t.String()),
        startedAt: Timestamp,
        completedAt: Nullable(Timestamp),
      }),
    ),
  },
  { title: "ExecutionWithHistory" },
);

const StartBody = t.Object(
  { contactId: Uuid, context: t.Optional(Nullable(Data)) },
  { title: "StartExecutionBody" },
);

const TrialBody = t.Object(
  {
    contactId: t.Optional(Nullable(Uuid)),
    data: t.Optional(Nullable(Data)),
    eventData: t.Optional(Nullable(Data)),
    waits: t.Optional(
      Nullable(
        t.Unsafe<"event" | "timeout">({
          ...Words(["event", "timeout"]),
          description: "How waits for events end. Default: `event`.",
        }),
      ),
    ),
  },
  { title: "TrialBody" },
);

const Trial = t.Object(
  {
    path: t.Array(
      t.Object({
        stepId: Uuid,
        name: t.String(),
        type: Words(STEP_TYPES),
        at: Timestamp,
        branch: Nullable(t.String()),
        output: t.Unknown(),
        error: Nullable(t.String()),
      }),
    ),
    status: Words(["COMPLETED", "EXITED", "FAILED", "RUNNING"]),
    exitReason: Nullable(t.String()),
  },
  { title: "WorkflowTrial" },
);

const one = { params: t.Object({ id: PathId }) };
const oneExecution = { params: t.Object({ id: PathId, executionId: PathId }) };

/** The endpoints of executions, in the order of the specification's table. */
export function workflowExecutionRoutes(ctx: Context) {
  return new Elysia({ prefix: "/workflows", detail: { tags: ["Workflows"] } })
    .use(authenticateKey(ctx, "secret"))
    .post(
      "/:id/executions",
      async ({ project, params: { id }, body: { contactId, context }, set }) => {
        const input = { contactId, context: context ?? undefined };
        const execution = await startExecution(ctx, project.id, workflowId(id), input);
        set.status = 201;
        return shown(execution);
      },
      {
        ...one,
        body: StartBody,
        response: answers(Execution, { status: 201, refusals: [400, 404, 409, 413, 415, 422] }),
        detail: {
          operationId: "startExecution",
          summary: "Start an execution for a contact",
          description:
            "`context` is available to its templates and conditions, like the contact; `context.event` is available as `event.*`.",
        },
      },
    )
    .get(
      "/:id/executions",
      async ({ project, params: { id }, query }) => {
        const page = readPage(query);
        const { status, contactId, stepId, from, until } = query;
        const filter = { status, contactId, stepId, ...readPeriod({ from, until }) };
        const { data, total } = await listExecutions(ctx, project.id, workflowId(id), { ...page, ...filter });
        const executions = data.map(shown);
        const totalPages = Math.ceil(total / page.pageSize);
        const estimated = total >= COUNT_UP_TO;
        return { executions, data: executions, total, estimated, ...page, totalPages };
      },
      {
        ...one,
        query: withRules(
          t.Object({
            ...PageQuery,
            status: t.Optional(Status),
            contactId: t.Optional(Uuid),
            stepId: t.Optional(
              t.String({ format: "uuid", description: "Only executions that are at this step now." }),
            ),
            ...SpanQuery("Began"),
          }),
          periodErrors,
        ),
        response: answers(
          t.Object({ executions: t.Array(ListedExecution), ...pageList(ListedExecution).properties }),
          { refusals: [400, 404] },
        ),
        detail: {
          operationId: "listExecutions",
          summary: "List the executions of a workflow",
          description: "Newest first. Counted up to 100,000.",
        },
      },
    )
    .get(
      "/:id/executions/:executionId",
      async ({ project, params: { id, executionId } }) =>
        shown(await getExecution(ctx, project.id, workflowId(id), idOf("execution", executionId))),
      {
        ...oneExecution,
        response: answers(ToldExecution, { refusals: [400, 404] }),
        detail: {
          operationId: "getExecution",
          summary: "Get an execution with its full history",
          description: "With the contact, and the outcome of every step it has reached.",
        },
      },
    )
    .get(
      "/:id/executions/:executionId/graph",
      async ({ project, params: { id, executionId } }) =>
        drawn(await executionGraph(ctx, project.id, workflowId(id), idOf("execution", executionId))),
      {
        ...oneExecution,
        response: answers(ExecutionGraph, { refusals: [400, 404] }),
        detail: {
          operationId: "getExecutionGraph",
          summary: "Get the graph that an execution follows",
          description:
            "The steps and transitions as they were when it started, with the defaults of every config filled in, whatever was edited since.",
        },
      },
    )
    .delete(
      "/:id/executions/:executionId",
      async ({ project, params: { id, executionId } }) =>
        shown(await cancelExecution(ctx, project.id, workflowId(id), idOf("execution", executionId))),
      {
        ...oneExecution,
        response: answers(Execution, { refusals: [400, 404, 409] }),
        detail: {
          operationId: "cancelExecution",
          summary: "Cancel an active execution",
          description: "No further steps are done. Refused with 409 if it has already ended.",
        },
      },
    )
    .post(
      "/:id/executions/cancel-all",
      async ({ project, params: { id } }) => ({
        cancelled: await cancelExecutions(ctx, project.id, workflowId(id)),
      }),
      {
        ...one,
        response: answers(t.Object({ cancelled: Int }), { refusals: [400, 404] }),
        detail: {
          operationId: "cancelExecutions",
          summary: "Cancel every active execution",
          description: "Returns how many were cancelled. The workflow stays enabled.",
        },
      },
    )
    .post(
      "/:id/test",
      async ({ project, params: { id }, body }) => {
        assertTrial(body);
        return await tryWorkflow(ctx, project.id, workflowId(id), {
          contactId: body.contactId ?? undefined,
          data: body.data ?? undefined,
          eventData: body.eventData ?? undefined,
          waits: body.waits ?? undefined,
        });
      },
      {
        ...one,
        body: TrialBody,
        response: answers(Trial, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "testWorkflow",
          summary: "Test a workflow: the path that a contact would take",
          description:
            "Takes a `contactId`, or `data` of a contact who does not exist. Nothing is sent, called or changed.",
        },
      },
    );
}

/** The context is free-form JSON. */
function shown<Row extends { context: unknown }>(row: Row): Row & { context: Record<string, unknown> } {
  return row as Row & { context: Record<string, unknown> };
}

/** So is a config. */
function drawn({ steps, ...rest }: DrawnGraph) {
  return {
    ...rest,
    steps: steps.map((step) => ({ ...step, config: step.config as Record<string, unknown> })),
  };
}
