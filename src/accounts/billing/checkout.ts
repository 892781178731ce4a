// How a project gets a subscription: on a page of Stripe. At most one page is open for it at a time, so that nobody
// pays twice, however often a page is asked for, and whatever gets lost on the way.
import type { Stripe } from "stripe";
import { dashboardAddress, dashboardOrigins } from "../../config/mod.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { type Actor, recordAudit } from "../audit.ts";
import { asking, assertBillingOn, isKeySpent, isRefused, lineItems, stripeOf } from "./_stripe.ts";
import { isStanding, readSubscription } from "./_subscriptions.ts";

/** A session with less time left is not offered again. */
const FRESH_MS = 30 * 60_000;
const MAX_OPEN_SESSIONS = 100;
const MAX_ATTEMPTS = 4;

/**
 * The address of a page of Stripe on which somebody subscribes for a project. There is at most one such page at a time:
 * asked for again it is the same. Throws 501 without Stripe, 409 for a project that has a subscription, 503 if Stripe
 * is away.
 */
export async function startCheckout(
  ctx: Context,
  projectId: string,
  actor: Actor,
  returnUrl: string | undefined,
): Promise<string> {
  assertBillingOn(ctx);
  const back = returnTo(ctx, returnUrl);
  const page = await asking(ctx, async () => {
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
  await recordAudit(ctx, { projectId, actor, action: "billing.checkout_started" });
  return page;
}

/** Closes every page that a customer has open. */
export async function closeCheckouts(ctx: Context, customer: string): Promise<void> {
  const stripe = await stripeOf(ctx);
  for (const session of await openSessions(stripe, customer)) await closeSession(stripe, session.id);
}

/** The customer that a project is at Stripe; made if there is none. Null if that has to be tried again. */
async function customerOf(ctx: Context, projectId: string): Promise<string | null> {
  await q.billing.open(ctx, { projectId });
  const account = await q.billing.account(ctx, { projectId });
  if (!account) throw problems.notFound("project", projectId);
  const { customerId, version, checkouts } = account;
  if (customerId) return customerId;
  const stripe = await stripeOf(ctx);
  const idempotencyKey = `customer-${projectId}-${version}-${checkouts}`;
  return await withKey(ctx, projectId, checkouts, async () => {
    // Nothing that may change in the meantime: a request under the same key must have the same content.
    const customer = await stripe.customers.create({ metadata: { projectId } }, { idempotencyKey });
    await q.billing.setCustomer(ctx, { projectId, customerId: customer.id, version, now: ctx.now() });
    return (await q.billing.account(ctx, { projectId }))?.customerId ?? null;
  });
}

/** A page for subscribing: the open one, or a new one. Null if everything has to be read again. */
async function sessionUrl(
  ctx: Context,
  projectId: string,
  customer: string,
  back: URL,
): Promise<string | null> {
  const stripe = await stripeOf(ctx);
  const [success, cancelled] = [withResult(back, "success"), withResult(back, "cancelled")];
  const freshUntil = (ctx.now().getTime() + FRESH_MS) / 1000;
  // Read before the open pages are: with the number of a page that was opened meanwhile there would be a second one.
  const { checkouts } = (await q.billing.account(ctx, { projectId }))!;
  let open: Stripe.Checkout.Session | undefined;
  for (const session of await openSessions(stripe, customer)) {
    if (!open && session.success_url === success && session.expires_at > freshUntil) open = session;
    // Two open pages could both be completed. One that was completed just now cannot be closed.
    else if (!(await closeSession(stripe, session.id))) return null;
  }
  if (open) return open.url;
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

/** Asks under a key that holds the number of the checkout. If that key is spent, the next attempt has another one. */
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

/**
 * Where people return to: a page of ours, or of a dashboard. Throws 422 for any other, so that no link leads astray.
 */
export function returnTo({ config }: Context, given: string | undefined): URL {
  const own = [...dashboardOrigins(config), new URL(config.BASE_URL).origin];
  const url = URL.parse(given ?? dashboardAddress(config));
  // A blob URL has the origin of the page that created it, but is not a page of it.
  const isPage = url !== null && /^https?:$/.test(url.protocol);
  if (isPage && own.includes(url.origin) && url.username + url.password === "") return url;
  const message = `Expected an address that begins with ${own.join(" or ")}`;
  throw problems.invalid([{ field: "returnUrl", code: "invalid_string", message }]);
}

function withResult(back: URL, result: "success" | "cancelled"): string {
  const url = new URL(back);
  url.searchParams.set("checkout", result);
  return url.href;
}
