import { type Context, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJob } from "../../jobs.ts";
import { problems } from "../../problem/mod.ts";
import { dropTokens } from "./tokens.ts";
import { recordAudits } from "../audit.ts";
import { nameErrors } from "../names.ts";
import { acceptInvitations, isInvitationToken, isInvited } from "../projects/invitations.ts";
import { endSessionsOf } from "./sessions.ts";

/** Who signs up. */
export interface NewUser {
  /** In its one spelling: trimmed and in lower case. */
  email: string;
  /** From {@linkcode hashPassword}; null for users of another provider. */
  passwordHash: string | null;
  /** Whether it is proven that the address is theirs. */
  emailVerified: boolean;
  /** The token of an invitation mail, which proves the address too. */
  invitationToken?: string | undefined;
}

/**
 * Throws FORBIDDEN if sign-ups are closed, except for those invited, who have proven that the address is theirs or
 * know the token of the mail.
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
  const invitee = { ...user, proven: emailVerified };
  const { provesAddress } = await acceptInvitations(tx, invitee, invitationToken);
  if (provesAddress && !emailVerified) await q.users.prove(tx, { userId: user.id, now });
  return { ...user, emailVerified: emailVerified || provesAddress };
}

/** Notes that the address is theirs who hold the account, and lets them join the projects that it was invited to. */
export async function proveUser(tx: Context, userId: string): Promise<{ email: string }> {
  await q.users.prove(tx, { userId, now: tx.now() });
  const { email } = await q.users.byId(tx, { userId });
  await acceptInvitations(tx, { id: userId, email, proven: true });
  return { email };
}

/** The same for somebody who knows the token of an invitation mail. Returns whether it is one of theirs. */
export async function proveByInvitation(
  tx: Context,
  user: { id: string; email: string },
  token: string,
): Promise<boolean> {
  const { provesAddress } = await acceptInvitations(tx, { ...user, proven: false }, token);
  if (provesAddress) await q.users.prove(tx, { userId: user.id, now: tx.now() });
  return provesAddress;
}

/**
 * Gives an account to the owner of its address, who has received a mail and chosen a password. If it was not yet
 * proven that the two are the same, anybody may have created it: they lose access, and the owner is told what they may
 * have left.
 */
export async function giveToOwner(
  tx: Context,
  userId: string,
  passwordHash: string,
): Promise<{ email: string }> {
  await q.users.setPassword(tx, { userId, passwordHash });
  await endSessionsOf(tx, userId);
  await dropTokens(tx, userId);
  const { email, proven } = await q.users.byId(tx, { userId });
  if (!proven) await noteProjects(tx, { userId, email });
  return await proveUser(tx, userId);
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
    { kind: "user", userId, email, proven: true },
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
  const [user, pending] = await Promise.all([
    q.users.byId(ctx, { userId }),
    q.accountTokens.pendingEmail(ctx, { userId, now: ctx.now() }),
  ]);
  const { emailVerifiedAt, proven, ...shown } = user;
  return {
    ...shown,
    emailVerified: emailVerifiedAt !== null,
    emailProven: proven,
    pendingEmail: pending?.newEmail ?? null,
  };
}

/** Sets the name that others see; null for none. Throws 422 for one that could lead people astray. */
export async function setName(ctx: Context, userId: string, name: string | null): Promise<void> {
  const errors = name === null ? [] : nameErrors(name);
  if (errors.length > 0) throw problems.invalid(errors);
  await q.users.setName(ctx, { userId, name: name?.trim() ?? null });
}

/** Every account, oldest first. For the operator. */
export async function listUsers(ctx: Context) {
  return await q.users.list(ctx);
}
