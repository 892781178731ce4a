// /workflows/:id/versions: what the graph of a workflow was, and how it becomes that again.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import {
  getGraphVersion,
  listGraphVersions,
  restoreGraphVersion,
} from "../../automation/workflows/history.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { EditHeaders, editOf } from "../entry/edits.ts";
import { answers, Int, Nullable, PathId, Timestamp } from "../entry/schemas.ts";
import { GraphDocument } from "./_workflow_graph_schemas.ts";
import { workflowId } from "./_workflow_ids.ts";

const one = { params: t.Object({ id: PathId }) };
const oneVersion = { params: t.Object({ id: PathId, version: PathId }) };

const Made = {
  version: Int,
  createdAt: Timestamp,
  createdBy: Nullable(t.String({ description: "An address, or the key that was used." })),
};

const ListedVersion = t.Object(
  {
    ...Made,
    steps: Int,
    activeExecutions: Type.Integer({
      description: "Active executions of this version, among at most 100,000 of the workflow.",
    }),
  },
  { title: "ListedWorkflowVersion" },
);

const { steps, transitions } = GraphDocument.properties;
const Version = t.Object({ ...Made, steps, transitions }, { title: "WorkflowVersion" });

/** The versions of workflows. */
export function workflowVersionsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/workflows", detail: { tags: ["Workflows"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/:id/versions",
      async ({ project, params: { id } }) => await listGraphVersions(ctx, project.id, workflowId(id)),
      {
        ...one,
        response: answers(t.Array(ListedVersion), { refusals: [400, 404] }),
        detail: {
          operationId: "listWorkflowVersions",
          summary: "List the versions of a workflow, newest first",
          description:
            "The last 100 versions with their authors; the first is the current one. Each change creates one; what a member or key only adds, with less than a minute between the additions, becomes one version, unless an execution has started with it. Executions continue with the version they started with.",
        },
      },
    )
    .get(
      "/:id/versions/:version",
      async ({ project, params: { id, version } }) =>
        await getGraphVersion(ctx, project.id, workflowId(id), numberOf(id, version)),
      {
        ...oneVersion,
        response: answers(Version, { refusals: [400, 404] }),
        detail: {
          operationId: "getWorkflowVersion",
          summary: "Get a version of a workflow",
          description: "One version, with its steps and transitions.",
        },
      },
    )
    .post(
      "/:id/versions/:version/restore",
      async ({ project, actor, headers, params: { id, version }, set }) => {
        const edit = editOf(actor, headers);
        const graph = await restoreGraphVersion(ctx, project.id, workflowId(id), numberOf(id, version), edit);
        set.headers.etag = graph.version;
        return graph;
      },
      {
        ...oneVersion,
        headers: EditHeaders,
        response: answers(GraphDocument, { refusals: [400, 404, 412, 422] }),
        detail: {
          operationId: "restoreWorkflowVersion",
          summary: "Restore a version of a workflow",
          description:
            "Creates a new version; those in between stay in the list, and active executions continue with theirs. `If-Match` is the `version` of `GET /workflows/{id}/graph`. While the workflow is disabled, steps whose templates were deleted are restored without them; refused with 422 if something else that it needs is gone.",
        },
      },
    );
}

function numberOf(id: string, version: string): number {
  if (!/^[1-9]\d{0,8}$/.test(version)) throw problems.notFound("workflow version", `${id}/${version}`);
  return Number(version);
}
