// How many requests this process is at. Work that can wait looks here, and gives way.
import { type Context, perService } from "./context.ts";

const trafficOf = perService(() => ({ underway: 0 }));

/** Counts the requests that pass through a handler, as long as they are in progress. */
export function counted<In extends unknown[], Out>(
  ctx: Context,
  handle: (...request: In) => Out | Promise<Out>,
): (...request: In) => Out | Promise<Out> {
  const traffic = trafficOf(ctx);
  return (...request) => {
    traffic.underway++;
    try {
      const answer = handle(...request);
      if (!(answer instanceof Promise)) {
        traffic.underway--;
        return answer;
      }
      return answer.finally(() => traffic.underway--);
    } catch (error) {
      traffic.underway--;
      throw error;
    }
  };
}

/** The requests that are in progress in this process. */
export function requestsUnderway(ctx: Context): number {
  return trafficOf(ctx).underway;
}
