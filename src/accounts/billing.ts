// What a project pays, through Stripe. Nothing of it happens inside a transaction: who comes second, or again after a
// crash, finds at Stripe what the first one has done.
import type { Stripe } from "stripe";
import { dashboardOrigins } from "../config.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { problems } from "../problem.ts";
import {
  asking,
  assertBillingOn,
  isBillingOn,
  isKeySpent,
  isMissing,
  isRefused,
  lineItems,
  stripeOf,
} from "./_stripe.ts";
import { isStanding, readSubscription, subscriptionsOf } from "./_subscriptions.ts";
import { reportUsage } from "./usage_reports.ts";

/** A subscription as it was last read at Stripe, whose words the status has. */
export interface Subscription {
  status: string;
  periodEndsAt: Date | null;
  /** When it ends, where somebody has cancelled it. */
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

/** A session with less time left is not offered again. */
const FRESH_MS = 30 * 60_000;
const MAX_OPEN_SESSIONS = 100;
const MAX_ATTEMPTS = 4;
const INVOICE_ID = /^in_\w{1,250}$/;

/** True while a project has a subscription that has begun and not ended, paid or not. Without Stripe nobody has one. */
export async function hasSubscription(ctx: Context, projectId: string): Promise<boolean> {
  return (await q.billing.account(ctx, { projectId }))?.isLive ?? false;
}

/** The subscription of a project as it was last read; null when it has never had one. */
export async function subscriptionOf(ctx: Context, projectId: string): Promise<Subscription | null> {
  const account = await q.billing.account(ctx, { projectId });
  if (!account?.status) return null;
  const { status, periodEndsAt, cancelsAt, endedAt } = account;
  return { status, periodEndsAt, cancelsAt, endedAt };
}

/**
 * The address of a page of Stripe on which somebody subscribes for a project. There is at most one such page at a time:
 * asked for again it is the same. Throws 501 without Stripe, 409 for a project that has a subscription, 503 where Stripe
 * is away.
 */
export async function startCheckout(
  ctx: Context,
  projectId: string,
  returnUrl: string | undefined,
): Promise<string> {
  assertBillingOn(ctx);
  const back = returnTo(ctx, returnUrl);
  return await asking(ctx, async () => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const customer = await customerOf(ctx, projectId);
      const subscription = await readSubscription(ctx, projectId);
      if (subscription && isStanding(subscription)) throw problems.alreadySubscribed(subscription.status!);
      // Somebody may have deleted that customer at Stripe.
      if (customer === null || subscription?.customerId !== customer) continue;
      const url = await sessionUrl(ctx, projectId, customer, back);
      if (url) return url;
    }
    throw problems.paymentsAway();
  });
}

/** The address of Stripe's pages for a customer. Throws 501, 503, and 409 for a project that never was one. */
export async function openPortal(
  ctx: Context,
  projectId: string,
  returnUrl: string | undefined,
): Promise<string> {
  assertBillingOn(ctx);
  const back = returnTo(ctx, returnUrl).href;
  const account = await q.billing.account(ctx, { projectId });
  const customer = account?.customerId;
  if (!customer) throw problems.neverSubscribed();
  return await asking(ctx, async () => {
    const stripe = await stripeOf(ctx);
    return (await stripe.billingPortal.sessions.create({ customer, return_url: back })).url;
  });
}

/** One page of the invoices of a project, the newest first, after the one with the id `afterId`. Throws 501 and 503. */
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
      if (afterId !== null && isMissing(error)) throw problems.badCursor();
      throw error;
    }
  });
}

/**
 * Ends what a project pays, for good: what it has used until now is reported, its subscription ends with a last invoice,
 * and a checkout that somebody has open is closed. A second call finds nothing to end. Throws where Stripe is away.
 */
export async function endBilling(ctx: Context, projectId: string): Promise<void> {
  const customer = (await q.billing.account(ctx, { projectId }))?.customerId;
  if (!customer) return;
  if (!isBillingOn(ctx.config)) {
    return ctx.log.error("subscription not ended: STRIPE_SECRET_KEY is not set", { projectId, customer });
  }
  await reportUsage(ctx, projectId);
  if (!(await subscriptionsOf(ctx, customer))) return;
  const stripe = await stripeOf(ctx);
  for (const session of await openSessions(stripe, customer)) await closeSession(stripe, session.id);
  for (const { id, ended_at } of (await subscriptionsOf(ctx, customer)) ?? []) {
    if (ended_at !== null) continue;
    await stripe.subscriptions.cancel(id, { invoice_now: true }).catch(unlessRefused);
  }
  await readSubscription(ctx, projectId);
}

/** The customer that a project is at Stripe; made where there is none. Null where that has to be tried again. */
async function customerOf(ctx: Context, projectId: string): Promise<string | null> {
  await q.billing.open(ctx, { projectId });
  const account = await q.billing.account(ctx, { projectId });
  if (!account) throw problems.notFound("project", projectId);
  const { customerId, version, checkouts } = account;
  if (customerId) return customerId;
  const stripe = await stripeOf(ctx);
  const idempotencyKey = `customer-${projectId}-${version}-${checkouts}`;
  return await withKey(ctx, projectId, checkouts, async () => {
    // Nothing that may change meanwhile: whoever asks again under the same key must ask for the same.
    const customer = await stripe.customers.create({ metadata: { projectId } }, { idempotencyKey });
    await q.billing.setCustomer(ctx, { projectId, customerId: customer.id, version, now: ctx.now() });
    return (await q.billing.account(ctx, { projectId }))?.customerId ?? null;
  });
}

/** A page for subscribing: the one that is open already, or a new one. Null where all has to be looked at again. */
async function sessionUrl(
  ctx: Context,
  projectId: string,
  customer: string,
  back: URL,
): Promise<string | null> {
  const stripe = await stripeOf(ctx);
  const [success, cancelled] = [withResult(back, "success"), withResult(back, "cancelled")];
  const freshUntil = (ctx.now().getTime() + FRESH_MS) / 1000;
  let open: Stripe.Checkout.Session | undefined;
  for (const session of await openSessions(stripe, customer)) {
    if (!open && session.success_url === success && session.expires_at > freshUntil) open = session;
    // Two that are open at once could both be completed. One that was completed just now cannot be closed.
    else if (!(await closeSession(stripe, session.id))) return null;
  }
  if (open) return open.url;
  const { checkouts } = (await q.billing.account(ctx, { projectId }))!;
  const params: Stripe.Checkout.SessionCreateParams = {
    mode: "subscription",
    customer,
    client_reference_id: projectId,
    line_items: lineItems(ctx),
    success_url: success,
    cancel_url: cancelled,
    metadata: { projectId },
    subscription_data: { metadata: { projectId } },
  };
  return await withKey(ctx, projectId, checkouts, async () => {
    const idempotencyKey = `checkout-${projectId}-${checkouts}`;
    const session = await stripe.checkout.sessions.create(params, { idempotencyKey });
    // Under this key Stripe would answer with this session for ever, also when it is closed.
    await q.billing.countCheckout(ctx, { projectId, checkouts });
    return session.status === "open" ? session.url : null;
  });
}

/** Asks under a key that holds the number of the checkout. Where that key is spent, the next attempt has another one. */
async function withKey<T>(
  ctx: Context,
  projectId: string,
  checkouts: number,
  ask: () => Promise<T>,
): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (!isKeySpent(error)) throw error;
    ctx.log.warn("stripe key is spent", { projectId, checkouts });
    await q.billing.countCheckout(ctx, { projectId, checkouts });
    return null;
  }
}

async function openSessions(stripe: Stripe, customer: string): Promise<Stripe.Checkout.Session[]> {
  return (await stripe.checkout.sessions.list({ customer, status: "open", limit: MAX_OPEN_SESSIONS })).data;
}

/** False when it was not open any more. */
async function closeSession(stripe: Stripe, id: string): Promise<boolean> {
  try {
    await stripe.checkout.sessions.expire(id);
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
}

/** What has ended meanwhile cannot be ended again. */
function unlessRefused(error: unknown): void {
  if (!isRefused(error)) throw error;
}

/** Where people come back to: a page of ours, or of a dashboard. Throws 422 for any other, so that no link leads astray. */
function returnTo({ config }: Context, given: string | undefined): URL {
  const own = [...dashboardOrigins(config), new URL(config.BASE_URL).origin];
  const url = URL.parse(given ?? dashboardOrigins(config)[0] ?? config.BASE_URL);
  if (url && own.includes(url.origin) && url.username + url.password === "") return url;
  const message = `Expected an address that begins with ${own.join(" or ")}`;
  throw problems.invalid([{ field: "returnUrl", code: "invalid_string", message }]);
}

function withResult(back: URL, result: "success" | "cancelled"): string {
  const url = new URL(back);
  url.searchParams.set("checkout", result);
  return url.href;
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
