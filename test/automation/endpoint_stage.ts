// Endpoints of a project of a test, and the two jobs that tell them what happens.
import { beforeEach } from "bun:test";
import { fanOutWebhooks } from "../../src/automation/endpoints/fan_out.ts";
import { deliverWebhooks } from "../../src/automation/endpoints/line.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { TestService } from "../support/service.ts";

/** Each test has a project of its own, and the time of today. */
export function endpointStage(service: TestService) {
  let project: NewProject;
  beforeEach(async () => {
    await service.dropJobs();
    await service.pool`delete from webhooks`;
    await service.pool`delete from webhook_notes`;
    project = await service.createProject();
    service.setNow(new Date());
  });

  const call = (method: string, path: string, body?: unknown) =>
    service.request(method, path, { key: project.secret, ...(body !== undefined && { body }) });

  const lineOf = (webhookId: string) => ({ projectId: project.id, webhookId });

  return {
    get project() {
      return project;
    },
    call,
    lineOf,

    /** Makes an endpoint at a port of this machine. */
    async make(port: number, events: string[] = ["*"], more: object = {}) {
      const url = `http://127.0.0.1:${port}/hook`;
      const { status, body } = await call("POST", "/webhooks", { url, events, ...more });
      if (status !== 201) throw new Error(`Cannot create a webhook: ${JSON.stringify(body)}`);
      return body as { id: string; secret: string };
    },

    track: (event: string, data: object = {}, email = "ada@example.com") =>
      service.request("POST", "/v1/track", { key: project.public, body: { event, email, data } }),

    /** Turns what happened into deliveries. */
    fanOut: () => fanOutWebhooks(service),

    /** Has an endpoint called with what is due by the clock of the service. */
    deliver: (webhookId: string) => deliverWebhooks(service, lineOf(webhookId)),

    /** Moves the clock. */
    later(ms: number) {
      service.setNow(new Date(service.now().getTime() + ms));
    },

    /** The rows, oldest first. */
    async deliveries(webhookId: string) {
      return await service.pool`
        select message_id as id, type, status, attempts, due_at, tries, response
        from webhook_deliveries where project_id = ${project.id} and webhook_id = ${webhookId}
        order by message_id`;
    },

    async state(webhookId: string) {
      return (await call("GET", `/webhooks/${webhookId}`)).body;
    },
  };
}
