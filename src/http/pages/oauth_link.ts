// /oauth/:provider/link: somebody who has signed in at a provider enters the password of the account with their
// address.
import { finishLink, LINK_S, openLink, type PendingLink } from "../../accounts/people/oauth/links.ts";
import type { Provider } from "../../accounts/people/oauth/providers.ts";
import type { Context } from "../../context.ts";
import { newPasswordByMail, OWN_PASSWORD } from "./_auth_fields.ts";
import { type FormPage, formRoutes, pathOf } from "./form_pages.ts";
import { leadOn, letIn } from "./two_factor_page.ts";
import { addCookie, type Answering, ownCookie, visitorOf } from "../entry/session.ts";

/** Has the browser keep what is to be linked, and returns the path of the page that asks for the password. */
export function askForPassword(ctx: Context, set: Answering, provider: Provider, link: string): string {
  addCookie(ctx, set, cookieName(ctx, provider), link, LINK_S);
  return pathOf(ctx, `/oauth/${provider.name}/link`);
}

/** The page that asks, and what its form sends. `providerOf` throws if there is none of this name. */
export function linkRoutes(ctx: Context, providerOf: (name: string) => Provider) {
  return formRoutes(ctx, "/oauth/:provider/link", (_, _given, { request, params }) => {
    const provider = providerOf(params.provider ?? "");
    const cookies = new Bun.CookieMap(request.headers.get("cookie") ?? "");
    return linkForm(ctx, provider, openLink(ctx, provider, cookies.get(cookieName(ctx, provider))));
  });
}

function linkForm(ctx: Context, provider: Provider, pending: PendingLink): FormPage {
  const { email, returnTo } = pending;
  const { title: name } = provider;
  return {
    title: "Is this your account?",
    text: `There is already an account with the address ${email}. Enter its password: after that you can also log in to it with ${name}.`,
    fields: OWN_PASSWORD,
    button: "Log in",
    aside: newPasswordByMail(ctx, email, `After that, sign in with ${name} again.`),
    async act(_, given, { request, server, set }) {
      const visitor = await visitorOf(ctx, request, server);
      const admission = await finishLink(ctx, pending, given.get("password") ?? "", visitor);
      addCookie(ctx, set, cookieName(ctx, provider), "", 0);
      const isIn = "session" in admission;
      return leadOn(set, await letIn(ctx, set, admission, returnTo), isIn ? undefined : "One more step");
    },
  };
}

function cookieName(ctx: Context, { name }: Provider): string {
  return ownCookie(ctx, `postrider_link_${name}`);
}
