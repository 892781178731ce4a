// Who may see the inbox: the operator all of it, members that of their project.
import { createHash, timingSafeEqual } from "node:crypto";
import { findSession } from "../../accounts/people/sessions.ts";
import type { Context } from "../../context.ts";
import { isProduction } from "../../config/mod.ts";
import { problems } from "../../problem/mod.ts";
import { assertNoOtherPage, namedSession, sessionToken } from "../entry/session.ts";

const OWN_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Who the page of the inbox is for. */
export type InboxVisitor = "operator" | "member";

/**
 * Whether a request is the operator's, who sees the mails of all projects: in production a caller with the `SECRET_KEY` as
 * the password (HTTP Basic, any user), otherwise one that names this machine or the host of `BASE_URL` and does not act as
 * a member of a project. A service that sends its mail has no such view. Throws for a wrong password, where neither a
 * key nor a session is given, and for a change that another page asks for.
 */
export function isOperator(ctx: Context, request: Request): boolean {
  if (ctx.config.SMTP_URL) return false;
  const authorization = request.headers.get("authorization");
  const isBasic = authorization !== null && /^basic\b/i.test(authorization.trim());
  if (authorization !== null && !isBasic) return false;
  if (!isBasic && isMember(ctx, request)) return false;
  if (isProduction(ctx.config)) assertPassword(ctx, authorization);
  else assertOwnHost(ctx, request);
  if (request.method !== "GET" && request.method !== "HEAD") assertNoOtherPage(ctx, request);
  return true;
}

/**
 * For whom the page is to be made. In production members see it with a session, the operator with the
 * password. Throws if it is for neither.
 */
export async function inboxVisitorOf(ctx: Context, request: Request): Promise<InboxVisitor> {
  if (!isProduction(ctx.config)) assertOwnHost(ctx, request);
  else if (request.headers.get("authorization") === null && (await hasSession(ctx, request))) return "member";
  else assertPassword(ctx, request.headers.get("authorization"));
  return "operator";
}

/** A session says little in development, where the inbox is open: one that names its project means it. */
function isMember(ctx: Context, request: Request): boolean {
  const namesProject = request.headers.has("x-project-id") || /[?&]projectId=/.test(request.url);
  const hasCookie = sessionToken(ctx, request.headers.get("cookie") ?? undefined) !== null;
  return hasCookie && (namesProject || isProduction(ctx.config));
}

async function hasSession(ctx: Context, request: Request): Promise<boolean> {
  const id = await namedSession(ctx, request);
  return id !== null && (await findSession(ctx, id, null)) !== null;
}

function assertPassword({ config }: Context, authorization: string | null): void {
  const password = basicPassword(authorization);
  if (password === null || !isSame(password, config.SECRET_KEY)) throw problems.inboxPasswordRequired();
}

function assertOwnHost({ config }: Context, request: Request): void {
  // Bun derives it from the `Host` header.
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
