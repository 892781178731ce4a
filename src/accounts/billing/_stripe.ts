// Stripe's own library, set up for this installation.
import type { Stripe } from "stripe";
import { type Config, stripePrices } from "../../config/mod.ts";
import { type Context, perService } from "../../context.ts";
import { problems } from "../../problem/mod.ts";

/** How long a request may take. It is tried again twice where that can help, with the same idempotency key. */
const TIMEOUT_MS = 10_000;
const RETRIES = 2;

/** Stripe is not reachable, or busy: the same request may succeed later. */
const AWAY = ["StripeConnectionError", "StripeAPIError", "StripeRateLimitError"];
/** The same, where the request was surely not carried out. */
const UNDONE = ["StripeRateLimitError", "StripeAuthenticationError", "StripePermissionError"];

/** Whether projects can be charged here. */
export function isBillingOn({ STRIPE_SECRET_KEY }: Pick<Config, "STRIPE_SECRET_KEY">): boolean {
  return STRIPE_SECRET_KEY !== undefined;
}

/** Throws NOT_CONFIGURED if projects cannot be charged; 404 for who need not know that they could. */
export function assertBillingOn({ config }: Context, status: 404 | 501 = 501): void {
  if (isBillingOn(config)) return;
  throw problems.notConfigured("payments", "Set STRIPE_SECRET_KEY and the settings that go with it", status);
}

/** The library. It is loaded when it is first needed: most installations do without, and the memory that it takes. */
export async function stripeOf(ctx: Context): Promise<Stripe> {
  assertBillingOn(ctx);
  return await clients(ctx);
}

const clients = perService(async ({ config }) => {
  const { Stripe } = await import("stripe");
  const { hostname, port, protocol, searchParams } = new URL(config.STRIPE_API_BASE);
  return new Stripe(config.STRIPE_SECRET_KEY!, {
    host: hostname,
    ...(port && { port }),
    protocol: protocol === "http:" ? "http" : "https",
    httpClient: Stripe.createFetchHttpClient(),
    timeout: Number(searchParams.get("timeout") ?? TIMEOUT_MS),
    maxNetworkRetries: Number(searchParams.get("maxNetworkRetries") ?? RETRIES),
    telemetry: false,
    appInfo: { name: "Postrider" },
  });
});

/** The prices of a subscription, as a checkout names them. */
export function lineItems({ config }: Context): { price: string; quantity?: number }[] {
  return stripePrices(config)!;
}

/** Asks Stripe on behalf of a person: where it is not reachable, they are told so (503). */
export async function asking<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isAway(error)) throw error;
    ctx.log.warn("stripe is away", stripeError(error));
    throw problems.paymentsAway();
  }
}

/** Stripe cannot be reached, or is busy: the same may succeed later. */
export function isAway(error: unknown): boolean {
  return AWAY.includes(typeOf(error));
}

/** What was asked for has surely not been done. */
export function isUndone(error: unknown): boolean {
  return UNDONE.includes(typeOf(error)) || isRefused(error);
}

/** Stripe has understood the request and rejects it, however often it is repeated. */
export function isRefused(error: unknown): boolean {
  return typeOf(error) === "StripeInvalidRequestError" && codeOf(error) !== "lock_timeout";
}

/** A meter already has an event with that identifier: this was reported before. */
export function isKnownEvent(error: unknown): boolean {
  return isRefused(error) && /already exists with identifier/i.test((error as Error).message);
}

/** There is nothing by that id. */
export function isMissingAtStripe(error: unknown): boolean {
  return codeOf(error) === "resource_missing";
}

/**
 * The idempotency key is spent: it belongs to another request, or to one that Stripe failed at, whose response would be
 * repeated for a day.
 */
export function isKeySpent(error: unknown): boolean {
  const { statusCode } = error as { statusCode?: number };
  return (
    typeOf(error) === "StripeIdempotencyError" || (typeOf(error) === "StripeAPIError" && statusCode! >= 500)
  );
}

/** What may be logged of an error. */
export function stripeError(error: unknown): Record<string, unknown> {
  const { code, param, requestId, statusCode } = error as Record<string, unknown>;
  return { error: typeOf(error) || String(error), code, param, requestId, statusCode };
}

function typeOf(error: unknown): string {
  return String((error as { type?: unknown } | null)?.type ?? "");
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}
