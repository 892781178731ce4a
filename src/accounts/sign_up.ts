// How somebody comes to have an account, and to prove that its address is theirs.
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { addJob } from "../jobs.ts";
import { problems } from "../problem.ts";
import { makeToken, useToken } from "./account_tokens.ts";
import { isInvitationToken } from "./invitations.ts";
import { type Attempt, giveBackAttempt, takeAttempt } from "./login_limits.ts";
import { assertGoodPassword } from "./password_rules.ts";
import { hashPassword } from "./passwords.ts";
import { endSession, isSessionOf, startSession } from "./sessions.ts";
import { assertMaySignUp, claimUser, createUser, giveToOwner, verifyUser } from "./users.ts";

/** Who signs up, or logs in. */
export interface Credentials {
  /** In its one spelling: trimmed and in lower case. */
  email: string;
  password: string;
}

/** A person with a session that has just begun. */
export interface LoggedIn {
  user: { id: string; email: string };
  session: { sessionId: string; expiresAt: Date };
}

/** Where somebody signs up from. */
interface Origin {
  network: string | null;
  invitationToken?: string | undefined;
  /** The session that the browser has, which ends. */
  replaces: string | null;
}

/**
 * Makes an account with its first session; unless an invitation proves that the address is theirs, a mail asks. With an
 * invitation they also get an account that somebody made with their address. Throws 403 where sign-ups are closed, 409
 * when there is an account, 429 when the network has asked for too many, and 503 when too many others wait.
 */
export async function signUp(ctx: Context, credentials: Credentials, origin: Origin): Promise<LoggedIn> {
  const { email, password } = credentials;
  const { network, invitationToken } = origin;
  await assertMaySignUp(ctx, { email, emailVerified: false, invitationToken });
  await assertGoodPassword(password, email, "password");
  const isInvited = invitationToken !== undefined && (await isInvitationToken(ctx, email, invitationToken));
  // Each is a mail to somebody who may not have asked for it; who is invited has had theirs.
  const attempt = await takeAttempt(ctx, { network, ...(!isInvited && { signUpsFrom: network }) });
  const user = await q.users.byEmail(ctx, { email });
  if (user && !(isInvited && user.emailVerifiedAt === null)) {
    // Counts as a failed log-in: whoever does it again and again wants to know who has an account.
    await giveBackAttempt(ctx, attempt, "signUpsFrom");
    throw problems.accountExists(email);
  }
  const passwordHash = await hashed(ctx, credentials, origin, attempt);
  const person = await inTransaction(ctx, (tx) => enter(tx, { email, passwordHash }, origin, isInvited));
  await giveBackAttempt(ctx, attempt, "network");
  return person;
}

/** The hash of the password. Who cannot have one now has lost nothing by having asked. */
async function hashed(
  ctx: Context,
  { password }: Credentials,
  { network }: Origin,
  attempt: Attempt,
): Promise<string> {
  try {
    return await hashPassword(ctx, password, network);
  } catch (error) {
    await giveBackAttempt(ctx, attempt);
    throw error;
  }
}

async function enter(
  tx: Context,
  account: { email: string; passwordHash: string },
  { invitationToken, replaces }: Origin,
  isInvited: boolean,
): Promise<LoggedIn> {
  const user =
    (isInvited ? await claimUser(tx, account) : null) ??
    (await createUser(tx, { ...account, emailVerified: false, invitationToken }));
  if (!user.emailVerified) await addVerificationMail(tx, user.email);
  if (replaces !== null) await endSession(tx, replaces);
  return { user: { id: user.id, email: user.email }, session: await startSession(tx, user.id) };
}

/** Has a mail sent that asks whether the address is theirs, if it has an account that was not verified yet. */
export async function requestVerification(
  ctx: Context,
  email: string,
  network: string | null,
): Promise<void> {
  await takeAttempt(ctx, { mailsFor: network });
  await addVerificationMail(ctx, email);
}

/**
 * Notes that the address is theirs who knows the token of the mail. Unless it comes with a session of that very account,
 * somebody else may have made it: then its password is gone and its sessions have ended, and `resetToken` is good for
 * setting a new password. Throws 400 for a bad token.
 */
export async function verifyEmail(
  ctx: Context,
  token: string,
  sessionId: string | null,
): Promise<{ resetToken: string | null }> {
  return await inTransaction(ctx, async (tx) => {
    const userId = await useToken(tx, token, "VERIFY_EMAIL");
    if (sessionId !== null && (await isSessionOf(tx, sessionId, userId))) {
      await verifyUser(tx, userId);
      return { resetToken: null };
    }
    // Its owner was here before, and whoever was not is gone.
    const { emailVerifiedAt } = await q.users.byId(tx, { userId });
    if (emailVerifiedAt !== null) return { resetToken: null };
    await giveToOwner(tx, userId, null);
    return { resetToken: await makeToken(tx, userId, "RESET_PASSWORD") };
  });
}

/** Whether there is an account, the job finds out: here it would show in the time. */
async function addVerificationMail(tx: Context, email: string): Promise<void> {
  await addJob(tx, "send_verification_mail", { email }, { key: `verification:${email}` });
}
