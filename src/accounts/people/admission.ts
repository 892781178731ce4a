// The one gate to a session: a person who has shown one factor is let in here, or is asked for the second one.
import { createHash, randomBytes } from "node:crypto";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { Problem, problems } from "../../problem/mod.ts";
import { countToday } from "../daily_limits.ts";
import { type Counted, assertNotLocked, giveBackAttempt, takeAttempt } from "./login_limits.ts";
import { notify } from "./notices.ts";
import { answerOptions, type AuthenticationResponseJSON, verifyPasskey } from "./factors/passkeys.ts";
import { useRecoveryCode } from "./factors/recovery_codes.ts";
import { type NewSession, replaceSession, type Visitor } from "./sessions.ts";
import { useTotp } from "./factors/totp.ts";

/** How long a log-in waits for its second factor. */
export const CHALLENGE_MS = 10 * 60_000;
const PURGE_LIMIT = 10_000;
/** Mails a day about a second factor that keeps being wrong. */
const MAX_WARNINGS_A_DAY = 3;

/** A log-in that waits for the second factor. */
export interface Challenge {
  /** Answers it: told to the visitor alone. */
  challenge: string;
  expiresAt: Date;
  methods: ("code" | "passkey" | "recoveryCode")[];
}

/** What somebody gets who has shown one factor. */
export type Admission = { session: NewSession } | { challenge: Challenge };

/** A second factor: exactly one of these. */
export interface FactorAnswer {
  /** Of the authenticator app. */
  code?: string | undefined;
  recoveryCode?: string | undefined;
  passkey?: AuthenticationResponseJSON | undefined;
}

/**
 * Lets a user in who has shown one factor in this transaction: by a session in place of the visitor's present one, or, where
 * two-factor log-in is on, by a challenge. Throws UNAUTHORIZED if the account is gone.
 */
export async function admit(tx: Context, userId: string, visitor: Visitor): Promise<Admission> {
  // From here on nobody switches it on or off: a session that began without a second factor would outlive that.
  if ((await q.members.holdUser(tx, { userId })) === 0) throw problems.unauthorized();
  const { enabled, totpSince, passkeys, recoveryCodes } = await q.twoFactor.ofUser(tx, { userId });
  if (!enabled) return { session: await replaceSession(tx, userId, visitor) };
  const challenge = randomBytes(32).toString("base64url");
  const now = tx.now();
  const expiresAt = new Date(now.getTime() + CHALLENGE_MS);
  await q.twoFactor.challenge(tx, { tokenHash: hashOf(challenge), userId, now, expiresAt });
  const methods: Challenge["methods"] = [
    ...(totpSince ? (["code"] as const) : []),
    ...(passkeys > 0 ? (["passkey"] as const) : []),
    ...(recoveryCodes > 0 ? (["recoveryCode"] as const) : []),
  ];
  return { challenge: { challenge, expiresAt, methods } };
}

/** The session of an admission. Throws TWO_FACTOR_REQUIRED with the challenge if there is none yet. */
export function sessionOfAdmission(admission: Admission): NewSession {
  if ("session" in admission) return admission.session;
  throw problems.twoFactorRequired(admission.challenge);
}

/**
 * Begins the session that a challenge was for. Throws UNAUTHORIZED for a challenge that has expired or was answered,
 * INVALID_CREDENTIALS for a wrong factor, and 429 after too many of them, also for the right one.
 */
export async function answerChallenge(
  ctx: Context,
  challenge: string,
  answer: FactorAnswer,
  visitor: Visitor,
): Promise<{ user: { id: string; email: string }; session: NewSession }> {
  const user = await challenged(ctx, challenge);
  const session = await withFactor(ctx, user, answer, visitor.network, async (tx) => {
    if ((await q.twoFactor.endChallenge(tx, { tokenHash: hashOf(challenge) })) === 0)
      throw problems.challengeOver();
    return await replaceSession(tx, user.id, visitor);
  });
  return { user, session };
}

/** What a browser needs to answer a challenge with a passkey. Throws UNAUTHORIZED as {@linkcode answerChallenge} does. */
export async function passkeyOptionsOf(ctx: Context, challenge: string) {
  return await answerOptions(ctx, (await challenged(ctx, challenge)).id);
}

/** Whether a challenge still waits for its answer. */
export async function isChallengeOpen(ctx: Context, challenge: string): Promise<boolean> {
  return (await q.twoFactor.challenged(ctx, { tokenHash: hashOf(challenge), now: ctx.now() })) !== null;
}

/**
 * Checks a factor of a user, and does `work` in the same transaction: the factor is used up if and only if it commits.
 * Counted as a failure before it is tried. Throws INVALID_CREDENTIALS and 429.
 */
export async function withFactor<T>(
  ctx: Context,
  user: { id: string; email: string },
  answer: FactorAnswer,
  network: string | null,
  work: (tx: Context) => Promise<T>,
): Promise<T> {
  const attempt = await takeAttempt(ctx, { network, secondFactor: user.id });
  try {
    const passkey = answer.passkey && (await verifyPasskey(ctx, answer.passkey, user.id));
    const done = await inTransaction(ctx, async (tx) => {
      if ((await q.members.holdUser(tx, { userId: user.id })) === 0) throw problems.unauthorized();
      const isRight =
        passkey !== undefined
          ? passkey !== null && (await passkey.use(tx))
          : await isFactor(tx, user, answer);
      if (!isRight) throw problems.wrongFactor();
      return await work(tx);
    });
    await giveBackAttempt(ctx, attempt);
    return done;
  } catch (error) {
    if (isWrong(error)) await warn(ctx, user, { secondFactor: user.id });
    throw error;
  }
}

/** Logs in with a passkey alone, whose authenticator has made sure who it is. Throws INVALID_CREDENTIALS and 429. */
export async function logInWithPasskey(
  ctx: Context,
  passkey: AuthenticationResponseJSON,
  visitor: Visitor,
): Promise<{ user: { id: string; email: string }; session: NewSession }> {
  const attempt = await takeAttempt(ctx, { network: visitor.network });
  const verified = await verifyPasskey(ctx, passkey, null);
  if (!verified) throw problems.wrongFactor();
  const { user } = verified;
  const session = await inTransaction(ctx, async (tx) => {
    if ((await q.members.holdUser(tx, { userId: user.id })) === 0) throw problems.unauthorized();
    if (!(await verified.use(tx))) throw problems.wrongFactor();
    return await replaceSession(tx, user.id, visitor);
  });
  await giveBackAttempt(ctx, attempt);
  return { user, session };
}

/** Deletes challenges that nobody has answered in time. */
export async function purgeChallenges(ctx: Context): Promise<void> {
  const now = ctx.now();
  while ((await q.twoFactor.purgeChallenges(ctx, { now, limit: PURGE_LIMIT })) === PURGE_LIMIT);
}

async function challenged(ctx: Context, challenge: string): Promise<{ id: string; email: string }> {
  const user = await q.twoFactor.challenged(ctx, { tokenHash: hashOf(challenge), now: ctx.now() });
  if (!user) throw problems.challengeOver();
  return user;
}

async function isFactor(
  tx: Context,
  user: { id: string; email: string },
  { code, recoveryCode }: FactorAnswer,
): Promise<boolean> {
  if (code !== undefined) return await useTotp(tx, user.id, code);
  return recoveryCode !== undefined && (await useRecoveryCode(tx, user, recoveryCode));
}

function isWrong(error: unknown): boolean {
  return error instanceof Problem && error.problemCode === "INVALID_CREDENTIALS";
}

/** The failure that locks the second factor is told by mail: somebody knows the password. */
async function warn(ctx: Context, user: { id: string; email: string }, counted: Counted): Promise<void> {
  const isLocked = await assertNotLocked(ctx, counted).then(
    () => false,
    () => true,
  );
  if (!isLocked) return;
  await inTransaction(ctx, async (tx) => {
    const told = await countToday(tx, `second factor warnings of ${user.id}`);
    if (told <= MAX_WARNINGS_A_DAY) await notify(tx, user, { what: "second_factor_failed" });
  });
}

function hashOf(challenge: string): Buffer {
  return createHash("sha256").update(challenge).digest();
}
