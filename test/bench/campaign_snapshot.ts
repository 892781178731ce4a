// Freezing a large audience, by a service that has begun to send it at the same time.
import { addContacts, draftCampaign, sendCampaign } from "./support/campaigns.ts";
import { below, type BenchOptions, exactly, type Report } from "./support/report.ts";
import { startSinkProcess } from "./support/smtp_sink.ts";
import { onStage, type Stage } from "./support/stage.ts";

const RECIPIENTS = 1_000_000;
const PATIENCE_MS = 120_000;

/** From the call to the last row in the ledger, and to the first mail on the wire. */
export async function measureSnapshot(
  report: Report,
  { contacts = RECIPIENTS }: BenchOptions,
): Promise<void> {
  const sink = await startSinkProcess();
  try {
    await onStage(async (stage) => {
      await addContacts(stage, contacts);
      const id = await draftCampaign(stage);
      const service = await stage.startService({ MODE: "all", SMTP_URL: `smtp://127.0.0.1:${sink.port}` });
      const first = sink.expect(1, PATIENCE_MS);
      const askedAt = await sendCampaign(stage, service.port, id);
      const firstAt = await first.then(() => Date.now());
      const { snapshotAt, recipients } = await waitForSnapshot(stage, id);
      const [row] = await stage.ctx.pool<{ sent: number }[]>`
        select count(*)::int as sent from emails where status = 'SENT'`;
      const measure = `${contacts.toLocaleString("en")} recipients in the snapshot`;
      report.line(measure, (snapshotAt - askedAt) / 1000, "s", {
        goal: below(15),
        note: { sentMeanwhile: row!.sent },
      });
      report.line("recipients that are missing", contacts - recipients, "contacts", { goal: exactly(0) });
      report.line("call to first mail, large audience", firstAt - askedAt, "ms", { goal: below(3_000) });
      report.line("resident memory while freezing and sending", service.resident(), "MB", {
        goal: below(300),
      });
      await service.stop();
    });
  } finally {
    sink.stop();
  }
}

async function waitForSnapshot(
  { ctx }: Stage,
  id: string,
): Promise<{ snapshotAt: number; recipients: number }> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    const [row] = await ctx.pool<{ snapshotAt: Date | null; totalRecipients: number }[]>`
      select snapshot_at, total_recipients from campaigns where id = ${id}`;
    if (row!.snapshotAt) return { snapshotAt: row!.snapshotAt.getTime(), recipients: row!.totalRecipients };
    await Bun.sleep(100);
  }
  throw new Error("Cannot see the end of the freezing");
}
