// The pages that ask whose account it is: "Yes, it was me", and "This was not me".
import { findOwner, type TokenOwner } from "../../accounts/people/tokens.ts";
import { requestPasswordReset } from "../../accounts/people/log_in.ts";
import { isSessionOf } from "../../accounts/people/sessions.ts";
import { requestVerification, verifyEmail } from "../../accounts/people/sign_up.ts";
import { disownAccount, type ProjectFates, projectFates } from "../../accounts/people/removal.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { accountSince, describeAccount, shownNames } from "../../sending/platform/account_mails.ts";
import { addressField, addressOf, deadLink, hidden, passwordLink } from "./_auth_fields.ts";
import { clientNetwork } from "../entry/client_network.ts";
import { type FormPage, type FormVisit, type NoticePage, pathOf } from "./form_pages.ts";
import { escapeHtml } from "./html.ts";
import { namedSession } from "../entry/session.ts";

const YOURS_THEN = "that makes the account yours and ends everybody else's access.";

/** Asks what the mail with this link asks: whether the address is theirs, or, once that is known, whether the account is. */
export async function verify(
  ctx: Context,
  given: URLSearchParams,
  { request }: FormVisit,
): Promise<FormPage | NoticePage> {
  const token = given.get("token") ?? "";
  const account = await findOwner(ctx, token, "VERIFY_EMAIL");
  if (!account) {
    const again = escapeHtml(pathOf(ctx, "/auth/request-verification"));
    return deadLink(`If your address is not verified yet: <a href="${again}">Request a new mail</a>.`);
  }
  if (account.proven)
    return { title: "Your address is verified.", more: "<p>There is nothing left to do.</p>" };
  const sessionId = await namedSession(ctx, request);
  const isOwn = sessionId !== null && (await isSessionOf(ctx, sessionId, account.id));
  const isVerified = account.emailVerifiedAt !== null;
  if (isVerified && !isOwn) return logInFirst(ctx, account);
  return {
    ...(isVerified ? await isItYourAccount(ctx, account) : isItYourAddress(account, isOwn)),
    fields: hidden("token", given),
    act: async () => ((await verifyEmail(ctx, token, sessionId)).proven ? PROVEN : VERIFIED),
  };
}

type Question = Pick<FormPage, "title" | "text" | "button" | "aside">;

const isItYourAddress = ({ email }: TokenOwner, isOwn: boolean): Question => ({
  title: "Is this your address?",
  text: `An account was created with ${email}. If it was you, confirm it. That verifies the address${isOwn ? ", and you join the projects that it is invited to" : ""}; the account stays with the person who created it. If it was not you, follow the other link in the mail instead.`,
  button: "Yes, it was me",
});

const isItYourAccount = async (ctx: Context, account: TokenOwner): Promise<Question> => ({
  title: "Is this your account?",
  text: `${await describeAccount(ctx, account)} If you created it, confirm it: after that you can invite people, and you join the projects that you are invited to.`,
  button: "Yes, it is mine",
  aside: `<p class="aside">If you did not create it, do not press the button. ${passwordLink(ctx, account.email)}: ${YOURS_THEN}</p>`,
});

const PROVEN: NoticePage = {
  title: "Your address is verified.",
  more: "<p>You can now invite people, and you have joined the projects that you were invited to.</p>",
};

const VERIFIED: NoticePage = {
  title: "Your address is verified.",
  more: "<p>You are not logged in to the account in this browser. Before you can invite people, log in and press the button in the mail again in the same browser.</p>",
};

const logInFirst = (ctx: Context, { email }: TokenOwner): NoticePage => ({
  title: "Log in first",
  more: `<p>Your address is verified. To confirm that the account is yours, log in to it and then open the link in the mail in the same browser.</p>
<p class="aside">Did you not create the account? ${passwordLink(ctx, email)}: ${YOURS_THEN}</p>`,
});

/** Sends the mail again. */
export const askForVerification = (given: URLSearchParams): FormPage => ({
  title: "Is your address verified?",
  text: "If not, we will send a mail with the verification link to it.",
  fields: addressField(given),
  button: "Send the mail",
  async act(ctx, _, { request, server }) {
    await requestVerification(ctx, addressOf(given), clientNetwork(ctx, request, server));
    return { title: "If this address has an account and is not verified yet, a mail is on its way." };
  },
});

/** Offers to remove an account that somebody else has made. */
export async function disown(ctx: Context, given: URLSearchParams): Promise<FormPage | NoticePage> {
  const token = given.get("token") ?? "";
  const account = await findOwner(ctx, token, "REMOVE_ACCOUNT");
  if (!account) {
    return deadLink(
      `If you removed the account, it is gone. If not: ${passwordLink(ctx, undefined, "reset the password by mail")}; ${YOURS_THEN}`,
    );
  }
  if (account.emailVerifiedAt !== null) return await disownLate(ctx, given, account);
  const fates = told(await projectFates(ctx, account.id)) ?? "It has no projects.";
  return {
    title: "This was not me",
    text: `${accountSince(account)} If you did not create it, you can remove it with all its sessions. This cannot be undone. ${fates}`,
    fields: hidden("token", given),
    button: "Remove the account",
    aside: `<p class="aside">To keep its contents: ${passwordLink(ctx, account.email)}; ${YOURS_THEN}</p>`,
    async act() {
      const became = told(await disownAccount(ctx, token));
      return {
        title: "The account has been removed.",
        more: `${became === null ? "" : `<p>${escapeHtml(became)}</p>\n`}<p>There is no account with your address any more. You can create one at any time.</p>`,
      };
    },
  };
}

/** What will happen to the projects, or has happened; null if there are none. */
function told({ deleted, goOn, disabled }: ProjectFates): string | null {
  const fates = [
    ["Deleted", deleted],
    ["Continues", goOn],
    ["Disabled, because no owner or admin is left", disabled],
  ] as const;
  const lines = fates.flatMap(([what, names]) =>
    names.length > 0 ? [`${what}: ${shownNames(names)}.`] : [],
  );
  return lines.length > 0 ? lines.join(" ") : null;
}

/**
 * For an account that somebody has confirmed as theirs: it is not removed, but can still be taken over by the owner of
 * its mailbox.
 */
async function disownLate(ctx: Context, given: URLSearchParams, account: TokenOwner): Promise<FormPage> {
  return {
    title: "This was not me",
    text: `${await describeAccount(ctx, account)} Somebody with access to its mail has confirmed that it is theirs, so it can no longer be removed. You can still reset its password: that makes the account yours, ends everybody else's access, and deletes nothing.`,
    fields: `${hidden("token", given)}\n<input type="hidden" name="email" value="${escapeHtml(account.email)}">`,
    button: "Reset the password by mail",
    async act(_, asked, { request, server }) {
      // The form was loaded before that confirmation.
      if (!asked.has("email")) throw problems.accountVerified();
      await requestPasswordReset(ctx, account.email, clientNetwork(ctx, request, server));
      return { title: "A mail is on its way." };
    },
  };
}
