// The WEBHOOK step: calls an address chosen by the author, repeatedly until it succeeds, and then lets the execution
// continue. No transaction is open during a call. Each webhook is sent at least once: a process that dies between the
// response and its commit sends it again, with the same id.
import { type Context, inTransaction, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Json } from "../../db/types.ts";
import { addJob, type Jobs } from "../../jobs.ts";
import { cut } from "../../net/checked_addresses.ts";
import type { GuardedAnswer } from "../../net/guarded_request.ts";
import { type Answered, keptAnswer, retryAfterMs } from "./answer.ts";
import { createCallPlaces } from "./_places.ts";
import { askOnce } from "./_call.ts";
import type { WebhookSubject } from "./_request.ts";
import type { WebhookConfig } from "./config.ts";

/** The step of an execution that a webhook is. */
export type WebhookJob = Jobs["call_webhook"];

/** How a step ended, and what is stored of it. */
export interface StepEnd extends WebhookJob {
  ok: boolean;
  output: Json;
  /** A whole sentence; null when it went well. */
  error: string | null;
}

/** Lets the execution continue, or fail, in the transaction of `tx`. Does nothing when the step has ended already. */
export type FinishStep = (tx: Context, end: StepEnd) => Promise<void>;

/** One call, as the step's output keeps it: with a status or an error. */
interface Attempt {
  at: string;
  ms: number;
  status?: number;
  error?: string;
}

interface DueCall extends WebhookJob {
  config: WebhookConfig;
  subject: WebhookSubject;
  /** The calls so far. */
  attempts: Attempt[];
}

/** After each failed call. */
const PAUSES_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000];
const LONGEST_PAUSE_MS = 3_600_000;
/** A pause is longer by up to this, so that calls that failed together do not return together. */
const JITTER = 0.2;
/** How often somebody looks whether a disabled project is back. */
const HOLD_MS = 5 * 60_000;
/** What a job that comes that much too early is not sent back for: clocks differ. */
const EARLY_MS = 1_000;

/** A job continues with the calls that were put aside for so long, and leaves the others to another one. */
const TURN_MS = 5_000;
/** After this, calls put aside return to the queue, should this process die in the meantime. */
const ASIDE_MS = 60_000;

// The fast lane runs two jobs at once for each connection (`src/worker/`). Half of them may be calls, and half of
// those may be of one project: however slow servers are, mail has a job for each connection.
const placesOf = perService(({ mailer }) => {
  const all = Math.max(1, mailer.connections);
  return createCallPlaces<WebhookJob>({ all, each: Math.ceil(all / 2) });
});

/**
 * Calls the webhook of a step, and ends the step or arranges the next attempt. Where too many are being called already
 * it is put aside, or comes back later. Nothing is called for an execution that has ended.
 */
export async function callWebhook(ctx: Context, job: WebhookJob, finishStep: FinishStep): Promise<void> {
  const endsAt = performance.now() + TURN_MS;
  const [own] = await Promise.allSettled([
    placesOf(ctx).enter(job) ? callInPlace(ctx, job, finishStep) : waitForPlace(ctx, job),
  ]);
  await callOthers(ctx, finishStep, endsAt);
  if (own.status === "rejected") throw own.reason;
}

/** A job put aside stays in the queue too: this process may die. */
async function waitForPlace(ctx: Context, job: WebhookJob): Promise<void> {
  const places = placesOf(ctx);
  const isAside = places.putAside(job);
  const pauseMs = isAside ? ASIDE_MS * (1 + Math.random() * JITTER) : places.pauseMs(job.projectId);
  await enqueueAt(ctx, job, after(ctx, pauseMs));
}

/** Makes the calls that were put aside, as long as there are places and time. */
async function callOthers(ctx: Context, finishStep: FinishStep, endsAt: number): Promise<void> {
  const places = placesOf(ctx);
  while (performance.now() < endsAt) {
    const next = places.enterNext();
    if (!next) return;
    await callInPlace(ctx, next, async (tx, end) => {
      await finishStep(tx, end);
      await q.webhooksOut.dequeue(tx, { key: callKey(next) });
    });
  }
  const next = places.release();
  if (next) await enqueueAt(ctx, next, ctx.now());
}

async function callInPlace(ctx: Context, job: WebhookJob, finishStep: FinishStep): Promise<void> {
  try {
    await callNow(ctx, job, finishStep);
  } finally {
    placesOf(ctx).leave(job);
  }
}

/** Enqueues the call of a webhook in the transaction of `tx`, unless one waits already. */
export async function enqueueWebhook(tx: Context, job: WebhookJob): Promise<void> {
  await q.webhooksOut.enqueueOnce(tx, { payload: payloadOf(job), key: callKey(job) });
}

/** One that waits already takes the new time. */
async function enqueueAt(tx: Context, job: WebhookJob, runAt: Date): Promise<void> {
  await addJob(tx, "call_webhook", payloadOf(job), { runAt, key: callKey(job) });
}

function payloadOf({ projectId, executionId, stepExecutionId }: WebhookJob): WebhookJob {
  return { projectId, executionId, stepExecutionId };
}

/** What tells the job of a webhook from others: of each one waits at most. */
export function callKey({ stepExecutionId }: WebhookJob): string {
  return `call_webhook:${stepExecutionId}`;
}

async function callNow(ctx: Context, job: WebhookJob, finishStep: FinishStep): Promise<void> {
  const { projectId, stepExecutionId } = job;
  const row = await q.webhooksOut.due(ctx, { projectId, stepExecutionId });
  if (!row) return;
  if (row.isHeld) return await enqueueAt(ctx, job, after(ctx, HOLD_MS));
  const { attempts = [], nextAttemptAt } = (row.output ?? {}) as unknown as Output;
  const dueAt = new Date(nextAttemptAt ?? 0);
  if (dueAt.getTime() > ctx.now().getTime() + EARLY_MS) return await enqueueAt(ctx, job, dueAt);
  const call = {
    ...job,
    config: row.config as unknown as WebhookConfig,
    subject: subjectOf(job, row),
    attempts,
  };
  const finish = async (end: Pick<StepEnd, "ok" | "output" | "error">) =>
    await inTransaction(ctx, (tx) => finishStep(tx, { ...job, ...end }));
  await attempt(ctx, call, finish);
}

type Row = NonNullable<Awaited<ReturnType<typeof q.webhooksOut.due>>>;

function subjectOf({ executionId }: WebhookJob, row: Row): WebhookSubject {
  const { contactId: id, email, subscribed, data } = row;
  return {
    contact: { id, email, subscribed, data: data as Record<string, Json> },
    workflow: { id: row.workflowId, name: row.workflowName },
    execution: { id: executionId, startedAt: row.startedAt },
    context: row.context as Record<string, Json>,
  };
}

/** What is kept of a webhook: while it continues, and when it has ended. */
interface Output {
  method: string;
  url: string;
  attempts: Attempt[];
  nextAttemptAt?: string;
  /** The last answer. */
  response: Answered | null;
}

type Finish = (end: Pick<StepEnd, "ok" | "output" | "error">) => Promise<void>;

/** Asks once, and ends the step or arranges the next attempt. */
async function attempt(ctx: Context, call: DueCall, finish: Finish): Promise<void> {
  const { config, attempts } = call;
  const at = ctx.now();
  const startedAt = performance.now();
  const { url, answer } = await askOnce(ctx, call, at);
  const ms = Math.round(performance.now() - startedAt);
  const made: Attempt = { at: at.toISOString(), ms, ...resultOf(answer) };
  const output: Output = {
    method: config.method,
    url,
    attempts: [...attempts, made],
    response: answer.state === "answered" ? keptAnswer(answer) : null,
  };
  const isGood = answer.state === "answered" && answer.status >= 200 && answer.status < 300;
  const pauseMs = answer.state === "refused" ? undefined : PAUSES_MS[attempts.length];
  if (!isGood && pauseMs !== undefined) {
    return await tryAgain(ctx, call, output, longer(pauseMs, answer, ctx.now()));
  }
  const error = isGood ? null : sentenceOf(output, answer.state === "refused");
  await finish({ ok: isGood, output: output as unknown as Json, error });
}

/** What a person needs to know to understand why an execution has failed. */
function sentenceOf({ method, url, attempts }: Output, isRefused: boolean): string {
  // What is before the host or after the path may be a secret.
  const shown = cut(url.split(/[?#]/, 1)[0]!.replace(/\/\/[^/]*@/, "//"));
  const { error, status } = attempts.at(-1)!;
  const reason = error ?? `it answered ${status}`;
  return isRefused
    ? `The webhook ${method} ${shown} cannot be called: ${reason}.`
    : `The webhook ${method} ${shown} was called ${attempts.length} times without success. The last time: ${reason}.`;
}

function resultOf(answer: GuardedAnswer): Pick<Attempt, "status" | "error"> {
  return answer.state === "answered" ? { status: answer.status } : { error: answer.reason };
}

/** The pause, or what the receiver asked for where that is longer. */
function longer(pauseMs: number, answer: GuardedAnswer, now: Date): number {
  const asked = answer.state === "answered" ? retryAfterMs(answer.headers, now) : 0;
  return Math.max(pauseMs, Math.min(asked, LONGEST_PAUSE_MS)) * (1 + Math.random() * JITTER);
}

/** Notes the attempt, and arranges the next one in the same commit. */
async function tryAgain(ctx: Context, job: DueCall, output: Output, pauseMs: number): Promise<void> {
  const { projectId, executionId, stepExecutionId, attempts } = job;
  const nextAttemptAt = after(ctx, pauseMs);
  await inTransaction(ctx, async (tx) => {
    const noted = await q.webhooksOut.noteAttempt(tx, {
      projectId,
      executionId,
      stepExecutionId,
      attempts: attempts.length,
      nextAttemptAt,
      output: { ...output, nextAttemptAt: nextAttemptAt.toISOString() },
    });
    if (noted > 0) await enqueueAt(tx, job, nextAttemptAt);
  });
}

function after(ctx: Context, ms: number): Date {
  return new Date(ctx.now().getTime() + ms);
}
