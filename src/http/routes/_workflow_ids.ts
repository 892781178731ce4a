// The ids in the paths below /workflows.
import { problems } from "../../problem/mod.ts";
import { isUuid } from "../entry/schemas.ts";

/** The id of a workflow. Throws WORKFLOW_NOT_FOUND for what cannot be one. */
export function workflowId(id: string): string {
  if (!isUuid(id)) throw problems.workflowNotFound(id);
  return id;
}

/** The id of something that belongs to a workflow. Throws not-found for what cannot be one. */
export function idOf(resource: "workflow step" | "workflow transition" | "execution", id: string): string {
  if (!isUuid(id)) throw problems.notFound(resource, id);
  return id;
}
