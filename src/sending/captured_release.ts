// Captured mails are sent after all, once there is a server and somebody asks for it.
import { SANDBOX_DOMAIN } from "../accounts/domains.ts";
import { takeWhatIsLeft, type UsageCategory } from "../accounts/usage.ts";
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { addJobs, type Jobs } from "../jobs.ts";
import { reasonAgainst } from "./_reasons_against.ts";
import { addSendJobs } from "./recovery.ts";

/** Which captured mails are meant; left out: all of them. */
export interface ReleaseScope {
  projectId?: string | undefined;
  ids?: string[] | undefined;
  /** Captured from then on. */
  since?: Date | undefined;
}

/** What a release has come to, or would. */
export interface ReleaseReport {
  /** Captured mails that were looked at. */
  captured: number;
  /** Those that are on their way now; of a dry run: those that would be, if the limits of the month allow. */
  released: number;
  /** Those that must not be sent any more, by the reason. The ledger says it too: they are SUPPRESSED. */
  refused: Record<string, number>;
  /** Those that the month has no room for: they stay CAPTURED. */
  overLimit: number;
}

type Captured = Awaited<ReturnType<typeof q.capturedRelease.page>>[number];

/** Mails of one commit, so that neither a sender nor a reader of the ledger waits long. */
const PAGE = 1_000;
/** Mails of a campaign that share a job. */
const BATCH_SIZE = 200;
/** As of the batches of a campaign that begins (`campaign_send.freeze_range`). */
const FIRST_PRIORITY = 10;
const LAST_PRIORITY = 32_000;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

const CATEGORIES: Record<Captured["sourceType"], UsageCategory> = {
  TRANSACTIONAL: "transactional",
  WORKFLOW: "workflows",
  CAMPAIGN: "campaigns",
};

/**
 * Makes captured mails PENDING, with their jobs, in the order in which they were captured. Looks again at subscription,
 * suppressions, campaigns, the domain of the sender and whether the content is still there. Called again it goes on with what is left. Throws
 * without an SMTP server, which would only capture them anew.
 */
export async function releaseCaptured(
  ctx: Context,
  scope: ReleaseScope,
  { dryRun = false } = {},
): Promise<ReleaseReport> {
  if (ctx.config.SMTP_URL === undefined) {
    throw new Error(
      "Cannot release captured mails without SMTP_URL: set it here and in every process of the service, such as " +
        "smtp://user:password@mail.example.com:587, and start those anew",
    );
  }
  const report: ReleaseReport = { captured: 0, released: 0, refused: {}, overLimit: 0 };
  const until = ctx.now();
  // What is released later comes later: else a large release would hold up the campaigns that begin meanwhile.
  let priority = FIRST_PRIORITY;
  for (let last: Captured | undefined; ; priority = Math.min(LAST_PRIORITY, priority + 1)) {
    const page = await inTransaction(ctx, async (tx) => {
      const mails = await nextPage(tx, scope, until, last);
      return { mails, counts: await releasePage(tx, mails, priority, dryRun) };
    });
    // What came to its end at that very moment had not seen what is open again.
    if (!dryRun) await reopenCampaigns(ctx, page.mails);
    addTo(report, page.counts);
    last = page.mails.at(-1);
    if (page.mails.length < PAGE) return report;
  }
}

async function nextPage(tx: Context, scope: ReleaseScope, until: Date, last: Captured | undefined) {
  return await q.capturedRelease.page(tx, {
    projectId: scope.projectId ?? null,
    ids: scope.ids ?? null,
    until,
    afterAt: last?.capturedAt ?? scope.since ?? new Date(0),
    afterProjectId: last?.projectId ?? FIRST_ID,
    afterId: last?.id ?? FIRST_ID,
    limit: PAGE,
  });
}

async function releasePage(
  tx: Context,
  mails: Captured[],
  priority: number,
  dryRun: boolean,
): Promise<ReleaseReport> {
  const cancelled = dryRun ? new Set<string>() : await holdCampaigns(tx, mails);
  const judged = mails.map((mail) => ({ mail, reason: reasonToClose(mail, cancelled) }));
  const closed = judged.filter(({ reason }) => reason !== null);
  const free = judged.filter(({ reason }) => reason === null).map(({ mail }) => mail);
  const refused = Object.fromEntries(
    [...Map.groupBy(closed, ({ reason }) => reason!)].map(([reason, those]) => [reason, those.length]),
  );
  const released = dryRun ? free : await takeUsage(tx, free);
  if (!dryRun) {
    await close(tx, closed as { mail: Captured; reason: string }[]);
    await send(tx, released, priority);
  }
  return {
    captured: mails.length,
    released: released.length,
    refused,
    overLimit: free.length - released.length,
  };
}

/** The campaigns of these mails that were cancelled, also since the mails were looked at. */
async function holdCampaigns(tx: Context, mails: Captured[]): Promise<Set<string>> {
  const campaigns = [...Map.groupBy(mails, (mail) => mail.campaignId)].filter(([id]) => id !== null);
  const cancelled = await q.capturedRelease.holdCampaigns(tx, {
    projectIds: campaigns.map(([, rows]) => rows[0]!.projectId),
    ids: campaigns.map(([id]) => id!),
  });
  return new Set(cancelled.map(({ id }) => id));
}

function reasonToClose(mail: Captured, cancelled: Set<string>): string | null {
  if (mail.isCancelled || cancelled.has(mail.campaignId ?? "")) return "The campaign was cancelled";
  const reason = reasonAgainst(mail, mail.type);
  if (reason !== null) return reason;
  if (mail.fromEmail?.endsWith(`@${SANDBOX_DOMAIN}`)) {
    return `Nobody can send from ${SANDBOX_DOMAIN}: it is for captured mail only`;
  }
  return mail.isSenderVerified ? null : "The domain of its sender is not verified any more";
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

async function send(tx: Context, mails: Captured[], priority: number): Promise<void> {
  if (mails.length === 0) return;
  const now = tx.now();
  await q.capturedRelease.release(tx, {
    projectIds: mails.map((mail) => mail.projectId),
    ids: mails.map((mail) => mail.id),
    now,
  });
  await addSendJobs(
    tx,
    mails.filter((mail) => mail.campaignId === null),
  );
  const ofCampaigns = mails.filter((mail) => mail.campaignId !== null);
  const byCampaign = [...Map.groupBy(ofCampaigns, (mail) => mail.campaignId!)];
  if (byCampaign.length === 0) return;
  await reopenCampaigns(tx, ofCampaigns);
  const batches = byCampaign.flatMap(([campaignId, rows]) => batchesOf(campaignId, rows, priority));
  await addJobs(tx, "send_batch", batches, { priority });
}

/** Campaigns of these mails that have come to their end go on, where something is to be sent. */
async function reopenCampaigns(on: Context, mails: Captured[]): Promise<void> {
  const campaigns = [...Map.groupBy(mails, (mail) => mail.campaignId)].filter(([id]) => id !== null);
  if (campaigns.length === 0) return;
  await q.capturedRelease.reopenCampaigns(on, {
    projectIds: campaigns.map(([, rows]) => rows[0]!.projectId),
    ids: campaigns.map(([id]) => id!),
    now: on.now(),
  });
}

/** Ranges of ids, as `campaign_send.batch` takes them: also where mails were captured in another order. */
function batchesOf(campaignId: string, rows: Captured[], priority: number): Jobs["send_batch"][] {
  const projectId = rows[0]!.projectId;
  const ids = rows.map((row) => row.id).sort();
  return Array.from({ length: Math.ceil(ids.length / BATCH_SIZE) }, (_, i) => {
    const batch = ids.slice(i * BATCH_SIZE, (i + 1) * BATCH_SIZE);
    return { projectId, campaignId, fromId: batch[0]!, toId: batch.at(-1)!, priority };
  });
}

function addTo(report: ReleaseReport, page: ReleaseReport): void {
  report.captured += page.captured;
  report.released += page.released;
  report.overLimit += page.overLimit;
  for (const [reason, count] of Object.entries(page.refused)) {
    report.refused[reason] = (report.refused[reason] ?? 0) + count;
  }
}
