// Whether a log-in needs a second factor, and what follows when the first one comes or the last one goes. Two-factor log-in is
// on while there is a factor: a confirmed authenticator app, or a passkey.
import { type Context, inTransaction } from "../../../context.ts";
import { q } from "../../../db/queries.ts";
import type { AccountChange } from "../../../account_notice.ts";
import { problems } from "../../../problem/mod.ts";
import { OPERATOR, recordAudits } from "../../audit.ts";
import { notify } from "../notices.ts";
import { listPasskeys } from "./passkey_list.ts";
import { makeRecoveryCodes } from "./recovery_codes.ts";
import { endSessionsOf, type SessionUser } from "../sessions.ts";

/** What a user has besides the password, as `GET /users/@me/two-factor` shows it. */
export async function twoFactorOf(ctx: Context, userId: string) {
  const [{ enabled, totpSince, recoveryCodes }, passkeys, requiredBy] = await Promise.all([
    q.twoFactor.ofUser(ctx, { userId }),
    listPasskeys(ctx, userId),
    q.twoFactor.requiredBy(ctx, { userId }),
  ]);
  const totp = totpSince && { since: totpSince };
  return { enabled, totp, passkeys, recoveryCodesLeft: recoveryCodes, requiredBy };
}

/**
 * Throws 403 unless it is proven that the address is theirs who hold the account. Otherwise somebody could make an account
 * with the address of another, and lock its owner out of it.
 */
export function assertMayHaveFactors({ proven }: SessionUser): void {
  if (!proven) throw problems.proveAddressForFactors();
}

/**
 * What follows from a new factor; the user is held. If it is the first one, every other session ends, because it began
 * without a second factor, and recovery codes are returned, to be shown this once. A mail tells of it.
 */
export async function factorAdded(
  tx: Context,
  user: SessionUser,
  { wasOn, what, subject }: { wasOn: boolean; what: AccountChange; subject?: string },
): Promise<string[] | null> {
  await notify(tx, user, { what, subject });
  if (wasOn) return null;
  await endSessionsOf(tx, user.id, { except: user.sessionId });
  await notify(tx, user, { what: "two_factor_on" });
  return await makeRecoveryCodes(tx, user.id);
}

/** What follows when a factor is gone; the user is held. Without any, two-factor log-in is off. */
export async function factorRemoved(
  tx: Context,
  user: SessionUser,
  { what, subject }: { what: AccountChange; subject?: string },
): Promise<void> {
  await notify(tx, user, { what, subject });
  if ((await q.twoFactor.isOn(tx, { userId: user.id })).on) return;
  await q.twoFactor.dropCodes(tx, { userId: user.id });
  await q.twoFactor.endChallenges(tx, { userId: user.id });
  await notify(tx, user, { what: "two_factor_off" });
}

/**
 * For the operator: takes all factors from somebody who has lost them, and ends their sessions. It is in the audit log of
 * their projects, and a mail tells them. Returns false if there was nothing to take.
 */
export async function switchOffTwoFactor(
  ctx: Context,
  email: string,
): Promise<{ id: string; wasOn: boolean }> {
  return await inTransaction(ctx, async (tx) => {
    const user = await q.users.holdByEmail(tx, { email });
    if (!user) throw new Error(`Cannot find an account with the address ${email}`);
    const userId = user.id;
    const { on: wasOn } = await q.twoFactor.isOn(tx, { userId });
    await q.twoFactor.removeTotp(tx, { userId });
    await q.passkeys.drop(tx, { userId });
    await q.twoFactor.dropCodes(tx, { userId });
    if (!wasOn) return { id: userId, wasOn };
    await endSessionsOf(tx, userId);
    const projects = await q.users.looksAfter(tx, { userId });
    await recordAudits(
      tx,
      OPERATOR,
      projects.map(({ id }) => ({ projectId: id, action: "members.two_factor_off", subject: email })),
    );
    await notify(tx, user, { what: "two_factor_off_by_operator" });
    return { id: userId, wasOn };
  });
}
