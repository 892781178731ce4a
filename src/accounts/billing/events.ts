// Events from Stripe. An event is a reason to look, and nothing more: a job reads the current state.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJob, type Jobs } from "../../jobs.ts";
import { problems } from "../../problem/mod.ts";
import { assertBillingOn, stripeOf } from "./_stripe.ts";
import { readSubscription } from "./_subscriptions.ts";
import { claimReceipts } from "../webhook_receipts.ts";

/** What is older, by the time that is signed, is somebody's recording of it. */
const TOLERANCE_S = 300;

/** What we look at of an event. */
interface BillingEvent {
  id: string;
  type: string;
  /** The customer that it is about; null if there is none. */
  customerId: string | null;
}

/**
 * Accepts an event of Stripe: committed when it resolves, and a repeat changes nothing. Throws NOT_CONFIGURED (404)
 * without Stripe, 403 for what Stripe has not signed within five minutes, 400 for anything that is not an event.
 */
export async function takeBillingEvent(
  ctx: Context,
  payload: Uint8Array,
  signature: string | null,
): Promise<void> {
  assertBillingOn(ctx, 404);
  const event = readEvent(await verified(ctx, payload, signature));
  if (!event) throw problems.badRequest("Cannot read this as a Stripe event");
  if (event.customerId === null) return;
  const account = await q.billing.byCustomer(ctx, { customerId: event.customerId });
  if (!account) {
    return ctx.log.info("event about an unknown customer", { type: event.type, customer: event.customerId });
  }
  const { projectId } = account;
  await inTransaction(ctx, async (tx) => {
    const fresh = await claimReceipts(tx, "stripe", [event.id]);
    if (fresh.size === 0) return;
    // Stripe sends several events at once; reading once is enough.
    await addJob(tx, "sync_billing", { projectId }, { key: `sync_billing:${projectId}` });
  });
}

/** Reads at Stripe how the subscription of a project stands, and writes it down. A second run does the same again. */
export async function syncBilling(ctx: Context, { projectId }: Jobs["sync_billing"]): Promise<void> {
  await readSubscription(ctx, projectId);
}

async function verified(ctx: Context, payload: Uint8Array, signature: string | null): Promise<unknown> {
  const stripe = await stripeOf(ctx);
  try {
    return await stripe.webhooks.constructEventAsync(
      payload,
      signature ?? "",
      ctx.config.STRIPE_WEBHOOK_SECRET!,
      TOLERANCE_S,
      undefined,
      ctx.now().getTime(),
    );
  } catch (error) {
    if (error instanceof SyntaxError) throw problems.badRequest("Cannot read this as a Stripe event");
    throw problems.forgedNotification("Stripe did not sign it, or did so too long ago");
  }
}

function readEvent(event: unknown): BillingEvent | null {
  const { id, type, data } = (event ?? {}) as { id?: unknown; type?: unknown; data?: { object?: unknown } };
  if (typeof id !== "string" || typeof type !== "string") return null;
  const about = (data?.object ?? {}) as { object?: unknown; id?: unknown; customer?: unknown };
  const customer = about.object === "customer" ? about.id : about.customer;
  const customerId = typeof customer === "object" ? (customer as { id?: unknown } | null)?.id : customer;
  return { id, type, customerId: typeof customerId === "string" ? customerId : null };
}
