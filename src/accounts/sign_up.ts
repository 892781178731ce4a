// How somebody comes to have an account, and to prove that its address is theirs.
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { addJob } from "../jobs.ts";
import { problems } from "../problem.ts";
import { useToken } from "./account_tokens.ts";
import { assertNotLocked, takeAttempt } from "./login_limits.ts";
import { hashPassword } from "./passwords.ts";
import { startSession } from "./sessions.ts";
import { assertMaySignUp, createUser, verifyUser } from "./users.ts";

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

/**
 * Makes an account with its first session; unless an invitation proves that the address is theirs, a mail asks. Throws 403
 * where sign-ups are closed, 409 when there is an account, 429 when the network has asked for too many of those.
 */
export async function signUp(
  ctx: Context,
  { email, password }: Credentials,
  { network, invitationToken }: { network: string | null; invitationToken?: string | undefined },
): Promise<LoggedIn> {
  await assertMaySignUp(ctx, { email, emailVerified: false, invitationToken });
  await assertNotLocked(ctx, { network });
  if (await q.users.byEmail(ctx, { email })) {
    // Counts as a failed log-in: whoever does it again and again wants to know who has an account.
    await takeAttempt(ctx, { network });
    throw problems.accountExists(email);
  }
  const passwordHash = await hashPassword(ctx, password);
  return await inTransaction(ctx, async (tx) => {
    const user = await createUser(tx, { email, passwordHash, emailVerified: false, invitationToken });
    if (!user.emailVerified) await addVerificationMail(tx, email);
    const session = await startSession(tx, user.id);
    return { user: { id: user.id, email: user.email }, session };
  });
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

/** Notes that the address is theirs who knows the token of the mail. Throws 400 for a bad token. */
export async function verifyEmail(ctx: Context, token: string): Promise<void> {
  await inTransaction(ctx, async (tx) => await verifyUser(tx, await useToken(tx, token, "VERIFY_EMAIL")));
}

/** Whether there is an account, the job finds out: here it would show in the time. */
async function addVerificationMail(tx: Context, email: string): Promise<void> {
  await addJob(tx, "send_verification_mail", { email }, { key: `verification:${email}` });
}
