// What a key with the scope `write` may change: what is not live.
import { getWorkflow } from "../../automation/workflows/mod.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { getCampaign } from "../../sending/campaigns/mod.ts";
import { campaignId } from "./_campaign_schemas.ts";
import { workflowId } from "./_workflow_ids.ts";

/** A call as it is before it is handled. */
interface Call {
  project: { id: string };
  /** Of the key; null for the pair of the project and for people, who are not limited. */
  scopes: readonly string[] | null;
  params: { id: string };
  body?: unknown;
}

/** Throws FORBIDDEN for a key without `all` if the workflow is enabled, or would be by this call. */
export async function assertDraftWorkflow(
  ctx: Context,
  { project, scopes, params, body }: Call,
): Promise<void> {
  if (scopes === null || scopes.includes("all")) return;
  const { enabled } = body as { enabled?: boolean };
  if (enabled === true) throw problems.liveTakesAll("it would enable the workflow", scopes);
  const workflow = await getWorkflow(ctx, project.id, workflowId(params.id));
  if (workflow.enabled) throw problems.liveTakesAll("the workflow is enabled", scopes);
}

/** Throws FORBIDDEN for a key without `all` if the campaign is scheduled. What is being sent cannot be changed anyway. */
export async function assertDraftCampaign(ctx: Context, { project, scopes, params }: Call): Promise<void> {
  if (scopes === null || scopes.includes("all")) return;
  const campaign = await getCampaign(ctx, project.id, campaignId(params.id));
  if (campaign.status === "SCHEDULED") throw problems.liveTakesAll("the campaign is scheduled", scopes);
}
