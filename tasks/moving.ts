import type { Tasks } from "../src/jobs.ts";
import { runMove } from "../src/moving/move_run.ts";

/** The jobs of `src/moving`. */
export const movingTasks = {
  /** Takes in what another service has, for some seconds. A second run continues where the first one ended. */
  async run_move(ctx, { projectId, moveId }) {
    await runMove(ctx, projectId, moveId);
  },
} satisfies Partial<Tasks>;
