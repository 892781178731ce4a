import { finishStep, runExecutions, startWorkflows, wakeExecutions } from "../src/automation/engine/mod.ts";
import { sweepExecutions } from "../src/automation/engine/recovery.ts";
import { startScheduledRun, startScheduledWorkflows } from "../src/automation/engine/schedule.ts";
import { recheckWaits } from "../src/automation/runs/waits.ts";
import { dropDeliveries } from "../src/automation/endpoints/deliveries.ts";
import { fanOutWebhooks, sweepWebhooks } from "../src/automation/endpoints/fan_out.ts";
import { deliverWebhooks } from "../src/automation/endpoints/line.ts";
import { callWebhook } from "../src/automation/webhooks/mod.ts";
import type { Tasks } from "../src/jobs.ts";

/** The jobs of `src/automation`. */
export const automationTasks = {
  /** Calls the webhook of a step once. A second run of a step that has ended calls nothing. */
  async call_webhook(ctx, job) {
    await callWebhook(ctx, job, finishStep);
  },
  /** Calls an endpoint with what waits for it. A second run at the same time does nothing; one later calls what is left. */
  deliver_webhooks: deliverWebhooks,
  /** Deletes the deliveries of an endpoint that was deleted. A second run deletes what is left. */
  drop_deliveries: dropDeliveries,
  /** Turns what happened into messages. A second run finds what happened since. */
  fan_out_webhooks: fanOutWebhooks,
  /** Finds endpoints that should be called and have no job. A second run finds what the first one has not set going yet. */
  sweep_webhooks: sweepWebhooks,
  /** Finds the events that became visible after the beginning of a wait. A second run finds those that are left. */
  recheck_waits: recheckWaits,
  /** Advances executions as far as possible. A second run continues where the first one stopped. */
  run_executions: runExecutions,
  /** Starts a workflow for its audience, range by range. A second run continues behind the last range. */
  async start_scheduled_run(ctx, { projectId, runId }) {
    await startScheduledRun(ctx, projectId, runId);
  },
  /** Begins the workflows whose time has come. A second run finds the next time in its place. */
  start_scheduled_workflows: startScheduledWorkflows,
  /** Starts and wakes what events call for. A second run starts nothing again: the rule of re-entry and the waits are rows. */
  start_workflows: startWorkflows,
  /** Finds executions that should continue and have no job. A second run finds what the first one has not set going yet. */
  sweep_executions: sweepExecutions,
  /** Ends delays and timeouts that are over. A second run finds that they have ended. */
  wake_executions: wakeExecutions,
} satisfies Partial<Tasks>;
