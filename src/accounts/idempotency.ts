import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { problems } from "../problem/mod.ts";

/** The request that an idempotency key stands for. */
export interface IdempotentRequest {
  projectId: string;
  /** The header `Idempotency-Key`; null when the caller sent none. */
  key: string | null;
  /** Method and path, such as `POST /v1/send`. */
  request: string;
}

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** Throws BAD_REQUEST for a key that is not 1 to 255 printable ASCII characters. */
export function assertIdempotencyKey(key: string): void {
  if (!PRINTABLE.test(key)) throw problems.badIdempotencyKey();
}

/**
 * Does `work` in one transaction with the claim of the key: it happens once. If it fails, the key is free again; if it
 * succeeds, any other request with the key, even a concurrent one, gets IDEMPOTENCY_KEY_REUSED with the first response.
 * `work` returns the `data` of a 200 response in the envelope of /v1, unless `toResponse` says how it is sent. Without
 * a key it is just a transaction.
 */
export async function once<Answer extends object>(
  ctx: Context,
  { projectId, key, request }: IdempotentRequest,
  work: (tx: Context) => Promise<Answer>,
  toResponse: (answer: Answer) => { statusCode: number; response: object } = inEnvelope,
): Promise<Answer> {
  return await inTransaction(ctx, async (tx) => {
    if (key === null) return await work(tx);
    const now = ctx.now();
    const expiresAt = new Date(now.getTime() + ctx.config.IDEMPOTENCY_KEY_TTL_HOURS * 3_600_000);
    const claimed = await q.idempotencyKeys.claim(tx, { projectId, key, request, now, expiresAt });
    if (!claimed) throw await reused(tx, projectId, key);
    const answer = await work(tx);
    await q.idempotencyKeys.answer(tx, { projectId, key, ...toResponse(answer) });
    return answer;
  });
}

function inEnvelope(data: object) {
  return { statusCode: 200, response: { success: true, data } };
}

async function reused(tx: Context, projectId: string, key: string): Promise<Error> {
  const original = await q.idempotencyKeys.byKey(tx, { projectId, key });
  // It can only be gone when the sweep took an expired key in between.
  if (!original) return problems.unavailable();
  return problems.idempotencyKeyReused({
    key,
    originalRequest: original.request,
    originalRequestAt: original.createdAt,
    originalStatusCode: original.statusCode,
    originalResponse: original.response,
  });
}

const PURGE_LIMIT = 10_000;

/** Deletes keys that have expired. */
export async function purgeIdempotencyKeys(ctx: Context): Promise<void> {
  while ((await q.idempotencyKeys.purge(ctx, { now: ctx.now(), limit: PURGE_LIMIT })) === PURGE_LIMIT);
}
