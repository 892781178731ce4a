// What the pages of an account have in common: their fields, the link to a password reset, and links that have expired.
import { PASSWORD_LENGTH } from "../../accounts/people/passwords.ts";
import type { Context } from "../../context.ts";
import { parseAddress } from "../../mail/address.ts";
import { problems } from "../../problem/mod.ts";
import { type NoticePage, pathOf } from "./form_pages.ts";
import { escapeHtml } from "./html.ts";

const { min: MIN, max: MAX } = PASSWORD_LENGTH;

/** For a password that is chosen now. */
export const NEW_PASSWORD = `<label class="field">Password of ${MIN} characters or more
<input type="password" name="password" required minlength="${MIN}" maxlength="${MAX}" autocomplete="new-password"></label>`;

/** For the password of an existing account. */
export const OWN_PASSWORD = `<label class="field">Its password
<input type="password" name="password" required maxlength="${MAX}" autocomplete="current-password"></label>`;

/** Sends a parameter of the address along with the form. */
export const hidden = (name: string, given: URLSearchParams) =>
  `<input type="hidden" name="${name}" value="${escapeHtml(given.get(name) ?? "")}">`;

/** An address; `fixed`: it cannot be changed. */
export const addressField = (given: URLSearchParams, { fixed = false } = {}) => `<label class="field">Address
<input type="email" name="email" required maxlength="254" autocomplete="username" value="${escapeHtml(given.get("email") ?? "")}"${fixed ? " readonly" : ""}></label>`;

/** A link to the page that requests a new password. HTML. */
export function passwordLink(ctx: Context, email?: string, text = "Reset the password by mail"): string {
  const query = email === undefined ? "" : `?email=${encodeURIComponent(email)}`;
  return `<a href="${escapeHtml(pathOf(ctx, `/auth/request-password-reset${query}`))}">${text}</a>`;
}

/** For somebody who cannot enter the password of the account with this address. `then` says what follows. HTML. */
export function newPasswordByMail(ctx: Context, email: string, then: string): string {
  return `<p class="aside">Have you lost it, or did you not create that account? ${passwordLink(ctx, email)}: that makes the account yours and ends everybody else's access. ${escapeHtml(then)}</p>`;
}

/** Shown in place of a form that could only be refused. `instead` is HTML. */
export function deadLink(instead: string): NoticePage {
  return { title: "This link has been used or has expired", more: `<p>${instead}</p>`, status: 400 };
}

/** The address sent by a form. Throws 400 for anything else. */
export function addressOf(given: URLSearchParams): string {
  const email = parseAddress(given.get("email") ?? "")?.email;
  if (!email) throw problems.badRequest("Cannot use this address");
  return email;
}

/** The password that a form has sent. Throws 400 for one that is too short or too long. */
export function passwordOf(given: URLSearchParams): string {
  const password = given.get("password") ?? "";
  if (password.length >= MIN && password.length <= MAX) return password;
  throw problems.badRequest(`Cannot use this password: it must have ${MIN} to ${MAX} characters`);
}
