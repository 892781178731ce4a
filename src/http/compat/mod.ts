// /compat: the sending part of other providers' APIs, so that their SDKs work with this service unchanged.
import { Elysia } from "elysia";
import type { Context } from "../../context.ts";
import type { Problem } from "../../problem/mod.ts";
import type { ForeignRefusal } from "../entry/problems.ts";
import { mailgunError, mailgunRoutes } from "./mailgun.ts";
import { postmarkRoutes } from "./postmark.ts";
import { postmarkError } from "./_postmark_errors.ts";
import { resendError, resendRoutes } from "./resend.ts";
import { sendgridError, sendgridRoutes } from "./sendgrid.ts";

/** Each provider, by the segment of the path behind `/compat/`. */
const ERRORS: Readonly<Record<string, (problem: Problem) => ForeignRefusal>> = {
  mailgun: mailgunError,
  postmark: postmarkError,
  resend: resendError,
  sendgrid: sendgridError,
};

/** Everything below `/compat`. */
export function compatRoutes(ctx: Context) {
  return new Elysia()
    .use(resendRoutes(ctx))
    .use(sendgridRoutes(ctx))
    .use(postmarkRoutes(ctx))
    .use(mailgunRoutes(ctx));
}

/** A refusal in the shape of the provider whose API was asked; null for all other paths. */
export function compatError(path: string, problem: Problem): ForeignRefusal | null {
  const provider = /^\/compat\/([a-z]+)(\/|$)/.exec(path)?.[1] ?? "";
  return Object.hasOwn(ERRORS, provider) ? ERRORS[provider]!(problem) : null;
}
