// From counts to rates and times.
import type { Queries } from "../../db/queries.gen.ts";
import { percent } from "../../percent.ts";
import { TIME_LIMITS_MS } from "../../sending/delivery/figures.ts";

/** Counts of a period, and what they come to. */
export interface Figures {
  /** Mails that were taken or refused for good. */
  mails: number;
  accepted: number;
  /** Attempts that were put off. */
  deferred: number;
  /** At the handover or later. */
  bounced: number;
  refused: number;
  complained: number;
  /** Percent of `mails`, of all attempts, and of what was accepted. */
  bounceRate: number;
  deferralRate: number;
  complaintRate: number;
  /** Of mails that were delivered directly; null where there was none. */
  tlsRate: number | null;
  /** Seconds from the first attempt until a mail was accepted; null where none was. */
  timeToAcceptance: { p50: number; p95: number } | null;
}

/** Counts as they are read: of a group, of a moment, or of all. */
export type FigureRow = Awaited<ReturnType<Queries["deliverability"]["figures"]>>[number];
type Counts = Omit<FigureRow, "group" | "bucket">;

/** Where nothing was counted. */
export const NOTHING: Counts = {
  acceptedTimes: TIME_LIMITS_MS.map(() => 0),
  deferred: 0,
  bounced: 0,
  refused: 0,
  returned: 0,
  complained: 0,
  encrypted: 0,
  unencrypted: 0,
};

/** What counts come to. */
export function rateFigures(counts: Counts): Figures {
  const { acceptedTimes, deferred, refused, returned, complained, encrypted, unencrypted } = counts;
  const accepted = acceptedTimes.reduce((sum, count) => sum + count, 0);
  const mails = accepted + counts.bounced + refused;
  const bounced = counts.bounced + returned;
  const direct = encrypted + unencrypted;
  return {
    mails,
    accepted,
    deferred,
    bounced,
    refused,
    complained,
    bounceRate: percent(bounced, mails),
    deferralRate: percent(deferred, mails + deferred),
    complaintRate: percent(complained, accepted),
    tlsRate: direct === 0 ? null : percent(encrypted, direct),
    timeToAcceptance:
      accepted === 0 ? null : { p50: secondsAt(acceptedTimes, 0.5), p95: secondsAt(acceptedTimes, 0.95) },
  };
}

/**
 * The time within which a share of the mails was accepted, as if they were spread evenly between two limits; of those beyond
 * the last limit it is known only that they took longer.
 */
function secondsAt(times: readonly number[], share: number): number {
  const total = times.reduce((sum, count) => sum + count, 0);
  let left = total * share;
  for (const [i, count] of times.entries()) {
    const [after, upTo] = [TIME_LIMITS_MS[i - 1] ?? 0, TIME_LIMITS_MS[i]!];
    if (count > 0 && left <= count) {
      const ms = upTo === Infinity ? after : after + (upTo - after) * (left / count);
      return Math.round(ms / 10) / 100;
    }
    left -= count;
  }
  return 0;
}
