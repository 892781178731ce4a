// POST /webhooks/sns at 64 connections: notifications of SES about the mails of one campaign, each with a signature that
// is checked, from the socket to the ledger, the events and the counters.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sesReport } from "../support/ses.ts";
import { type Amazon, startAmazon } from "./support/amazon.ts";
import { type PostResult, runPosts } from "./support/post_load.ts";
import { atLeast, below, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { onStage, type Stage } from "./support/stage.ts";
import { sentCampaign, type SentCampaign } from "./tracking.ts";

const CONNECTIONS = 64;
const TOPIC = "arn:aws:sns:eu-west-1:123456789012:mail";
/** What SES says about every ten mails of a campaign. */
const KINDS = [
  ...Array<string>(10).fill("Send"),
  ...Array<string>(9).fill("Delivery"),
  ...Array<string>(4).fill("Open"),
  "Click",
  "Bounce",
];
const MAILS_PER_KINDS = 10;
const MAILS = 5_000;
const SIGN_AT_ONCE = 200;

/** Runs the bench. */
export async function run(report: Report, { mails = MAILS, rounds }: BenchOptions): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "postrider-webhooks-"));
  const amazon = await startAmazon(dir);
  try {
    await onStage(async (stage) => {
      const service = await stage.startService({
        MODE: "all",
        SNS_TOPIC_ARNS: TOPIC,
        ...amazon.environment,
      });
      const results: PostResult[] = [];
      let processorTime = 0;
      for (let round = 0; round < rounds; round++) {
        const campaign = await sentCampaign(stage, mails);
        const bodiesFile = join(dir, "notifications");
        const kinds = await writeNotifications(bodiesFile, stage, campaign, amazon);
        const before = service.processorTime();
        results.push(
          await runPosts({
            port: service.port,
            path: "/webhooks/sns",
            headers: "Content-Type: text/plain; charset=UTF-8\r\nx-amz-sns-message-type: Notification\r\n",
            bodiesFile,
            connections: CONNECTIONS,
          }),
        );
        processorTime += service.processorTime() - before;
        await reportLedger(report, stage, campaign, kinds);
      }
      reportPosts(report, results, processorTime);
      report.line("resident memory of the service", service.resident(), "MB", { goal: below(300) });
      await service.stop();
    });
  } finally {
    await amazon.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Signs what SES says about a campaign, in random order, into a file; answers how often it says what. */
async function writeNotifications(
  file: string,
  { project }: Stage,
  { emailIds }: SentCampaign,
  amazon: Amazon,
): Promise<Map<string, number>> {
  const said = emailIds.flatMap((_, i) =>
    i % MAILS_PER_KINDS === 0
      ? KINDS.map((kind, k) => ({
          kind,
          emailId: emailIds[Math.min(i + (k % MAILS_PER_KINDS), emailIds.length - 1)]!,
        }))
      : [],
  );
  const lines: string[] = [];
  for (let i = 0; i < said.length; i += SIGN_AT_ONCE) {
    const part = said.slice(i, i + SIGN_AT_ONCE).map(({ kind, emailId }) => {
      const report = sesReport(kind, { projectId: project.id, emailId });
      return signed(JSON.stringify(report), amazon);
    });
    lines.push(...(await Promise.all(part)));
  }
  writeFileSync(file, lines.toSorted(() => Math.random() - 0.5).join("\n"));
  return new Map([...new Set(KINDS)].map((kind) => [kind, said.filter((one) => one.kind === kind).length]));
}

async function signed(Message: string, { key, certificateUrl }: Amazon): Promise<string> {
  const [MessageId, Timestamp] = [crypto.randomUUID(), new Date().toISOString()];
  const message = { Message, MessageId, Timestamp, TopicArn: TOPIC, Type: "Notification" };
  const text = Object.entries(message).flat().join("\n");
  const signature = await crypto.subtle.sign(key.algorithm, key, Buffer.from(`${text}\n`));
  return JSON.stringify({
    ...message,
    SignatureVersion: "2",
    Signature: Buffer.from(signature).toString("base64"),
    SigningCertURL: certificateUrl,
  });
}

function reportPosts(report: Report, results: PostResult[], processorTime: number): void {
  const mid = (pick: (result: PostResult) => number) => median(results.map(pick));
  const firstError = results.find((result) => result.firstError)?.firstError;
  const accepted = results.reduce((sum, result) => sum + result.accepted, 0);
  report.line(
    "verified and committed, 64 connections",
    mid((result) => result.rate),
    "notifications/s",
    { goal: atLeast(1_500), note: { notifications: accepted } },
  );
  report.line(
    "latency p50, 64 connections",
    mid((result) => result.p50),
    "ms",
  );
  report.line(
    "latency p99, 64 connections",
    mid((result) => result.p99),
    "ms",
  );
  report.line("processor time of the service", (processorTime / accepted) * 1000, "ms a notification");
  report.line(
    "errors",
    results.reduce((sum, result) => sum + result.errors, 0),
    "notifications",
    {
      goal: exactly(0),
      ...(firstError && { note: { firstError } }),
    },
  );
}

/** Compares what was said with the ledger, the events and the counters of the campaign. */
async function reportLedger(
  report: Report,
  { ctx }: Stage,
  { id }: SentCampaign,
  kinds: Map<string, number>,
): Promise<void> {
  const [found] = await ctx.pool`
    select
      e.*,
      (select count(*)::int from events where name = 'email.open' and data ->> 'campaignId' = ${id}) as open_events,
      c.delivered_count + d.delivered = e.delivered
        and c.opened_count + d.opened = e.opened
        and c.clicked_count + d.clicked = e.clicked
        and c.bounced_count + d.bounced = e.bounced as is_counted
    from (
      select
        sum(opens)::int as opens, sum(clicks)::int as clicks, count(delivered_at)::int as delivered,
        count(opened_at)::int as opened, count(clicked_at)::int as clicked, count(bounced_at)::int as bounced
      from emails where campaign_id = ${id}
    ) as e,
    campaigns c,
    (
      select
        coalesce(sum(delivered), 0)::int as delivered, coalesce(sum(opened), 0)::int as opened,
        coalesce(sum(clicked), 0)::int as clicked, coalesce(sum(bounced), 0)::int as bounced
      from campaign_count_deltas where campaign_id = ${id}
    ) as d
    where c.id = ${id}`;
  const missed = (kind: string, count: number) => Math.abs(kinds.get(kind)! - count);
  const lost =
    missed("Open", found!.opens) +
    missed("Open", found!.openEvents) +
    missed("Click", found!.clicks) +
    missed("Delivery", found!.delivered) +
    missed("Bounce", found!.bounced);
  report.line("lost or doubled", lost, "notifications", { goal: exactly(0) });
  report.line("counters that differ from the ledger", found!.isCounted ? 0 : 1, "campaigns", {
    goal: exactly(0),
  });
}
