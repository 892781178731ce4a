// With address and password: logging in, and how a password is changed.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJob } from "../../jobs.ts";
import { admit, type FactorAnswer, sessionOfAdmission, withFactor } from "./admission.ts";
import { endResets, ownerOf, useToken } from "./tokens.ts";
import { checkPassword, type Credentials, holdChecked, type LoggedIn } from "./credentials.ts";
import { forgetFailures, takeAttempt } from "./login_limits.ts";
import { assertGoodPassword } from "./password_rules.ts";
import { hashPassword } from "./passwords.ts";
import { noteProof } from "./recent_proof.ts";
import { endSessionsOf, type SessionUser, type Visitor } from "./sessions.ts";
import { giveToOwner } from "./mod.ts";

/**
 * Begins a session, and ends the one that the caller had. Throws TWO_FACTOR_REQUIRED if that is on, INVALID_CREDENTIALS, 429 after too many failures for the
 * address or from the network (also for the right password), and 503 when too many others log in.
 */
export async function logIn(ctx: Context, credentials: Credentials, visitor: Visitor): Promise<LoggedIn> {
  const { network } = visitor;
  const checked = await checkPassword(ctx, credentials, network, { network, email: credentials.email });
  const { user, admission } = await inTransaction(ctx, async (tx) => {
    const held = await holdChecked(tx, checked);
    return { user: held, admission: await admit(tx, held.id, visitor) };
  });
  return { user, session: sessionOfAdmission(admission) };
}

/**
 * Changes the password of a logged-in user who knows the old one, and ends all other sessions and pending resets.
 * Throws as `logIn` does, but failures are counted for the user: attempts by strangers lock nobody out of it.
 */
export async function changePassword(
  ctx: Context,
  { id, email, sessionId }: SessionUser,
  { password, newPassword }: { password: string; newPassword: string },
  network: string | null,
): Promise<void> {
  await assertGoodPassword(newPassword, email, "newPassword");
  const checked = await checkPassword(ctx, { email, password }, network, { user: id });
  const passwordHash = await hashPassword(ctx, newPassword, network);
  await inTransaction(ctx, async (tx) => {
    const { id: userId } = await holdChecked(tx, checked);
    await q.users.setPassword(tx, { userId, passwordHash });
    await endSessionsOf(tx, userId, { except: sessionId });
    await endResets(tx, userId);
  });
}

/**
 * Shows again that it is the holder of the account who is logged in, by its password or by a factor. Throws as
 * {@linkcode changePassword} does.
 */
export async function reauthenticate(
  ctx: Context,
  user: SessionUser,
  { password, ...factor }: FactorAnswer & { password?: string | undefined },
  network: string | null,
): Promise<void> {
  const { id, email, sessionId } = user;
  if (password === undefined) {
    return await withFactor(ctx, user, factor, network, async (tx) => await noteProof(tx, sessionId));
  }
  await checkPassword(ctx, { email, password }, network, { user: id });
  await noteProof(ctx, sessionId);
}

/** Has a mail sent with which a new password can be set, if there is an account. */
export async function requestPasswordReset(
  ctx: Context,
  email: string,
  network: string | null,
): Promise<void> {
  await takeAttempt(ctx, { mailsFor: network });
  // Whether there is an account, the job finds out: here it would show in the time.
  await addJob(ctx, "send_reset_mail", { email }, { key: `reset:${email}` });
}

/**
 * Sets a new password with the token of a mail, and ends all sessions. The mail proves the address too. Throws 400 for
 * a bad token, and 503 when too many others log in.
 */
export async function resetPassword(
  ctx: Context,
  { token, newPassword }: { token: string; newPassword: string },
  network: string | null,
): Promise<void> {
  // Hashing is expensive: a made-up token must not cause it.
  const { email: address } = await ownerOf(ctx, token, "RESET_PASSWORD");
  await assertGoodPassword(newPassword, address, "newPassword");
  const passwordHash = await hashPassword(ctx, newPassword, network);
  await inTransaction(ctx, async (tx) => {
    const id = await useToken(tx, token, "RESET_PASSWORD");
    const { email } = await giveToOwner(tx, id, passwordHash);
    await forgetFailures(tx, { id, email });
  });
}
