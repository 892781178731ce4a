import type { Context } from "../../context.ts";
import type { Outcome } from "../runs/run.ts";
import { all, type Visit } from "./visit.ts";
import type { GraphStep } from "../workflows/graph.ts";

/** Waits for an event of the contact, with a timeout for so long at most. */
export async function performWait(
  tx: Context,
  { config: { eventName, timeout } }: GraphStep<"WAIT_FOR_EVENT">,
  visits: Visit[],
): Promise<Outcome[]> {
  const until = timeout === null ? null : new Date(tx.now().getTime() + timeout * 1000);
  const output = { eventName, until: until && until.toISOString() };
  return all(visits, { kind: "wait", until, event: eventName, output });
}
