// Many messages in one request: each by itself, or all in one transaction.
import type { IdempotentRequest } from "../../accounts/idempotency.ts";
import { dataProblem } from "../../audience/contacts/data.ts";
import { type Context, inTransaction } from "../../context.ts";
import { createPauses } from "../../pauses.ts";
import { type FieldError, Problem, problems } from "../../problem/mod.ts";
import { acceptAll, type AcceptedMessage, type CheckedMessage, type SendResult } from "./_accept.ts";
import { type SendInput, sendErrors } from "./input.ts";
import { numberOfRecipients } from "./recipients.ts";
import { acceptOne, messageOf, type ReplayableRequest, replayedResult, sendLimits } from "./mod.ts";

/** The messages of one request. */
export const MAX_BATCH = 1_000;
/** The recipients of all of them. */
export const MAX_BATCH_RECIPIENTS = 5_000;
/** Room for the place of a message behind the key of the whole request. */
const MAX_KEY_CHARS = 245;

/** A message with an idempotency key of its own. */
export type BatchMessage = SendInput & { idempotencyKey?: string | undefined };

/** A message as its schema let it through, or what its schema says against it. */
export interface MessageOfBatch {
  input: BatchMessage;
  errors: FieldError[];
}

/**
 * Accepts messages each by itself, as `send` would: those that share commits share statements. Returns for each, in order,
 * what was accepted, or what was thrown about it. Where the database is away for all, it throws that.
 */
export async function sendEach(
  ctx: Context,
  call: ReplayableRequest,
  given: MessageOfBatch[],
): Promise<(SendResult | Error)[]> {
  const messages = await checked(ctx, call, given);
  const ends = await Promise.allSettled(
    messages.map(async (message) => {
      if (message instanceof Error) throw message;
      return (await acceptOne(ctx, call, message)).result;
    }),
  );
  const results = ends.map((end) => (end.status === "fulfilled" ? end.value : (end.reason as Error)));
  const fault = results.find((result) => result instanceof Error && !(result instanceof Problem));
  if (fault && results.every((result) => result instanceof Error)) throw fault;
  return results;
}

/**
 * Accepts all messages in one transaction, or none: throws what is wrong with the first that is refused, with its `index` in
 * the details. Returns for each what was accepted.
 */
export async function sendTogether(
  ctx: Context,
  call: ReplayableRequest,
  given: MessageOfBatch[],
): Promise<SendResult[]> {
  const messages = await allChecked(ctx, call, given);
  try {
    const accepted = await inTransaction(ctx, async (tx) =>
      assertAll(await acceptAll(tx, call.projectId, messages)),
    );
    for (const { handOff } of accepted) handOff();
    return accepted.map(({ result }) => result);
  } catch (error) {
    const replayed = call.replays && error instanceof Refused ? replayOf(error, messages) : null;
    if (replayed) return replayed;
    throw error instanceof Refused ? error.at() : dataProblem(error);
  }
}

/** Throws what {@linkcode sendTogether} would, and accepts nothing. */
export async function tryTogether(
  ctx: Context,
  call: IdempotentRequest,
  given: MessageOfBatch[],
): Promise<void> {
  const messages = await allChecked(ctx, call, given);
  try {
    await inTransaction(ctx, async (tx) => {
      assertAll(await acceptAll(tx, call.projectId, messages));
      throw new Undone();
    });
  } catch (error) {
    if (error instanceof Undone) return;
    throw error instanceof Refused ? error.at() : dataProblem(error);
  }
}

/** Rolls a transaction back in which everything went well. */
class Undone extends Error {}

/** Throws what is wrong with any of them. */
async function allChecked(
  ctx: Context,
  call: IdempotentRequest,
  given: MessageOfBatch[],
): Promise<CheckedMessage[]> {
  const messages = await checked(ctx, call, given);
  const invalid = messages.flatMap((message, i) => (message instanceof Error ? errorsAt(message, i) : []));
  if (invalid.length > 0) throw problems.invalid(invalid);
  return messages as CheckedMessage[];
}

/** Each with what is wrong with it, if anything is. */
async function checked(
  ctx: Context,
  call: IdempotentRequest,
  given: MessageOfBatch[],
): Promise<(CheckedMessage | Problem)[]> {
  const recipients = given.reduce((sum, { input }) => sum + numberOfRecipients(input), 0);
  if (recipients > MAX_BATCH_RECIPIENTS) {
    const message = `All messages together have at most ${MAX_BATCH_RECIPIENTS} recipients`;
    throw problems.invalid([{ field: "messages", code: "too_big", message }]);
  }
  const keys = new Set<string>();
  const messages: (CheckedMessage | Problem)[] = [];
  const pause = createPauses();
  for (const [i, { input, errors }] of given.entries()) {
    await pause();
    const { idempotencyKey, ...message } = input;
    const key = idempotencyKey ?? keyAt(call.key, i);
    const wrong = errors.length > 0 ? errors : await sendErrors(message, sendLimits(ctx, key));
    if (key !== null && keys.has(key)) {
      const text = "Each message has a key of its own";
      wrong.push({ field: "idempotencyKey", code: "custom", message: text, received: key });
    }
    if (key !== null) keys.add(key);
    messages.push(wrong.length > 0 ? problems.invalid(wrong) : messageOf({ ...call, key }, message));
  }
  return messages;
}

/** The key of the whole request, for one of its messages. */
function keyAt(key: string | null, index: number): string | null {
  if (key === null) return null;
  const isLong = key.length > MAX_KEY_CHARS;
  return `${isLong ? new Bun.CryptoHasher("sha256").update(key).digest("hex") : key} [${index}]`;
}

function errorsAt(problem: Problem, index: number): FieldError[] {
  const errors = problem.extras.errors ?? [];
  return errors.map((error) => ({ ...error, field: `messages.${index}.${error.field}` }));
}

/** Some messages of a batch are refused, so all are undone. */
class Refused extends Error {
  readonly results: (AcceptedMessage | Error)[];

  constructor(results: (AcceptedMessage | Error)[]) {
    super("Some messages of a batch are refused");
    this.results = results;
  }

  /** What is wrong with the first one, and which that is. */
  at(): Error {
    const index = this.results.findIndex((result) => result instanceof Error);
    const error = this.results[index] as Error;
    if (!(error instanceof Problem)) return error;
    const { status, problemCode, message, extras } = error;
    return new Problem(status, problemCode, message, { ...extras, details: { ...extras.details, index } });
  }
}

function assertAll(results: (AcceptedMessage | Error)[]): AcceptedMessage[] {
  if (results.some((result) => result instanceof Error)) throw new Refused(results);
  return results as AcceptedMessage[];
}

/** What was answered when all of these were accepted before. */
function replayOf({ results }: Refused, messages: CheckedMessage[]): SendResult[] | null {
  const found = results.map((result, i) => replayedResult(result, messages[i]!));
  return found.every((data) => data !== null) ? found : null;
}
