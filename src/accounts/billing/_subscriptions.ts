// The subscription of a project, as it is at Stripe. Events only say that something has changed: the current state is
// always read again, so that their order and number make no difference.
import type { Stripe } from "stripe";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { isMissingAtStripe, stripeOf } from "./_stripe.ts";

/** What is written down of a subscription. */
export interface SubscriptionState {
  customerId: string | null;
  subscriptionId: string | null;
  status: string | null;
  periodEndsAt: Date | null;
  cancelsAt: Date | null;
  endedAt: Date | null;
}

/** Statuses from the one that counts most; others come behind all of these. */
const BY_WEIGHT = [
  "active",
  "trialing",
  "past_due",
  "unpaid",
  "paused",
  "incomplete",
  "canceled",
  "incomplete_expired",
];
/** With one of these there is something to be paid, or to be fixed, and no other subscription is wanted. */
const STANDING = ["active", "trialing", "past_due", "unpaid", "paused"];
const MAX_SUBSCRIPTIONS = 100;
/** There are concurrent writes only when very much happens. */
const MAX_ATTEMPTS = 10;

const GONE: SubscriptionState = {
  customerId: null,
  subscriptionId: null,
  status: null,
  periodEndsAt: null,
  cancelsAt: null,
  endedAt: null,
};

/** True for a subscription beside which there should be no other. */
export function isStanding({ status }: { status: string | null }): boolean {
  return status !== null && STANDING.includes(status);
}

/**
 * Reads the subscription of a project at Stripe and stores it; null if the project is not a customer. If somebody
 * else writes in the meantime, it reads again, so that the last reading wins. When a subscription begins, earlier usage
 * is settled: it is not charged.
 */
export async function readSubscription(ctx: Context, projectId: string): Promise<SubscriptionState | null> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const account = await q.billing.account(ctx, { projectId });
    if (!account?.customerId) return null;
    const state = await stateOf(ctx, account.customerId);
    if (state === GONE) ctx.log.warn("stripe customer is gone", { projectId, customer: account.customerId });
    if (await write(ctx, projectId, account.version, state)) return state;
  }
  throw new Error("Cannot store the subscription: it keeps changing");
}

async function write(
  ctx: Context,
  projectId: string,
  version: number,
  state: SubscriptionState,
): Promise<boolean> {
  return await inTransaction(ctx, async (tx) => {
    const now = tx.now();
    const saved = await q.billing.save(tx, { projectId, version, now, ...state });
    if (!saved) return false;
    if (saved.isLive && !saved.wasLive) await q.usageReports.startAfresh(tx, { projectId, now });
    return true;
  });
}

async function stateOf(ctx: Context, customerId: string): Promise<SubscriptionState> {
  const subscriptions = await subscriptionsOf(ctx, customerId);
  if (!subscriptions) return GONE;
  const [current] = subscriptions.toSorted((a, b) => weightOf(a) - weightOf(b) || b.created - a.created);
  if (!current) return { ...GONE, customerId };
  const periodEnds = current.items.data.map((item) => item.current_period_end);
  return {
    customerId,
    subscriptionId: current.id,
    status: current.status,
    periodEndsAt: toDate(periodEnds.length > 0 ? Math.min(...periodEnds) : null),
    cancelsAt: current.ended_at === null ? toDate(current.cancel_at) : null,
    endedAt: toDate(current.ended_at),
  };
}

/** Every subscription that a customer has had, newest first; null for a customer that was deleted. */
export async function subscriptionsOf(
  ctx: Context,
  customerId: string,
): Promise<Stripe.Subscription[] | null> {
  const stripe = await stripeOf(ctx);
  try {
    const customer = await stripe.customers.retrieve(customerId);
    if (customer.deleted) return null;
    const { data } = await stripe.subscriptions.list({
      customer: customerId,
      status: "all",
      limit: MAX_SUBSCRIPTIONS,
    });
    return data;
  } catch (error) {
    if (isMissingAtStripe(error)) return null;
    throw error;
  }
}

function weightOf({ status }: Stripe.Subscription): number {
  const place = BY_WEIGHT.indexOf(status);
  return place === -1 ? BY_WEIGHT.length : place;
}

function toDate(seconds: number | null): Date | null {
  return seconds === null ? null : new Date(seconds * 1000);
}
