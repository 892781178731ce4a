import type { Context } from "../src/context.ts";
import { analyzeEvents, makePartitions as make } from "../src/insight/partitions.ts";

/** Makes the partitions that are missing. A second run finds none. */
export async function makePartitions(ctx: Context): Promise<void> {
  const { made } = await make(ctx);
  if (made.length > 0) ctx.log.info("partitions made", { months: made });
  await analyzeEvents(ctx);
}
