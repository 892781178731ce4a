// /workflows: what happens to contacts after an event, at a time, or when somebody asks for it.
import { Elysia, t } from "elysia";
import { listWorkflowFields } from "../../automation/workflows/fields.ts";
import { patchWorkflow, workflowTag } from "../../automation/workflows/settings.ts";
import {
  createWorkflow,
  deleteWorkflow,
  duplicateWorkflow,
  getWorkflowGraph,
  listWorkflows,
} from "../../automation/workflows/mod.ts";
import type { Context } from "../../context.ts";
import { EditHeaders, editOf } from "../entry/edits.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { assertDraftWorkflow } from "./_drafts.ts";
import { orderQuery, pageList, PageQuery, readPage } from "./_lists.ts";
import { answers, PathId, Words } from "../entry/schemas.ts";
import { workflowId } from "./_workflow_ids.ts";
import {
  CountedWorkflow,
  WorkflowFields,
  Workflow,
  WorkflowBody,
  WorkflowGraph,
  WorkflowPatchBody,
} from "./_workflow_schemas.ts";

const one = { params: t.Object({ id: PathId }) };

const SORTS = ["name", "createdAt", "updatedAt"] as const;

/** The workflow endpoints, in the order of the API reference; those of executions are in a file of their own. */
export function workflowsRoutes(ctx: Context) {
  return new Elysia().use(collectionRoutes(ctx)).use(itemRoutes(ctx));
}

/** `/workflows`, and what needs none of them. */
function collectionRoutes(ctx: Context) {
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
          search: t.Optional(t.String({ description: "Part of the name or the description." })),
          ...orderQuery(["createdAt", "name", "updatedAt"]),
        }),
        response: answers(pageList(CountedWorkflow), { refusals: [400] }),
        detail: {
          operationId: "listWorkflows",
          summary: "List workflows",
          description: "A page list, with the number of steps, executions and active executions of each.",
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
          eventName: t.Optional(t.String({ description: "Also the fields of events with this name." })),
        }),
        response: answers(WorkflowFields, { refusals: [400] }),
        detail: {
          operationId: "listWorkflowFields",
          summary: "List the fields that a CONDITION can use",
          description: "The fields of contacts, and with `eventName` those of an event, with their types.",
        },
      },
    )
    .post(
      "/",
      async ({ project, actor, headers, body, set }) => {
        const workflow = await createWorkflow(ctx, project.id, body, editOf(actor, headers));
        set.status = 201;
        set.headers.etag = workflowTag(workflow);
        return workflow;
      },
      {
        body: WorkflowBody,
        response: answers(Workflow, { status: 201, refusals: [400, 413, 415, 422] }),
        detail: {
          operationId: "createWorkflow",
          summary: "Create a workflow that starts with an event; it is disabled",
          description:
            "Creates a workflow with its `TRIGGER` step. Add steps, then enable it with `PATCH /workflows/{id}`.",
        },
      },
    );
}

/** `/workflows/:id`. */
function itemRoutes(ctx: Context) {
  return new Elysia({ prefix: "/workflows", detail: { tags: ["Workflows"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/:id",
      async ({ project, params: { id }, set }) => {
        const workflow = await getWorkflowGraph(ctx, project.id, workflowId(id));
        set.headers.etag = workflowTag(workflow);
        return workflow;
      },
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
      async ({ project, actor, headers, params: { id }, body, set }) => {
        const workflow = await patchWorkflow(ctx, project.id, workflowId(id), body, editOf(actor, headers));
        set.headers.etag = workflowTag(workflow);
        return workflow;
      },
      {
        ...one,
        beforeHandle: async (call) => await assertDraftWorkflow(ctx, call),
        headers: EditHeaders,
        body: WorkflowPatchBody,
        response: answers(Workflow, { refusals: [400, 404, 412, 413, 415, 422] }),
        detail: {
          operationId: "updateWorkflow",
          summary: "Change a workflow, its trigger, and whether it is enabled",
          description:
            "Changes only the given fields. Executions continue with the version they started with. Enabling a workflow that cannot work, for example because a mail has no template, is refused with what is missing.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ project, actor, headers, params: { id }, set }) => {
        await deleteWorkflow(ctx, project.id, workflowId(id), editOf(actor, headers));
        set.status = 204;
      },
      {
        ...one,
        headers: EditHeaders,
        response: answers(t.Void(), { status: 204, refusals: [400, 404, 409, 412] }),
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
        set.headers.etag = workflowTag(copy);
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
    );
}
