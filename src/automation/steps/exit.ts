import type { Context } from "../../context.ts";
import type { Outcome } from "../runs/run.ts";
import { all, type Visit } from "./visit.ts";
import type { GraphStep } from "../workflows/graph.ts";

/** Ends the execution. */
export async function performExit(
  _tx: Context,
  { config: { reason } }: GraphStep<"EXIT">,
  visits: Visit[],
): Promise<Outcome[]> {
  return all(visits, { kind: "exit", reason });
}
