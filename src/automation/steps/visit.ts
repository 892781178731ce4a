import type { Outcome, Run } from "../runs/run.ts";

/** An execution at a step. */
export interface Visit {
  run: Run;
  /** The page of the story that tells of it. */
  pageId: string;
}

/** Not in this transaction, which has lasted for long enough: the run stays where it is, and gets a job of its own. */
export type Later = "later";

/** The same outcome for each. */
export function all(visits: Visit[], outcome: Outcome): Outcome[] {
  return visits.map(() => outcome);
}
