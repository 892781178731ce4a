// What a kind of job is, and the lanes in which jobs queue up.

/** Where jobs queue up. Work of one lane never waits for work of another. */
export type Lane = (typeof LANE_NAMES)[number];

/** All lanes. */
export const LANE_NAMES = ["fast", "workflows", "bulk"] as const;

/** A kind of job. Its payload has this type: ids, never copies of rows. */
export interface Job<Payload = unknown, Variant extends string = string> {
  /** Neither workflows nor bulk work hold a transactional mail back. */
  lane: Lane;
  /** What is usual for it: the lower, the sooner. Left out: 0, before all that have one. */
  priority?: number;
  /** Of jobs that step back behind others of their kind: the priority at which that ends. */
  last?: number;
  /** The priorities that are not usual, each by its name. */
  variants?: Record<Variant, number>;
  /** How often it is tried; left out: 25 times, over some days. */
  maxAttempts?: number;
  /** A type alone: there is no value. */
  payload?: Payload;
}

/** A kind of job of one lane. */
export function job<Payload = Record<string, never>, Variant extends string = never>(
  lane: Lane,
  more: Omit<Job<Payload, Variant>, "lane" | "payload"> = {},
): Job<Payload, Variant> {
  return { lane, ...more };
}
