// Mails that tell the owner of an account that something about how they log in was changed, or tried.
import { accountLink, resetLink } from "../../accounts/people/links.ts";
import { endEmailChanges, makeToken } from "../../accounts/people/tokens.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { AccountChange, AccountNotice } from "../../account_notice.ts";
import { sendPlatformMail, shown } from "./mod.ts";

/** What a mail says about a change. */
interface Words {
  subject: string;
  /** What happened, with what it was about and when. */
  text: (about: string, at: string) => string;
  /** What to do if it was somebody else; left out: reset the password. */
  otherwise?: string;
  /** Whether a link to a new password is of use. */
  noReset?: boolean;
}

const NOT_YOU =
  "If it was not you, set a new password by mail: that ends every session. Then check the settings of your account.";

const WORDS: Record<AccountChange, Words> = {
  address_requested: {
    subject: "A new address was requested for your account",
    text: (about, at) =>
      `On ${at} somebody who is logged in to your Postrider account asked to change its address to ${about}. It will change once this is confirmed through the mail to that address.`,
    otherwise:
      "If it was not you, set a new password by mail now: that ends every session, and the address stays as it is.",
  },
  address_changed: {
    subject: "The address of your account was changed",
    text: (about, at) =>
      `On ${at} the address of your Postrider account was changed to ${about}. Mails about the account go there from now on; this is the last one here.`,
    otherwise:
      "If it was not you, somebody has used your password or your browser. Ask the operator of this installation for help.",
    noReset: true,
  },
  sessions_ended: {
    subject: "Other sessions of your account were ended",
    text: (_, at) =>
      `On ${at} sessions of your Postrider account on other devices were ended. Those devices have to log in again.`,
  },
  two_factor_on: {
    subject: "Two-factor log-in is on",
    text: (_, at) =>
      `Since ${at} your Postrider account asks for a second factor at each log-in. Its other sessions were ended. Keep the recovery codes in a safe place: they let you log in if you lose your device.`,
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
    text: (_, at) =>
      `On ${at} new recovery codes were created for your Postrider account. The previous ones no longer work.`,
  },
  recovery_code_used: {
    subject: "A recovery code of your account was used",
    text: (left, at) =>
      `On ${at} a recovery code was used in place of a second factor; ${left} are left. Create new ones in the settings of the account before they run out.`,
  },
  second_factor_failed: {
    subject: "Failed attempts at the second factor of your account",
    text: (_, at) =>
      `By ${at} a wrong second factor had been entered ten times within 15 minutes. Nobody got in, and for 15 minutes nobody can try again. The person who tried has passed the first step of the log-in: if that was not you, change your password.`,
  },
  account_deleted: {
    subject: "Your account was deleted",
    text: (_, at) =>
      `On ${at} your Postrider account was deleted, with the projects that had no other members. This cannot be undone.`,
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
 * Asks whether a new address is theirs. If it already has an account, the mail only says so: the person who asked learns
 * nothing. Mails to addresses requested earlier no longer work.
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
        `This address was entered as the new address of the Postrider account ${user.email}. If that is your account, press the button, preferably in the browser in which you are logged in: in any other browser you are asked for its password.`,
      ],
      link: {
        label: "Use this address",
        url: accountLink(ctx.config, "changeEmail", { token }, { email }),
      },
      below: ["The button works for one hour. If it is not your account, do nothing: nothing will change."],
      reason: "You are receiving this mail because your address was entered for a Postrider account.",
    });
  });
}

function taken(email: string, account: string) {
  return {
    to: email,
    subject: "This address already has an account",
    paragraphs: [
      `This address was entered as the new address of the Postrider account ${account}, but it already has an account: nothing was changed. If both are yours, log in with this address, or delete its account first.`,
    ],
  };
}
