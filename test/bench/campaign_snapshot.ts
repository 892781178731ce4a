// Freezing a large audience, by a service that has begun to send it at the same time.
import { addContacts, draftCampaign, sendCampaign } from "./support/campaigns.ts";
import { atLeast, below, type BenchOptions, exactly, type Report } from "./support/report.ts";
import { openLoader } from "./support/loader.ts";
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
      const plainSeconds = await copyAlone(stage);
      const id = await draftCampaign(stage);
      const service = await stage.startService({ MODE: "all", SMTP_URL: `smtp://127.0.0.1:${sink.port}` });
      const first = sink.expect(1, PATIENCE_MS);
      const askedAt = await sendCampaign(stage, service.port, id);
      const firstAt = await first.then(() => Date.now());
      const { snapshotAt, recipients } = await waitForSnapshot(stage, id);
      const [row] = await stage.ctx.pool<{ sent: number }[]>`
        select count(*)::int as sent from emails where status = 'SENT'`;
      const measure = `${contacts.toLocaleString("en")} recipients in the snapshot`;
      const seconds = (snapshotAt - askedAt) / 1000;
      report.line(measure, contacts / seconds, "rows/s", {
        ceiling: contacts / plainSeconds,
        goal: atLeast(0.43),
        note: {
          seconds: Number(seconds.toFixed(2)),
          plainSeconds: Number(plainSeconds.toFixed(2)),
          sentMeanwhile: row!.sent,
        },
      });
      report.line("recipients that are missing", contacts - recipients, "contacts", { goal: exactly(0) });
      report.line("call to first mail, large audience", firstAt - askedAt, "ms", { goal: below(2_000) });
      report.line("resident memory while freezing and sending", service.resident(), "MB", {
        goal: below(300),
      });
      await service.stop();
    });
  } finally {
    sink.stop();
  }
}

/** One `INSERT … SELECT` of a row for each contact, into a table without an index, and nothing else meanwhile. */
async function copyAlone({ databaseUrl, project }: Stage): Promise<number> {
  const loader = openLoader(databaseUrl);
  await loader`create table alone as select * from emails limit 0`;
  const startedAt = performance.now();
  await loader`
    insert into alone (project_id, id, contact_id, address, source_type, status, due_at, queued_at)
    select project_id, uuidv7(), id, email, 'CAMPAIGN', 'PENDING', now(), now()
    from contacts
    where project_id = ${project.id} and subscribed`;
  const seconds = (performance.now() - startedAt) / 1000;
  await loader`drop table alone`;
  await loader.end();
  return seconds;
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
