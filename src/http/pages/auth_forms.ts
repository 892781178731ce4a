// The pages that the links of account mails lead to, for installations without a dashboard.
import { Elysia } from "elysia";
import { findOwner } from "../../accounts/people/tokens.ts";
import { isInvitationToken } from "../../accounts/projects/invitations.ts";
import { requestPasswordReset, resetPassword } from "../../accounts/people/log_in.ts";
import { isForAccount, signUp } from "../../accounts/people/sign_up.ts";
import { dashboardAddress, isProduction } from "../../config/mod.ts";
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
import { type FormPage, formRoutes, type FormVisit, type NoticePage } from "./form_pages.ts";
import { confirmEmail } from "./email_change_page.ts";
import { start } from "./start_page.ts";
import { leadToFactor, twoFactorPageRoutes } from "./two_factor_page.ts";
import { askForVerification, disown, verify } from "./owner_pages.ts";
import { setSessionCookie, visitorOf } from "../entry/session.ts";

/** The pages below `/auth`, and what their forms send. */
export function authPageRoutes(ctx: Context) {
  const app = new Elysia();
  // It is of no use to visitors of a public server.
  if (!isProduction(ctx.config)) app.use(formRoutes(ctx, "/auth/start", start));
  return app
    .use(formRoutes(ctx, "/auth/verify-email", verify))
    .use(formRoutes(ctx, "/auth/request-verification", (_, given) => askForVerification(given)))
    .use(formRoutes(ctx, "/auth/not-me", disown))
    .use(formRoutes(ctx, "/auth/change-email", confirmEmail))
    .use(formRoutes(ctx, "/auth/reset-password", reset))
    .use(formRoutes(ctx, "/auth/request-password-reset", (_, given) => askForReset(given)))
    .use(formRoutes(ctx, "/auth/signup", signUpForm))
    .use(twoFactorPageRoutes(ctx));
}

async function reset(ctx: Context, given: URLSearchParams): Promise<FormPage | NoticePage> {
  const token = given.get("token") ?? "";
  const account = await findOwner(ctx, token, "RESET_PASSWORD");
  if (!account)
    return deadLink(
      `If you still need a new password: ${passwordLink(ctx, undefined, "reset the password by mail")}.`,
    );
  return {
    title: "A new password",
    text: `For the account ${account.email}. It replaces the old password and ends every session.`,
    fields: `${hidden("token", given)}\n${NEW_PASSWORD}`,
    button: "Set the password",
    async act(_, __, { request, server }) {
      const newPassword = passwordOf(given);
      await resetPassword(ctx, { token, newPassword }, clientNetwork(ctx, request, server));
      return { title: "Your password has been changed: log in with it." };
    },
  };
}

const askForReset = (given: URLSearchParams): FormPage => ({
  title: "A new password",
  text: "We will send a link to this address.",
  fields: addressField(given),
  button: "Send the mail",
  async act(ctx, _, { request, server }) {
    await requestPasswordReset(ctx, addressOf(given), clientNetwork(ctx, request, server));
    return { title: "If there is an account with this address, a mail is on its way." };
  },
});

/** With an invitation or without one. An invalid invitation creates no account: its visitor wants to join. */
async function signUpForm(ctx: Context, given: URLSearchParams): Promise<FormPage | NoticePage> {
  const token = given.get("invitation") || null;
  if (token === null) return newcomer(ctx, given);
  const email = parseAddress(given.get("email") ?? "")?.email ?? "";
  if (await isForAccount(ctx, email, token)) return joiner(ctx, given);
  return (await isInvitationToken(ctx, email, token)) ? invited(given) : deadInvitation(ctx, given);
}

const newcomer = (ctx: Context, given: URLSearchParams): FormPage => ({
  title: "Sign up",
  text: "All you need is an address and a password.",
  fields: `${addressField(given)}\n${NEW_PASSWORD}`,
  button: "Sign up",
  aside: `<p class="aside">Have you lost the password of your account? ${passwordLink(ctx, given.get("email") ?? undefined)}.</p>`,
  async act(_, asked, visit) {
    await enter(ctx, asked, visit);
    return {
      title: "Your account has been created, and you are logged in.",
      ...(ctx.config.PLATFORM_FROM && { more: "<p>We have sent you a mail to verify the address.</p>" }),
    };
  },
});

const invited = (given: URLSearchParams): FormPage => ({
  title: "Sign up",
  text: "With this address you join the project at once.",
  fields: `${hidden("invitation", given)}\n${addressField(given, { fixed: true })}\n${NEW_PASSWORD}`,
  button: "Sign up",
  async act(ctx, _, visit) {
    await enter(ctx, given, visit);
    return {
      title: "Your account has been created, and you are logged in.",
      more: "<p>You have joined the project.</p>",
    };
  },
});

const joiner = (ctx: Context, given: URLSearchParams): FormPage => ({
  title: "Join the project",
  text: "There is already an account with this address. Enter its password to join.",
  fields: `${hidden("invitation", given)}\n${addressField(given, { fixed: true })}\n${OWN_PASSWORD}`,
  button: "Join",
  aside: newPasswordByMail(ctx, given.get("email") ?? "", "Setting the new password also joins the project."),
  async act(_, __, visit) {
    try {
      await enter(ctx, given, visit);
    } catch (error) {
      const step = leadToFactor(ctx, error, visit, dashboardAddress(ctx.config));
      if (step) return step;
      throw error;
    }
    return { title: "You have joined, and are logged in." };
  },
});

const deadInvitation = (ctx: Context, given: URLSearchParams): NoticePage => ({
  title: "This invitation has been used or withdrawn, or has expired",
  more: `<p>Ask for a new one.</p>
<p>If you used it yourself, you are in the project: log in. Have you lost the password? ${passwordLink(ctx, given.get("email") ?? undefined)}.</p>`,
  status: 400,
});

async function enter(ctx: Context, given: URLSearchParams, { request, server, set }: FormVisit) {
  const origin = {
    ...(await visitorOf(ctx, request, server)),
    invitationToken: given.get("invitation") || undefined,
  };
  const { session } = await signUp(ctx, { email: addressOf(given), password: passwordOf(given) }, origin);
  await setSessionCookie(ctx, set, session);
}
