// With address and password. What a stranger can see is the same whether or not the account exists: the answer, and the
// time that it takes.
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { addJob } from "../jobs.ts";
import { problems } from "../problem.ts";
import { endResets, ownerOf, useToken } from "./account_tokens.ts";
import {
  assertNotLocked,
  type Counted,
  forgetFailures,
  giveBackAttempt,
  takeAttempt,
} from "./login_limits.ts";
import { assertGoodPassword } from "./password_rules.ts";
import { hashPassword, inTurn, isPassword } from "./passwords.ts";
import { endSession, endSessionsOf, type SessionUser, startSession } from "./sessions.ts";
import type { Credentials, LoggedIn } from "./sign_up.ts";
import { giveToOwner } from "./users.ts";

/**
 * Begins a session, and ends the one that the caller had. Throws INVALID_CREDENTIALS, 429 after too many failures for the
 * address or from the network (also for the right password), and 503 when too many others log in.
 */
export async function logIn(
  ctx: Context,
  credentials: Credentials,
  { network, replaces }: { network: string | null; replaces: string | null },
): Promise<LoggedIn> {
  const checked = await checkPassword(ctx, credentials, network, { network, email: credentials.email });
  return await inTransaction(ctx, async (tx) => {
    const user = await hold(tx, checked);
    if (replaces !== null) await endSession(tx, replaces);
    return { user, session: await startSession(tx, user.id) };
  });
}

/**
 * Changes the password of who is logged in and knows the old one, and ends all other sessions and ways to a new password.
 * Throws as `logIn` does, but failures are counted for the user: what strangers try locks nobody out of it.
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
    const { id: userId } = await hold(tx, checked);
    await q.users.setPassword(tx, { userId, passwordHash });
    await endSessionsOf(tx, userId, { except: sessionId });
    await endResets(tx, userId);
  });
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
 * Sets a new password for who knows the token of the mail, and ends all sessions. The mail proves the address too. Throws
 * 400 for a bad token, and 503 when too many others log in.
 */
export async function resetPassword(
  ctx: Context,
  { token, newPassword }: { token: string; newPassword: string },
  network: string | null,
): Promise<void> {
  // A hash is dear: nobody gets one for a token that they made up.
  const { email: address } = await ownerOf(ctx, token, "RESET_PASSWORD");
  await assertGoodPassword(newPassword, address, "newPassword");
  const passwordHash = await hashPassword(ctx, newPassword, network);
  await inTransaction(ctx, async (tx) => {
    const id = await useToken(tx, token, "RESET_PASSWORD");
    const { email } = await giveToOwner(tx, id, passwordHash);
    await forgetFailures(tx, { id, email });
  });
}

/** Somebody whose password was checked. */
interface Checked {
  userId: string;
  passwordHash: string;
}

async function checkPassword(
  ctx: Context,
  { email, password }: Credentials,
  network: string | null,
  counted: Counted,
): Promise<Checked> {
  // Whoever is locked out has to wait for nobody, and nobody for them.
  await assertNotLocked(ctx, counted);
  return await inTurn(ctx, { network }, async () => {
    const attempt = await takeAttempt(ctx, counted);
    const user = await q.users.byEmail(ctx, { email });
    const passwordHash = user?.passwordHash ?? null;
    const isRight = await isPassword(password, passwordHash);
    if (!user || passwordHash === null || !isRight) throw problems.invalidCredentials();
    await giveBackAttempt(ctx, attempt);
    return { userId: user.id, passwordHash };
  });
}

/** Locks the user. Throws when the password was changed since it was checked: a session would outlive the change. */
async function hold(tx: Context, checked: Checked): Promise<{ id: string; email: string }> {
  const user = await q.users.hold(tx, checked);
  if (!user) throw problems.invalidCredentials();
  return user;
}
