// Captured mails are sent after all, once there is a server and somebody asks for it.
import { SANDBOX_DOMAIN } from "../../accounts/projects/domains.ts";
import { takeWhatIsLeft, type UsageCategory } from "../../accounts/billing/usage.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJobs, type Jobs, priorityBehind } from "../../jobs.ts";
import { type CapturedKey, capturedPages, type ReleaseScope } from "./_pages.ts";
import { reasonAgainst } from "../delivery/reasons_against.ts";
import { addSendJobs } from "../delivery/enqueue.ts";

export type { ReleaseScope } from "./_pages.ts";

/** Why nothing can be released now, in words for the operator. */
export class CannotRelease extends Error {
  readonly why: "no server" | "captured again";
  constructor(why: "no server" | "captured again", message: string) {
    super(message);
    this.why = why;
  }
}

/** The result of a release, or of a dry run. */
export interface ReleaseReport {
  /** Captured mails that were examined. */
  captured: number;
  /** Those that are being sent now; of a dry run: those that would be, if the monthly limits allow. */
  released: number;
  /** Those that must no longer be sent, by the reason. The ledger says it too: they are SUPPRESSED. */
  refused: Record<string, number>;
  /** Those that stay unchanged, by the reason; and ids without a captured mail. */
  skipped: Record<string, number>;
  /** Those that the month has no room for: they stay CAPTURED. */
  overLimit: number;
}

type Captured = Awaited<ReturnType<typeof q.capturedRelease.look>>[number];

/** How many batches each campaign has been given in this release. */
type BatchCounts = Map<string, number>;

/** Mails of a campaign that share a job. */
const BATCH_SIZE = 200;

const CATEGORIES: Record<Captured["sourceType"], UsageCategory> = {
  TRANSACTIONAL: "transactional",
  WORKFLOW: "workflows",
  CAMPAIGN: "campaigns",
};

/**
 * Makes captured mails PENDING, with their jobs, in the order in which they were captured. Checks again subscription,
 * suppressions, campaigns, the sender's domain and whether the content still exists. Calling it again continues with
 * what is left. Throws without an SMTP server, or where another live process has none: they would only be captured
 * again.
 */
export async function releaseCaptured(
  ctx: Context,
  scope: ReleaseScope,
  { dryRun = false } = {},
): Promise<ReleaseReport> {
  if (ctx.config.SMTP_URL === undefined) {
    throw new CannotRelease(
      "no server",
      "Cannot release captured mails without SMTP_URL: set it here and in every process of the service, such as " +
        "smtp://user:password@mail.example.com:587, and restart them",
    );
  }
  if (!dryRun) await assertNobodyCaptures(ctx);
  const report: ReleaseReport = { captured: 0, released: 0, refused: {}, skipped: {}, overLimit: 0 };
  const batches: BatchCounts = new Map();
  for await (const page of capturedPages(ctx, scope)) {
    addTo(report, dryRun ? await countPage(ctx, page) : await releasePage(ctx, page, batches, scope));
  }
  const unknown = new Set(scope.ids).size - report.captured;
  if (scope.ids && unknown > 0)
    report.skipped["No captured mail has this id, or the other options exclude it"] = unknown;
  return report;
}

async function assertNobodyCaptures(ctx: Context): Promise<void> {
  const hosts = (await q.workers.capturing(ctx)).map(({ host }) => host);
  if (hosts.length === 0) return;
  throw new CannotRelease(
    "captured again",
    `Cannot release captured mails while a process without SMTP_URL takes jobs (on ${hosts.join(", ")}): it would capture ` +
      "them again. Set SMTP_URL there too and restart it; a killed process counts for 15 s",
  );
}

/** Holds nothing. */
async function countPage(ctx: Context, page: CapturedKey[]): Promise<ReleaseReport> {
  const { free, ...counts } = judge(await q.capturedRelease.look(ctx, keysOf(page)));
  return { ...counts, captured: page.length, released: free.length, overLimit: 0 };
}

async function releasePage(
  ctx: Context,
  page: CapturedKey[],
  batches: BatchCounts,
  { note }: ReleaseScope,
): Promise<ReleaseReport> {
  return await inTransaction(ctx, async (tx) => {
    await q.campaignSend.hold(tx, campaignsOf(page));
    const held = await q.capturedRelease.hold(tx, keysOf(page));
    const { free, closed, ...counts } = judge(await q.capturedRelease.look(tx, keysOf(held)));
    const released = await takeUsage(tx, free);
    await close(tx, closed);
    await send(tx, released, batches);
    if (released.length > 0) await note?.(tx, released.length);
    if (held.length < page.length) {
      counts.skipped["It was released or deleted meanwhile, or is being"] = page.length - held.length;
    }
    return {
      ...counts,
      captured: page.length,
      released: released.length,
      overLimit: free.length - released.length,
    };
  });
}

/** Which of these may be sent, and what to report of the others. */
function judge(mails: Captured[]) {
  const judged = mails.map((mail) => {
    const kept = reasonToKeep(mail);
    return { mail, kept, reason: kept === null ? reasonToClose(mail) : null };
  });
  const closed = judged.flatMap(({ mail, reason }) => (reason === null ? [] : [{ mail, reason }]));
  const free = judged.flatMap(({ mail, kept, reason }) => (kept === null && reason === null ? [mail] : []));
  const refused = tally(closed.map(({ reason }) => reason));
  const skipped = tally(judged.flatMap(({ kept }) => kept ?? []));
  return { free, closed, refused, skipped };
}

/** Why this mail stays CAPTURED; null when nothing speaks for it. */
function reasonToKeep(mail: Captured): string | null {
  if (mail.isDisabled) return "The project is disabled";
  return mail.isBeingReset ? "The project is being reset" : null;
}

function reasonToClose(mail: Captured): string | null {
  if (mail.isCancelled) return "The campaign was cancelled";
  const reason = reasonAgainst(mail, mail.type);
  if (reason !== null) return reason;
  if (mail.fromEmail?.toLowerCase().endsWith(`@${SANDBOX_DOMAIN}`)) {
    return `Nobody can send from ${SANDBOX_DOMAIN}: it is for captured mail only`;
  }
  return mail.isSenderVerified ? null : "The domain of its sender is no longer verified";
}

/** Those of these mails, the first ones, that the month has room for: capturing them has given it back. */
async function takeUsage(tx: Context, mails: Captured[]): Promise<Captured[]> {
  const taken = new Set<Captured>();
  for (const [category, those] of Map.groupBy(mails, (mail) => CATEGORIES[mail.sourceType])) {
    const byProject = Map.groupBy(those, (mail) => mail.projectId);
    const wanted = new Map([...byProject].map(([projectId, rows]) => [projectId, rows.length]));
    const granted = await takeWhatIsLeft(tx, category, wanted);
    for (const [projectId, rows] of byProject) {
      for (const mail of rows.slice(0, granted.get(projectId))) taken.add(mail);
    }
  }
  return mails.filter((mail) => taken.has(mail));
}

async function close(tx: Context, closed: { mail: Captured; reason: string }[]): Promise<void> {
  if (closed.length === 0) return;
  await q.capturedRelease.close(tx, {
    closed: closed.map(({ mail, reason }) => ({ project_id: mail.projectId, id: mail.id, reason })),
  });
}

async function send(tx: Context, mails: Captured[], batches: BatchCounts): Promise<void> {
  if (mails.length === 0) return;
  const now = tx.now();
  await q.capturedRelease.release(tx, { ...keysOf(mails), now });
  await addSendJobs(
    tx,
    mails.filter((mail) => mail.campaignId === null),
  );
  await q.capturedRelease.reopenCampaigns(tx, { ...campaignsOf(mails), now });
  const campaigns = Map.groupBy(mails, (mail) => mail.campaignId);
  campaigns.delete(null);
  const jobs = [...campaigns].flatMap(([campaignId, rows]) => batchesOf(campaignId!, rows, batches));
  for (const [priority, payloads] of Map.groupBy(jobs, (job) => job.priority!)) {
    await addJobs(tx, "send_batch", payloads, { priority });
  }
}

/**
 * Ranges of ids, as `campaign_send.batch` takes them: also where mails were captured in another order. The n-th batch of a
 * campaign has the rank of the n-th one of any other, as in `campaign_send.snapshot_range`: so a large one holds up none
 * that is small.
 */
function batchesOf(campaignId: string, rows: Captured[], batches: BatchCounts): Jobs["send_batch"][] {
  const projectId = rows[0]!.projectId;
  const ids = rows.map((row) => row.id).sort();
  const before = batches.get(campaignId) ?? 0;
  const count = Math.ceil(ids.length / BATCH_SIZE);
  batches.set(campaignId, before + count);
  return Array.from({ length: count }, (_, i) => {
    const batch = ids.slice(i * BATCH_SIZE, (i + 1) * BATCH_SIZE);
    const priority = priorityBehind("send_batch", before + i);
    return { projectId, campaignId, fromId: batch[0]!, toId: batch.at(-1)!, priority };
  });
}

function keysOf(mails: { projectId: string; id: string }[]) {
  return { projectIds: mails.map((mail) => mail.projectId), ids: mails.map((mail) => mail.id) };
}

function campaignsOf(mails: { projectId: string; campaignId: string | null }[]) {
  const campaigns = new Map(mails.map((mail) => [mail.campaignId, mail.projectId]));
  campaigns.delete(null);
  return { projectIds: [...campaigns.values()], ids: [...campaigns.keys()].map((id) => id!) };
}

function addTo(report: ReleaseReport, page: ReleaseReport): void {
  report.captured += page.captured;
  report.released += page.released;
  report.overLimit += page.overLimit;
  for (const outcome of ["refused", "skipped"] as const) {
    for (const [reason, count] of Object.entries(page[outcome])) {
      report[outcome][reason] = (report[outcome][reason] ?? 0) + count;
    }
  }
}

function tally(reasons: string[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(reasons, (reason) => reason)].map(([reason, those]) => [reason, those.length]),
  );
}
