// Who may look into the inbox, and who may empty it.
import { createHash, timingSafeEqual } from "node:crypto";
import type { Context } from "../context.ts";
import { isProduction } from "../config.ts";
import { Problem } from "../problem.ts";

const passwordRequired = () =>
  new Problem(401, "MISSING_AUTH", "Cannot show the inbox without its password", {
    suggestion: "Sign in with any user name and the SECRET_KEY as the password",
    headers: { "www-authenticate": 'Basic realm="Postrider inbox", charset="UTF-8"' },
  });

const otherOrigin = () =>
  new Problem(403, "FORBIDDEN", "Cannot change the inbox from a page of another origin");

/** In production, throws unless the request brings the `SECRET_KEY` as its password (HTTP Basic, any user). */
export function assertMayRead(ctx: Context, request: Request): void {
  if (!isProduction(ctx.config)) return;
  const password = basicPassword(request.headers.get("authorization"));
  if (password === null || !isSame(password, ctx.config.SECRET_KEY)) throw passwordRequired();
}

/**
 * Throws when a browser sends the request for a page that is not ours. Without `Sec-Fetch-Site` and `Origin` it comes
 * from no browser, so nobody's password was borrowed for it.
 */
export function assertSameOrigin(ctx: Context, request: Request): void {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  if (site !== null) {
    if (site !== "same-origin") throw otherOrigin();
  } else if (origin !== null) {
    const own = [new URL(request.url).origin, new URL(ctx.config.BASE_URL).origin];
    if (!own.includes(origin)) throw otherOrigin();
  }
}

function basicPassword(header: string | null): string | null {
  const token = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header?.trim() ?? "")?.[1];
  if (token === undefined) return null;
  const pair = Buffer.from(token, "base64").toString();
  return pair.includes(":") ? pair.slice(pair.indexOf(":") + 1) : null;
}

function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
