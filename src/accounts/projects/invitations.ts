// People invited to join a project by mail. They join when it is proven that the holder of the account reads the mail
// of its address: it was verified in a session of the account, or they know the token of the mail.
import { createHash, randomBytes } from "node:crypto";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { actorOf, recordAudits } from "../audit.ts";

/** Somebody with an account. */
export interface Invitee {
  id: string;
  email: string;
  /** They have shown that the address is theirs. */
  proven: boolean;
}

/** What happened to the invitations of an address. */
export interface Acceptance {
  /** The projects that the user has joined now. */
  projectIds: string[];
  /** The token proves that the address is theirs. */
  provesAddress: boolean;
}

/** For how long an invitation can be accepted. */
export const INVITATION_DAYS = 14;

const TOKEN = /^[0-9a-f]{64}$/;

/** A token for an invitation mail, told once and kept only as a hash. */
export function newInvitationToken(): { token: string; tokenHash: Buffer } {
  const token = randomBytes(32).toString("hex");
  return { token, tokenHash: hashOf(token) };
}

/**
 * Adds a user to every project that the address was invited to, if it is proven to be theirs, or `token` is from a mail
 * sent to it. To be called at sign-up, and when the address is proven. Otherwise the invitations wait. A role that its
 * inviter may no longer give is not granted.
 */
export async function acceptInvitations(tx: Context, user: Invitee, token?: string): Promise<Acceptance> {
  const now = tx.now();
  await q.invitations.holdAddress(tx, { email: user.email });
  const provesAddress = token !== undefined && (await isInvitationToken(tx, user.email, token));
  if (!user.proven && !provesAddress) return { projectIds: [], provesAddress };
  const projectIds = (await q.invitations.holdProjects(tx, { email: user.email })).map(({ id }) => id);
  const joined = await q.invitations.accept(tx, { userId: user.id, email: user.email, projectIds, now });
  await recordAudits(
    tx,
    actorOf({ ...user, proven: true }),
    joined.map(({ projectId, role }) => ({
      projectId,
      action: "members.joined",
      subject: user.email,
      details: { role },
    })),
  );
  return { projectIds: joined.map(({ projectId }) => projectId), provesAddress };
}

/** Deletes invitations that can no longer be accepted. */
export async function purgeInvitations(ctx: Context): Promise<void> {
  await q.invitations.purge(ctx, { now: ctx.now() });
}

/** Whether an address is invited to anything. */
export async function isInvited(tx: Context, email: string): Promise<boolean> {
  return (await q.invitations.anyFor(tx, { email, now: tx.now() })).any;
}

/** Whether this is the token of a mail that invited the address, and can still be accepted. */
export async function isInvitationToken(tx: Context, email: string, token: string): Promise<boolean> {
  if (!TOKEN.test(token)) return false;
  return (await q.invitations.proves(tx, { tokenHash: hashOf(token), email, now: tx.now() })).proves;
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
