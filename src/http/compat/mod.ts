// /compat: the sending part of other providers' APIs, so that their SDKs work with this service unchanged.
import { Elysia } from "elysia";
import type { Context } from "../../context.ts";
import type { Problem } from "../../problem/mod.ts";
import { resendError, resendRoutes } from "./resend.ts";

/** Each provider, by the segment of the path behind `/compat/`. */
const ERRORS: Readonly<Record<string, (problem: Problem) => object>> = {
  resend: resendError,
};

/** Everything below `/compat`. */
export function compatRoutes(ctx: Context) {
  return new Elysia().use(resendRoutes(ctx));
}

/** A refusal in the shape of the provider whose API was asked; null for all other paths. */
export function compatError(path: string, problem: Problem): object | null {
  const provider = /^\/compat\/([a-z]+)(\/|$)/.exec(path)?.[1] ?? "";
  return Object.hasOwn(ERRORS, provider) ? ERRORS[provider]!(problem) : null;
}
