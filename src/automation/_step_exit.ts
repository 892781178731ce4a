import type { Context } from "../context.ts";
import type { Outcome } from "./_run.ts";
import { all, type Visit } from "./_visit.ts";
import type { GraphStep } from "./workflow_graph.ts";

/** Ends the execution. */
export async function performExit(
  _tx: Context,
  { config: { reason } }: GraphStep<"EXIT">,
  visits: Visit[],
): Promise<Outcome[]> {
  return all(visits, { kind: "exit", reason });
}
