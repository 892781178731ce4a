// The page that the mail to a new address links to.
import { changeEmail } from "../../accounts/people/email_change.ts";
import { isSessionOf } from "../../accounts/people/sessions.ts";
import { findOwner } from "../../accounts/people/tokens.ts";
import type { Context } from "../../context.ts";
import { deadLink, hidden, OWN_PASSWORD } from "./_auth_fields.ts";
import { clientNetwork } from "../entry/client_network.ts";
import type { FormPage, FormVisit, NoticePage } from "./form_pages.ts";
import { escapeHtml } from "./html.ts";
import { namedSession } from "../entry/session.ts";

/** Asks whether the account should get this address, and for its password where the browser is not logged in to it. */
export async function confirmEmail(
  ctx: Context,
  given: URLSearchParams,
  { request, server }: FormVisit,
): Promise<FormPage | NoticePage> {
  const token = given.get("token") ?? "";
  const account = await findOwner(ctx, token, "CHANGE_EMAIL");
  if (!account)
    return deadLink(
      "If you still want to change the address of your account, request it again in the settings of the account.",
    );
  const sessionId = await namedSession(ctx, request);
  const isOwn = sessionId !== null && (await isSessionOf(ctx, sessionId, account.id));
  if (!isOwn && !account.hasPassword) return LOG_IN_FIRST;
  const { email, newEmail } = account;
  return {
    title: "Is this your new address?",
    text: `The account ${email} will get the address ${newEmail}: mails about the account go there, and you log in with it.${isOwn ? "" : " You are not logged in to that account in this browser, so enter its password."}`,
    fields: isOwn ? hidden("token", given) : `${hidden("token", given)}\n${OWN_PASSWORD}`,
    button: "Use this address",
    async act() {
      const password = isOwn ? undefined : (given.get("password") ?? "");
      const network = clientNetwork(ctx, request, server);
      const changed = await changeEmail(ctx, token, { sessionId, password, network });
      return {
        title: "The address has been changed.",
        more: `<p>Log in with ${escapeHtml(changed.email)} from now on.</p>`,
      };
    },
  };
}

const LOG_IN_FIRST: NoticePage = {
  title: "Log in first",
  more: "<p>Log in to your account, then open the link in the mail in the same browser.</p>",
};
