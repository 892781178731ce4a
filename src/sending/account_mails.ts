// The mails of an account: is the address yours, a way to a new password, and what others may have left in it.
import { makeToken, type TokenPurpose } from "../accounts/account_tokens.ts";
import { projectsLookedAfter } from "../accounts/users.ts";
import { dashboardAddress } from "../config.ts";
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { type MemberNotice, sendPlatformMail, shown } from "./platform_mail.ts";

/** What a mail says, with the address that its link leads to. */
type Words = Omit<MemberNotice, "link"> & { label: string; path: string };

const VERIFICATION: Words = {
  subject: "Is this your address?",
  paragraphs: [
    "An account at Postrider was made with this address. If it was you, say so in the same browser: it takes one click. In " +
      "another one you are asked for a new password.",
    "The link is good for an hour. If it was not you, do nothing; or take the account over with the link, which shuts out " +
      "whoever made it.",
  ],
  label: "Yes, it is mine",
  path: "/auth/verify-email",
};

const RESET: Words = {
  subject: "A new password",
  paragraphs: [
    "Somebody asked for a new password for your account at Postrider. If it was you, set it here.",
    "The link is good for an hour, once. If it was not you, do nothing: your password stays as it is.",
  ],
  label: "Set a new password",
  path: "/auth/reset-password",
};

/** Asks whether an address is theirs, where it has an account that was not verified yet. */
export async function sendVerificationMail(ctx: Context, email: string): Promise<void> {
  const user = await q.users.byEmail(ctx, { email });
  if (user && user.emailVerifiedAt === null) await sendLink(ctx, user, "VERIFY_EMAIL", VERIFICATION);
}

/** Sends a way to a new password, where the address has an account: also one that had none until now. */
export async function sendResetMail(ctx: Context, email: string): Promise<void> {
  const user = await q.users.byEmail(ctx, { email });
  if (user) await sendLink(ctx, user, "RESET_PASSWORD", RESET);
}

/** A mail names so many projects. */
const MAX_NAMED = 50;

/**
 * Tells the owner of an address, whose account anybody may have made, which projects were in it, and who else looks after
 * them. Those that are gone, or that the owner is in no more, are left out.
 */
export async function sendOwnerMail(ctx: Context, userId: string, projectIds: string[]): Promise<void> {
  const { email } = await q.users.byId(ctx, { userId });
  const projects = (await projectsLookedAfter(ctx, userId)).filter(({ id }) => projectIds.includes(id));
  if (projects.length === 0) return;
  const named = projects.slice(0, MAX_NAMED).map(({ name, others }) => {
    const people = others.length > 0 ? others.join(", ") : "nobody else";
    return `${shown(name)} (${people})`;
  });
  await sendPlatformMail(ctx, {
    to: email,
    subject: "Look through the projects of your account",
    paragraphs: [
      "It is proven now that your account at Postrider is yours. Until now nobody had verified its address, so somebody else " +
        "may have made the account, and these projects in it. All its sessions have ended.",
      "The projects, each with the other people who look after it:",
      ...named,
      ...(projects.length > MAX_NAMED ? [`And ${projects.length - MAX_NAMED} more.`] : []),
      "If they are not all your own work: regenerate the keys of these projects, which somebody may still have, remove " +
        "people whom you do not know, and look at what the audit log says. Or delete the projects.",
    ],
    link: { label: "Look at them", url: dashboardAddress(ctx.config) },
  });
}

/** The token and the mail exist together. After a few within an hour there is neither. */
async function sendLink(
  ctx: Context,
  user: { id: string; email: string },
  purpose: TokenPurpose,
  { label, path, ...words }: Words,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const token = await makeToken(tx, user.id, purpose);
    if (token === null) return;
    const url = `${dashboardAddress(ctx.config)}${path}?token=${token}`;
    await sendPlatformMail(tx, { to: user.email, ...words, link: { label, url } });
  });
}
