// Codes of an authenticator app (RFC 6238): six digits, new every 30 seconds.
import { Secret, TOTP } from "otpauth";
import { type Context, inTransaction } from "../../../context.ts";
import { q } from "../../../db/queries.ts";
import { problems } from "../../../problem/mod.ts";
import { seal, unseal } from "../../secrets.ts";
import type { SessionUser } from "../sessions.ts";
import { assertMayHaveFactors, factorAdded, factorRemoved } from "./mod.ts";

const PURPOSE = "two-factor secrets";
const ISSUER = "Postrider";
const PERIOD_S = 30;
/** Clocks may differ: the codes of one step before and after are taken too. */
const WINDOW = 1;
/** How long a new secret waits for its first code. */
const PENDING_MS = 3_600_000;

/** What an authenticator app is given; shown once. */
export interface NewTotp {
  /** In base32, to be typed. */
  secret: string;
  /** As `otpauth://…`, to be shown as a QR code. */
  uri: string;
}

/** A new secret, which is used once a code has confirmed it; one that the user has stays until then. */
export async function beginTotp(ctx: Context, user: SessionUser): Promise<NewTotp> {
  assertMayHaveFactors(user);
  const secret = new Secret({ size: 20 });
  const pending = seal(ctx, PURPOSE, secret.base32, [user.id]);
  await q.twoFactor.beginTotp(ctx, { userId: user.id, pending, now: ctx.now() });
  return { secret: secret.base32, uri: totpOf(secret.base32, user.email).toString() };
}

/**
 * Confirms the new secret with a code that the app makes of it. Returns recovery codes where it is the first factor: two-factor
 * log-in is on from now on, and the other sessions end. Throws 422 for a wrong code, and 409 if nothing waits for one.
 */
export async function confirmTotp(
  ctx: Context,
  user: SessionUser,
  code: string,
): Promise<{ recoveryCodes: string[] | null }> {
  return await inTransaction(ctx, async (tx) => {
    if ((await q.members.holdUser(tx, { userId: user.id })) === 0) throw problems.unauthorized();
    const { enabled } = await q.twoFactor.ofUser(tx, { userId: user.id });
    const row = await q.twoFactor.totp(tx, { userId: user.id });
    const isFresh = row?.pendingAt && tx.now().getTime() - row.pendingAt.getTime() < PENDING_MS;
    if (!row?.pending || !isFresh) throw problems.noFactorPending();
    const step = stepOf(tx, opened(tx, user.id, row.pending), code);
    if (step === null) throw problems.wrongFirstCode();
    await q.twoFactor.confirmTotp(tx, { userId: user.id, pending: row.pending, step, now: tx.now() });
    const change = row.sealed ? "authenticator_changed" : "authenticator_added";
    return { recoveryCodes: await factorAdded(tx, user, { wasOn: enabled, what: change }) };
  });
}

/** Takes the authenticator app away. Throws not-found. Without another factor two-factor log-in is off then. */
export async function removeTotp(ctx: Context, user: SessionUser): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    if ((await q.members.holdUser(tx, { userId: user.id })) === 0) throw problems.unauthorized();
    const removed = await q.twoFactor.removeTotp(tx, { userId: user.id });
    if (!removed?.wasOn) throw problems.notFound("factor", "totp");
    await factorRemoved(tx, user, { what: "authenticator_removed" });
  });
}

/** Whether this is a code of the user's app that was not used yet; it counts as used then. The user is held. */
export async function useTotp(tx: Context, userId: string, code: string): Promise<boolean> {
  const row = await q.twoFactor.totp(tx, { userId });
  if (!row?.sealed) return false;
  const step = stepOf(tx, opened(tx, userId, row.sealed), code);
  return step !== null && (await q.twoFactor.useStep(tx, { userId, step })) > 0;
}

/** Throws if `SECRET_KEY` is not the one that the secret was encrypted with. */
function opened(ctx: Context, userId: string, sealed: Uint8Array): string {
  const secret = unseal(ctx, PURPOSE, sealed, [userId]);
  if (secret === null) throw problems.factorUnreadable();
  return secret;
}

/** The step that a code belongs to, near the present one; null for a wrong code. */
function stepOf(ctx: Context, secret: string, code: string): number | null {
  const timestamp = ctx.now().getTime();
  const delta = totpOf(secret, "").validate({ token: code.replace(/\s/g, ""), timestamp, window: WINDOW });
  return delta === null ? null : Math.floor(timestamp / 1000 / PERIOD_S) + delta;
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), period: PERIOD_S, digits: 6 });
}
