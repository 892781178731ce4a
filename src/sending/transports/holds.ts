// When a transport takes no mail for a while: its provider refuses the account, or its mails of the day are used up.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { describeError } from "../../log.ts";
import type { RefusalKind } from "../../mail/provider_refusals.ts";
import type { Transport } from "./transport.ts";
import { DEFAULT_TRANSPORT } from "./routes.ts";

const DAY_MS = 24 * 3_600_000;
/** Too fast: a moment. The pace of the transport adapts meanwhile. */
const RATE_MS = 1_000;
/** Most quotas are of a sliding day, or begin anew at an hour that nobody tells: it is asked carefully again. */
const QUOTA_MS = 15 * 60_000;
/** A person has to do something. Each trial is one more failed log-in. */
const ACCOUNT_MS = 5 * 60_000;

const HOLDS: Record<RefusalKind, number> = { RATE: RATE_MS, QUOTA: QUOTA_MS, ACCOUNT: ACCOUNT_MS };

/** Days since 1970, UTC. */
export function dayOf(now: Date): number {
  return Math.floor(now.getTime() / DAY_MS);
}

/** How many mails a transport may send today: the lower of its own limit and that of its warm-up; null: any number. */
export function limitOn(
  day: number,
  { perDay, warmup }: Pick<Transport, "perDay" | "warmup">,
): number | null {
  const warm = warmup ? (warmup.limits[day - dayOf(warmup.since)] ?? null) : null;
  const limits = [perDay, warm].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

/** How many milliseconds a transport takes nothing: 0, it takes mail. */
export function waitOf(now: Date, { heldUntil, fullOn }: Pick<Transport, "heldUntil" | "fullOn">): number {
  const day = dayOf(now);
  const held = heldUntil - now.getTime();
  const full = fullOn === day ? (day + 1) * DAY_MS - now.getTime() : 0;
  return Math.max(0, held, full);
}

/** Holds a transport, for all processes. Its mails go other ways, or wait. */
export async function hold(
  ctx: Context,
  transport: Transport,
  kind: RefusalKind,
  reason: string,
): Promise<void> {
  const now = ctx.now().getTime();
  const until = now + HOLDS[kind];
  if (transport.heldUntil >= until - 1_000 && transport.heldUntil > now) return;
  transport.heldUntil = until;
  if (kind === "RATE" || transport.id === DEFAULT_TRANSPORT) return;
  ctx.log.warn("a transport is held", { transportId: transport.id, kind, response: reason });
  try {
    await q.transports.hold(ctx, { id: transport.id, until: new Date(until), reason });
  } catch (error) {
    ctx.log.warn("hold of a transport not noted", describeError(error));
  }
}

/** Forgets how many mails were sent on days before yesterday. */
export async function purgeTransportDays(ctx: Context): Promise<void> {
  await q.transports.dropOldDays(ctx, { before: new Date(ctx.now().getTime() - DAY_MS) });
}
