// Who looks after a project, in which role. Changes to the members of one project come one after another, so that an
// owner is always left.
import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { type Actor, recordAudit, recordAudits } from "../audit.ts";
import { takeToday } from "../daily_limits.ts";
import { INVITATION_DAYS, newInvitationToken } from "./invitations.ts";
import { assertRole, type Role } from "./roles.ts";

/** Somebody who looks after a project, or was asked to. */
export interface Member {
  /** Of the account; of the invitation, until the address has one. */
  userId: string;
  email: string;
  role: Role;
  status: "ACTIVE" | "INVITED";
}

/** A new member, and the token of the invitation if one was needed. */
export interface NewMember {
  member: Member;
  token: string | null;
}

/** How many members and invited ones a project may have. */
export const MAX_MEMBERS = 100;
/** How many invitations one user may send on a day, and one project, and how many one address may get. */
const MAX_SENT_A_DAY = 100;
const MAX_OF_PROJECT_A_DAY = 200;
const MAX_GOT_A_DAY = 10;

/** The members of a project, oldest first, followed by those invited. */
export async function listMembers(ctx: Context, projectId: string): Promise<Member[]> {
  const rows = await q.members.list(ctx, { projectId, now: ctx.now() });
  return rows.map(({ id, active, ...row }) => ({
    userId: id,
    ...row,
    status: active ? "ACTIVE" : "INVITED",
  }));
}

/**
 * Adds somebody to a project. A user who has proven that this address is theirs is a member at once; anybody else is
 * invited, or invited again: `token` is for the mail to them. Throws not-found, 409 for a member and for one too many,
 * 403 for an OWNER not added by an OWNER, and 429 after too many invitations.
 */
export async function addMember(
  ctx: Context,
  projectId: string,
  { email, role }: { email: string; role: Role },
  actor: Actor,
): Promise<NewMember> {
  return await inTransaction(ctx, async (tx) => {
    // Always in this order: accepting locks the address, and then its projects.
    await q.invitations.holdAddress(tx, { email });
    await hold(tx, projectId);
    const invited = await q.invitations.ofAddress(tx, { projectId, email, now: tx.now() });
    await assertMayManage(tx, projectId, actor, [role, ...(invited ? [invited.role] : [])]);
    if (!invited) await assertRoom(tx, projectId);
    await countInvitation(tx, projectId, email, actor);
    const user = await q.members.withAddress(tx, { email });
    if (user) {
      const isMember = await q.members.role(tx, { projectId, userId: user.id });
      if (isMember) throw problems.alreadyMember(email);
    }
    const isKnown = user?.proven === true;
    const added = isKnown
      ? await addKnown(tx, projectId, user.id, role, invited?.id)
      : await invite(tx, projectId, email, role, actor);
    const action = isKnown ? "members.added" : "members.invited";
    await recordAudit(tx, { projectId, actor, action, subject: email, details: { role } });
    const status = isKnown ? "ACTIVE" : "INVITED";
    return { member: { userId: user?.id ?? added.id, email, role, status }, token: added.token };
  });
}

/**
 * Changes the role of a member or of somebody invited. Invitations that they have sent stay. Throws 404, 403 if an OWNER would be appointed or demoted by somebody else, and 409 for the last OWNER.
 */
export async function changeRole(
  ctx: Context,
  projectId: string,
  memberId: string,
  role: Role,
  actor: Actor,
): Promise<Member> {
  return await inTransaction(ctx, async (tx) => {
    await hold(tx, projectId);
    const member = await memberOf(tx, projectId, memberId);
    await assertMayManage(tx, projectId, actor, [member.role, role]);
    if (member.role === role) return withoutInvitation(member);
    await assertOwnerLeft(tx, projectId, member);
    if (member.status === "ACTIVE") await q.members.setRole(tx, { projectId, userId: memberId, role });
    else {
      const invitedBy = userIdOf(actor);
      await q.invitations.setRole(tx, { projectId, invitationId: member.invitationId!, role, invitedBy });
    }
    const details = { from: member.role, to: role };
    await recordAudit(tx, {
      projectId,
      actor,
      action: "members.role_changed",
      subject: member.email,
      details,
    });
    return { ...withoutInvitation(member), role };
  });
}

/**
 * Removes a member with whom they have invited, or withdraws an invitation. Everybody may remove themselves. Throws as {@linkcode changeRole} does.
 */
export async function removeMember(
  ctx: Context,
  projectId: string,
  memberId: string,
  actor: Actor,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await hold(tx, projectId);
    const isSelf = actor.kind === "user" && actor.userId === memberId;
    const member = await memberOf(tx, projectId, memberId);
    if (!isSelf) await assertMayManage(tx, projectId, actor, [member.role]);
    await assertOwnerLeft(tx, projectId, member);
    const isActive = member.status === "ACTIVE";
    if (isActive) await q.members.remove(tx, { projectId, userId: memberId });
    else await q.invitations.withdraw(tx, { projectId, invitationId: member.invitationId! });
    const action = isActive ? "members.removed" : "members.invitation_withdrawn";
    const details = { role: member.role };
    await recordAudit(tx, { projectId, actor, action, subject: member.email, details });
    await withdrawInvitationsOf(tx, projectId, member, actor);
  });
}

/** Throws not-found for a project that is not there, or was deleted since the request began. */
async function hold(tx: Context, projectId: string): Promise<void> {
  if ((await q.projects.hold(tx, { projectId })) === 0) throw problems.notFound("project", projectId);
}

/** Otherwise somebody who was removed could come back by an invitation of their own. */
async function withdrawInvitationsOf(
  tx: Context,
  projectId: string,
  { userId, status }: Member,
  actor: Actor,
): Promise<void> {
  if (status !== "ACTIVE") return;
  const withdrawn = await q.invitations.withdrawOf(tx, { projectId, userId, now: tx.now() });
  await recordAudits(
    tx,
    actor,
    withdrawn.map(({ email, role: promised }) => ({
      projectId,
      action: "members.invitation_withdrawn" as const,
      subject: email,
      details: { role: promised },
    })),
  );
}

/** Throws 403 unless `actor`, in the role of this very moment, may deal with members of these roles. */
async function assertMayManage(tx: Context, projectId: string, actor: Actor, roles: Role[]): Promise<void> {
  if (actor.kind === "operator") return;
  const own = actor.kind === "user" && (await q.members.role(tx, { projectId, userId: actor.userId }));
  if (!own) throw problems.projectAccessDenied(projectId);
  assertRole(own.role, roles.includes("OWNER") ? "OWNER" : "ADMIN");
}

/** Throws 409 for the last OWNER. The project is held. */
async function assertOwnerLeft(tx: Context, projectId: string, { role, status }: Member): Promise<void> {
  if (role !== "OWNER" || status !== "ACTIVE") return;
  if ((await q.members.owners(tx, { projectId })).total === 1) throw problems.lastOwner();
}

async function assertRoom(tx: Context, projectId: string): Promise<void> {
  const { total } = await q.members.total(tx, { projectId, now: tx.now() });
  if (total >= MAX_MEMBERS) throw problems.tooManyMembers(MAX_MEMBERS);
}

/** Each is a mail to somebody who has not asked for it. */
async function countInvitation(tx: Context, projectId: string, email: string, actor: Actor): Promise<void> {
  const limits = {
    [`invitations to ${mailboxOf(email)}`]: MAX_GOT_A_DAY,
    [`invitations to ${projectId}`]: MAX_OF_PROJECT_A_DAY,
    ...(actor.kind === "user" && { [`invitations by ${actor.userId}`]: MAX_SENT_A_DAY }),
  };
  await takeToday(tx, limits, problems.tooManyInvitations);
}

/** Anything after a plus reaches the same person. */
function mailboxOf(email: string): string {
  return email.replace(/(?<=.)\+.*(?=@)/, "");
}

/** A member, or somebody invited, with the id of that invitation. */
interface FoundMember extends Member {
  invitationId: string | null;
}

async function memberOf(tx: Context, projectId: string, memberId: string): Promise<FoundMember> {
  const member = await q.members.get(tx, { projectId, userId: memberId });
  if (member) {
    return { userId: memberId, email: member.email, role: member.role, status: "ACTIVE", invitationId: null };
  }
  const invited = await q.invitations.get(tx, { projectId, memberId, now: tx.now() });
  if (!invited) throw problems.notFound("member", memberId);
  const { id, email, role } = invited;
  return { userId: memberId, email, role, status: "INVITED", invitationId: id };
}

function withoutInvitation({ userId, email, role, status }: FoundMember): Member {
  return { userId, email, role, status };
}

async function addKnown(tx: Context, projectId: string, userId: string, role: Role, invitationId?: string) {
  await q.members.add(tx, { projectId, userId, role });
  if (invitationId !== undefined) await q.invitations.withdraw(tx, { projectId, invitationId });
  return { id: userId, token: null };
}

async function invite(tx: Context, projectId: string, email: string, role: Role, actor: Actor) {
  const { token, tokenHash } = newInvitationToken();
  const now = tx.now();
  const expiresAt = new Date(now.getTime() + INVITATION_DAYS * 24 * 3_600_000);
  const { id } = await q.invitations.put(tx, {
    projectId,
    id: newId(tx),
    email,
    role,
    invitedBy: userIdOf(actor),
    tokenHash,
    now,
    expiresAt,
  });
  return { id, token };
}

/** Null for the operator, who may do everything. */
function userIdOf(actor: Actor): string | null {
  return actor.kind === "user" ? actor.userId : null;
}
