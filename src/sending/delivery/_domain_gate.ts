// When a domain that takes no mail is asked again: more and more seldom, and by two mails at a time, because one mailbox
// may be the only one that takes nothing.
import { retryAt } from "./outcomes.ts";

/** The result of the latest answers of a domain. Times of handovers use a monotonic clock. */
export interface Gate {
  /** How often in a row it did not take a mail. Those that began before the last one was counted do not count. */
  readonly refusals: number;
  readonly countedAt: number;
  /** It is not asked before this time of the service. */
  readonly closedUntil: number;
  /** How many have asked since the last time was up. */
  readonly asked: number;
  /** Its time was up, and no request since then has got an answer. */
  readonly isAsking: boolean;
}

/** How many ask when the time is up. */
export const PROBES = 2;
/** One mailbox that is full, or two, say nothing about the others. */
const REFUSALS_TO_CLOSE = 3;
/** The longest pause, as of `retryAt`. A gate that seems to be closed for longer was closed by another clock. */
const LONGEST_MS = 3_600_000;

/** The gate of a domain without known trouble. */
export const OPEN_GATE: Gate = {
  refusals: 0,
  countedAt: -Infinity,
  closedUntil: -Infinity,
  asked: PROBES,
  isAsking: false,
};

/** Whether mails come and go as they like. Else a few ask, each time it is due. */
export function isOpen({ refusals }: Gate): boolean {
  return refusals < REFUSALS_TO_CLOSE;
}

/** How many may ask now. */
export function probesLeft(gate: Gate, now: number): number {
  return PROBES - (isDue(gate, now) && !gate.isAsking ? 0 : gate.asked);
}

function isDue({ closedUntil }: Gate, now: number): boolean {
  return now >= closedUntil || closedUntil - now > LONGEST_MS;
}

/** The gate when one asks. */
export function gateAsked(gate: Gate, now: number): Gate {
  if (isDue(gate, now) && !gate.isAsking) return { ...gate, asked: 1, isAsking: true };
  return { ...gate, asked: gate.asked + 1 };
}

/** The gate when a request has got no answer of any kind. */
export function gateUnasked(gate: Gate): Gate {
  return isOpen(gate) ? gate : { ...gate, asked: Math.max(0, gate.asked - 1) };
}

/** The gate after one more handover. */
export function gateAfter(
  gate: Gate,
  verdict: "answered" | "deferred",
  at: { beganAt: number; endedAt: number; now: number; random: () => number },
): Gate {
  if (verdict === "answered") return OPEN_GATE;
  // Forty concurrent failures are one failure, and so are those that retry one after another when it is due.
  if (at.beganAt < gate.countedAt || (!isOpen(gate) && !gate.isAsking)) return gate;
  const refusals = gate.refusals + 1;
  const pauses = refusals - REFUSALS_TO_CLOSE + 1;
  const closedUntil = pauses < 1 ? -Infinity : retryAt(new Date(at.now), pauses, at.random()).getTime();
  return { refusals, countedAt: at.endedAt, closedUntil, asked: gate.asked, isAsking: false };
}
