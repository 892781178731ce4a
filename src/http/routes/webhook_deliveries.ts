// /webhooks/:id/deliveries: what was sent to an endpoint, what came back, and what to send again.
import { Elysia, t } from "elysia";
import {
  getDelivery,
  listDeliveries,
  MAX_REPLAYED,
  replayDeliveries,
  replayDelivery,
  testWebhook,
} from "../../automation/endpoints/deliveries.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import { answers, Int, isUuid, Nullable, PathId } from "../entry/schemas.ts";
import { clampLimit, CursorQuery, readIdCursor, toCursor } from "./_lists.ts";
import { periodErrors, readPeriod } from "./_periods.ts";
import { webhookIdOf } from "./webhook_endpoints.ts";
import { DeliveryQuery, ReplayBody, WebhookDelivery, WebhookDeliveryDetails } from "./_webhook_schemas.ts";

const one = { params: t.Object({ id: PathId }) };
const oneDelivery = { params: t.Object({ id: PathId, deliveryId: PathId }) };

/** The log of an endpoint, replays and tests. */
export function webhookDeliveriesRoutes(ctx: Context) {
  return new Elysia({ prefix: "/webhooks", detail: { tags: ["Webhooks"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/:id/deliveries",
      async ({ project, params: { id }, query: { status, types, limit, cursor, ...dates } }) => {
        const names = types?.split(",").map((type) => type.trim());
        const page = { limit: clampLimit(limit), afterId: readIdCursor(cursor) };
        const filter = { status, types: names, ...readPeriod(dates) };
        const rows = await listDeliveries(ctx, lineOf(project, id), filter, page);
        const data = rows.slice(0, page.limit);
        const hasMore = rows.length > page.limit;
        return { data, cursor: hasMore ? toCursor([data.at(-1)!.id]) : null, hasMore };
      },
      {
        ...one,
        query: withRules(t.Object({ ...CursorQuery, ...DeliveryQuery }), periodErrors),
        response: answers(
          t.Object({ data: t.Array(WebhookDelivery), cursor: Nullable(t.String()), hasMore: t.Boolean() }),
          { refusals: [400, 404] },
        ),
        detail: {
          operationId: "listWebhookDeliveries",
          summary: "List the deliveries of a webhook, newest first",
          description: "By the time of the event. They are kept for 30 days.",
        },
      },
    )
    .get(
      "/:id/deliveries/:deliveryId",
      async ({ project, params: { id, deliveryId } }) =>
        await getDelivery(ctx, lineOf(project, id), deliveryIdOf(deliveryId)),
      {
        ...oneDelivery,
        response: answers(WebhookDeliveryDetails, { refusals: [404] }),
        detail: {
          operationId: "getWebhookDelivery",
          summary: "Get a delivery, with its request, attempts and last response",
          description: "Of the response the first 4 KB are kept.",
        },
      },
    )
    .post(
      "/:id/deliveries/:deliveryId/replay",
      async ({ project, params: { id, deliveryId }, set }) => {
        set.status = 202;
        return await replayDelivery(ctx, lineOf(project, id), deliveryIdOf(deliveryId));
      },
      {
        ...oneDelivery,
        response: answers(WebhookDeliveryDetails, { status: 202, refusals: [404, 409] }),
        detail: {
          operationId: "replayWebhookDelivery",
          summary: "Send a delivery again",
          description:
            "For ADMIN and OWNER. It has the same `webhook-id` and body as before, and ten attempts. 409 while the webhook is paused.",
        },
      },
    )
    .post(
      "/:id/replay",
      async ({ project, params: { id }, body, set }) => {
        const { status, ...dates } = body;
        const { from, until } = readPeriod(dates);
        set.status = 202;
        return await replayDeliveries(ctx, lineOf(project, id), { status, from, until });
      },
      {
        ...one,
        body: withRules(ReplayBody, periodErrors),
        response: answers(t.Object({ replayed: Int, hasMore: t.Boolean() }, { title: "Replayed" }), {
          status: 202,
          refusals: [400, 404, 409, 413, 415, 422],
        }),
        detail: {
          operationId: "replayWebhookDeliveries",
          summary: "Send deliveries again: of a period, or all that failed",
          description: `For ADMIN and OWNER. \`{"status": "FAILED"}\` replays everything that failed. What is still waiting is left alone. At most ${MAX_REPLAYED.toLocaleString("en")} at once: repeat it while \`hasMore\` is true, with \`status\`. 409 while the webhook is paused.`,
        },
      },
    )
    .post("/:id/test", async ({ project, params: { id } }) => await testWebhook(ctx, lineOf(project, id)), {
      ...one,
      response: answers(WebhookDeliveryDetails, { refusals: [404, 409] }),
      detail: {
        operationId: "testWebhook",
        summary: "Send a test to a webhook now",
        description:
          "For ADMIN and OWNER. Sends one message of the type `webhook.test`, waits for the response (up to 10 s) and returns it. It is not repeated, and works while the webhook is paused.",
      },
    });
}

function lineOf(project: { id: string }, id: string) {
  return { projectId: project.id, webhookId: webhookIdOf(id) };
}

function deliveryIdOf(id: string): string {
  if (!isUuid(id)) throw problems.notFound("delivery", id);
  return id.toLowerCase();
}
