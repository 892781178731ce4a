// Workflows give way: where others have work in this process too, such as requests, they take a part of its time.
import { type Context, perService } from "../context.ts";

/** For each millisecond of work so many are left to others. */
const OTHERS = 5;
/** So much is taken without asking, so that what comes alone is done at once. */
const FREE_MS = 250;
const LOOK_MS = 5;
/** Others have no work when the process was free to look on time, so many times in a row. */
const QUIET_LOOKS = 4;
const QUIET_MS = 2;

const stateOf = perService(() => ({
  /** When all that was taken is paid back. */
  paidAt: 0,
}));

/** Does some work when it is its turn. */
export async function inTurn<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  const state = stateOf(ctx);
  await untilPaid(state);
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    const endedAt = performance.now();
    state.paidAt = Math.max(state.paidAt, endedAt) + (endedAt - startedAt) * OTHERS;
  }
}

/** Waits until what was taken is paid back, or nobody else is there to use the time. */
async function untilPaid(state: { paidAt: number }): Promise<void> {
  for (let quiet = 0; quiet < QUIET_LOOKS;) {
    const before = performance.now();
    if (state.paidAt - before <= FREE_MS) return;
    await Bun.sleep(LOOK_MS);
    quiet = performance.now() - before < LOOK_MS + QUIET_MS ? quiet + 1 : 0;
  }
  state.paidAt = 0;
}
