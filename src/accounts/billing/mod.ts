// What a project pays, through Stripe. None of it happens inside a transaction: a second attempt, or one after a crash,
// finds at Stripe what the first one has done.
import type { Stripe } from "stripe";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { type Actor, recordAudit } from "../audit.ts";
import { asking, assertBillingOn, isBillingOn, isMissingAtStripe, isRefused, stripeOf } from "./_stripe.ts";
import { readSubscription, subscriptionsOf } from "./_subscriptions.ts";
import { closeCheckouts, returnTo } from "./checkout.ts";
import { reportUsage } from "./usage_reports.ts";

/** A subscription as last read at Stripe; the status is in Stripe's terms. */
export interface StripeSubscription {
  status: string;
  periodEndsAt: Date | null;
  /** When it ends, if somebody has cancelled it. */
  cancelsAt: Date | null;
  endedAt: Date | null;
}

/** An invoice; amounts in the smallest unit of the currency. */
export interface Invoice {
  id: string;
  number: string | null;
  status: string | null;
  amountDue: number;
  amountPaid: number;
  currency: string;
  createdAt: Date;
  periodStart: Date;
  periodEnd: Date;
  hostedUrl: string | null;
  pdfUrl: string | null;
}

const INVOICE_ID = /^in_\w{1,250}$/;

/** True while a project has a subscription that has begun and not ended, paid or not. Without Stripe there is none. */
export async function hasSubscription(ctx: Context, projectId: string): Promise<boolean> {
  return (await q.billing.account(ctx, { projectId }))?.isLive ?? false;
}

/** The subscription of a project as last read; null when it has never had one. */
export async function subscriptionOf(ctx: Context, projectId: string): Promise<StripeSubscription | null> {
  const account = await q.billing.account(ctx, { projectId });
  if (!account?.status) return null;
  const { status, periodEndsAt, cancelsAt, endedAt } = account;
  return { status, periodEndsAt, cancelsAt, endedAt };
}

/** The address of Stripe's pages for a customer. Throws 501, 503, and 409 for a project that never was one. */
export async function openPortal(
  ctx: Context,
  projectId: string,
  actor: Actor,
  returnUrl: string | undefined,
): Promise<string> {
  assertBillingOn(ctx);
  const back = returnTo(ctx, returnUrl).href;
  const account = await q.billing.account(ctx, { projectId });
  const customer = account?.customerId;
  if (!customer) throw problems.neverSubscribed();
  const url = await asking(ctx, async () => {
    const stripe = await stripeOf(ctx);
    return (await stripe.billingPortal.sessions.create({ customer, return_url: back })).url;
  });
  await recordAudit(ctx, { projectId, actor, action: "billing.portal_opened" });
  return url;
}

/** One page of the invoices of a project, newest first, after the one with the id `afterId`. Throws 501 and 503. */
export async function listInvoices(
  ctx: Context,
  projectId: string,
  { limit, afterId }: { limit: number; afterId: string | null },
): Promise<{ data: Invoice[]; hasMore: boolean }> {
  assertBillingOn(ctx);
  if (afterId !== null && !INVOICE_ID.test(afterId)) throw problems.badCursor();
  const customer = (await q.billing.account(ctx, { projectId }))?.customerId;
  if (!customer) return { data: [], hasMore: false };
  return await asking(ctx, async () => {
    const stripe = await stripeOf(ctx);
    try {
      const after = afterId === null ? {} : { starting_after: afterId };
      const page = await stripe.invoices.list({ customer, limit, ...after });
      return { data: page.data.map(toInvoice), hasMore: page.has_more };
    } catch (error) {
      if (afterId !== null && isMissingAtStripe(error)) throw problems.badCursor();
      throw error;
    }
  });
}

/**
 * Ends what a project pays, permanently: its usage so far is reported, its subscription ends with a final invoice, and an
 * open checkout is closed. A second call finds nothing to end. Throws if Stripe is not reachable.
 */
export async function endBilling(ctx: Context, projectId: string): Promise<void> {
  const customer = (await q.billing.account(ctx, { projectId }))?.customerId;
  if (!customer) return;
  if (!isBillingOn(ctx.config)) {
    return ctx.log.error("subscription not ended: STRIPE_SECRET_KEY is not set", { projectId, customer });
  }
  await reportUsage(ctx, projectId);
  if (!(await subscriptionsOf(ctx, customer))) return;
  await closeCheckouts(ctx, customer);
  const stripe = await stripeOf(ctx);
  for (const { id, ended_at } of (await subscriptionsOf(ctx, customer)) ?? []) {
    if (ended_at !== null) continue;
    await stripe.subscriptions.cancel(id, { invoice_now: true }).catch(unlessRefused);
  }
  await readSubscription(ctx, projectId);
}

/** What has already ended cannot be ended again. */
function unlessRefused(error: unknown): void {
  if (!isRefused(error)) throw error;
}

function toInvoice(invoice: Stripe.Invoice): Invoice {
  return {
    id: invoice.id,
    number: invoice.number,
    status: invoice.status,
    amountDue: invoice.amount_due,
    amountPaid: invoice.amount_paid,
    currency: invoice.currency,
    createdAt: new Date(invoice.created * 1000),
    periodStart: new Date(invoice.period_start * 1000),
    periodEnd: new Date(invoice.period_end * 1000),
    hostedUrl: invoice.hosted_invoice_url ?? null,
    pdfUrl: invoice.invoice_pdf ?? null,
  };
}
