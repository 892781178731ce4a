// Calls of one endpoint: some at once, as long as they go well.
import { type WebhookSecrets, validSecrets } from "../../accounts/projects/webhook_secrets.ts";
import { type Context, perService } from "../../context.ts";
import type { Json } from "../../db/types.ts";
import { guardOf } from "../../guard.ts";
import type { GuardedAnswer } from "../../net/guarded_request.ts";
import { keptConnections } from "../../net/kept_connections.ts";
import { VERSION } from "../../version.ts";
import { type Answered, retryAfterMs, shortAnswer } from "../webhooks/answer.ts";
import { signatureHeaders } from "../webhooks/signature.ts";
import { tracedRequest } from "../webhooks/traced_request.ts";

/** Where to, and how it is signed. */
export interface Endpoint {
  url: string;
  secrets: WebhookSecrets;
}

/** What is sent. */
interface Message {
  messageId: string;
  body: string;
}

/** One call, as the log keeps it: with a status or an error. */
export interface Try {
  [field: string]: Json;
  at: string;
  ms: number;
}

/** What came of a call. */
export interface Called {
  isGood: boolean;
  try: Try;
  status: number | null;
  response: Answered | null;
  /** What the receiver asked for; 0 when it asked for nothing. */
  retryAfterMs: number;
}

/** How many calls of one endpoint run at once. */
export const CALLS_AT_ONCE = 10;
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 4_096;
/** After so many failures in a row nothing more is begun. */
export const FAILURES_IN_ROW = 5;
/** It is gone, and wants no more (Standard Webhooks). */
export const GONE = 410;
/** No call is begun later than that: what is slow today may end its lease tomorrow. */
const BEGIN_MS = 5_000;

/** Between calls of the same server. */
const connectionsOf = perService(() => keptConnections());

/** Calls once. Never throws. */
export async function callEndpoint(
  ctx: Context,
  { url, secrets }: Endpoint,
  { messageId, body }: Message,
): Promise<Called> {
  const at = ctx.now();
  const startedAt = performance.now();
  const { secret, previous } = validSecrets(ctx, secrets);
  const signed = signatureHeaders(
    { body },
    { id: messageId, at, secrets: previous ? [secret, previous.secret] : [secret] },
  );
  const headers = {
    accept: "*/*",
    "content-type": "application/json",
    "user-agent": `Postrider/${VERSION}`,
    ...signed,
  };
  const request = { method: "POST", url, headers, body };
  const answer = await tracedRequest(request, {
    ...guardOf(ctx),
    timeoutMs: TIMEOUT_MS,
    maxRedirects: 0,
    kept: connectionsOf(ctx),
  });
  const ms = Math.round(performance.now() - startedAt);
  return calledOf(answer, { at: at.toISOString(), ms }, ctx.now());
}

function calledOf(answer: GuardedAnswer, made: Try, now: Date): Called {
  if (answer.state !== "answered") {
    const failed = { ...made, error: answer.reason };
    return { isGood: false, try: failed, status: null, response: null, retryAfterMs: 0 };
  }
  const { status } = answer;
  return {
    isGood: status >= 200 && status < 300,
    try: { ...made, status },
    status,
    response: shortAnswer(answer, MAX_RESPONSE_BYTES),
    retryAfterMs: retryAfterMs(answer.headers, now),
  };
}

/** Calls with these messages, and answers what was called, in the order in which it ended. At least one is. */
export async function callAll<M extends Message>(
  ctx: Context,
  endpoint: Endpoint,
  messages: readonly M[],
): Promise<{ message: M; called: Called }[]> {
  const stopAt = performance.now() + BEGIN_MS;
  const ended: { message: M; called: Called }[] = [];
  let next = 0;
  let failures = 0;
  let isGone = false;
  const goOn = async () => {
    const isEnough = () => isGone || failures >= FAILURES_IN_ROW || performance.now() >= stopAt;
    while (next < messages.length && !isEnough()) {
      const message = messages[next++]!;
      const called = await callEndpoint(ctx, endpoint, message);
      isGone ||= called.status === GONE;
      failures = called.isGood ? 0 : failures + 1;
      ended.push({ message, called });
    }
  };
  await Promise.all(Array.from({ length: Math.min(CALLS_AT_ONCE, messages.length) }, goOn));
  return ended;
}
