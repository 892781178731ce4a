// What signs the links in mails: a key for each project, so that it can move to another installation without those of
// others. Three generations open: the project's own key, the one that all shared up to November 2026, and what an imported
// project was signed with where it came from.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createCache } from "../../cache.ts";
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { describeError } from "../../log.ts";
import { linkKeyOf, signatureOf, unseal } from "../secrets.ts";

/** What a link is for. One that was signed for something else does not open. */
export type LinkPurpose = "subscription links" | "followed mails" | "click targets" | "return paths";

/** Bytes of a signature: as hard to guess as a key, and links stay short. */
export const LINK_SIGNATURE_BYTES = 16;

const MAX_CACHED_KEYS = 2_000;
/** An import is noticed within this time. */
const KEEP_MS = 60_000;
/** Nobody who follows a link waits longer for our database. */
const PATIENCE_MS = 1_000;

/** The signature of `payload` for a link of a project. */
export function signLink(ctx: Context, purpose: LinkPurpose, projectId: string, payload: Buffer): Buffer {
  const keys = ownKeys(ctx);
  const name = `${projectId} ${purpose}`;
  let key = keys.get(name);
  if (key === undefined) keys.set(name, (key = keyFor(linkKeyOf(ctx, projectId), purpose)));
  return signedWith(key, payload);
}

/**
 * Whether a link of a project was signed like this, here or where it came from; of a signature as many bytes count as are
 * given. While the database is away, projects that were imported in the last minute are unknown.
 */
export async function isSignedLink(
  ctx: Context,
  purpose: LinkPurpose,
  projectId: string,
  payload: Buffer,
  signature: Buffer,
): Promise<boolean> {
  const isIt = (good: Buffer) => timingSafeEqual(good.subarray(0, signature.length), signature);
  if (isIt(signLink(ctx, purpose, projectId, payload)) || isIt(signatureOf(ctx, purpose, payload)))
    return true;
  const keys = (await movedKeys(ctx)).get(projectId) ?? [];
  return keys.some((key) => isIt(signedWith(keyFor(key, purpose), payload)));
}

/** `payload` with its signature, as a token for a link. */
export function linkToken(ctx: Context, purpose: LinkPurpose, projectId: string, payload: Buffer): string {
  return Buffer.concat([payload, signLink(ctx, purpose, projectId, payload)]).toString("base64url");
}

/** The payload of a token of {@linkcode linkToken} for the same purpose and the project that it names, or null. */
export async function openLinkToken(
  ctx: Context,
  purpose: LinkPurpose,
  token: string,
  projectOf: (payload: Buffer) => string,
): Promise<Buffer | null> {
  const bytes = Buffer.from(token, "base64url");
  // There is a single valid encoding: the decoder alone would also accept other characters, and ignore unknown ones.
  if (bytes.length <= LINK_SIGNATURE_BYTES || bytes.toString("base64url") !== token) return null;
  const payload = bytes.subarray(0, -LINK_SIGNATURE_BYTES);
  const signature = bytes.subarray(-LINK_SIGNATURE_BYTES);
  return (await isSignedLink(ctx, purpose, projectOf(payload), payload, signature)) ? payload : null;
}

function keyFor(linkKey: Buffer, purpose: LinkPurpose): Buffer {
  return createHmac("sha256", linkKey).update(purpose).digest();
}

function signedWith(key: Buffer, payload: Buffer): Buffer {
  return createHmac("sha256", key).update(payload).digest().subarray(0, LINK_SIGNATURE_BYTES);
}

const ownKeys = perService(() => createCache<Buffer>({ maxEntries: MAX_CACHED_KEYS }));

type MovedKeys = ReadonlyMap<string, Buffer[]>;

const knownMoves = perService(({ now }) => ({
  cache: createCache<MovedKeys>({ maxEntries: 1, keepMs: KEEP_MS, now: () => now().getTime() }),
  last: new Map() as MovedKeys,
}));

/** Read once a minute for all projects, and only when a link is not ours: a stranger who makes links up costs no look-up. */
async function movedKeys(ctx: Context): Promise<MovedKeys> {
  const known = knownMoves(ctx);
  try {
    known.last = await known.cache.load("all", () => readMovedKeys(ctx));
  } catch (error) {
    ctx.log.warn("link keys of imported projects not read", describeError(error));
  }
  return known.last;
}

async function readMovedKeys(ctx: Context): Promise<MovedKeys> {
  const rows = await q.projectMoves.linkKeys({ ...ctx, sql: ctx.pool, patienceMs: PATIENCE_MS });
  return new Map(
    rows.map(({ id, linkKeys }) => {
      const keys = unseal(ctx, "project links", linkKeys, [id]);
      return [
        id,
        keys === null ? [] : (JSON.parse(keys) as string[]).map((key) => Buffer.from(key, "base64")),
      ];
    }),
  );
}
