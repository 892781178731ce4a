// Executions that stand at a webhook, as the engine leaves them, and the queue that brings the calls.
import { beforeEach } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { callWebhook, type StepEnd, type WebhookJob } from "../../src/automation/webhooks/mod.ts";
import type { Context } from "../../src/context.ts";
import type { TestService } from "../support/service.ts";

/** A job that waits in the queue. */
export interface Queued {
  id: string;
  payload: WebhookJob;
  runAt: Date;
}

/** Projects, executions and calls of one test file; each test has a project of its own. */
export function webhookStage(service: TestService) {
  let project: NewProject;
  /** What the engine was told. */
  const ends: StepEnd[] = [];
  beforeEach(async () => {
    ends.length = 0;
    await service.dropJobs();
    project = await service.createProject();
    service.setNow(new Date());
  });

  /** Stands in for the engine: ends the step, and the execution with it. */
  const finishStep = async (tx: Context, end: StepEnd): Promise<void> => {
    const { projectId, executionId, stepExecutionId, ok, output, error } = end;
    const [ended] = await tx.sql`
      update step_executions
      set status = ${ok ? "COMPLETED" : "FAILED"}, output = ${output as never}, error = ${error}
      where project_id = ${projectId} and id = ${stepExecutionId} and status = 'RUNNING'
      returning id`;
    if (!ended) return;
    await tx.sql`
      update executions set status = ${ok ? "COMPLETED" : "FAILED"}, exit_reason = ${error}
      where project_id = ${projectId} and id = ${executionId}`;
    ends.push(end);
  };

  const queued = async (): Promise<Queued[]> =>
    (await service.jobs("call_webhook")).toSorted((a, b) => a.runAt.getTime() - b.runAt.getTime());

  const call = (job: WebhookJob, ctx: Context = service, finish = finishStep) =>
    callWebhook(ctx, job, finish);

  return {
    ends,
    finishStep,

    get project() {
      return project;
    },

    /** An execution that waits for its webhook. */
    async stand(
      config: Record<string, unknown>,
      { data = {}, context = {}, email = "ada@example.com", projectId = project.id } = {},
    ): Promise<WebhookJob> {
      const { sql } = service;
      const [contact] = await sql`
        insert into contacts (project_id, email, subscribed, data)
        values (${projectId}, ${email}, true, ${data as never})
        on conflict (project_id, email) do update set data = excluded.data
        returning id`;
      const [workflow] = await sql`
        insert into workflows (project_id, name, allow_reentry)
        values (${projectId}, 'Welcome', true) returning id`;
      const step = {
        id: Bun.randomUUIDv7(),
        type: "WEBHOOK",
        name: "Tell",
        config: { method: "POST", headers: {}, ...config },
      };
      const [version] = await sql`
        insert into workflow_versions (project_id, workflow_id, graph)
        values (${projectId}, ${workflow!.id}, ${{ steps: [step], transitions: [] } as never}) returning id`;
      const [execution] = await sql`
        insert into executions (
          project_id, workflow_id, version_id, contact_id, status, current_step_id, is_only, context
        )
        values (
          ${projectId}, ${workflow!.id}, ${version!.id}, ${contact!.id}, 'WAITING', ${step.id}, false,
          ${context as never}
        )
        returning id`;
      const [stepExecution] = await sql`
        insert into step_executions (project_id, execution_id, step_id)
        values (${projectId}, ${execution!.id}, ${step.id}) returning id`;
      return { projectId, executionId: execution!.id, stepExecutionId: stepExecution!.id };
    },

    /** Does a job, as the worker would. */
    call,

    /** The calls that are to come. */
    queued,

    /** Moves the clock to when the next call is due, and does it. */
    async callNext(): Promise<Queued> {
      const [next] = await queued();
      if (!next) throw new Error("Cannot call anything: the queue is empty");
      await service.dropJobs(({ id }) => id === next.id);
      service.setNow(next.runAt);
      await call(next.payload);
      return next;
    },

    /** A step and its execution as they stand. */
    async stateOf(job: WebhookJob) {
      const [state] = await service.pool`
        select e.status, e.wake_at as "wakeAt", s.status as step, s.output
        from step_executions s join executions e on e.project_id = s.project_id and e.id = s.execution_id
        where s.id = ${job.stepExecutionId}`;
      return state!;
    },
  };
}
