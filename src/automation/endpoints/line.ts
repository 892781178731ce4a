// The line of an endpoint: one job at a time calls it, batch by batch, as long as something is due. No transaction is open
// during a call. Each delivery is made at least once: a process that dies between the response and its commit repeats it,
// with the same id.
import { openSecrets } from "../../accounts/projects/webhook_secrets.ts";
import { recordAudit, SERVICE } from "../../accounts/audit.ts";
import { type Context, inTransaction, newId, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Jobs } from "../../jobs.ts";
import { notifyMembers } from "../../sending/platform/mod.ts";
import { callAll, CALLS_AT_ONCE, type Endpoint } from "./_call.ts";
import { newLinePlaces } from "./_places.ts";
import { type LineState, deliveryOutcome, rowOf, type LineVerdict, verdictOf } from "./_verdict.ts";
import { pauseNotice } from "./notices.ts";
import { withoutQuery } from "./mod.ts";

type LineJob = Jobs["deliver_webhooks"];

/** How long a job calls before others have their turn. */
const TURN_MS = 5_000;
/** Longer than the last calls of a turn can take. */
const LEASE_MS = 60_000;
const BATCH = 200;
/** In how long a line without a place comes back. */
const NO_PLACE_MS = 1_000;
/** How often somebody looks whether a disabled project is back, or a secret can be decrypted. */
const HOLD_MS = 5 * 60_000;

const placesOf = perService(newLinePlaces);

/** Calls an endpoint with what is due, for some seconds, and arranges the next job. */
export async function deliverWebhooks(ctx: Context, job: LineJob): Promise<void> {
  const places = placesOf(ctx);
  if (!places.enter(job.webhookId)) return await enqueueAt(ctx, job, after(ctx, NO_PLACE_MS));
  try {
    await callInPlace(ctx, job);
  } finally {
    places.leave(job.webhookId);
  }
}

async function callInPlace(ctx: Context, job: LineJob): Promise<void> {
  const { projectId, webhookId } = job;
  const leaseId = newId(ctx);
  const now = ctx.now();
  const line = await q.webhookLine.claim(ctx, {
    projectId,
    webhookId,
    leaseId,
    now,
    until: after(ctx, LEASE_MS),
  });
  if (!line) return await comeBack(ctx, job);
  const secrets = openSecrets(ctx, line.secret, [projectId, webhookId]);
  if (secrets) await drain(ctx, { ...job, leaseId }, { url: line.url, secrets }, line);
  else ctx.log.error("a webhook secret cannot be decrypted with this SECRET_KEY", { projectId, webhookId });
  const { nextAt } = (await q.webhookLine.release(ctx, { projectId, webhookId, leaseId })) ?? {};
  if (nextAt) await enqueueAt(ctx, job, secrets ? nextAt : after(ctx, HOLD_MS));
}

/** One that rests, or whose project is disabled, is looked at again. The holder of one that is taken looks by itself. */
async function comeBack(ctx: Context, job: LineJob): Promise<void> {
  const standing = await q.webhookLine.standing(ctx, { ...job, now: ctx.now() });
  if (!standing || standing.isLeased) return;
  if (standing.isHeld) return await enqueueAt(ctx, job, after(ctx, HOLD_MS));
  await enqueueAt(ctx, job, standing.retryAt ?? ctx.now());
}

interface Lease extends LineJob {
  leaseId: string;
}

/** Calls until nothing is due, the time is over, or the line has to rest. While it fails one delivery tries it for all. */
async function drain(ctx: Context, lease: Lease, endpoint: Endpoint, before: LineState): Promise<void> {
  const endsAt = performance.now() + TURN_MS;
  const places = placesOf(ctx);
  let state: LineState = before;
  do {
    const limit = state.failures > 0 ? 1 : places.isSlow(lease.webhookId) ? CALLS_AT_ONCE : BATCH;
    const { projectId, webhookId } = lease;
    const due = await q.webhookLine.due(ctx, { projectId, webhookId, now: ctx.now(), limit });
    if (due.length === 0) return;
    const verdict = await callBatch(ctx, lease, { endpoint, due, state });
    if (!verdict || verdict.retryAt || verdict.pauseReason) return;
    state = verdict;
  } while (performance.now() < endsAt);
}

type Due = Awaited<ReturnType<typeof q.webhookLine.due>>[number];

/** Calls with some deliveries and writes what came of it. Null where another job has the line by now, or its URL changed. */
async function callBatch(
  ctx: Context,
  { leaseId, ...line }: Lease,
  { endpoint, due, state }: { endpoint: Endpoint; due: Due[]; state: LineState },
): Promise<LineVerdict | null> {
  const messages = due.flatMap(({ body, ...one }) => (body === null ? [] : [{ ...one, body }]));
  const ended = await callAll(ctx, endpoint, messages);
  const calls = ended.map(({ called }) => called);
  const now = ctx.now();
  placesOf(ctx).note(
    line.webhookId,
    calls.map((called) => called.try.ms),
  );
  const verdict: LineVerdict =
    calls.length > 0 ? verdictOf(state, calls, now) : { ...state, retryAt: null, pauseReason: null };
  const rows = ended.map(({ message, called }) =>
    rowOf(
      message.messageId,
      deliveryOutcome(message.attempts, called, { now, retryAt: verdict.retryAt }),
      called,
    ),
  );
  const delivered = calls.filter(({ isGood }) => isGood).length;
  const isSame = await inTransaction(ctx, async (tx) => {
    const settled = await q.webhookLine.settle(tx, {
      ...line,
      ...verdict,
      leaseId,
      url: endpoint.url,
      rows,
      gone: due.flatMap(({ body, messageId }) => (body === null ? [messageId] : [])),
      delivered,
      failed: calls.length - delivered,
      now,
      until: after(ctx, LEASE_MS),
    });
    if (settled.isSame && verdict.pauseReason) await tellOfPause(tx, line, endpoint.url, verdict);
    return settled.isSame;
  });
  return isSame ? verdict : null;
}

async function tellOfPause(
  tx: Context,
  { projectId }: LineJob,
  url: string,
  verdict: LineVerdict,
): Promise<void> {
  const { pauseReason: reason, failingSince } = verdict;
  const subject = withoutQuery(url);
  await recordAudit(tx, {
    projectId,
    actor: SERVICE,
    action: "webhook.paused",
    subject,
    details: { reason },
  });
  await notifyMembers(tx, projectId, pauseNotice(subject, reason!, failingSince ?? tx.now()));
}

async function enqueueAt(ctx: Context, job: LineJob, runAt: Date): Promise<void> {
  await q.webhookLine.enqueue(ctx, { ...job, runAt });
}

function after(ctx: Context, ms: number): Date {
  return new Date(ctx.now().getTime() + ms);
}
