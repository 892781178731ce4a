// The mails of an account: verification of its address, password reset, and a warning about projects of others.
import { accountLink, resetLink } from "../../accounts/people/links.ts";
import { makeToken, type TokenPurpose } from "../../accounts/people/tokens.ts";
import { type RemovableAccount, isDisownable } from "../../accounts/people/removal.ts";
import { projectsLookedAfter } from "../../accounts/people/mod.ts";
import { dashboardAddress } from "../../config/mod.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { sendPlatformMail, shown } from "./mod.ts";

/** The content of a mail, with the address that its link leads to. */
interface Words {
  subject: string;
  paragraphs: string[];
  /** Below the button. */
  below?: string[];
  purpose: TokenPurpose;
  label: string;
  page: "verifyEmail" | "resetPassword";
}

/** A second link, to a page of our own, whatever dashboard there is: an address, or the path of a page that takes a token. */
type OtherLink = { label: string; url: string } | { label: string; purpose: TokenPurpose; path: string };

const VERIFICATION = {
  subject: "Is this your address?",
  purpose: "VERIFY_EMAIL",
  label: "Yes, it was me",
  page: "verifyEmail",
} as const;

const PRESSING =
  "Somebody created a Postrider account with this address. If it was you, press the button, preferably in the browser in " +
  "which you are logged in: in any other browser it verifies the address, but you cannot invite people yet. Either way, " +
  "the account stays with the person who created it.";

const NEW_PASSWORD = "it makes the account yours, ends everybody else's access, and deletes nothing.";

/** For an account that was made just now. */
const IF_NEW = [
  "If it was not you, do not press it. “This was not me” removes the account and the projects that have no other " +
    "members, unless somebody has already pressed the button.",
  "Both links work for one hour. After that, “This was not me” leads to a password reset.",
];

/** For an older account: it may be in use, and the person who triggers this mail removes nothing. */
const IF_OLD = [
  `If it was not you, do not press it. Reset the password instead: ${NEW_PASSWORD}`,
  "The button works for one hour.",
];

const ELSEWHERE =
  "Your address is verified, but not from a browser that is logged in to the account, so it is not yet certain that the " +
  "account is yours. Log in and press the button in the same browser. After that you can invite people, and you join " +
  "the projects that you are invited to. In a browser that is not logged in, the button has no effect.";

const IF_ELSEWHERE = [
  `If you did not create the account, do not press it. Reset the password instead: ${NEW_PASSWORD}`,
  "The button works for one hour.",
];

const DISOWNING = { purpose: "REMOVE_ACCOUNT", label: "This was not me", path: "/auth/not-me" } as const;

const RESET = {
  subject: "A new password",
  purpose: "RESET_PASSWORD",
  label: "Set a new password",
  page: "resetPassword",
} as const;

const ASKED = "Somebody requested a new password for your Postrider account. If it was you, set it here.";

const RESET_OF_OWN = [
  ASKED,
  "The link works once, for one hour. If it was not you, do nothing: your password stays the same.",
];

const RESET_OF_UNPROVEN = [
  ASKED,
  "If you did not create this account, somebody else did, with your address. Set a password in that case too: " +
    `${NEW_PASSWORD} You can then look through the account and delete its projects.`,
  "The link works once, for one hour. If you do nothing, the password stays the same.",
];

/**
 * Asks whether an address is theirs, where it has an account for which that is not proven yet. Anybody can trigger this
 * mail at any time, so it offers to remove the account only while the account is new.
 */
export async function sendVerificationMail(ctx: Context, email: string): Promise<void> {
  const user = await q.users.byEmail(ctx, { email });
  if (!user || user.proven) return;
  const what = await describeAccount(ctx, user);
  if (isDisownable(ctx, user)) {
    return await sendLink(
      ctx,
      user,
      { ...VERIFICATION, paragraphs: [PRESSING, what], below: IF_NEW },
      DISOWNING,
    );
  }
  const forPassword = { label: "Reset the password", url: resetLink(ctx.config, email) };
  const words =
    user.emailVerifiedAt === null
      ? { ...VERIFICATION, paragraphs: [PRESSING, what], below: IF_OLD }
      : {
          ...VERIFICATION,
          subject: "Is this your account?",
          label: "Yes, it is mine",
          paragraphs: [ELSEWHERE, what],
          below: IF_ELSEWHERE,
        };
  await sendLink(ctx, user, words, forPassword);
}

/** The account, its age and its projects: the reader has to know whether it is theirs. */
export async function describeAccount(ctx: Context, account: Described & { id: string }): Promise<string> {
  const names = (await projectsLookedAfter(ctx, account.id)).map(({ name }) => name);
  const what = names.length === 0 ? "It has no projects" : `Its projects: ${shownNames(names)}`;
  return `${accountSince(account)} ${what}.`;
}

type Described = Pick<RemovableAccount, "email" | "createdAt">;

/** Which account it is, and since when it has existed: a sentence. */
export function accountSince({ email, createdAt }: Described): string {
  const since = `${createdAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return `The account ${email} has existed since ${since}.`;
}

/** Names of projects as text, up to 50 of them. */
export function shownNames(names: string[]): string {
  const more = names.length > MAX_NAMED ? [`${names.length - MAX_NAMED} more`] : [];
  return [...names.slice(0, MAX_NAMED).map(shown), ...more].join(", ");
}

/** Sends a way to a new password, where the address has an account: also one that had none until now. */
export async function sendResetMail(ctx: Context, email: string): Promise<void> {
  const user = await q.users.byEmail(ctx, { email });
  if (!user) return;
  await sendLink(ctx, user, { ...RESET, paragraphs: user.proven ? RESET_OF_OWN : RESET_OF_UNPROVEN });
}

/** A mail names at most this many projects. */
const MAX_NAMED = 50;

/**
 * Tells the owner of an address, whose account anybody may have made, which projects were in it, and who else looks after
 * them. Projects that are gone, or that the owner is no longer in, are left out.
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
    subject: "Check the projects of your account",
    paragraphs: [
      "It is now confirmed that your Postrider account is yours. Until now this was not certain, so somebody else may have " +
        "created the account and these projects. All its sessions have ended.",
      "The projects, each with its other owners and admins:",
      ...named,
      ...(projects.length > MAX_NAMED ? [`And ${projects.length - MAX_NAMED} more.`] : []),
      "If you did not create all of them yourself, regenerate the keys of these projects, which somebody else may still " +
        "have, remove people you do not know, and check the audit log. Or delete the projects.",
    ],
    link: { label: "Open the dashboard", url: dashboardAddress(ctx.config) },
  });
}

/** The tokens and the mail exist together. After a few within an hour there is neither. */
async function sendLink(
  ctx: Context,
  user: { id: string; email: string },
  { subject, paragraphs, below, ...main }: Words,
  other?: OtherLink,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const token = await makeToken(tx, user.id, main.purpose);
    if (token === null) return;
    const url = accountLink(ctx.config, main.page, { token }, { email: user.email });
    const link = { label: main.label, url };
    const otherLink = other && (await otherLinkOf(tx, user.id, other));
    if (otherLink === null) return;
    await sendPlatformMail(tx, { to: user.email, subject, paragraphs, link, below, otherLink });
  });
}

/** Null after a few of them within an hour. */
async function otherLinkOf(tx: Context, userId: string, other: OtherLink) {
  if ("url" in other) return other;
  const token = await makeToken(tx, userId, other.purpose);
  return token === null
    ? null
    : { label: other.label, url: `${tx.config.BASE_URL}${other.path}?token=${token}` };
}
