// What a transactional mail notices of a campaign that is under way.
import { addContacts, draftCampaign, sendCampaign } from "./support/campaigns.ts";
import { below, exactly, percentile, type Report } from "./support/report.ts";
import { startSinkProcess } from "./support/smtp_sink.ts";
import { DOMAIN, onStage, type Stage } from "./support/stage.ts";

const RECIPIENTS = 100_000;
const REQUESTS = 300;
const PAUSE_MS = 30;
const PATIENCE_MS = 30_000;

/** From the request to the RCPT TO at the SMTP server, while the snapshot of a campaign to 100,000 is taken and sent. */
export async function measureCampaignLatency(report: Report): Promise<void> {
  const sink = await startSinkProcess();
  const arrived = new Map<string, number>();
  sink.onUrgent = (address, at) => arrived.set(address, at);
  try {
    await onStage(async (stage) => {
      await addContacts(stage, RECIPIENTS);
      const id = await draftCampaign(stage);
      const service = await stage.startService({ MODE: "all", SMTP_URL: `smtp://127.0.0.1:${sink.port}` });
      await sendCampaign(stage, service.port, id);
      const asked = new Map<string, number>();
      for (let i = 0; i < REQUESTS; i++) {
        const address = `urgent${i}@example.com`;
        asked.set(address, Date.now());
        await accept(stage, service.port, address);
        await Bun.sleep(PAUSE_MS);
      }
      const isRunning = (await statusOf(stage, id)) === "SENDING";
      for (let waited = 0; arrived.size < REQUESTS && waited < PATIENCE_MS; waited += 50) await Bun.sleep(50);
      const times = [...asked].flatMap(([address, at]) => arrived.get(address)! - at || []);
      report.line("request to SMTP p50, during a campaign", percentile(times, 50), "ms");
      report.line("request to SMTP p99, during a campaign", percentile(times, 99), "ms", {
        goal: below(1_000),
      });
      report.line("transactional mails that did not come", REQUESTS - arrived.size, "mails", {
        goal: exactly(0),
      });
      report.line("campaign still running at the end", Number(isRunning), "campaigns", { goal: exactly(1) });
      report.line("resident memory during both", service.resident(), "MB", { goal: below(300) });
      await service.stop();
    });
  } finally {
    sink.stop();
  }
}

async function accept({ project }: Stage, port: number, to: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/send`, {
    method: "POST",
    headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
    body: JSON.stringify({
      to,
      from: `orders@${DOMAIN}`,
      subject: "Your order",
      body: "<p>It is on its way.</p>",
    }),
  });
  if (!response.ok) throw new Error(`Cannot send: ${await response.text()}`);
  await response.json();
}

async function statusOf({ ctx }: Stage, id: string): Promise<string> {
  const [row] = await ctx.pool<{ status: string }[]>`select status from campaigns where id = ${id}`;
  return row!.status;
}
