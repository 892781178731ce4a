// Campaigns: how quickly the snapshot of an audience is taken, how quickly it is sent, and what a transactional mail notices of it.
import { measureCampaignDelivery } from "./campaign_delivery.ts";
import { measureSnapshot } from "./campaign_snapshot.ts";
import { measureCampaignLatency } from "./campaign_latency.ts";
import { measureSigning } from "./campaign_signing.ts";
import type { BenchOptions, Report } from "./support/report.ts";

export async function run(report: Report, options: BenchOptions): Promise<void> {
  if (options.dkim) return await measureSigning(report, options);
  await measureCampaignDelivery(report, options);
  await measureCampaignLatency(report);
  await measureSnapshot(report, options);
}
