// Workflows give way: while this process has many requests to answer, they take a part of its time.
import { type Context, perService } from "../../context.ts";
import { requestsUnderway } from "../../traffic.ts";

/** More concurrent requests than that wait for each other, and for everything else. */
const MANY_REQUESTS = 12;
/** For each millisecond of work, this much is left to the requests. */
const OTHERS = 10;
/** This much is taken without asking: a single job is done at once. */
const FREE_MS = 300;
const LOOK_MS = 5;
/** After this many checks without anybody waiting, it counts as quiet. */
const QUIET_LOOKS = 6;

const stateOf = perService(() => ({
  /** When all that was taken is paid back. */
  paidAt: 0,
}));

/** Does some work as soon as the requests have had their share of the time. */
export async function paced<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  const state = stateOf(ctx);
  await untilPaid(ctx, state);
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    const endedAt = performance.now();
    state.paidAt = Math.max(state.paidAt, endedAt) + (endedAt - startedAt) * OTHERS;
  }
}

/** Waits until the time taken is paid back, or nobody is waiting. */
async function untilPaid(ctx: Context, state: { paidAt: number }): Promise<void> {
  for (let quiet = 0; quiet < QUIET_LOOKS;) {
    if (state.paidAt - performance.now() <= FREE_MS) return;
    quiet = requestsUnderway(ctx) < MANY_REQUESTS ? quiet + 1 : 0;
    await Bun.sleep(LOOK_MS);
  }
  state.paidAt = 0;
}
