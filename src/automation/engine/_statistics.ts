import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { describeError } from "../../log.ts";

const FIRST = 500;
const GROWTH = 4;

const stateOf = perService(() => ({ moved: 0, next: FIRST }));

/**
 * Has Postgres analyze the tables of executions whenever this process has moved several times as many as before.
 * Postgres does so by itself, but up to a minute late; and as long as it takes the tables for small, it reads all
 * executions of a project to find a few.
 */
export async function noteGrowth(ctx: Context, moved: number): Promise<void> {
  const state = stateOf(ctx);
  state.moved += moved;
  if (state.moved < state.next) return;
  state.next = state.moved * GROWTH;
  try {
    await q.executionRun.analyze(ctx);
  } catch (error) {
    ctx.log.warn("executions not analyzed", describeError(error));
  }
}
