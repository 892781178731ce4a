import { type Context, newId } from "../context.ts";
import { q } from "../db/queries.ts";
import { addJob } from "../jobs.ts";
import { problems } from "../problem.ts";
import { dropTokens } from "./account_tokens.ts";
import { recordAudits } from "./audit.ts";
import { acceptInvitations, isInvitationToken, isInvited } from "./invitations.ts";
import { endSessionsOf } from "./sessions.ts";

/** Who signs up. */
export interface NewUser {
  /** In its one spelling: trimmed and in lower case. */
  email: string;
  /** Of {@linkcode hashPassword}; null for who comes by another provider. */
  passwordHash: string | null;
  /** Whether it is proven that the address is theirs. */
  emailVerified: boolean;
  /** The token of an invitation mail, which proves the address too. */
  invitationToken?: string | undefined;
}

/**
 * Throws FORBIDDEN where sign-ups are closed, but for those who are invited: who has proven that the address is theirs,
 * or knows the token of the mail.
 */
export async function assertMaySignUp(
  ctx: Context,
  { email, emailVerified, invitationToken }: Omit<NewUser, "passwordHash">,
): Promise<void> {
  if (!ctx.config.DISABLE_SIGNUPS) return;
  if (emailVerified && (await isInvited(ctx, email))) return;
  if (invitationToken !== undefined && (await isInvitationToken(ctx, email, invitationToken))) return;
  throw problems.signupsClosed();
}

/**
 * Makes an account, and lets it join the projects that its address was invited to, if it is proven that the address is
 * theirs. Throws CONFLICT when the address has an account.
 */
export async function createUser(
  tx: Context,
  { email, passwordHash, emailVerified, invitationToken }: NewUser,
): Promise<{ id: string; email: string; emailVerified: boolean }> {
  const now = tx.now();
  const user = await q.users.insert(tx, {
    id: newId(tx),
    email,
    passwordHash,
    emailVerifiedAt: emailVerified ? now : null,
    now,
  });
  if (!user) throw problems.accountExists(email);
  const { provesAddress } = await acceptInvitations(tx, { ...user, emailVerified }, invitationToken);
  if (provesAddress && !emailVerified) await q.users.verify(tx, { userId: user.id, now });
  return { ...user, emailVerified: emailVerified || provesAddress };
}

/** Notes that the address of a user is theirs, and lets them join the projects that it was invited to. */
export async function verifyUser(tx: Context, userId: string): Promise<{ email: string }> {
  await q.users.verify(tx, { userId, now: tx.now() });
  const { email } = await q.users.byId(tx, { userId });
  await acceptInvitations(tx, { id: userId, email, emailVerified: true });
  return { email };
}

/**
 * Gives an account to the owner of its address, who is here now, with the password that they have chosen, if any. An
 * account whose address was never verified may have been made by anybody, so as to get in later: whoever it was is shut
 * out, and the owner is told what they may have left.
 */
export async function giveToOwner(
  tx: Context,
  userId: string,
  passwordHash: string | null,
): Promise<{ email: string }> {
  await q.users.setPassword(tx, { userId, passwordHash });
  await endSessionsOf(tx, userId);
  await dropTokens(tx, userId);
  const { email, emailVerifiedAt } = await q.users.byId(tx, { userId });
  if (emailVerifiedAt === null) await noteProjects(tx, { userId, email });
  return await verifyUser(tx, userId);
}

/**
 * Gives somebody who has proven that the address is theirs the account that was made with it, if there is one that was
 * never verified. Else null.
 */
export async function claimUser(
  tx: Context,
  { email, passwordHash }: Pick<NewUser, "email" | "passwordHash">,
): Promise<{ id: string; email: string; emailVerified: boolean } | null> {
  const held = await q.users.holdByEmail(tx, { email });
  if (!held || held.emailVerifiedAt !== null) return null;
  await giveToOwner(tx, held.id, passwordHash);
  return { id: held.id, email: held.email, emailVerified: true };
}

/** Writes down in each project that its owner is here, and has them told by mail. */
async function noteProjects(
  tx: Context,
  { userId, email }: { userId: string; email: string },
): Promise<void> {
  const projects = await q.users.looksAfter(tx, { userId });
  if (projects.length === 0) return;
  await recordAudits(
    tx,
    { kind: "user", userId, email, emailVerified: true },
    projects.map(({ id }) => ({ projectId: id, action: "owner.proven", subject: email })),
  );
  await addJob(tx, "send_owner_mail", { userId, projectIds: projects.map(({ id }) => id) });
}

/** The projects that somebody looks after, with the addresses of the others who do. */
export async function projectsLookedAfter(ctx: Context, userId: string) {
  return await q.users.looksAfter(ctx, { userId });
}

/** Who somebody is, as `GET /users/@me` shows it. */
export async function getUser(ctx: Context, userId: string) {
  const { id, email, emailVerifiedAt, createdAt } = await q.users.byId(ctx, { userId });
  return { id, email, emailVerified: emailVerifiedAt !== null, createdAt };
}

/** Every account, oldest first. For the operator. */
export async function listUsers(ctx: Context) {
  return await q.users.list(ctx);
}
