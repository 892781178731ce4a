// What a look-up does to a domain: pure, so that days of checks can be tried in a moment.

/** What a look-up said about the record that verifies a domain. `unknown`: the DNS did not answer. */
export type KeyVerdict = "match" | "fail" | "unknown";

/** The state of a domain, as far as its status depends on it. */
export interface Standing {
  status: "PENDING" | "VERIFIED" | "FAILED";
  /** The operator vouches for it. */
  trusted: boolean;
  /** Since when the DNS has proved it. */
  verifiedAt: Date | null;
  /** Failed checks in a row. */
  failures: number;
  failingSince: Date | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * A verified domain is given up after this many failed checks in a row, over at least this long (guides/domains.md).
 */
const LOST_AFTER_CHECKS = 3;
const LOST_AFTER_MS = HOUR_MS;
/** A new domain is given up after that; it is still checked, less and less often. */
const OVERDUE_AFTER_MS = 72 * HOUR_MS;
/** Due again at the next run of the schedule, five minutes later. */
const SOON_MS = 4 * MINUTE_MS;
const SETTLED_MS = HOUR_MS;
const RARELY_MS = 6 * HOUR_MS;
/** Up to this much earlier or later, so that domains that were added together spread out. */
const JITTER = 0.1;

/** The state of a domain after a look-up. Without an answer from the DNS it is unchanged. */
export function afterCheck(before: Standing, verdict: KeyVerdict, now: Date): Standing {
  if (verdict === "unknown") return before;
  if (verdict === "match") {
    const verifiedAt = before.verifiedAt ?? now;
    return { ...before, status: "VERIFIED", verifiedAt, failures: 0, failingSince: null };
  }
  const failures = before.failures + 1;
  const failingSince = before.failingSince ?? now;
  const failing = { ...before, failures, failingSince };
  const failingMs = now.getTime() - failingSince.getTime();
  const isGivenUp = before.verifiedAt
    ? failures >= LOST_AFTER_CHECKS && failingMs >= LOST_AFTER_MS
    : failingMs >= OVERDUE_AFTER_MS;
  if (!isGivenUp) return failing;
  return { ...failing, verifiedAt: null, status: before.trusted ? before.status : "FAILED" };
}

/**
 * When a domain is looked up again: one in question soon, a settled one every hour, and one that was given up the more
 * rarely the longer that is ago. `random` is between 0 and 1.
 */
export function nextCheckAt(standing: Standing, now: Date, random = Math.random()): Date {
  const pause = pauseMs(standing, now) * (1 - JITTER + 2 * JITTER * random);
  return new Date(now.getTime() + Math.round(pause));
}

function pauseMs({ status, verifiedAt, failures, failingSince }: Standing, now: Date): number {
  if (status === "PENDING") return SOON_MS;
  if (verifiedAt) return failures > 0 ? SOON_MS : SETTLED_MS;
  const failingMs = now.getTime() - (failingSince ?? now).getTime();
  return Math.min(RARELY_MS, Math.max(SOON_MS, failingMs / 10));
}
