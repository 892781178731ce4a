import { finishStep } from "../src/automation/engine/mod.ts";
import { callWebhook } from "../src/automation/webhooks/mod.ts";
import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";

/** Calls the webhook of a step once. A second run of a step that has ended calls nothing. */
export async function callStepWebhook(ctx: Context, job: Jobs["call_webhook"]): Promise<void> {
  await callWebhook(ctx, job, finishStep);
}
