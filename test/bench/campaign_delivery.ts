// Sending a campaign from the call to the last mail, against the mail library alone with as many connections.
import type { DkimKey } from "../../src/sending/dkim_keys.ts";
import { addContacts, draftCampaign, sendCampaign } from "./support/campaigns.ts";
import { sendWithNodemailer } from "./support/nodemailer_alone.ts";
import { atLeast, below, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { type SinkProcess, startSinkProcess } from "./support/smtp_sink.ts";
import { onStage, type Stage } from "./support/stage.ts";

/** Both sides have as many; it is what the mailer of the service has when nothing else is said. */
const CONNECTIONS = 40;
const RECIPIENTS = 20_000;
const ALONE = 5_000;
const PATIENCE_MS = 180_000;

/** One delivery; times of the processor are those of the service. */
export interface CampaignDelivery {
  rate: number;
  firstMs: number;
  processorMs: number;
  resident: number;
  uncounted: number;
}

/** 20,000 mails of 10 KB, opens and clicks followed; the service does all its work, and the library only sends. */
export async function measureCampaignDelivery(report: Report, options: BenchOptions): Promise<void> {
  const { rounds } = options;
  const recipients = recipientsOf(options);
  const sink = await startSinkProcess();
  const alone: { rate: number; processorMs: number }[] = [];
  const campaigns: CampaignDelivery[] = [];
  try {
    await onStage(async (stage) => {
      await addContacts(stage, recipients);
      for (let round = 0; round < rounds; round++) {
        alone.push(await deliverAlone(sink));
        campaigns.push(await deliverCampaign(stage, sink, recipients));
      }
    });
  } finally {
    sink.stop();
  }
  const middle = (values: number[]) => median(values);
  const ceiling = middle(alone.map(({ rate }) => rate));
  report.line("campaign, from the call to the last mail", middle(campaigns.map((c) => c.rate)), "mails/s", {
    ceiling,
    goal: atLeast(2),
    note: { rounds: campaigns.map((c) => Math.round(c.rate)), alone: alone.map((a) => Math.round(a.rate)) },
  });
  report.line("processor time a mail", middle(campaigns.map((c) => c.processorMs)), "ms", {
    ceiling: middle(alone.map((a) => a.processorMs)),
  });
  report.line("call to first mail", middle(campaigns.map((c) => c.firstMs)), "ms", { goal: below(3_000) });
  report.line("not in the counters", Math.max(...campaigns.map((c) => c.uncounted)), "mails", {
    goal: exactly(0),
  });
  report.line("resident memory", Math.max(...campaigns.map((c) => c.resident)), "MB", { goal: below(300) });
}

/** How many a campaign is for. */
export function recipientsOf({ contacts, mails }: Pick<BenchOptions, "contacts" | "mails">): number {
  return Math.min(mails ?? contacts ?? RECIPIENTS, RECIPIENTS);
}

/** The mail library alone; with a key it signs. */
export async function deliverAlone(
  sink: SinkProcess,
  dkim?: DkimKey,
): Promise<{ rate: number; processorMs: number }> {
  const tally = sink.expect(ALONE, PATIENCE_MS);
  const batch = { port: sink.port, connections: CONNECTIONS, mails: ALONE, dkim };
  const { processorMs } = await sendWithNodemailer(batch, PATIENCE_MS);
  return { rate: (ALONE - 1) / (await tally).seconds, processorMs: processorMs / ALONE };
}

/** A new campaign to everyone, from a service that is started for it. */
export async function deliverCampaign(
  stage: Stage,
  sink: SinkProcess,
  recipients: number,
): Promise<CampaignDelivery> {
  const service = await stage.startService({
    MODE: "all",
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?maxConnections=${CONNECTIONS}`,
  });
  const id = await draftCampaign(stage);
  const tally = sink.expect(recipients, PATIENCE_MS);
  const startedWith = service.processorTime();
  const askedAt = await sendCampaign(stage, service.port, id);
  const { seconds } = await Promise.race([tally, service.died]);
  const totalMs = Date.now() - askedAt;
  const processorMs = ((service.processorTime() - startedWith) * 1000) / recipients;
  const uncounted = recipients - (await sentCount(stage, id));
  const resident = service.resident();
  await service.stop();
  return {
    rate: (recipients * 1000) / totalMs,
    firstMs: totalMs - seconds * 1000,
    processorMs,
    resident,
    uncounted,
  };
}

/** The counter of the campaign, as soon as it has ended. */
async function sentCount({ ctx }: Stage, id: string): Promise<number> {
  for (let i = 0; i < 200; i++) {
    const [row] = await ctx.pool<{ status: string; sent: number }[]>`
      select c.status, c.sent_count + d.sent as sent
      from campaigns c, campaign_deltas(c.project_id, c.id) d where c.id = ${id}`;
    if (row!.status === "SENT") return row!.sent;
    await Bun.sleep(50);
  }
  throw new Error("Cannot see the end of the campaign");
}
