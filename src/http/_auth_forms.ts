// The pages that the links of account mails lead to, for installations without a dashboard.
import { Elysia } from "elysia";
import { requestPasswordReset, resetPassword } from "../accounts/log_in.ts";
import { PASSWORD_LENGTH } from "../accounts/passwords.ts";
import { isForAccount, signUp, verifyEmail } from "../accounts/sign_up.ts";
import { type Account, accountToDisown, disownAccount } from "../accounts/user_removal.ts";
import type { Context } from "../context.ts";
import { parseAddress } from "../mail/address.ts";
import { Problem, problems } from "../problem.ts";
import { describeAccount } from "../sending/account_mails.ts";
import { clientNetwork } from "./_client_network.ts";
import { type Form, formRoutes, type FormVisit, pathOf } from "./_form_pages.ts";
import { escapeHtml } from "./_html.ts";
import { namedSession, setSessionCookie } from "./_session.ts";

const { min: MIN, max: MAX } = PASSWORD_LENGTH;

const NEW_PASSWORD = `<label class="field">Password, of ${MIN} characters or more
<input type="password" name="password" required minlength="${MIN}" maxlength="${MAX}" autocomplete="new-password"></label>`;

/** For the password of an account that is there. */
export const OWN_PASSWORD = `<label class="field">Its password
<input type="password" name="password" required maxlength="${MAX}" autocomplete="current-password"></label>`;

const hidden = (name: string, given: URLSearchParams) =>
  `<input type="hidden" name="${name}" value="${escapeHtml(given.get(name) ?? "")}">`;

const addressField = (given: URLSearchParams) => `<label class="field">Address
<input type="email" name="email" required maxlength="254" autocomplete="username" value="${escapeHtml(given.get("email") ?? "")}"></label>`;

/** For who cannot give the password of the account with this address. `then` says what follows. HTML. */
export function newPasswordByMail(ctx: Context, email: string, then: string): string {
  const address = pathOf(ctx, `/auth/request-password-reset?email=${encodeURIComponent(email)}`);
  return `<p class="aside">You have lost it, or you did not make that account? <a href="${escapeHtml(address)}">Get a new password by mail</a>: the account is yours then, and whoever else was in it is shut out. ${escapeHtml(then)}</p>`;
}

const reset = (given: URLSearchParams): Form => ({
  title: "A new password",
  text: "It takes the place of the old one, and every session ends.",
  fields: `${hidden("token", given)}\n${NEW_PASSWORD}`,
  button: "Set the password",
  act: (ctx, _, { request, server }) =>
    resetPassword(
      ctx,
      { token: given.get("token") ?? "", newPassword: passwordOf(given) },
      clientNetwork(ctx, request, server),
    ),
  done: "Your password is changed: log in with it.",
});

const askForReset = (given: URLSearchParams): Form => ({
  title: "A new password",
  text: "A mail with the way to it goes to this address.",
  fields: addressField(given),
  button: "Send the mail",
  act: (ctx, _, { request, server }) =>
    requestPasswordReset(ctx, addressOf(given), clientNetwork(ctx, request, server)),
  done: "If there is an account with this address, a mail is on its way.",
});

const verify = (given: URLSearchParams): Form => ({
  title: "Is this your address?",
  text: "If it was you who made an account with it, say so. The address is verified by that, and nothing else changes: whoever made the account keeps it. If it was not you, follow the other link of the mail instead.",
  fields: hidden("token", given),
  button: "Yes, it was me",
  act: async (ctx, _, { request }) =>
    await verifyEmail(ctx, given.get("token") ?? "", await namedSession(ctx, request)),
  done: "Your address is verified.",
});

async function disown(ctx: Context, given: URLSearchParams): Promise<Form> {
  const token = given.get("token") ?? "";
  const account = await accountToDisown(ctx, token).catch((error) => {
    if (error instanceof Problem) return null;
    throw error;
  });
  if (account && account.emailVerifiedAt !== null) return await disownLate(ctx, given, account);
  const which = account ? `${await describeAccount(ctx, account)} ` : "";
  return {
    title: "This was not me",
    text: `${which}If you did not make this account, it can be removed, with its sessions and the projects that nobody else is in. It cannot be undone.`,
    fields: hidden("token", given),
    button: "Remove the account",
    aside: `<p class="aside">The link is too old? <a href="${escapeHtml(pathOf(ctx, "/auth/request-password-reset"))}">Get a new password by mail</a>: the account is yours then, and whoever made it is shut out.</p>`,
    act: async () => await disownAccount(ctx, token),
    done: "The account is removed.",
    afterwards: "<p>Nobody has an account with your address now. You may make one whenever you like.</p>",
  };
}

/** For an account of which somebody has said that it is theirs: it is not removed, but still given to who reads its mail. */
async function disownLate(ctx: Context, given: URLSearchParams, account: Account): Promise<Form> {
  return {
    title: "This was not me",
    text: `${await describeAccount(ctx, account)} Somebody who reads its mail has said that it is theirs, so it is not removed any more. With a new password it is yours all the same: whoever else was in it is shut out, and nothing is deleted.`,
    fields: `${hidden("token", given)}\n<input type="hidden" name="email" value="${escapeHtml(account.email)}">`,
    button: "Get a new password by mail",
    act: async (_, asked, { request, server }) => {
      // Sent by the page as it was before somebody said so.
      if (!asked.has("email")) throw problems.accountVerified();
      await requestPasswordReset(ctx, account.email, clientNetwork(ctx, request, server));
    },
    done: "A mail is on its way.",
  };
}

const enter = async (ctx: Context, given: URLSearchParams, { request, server, set }: FormVisit) => {
  const origin = {
    network: clientNetwork(ctx, request, server),
    invitationToken: given.get("invitation") || undefined,
    replaces: await namedSession(ctx, request),
  };
  const { session } = await signUp(ctx, { email: addressOf(given), password: passwordOf(given) }, origin);
  await setSessionCookie(ctx, set, session);
};

const newcomer = (given: URLSearchParams): Form => ({
  title: "Sign up",
  text: "With the address that was invited you join the project at once.",
  fields: `${hidden("invitation", given)}\n${addressField(given)}\n${NEW_PASSWORD}`,
  button: "Sign up",
  act: enter,
  done: "You have an account now, and are logged in.",
});

const joiner = (ctx: Context, given: URLSearchParams): Form => ({
  title: "Join the project",
  text: "There is an account with this address already. Give its password to join with it.",
  fields: `${hidden("invitation", given)}\n${addressField(given)}\n${OWN_PASSWORD}`,
  button: "Join",
  aside: newPasswordByMail(ctx, given.get("email") ?? "", "With the new password you have joined."),
  act: enter,
  done: "You have joined, and are logged in.",
});

/** The pages below `/auth`, and what their forms send. */
export function authPageRoutes(ctx: Context) {
  return new Elysia()
    .use(formRoutes(ctx, "/auth/verify-email", (_, given) => verify(given)))
    .use(formRoutes(ctx, "/auth/not-me", disown))
    .use(formRoutes(ctx, "/auth/reset-password", (_, given) => reset(given)))
    .use(formRoutes(ctx, "/auth/request-password-reset", (_, given) => askForReset(given)))
    .use(formRoutes(ctx, "/auth/signup", signUpForm));
}

async function signUpForm(ctx: Context, given: URLSearchParams): Promise<Form> {
  const email = parseAddress(given.get("email") ?? "")?.email;
  const token = given.get("invitation");
  const isJoining = email !== undefined && token !== null && (await isForAccount(ctx, email, token));
  return isJoining ? joiner(ctx, given) : newcomer(given);
}

function addressOf(given: URLSearchParams): string {
  const email = parseAddress(given.get("email") ?? "")?.email;
  if (!email) throw problems.badRequest("Cannot use this address");
  return email;
}

function passwordOf(given: URLSearchParams): string {
  const password = given.get("password") ?? "";
  if (password.length >= MIN && password.length <= MAX) return password;
  throw problems.badRequest(`Cannot use this password: it has to have ${MIN} to ${MAX} characters`);
}
