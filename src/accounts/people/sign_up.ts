// How somebody gets an account, and proves that its address is theirs.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJob } from "../../jobs.ts";
import { Problem, problems } from "../../problem/mod.ts";
import { admit, sessionOfAdmission } from "./admission.ts";
import { holdOwner, useToken } from "./tokens.ts";
import { checkPassword, type Credentials, holdChecked, type LoggedIn } from "./credentials.ts";
import { isInvitationToken } from "../projects/invitations.ts";
import { type Attempt, giveBackAttempt, takeAttempt } from "./login_limits.ts";
import { assertGoodPassword } from "./password_rules.ts";
import { hashPassword } from "./passwords.ts";
import { isSessionOf, type Visitor } from "./sessions.ts";
import { assertMaySignUp, createUser, proveByInvitation, proveUser } from "./mod.ts";

/** Where somebody signs up from. */
interface Origin extends Visitor {
  invitationToken?: string | undefined;
}

/**
 * Creates an account with its first session; a mail asks for verification, unless an invitation proves that the address
 * is theirs. With an invitation, and the password of an existing account with the address, they enter that one. Throws
 * 403 if sign-ups are closed, 409 when there is an account, 422 for a password that is easy to guess, 429 when the
 * network has created too many, and 503 when too many others wait.
 */
export async function signUp(ctx: Context, credentials: Credentials, origin: Origin): Promise<LoggedIn> {
  const { email, password } = credentials;
  const { network, invitationToken } = origin;
  await assertMaySignUp(ctx, { email, emailVerified: false, invitationToken });
  const isInvited = invitationToken !== undefined && (await isInvitationToken(ctx, email, invitationToken));
  if (isInvited && (await isUnproven(ctx, email))) return await joinWithPassword(ctx, credentials, origin);
  await assertGoodPassword(password, email, "password");
  // Each sends a mail to somebody who may not have asked for it; invited people have had theirs.
  const attempt = await takeAttempt(ctx, { network, ...(!isInvited && { signUpsFrom: network }) });
  if (await q.users.byEmail(ctx, { email })) {
    // Counts as a failed log-in: repeating it is a way to find out who has an account.
    await giveBackAttempt(ctx, attempt, "signUpsFrom");
    throw problems.accountExists(email);
  }
  const passwordHash = await hashed(ctx, credentials, origin, attempt);
  const person = await inTransaction(ctx, (tx) => enter(tx, { email, passwordHash }, origin));
  await giveBackAttempt(ctx, attempt, "network");
  return person;
}

/** Whether an invitation, with its token, is for somebody who must enter the password of an existing account. */
export async function isForAccount(ctx: Context, email: string, token: string): Promise<boolean> {
  return (await isInvitationToken(ctx, email, token)) && (await isUnproven(ctx, email));
}

/** Whether there is an account that anybody may have made. */
async function isUnproven(ctx: Context, email: string): Promise<boolean> {
  return (await q.users.byEmail(ctx, { email }))?.proven === false;
}

/** The mailbox is theirs, and so is the account: no password but its own lets them in. */
async function joinWithPassword(ctx: Context, credentials: Credentials, origin: Origin): Promise<LoggedIn> {
  const { email } = credentials;
  const { network, invitationToken } = origin;
  const checked = await checkPassword(ctx, credentials, network, { network, email }).catch((error) => {
    throw error instanceof Problem && error.status === 401 ? problems.accountNotProven(email) : error;
  });
  const { user, admission } = await inTransaction(ctx, async (tx) => {
    const held = await holdChecked(tx, checked);
    // Withdrawn since it was read.
    if (!(await proveByInvitation(tx, held, invitationToken!))) throw problems.accountExists(email);
    return { user: held, admission: await admit(tx, held.id, origin) };
  });
  return { user, session: sessionOfAdmission(admission) };
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
  origin: Origin,
): Promise<LoggedIn> {
  const { invitationToken } = origin;
  const user = await createUser(tx, { ...account, emailVerified: false, invitationToken });
  if (!user.emailVerified) await addVerificationMail(tx, user.email);
  const session = sessionOfAdmission(await admit(tx, user.id, origin));
  return { user: { id: user.id, email: user.email }, session };
}

/** Has a mail sent that asks whether the address is theirs, if it has an account for which that is not proven yet. */
export async function requestVerification(
  ctx: Context,
  email: string,
  network: string | null,
): Promise<void> {
  await takeAttempt(ctx, { mailsFor: network });
  await addVerificationMail(ctx, email);
}

/**
 * Notes that the holder of the token reads the mail of the address. It ends nothing, and starts no session. In a
 * session of that very account it also proves who holds the account, which then joins the projects that the address is
 * invited to. Only this uses up the token: after opening the link on a phone, it still works where they are logged in.
 * `proven` says whether it was proven. Throws 400 for a bad token.
 */
export async function verifyEmail(
  ctx: Context,
  token: string,
  sessionId: string | null,
): Promise<{ proven: boolean }> {
  return await inTransaction(ctx, async (tx) => {
    const userId = await holdOwner(tx, token, "VERIFY_EMAIL");
    const proven = sessionId !== null && (await isSessionOf(tx, sessionId, userId));
    if (proven) {
      await useToken(tx, token, "VERIFY_EMAIL");
      await proveUser(tx, userId);
    } else {
      await q.users.verifyElsewhere(tx, { userId, now: tx.now() });
    }
    return { proven };
  });
}

/** Whether there is an account, the job finds out: here it would show in the time. */
async function addVerificationMail(tx: Context, email: string): Promise<void> {
  await addJob(tx, "send_verification_mail", { email }, { key: `verification:${email}` });
}
