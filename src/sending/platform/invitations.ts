// Inviting somebody to a project: the membership or the invitation, and its mail, in one commit.
import type { Actor } from "../../accounts/audit.ts";
import { INVITATION_DAYS } from "../../accounts/projects/invitations.ts";
import { accountLink } from "../../accounts/people/links.ts";
import { addMember, type Member } from "../../accounts/projects/members.ts";
import type { Role } from "../../accounts/projects/roles.ts";
import { dashboardAddress } from "../../config/mod.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { type PlatformMail, sendPlatformMail, shown } from "./mod.ts";

const NO_SENDER = [
  "sender of its own mails",
  "Set PLATFORM_FROM to invite people; those with a verified account can be added without it",
] as const;

/**
 * Adds somebody to a project and notifies them by mail, as {@linkcode addMember} does: at once, or as soon as they have
 * signed up. Throws 409 for a member, 403 also for a user who has not proven that the address is theirs, 429 for too
 * many mails, and 501 where someone has to be invited and the installation sends no mails of its own.
 */
export async function inviteMember(
  ctx: Context,
  projectId: string,
  wanted: { email: string; role: Role },
  actor: Actor,
): Promise<Member> {
  assertMayMail(ctx, actor);
  return await inTransaction(ctx, async (tx) => {
    const { member, token } = await addMember(tx, projectId, wanted, actor);
    if (token !== null && !tx.config.PLATFORM_FROM) throw problems.notConfigured(...NO_SENDER);
    const { name } = (await q.projects.presented(tx, { projectId }))!;
    const hasAccount = (await q.members.withAddress(tx, { email: member.email })) !== null;
    await sendPlatformMail(tx, mailOf(tx, { member, token, name, by: actor, hasAccount }));
    return member;
  });
}

/** Otherwise anybody could mail strangers under any name. Without PLATFORM_FROM, nobody could verify an address either. */
function assertMayMail({ config }: Context, actor: Actor): void {
  if (config.PLATFORM_FROM && actor.kind === "user" && !actor.proven) throw problems.mustProveAddress();
}

interface News {
  member: Member;
  token: string | null;
  /** Of the project. */
  name: string;
  by: Actor;
  /** Whether the address has an account, which may be somebody else's. */
  hasAccount: boolean;
}

const AS: Record<Role, string> = { MEMBER: "a member", ADMIN: "an admin", OWNER: "an owner" };

function mailOf(ctx: Context, news: News): PlatformMail {
  const { member, token } = news;
  return token === null
    ? { to: member.email, ...welcome(ctx, news) }
    : { to: member.email, ...invitation(ctx, news, token) };
}

function welcome(ctx: Context, { name, member, by }: News) {
  return {
    subject: `You are now a member of ${shown(name)}`,
    paragraphs: [
      `${nameOf(by)} added you to the project ${shown(name)} as ${AS[member.role]}.`,
      "You can leave it at any time.",
    ],
    link: { label: "Open the dashboard", url: dashboardAddress(ctx.config) },
    reason: `You are receiving this mail because you are a member of the project ${shown(name)} at Postrider.`,
  };
}

function invitation(ctx: Context, { name, member, by, hasAccount }: News, token: string) {
  const query = { email: member.email, invitation: token };
  return {
    subject: `Join ${shown(name)}`,
    paragraphs: [
      `${nameOf(by)} invites you to join the project ${shown(name)} as ${AS[member.role]}.`,
      hasAccount
        ? `There is already an account with your address, ${member.email}: enter its password to join. If you did not ` +
          "create it, reset the password on the same page: that makes it yours, and you join."
        : `Sign up with your address, ${member.email}, to join.`,
      `The invitation is valid for ${INVITATION_DAYS} days. If you did not expect this mail, ignore it.`,
    ],
    link: { label: "Join the project", url: accountLink(ctx.config, "signUp", query) },
    reason: `You are receiving this mail because ${nameOf(by)} entered your address at Postrider.`,
  };
}

function nameOf(by: Actor): string {
  return by.kind === "user" ? by.email : "The operator of this installation";
}
