// Workflows: how many executions a second go from their event to their end, what the track endpoint notices of it, and
// how soon an event wakes one of a million that wait.
import { measureRuns } from "./workflow_runs.ts";
import { measureWaits } from "./workflow_waits.ts";
import type { BenchOptions, Report } from "./support/report.ts";

/** Runs the bench. */
export async function run(report: Report, options: BenchOptions): Promise<void> {
  await measureRuns(report, options);
  await measureWaits(report, options);
}
