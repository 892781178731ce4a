// /workflows/:id/…: the graph of a workflow, as one document or piece by piece.
import { Elysia, t } from "elysia";
import { checkGraph } from "../../automation/workflows/check.ts";
import { addStep, deleteStep, patchStep } from "../../automation/workflows/editor.ts";
import { getGraph, saveGraph } from "../../automation/workflows/graph_document.ts";
import { workflowStatistics } from "../../automation/workflows/statistics.ts";
import {
  addTransition,
  deleteTransition,
  insertIntoTransition,
} from "../../automation/workflows/transitions.ts";
import type { Context } from "../../context.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { EditHeaders, editorOf, editOf } from "../entry/edits.ts";
import { answers, PathId, Words } from "../entry/schemas.ts";
import { assertDraftWorkflow } from "./_drafts.ts";
import {
  GraphBody,
  GraphCheck,
  GraphCheckBody,
  GraphDocument,
  StepStatistics,
} from "./_workflow_graph_schemas.ts";
import { idOf, workflowId } from "./_workflow_ids.ts";
import {
  branchOf,
  InsertedStepBody,
  Step,
  StepBody,
  StepPatchBody,
  Transition,
  TransitionBody,
} from "./_workflow_schemas.ts";

const one = { params: t.Object({ id: PathId }) };
const oneStep = { params: t.Object({ id: PathId, stepId: PathId }) };
const oneTransition = { params: t.Object({ id: PathId, transitionId: PathId }) };

/** The graph of workflows. */
export function workflowStepsRoutes(ctx: Context) {
  return new Elysia().use(graphRoutes(ctx)).use(stepRoutes(ctx)).use(transitionRoutes(ctx));
}

/** The graph as a whole. */
function graphRoutes(ctx: Context) {
  return new Elysia({ prefix: "/workflows", detail: { tags: ["Workflows"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/:id/graph",
      async ({ project, params: { id }, set }) => {
        const graph = await getGraph(ctx, project.id, workflowId(id));
        set.headers.etag = graph.version;
        return graph;
      },
      {
        ...one,
        response: answers(GraphDocument, { refusals: [400, 404] }),
        detail: {
          operationId: "getWorkflowGraph",
          summary: "Get the graph of a workflow as one document",
          description:
            "Steps, positions and transitions, and in `findings` what is wrong with the workflow: an error prevents enabling it.",
        },
      },
    )
    .put(
      "/:id/graph",
      async ({ project, actor, headers, params: { id }, body, set }) => {
        const graph = await saveGraph(ctx, project.id, workflowId(id), body, editOf(actor, headers));
        set.headers.etag = graph.version;
        return graph;
      },
      {
        ...one,
        beforeHandle: async (call) => await assertDraftWorkflow(ctx, call),
        headers: EditHeaders,
        body: GraphBody,
        response: answers(GraphDocument, { refusals: [400, 404, 412, 413, 415, 422] }),
        detail: {
          operationId: "saveWorkflowGraph",
          summary: "Save the graph of a workflow as a whole",
          description:
            "Steps and transitions that are not in it are deleted, new ones are added; you choose the ids of new steps, as UUIDs. `version` is that of the graph that you have read; if somebody has changed it since, nothing is saved, and 412 says who. A refusal lists everything that is wrong. While the workflow is disabled, a `SEND_EMAIL` may lack its template: `findings` says so. Active executions continue with the version they started with.",
        },
      },
    )
    .post(
      "/:id/graph/check",
      async ({ project, params: { id }, body }) => {
        const given = body?.steps ? { steps: body.steps, transitions: body.transitions ?? [] } : null;
        return await checkGraph(ctx, project.id, workflowId(id), given);
      },
      {
        ...one,
        body: GraphCheckBody,
        response: answers(GraphCheck, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "checkWorkflowGraph",
          summary: "Check a graph without saving it",
          description:
            "Takes the same body as `PUT /workflows/{id}/graph`; without a body, it checks the saved graph. `faults` are errors for which saving it, or enabling the workflow, would be refused; `warnings` are likely mistakes, such as a branch that leads nowhere, an unreachable step or a loop without an exit. `stepId` and `transition` say where.",
        },
      },
    )
    .get(
      "/:id/statistics",
      async ({ project, params: { id } }) => await workflowStatistics(ctx, project.id, workflowId(id)),
      {
        ...one,
        response: answers(t.Array(StepStatistics), { refusals: [400, 404] }),
        detail: {
          operationId: "getWorkflowStatistics",
          summary: "Count for each step the executions that wait there, passed it and failed",
          description:
            "In the order of the steps; the first is the trigger. `conversion` is the percentage of all started executions that passed the step; `transitions` counts how many took each one; branches taken before the service recorded them are missing.",
        },
      },
    );
}

/** `/workflows/:id/steps`. */
function stepRoutes(ctx: Context) {
  return new Elysia({ prefix: "/workflows", detail: { tags: ["Workflows"] } })
    .use(authenticateKey(ctx, "secret"))
    .post(
      "/:id/steps",
      async ({ project, actor, params: { id }, body, set }) => {
        const { autoConnect, ...input } = body;
        const step = await addStep(ctx, project.id, workflowId(id), {
          ...input,
          by: editorOf(actor),
          autoConnect: autoConnect ?? true,
        });
        set.status = 201;
        return step;
      },
      {
        ...one,
        beforeHandle: async (call) => await assertDraftWorkflow(ctx, call),
        body: StepBody,
        response: answers(Step, { status: 201, refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "createStep",
          summary: "Add a step",
          description:
            "The config is checked against the type of the step, and each error names its field. With `autoConnect` the step follows the one open end, if there is exactly one.",
        },
      },
    )
    .patch(
      "/:id/steps/:stepId",
      async ({ project, actor, params: { id, stepId }, body }) => {
        const step = idOf("workflow step", stepId);
        return await patchStep(ctx, project.id, workflowId(id), step, { ...body, by: editorOf(actor) });
      },
      {
        ...oneStep,
        beforeHandle: async (call) => await assertDraftWorkflow(ctx, call),
        body: StepPatchBody,
        response: answers(Step, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "updateStep",
          summary: "Change a step; a config is replaced as a whole",
          description:
            "Changes only the given fields; a config is replaced as a whole. Executions that have started keep the old step.",
        },
      },
    )
    .delete(
      "/:id/steps/:stepId",
      async ({ project, actor, params: { id, stepId }, query, set }) => {
        const step = idOf("workflow step", stepId);
        const how = { by: editorOf(actor), splice: query.splice === "true" };
        await deleteStep(ctx, project.id, workflowId(id), step, how);
        set.status = 204;
      },
      {
        ...oneStep,
        query: t.Object({
          splice: t.Optional(Words(["true", "false"])),
        }),
        response: answers(t.Void(), { status: 204, refusals: [400, 404] }),
        detail: {
          operationId: "deleteStep",
          summary: "Delete a step; with `splice=true`, its predecessors are connected to its successor",
          description:
            "Removes the step and its transitions. Steps that only it led to stay, unconnected. With `splice=true` every transition into it leads to its successor; a `TRIGGER` or `CONDITION` cannot be spliced (400).",
        },
      },
    );
}

/** `/workflows/:id/transitions`. */
function transitionRoutes(ctx: Context) {
  return new Elysia({ prefix: "/workflows", detail: { tags: ["Workflows"] } })
    .use(authenticateKey(ctx, "secret"))
    .post(
      "/:id/transitions",
      async ({ project, actor, params: { id }, body, set }) => {
        const { fromStepId, toStepId, priority } = body;
        const by = editorOf(actor);
        const input = { by, fromStepId, toStepId, branch: branchOf(body), priority: priority ?? 0 };
        const transition = await addTransition(ctx, project.id, workflowId(id), input);
        set.status = 201;
        return transition;
      },
      {
        ...one,
        beforeHandle: async (call) => await assertDraftWorkflow(ctx, call),
        body: TransitionBody,
        response: answers(Transition, { status: 201, refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "createTransition",
          summary: "Connect one step to another; from a CONDITION, with one of its branches",
          description:
            "Refused with 400 for a transition from a step to itself, out of an `EXIT`, a second one out of a step without branches, a branch that has one already, and a loop without a delay or a wait.",
        },
      },
    )
    .delete(
      "/:id/transitions/:transitionId",
      async ({ project, actor, params: { id, transitionId }, set }) => {
        const transition = idOf("workflow transition", transitionId);
        await deleteTransition(ctx, project.id, workflowId(id), transition, { by: editorOf(actor) });
        set.status = 204;
      },
      {
        ...oneTransition,
        response: answers(t.Void(), { status: 204, refusals: [400, 404] }),
        detail: {
          operationId: "deleteTransition",
          summary: "Delete a transition; both steps stay",
          description: "Removes only the connection.",
        },
      },
    )
    .post(
      "/:id/transitions/:transitionId/insert-step",
      async ({ project, actor, params: { id, transitionId }, body, set }) => {
        const between = idOf("workflow transition", transitionId);
        const input = { ...body, by: editorOf(actor) };
        const step = await insertIntoTransition(ctx, project.id, workflowId(id), between, input);
        set.status = 201;
        return step;
      },
      {
        ...oneTransition,
        beforeHandle: async (call) => await assertDraftWorkflow(ctx, call),
        body: InsertedStepBody,
        response: answers(Step, { status: 201, refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "insertStep",
          summary: "Insert a step into a transition",
          description:
            "Puts a new step between the two ends, in one transaction. A `CONDITION` continues on `yes`. `TRIGGER` and `EXIT` are refused with 400.",
        },
      },
    );
}
