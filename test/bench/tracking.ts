// GET /t/o and GET /t/c at 64 connections: opens and clicks of the mails of one campaign, against the statement that
// records them, one for each, on the driver.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { followHtml } from "../../src/sending/compose/followed_mail.ts";
import { bestSetup, measureDriver } from "./support/driver.ts";
import { atLeast, below, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { onStage, type ServiceProcess, type Stage } from "./support/stage.ts";
import { runVisits, type VisitResult } from "./support/visit_load.ts";

const CONNECTIONS = 64;
const MAILS = 20_000;
/** Of so many visits one follows a link. */
const CLICK_EVERY = 5;
const LINK = "https://shop.example/offers/spring?from=news";
const CHECK_MS = 30_000;

/** Mails that were sent, of one campaign. */
export interface SentCampaign {
  id: string;
  emailIds: string[];
}

/** Runs the bench. */
export async function run(report: Report, { seconds, rounds }: BenchOptions): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "postrider-tracking-"));
  try {
    await onStage(async (stage) => {
      const campaign = await sentCampaign(stage);
      const pathsFile = join(dir, "paths");
      writeFileSync(pathsFile, pathsOf(stage, campaign).join("\n"));
      const service = await stage.startService({ MODE: "all" });
      const { results, ceilings } = await takeTurns(stage, service, pathsFile, { seconds, rounds });
      reportVisits(report, results, ceilings);
      await reportLedger(report, stage, campaign, results);
      report.line("resident memory of the service", service.resident(), "MB", { goal: below(300) });
      await service.stop();
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A campaign whose mails have left, each to a contact of its own. */
export async function sentCampaign({ ctx, project }: Stage, mails = MAILS): Promise<SentCampaign> {
  const { pool } = ctx;
  const what = { project_id: project.id, subject: "Spring", html: "", from_email: "news@shop.example" };
  const [content] = await pool`insert into contents ${pool({ ...what, tracked: true })} returning id`;
  const more = { name: "Spring", body: "x", html: "x", audience_type: "ALL" };
  const [campaign] = await pool`insert into campaigns ${pool({ ...what, ...more })} returning id`;
  await pool`
    insert into contacts (project_id, email, subscribed)
    select ${project.id}, n || '-' || ${campaign!.id} || '@example.com', true from generate_series(1, ${mails}::int) n`;
  const emails = await pool`
    insert into emails (
      project_id, contact_id, address, content_id, source_type, campaign_id, status, due_at, queued_at, sent_at, message_id
    )
    select
      project_id, id, email, ${content!.id}, 'CAMPAIGN', ${campaign!.id}, 'SENT', now(), now(), now(), id || '@shop.example'
    from contacts
    where email like '%' || ${campaign!.id} || '@example.com'
    returning id`;
  return { id: campaign!.id, emailIds: emails.map((row) => row.id as string) };
}

/** For every mail its pixel, several times, and its link. */
function pathsOf({ ctx, project }: Stage, { emailIds }: SentCampaign): string[] {
  const { html, complete } = followHtml(ctx, project.id, `<a href="${LINK}">x</a>`);
  return emailIds.flatMap((emailId) => {
    const mail = complete(html, emailId);
    const [click, open] = [...mail.matchAll(/"http:\/\/[^/]+(\/t\/[^"]+)"/g)].map((match) => match[1]!);
    return [...Array<string>(CLICK_EVERY - 1).fill(open!), click!];
  });
}

async function takeTurns(
  stage: Stage,
  service: ServiceProcess,
  pathsFile: string,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<{ results: VisitResult[]; ceilings: number[] }> {
  const other = await sentCampaign(stage);
  const work = (sql: Context["pool"]) => recordOne({ ...stage.ctx, sql }, stage.project.id, other);
  const setup = await bestSetup(stage.databaseUrl, CONNECTIONS, work);
  const results: VisitResult[] = [];
  const ceilings: number[] = [];
  for (let round = 0; round < rounds; round++) {
    ceilings.push((await measureDriver(stage.databaseUrl, setup, seconds, work)).rate);
    results.push(await runVisits({ port: service.port, pathsFile, connections: CONNECTIONS, seconds }));
  }
  return { results, ceilings };
}

/** What one visit does in the database, without a service and without company. */
async function recordOne(ctx: Context, projectId: string, { emailIds }: SentCampaign): Promise<void> {
  const isClick = Math.random() * CLICK_EVERY < 1;
  const hit = {
    n: 0,
    project_id: projectId,
    email_id: emailIds[Math.floor(Math.random() * emailIds.length)]!,
    event_id: Bun.randomUUIDv7(),
    link: isClick ? LINK : null,
    is_bot: false,
    at: new Date().toISOString(),
  };
  await q.engagement.record(ctx, { hits: [hit] });
}

function reportVisits(report: Report, results: VisitResult[], ceilings: number[]): void {
  const mid = (pick: (result: VisitResult) => number) => median(results.map(pick));
  const rate = mid((result) => result.rate);
  const firstError = results.find((result) => result.firstError)?.firstError;
  report.line("accepted, 64 connections", rate, "requests/s", { goal: atLeast(5_000) });
  report.line("accepted, against one statement each", rate, "requests/s", { ceiling: ceilings });
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
  report.line("errors", sum(results, "errors"), "requests", {
    goal: exactly(0),
    ...(firstError && { note: { firstError } }),
  });
}

/** Compares what was answered with the ledger and with the counters of the campaign, until they agree. */
async function reportLedger(
  report: Report,
  { ctx }: Stage,
  { id }: SentCampaign,
  results: VisitResult[],
): Promise<void> {
  const startedAt = performance.now();
  const opens = sum(results, "opens");
  const clicks = sum(results, "clicks");
  for (;;) {
    const [found] = await ctx.pool`
      select
        e.*,
        c.opened_count + d.opened = e.opened_mails and c.clicked_count + d.clicked = e.clicked_mails as is_counted
      from (
        select
          sum(opens)::int as opens, sum(clicks)::int as clicks,
          count(opened_at)::int as opened_mails, count(clicked_at)::int as clicked_mails
        from emails where campaign_id = ${id}
      ) as e,
      campaigns c,
      (
        select coalesce(sum(opened), 0)::int as opened, coalesce(sum(clicked), 0)::int as clicked
        from campaign_count_deltas where campaign_id = ${id}
      ) as d
      where c.id = ${id}`;
    const lost = Math.abs(opens - found!.opens) + Math.abs(clicks - found!.clicks);
    const waitedMs = performance.now() - startedAt;
    if ((lost > 0 || !found!.isCounted) && waitedMs < CHECK_MS) continue;
    report.line("lost or doubled", lost, "visits", { goal: exactly(0), note: { opens, clicks } });
    report.line("counters right after", waitedMs / 1000, "s", { goal: below(5) });
    return;
  }
}

function sum(results: VisitResult[], field: "opens" | "clicks" | "errors"): number {
  return results.reduce((total, result) => total + result[field], 0);
}
