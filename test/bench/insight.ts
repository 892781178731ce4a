// Events, activity and analytics of a project that is two years old, as its requests ask for it: that none of them takes
// longer because of its age, and that those who write do not pay for it.
import { measureReads, subjectOf } from "./insight_reads.ts";
import { setUp } from "./insight_setup.ts";
import { measureDeletion, measureTracking } from "./insight_writes.ts";
import { below, type BenchOptions, type Report } from "./support/report.ts";
import { onStage } from "./support/stage.ts";

const EVENTS = 10_000_000;
const MAILS = 5_000_000;
const CONTACTS = 200_000;
const CAMPAIGNS = 100;
const EXECUTIONS = 100_000;

/** Runs the bench. */
export async function run(
  report: Report,
  { seconds, rounds, events = EVENTS, mails = MAILS, contacts = CONTACTS }: BenchOptions,
): Promise<void> {
  await onStage(async (stage) => {
    const sizes = { events, mails, contacts, campaigns: CAMPAIGNS, executions: EXECUTIONS };
    const { aged, young } = await setUp(report, stage, sizes);
    const service = await stage.startService({ MODE: "all" });
    const subject = await subjectOf(stage.ctx, service.port, aged);
    await measureReads(report, subject, await subjectOf(stage.ctx, service.port, young), seconds);
    await measureTracking(report, stage.ctx, subject, { seconds, rounds });
    await measureDeletion(report, subject);
    report.line("resident memory of the service", service.resident(), "MB", { goal: below(300) });
    await service.stop();
  });
}
