// /workflows: what happens to contacts after an event, at a time, or when somebody asks for it.
import { Elysia, t } from "elysia";
import { addStep, deleteStep, patchStep } from "../../automation/workflows/editor.ts";
import { listWorkflowFields } from "../../automation/workflows/fields.ts";
import { patchWorkflow } from "../../automation/workflows/settings.ts";
import {
  addTransition,
  deleteTransition,
  insertIntoTransition,
} from "../../automation/workflows/transitions.ts";
import {
  createWorkflow,
  deleteWorkflow,
  duplicateWorkflow,
  getWorkflowGraph,
  listWorkflows,
} from "../../automation/workflows/mod.ts";
import type { Context } from "../../context.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { orderQuery, pageList, PageQuery, readPage } from "./_lists.ts";
import { answers, PathId, Words } from "../entry/schemas.ts";
import { idOf, workflowId } from "./_workflow_ids.ts";
import {
  branchOf,
  CountedWorkflow,
  Fields,
  InsertedStepBody,
  Step,
  StepBody,
  StepPatchBody,
  Transition,
  TransitionBody,
  Workflow,
  WorkflowBody,
  WorkflowGraph,
  WorkflowPatchBody,
} from "./_workflow_schemas.ts";

const one = { params: t.Object({ id: PathId }) };
const oneStep = { params: t.Object({ id: PathId, stepId: PathId }) };
const oneTransition = { params: t.Object({ id: PathId, transitionId: PathId }) };

const SORTS = ["name", "createdAt", "updatedAt"] as const;

/** The workflow endpoints, in the order of the API reference; those of executions are in a file of their own. */
export function workflowsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/workflows", detail: { tags: ["Workflows"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/",
      async ({ project, query }) => {
        const page = readPage(query);
        const sort = SORTS.find((column) => column === query.sort) ?? "createdAt";
        const dir = query.dir === "asc" ? "asc" : "desc";
        const enabled = query.status && query.status === "active";
        const filter = { enabled, search: query.search, sort, dir } as const;
        const { data, total } = await listWorkflows(ctx, project.id, { ...page, ...filter });
        return { data, total, ...page, totalPages: Math.ceil(total / page.pageSize) };
      },
      {
        query: t.Object({
          ...PageQuery,
          status: t.Optional(Words(["active", "disabled"])),
          search: t.Optional(t.String({ description: "A part of the name or the description." })),
          ...orderQuery(["createdAt", "name", "updatedAt"]),
        }),
        response: answers(pageList(CountedWorkflow), { refusals: [400] }),
        detail: {
          operationId: "listWorkflows",
          summary: "List workflows",
          description: "A page list, each with the number of its steps and executions.",
        },
      },
    )
    .get(
      "/fields",
      async ({ project, query }) => {
        const typedFields = await listWorkflowFields(ctx, project.id, query.eventName);
        return { fields: typedFields.map(({ field }) => field), typedFields, count: typedFields.length };
      },
      {
        query: t.Object({
          eventName: t.Optional(
            t.String({ description: "Of the data of events: only of those with this name." }),
          ),
        }),
        response: answers(Fields, { refusals: [400] }),
        detail: {
          operationId: "listWorkflowFields",
          summary: "List what a CONDITION can ask about",
          description: "The fields of contacts, and with `eventName` those of an event, with their types.",
        },
      },
    )
    .post(
      "/",
      async ({ project, body, set }) => {
        set.status = 201;
        return await createWorkflow(ctx, project.id, body);
      },
      {
        body: WorkflowBody,
        response: answers(Workflow, { status: 201, refusals: [400, 413, 415, 422] }),
        detail: {
          operationId: "createWorkflow",
          summary: "Create a workflow that starts at an event, disabled",
          description:
            "Makes a workflow with its `TRIGGER` step. Add steps, then enable it with `PATCH /workflows/{id}`.",
        },
      },
    )
    .get(
      "/:id",
      async ({ project, params: { id } }) => await getWorkflowGraph(ctx, project.id, workflowId(id)),
      {
        ...one,
        response: answers(WorkflowGraph, { refusals: [400, 404] }),
        detail: {
          operationId: "getWorkflow",
          summary: "Get a workflow with its steps and transitions",
          description: "The workflow, every step with its config, and how the steps are connected.",
        },
      },
    )
    .patch(
      "/:id",
      async ({ project, params: { id }, body }) => await patchWorkflow(ctx, project.id, workflowId(id), body),
      {
        ...one,
        body: WorkflowPatchBody,
        response: answers(Workflow, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "updateWorkflow",
          summary: "Change a workflow, its trigger, and whether it is enabled",
          description:
            "Changes what is given. Executions that have begun go on with the version of the steps that they began with. Enabling one that cannot work, such as one with a mail without a template, is refused with what is missing.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ project, params: { id }, set }) => {
        await deleteWorkflow(ctx, project.id, workflowId(id));
        set.status = 204;
      },
      {
        ...one,
        response: answers(t.Void(), { status: 204, refusals: [400, 404, 409] }),
        detail: {
          operationId: "deleteWorkflow",
          summary: "Delete a workflow that has no active executions",
          description: "Refused with 409 while executions are running or waiting: cancel them first.",
        },
      },
    )
    .post(
      "/:id/duplicate",
      async ({ project, params: { id }, set }) => {
        const copy = await duplicateWorkflow(ctx, project.id, workflowId(id));
        set.status = 201;
        return copy;
      },
      {
        ...one,
        response: answers(Workflow, { status: 201, refusals: [400, 404] }),
        detail: {
          operationId: "duplicateWorkflow",
          summary: "Copy a workflow with its steps and transitions, disabled",
          description: "The copy is disabled and has no executions.",
        },
      },
    )
    .post(
      "/:id/steps",
      async ({ project, params: { id }, body, set }) => {
        const { autoConnect, ...input } = body;
        const step = await addStep(ctx, project.id, workflowId(id), {
          ...input,
          autoConnect: autoConnect ?? true,
        });
        set.status = 201;
        return step;
      },
      {
        ...one,
        body: StepBody,
        response: answers(Step, { status: 201, refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "createStep",
          summary: "Add a step",
          description:
            "The config is checked by the type of the step, and each fault is listed by its field. With `autoConnect` the step follows the one open end, if there is exactly one.",
        },
      },
    )
    .patch(
      "/:id/steps/:stepId",
      async ({ project, params: { id, stepId }, body }) =>
        await patchStep(ctx, project.id, workflowId(id), idOf("workflow step", stepId), body),
      {
        ...oneStep,
        body: StepPatchBody,
        response: answers(Step, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "updateStep",
          summary: "Change a step; a config is replaced as a whole",
          description:
            "Changes what is given; a config is replaced as a whole. Executions that have begun keep the step as it was.",
        },
      },
    )
    .delete(
      "/:id/steps/:stepId",
      async ({ project, params: { id, stepId }, query, set }) => {
        const step = idOf("workflow step", stepId);
        await deleteStep(ctx, project.id, workflowId(id), step, { splice: query.splice === "true" });
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
          summary: "Delete a step; with `splice=true` what led to it leads to the next step",
          description:
            "Removes the step and its transitions. What only it led to stays, unconnected. With `splice=true` every transition into it leads to its successor; a `TRIGGER` or `CONDITION` cannot be spliced (400).",
        },
      },
    )
    .post(
      "/:id/transitions",
      async ({ project, params: { id }, body, set }) => {
        const { fromStepId, toStepId, priority } = body;
        const input = { fromStepId, toStepId, branch: branchOf(body), priority: priority ?? 0 };
        const transition = await addTransition(ctx, project.id, workflowId(id), input);
        set.status = 201;
        return transition;
      },
      {
        ...one,
        body: TransitionBody,
        response: answers(Transition, { status: 201, refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "createTransition",
          summary: "Connect one step to another; from a CONDITION, by one of its branches",
          description:
            "Refused with 400 are a transition from a step to itself, out of an `EXIT`, a second one out of a step without branches, a branch that is taken, and a circle without a delay or a wait in it.",
        },
      },
    )
    .delete(
      "/:id/transitions/:transitionId",
      async ({ project, params: { id, transitionId }, set }) => {
        await deleteTransition(ctx, project.id, workflowId(id), idOf("workflow transition", transitionId));
        set.status = 204;
      },
      {
        ...oneTransition,
        response: answers(t.Void(), { status: 204, refusals: [400, 404] }),
        detail: {
          operationId: "deleteTransition",
          summary: "Delete a transition; what it led to stays",
          description: "Removes the connection; both steps stay.",
        },
      },
    )
    .post(
      "/:id/transitions/:transitionId/insert-step",
      async ({ project, params: { id, transitionId }, body, set }) => {
        const between = idOf("workflow transition", transitionId);
        const step = await insertIntoTransition(ctx, project.id, workflowId(id), between, body);
        set.status = 201;
        return step;
      },
      {
        ...oneTransition,
        body: InsertedStepBody,
        response: answers(Step, { status: 201, refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "insertStep",
          summary: "Insert a step into a transition",
          description:
            "Puts a new step between the two ends, in one transaction. A `CONDITION` goes on along `yes`. `TRIGGER` and `EXIT` are refused with 400.",
        },
      },
    );
}
