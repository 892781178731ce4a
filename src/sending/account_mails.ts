// The mails of an account: is the address yours, a way to a new password, and what others may have left in it.
import { makeToken, type TokenPurpose } from "../accounts/account_tokens.ts";
import { projectsLookedAfter } from "../accounts/users.ts";
import { dashboardAddress } from "../config.ts";
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { sendPlatformMail, shown } from "./platform_mail.ts";

/** What a mail says, with the address that its link leads to. */
interface Words {
  subject: string;
  paragraphs: string[];
  purpose: TokenPurpose;
  label: string;
  path: string;
}

const VERIFICATION: Words = {
  subject: "Is this your address?",
  paragraphs: [
    "An account at Postrider was made with this address. If it was you, say so with the button, in whichever browser. The " +
      "address is verified by that, and nothing else changes: whoever made the account keeps it, with the password and all " +
      "that is in it.",
    "If it was not you, do not press it. Say “This was not me” instead, below: that removes the account, with the projects " +
      "that nobody else is in.",
    "Both are good for an hour. Later, ask for a new password: with it the account is yours, and whoever made it is shut out.",
  ],
  purpose: "VERIFY_EMAIL",
  label: "Yes, it was me",
  path: "/auth/verify-email",
};

/** On a page of our own, whatever dashboard there is. */
const DISOWNING = { purpose: "REMOVE_ACCOUNT", label: "This was not me", path: "/auth/not-me" } as const;

const RESET: Words = {
  subject: "A new password",
  paragraphs: [
    "Somebody asked for a new password for your account at Postrider. If it was you, set it here.",
    "The link is good for an hour, once. If it was not you, do nothing: your password stays as it is.",
  ],
  purpose: "RESET_PASSWORD",
  label: "Set a new password",
  path: "/auth/reset-password",
};

/** Asks whether an address is theirs, where it has an account for which that is not proven yet. */
export async function sendVerificationMail(ctx: Context, email: string): Promise<void> {
  const user = await q.users.byEmail(ctx, { email });
  if (user && !user.proven) await sendLink(ctx, user, VERIFICATION, DISOWNING);
}

/** Sends a way to a new password, where the address has an account: also one that had none until now. */
export async function sendResetMail(ctx: Context, email: string): Promise<void> {
  const user = await q.users.byEmail(ctx, { email });
  if (user) await sendLink(ctx, user, RESET);
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
      "It is proven now that your account at Postrider is yours. Until now that was not known, so somebody else may have " +
        "made the account, and these projects in it. All its sessions have ended.",
      "The projects, each with the other people who look after it:",
      ...named,
      ...(projects.length > MAX_NAMED ? [`And ${projects.length - MAX_NAMED} more.`] : []),
      "If they are not all your own work: regenerate the keys of these projects, which somebody may still have, remove " +
        "people whom you do not know, and look at what the audit log says. Or delete the projects.",
    ],
    link: { label: "Look at them", url: dashboardAddress(ctx.config) },
  });
}

/** The tokens and the mail exist together. After a few within an hour there is neither. */
async function sendLink(
  ctx: Context,
  user: { id: string; email: string },
  { subject, paragraphs, ...main }: Words,
  other?: typeof DISOWNING,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const token = await makeToken(tx, user.id, main.purpose);
    if (token === null) return;
    const otherToken = other && (await makeToken(tx, user.id, other.purpose));
    if (otherToken === null) return;
    const link = { label: main.label, url: `${dashboardAddress(ctx.config)}${main.path}?token=${token}` };
    const otherLink = other && {
      label: other.label,
      url: `${ctx.config.BASE_URL}${other.path}?token=${otherToken}`,
    };
    await sendPlatformMail(tx, { to: user.email, subject, paragraphs, link, otherLink });
  });
}
