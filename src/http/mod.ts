// The table of contents of the HTTP service: one line per first path segment.
import { type AnyElysia, Elysia } from "elysia";
import type { Context } from "../context.ts";
import { problems } from "../problem/mod.ts";
import type { ApiDescription } from "./mcp/operations.ts";
import { compatError, compatRoutes } from "./compat/mod.ts";
import { planBodies } from "./entry/body_plans.ts";
import { corsHeaders, preflight } from "./entry/cors.ts";
import { allowedMethods, wordsTakenForIds } from "./entry/methods.ts";
import { openApiDocument } from "./entry/openapi.ts";
import { withTheOtherMethod } from "./entry/other_method.ts";
import { problemResponses } from "./entry/problems.ts";
import { assertKnownQuery, dropEmpty, isOpenRoute, planQueries } from "./entry/query_names.ts";
import { begin, endRequest, logRequest } from "./entry/requests.ts";
import { noteRoute } from "./entry/traces.ts";
import { transportHeaders } from "./entry/transport.ts";
import { activityStreamRoutes } from "./routes/activity_stream.ts";
import { activityRoutes } from "./routes/activity.ts";
import { analyticsRoutes } from "./routes/analytics.ts";
import { appRoutes } from "./routes/app.ts";
import { authRoutes } from "./routes/auth.ts";
import { billingRoutes } from "./routes/billing.ts";
import { campaignCheckRoutes } from "./routes/campaign_check.ts";
import { campaignOutcomesRoutes } from "./routes/campaign_outcomes.ts";
import { campaignSendingRoutes } from "./routes/campaign_sending.ts";
import { campaignsRoutes } from "./routes/campaigns.ts";
import { contactFieldRoutes } from "./routes/contact_fields.ts";
import { contactImportRoutes } from "./routes/contact_imports.ts";
import { contactJobRoutes } from "./routes/contact_jobs.ts";
import { contactListRoutes } from "./routes/contact_list.ts";
import { contactsRoutes } from "./routes/contacts.ts";
import { capturedMailsRoutes } from "./routes/captured_mails.ts";
import { configRoutes } from "./routes/config.ts";
import { deliverabilityRoutes } from "./routes/deliverability.ts";
import { docsRoutes } from "./routes/docs.ts";
import { domainsRoutes } from "./routes/domains.ts";
import { routesRoutes } from "./routes/routes.ts";
import { transportsRoutes } from "./routes/transports.ts";
import { movesRoutes } from "./routes/moves.ts";
import { warmupPlansRoutes } from "./routes/warmup_plans.ts";
import { emailAttachmentsRoutes } from "./routes/email_attachments.ts";
import { emailsRoutes } from "./routes/emails.ts";
import { eventsRoutes } from "./routes/events.ts";
import { troublePage } from "./pages/home_page.ts";
import { homeRoutes } from "./routes/home.ts";
import { healthRoutes } from "./routes/health.ts";
import { inboxRoutes } from "./routes/inbox.ts";
import { mcpRoutes } from "./routes/mcp.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { oauthRoutes } from "./routes/oauth.ts";
import { projectKeysRoutes } from "./routes/project_keys.ts";
import { projectsRoutes } from "./routes/projects.ts";
import { segmentViewsRoutes } from "./routes/segment_views.ts";
import { requestsRoutes } from "./routes/requests.ts";
import { searchRoutes } from "./routes/search.ts";
import { segmentsRoutes } from "./routes/segments.ts";
import { subscriptionRoutes } from "./routes/subscription.ts";
import { suppressionFilesRoutes } from "./routes/suppression_files.ts";
import { suppressionsRoutes } from "./routes/suppressions.ts";
import { tRoutes } from "./routes/t.ts";
import { templateUsesRoutes } from "./routes/template_uses.ts";
import { templateVersionsRoutes } from "./routes/template_versions.ts";
import { templatesRoutes } from "./routes/templates.ts";
import { noteForwarded } from "./entry/unnamed_proxies.ts";
import { uploadLibraryRoutes } from "./routes/upload_library.ts";
import { uploadsRoutes } from "./routes/uploads.ts";
import { usersRoutes } from "./routes/users.ts";
import { v1Routes } from "./routes/v1.ts";
import { webhookDeliveriesRoutes } from "./routes/webhook_deliveries.ts";
import { webhookEndpointsRoutes } from "./routes/webhook_endpoints.ts";
import { webhooksRoutes } from "./routes/webhooks.ts";
import { workflowExecutionRoutes } from "./routes/workflow_executions.ts";
import { workflowStepsRoutes } from "./routes/workflow_steps.ts";
import { workflowVersionsRoutes } from "./routes/workflow_versions.ts";
import { workflowsRoutes } from "./routes/workflows.ts";

// For a silent database: our own callers will not wait longer.
const PATIENCE_MS = 15_000;

/** The HTTP service, not yet listening. */
export function createApp(given: Context): AnyElysia {
  const ctx: Context = { patienceMs: PATIENCE_MS, ...given };
  const transport = transportHeaders(ctx.config);
  const asTaken = withTheOtherMethod(() => app.routes);
  const isTakenForId = wordsTakenForIds(() => app.routes);
  const app: AnyElysia = new Elysia({ aot: true })
    .onRequest(({ request, set }) => {
      const taken = asTaken(request);
      if (taken !== request) return app.handle(taken);
      const path = pathOf(request.url);
      const requestId = begin(request, ctx.now());
      noteForwarded(ctx, request, app.server);
      set.headers["x-request-id"] = requestId;
      set.headers["x-content-type-options"] = "nosniff";
      Object.assign(set.headers, transport, corsHeaders(ctx, request, path));
      const answer = preflight(ctx, request, path, requestId);
      if (answer) logRequest(ctx.log, request, "preflight", answer.status);
      if (answer) return answer;
      if (isTakenForId(request.method, path)) {
        throw problems.methodNotAllowed(request.method, path, allowedMethods(app.routes, path));
      }
      return undefined;
    })
    .onTransform({ as: "global" }, ({ params, query, request, route }) => {
      noteRoute(request, route);
      readable(params);
      if (request.url.includes("?")) dropEmpty(ctx, request, route, query);
      // Behind a key the caller is authenticated first.
      if (isOpenRoute(ctx, request.method, route)) return assertKnownQuery(ctx, request, route);
    })
    .onAfterResponse({ as: "global" }, ({ request, route, set }) => {
      endRequest(ctx, request, route, Number(set.status ?? 200));
    })
    .use(problemResponses((path) => allowedMethods(app.routes, path), troublePage, compatError))
    .use(homeRoutes(ctx))
    .use(appRoutes(ctx))
    .use(v1Routes(ctx))
    .use(contactListRoutes(ctx))
    .use(contactsRoutes(ctx))
    .use(contactFieldRoutes(ctx))
    .use(contactImportRoutes(ctx))
    .use(contactJobRoutes(ctx))
    .use(segmentsRoutes(ctx))
    .use(segmentViewsRoutes(ctx))
    .use(templatesRoutes(ctx))
    .use(templateVersionsRoutes(ctx))
    .use(campaignCheckRoutes(ctx))
    .use(templateUsesRoutes(ctx))
    .use(campaignOutcomesRoutes(ctx))
    .use(campaignsRoutes(ctx))
    .use(campaignSendingRoutes(ctx))
    .use(workflowsRoutes(ctx))
    .use(workflowStepsRoutes(ctx))
    .use(workflowVersionsRoutes(ctx))
    .use(workflowExecutionRoutes(ctx))
    .use(eventsRoutes(ctx))
    .use(domainsRoutes(ctx))
    .use(transportsRoutes(ctx))
    .use(routesRoutes(ctx))
    .use(warmupPlansRoutes(ctx))
    .use(movesRoutes(ctx))
    .use(emailsRoutes(ctx))
    .use(emailAttachmentsRoutes(ctx))
    .use(suppressionsRoutes(ctx))
    .use(suppressionFilesRoutes(ctx))
    .use(analyticsRoutes(ctx))
    .use(deliverabilityRoutes(ctx))
    .use(activityRoutes(ctx))
    .use(activityStreamRoutes(ctx))
    .use(requestsRoutes(ctx))
    .use(searchRoutes(ctx))
    .use(authRoutes(ctx))
    .use(oauthRoutes(ctx))
    .use(usersRoutes(ctx))
    .use(billingRoutes(ctx))
    .use(projectsRoutes(ctx))
    .use(projectKeysRoutes(ctx))
    .use(capturedMailsRoutes(ctx))
    .use(uploadLibraryRoutes(ctx))
    .use(uploadsRoutes(ctx))
    .use(configRoutes(ctx))
    .use(subscriptionRoutes(ctx))
    .use(tRoutes(ctx))
    .use(webhooksRoutes(ctx))
    .use(webhookEndpointsRoutes(ctx))
    .use(webhookDeliveriesRoutes(ctx))
    .use(healthRoutes(ctx))
    .use(metricsRoutes(ctx))
    .use(docsRoutes(() => openApiDocument(app, ctx.config)))
    .use(
      mcpRoutes(
        ctx,
        () => openApiDocument(app, ctx.config) as unknown as ApiDescription,
        async (request) => await app.handle(request),
      ),
    )
    .use(compatRoutes(ctx))
    .use(inboxRoutes(ctx));
  planBodies(ctx, app.routes);
  planQueries(ctx, app.routes);
  return app;
}

function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const end = url.indexOf("?", start);
  return start === -1 ? "/" : url.slice(start, end === -1 ? undefined : end);
}

/** The router returns null for invalid percent-encoding; a route gets text, which matches nothing. */
function readable(params: Record<string, string | null | undefined> = {}): void {
  for (const name in params) params[name] ??= "\ufffd";
}
