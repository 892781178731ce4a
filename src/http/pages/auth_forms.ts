// The pages that the links of account mails lead to, for installations without a dashboard.
import { Elysia } from "elysia";
import { findOwner } from "../../accounts/people/tokens.ts";
import { isInvitationToken } from "../../accounts/projects/invitations.ts";
import { requestPasswordReset, resetPassword } from "../../accounts/people/log_in.ts";
import { isForAccount, signUp } from "../../accounts/people/sign_up.ts";
import type { Context } from "../../context.ts";
import { parseAddress } from "../../mail/address.ts";
import {
  addressField,
  addressOf,
  deadLink,
  hidden,
  NEW_PASSWORD,
  newPasswordByMail,
  OWN_PASSWORD,
  passwordLink,
  passwordOf,
} from "./_auth_fields.ts";
import { clientNetwork } from "../entry/client_network.ts";
import { type Form, formRoutes, type FormVisit, type Notice } from "./form_pages.ts";
import { askForVerification, disown, verify } from "./owner_pages.ts";
import { namedSession, setSessionCookie } from "../entry/session.ts";

/** The pages below `/auth`, and what their forms send. */
export function authPageRoutes(ctx: Context) {
  return new Elysia()
    .use(formRoutes(ctx, "/auth/verify-email", verify))
    .use(formRoutes(ctx, "/auth/request-verification", (_, given) => askForVerification(given)))
    .use(formRoutes(ctx, "/auth/not-me", disown))
    .use(formRoutes(ctx, "/auth/reset-password", reset))
    .use(formRoutes(ctx, "/auth/request-password-reset", (_, given) => askForReset(given)))
    .use(formRoutes(ctx, "/auth/signup", signUpForm));
}

async function reset(ctx: Context, given: URLSearchParams): Promise<Form | Notice> {
  const token = given.get("token") ?? "";
  const account = await findOwner(ctx, token, "RESET_PASSWORD");
  if (!account)
    return deadLink(`If you still need one: ${passwordLink(ctx, undefined, "get a new password by mail")}.`);
  return {
    title: "A new password",
    text: `For the account of ${account.email}. It takes the place of the old one, and every session ends.`,
    fields: `${hidden("token", given)}\n${NEW_PASSWORD}`,
    button: "Set the password",
    async act(_, __, { request, server }) {
      const newPassword = passwordOf(given);
      await resetPassword(ctx, { token, newPassword }, clientNetwork(ctx, request, server));
      return { title: "Your password is changed: log in with it." };
    },
  };
}

const askForReset = (given: URLSearchParams): Form => ({
  title: "A new password",
  text: "A mail with the way to it goes to this address.",
  fields: addressField(given),
  button: "Send the mail",
  async act(ctx, _, { request, server }) {
    await requestPasswordReset(ctx, addressOf(given), clientNetwork(ctx, request, server));
    return { title: "If there is an account with this address, a mail is on its way." };
  },
});

/** By an invitation or without one. One that counts no more makes no account: whoever came by it wants to join. */
async function signUpForm(ctx: Context, given: URLSearchParams): Promise<Form | Notice> {
  const token = given.get("invitation") || null;
  if (token === null) return newcomer(ctx, given);
  const email = parseAddress(given.get("email") ?? "")?.email ?? "";
  if (await isForAccount(ctx, email, token)) return joiner(ctx, given);
  return (await isInvitationToken(ctx, email, token)) ? invited(given) : deadInvitation(ctx, given);
}

const newcomer = (ctx: Context, given: URLSearchParams): Form => ({
  title: "Sign up",
  text: "With your address and a password you have an account.",
  fields: `${addressField(given)}\n${NEW_PASSWORD}`,
  button: "Sign up",
  aside: `<p class="aside">You have an account, and lost its password? ${passwordLink(ctx, given.get("email") ?? undefined)}.</p>`,
  async act(_, asked, visit) {
    await enter(ctx, asked, visit);
    return {
      title: "You have an account now, and are logged in.",
      ...(ctx.config.PLATFORM_FROM && { more: "<p>A mail asks whether the address is yours.</p>" }),
    };
  },
});

const invited = (given: URLSearchParams): Form => ({
  title: "Sign up",
  text: "With this address you join the project at once.",
  fields: `${hidden("invitation", given)}\n${addressField(given, { fixed: true })}\n${NEW_PASSWORD}`,
  button: "Sign up",
  async act(ctx, _, visit) {
    await enter(ctx, given, visit);
    return { title: "You have an account now, and are logged in.", more: "<p>You are in the project.</p>" };
  },
});

const joiner = (ctx: Context, given: URLSearchParams): Form => ({
  title: "Join the project",
  text: "There is an account with this address already. Give its password to join with it.",
  fields: `${hidden("invitation", given)}\n${addressField(given, { fixed: true })}\n${OWN_PASSWORD}`,
  button: "Join",
  aside: newPasswordByMail(ctx, given.get("email") ?? "", "With the new password you have joined."),
  async act(_, __, visit) {
    await enter(ctx, given, visit);
    return { title: "You have joined, and are logged in." };
  },
});

const deadInvitation = (ctx: Context, given: URLSearchParams): Notice => ({
  title: "This invitation was used, withdrawn, or is too old",
  more: `<p>Ask for a new one.</p>
<p>If you have used it yourself, you are in the project: log in. You have lost the password? ${passwordLink(ctx, given.get("email") ?? undefined)}.</p>`,
  status: 400,
});

async function enter(ctx: Context, given: URLSearchParams, { request, server, set }: FormVisit) {
  const origin = {
    network: clientNetwork(ctx, request, server),
    invitationToken: given.get("invitation") || undefined,
    replaces: await namedSession(ctx, request),
  };
  const { session } = await signUp(ctx, { email: addressOf(given), password: passwordOf(given) }, origin);
  await setSessionCookie(ctx, set, session);
}
