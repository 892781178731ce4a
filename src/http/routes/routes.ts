// /routes: which mails of a project take which transports.
import { Elysia } from "elysia";
import type { Context } from "../../context.ts";
import { parseAddress } from "../../mail/address.ts";
import { getRoutes, putRoutes, routesTag } from "../../sending/transports/route_documents.ts";
import { tryRoutes } from "../../sending/transports/route_trial.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { EditHeaders } from "../entry/edits.ts";
import { answers } from "../entry/schemas.ts";
import { Routes, RoutesBody, RoutesTest, TestRoutesBody } from "./_route_schemas.ts";

export { InstallationRoutes } from "./_route_schemas.ts";

/** The routes of a project, one document. */
export function routesRoutes(ctx: Context) {
  return new Elysia({ prefix: "/routes", detail: { tags: ["Transports"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/",
      async ({ project, set }) => {
        const routes = await getRoutes(ctx, project.id);
        set.headers.etag = routesTag(routes);
        return routes;
      },
      {
        response: answers(Routes),
        detail: {
          operationId: "getRoutes",
          summary: "Get the routes of the project",
          description:
            "The rules in their order. Without any, mails take the transports of the project by priority and weight or, where it has none, those of the installation.",
        },
      },
    )
    .put(
      "/",
      async ({ project, actor, body: { rules }, headers, set }) => {
        const given = rules.map(({ whenFull = "NEXT", ...rule }) => ({ ...rule, whenFull }));
        const edit = { actor, ifMatch: headers["if-match"] };
        const routes = await putRoutes(ctx, project.id, { rules: given }, edit);
        set.headers.etag = routesTag(routes);
        return routes;
      },
      {
        headers: EditHeaders,
        body: RoutesBody,
        response: answers(Routes, { refusals: [400, 412, 413, 415, 422] }),
        detail: {
          operationId: "replaceRoutes",
          summary: "Replace the routes of the project",
          description:
            "For OWNER. The whole document: an empty list removes all rules. Every transport that a rule names has to be one of the project or of the installation (422 at its place).",
        },
      },
    )
    .post(
      "/test",
      async ({ project, body: { type, from, to } }) =>
        await tryRoutes(ctx, {
          projectId: project.id,
          type,
          senderDomain: parseAddress(from)!.domain,
          domain: parseAddress(to)!.domain,
        }),
      {
        body: TestRoutesBody,
        response: answers(RoutesTest, { refusals: [400, 413, 415, 422] }),
        detail: {
          operationId: "testRoutes",
          summary: "Find out which transports a mail would take",
          description:
            "In their order, with the rule that applies. Nothing is sent. Paused transports are left out; those that take no mail now have their state.",
        },
      },
    );
}
