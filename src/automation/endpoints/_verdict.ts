// What follows from the calls of an endpoint, for each delivery and for the line: pure, so that days can be tried in a moment.
import type { Json } from "../../db/types.ts";
import { type Called, FAILURES_IN_ROW, GONE } from "./_call.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Between two attempts of a delivery: ten attempts over three days. */
const DELIVERY_PAUSES_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  20 * HOUR_MS,
  34.5 * HOUR_MS,
];
export const MAX_ATTEMPTS = DELIVERY_PAUSES_MS.length + 1;
/** Of an endpoint at which everything fails: one delivery tries it then, for all that wait. */
const LINE_PAUSES_MS = [5, 10, 30, 60, 120, 300, 600].map((seconds) => seconds * SECOND_MS);
/** An endpoint is paused when nothing has succeeded for so long. */
const GIVE_UP_AFTER_MS = 72 * HOUR_MS;
/** `Retry-After` is kept up to this. */
const LONGEST_ASKED_MS = 24 * HOUR_MS;
/**
 * Statuses whose `Retry-After` is about the endpoint, and not about one delivery: too many requests, and out of service (RFC 6585,
 * RFC 9110). These keep from it what others would get, too, even where some calls of the same moment have succeeded.
 */
const OF_ALL = new Set([429, 503]);
/** A pause is longer by up to this, so that what failed together does not return together. */
const JITTER = 0.2;

/** How an endpoint has been. */
export interface LineState {
  /** How often in a row it failed, and had to rest. */
  failures: number;
  failingSince: Date | null;
}

/** How it is after some calls. */
export interface LineVerdict extends LineState {
  /** Before this it is not called. */
  retryAt: Date | null;
  pauseReason: "FAILING" | "GONE" | null;
}

/** A delivery after a call. */
export interface Outcome {
  status: "PENDING" | "DELIVERED" | "FAILED";
  attempts: number;
  dueAt: Date | null;
}

/** What becomes of a delivery that had so many attempts before this one. It is not due while its line rests. */
export function deliveryOutcome(
  before: number,
  called: Called,
  { now, retryAt }: { now: Date; retryAt: Date | null },
  random = Math.random,
): Outcome {
  const attempts = before + 1;
  if (called.isGood) return { status: "DELIVERED", attempts, dueAt: null };
  const pauseMs = DELIVERY_PAUSES_MS[before];
  if (pauseMs === undefined) return { status: "FAILED", attempts, dueAt: null };
  const ms = Math.max(pauseMs, asked(called)) * (1 + random() * JITTER);
  const dueAt = new Date(Math.max(now.getTime() + ms, retryAt?.getTime() ?? 0));
  return { status: "PENDING", attempts, dueAt };
}

/** What becomes of a line, by its calls in the order in which they ended. There is one at least. */
export function verdictOf(
  before: LineState,
  calls: readonly Called[],
  now: Date,
  random = Math.random,
): LineVerdict {
  const lastGood = calls.findLastIndex(({ isGood }) => isGood);
  const isFine = lastGood !== -1 && calls.length - 1 - lastGood < FAILURES_IN_ROW;
  const failures = isFine ? 0 : 1 + (lastGood === -1 ? before.failures : 0);
  const failingSince = isFine ? null : ((lastGood === -1 ? before.failingSince : null) ?? now);
  const ofAll = calls.filter(({ status }) => status !== null && OF_ALL.has(status));
  const askedMs = Math.max(0, ...ofAll.map(asked));
  const pauseMs = isFine ? 0 : (LINE_PAUSES_MS[failures - 1] ?? LINE_PAUSES_MS.at(-1)!);
  const restMs = Math.max(pauseMs, askedMs) * (1 + random() * JITTER);
  const isGone = calls.some(({ status }) => status === GONE);
  const isOver = !isFine && now.getTime() - failingSince!.getTime() >= GIVE_UP_AFTER_MS;
  return {
    failures,
    failingSince,
    retryAt: restMs > 0 ? new Date(now.getTime() + restMs) : null,
    pauseReason: isGone ? "GONE" : isOver ? "FAILING" : null,
  };
}

/** As the statement takes it. */
export function rowOf(messageId: string, { status, attempts, dueAt }: Outcome, called: Called) {
  return {
    message_id: messageId,
    status,
    attempts,
    due_at: dueAt,
    try: called.try,
    response: called.response as Json,
  };
}

/** What one answer asks for; that of any status keeps its own delivery back. */
function asked({ isGood, retryAfterMs }: Called): number {
  return isGood ? 0 : Math.min(retryAfterMs, LONGEST_ASKED_MS);
}
