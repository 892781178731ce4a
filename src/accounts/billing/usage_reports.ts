// Reports usage to Stripe, piece by piece, from the counters. A piece is stored and committed before it is reported,
// under a name that never changes: reporting it again, after a crash too, is recognised by Stripe.
import type { Stripe } from "stripe";
import { type Config, stripeMeters } from "../../config/mod.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { isAway, isBillingOn, isKnownEvent, isRefused, isUndone, stripeError, stripeOf } from "./_stripe.ts";

/** A piece on its way. */
type Piece = Awaited<ReturnType<typeof q.usageReports.claim>>[number];

const CLAIM_LIMIT = 200;
/** Projects that are reported concurrently. One project is reported piece after piece, as Stripe requires. */
const AT_ONCE = 8;
/** Longer than any request takes; after that its process is taken for dead. */
const HOLD_MS = 5 * 60_000;
/** When something that Stripe rejects is reported again: the settings may have been corrected. */
const REFUSED_MS = 3_600_000;
/** Stripe remembers names for 24 hours at least. What has had no answer for nearly as long might count twice. */
const DOUBT_MS = 20 * 3_600_000;
/** Stripe takes nothing that is older than 35 days. */
const TOO_OLD_MS = 35 * 24 * 3_600_000;

const DOUBTFUL = "It is unknown whether Stripe has counted this";
const TOO_OLD = "Stripe has refused this for 35 days";

/**
 * Reports to Stripe everything that was used since the last time by projects with a subscription; with a `projectId`,
 * by that project alone. Throws when Stripe cannot be reached: the next run continues there.
 */
export async function reportUsage(ctx: Context, projectId: string | null = null): Promise<void> {
  if (!isBillingOn(ctx.config)) return;
  await writePieces(ctx, projectId);
  for (let pieces = await claim(ctx, projectId); pieces.length > 0; pieces = await claim(ctx, projectId)) {
    await tellAll(ctx, pieces);
  }
}

async function writePieces(ctx: Context, projectId: string | null): Promise<void> {
  const meters = Object.entries(metersOf(ctx.config));
  await q.usageReports.make(ctx, {
    projectId,
    now: ctx.now(),
    categories: meters.map(([category]) => category),
    eventNames: meters.map(([, eventName]) => eventName),
  });
}

async function claim(ctx: Context, projectId: string | null): Promise<Piece[]> {
  const now = ctx.now();
  const heldUntil = new Date(now.getTime() + HOLD_MS);
  return await q.usageReports.claim(ctx, { projectId, now, heldUntil, limit: CLAIM_LIMIT });
}

/** Reports all of them, unless Stripe becomes unreachable: then those not reported are given back, and it throws. */
async function tellAll(ctx: Context, pieces: Piece[]): Promise<void> {
  const stripe = await stripeOf(ctx);
  const projects = [...Map.groupBy(pieces, ({ projectId }) => projectId).values()];
  let trouble: unknown;
  const work = async () => {
    for (let own = projects.pop(); own !== undefined; own = projects.pop()) {
      for (const piece of own) {
        if (trouble !== undefined) await settle(ctx, piece, { triedAt: piece.triedAt });
        else await tell(ctx, stripe, piece).catch((error) => (trouble ??= error));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (trouble !== undefined) throw trouble;
}

/** Tells one piece. Throws if the others need not be tried now. */
async function tell(ctx: Context, stripe: Stripe, piece: Piece): Promise<void> {
  const now = ctx.now();
  if (piece.triedAt !== null && now.getTime() - piece.triedAt.getTime() > DOUBT_MS) {
    return await giveUp(ctx, piece, DOUBTFUL);
  }
  if (now.getTime() - piece.at.getTime() > TOO_OLD_MS) return await giveUp(ctx, piece, TOO_OLD);
  await q.usageReports.trying(ctx, { ...keyOf(piece), now });
  try {
    // Without an idempotency key of ours: Stripe would repeat its own failures for a day. The name is enough.
    await stripe.billing.meterEvents.create(eventOf(ctx.config, piece));
  } catch (error) {
    if (!isKnownEvent(error)) return await putOff(ctx, piece, error);
  }
  await settle(ctx, piece, { settledAt: ctx.now() });
}

/** A meter event. Its name is the piece's, and so is all else that must not change. */
function eventOf(config: Config, piece: Piece): Stripe.Billing.MeterEventCreateParams {
  const { projectId, month, category, number } = piece;
  return {
    event_name: metersOf(config)[category] ?? piece.eventName,
    identifier: `${projectId}:${month.toISOString().slice(0, 7)}:${category}:${number}`,
    payload: { stripe_customer_id: piece.customerId, value: String(piece.quantity) },
    timestamp: Math.floor(piece.at.getTime() / 1000),
  };
}

/** Throws unless it is this piece alone that Stripe does not want. */
async function putOff(ctx: Context, piece: Piece, error: unknown): Promise<void> {
  // An earlier attempt may have counted even though it failed.
  const triedAt = isUndone(error) && piece.triedAt === null ? null : (piece.triedAt ?? ctx.now());
  if (!isRefused(error)) {
    await settle(ctx, piece, { triedAt });
    throw isAway(error) ? new Error("Cannot report usage: Stripe is away", { cause: error }) : error;
  }
  ctx.log.error("usage not reported: Stripe refuses it", { ...nameOf(piece), ...stripeError(error) });
  const heldUntil = new Date(ctx.now().getTime() + REFUSED_MS);
  await settle(ctx, piece, { heldUntil, triedAt, error: (error as Error).message.slice(0, 500) });
}

/** What must not be reported again: charging twice is worse than charging less. */
async function giveUp(ctx: Context, piece: Piece, why: string): Promise<void> {
  ctx.log.error("usage not reported", { ...nameOf(piece), quantity: piece.quantity, why });
  await settle(ctx, piece, { triedAt: piece.triedAt, settledAt: ctx.now(), error: why });
}

interface Settlement {
  heldUntil?: Date;
  triedAt?: Date | null;
  settledAt?: Date;
  error?: string;
}

async function settle(ctx: Context, piece: Piece, settlement: Settlement): Promise<void> {
  const { heldUntil = null, triedAt = null, settledAt = null, error = null } = settlement;
  await q.usageReports.settle(ctx, { ...keyOf(piece), heldUntil, triedAt, settledAt, error });
}

function keyOf({ projectId, month, category, number }: Piece) {
  return { projectId, month, category, number };
}

function nameOf({ projectId, category, number, eventName }: Piece) {
  return { projectId, category, number, eventName };
}

function metersOf(config: Config) {
  return stripeMeters(config)!;
}
