// What the owner of an account is told by mail: that something about how they log in was changed, or tried.
import { endEmailChanges, makeToken } from "../../accounts/people/tokens.ts";
import { dashboardAddress } from "../../config.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { AccountChange, AccountNotice } from "../../jobs.ts";
import { sendPlatformMail, shown } from "./mod.ts";

/** What a mail says about a change. */
interface Words {
  subject: string;
  /** What happened, with what it was about and when. */
  text: (about: string, at: string) => string;
  /** What to do where it was somebody else; left out: to reset the password. */
  otherwise?: string;
  /** Whether a link to a new password is of use. */
  noReset?: boolean;
}

const NOT_YOU =
  "If it was not you, set a new password by mail: that ends every session. Then look through the settings of your account.";

const WORDS: Record<AccountChange, Words> = {
  address_requested: {
    subject: "Your account is to get another address",
    text: (about, at) =>
      `On ${at} somebody who is logged in to your Postrider account asked to change its address to ${about}. It is changed once the mail to that address is answered.`,
    otherwise:
      "If it was not you, set a new password by mail now: that ends every session, and the address stays as it is.",
  },
  address_changed: {
    subject: "The address of your account was changed",
    text: (about, at) =>
      `On ${at} the address of your Postrider account was changed to ${about}. Mails about the account go there from now on; this is the last one here.`,
    otherwise:
      "If it was not you, somebody has had your password or your browser. Ask the operator of this installation for help.",
    noReset: true,
  },
  sessions_ended: {
    subject: "Other sessions of your account were ended",
    text: (_, at) =>
      `On ${at} sessions of your Postrider account on other devices were ended. They have to log in again.`,
  },
  account_deleted: {
    subject: "Your account was deleted",
    text: (_, at) =>
      `On ${at} your Postrider account was deleted, with the projects that nobody else was in. It cannot be undone.`,
    otherwise: "If it was not you, ask the operator of this installation what happened.",
    noReset: true,
  },
};

/** Tells somebody what was changed. */
export async function sendAccountNotice(
  ctx: Context,
  { email, what, subject: about = "", at }: AccountNotice,
): Promise<void> {
  const { subject, text, otherwise = NOT_YOU, noReset } = WORDS[what];
  const isAddress = what === "address_requested" || what === "address_changed";
  const time = `${at.slice(0, 16).replace("T", " ")} UTC`;
  const query = new URLSearchParams({ email });
  const url = `${ctx.config.BASE_URL}/auth/request-password-reset?${query}`;
  await sendPlatformMail(ctx, {
    to: email,
    subject,
    paragraphs: [text(isAddress ? about : shown(about), time), otherwise],
    otherLink: noReset ? undefined : { label: "Set a new password", url },
    ...(noReset && { reason: "You are receiving this mail because you had a Postrider account." }),
  });
}

/**
 * Asks whether a new address is theirs. Where it has an account, it is only told so: whoever asked learns nothing. The mails
 * about earlier ones are good for nothing any more.
 */
export async function sendEmailChangeMail(ctx: Context, userId: string, email: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const user = await q.users.find(tx, { userId });
    if (!user || user.email === email) return;
    if (await q.users.byEmail(tx, { email })) return await sendPlatformMail(tx, taken(email, user.email));
    await endEmailChanges(tx, userId);
    const token = await makeToken(tx, userId, "CHANGE_EMAIL", email);
    if (token === null) return;
    await sendPlatformMail(tx, {
      to: email,
      subject: "Is this your new address?",
      paragraphs: [
        `The Postrider account ${user.email} is to get this address. If that is your account, press the button, preferably in the browser in which you are logged in: in any other you are asked for its password.`,
      ],
      link: {
        label: "Use this address",
        url: `${dashboardAddress(ctx.config)}/auth/change-email?token=${token}`,
      },
      below: ["The button works for one hour. If it is not your account, do nothing: nothing is changed."],
      reason: "You are receiving this mail because your address was entered for a Postrider account.",
    });
  });
}

function taken(email: string, account: string) {
  return {
    to: email,
    subject: "This address has an account already",
    paragraphs: [
      `The Postrider account ${account} was to get this address, which has an account already: nothing was changed. If both are yours, log in with this address, or delete its account first.`,
    ],
  };
}
