// Who may look into the inbox, and who may empty it.
import { createHash, timingSafeEqual } from "node:crypto";
import type { Context } from "../../context.ts";
import { isProduction } from "../../config.ts";
import { problems } from "../../problem.ts";

const OWN_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * In production, throws unless the request has the `SECRET_KEY` as its password (HTTP Basic, any user). Otherwise
 * throws unless it names this machine or the host of `BASE_URL`: another page may have pointed its own name here (DNS
 * rebinding), and could then read whatever its browser can reach.
 */
export function assertMayRead(ctx: Context, request: Request): void {
  if (!isProduction(ctx.config)) return assertOwnHost(ctx, request);
  const password = basicPassword(request.headers.get("authorization"));
  if (password === null || !isSame(password, ctx.config.SECRET_KEY)) throw problems.inboxPasswordRequired();
}

function assertOwnHost({ config }: Context, request: Request): void {
  // Bun makes it of the `Host` header.
  const { hostname } = new URL(request.url);
  if (!OWN_HOSTS.has(hostname) && hostname !== new URL(config.BASE_URL).hostname) throw problems.otherHost();
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
