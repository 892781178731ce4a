// What the owner of an account is told by mail: that something about how they log in was changed, or tried.
import { accountLink, resetLink } from "../../accounts/people/links.ts";
import { endEmailChanges, makeToken } from "../../accounts/people/tokens.ts";
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
  two_factor_on: {
    subject: "Two-factor log-in is on",
    text: (_, at) =>
      `Since ${at} your Postrider account asks for a second factor at each log-in. Its other sessions were ended. Keep the recovery codes in a safe place: without the device, they are the way in.`,
  },
  two_factor_off: {
    subject: "Two-factor log-in is off",
    text: (_, at) =>
      `On ${at} the last factor of your Postrider account was removed: the password alone is enough to log in from now on.`,
  },
  two_factor_off_by_operator: {
    subject: "Two-factor log-in was switched off by the operator",
    text: (_, at) =>
      `On ${at} the operator of this installation removed all factors of your Postrider account, and ended its sessions. Log in with the password, and add a factor again.`,
    otherwise: "If you did not ask for it, set a new password by mail, and ask the operator who did.",
  },
  authenticator_added: {
    subject: "An authenticator app was added to your account",
    text: (_, at) => `On ${at} an authenticator app was added to your Postrider account.`,
  },
  authenticator_changed: {
    subject: "The authenticator app of your account was replaced",
    text: (_, at) => `On ${at} the authenticator app of your Postrider account was replaced by another one.`,
  },
  authenticator_removed: {
    subject: "The authenticator app of your account was removed",
    text: (_, at) => `On ${at} the authenticator app was removed from your Postrider account.`,
  },
  passkey_added: {
    subject: "A passkey was added to your account",
    text: (name, at) => `On ${at} the passkey ${name} was added to your Postrider account.`,
  },
  passkey_removed: {
    subject: "A passkey of your account was removed",
    text: (name, at) => `On ${at} the passkey ${name} was removed from your Postrider account.`,
  },
  recovery_codes_made: {
    subject: "New recovery codes for your account",
    text: (_, at) => `On ${at} new recovery codes were made. Those before work no more.`,
  },
  recovery_code_used: {
    subject: "A recovery code of your account was used",
    text: (left, at) =>
      `On ${at} a recovery code was used in place of a second factor; ${left} are left. Make new ones in the settings of the account when they run out.`,
  },
  second_factor_failed: {
    subject: "Somebody has tried the second factor of your account",
    text: (_, at) =>
      `Until ${at} a wrong second factor was given ten times within a quarter of an hour. Nobody got in, and for that long nobody can try again. The person who tried it has passed the first step: if that was not you, change your password.`,
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
  const url = resetLink(ctx.config, email);
  await sendPlatformMail(ctx, {
    to: email,
    subject,
    paragraphs: [text(isAddress ? about : shown(about), time), otherwise],
    otherLink: noReset ? undefined : { label: "Set a new password", url },
    ...(noReset && { reason: "You are receiving this mail because you had a Postrider account." }),
  });
}

/**
 * Asks whether a new address is theirs. If it has an account, it is only told so: who asked learns nothing. The mails
 * about earlier ones no longer work.
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
        url: accountLink(ctx.config, "changeEmail", { token }, { email }),
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
