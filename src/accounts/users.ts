import { type Context, newId } from "../context.ts";
import { q } from "../db/queries.ts";
import { problems } from "../problem.ts";
import { acceptInvitations, isInvitationToken, isInvited } from "./invitations.ts";

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

/** Who somebody is, as `GET /users/@me` shows it. */
export async function getUser(ctx: Context, userId: string) {
  const { id, email, emailVerifiedAt, createdAt } = await q.users.byId(ctx, { userId });
  return { id, email, emailVerified: emailVerifiedAt !== null, createdAt };
}

/** Every account, oldest first. For the operator. */
export async function listUsers(ctx: Context) {
  return await q.users.list(ctx);
}
