// A collector that is away for hours must not fill the log.
import type { Context } from "../context.ts";

/** What became of spans. */
export interface Delivered {
  /** `failed`: the collector has not taken them; `dropped`: there was no room for them; `skipped`: traces that were not begun. */
  outcome: "delivered" | "failed" | "dropped" | "skipped";
  spans: number;
  error?: string;
}

const A_LINE_MS = 60_000;

/** Says what was lost, in one line a minute at most: the first loss at once, and those after it together. */
export function newFailureLog({ log }: Pick<Context, "log">, everyMs: number = A_LINE_MS) {
  let lost = 0;
  let writtenAt = -Infinity;
  return {
    note(spans: number, error: string | undefined): void {
      lost += spans;
      if (performance.now() - writtenAt < everyMs) return;
      writtenAt = performance.now();
      log.warn("traces not delivered", { spans: lost, error });
      lost = 0;
    },
  };
}
