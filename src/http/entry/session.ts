// The session cookie: a signed token that names a session. Whether that session is still valid is in its row.
import { createSecretKey } from "node:crypto";
import { jwt } from "@elysiajs/jwt";
import { derivedKey } from "../../accounts/secrets.ts";
import { SESSION_MS, type Visitor } from "../../accounts/people/sessions.ts";
import { createCache } from "../../cache.ts";
import { dashboardOrigins } from "../../config/mod.ts";
import { type Context, perService } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { clientNetwork, type KnowsAddress } from "./client_network.ts";
import { isUuid } from "./schemas.ts";

/** The name of the cookie; behind TLS with the prefix that `ownCookie` gives. */
export const SESSION_COOKIE = "postrider_session";

/** The purpose of a token. One for anything else is not a session, even with our signature. */
const AUDIENCE = "session";
const ALGORITHM = "HS256";

/** A cookie is renewed when it has lost this much of its time. */
const RENEW_MS = 3_600_000;

/** A session as a cookie names it. */
export interface NamedSession {
  sessionId: string;
  expiresAt: Date;
}

/** The headers of an answer that is being made. */
export interface Answering {
  headers: { "set-cookie"?: string | string[] | undefined };
}

const signers = perService((ctx) => {
  const secret = createSecretKey(derivedKey(ctx, "sessions"));
  return jwt({ name: "token", secret, alg: ALGORITHM, aud: AUDIENCE, iat: false }).decorator.token;
});

/** What tokens name that we have signed: checking one again would cost a request a third of its authentication. */
const signed = perService(() => createCache<NamedSession>({ maxEntries: 2_000 }));

/** The session that a token names, or null when we have not signed it, or its time is over. */
export async function readSessionCookie(ctx: Context, token: string): Promise<NamedSession | null> {
  const known = signed(ctx).get(token);
  if (known && known.expiresAt > ctx.now()) return known;
  const claims = await signers(ctx).verify(token, {
    algorithms: [ALGORITHM],
    audience: AUDIENCE,
    currentDate: ctx.now(),
    requiredClaims: ["exp", "jti"],
  });
  if (!claims || !isUuid(claims.jti!)) return null;
  const session = { sessionId: claims.jti!, expiresAt: new Date(claims.exp! * 1000) };
  signed(ctx).set(token, session);
  return session;
}

/**
 * The value of the session cookie in a `Cookie` header, or null. Of two, one was set by another host of the domain, and
 * it is unknown which: they count as an invalid session.
 */
export function sessionToken(ctx: Context, header: string | undefined): string | null {
  if (!header?.includes(SESSION_COOKIE)) return null;
  const name = ownCookie(ctx, SESSION_COOKIE);
  const named = header.split(";").filter((cookie) => cookie.split("=")[0]!.trim() === name);
  return named.length > 1 ? "" : new Bun.CookieMap(header).get(name);
}

/** The id of the session that the cookie of a request names, whether or not it still stands; null for none. */
export async function namedSession(ctx: Context, request: Request): Promise<string | null> {
  const token = sessionToken(ctx, request.headers.get("cookie") ?? undefined);
  const cookie = token === null ? null : await readSessionCookie(ctx, token);
  return cookie?.sessionId ?? null;
}

/** Whom a request to log in comes from. */
export async function visitorOf(
  ctx: Context,
  request: Request,
  server: KnowsAddress | null,
): Promise<Visitor> {
  return {
    network: clientNetwork(ctx, request, server),
    userAgent: request.headers.get("user-agent"),
    replaces: await namedSession(ctx, request),
  };
}

/** Gives the caller a session. */
export async function setSessionCookie(ctx: Context, set: Answering, session: NamedSession): Promise<void> {
  const exp = Math.floor(session.expiresAt.getTime() / 1000);
  const token = await signers(ctx).sign({ jti: session.sessionId, exp });
  addCookie(ctx, set, ownCookie(ctx, SESSION_COOKIE), token, SESSION_MS / 1000);
}

/** Renews the cookie when it would end well before its session does. */
export async function renewSessionCookie(
  ctx: Context,
  set: Answering,
  cookie: NamedSession,
  expiresAt: Date,
): Promise<void> {
  if (expiresAt.getTime() - cookie.expiresAt.getTime() < RENEW_MS) return;
  await setSessionCookie(ctx, set, { ...cookie, expiresAt });
}

/** Takes the session from the caller. */
export function clearSessionCookie(ctx: Context, set: Answering): void {
  addCookie(ctx, set, ownCookie(ctx, SESSION_COOKIE), "", 0);
}

/**
 * What a cookie is called. Behind TLS browsers take a name with this prefix only from the very host, and only when it was
 * sent encrypted: no other host of the domain can slip one in. Without TLS they would not take it at all.
 */
export function ownCookie({ config }: Pick<Context, "config">, name: string): string {
  return config.BASE_URL.startsWith("https:") ? `__Host-${name}` : name;
}

/** Adds a cookie for all of the service, which no script can read and no other site's request brings along. */
export function addCookie(
  ctx: Context,
  set: Answering,
  name: string,
  value: string,
  maxAgeSeconds: number,
): void {
  const secure = ctx.config.BASE_URL.startsWith("https:") ? "; Secure" : "";
  const cookie = `${name}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
  const others = set.headers["set-cookie"] ?? [];
  set.headers["set-cookie"] = [...[others].flat(), cookie];
}

/**
 * Throws unless a browser says that the request comes from one of our pages or a dashboard. Requests that change
 * something with the cookie have to prove it: browsers also send the cookie with requests of other pages.
 */
export function assertOwnPage(ctx: Context, request: Request): void {
  if (!isFromOwnPage(ctx, request)) throw problems.otherOrigin();
}

/** Throws when a browser says that the request comes from somebody else's page. Requests of other programs pass. */
export function assertNoOtherPage(ctx: Context, request: Request): void {
  if (request.headers.get("origin") !== null) return assertOwnPage(ctx, request);
  // A link that was followed has no origin.
  const site = request.headers.get("sec-fetch-site") ?? "none";
  if (!["none", "same-origin", ...neighbours(ctx)].includes(site)) throw problems.otherOrigin();
}

/** Dashboards are on our site, and so may others be; without a dashboard there are no neighbours either. */
function neighbours({ config }: Context): string[] {
  return dashboardOrigins(config).length > 0 ? ["same-site"] : [];
}

function isFromOwnPage(ctx: Context, request: Request): boolean {
  const { origins, isSecure } = own(ctx);
  const origin = request.headers.get("origin");
  if (origin !== null && origins.has(origin)) return true;
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  // An attacker who can change unencrypted traffic could choose the address, too.
  return !isSecure && origin === new URL(request.url).origin;
}

const own = perService(({ config }) => {
  const { origin, protocol } = new URL(config.BASE_URL);
  return { origins: new Set([origin, ...dashboardOrigins(config)]), isSecure: protocol === "https:" };
});
