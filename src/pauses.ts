// Work that takes its time in one piece lets others have theirs in between.
import { setImmediate } from "node:timers/promises";

/** Call between two steps: after this many milliseconds, everything else gets its turn first. */
export function createPauses(afterMs = 5): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < afterMs) return;
    await setImmediate();
    since = performance.now();
  };
}
