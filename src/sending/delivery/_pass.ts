// One pass of delivery in the ledger: outcomes are written, and the next mails are claimed.
import { isSandbox } from "../../accounts/projects/sandbox_id.ts";
import { type Context, inTransaction } from "../../context.ts";
import { isRefusal } from "../../database_errors.ts";
import { q } from "../../db/queries.ts";
import { addJobs } from "../../jobs.ts";
import { describeError } from "../../log.ts";
import type { Attachment } from "../../mail/mailer.ts";
import { metersOf } from "../../meters.ts";
import type { DeliveryRequest } from "./_requests.ts";
import { giveUpOn, type Lost } from "../giving_up.ts";
import type { PreparedContent } from "../compose/mod.ts";
import type { AcceptedContent } from "./accepted_content.ts";
import { type KnownContents, knownContents, loadAttachments, prepareContents } from "./_contents.ts";
import { simulatedReports } from "./_simulator.ts";
import type { ClaimedEmail } from "./emails.ts";
import { figuresOf } from "./figures.ts";
import { type MailOutcome, withoutWords } from "./outcomes.ts";

/** A mail that this process has claimed. */
export interface ClaimedMail {
  email: ClaimedEmail;
  /** Null when it has expired. */
  content: PreparedContent | null;
  attachments: Attachment[];
}

/**
 * Settles and claims in one commit; apart, when that fails: outcomes until they are written, claims only once. Nothing is
 * claimed before `noted` has resolved.
 */
export async function runPass(
  ctx: Context,
  noted: () => Promise<void>,
  outcomes: MailOutcome[],
  requests: DeliveryRequest[],
): Promise<Map<string, ClaimedMail> | Error> {
  if (outcomes.length + requests.length === 0) return new Map();
  try {
    const known = knownContents(ctx, acceptedAmong(requests));
    return await toMails(ctx, await settleAndClaim(ctx, noted, outcomes, requests, known), known);
  } catch (error) {
    ctx.log.warn("outcomes not written yet", { mails: outcomes.length, ...describeError(error) });
    await settleUntilWritten(ctx, outcomes);
    // An outcome that cannot be stored says nothing about the claims.
    if (isRefusal(error) && outcomes.length > 0) return await runPass(ctx, noted, [], requests);
    return error as Error;
  }
}

/**
 * Writes outcomes with all that follows from them, and claims mails, in one commit. The trigger `emails_count` counts the
 * outcomes for campaigns, reputation and analytics.
 */
async function settleAndClaim(
  ctx: Context,
  noted: () => Promise<void>,
  outcomes: MailOutcome[],
  requests: DeliveryRequest[],
  known: KnownContents,
): Promise<ClaimedEmail[]> {
  const campaigns = [...new Map(requests.map((request) => [request.campaignId, request])).values()].filter(
    ({ campaignId }) => campaignId !== null,
  );
  if (requests.length > 0) await noted();
  const ends = outcomes.map(({ attempt, ...row }) => ({ attempt, row }));
  const figures = figuresOf(ends.flatMap(({ attempt }) => attempt ?? []));
  const take = async (on: Context) => {
    const rows = await q.delivery.settleAndClaim(on, {
      workerId: ctx.workerId,
      now: ctx.now(),
      outcomes: ends.map(({ row }) => row),
      figures,
      projectIds: requests.map((request) => request.projectId),
      ids: requests.map((request) => request.emailId),
      campaignProjectIds: campaigns.map((request) => request.projectId),
      campaignIds: campaigns.map((request) => request.campaignId!),
      knownContents: [...known.prepared.keys(), ...known.accepted.keys()],
    });
    return rows.filter((row): row is ClaimedEmail => row.id !== null);
  };
  const bounced = outcomes.filter(({ status }) => status === "BOUNCED");
  const captured = outcomes.filter(({ status }) => status === "CAPTURED");
  const simulated = simulatedReports(outcomes);
  const claimed =
    bounced.length + captured.length + simulated.length === 0
      ? await take(ctx)
      : await inTransaction(ctx, async (tx) => {
          if (captured.length > 0) await giveBackUsage(tx, captured);
          const taken = await take(tx);
          await giveUpOn(tx, bounced.map(lostBy));
          await addJobs(tx, "report_simulated", simulated);
          return taken;
        });
  for (const { status, project_id } of outcomes) {
    // What bounces in a sandbox is no reason to wake an operator.
    if (!isSandbox(project_id)) metersOf(ctx).mails.inc({ outcome: status });
  }
  return claimed;
}

async function giveBackUsage(tx: Context, captured: MailOutcome[]): Promise<void> {
  await q.usage.giveBack(tx, {
    workerId: tx.workerId,
    projectIds: captured.map((outcome) => outcome.project_id),
    ids: captured.map((outcome) => outcome.id),
  });
}

function lostBy({ project_id, contact_id, address }: MailOutcome): Lost {
  return { projectId: project_id, contactId: contact_id, address, reason: "BOUNCE" };
}

/** The contents that this process has in memory because it has accepted them, by their ids. */
function acceptedAmong(requests: DeliveryRequest[]): Map<string, AcceptedContent> {
  return new Map(requests.flatMap(({ content }) => (content ? [[content.id, content]] : [])));
}

async function toMails(
  ctx: Context,
  emails: ClaimedEmail[],
  known: KnownContents,
): Promise<Map<string, ClaimedMail>> {
  const contents = await prepareContents(ctx, emails, known);
  const attachments = await loadAttachments(ctx, emails);
  return new Map(
    emails.map((email) => [
      email.id,
      {
        email,
        content: contents.get(email.contentId ?? "") ?? null,
        attachments: attachments.get(email.contentId ?? "") ?? [],
      },
    ]),
  );
}

// The outcome is known only here: as long as this process lives, it is not given up.
async function settleUntilWritten(ctx: Context, outcomes: MailOutcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 5_000)) {
    try {
      await settleAndClaim(ctx, async () => {}, outcomes, [], knownContents(ctx, new Map()));
      return;
    } catch (error) {
      if (isRefusal(error) && outcomes.length > 1) return await settleEach(ctx, outcomes);
      // A reply, or a value of ours, cannot be stored: the outcome itself matters more.
      if (isRefusal(error)) outcomes = [withoutWords(outcomes[0]!)];
      await Bun.sleep(pauseMs);
    }
  }
}

/** One by one, so that the outcome which the database refuses does not hold up the others. */
async function settleEach(ctx: Context, outcomes: MailOutcome[]): Promise<void> {
  for (const outcome of outcomes) await settleUntilWritten(ctx, [outcome]);
}
