// /webhooks: the endpoints that a project is told at what happens in it.
import { Elysia, t } from "elysia";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  MAX_WEBHOOKS,
  revealSecret,
  rotateSecret,
  updateWebhook,
  webhookErrors,
} from "../../automation/endpoints/mod.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import { answers, isUuid, PathId } from "../entry/schemas.ts";
import {
  CreateWebhookBody,
  EndpointSecret,
  NewWebhookEndpoint,
  PatchWebhookBody,
  WebhookEndpoint,
} from "./_webhook_schemas.ts";

const one = { params: t.Object({ id: PathId }) };

/** The endpoints of a project. */
export function webhookEndpointsRoutes(ctx: Context) {
  const rules = (given: Parameters<typeof webhookErrors>[1]) => webhookErrors(ctx.config, given);
  return new Elysia({ prefix: "/webhooks", detail: { tags: ["Webhooks"] } })
    .use(authenticateKey(ctx, "secret"))
    .get("/", async ({ project }) => ({ webhooks: await listWebhooks(ctx, project.id) }), {
      response: answers(t.Object({ webhooks: t.Array(WebhookEndpoint) })),
      detail: {
        operationId: "listWebhooks",
        summary: "List the webhooks, oldest first",
        description: "With their state and the calls of the last 7 days, but without their secrets.",
      },
    })
    .post(
      "/",
      async ({ project, actor, body, set }) => {
        const errors = rules(body);
        if (errors.length > 0) throw problems.invalid(errors);
        const { description = "", eventNames = null, enabled = true, ...rest } = body;
        set.status = 201;
        return await createWebhook(ctx, project.id, { ...rest, description, eventNames, enabled }, actor);
      },
      {
        body: withRules(CreateWebhookBody, rules),
        response: answers(NewWebhookEndpoint, { status: 201, refusals: [400, 409, 413, 415, 422] }),
        detail: {
          operationId: "createWebhook",
          summary: "Create a webhook",
          description: `For ADMIN and OWNER. From now on, each event of these types is sent to the URL, signed according to Standard Webhooks with the \`secret\` in this response. A project has at most ${MAX_WEBHOOKS} (409).`,
        },
      },
    )
    .get("/:id", async ({ project, params: { id } }) => await getWebhook(ctx, project.id, webhookIdOf(id)), {
      ...one,
      response: answers(WebhookEndpoint, { refusals: [404] }),
      detail: { operationId: "getWebhook", summary: "Get a webhook", description: "Without its secret." },
    })
    .patch(
      "/:id",
      async ({ project, actor, params: { id }, body }) => {
        const errors = webhookErrors(ctx.config, { url: body.url });
        if (errors.length > 0) throw problems.invalid(errors);
        return await updateWebhook(ctx, project.id, webhookIdOf(id), body, actor);
      },
      {
        ...one,
        body: withRules(PatchWebhookBody, ({ url }: { url?: string | undefined }) => rules({ url })),
        response: answers(WebhookEndpoint, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "updateWebhook",
          summary: "Change or pause a webhook",
          description:
            "For ADMIN and OWNER. Changes only the given fields. `enabled: false` pauses it: what waits stays, and nothing new is collected. `enabled: true` delivers what waits at once.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ project, actor, params: { id }, set }) => {
        await deleteWebhook(ctx, project.id, webhookIdOf(id), actor);
        set.status = 204;
      },
      {
        ...one,
        response: answers(t.Void(), { status: 204, refusals: [404] }),
        detail: {
          operationId: "deleteWebhook",
          summary: "Delete a webhook, with everything that waits for it",
          description: "For ADMIN and OWNER.",
        },
      },
    )
    .get(
      "/:id/secret",
      async ({ project, params: { id } }) => shown(await revealSecret(ctx, project.id, webhookIdOf(id))),
      {
        ...one,
        response: answers(EndpointSecret, { refusals: [404, 409] }),
        detail: {
          operationId: "getEndpointSecret",
          summary: "Get the secret of a webhook",
          description: "For ADMIN and OWNER, and for keys with the scope `all`.",
        },
      },
    )
    .post(
      "/:id/rotate-secret",
      async ({ project, actor, params: { id } }) =>
        shown(await rotateSecret(ctx, project.id, webhookIdOf(id), actor)),
      {
        ...one,
        response: answers(EndpointSecret, { refusals: [404] }),
        detail: {
          operationId: "rotateEndpointSecret",
          summary: "Create a new secret for a webhook",
          description:
            "For ADMIN and OWNER. For one day, deliveries are signed with the previous secret as well, so that the receiver can switch.",
        },
      },
    );
}

function shown({ secret, previous }: Awaited<ReturnType<typeof revealSecret>>) {
  return { secret, previousUntil: previous?.until ?? null };
}

/** The id of a webhook. Throws not-found for what is none. */
export function webhookIdOf(id: string): string {
  if (!isUuid(id)) throw problems.notFound("webhook", id);
  return id.toLowerCase();
}
