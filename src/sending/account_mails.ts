// The mails of an account: is the address yours, and a way to a new password.
import { makeToken, type TokenPurpose } from "../accounts/account_tokens.ts";
import { dashboardOrigins } from "../config.ts";
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { type MemberNotice, sendPlatformMail } from "./platform_mail.ts";

/** What a mail says, with the address that its link leads to. */
type Words = Omit<MemberNotice, "link"> & { label: string; path: string };

const VERIFICATION: Words = {
  subject: "Is this your address?",
  paragraphs: [
    "An account at Postrider was made with this address. If it was you, say so: it takes one click.",
    "The link is good for an hour. If it was not you, leave it alone: you would vouch for the account of somebody else.",
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
    const url = `${dashboardOrigins(ctx.config)[0] ?? ctx.config.BASE_URL}${path}?token=${token}`;
    await sendPlatformMail(tx, { to: user.email, ...words, link: { label, url } });
  });
}
