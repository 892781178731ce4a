// Work that can wait until the browser has nothing else to do.

/** A browser that is never idle does it then all the same. */
const LATEST_MS = 1_000;
/** Safari has no idle times. */
const PAUSE_MS = 150;

/** Resolves once what came before is painted and the browser is idle, a second later at the latest. */
export function whenIdle(): Promise<unknown> {
  return new Promise((resolve) =>
    "requestIdleCallback" in window
      ? void requestIdleCallback(resolve, { timeout: LATEST_MS })
      : void setTimeout(resolve, PAUSE_MS),
  );
}
