// The part of the walk through the API that is about webhooks.
import { fanOutWebhooks } from "../../src/automation/endpoints/fan_out.ts";
import type { Noter, Teller } from "./openapi_scenario.ts";
import type { TestService } from "./service.ts";

const URL = "https://example.com/webhooks";
const TRY = { at: "2026-11-22T08:00:00.000Z", ms: 31, status: 200 };
const RESPONSE = { status: 200, headers: { "content-type": "text/plain" }, body: "ok" };

/** An endpoint, and one delivery that has been made, as if somebody were there. */
export async function webhookWalk(tell: Teller, service: TestService): Promise<void> {
  const body = { url: URL, description: "CRM", events: ["email.bounced", "contact.*"] };
  const { id } = await tell("createWebhook", { body });
  await tell("createContact", { body: { email: "told@example.com" } });
  await fanOutWebhooks(service);
  const [row] = await service.pool`
    update webhook_deliveries
    set status = 'DELIVERED', due_at = null, attempts = 1, tries = ${[TRY] as never}, response = ${RESPONSE as never}
    where webhook_id = ${id}
    returning message_id`;
  const path = { id };
  const one = { ...path, deliveryId: row!.messageId as string };
  await tell("listWebhooks");
  await tell("getWebhook", { path });
  await tell("updateWebhook", {
    path,
    body: { events: ["email.*", "event.tracked"], eventNames: ["ordered"] },
  });
  await tell("getEndpointSecret", { path });
  await tell("rotateEndpointSecret", { path });
  await tell("listWebhookDeliveries", { path, query: { limit: "1" } });
  await tell("getWebhookDelivery", { path: one });
  await tell("replayWebhookDelivery", { path: one });
  await tell("replayWebhookDeliveries", { path, body: { status: "FAILED", startDate: "2026-11-22" } });
  await service.dropJobs(({ name }) => name === "deliver_webhooks");
  await tell("deleteWebhook", { path });
}

/** What needs somebody who responds. */
export function webhookNotes(note: Noter): void {
  const attempt = { at: "2026-11-22T08:00:00.000Z", ms: 31, status: 200, error: null };
  note("testWebhook", {
    id: "019aa8f0-1c00-7000-8000-2b1f3c4d5e6f",
    type: "webhook.test",
    eventName: null,
    status: "DELIVERED",
    attempts: 1,
    nextAttemptAt: null,
    createdAt: "2026-11-22T08:00:00.000Z",
    lastAttempt: attempt,
    tries: [attempt],
    requestBody:
      '{"type":"webhook.test","timestamp":"2026-11-22T08:00:00.000Z","data":{"webhookId":"019aa8f0-1c00-7000-8000-1a2b3c4d5e6f","message":"This is a test."}}',
    response: RESPONSE,
  });
}
