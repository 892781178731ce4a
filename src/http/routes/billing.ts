// /users/@me/projects/:id/billing-…: what a project may use, has used, and pays. Bare resources.
import { Elysia, t } from "elysia";
import { listInvoices, openPortal, subscriptionOf } from "../../accounts/billing/mod.ts";
import { startCheckout } from "../../accounts/billing/checkout.ts";
import {
  MAX_LIMIT,
  billingMonth,
  setUsageLimits,
  type UsageLimits,
  usageOf,
} from "../../accounts/billing/usage.ts";
import type { Context } from "../../context.ts";
import { authenticateMember } from "../entry/authenticate.ts";
import { documented } from "../entry/document.ts";
import { clampLimit, CursorQuery, readCursor, toCursor } from "./_lists.ts";
import { answers, Int, Nullable, PathId, Text, Timestamp } from "../entry/schemas.ts";

const Limit = t.Object(
  {
    limit: Nullable(Int),
    usage: Int,
    percentage: t.Number({ description: "Percent of the limit, with two decimals; 0 without a limit." }),
    isWarning: t.Boolean({ description: "At least 80 % is used." }),
    isBlocked: t.Boolean({ description: "The limit is reached." }),
  },
  { title: "BillingLimit" },
);

const Limits = t.Object(
  { workflows: Limit, campaigns: Limit, transactional: Limit, inbound: Limit },
  { title: "BillingLimits" },
);

/** Checked by the module, which says what is expected. */
const WantedLimit = t.Optional(
  documented(Nullable(Int), {
    anyOf: [{ type: "integer", minimum: 1, maximum: MAX_LIMIT }, { type: "null" }],
    description: "Null: no limit.",
  }),
);

const Consumption = t.Object(
  {
    periodStart: Timestamp,
    periodEnd: Timestamp,
    workflows: Int,
    campaigns: Int,
    transactional: Int,
    inbound: Int,
    total: Int,
    subscription: Nullable(
      t.Object({
        status: t.String({ examples: ["active"] }),
        periodEndsAt: Nullable(Timestamp),
        cancelsAt: Nullable(Timestamp),
        endedAt: Nullable(Timestamp),
      }),
    ),
  },
  { title: "BillingConsumption" },
);

const Invoice = t.Object(
  {
    id: t.String(),
    number: Nullable(t.String()),
    status: Nullable(t.String({ examples: ["paid"] })),
    amountDue: Int,
    amountPaid: Int,
    currency: t.String({ examples: ["eur"] }),
    createdAt: Timestamp,
    periodStart: Timestamp,
    periodEnd: Timestamp,
    hostedUrl: Nullable(t.String()),
    pdfUrl: Nullable(t.String()),
  },
  { title: "Invoice" },
);

const Page = t.Object(
  { url: t.String({ description: "A Stripe page: redirect the person to it." }) },
  { title: "BillingPage" },
);

const ReturnBody = t.Optional(
  Nullable(
    t.Object({
      returnUrl: t.Optional(
        Text({
          maxLength: 1000,
          description:
            "Where the person returns to: a page of this service, or of one of its dashboards. Default: the first dashboard.",
        }),
      ),
    }),
  ),
);

const one = { params: t.Object({ id: PathId }) };

/** The billing endpoints of a project, in the order of the specification's table. */
export function billingRoutes(ctx: Context) {
  return new Elysia({
    prefix: "/users/@me/projects/:id",
    detail: { tags: ["Billing"], security: [{ session: [] }] },
  })
    .use(authenticateMember(ctx, { sessionOnly: true }))
    .post(
      "/checkout",
      async ({ project, actor, body }) => ({
        url: await startCheckout(ctx, project.id, actor, body?.returnUrl),
      }),
      {
        ...one,
        body: ReturnBody,
        response: answers(Page, { refusals: [400, 404, 409, 413, 415, 422, 501] }),
        detail: {
          operationId: "startCheckout",
          summary: "Subscribe, on a Stripe page",
          description:
            "People return with `checkout=success` or `checkout=cancelled`. The subscription is active once Stripe has confirmed it, a moment later.",
        },
      },
    )
    .post(
      "/billing-portal",
      async ({ project, actor, body }) => ({
        url: await openPortal(ctx, project.id, actor, body?.returnUrl),
      }),
      {
        ...one,
        body: ReturnBody,
        response: answers(Page, { refusals: [400, 404, 409, 413, 415, 422, 501] }),
        detail: {
          operationId: "openBillingPortal",
          summary: "Change or cancel the subscription, on a Stripe page",
          description:
            "Returns the address of the page. Refused with 409 if there has never been a subscription.",
        },
      },
    )
    .get("/billing-limits", async ({ project }) => await usageOf(ctx, project.id), {
      ...one,
      response: answers(Limits, { refusals: [404] }),
      detail: {
        operationId: "getBillingLimits",
        summary: "Limit and usage of each category in a calendar month (UTC)",
        description: "From counters. Limits apply with and without Stripe.",
      },
    })
    .put(
      "/billing-limits",
      async ({ project, actor, body }) => await setUsageLimits(ctx, project.id, actor, body),
      {
        ...one,
        body: t.Object({
          workflows: WantedLimit,
          campaigns: WantedLimit,
          transactional: WantedLimit,
          inbound: WantedLimit,
        }),
        response: answers(Limits, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "updateBillingLimits",
          summary: "Change the given limits; null removes one",
          description:
            "Requests that would exceed a limit are refused with 402 `BILLING_LIMIT_EXCEEDED`. Owners and admins get a mail at 80 % and at 100 %.",
        },
      },
    )
    .get("/billing-consumption", async ({ project }) => await consumptionOf(ctx, project.id), {
      ...one,
      response: answers(Consumption, { refusals: [404] }),
      detail: {
        operationId: "getBillingConsumption",
        summary: "Usage in this calendar month (UTC)",
        description: "By category, from counters.",
      },
    })
    .get(
      "/billing-invoices",
      async ({ project, query }) => {
        const afterId = query.cursor === undefined ? null : readCursor(query.cursor, 1)[0]!;
        const limit = clampLimit(query.limit);
        const { data, hasMore } = await listInvoices(ctx, project.id, { limit, afterId });
        return { data, cursor: hasMore ? toCursor([data.at(-1)!.id]) : null, hasMore };
      },
      {
        ...one,
        query: t.Object(CursorQuery),
        response: answers(
          t.Object({ data: t.Array(Invoice), cursor: Nullable(t.String()), hasMore: t.Boolean() }),
          { refusals: [400, 404, 501] },
        ),
        detail: {
          operationId: "listInvoices",
          summary: "List invoices, newest first",
          description: "As Stripe has them, with their pages and files.",
        },
      },
    );
}

async function consumptionOf(ctx: Context, projectId: string) {
  const now = ctx.now();
  const [limits, subscription] = await Promise.all([usageOf(ctx, projectId), subscriptionOf(ctx, projectId)]);
  const { start, end } = billingMonth(now);
  const usage = usageIn(limits);
  const total = Object.values(usage).reduce((sum, count) => sum + count, 0);
  return { periodStart: start, periodEnd: end, ...usage, total, subscription };
}

function usageIn({ workflows, campaigns, transactional, inbound }: UsageLimits) {
  return {
    workflows: workflows.usage,
    campaigns: campaigns.usage,
    transactional: transactional.usage,
    inbound: inbound.usage,
  };
}
