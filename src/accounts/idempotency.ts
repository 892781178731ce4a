import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import type { Queries } from "../db/queries.gen.ts";
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
    const refused = (await claimKeys(tx, projectId, [{ key, request }])).get(key);
    if (refused) throw refused;
    const answer = await work(tx);
    const { statusCode, response } = toResponse(answer);
    await q.idempotencyKeys.answer(tx, {
      projectId,
      statusCode,
      answers: [{ key, response }],
    });
    return answer;
  });
}

/**
 * Claims different keys of one project for requests of this transaction; each waits for a request that holds it. Returns the
 * refusal of those that were used before: IDEMPOTENCY_KEY_REUSED with the first response.
 */
export async function claimKeys(
  tx: Context,
  projectId: string,
  requests: { key: string; request: string; bodyHash?: string | null }[],
): Promise<Map<string, Error>> {
  if (requests.length === 0) return new Map();
  const now = tx.now();
  const expiresAt = new Date(now.getTime() + tx.config.IDEMPOTENCY_KEY_TTL_HOURS * 3_600_000);
  const given = requests.map(({ key, request, bodyHash = null }) => ({ key, request, body_hash: bodyHash }));
  const rows = await q.idempotencyKeys.claim(tx, { projectId, rows: given, now, expiresAt });
  const claimed = new Set(rows.map((row) => row.key));
  const used = requests.map(({ key }) => key).filter((key) => !claimed.has(key));
  return used.length === 0 ? new Map() : await refusalsOf(tx, projectId, used);
}

/** Stores the answers of 200 beside the keys that this transaction has claimed: each is the `data` of the envelope of /v1. */
export async function answerKeys(
  tx: Context,
  projectId: string,
  answers: { key: string; data: object }[],
): Promise<void> {
  if (answers.length === 0) return;
  const rows = answers.map(({ key, data }) => ({ key, response: inEnvelope(data).response }));
  await q.idempotencyKeys.answer(tx, { projectId, statusCode: 200, answers: rows });
}

/** Frees keys that this transaction has claimed, and whose requests are refused. */
export async function releaseKeys(tx: Context, projectId: string, keys: string[]): Promise<void> {
  if (keys.length > 0) await q.idempotencyKeys.release(tx, { projectId, keys });
}

function inEnvelope(data: object) {
  return { statusCode: 200, response: { success: true, data } };
}

async function refusalsOf(tx: Context, projectId: string, keys: string[]): Promise<Map<string, Error>> {
  const originals = await q.idempotencyKeys.byKeys(tx, { projectId, keys });
  const byKey = new Map(originals.map((original) => [original.key, original]));
  return new Map(keys.map((key) => [key, refusalOf(byKey.get(key))]));
}

function refusalOf(original: Awaited<ReturnType<Queries["idempotencyKeys"]["byKeys"]>>[number] | undefined) {
  // It can only be gone when the sweep took an expired key in between.
  if (!original) return problems.unavailable();
  const refusal = problems.idempotencyKeyReused({
    key: original.key,
    originalRequest: original.request,
    originalRequestAt: original.createdAt,
    originalStatusCode: original.statusCode,
    originalResponse: original.response,
  });
  originals.set(refusal, { bodyHash: original.bodyHash, response: original.response });
  return refusal;
}

/** What a refusal knows of the first request, and does not tell. */
const originals = new WeakMap<Error, { bodyHash: string | null; response: unknown }>();

/** A hash of what a request says, to be kept with its key. */
export function hashOfBody(request: string, body: unknown): string {
  const hasher = new Bun.CryptoHasher("sha256");
  return hasher.update(request).update(JSON.stringify(body)).digest("hex").slice(0, HASH_CHARS);
}

/** 128 bits. */
const HASH_CHARS = 32;

/** The `data` that was answered to the first request with a key, if this refusal is of one that said the same; or null. */
export function replayedData<Data>(refusal: unknown, bodyHash: string): Data | null {
  const original = originals.get(refusal as Error);
  if (!original?.response || original.bodyHash !== bodyHash) return null;
  return (original.response as { data: Data }).data;
}

const PURGE_LIMIT = 10_000;

/** Deletes keys that have expired. */
export async function purgeIdempotencyKeys(ctx: Context): Promise<void> {
  while ((await q.idempotencyKeys.purge(ctx, { now: ctx.now(), limit: PURGE_LIMIT })) === PURGE_LIMIT);
}
