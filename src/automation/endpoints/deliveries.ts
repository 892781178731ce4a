// The log of what was sent to an endpoint, and what can be done with it: send it again, or try the endpoint.
import { firstIdAt } from "../../audience/conditions/tree.ts";
import { openSecrets } from "../../accounts/projects/webhook_secrets.ts";
import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import type { Json } from "../../db/types.ts";
import { addJob, type Jobs } from "../../jobs.ts";
import { problems } from "../../problem/mod.ts";
import type { Answered } from "../webhooks/answer.ts";
import { callEndpoint, type Try } from "./_call.ts";
import { wakeLine } from "./mod.ts";
import { TEST_TYPE } from "./types.ts";

type Status = "PENDING" | "DELIVERED" | "FAILED";
type ListRow = Awaited<ReturnType<Queries["webhookDeliveries"]["list"]>>[number];

/** A line of the log. */
export interface Delivery extends Omit<ListRow, "lastTry" | "status" | "dueAt"> {
  status: Status;
  /** When it is tried next; null when it is not. */
  nextAttemptAt: Date | null;
  lastAttempt: DeliveryAttempt | null;
}

/** One call: with a status or an error. */
export interface DeliveryAttempt {
  at: Date;
  ms: number;
  status: number | null;
  error: string | null;
}

/** A line with all that is known of it. */
export interface DeliveryDetails extends Delivery {
  /** Oldest first. */
  tries: DeliveryAttempt[];
  /** What was sent, as it was: null when the contact it was about has been deleted. */
  requestBody: string | null;
  response: Answered | null;
}

/** Which deliveries. Left out: all. */
export interface DeliveryFilter {
  status?: Status | undefined;
  types?: string[] | undefined;
  from?: Date | undefined;
  until?: Date | undefined;
}

const DROP_BATCH = 5_000;
const DROP_MS = 5_000;
const REPLAY_BATCH = 5_000;
/** How many one request replays at most: the rest is for the next one. */
export const MAX_REPLAYED = 100_000;

/** Deliveries of an endpoint, newest first, `limit` and one more where there are more. Throws not-found. */
export async function listDeliveries(
  ctx: Context,
  { projectId, webhookId }: Line,
  { status, types, from, until }: DeliveryFilter,
  { limit, afterId }: { limit: number; afterId: string | null },
): Promise<Delivery[]> {
  await assertThere(ctx, { projectId, webhookId });
  const rows = await q.webhookDeliveries.list(ctx, {
    projectId,
    webhookId,
    status: status ?? null,
    types: types ?? null,
    fromId: from ? firstIdAt(from) : null,
    untilId: until ? firstIdAt(until) : null,
    after: afterId,
    limit: limit + 1,
  });
  return rows.map(toDelivery);
}

/** One delivery. Throws not-found. */
export async function getDelivery(ctx: Context, line: Line, messageId: string): Promise<DeliveryDetails> {
  const row = await q.webhookDeliveries.get(ctx, { ...line, messageId });
  if (!row) throw problems.notFound("delivery", messageId);
  const { tries, body, response, ...rest } = row;
  const all = (tries as unknown as Try[]).map(toAttempt);
  const shown = { ...toDelivery({ ...rest, lastTry: null }), lastAttempt: all.at(-1) ?? null };
  return { ...shown, tries: all, requestBody: body, response: response as unknown as Answered | null };
}

/** Has one delivery made again, with the same id, whatever became of it. Throws not-found, and 409 for a paused endpoint. */
export async function replayDelivery(ctx: Context, line: Line, messageId: string): Promise<DeliveryDetails> {
  return await inTransaction(ctx, async (tx) => {
    await holdEnabled(tx, line);
    const replayed = await q.webhookDeliveries.replay(tx, { ...line, messageId, now: tx.now() });
    if (replayed === 0) throw problems.notFound("delivery", messageId);
    await wake(tx, line);
    return await getDelivery(tx, line, messageId);
  });
}

/**
 * Has all deliveries of a span made again that ended like this; left out: however they ended. Each batch is a commit of its own.
 * Answers how many, and whether there are more. Throws not-found, and 409 for a paused endpoint.
 */
export async function replayDeliveries(
  ctx: Context,
  line: Line,
  { status, from, until = ctx.now() }: Pick<DeliveryFilter, "status" | "from" | "until">,
): Promise<{ replayed: number; hasMore: boolean }> {
  let replayed = 0;
  let after = firstIdAt(from ?? new Date(0));
  while (replayed < MAX_REPLAYED) {
    const batch = await inTransaction(ctx, async (tx) => {
      await holdEnabled(tx, line);
      const found = await q.webhookDeliveries.replayMany(tx, {
        ...line,
        status: status ?? null,
        after,
        untilId: firstIdAt(until),
        now: tx.now(),
        limit: REPLAY_BATCH,
      });
      if (found.replayed > 0) await wake(tx, line);
      return found;
    });
    replayed += batch.replayed;
    if (batch.replayed < REPLAY_BATCH) return { replayed, hasMore: false };
    after = batch.lastId!;
  }
  return { replayed, hasMore: true };
}

/** Calls an endpoint now, once, paused or not, with a message that says that it is a test. Throws not-found. */
export async function testWebhook(ctx: Context, { projectId, webhookId }: Line): Promise<DeliveryDetails> {
  const now = ctx.now();
  const row = await q.webhooks.there(ctx, { projectId, webhookId });
  if (!row) throw problems.notFound("webhook", webhookId);
  const secrets = openSecrets(ctx, row.secret, [projectId, webhookId]);
  if (!secrets) throw problems.webhookSecretLost();
  const messageId = newId(ctx);
  const body = JSON.stringify({
    type: TEST_TYPE,
    timestamp: now.toISOString(),
    data: { webhookId, message: "This is a test." },
  });
  const called = await callEndpoint(ctx, { url: row.url, secrets }, { messageId, body });
  const line = { projectId, webhookId };
  return await inTransaction(ctx, async (tx) => {
    await assertThere(tx, line);
    await q.webhookMessages.addTest(tx, { projectId, id: messageId, type: TEST_TYPE, body, now });
    await q.webhookDeliveries.addResult(tx, {
      ...line,
      messageId,
      type: TEST_TYPE,
      status: called.isGood ? "DELIVERED" : "FAILED",
      try: called.try,
      response: called.response as Json,
      now,
    });
    return await getDelivery(tx, line, messageId);
  });
}

/** Deletes the deliveries of an endpoint that is gone, for some seconds, and continues as a new job while there are more. */
export async function dropDeliveries(ctx: Context, job: Jobs["drop_deliveries"]): Promise<void> {
  const endsAt = performance.now() + DROP_MS;
  while ((await q.webhooks.dropDeliveries(ctx, { ...job, limit: DROP_BATCH })) === DROP_BATCH) {
    if (performance.now() > endsAt) return await addJob(ctx, "drop_deliveries", job);
  }
}

/** An endpoint of a project. */
export interface Line {
  projectId: string;
  webhookId: string;
}

async function assertThere(ctx: Context, line: Line): Promise<void> {
  if (!(await q.webhooks.there(ctx, line))) throw problems.notFound("webhook", line.webhookId);
}

async function holdEnabled(tx: Context, line: Line): Promise<void> {
  const row = await q.webhooks.hold(tx, line);
  if (!row) throw problems.notFound("webhook", line.webhookId);
  if (!row.enabled) throw problems.webhookPaused();
}

async function wake(tx: Context, { projectId, webhookId }: Line): Promise<void> {
  await q.webhookDeliveries.wake(tx, { projectId, webhookId });
  await wakeLine(tx, projectId, webhookId);
}

function toDelivery({ lastTry, dueAt, ...row }: ListRow): Delivery {
  const last = lastTry as unknown as Try | null;
  return { ...row, status: row.status as Status, nextAttemptAt: dueAt, lastAttempt: last && toAttempt(last) };
}

function toAttempt({ at, ms, status = null, error = null }: Try): DeliveryAttempt {
  return { at: new Date(at), ms, status: status as number | null, error: error as string | null };
}
