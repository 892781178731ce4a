// From numbers to rates and levels.
import { percent } from "../../percent.ts";

/** What was counted of a project. */
export interface Counts {
  /** Mails that were handed over, or bounced instead. */
  total: number;
  /** Permanent ones. */
  bounces: number;
  complaints: number;
}

/** Counts with their rates, in percent of `total` with two decimals. */
export interface Rates extends Counts {
  bounceRate: number;
  complaintRate: number;
}

/** The rates that have levels. */
export type RateName = "bounceRate" | "complaintRate";

type Threshold = "warning" | "critical";

/** Levels from good to bad. */
export type Level = "HEALTHY" | "WARNING" | "CRITICAL";

/** Beyond which rates, in percent, a project is warned and is critical; with fewer mails nothing is held against it. */
export const LEVELS = {
  minimumMails: 100,
  bounceRate: { warning: 5, critical: 10 },
  complaintRate: { warning: 0.1, critical: 0.3 },
} as const;

/** The levels that are worse than each. */
export const WORSE_THAN: Readonly<Record<Level, readonly Level[]>> = {
  HEALTHY: ["WARNING", "CRITICAL"],
  WARNING: ["CRITICAL"],
  CRITICAL: [],
};

/** A level is left only below four fifths of it: a rate that hovers around a level causes no repeated notices. */
const LEAVE_AT_TENTHS = 8;

/** The level of these counts, for a project that had the level `before`. */
export function levelOf(counts: Counts, before: Level): Level {
  const tenths = (level: "WARNING" | "CRITICAL") =>
    WORSE_THAN[before].includes(level) ? 10 : LEAVE_AT_TENTHS;
  if (exceeded(counts, "critical", tenths("CRITICAL")).length > 0) return "CRITICAL";
  return exceeded(counts, "warning", tenths("WARNING")).length > 0 ? "WARNING" : "HEALTHY";
}

/** Counts with their rates. */
export function ratesOf({ total, bounces, complaints }: Counts): Rates {
  return {
    total,
    bounces,
    complaints,
    bounceRate: percent(bounces, total),
    complaintRate: percent(complaints, total),
  };
}

/** A sentence for each level that is exceeded: for `violations` the critical ones, for `warnings` the others. */
export function faultsOf(counts: Counts): { violations: string[]; warnings: string[] } {
  const critical = exceeded(counts, "critical");
  const warning = exceeded(counts, "warning").filter((rate) => !critical.includes(rate));
  return {
    violations: critical.map((rate) => sentence(counts, rate, "critical")),
    warnings: warning.map((rate) => sentence(counts, rate, "warning")),
  };
}

/** The rates that exceed a level, or a number of tenths of it; exactly at it does not. */
export function exceeded(
  { total, bounces, complaints }: Counts,
  threshold: Threshold,
  tenths = 10,
): RateName[] {
  if (total < LEVELS.minimumMails) return [];
  // In whole numbers: a tenth of a percent is not a binary fraction.
  const isOver = (count: number, rate: RateName) =>
    count * 10_000 > Math.round(LEVELS[rate][threshold] * 10) * tenths * total;
  return [
    ...(isOver(bounces, "bounceRate") ? (["bounceRate"] as const) : []),
    ...(isOver(complaints, "complaintRate") ? (["complaintRate"] as const) : []),
  ];
}

function sentence(counts: Counts, rate: RateName, threshold: Threshold): string {
  const isBounce = rate === "bounceRate";
  const [count, what] = isBounce ? [counts.bounces, "bounced"] : [counts.complaints, "were complained about"];
  const share = ratesOf(counts)[rate].toFixed(2);
  const mails = `${count.toLocaleString("en")} of ${counts.total.toLocaleString("en")} mails`;
  return `${share} % of the mails of the last 7 days ${what} (${mails}); the ${threshold} level is ${LEVELS[rate][threshold]} %`;
}
