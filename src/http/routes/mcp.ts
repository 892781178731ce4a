// POST /mcp: the project for agents, by the Model Context Protocol. Its tools call the API, each with the key of the request.
import { Kind } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import type { createAgentServer } from "../mcp/server.ts";
import type { ApiDescription } from "../mcp/operations.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { bounded } from "../entry/body_bounds.ts";
import { Text, Words } from "../entry/schemas.ts";

/** As much as the largest body that a tool passes on, with what is around it. */
const PARAMS_SIZE = { bytes: 1_572_864, values: 50_000, levels: 64, escape: 1.5 };

const Message = t.Object({
  jsonrpc: Words(["2.0"]),
  id: t.Optional(t.Union([Text({ maxLength: 255 }), t.Number()])),
  method: Text({ maxLength: 100 }),
  params: t.Optional(
    bounded(t.Unsafe<Record<string, unknown>>({ [Kind]: "Data", "x-any-object": true }), PARAMS_SIZE),
  ),
});

/** `POST /mcp`. It is no part of the OpenAPI document: the guide on agents describes it. */
export function mcpRoutes(
  ctx: Context,
  document: () => ApiDescription,
  handle: (request: Request) => Promise<Response>,
) {
  let server: Promise<ReturnType<typeof createAgentServer>> | undefined;
  const loaded = async () => {
    const { createAgentServer: create } = await import("../mcp/server.ts");
    return create(ctx, document(), handle);
  };
  return new Elysia({ detail: { hide: true } })
    .use(authenticateKey(ctx, "secret"))
    .post(
      "/mcp",
      async ({ project, scopes, request, body }) =>
        await (
          await (server ??= loaded())
        )({ project, scopes, request, message: body }),
      { body: Message },
    );
}
