// What a mail brings to prove that it arrived: told once, kept as a hash, valid for one use within an hour.
import { createHash, randomBytes } from "node:crypto";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";

/** What a token allows. */
export type TokenPurpose = "VERIFY_EMAIL" | "RESET_PASSWORD" | "REMOVE_ACCOUNT" | "CHANGE_EMAIL";

const TOKEN_MS = 3_600_000;
/** Mails of one purpose that a person may get within an hour. */
const MAX_AN_HOUR = 5;
const PURGE_LIMIT = 10_000;

/**
 * A new token for a user, or null when there were so many lately that no mail may be sent. `newEmail` is the address that
 * it is to give the account.
 */
export async function makeToken(
  tx: Context,
  userId: string,
  purpose: TokenPurpose,
  newEmail: string | null = null,
): Promise<string | null> {
  const now = tx.now();
  const token = randomBytes(32).toString("base64url");
  const made = await q.accountTokens.insert(tx, {
    tokenHash: hashOf(token),
    userId,
    purpose,
    newEmail,
    now,
    expiresAt: new Date(now.getTime() + TOKEN_MS),
    since: new Date(now.getTime() - TOKEN_MS),
    allowed: MAX_AN_HOUR,
  });
  return made ? token : null;
}

/** The user that a token belongs to. */
export interface TokenOwner {
  id: string;
  email: string;
  emailVerifiedAt: Date | null;
  /** The holder of the account is known to read the mail of its address. */
  proven: boolean;
  hasPassword: boolean;
  /** What a token for a change of address gives the account. */
  newEmail: string | null;
  createdAt: Date;
}

/** Whose token it is, which is left to be used; null for a bad one. */
export async function findOwner(
  ctx: Context,
  token: string,
  purpose: TokenPurpose,
): Promise<TokenOwner | null> {
  return await q.accountTokens.owner(ctx, { tokenHash: hashOf(token), purpose, now: ctx.now() });
}

/** Whose token it is, which is left to be used. Throws 400 for a bad one. */
export async function ownerOf(ctx: Context, token: string, purpose: TokenPurpose): Promise<TokenOwner> {
  const owner = await findOwner(ctx, token, purpose);
  if (!owner) throw problems.badToken();
  return owner;
}

/** Whose token it is, which is left to be used; the user is locked from here on. Throws 400 for a bad one. */
export async function holdOwner(tx: Context, token: string, purpose: TokenPurpose): Promise<string> {
  const owner = await q.accountTokens.holdOwner(tx, { tokenHash: hashOf(token), purpose, now: tx.now() });
  if (!owner) throw problems.badToken();
  return owner.id;
}

/**
 * Uses up a token, and all others of its user for the same purpose. Returns the user, who is locked from here on;
 * throws 400 for a bad one.
 */
export async function useToken(tx: Context, token: string, purpose: TokenPurpose): Promise<string> {
  const userId = await holdOwner(tx, token, purpose);
  if (!(await q.accountTokens.use(tx, { tokenHash: hashOf(token), userId, purpose })))
    throw problems.badToken();
  return userId;
}

/** Invalidates all tokens of a user, whatever their purpose. */
export async function dropTokens(tx: Context, userId: string): Promise<void> {
  await q.accountTokens.drop(tx, { userId });
}

/** No way to a new password that a user was mailed is good any more. */
export async function endResets(tx: Context, userId: string): Promise<void> {
  await q.accountTokens.expire(tx, { userId, purpose: "RESET_PASSWORD" });
}

/** The mails about a new address that a user was sent no longer work. */
export async function endEmailChanges(tx: Context, userId: string): Promise<void> {
  await q.accountTokens.expire(tx, { userId, purpose: "CHANGE_EMAIL" });
}

/** Deletes tokens that have expired. */
export async function purgeTokens(ctx: Context): Promise<void> {
  const before = new Date(ctx.now().getTime() - TOKEN_MS);
  while ((await q.accountTokens.purge(ctx, { before, limit: PURGE_LIMIT })) === PURGE_LIMIT);
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
