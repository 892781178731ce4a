import type { Context } from "../src/context.ts";
import { dropExpired as drop, type Pace } from "../src/insight/retention.ts";
import { addJob, type Jobs } from "../src/jobs.ts";

const PAUSE_MS = 1_000;

/** Takes away what is older than it has to be kept, and goes on as a new job while there is more. */
export async function dropExpired(
  ctx: Context,
  _job: Jobs["drop_expired"] = {},
  pace: Pace = {},
): Promise<void> {
  if (await drop(ctx, pace)) return;
  await addJob(
    ctx,
    "drop_expired",
    {},
    { key: "drop_expired", runAt: new Date(ctx.now().getTime() + PAUSE_MS) },
  );
}
