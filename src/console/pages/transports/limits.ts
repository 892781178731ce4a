// Limits of a transport, as a form has them and as the API does.
import type { Transport } from "../../api.gen.ts";

/** Numbers as they are written; empty for none. */
export interface Limits {
  priority: number | string;
  weight: number | string;
  ratePerSecond: number | string;
  perDay: number | string;
  connections: number | string;
}

export const NO_LIMITS: Limits = { priority: 100, weight: 1, ratePerSecond: "", perDay: "", connections: "" };

export function limitsOf({ priority, weight, ratePerSecond, perDay, connections }: Transport): Limits {
  return {
    priority,
    weight,
    ratePerSecond: ratePerSecond ?? "",
    perDay: perDay ?? "",
    connections: connections ?? "",
  };
}

/** What the fields say, for the API: null for no limit. */
export function readLimits({ priority, weight, ratePerSecond, perDay, connections }: Limits) {
  return {
    priority: Number(priority === "" ? NO_LIMITS.priority : priority),
    weight: Number(weight === "" ? NO_LIMITS.weight : weight),
    ratePerSecond: numberOf(ratePerSecond),
    perDay: numberOf(perDay),
    connections: numberOf(connections),
  };
}

function numberOf(written: number | string): number | null {
  return written === "" ? null : Number(written);
}
