// Who sends a request. Everything here is decided before the body is read, in the order of guides/errors.md.
import { Elysia } from "elysia";
import { type Actor, actorOf, OPERATOR } from "../../accounts/audit.ts";
import {
  assertUnexpired,
  type KeyKind,
  type NamedKey,
  type ProjectIdentity,
  projectByKey,
} from "../../accounts/projects/keys.ts";
import { type RateLimit, takeMemberRequest, takeRequest, takeUserRequest } from "../../accounts/limits.ts";
import { assertScope } from "../../accounts/projects/scopes.ts";
import { assertRole, type Role, roleNeeded } from "../../accounts/projects/roles.ts";
import { assertInPlace } from "../../accounts/projects/sandbox.ts";
import {
  findSession,
  type FoundSession,
  noteSessionUse,
  type SessionUser,
  slideSession,
} from "../../accounts/people/sessions.ts";
import type { Context } from "../../context.ts";
import { withoutEffect } from "../../database_errors.ts";
import type { Caller } from "../../insight/requests/log.ts";
import { problems, rateLimitFields } from "../../problem/mod.ts";
import { BODY_LIMIT, UNREAD } from "./body.ts";
import { readBody } from "./body_plans.ts";
import { readForm, readMessageForm } from "./form.ts";
import { inTime } from "./patience.ts";
import { assertKnownQuery } from "./query_names.ts";
import { note } from "./requests.ts";
import { isUuid } from "./schemas.ts";
import { streamBody } from "./stream_body.ts";
import {
  type Answering,
  assertOwnPage,
  readSessionCookie,
  renewSessionCookie,
  sessionToken,
} from "./session.ts";

/** How routes that need authentication take their body, and the project. */
interface AuthOptions {
  /** In bytes: of a form, and the most that the schema of a JSON body may come to. */
  bodyLimit?: number;
  reads?: "json" | "form" | "message form" | "stream";
  /** The project of a session may be named by `?projectId=`: what a browser opens by itself sends no headers. */
  projectInQuery?: boolean;
  /** The key in another place than `Authorization: Bearer`, as the clients of other APIs send it; null where there is none. */
  keyIn?: (headers: RequestParts["headers"]) => string | null;
}

/** How the caller is identified. */
interface RequestParts {
  request: Request;
  headers: Record<string, string | undefined>;
  set: Answering;
  /** The pattern of the route, such as `/domains/:id`. */
  route: string;
  params: Record<string, string | undefined>;
  query: Record<string, string | undefined>;
}

const READS = ["GET", "HEAD"];

/**
 * Gives the routes after it the `project` that the key belongs to, and the `scopes` that limit the key. With `secret` a
 * member's session is accepted too, with the project in `X-Project-Id`. In this order: authentication, disabled project, rate limit, and only then the
 * body is read and validated.
 */
export function authenticateKey(ctx: Context, kind: KeyKind, options: AuthOptions = {}) {
  return authentication(ctx, options, async (parts) => {
    const token = kind === "secret" ? tokenOf(ctx, parts) : null;
    if (token === null) return await byKey(ctx, kind, parts);
    return await byMember(ctx, parts, token, options.projectInQuery === true);
  });
}

/**
 * Gives the routes after it the `project` of a member's session, or of the secret key, which only reads; the project of
 * a session may be in `?projectId=`. A caller that `isOperator` recognises acts for the installation: the `project` is null.
 */
export function authenticateOperatorOrMember(ctx: Context, isOperator: (request: Request) => boolean) {
  return authentication(ctx, {}, async (parts): Promise<{ project: { id: string } | null; actor: Actor }> => {
    if (isOperator(parts.request)) return { project: null, actor: OPERATOR };
    const token = tokenOf(ctx, parts);
    if (token !== null) return await byMember(ctx, parts, token, true);
    if (parts.headers.authorization !== undefined && !isReading(parts)) throw problems.sessionRequired();
    const asked = parts.query.projectId?.toLowerCase();
    const given = await byKey(ctx, "secret", parts);
    if (asked !== undefined && asked !== given.project.id) throw problems.otherProject(asked);
    return given;
  });
}

/**
 * Gives the routes after it the `session` and its `user`. Where addresses have to be verified, one that is not gets no
 * further, unless the routes are open to `unverified` people.
 */
export function authenticateUser(ctx: Context, options: AuthOptions & { unverified?: boolean } = {}) {
  return authentication(ctx, options, async (parts) => {
    const session = await inTime(sessionOf(ctx, parts, requiredToken(ctx, parts), null));
    const { user } = session;
    if (!options.unverified) assertVerified(ctx, user);
    tellLimit(parts, await takeUserRequest(ctx, user.id));
    return { user, session, actor: actorOf(user) };
  });
}

/**
 * For routes whose `:id` is the project: gives them the `project` with the role of the session's `user`. Reading is open
 * to the secret key of that very project too, unless it is `sessionOnly`; then there is neither user nor role. What is
 * disabled can still be read and deleted.
 */
export function authenticateMember(ctx: Context, options: AuthOptions & { sessionOnly?: boolean } = {}) {
  return authentication(ctx, options, async (parts): Promise<Membership> => {
    const id = parts.params.id ?? "";
    if (!options.sessionOnly && parts.headers.authorization !== undefined && isReading(parts)) {
      const { project, actor } = await byKey(ctx, "secret", parts);
      if (project.id !== id.toLowerCase()) throw problems.otherProject(id);
      return { user: null, project: { ...project, role: null }, actor };
    }
    const projectId = isUuid(id) ? id.toLowerCase() : null;
    const session = await inTime(sessionOf(ctx, parts, requiredToken(ctx, parts), projectId));
    if (projectId === null) throw problems.notFound("project", id);
    const { role } = memberProject(session, projectId, parts);
    await admit(ctx, parts, session.project!, session.user);
    return { user: session.user, project: { id: projectId, role }, actor: actorOf(session.user) };
  });
}

/** What {@linkcode authenticateMember} gives. */
interface Membership {
  user: SessionUser | null;
  project: { id: string; role: Role | null };
  actor: Actor;
}

/** Lets `identify` authenticate the caller, and reads the body afterwards. */
function authentication<Given extends { actor: Actor }>(
  ctx: Context,
  { bodyLimit = BODY_LIMIT, reads = "json", keyIn }: AuthOptions,
  identify: (parts: RequestParts) => Promise<Given>,
) {
  return new Elysia()
    .onParse({ as: "scoped" }, () => UNREAD)
    .derive({ as: "scoped" }, async (parts) => {
      const { request, set, route, params, query } = parts;
      const elsewhere = keyIn?.(parts.headers) ?? null;
      const headers =
        elsewhere === null ? parts.headers : { ...parts.headers, authorization: `Bearer ${elsewhere}` };
      // What is shown to one person is for no cache between, whether or not it is refused.
      set.headers["cache-control"] = "no-store";
      // Nothing is done before the caller is authenticated.
      const given = await identify({ request, headers, set, route, params, query }).catch(
        (error: unknown) => {
          throw withoutEffect(error);
        },
      );
      // PostgreSQL has no NUL in text, and no client means one.
      if (/%00/.test(request.url)) throw problems.badRequest("Cannot use NUL in an address");
      if (!hasReadablePath(request.url)) {
        throw problems.routeNotFound(request.method, parts.path, "Write a % itself as %25");
      }
      await assertKnownQuery(ctx, request, route);
      if (parts.body === UNREAD) {
        parts.body = await readers[reads](ctx, request, route, bodyLimit);
      }
      return given;
    });
}

const readers = {
  json: readBody,
  form: (_ctx: Context, request: Request, _route: string, limit: number) => readForm(request, limit),
  "message form": (_ctx: Context, request: Request, _route: string, limit: number) =>
    readMessageForm(request, limit),
  stream: (_ctx: Context, request: Request, _route: string, limit: number) => streamBody(request, limit),
};

/** Whether the percent-encoded bytes of a path are UTF-8. */
function hasReadablePath(url: string): boolean {
  if (!url.includes("%")) return true;
  try {
    decodeURIComponent(url.split("?", 1)[0]!);
    return true;
  } catch {
    return false;
  }
}

async function byMember(ctx: Context, parts: RequestParts, token: string, isInQuery: boolean) {
  const asked = parts.headers["x-project-id"] ?? (isInQuery ? parts.query.projectId : undefined) ?? "";
  const projectId = isUuid(asked) ? asked.toLowerCase() : null;
  const session = await inTime(sessionOf(ctx, parts, token, projectId));
  if (projectId === null) throw problems.missingProjectId();
  const { id } = memberProject(session, projectId, parts);
  await admit(ctx, parts, session.project!, session.user);
  return { project: { id }, actor: actorOf(session.user), scopes: null };
}

async function byKey(ctx: Context, kind: KeyKind, parts: RequestParts) {
  const key = bearerToken(parts.headers.authorization);
  const { hint, named, ...project } = await inTime(projectByKey(ctx, kind, key));
  note(parts.request, { projectId: project.id, caller: callerOf(key, named) });
  if (named) assertUnexpired(ctx, named);
  if (named) assertScope(named.name, named.scopes, parts.request.method, parts.route);
  await admit(ctx, parts, project, null);
  const actor: Actor = { kind: "key", hint, name: named?.name };
  return { project: { id: project.id }, actor, scopes: named?.scopes ?? null };
}

function callerOf(key: string, named: NamedKey | null): Caller {
  const kind = key.startsWith("pk_") ? "public" : "secret";
  return { kind, id: named?.id ?? null, name: named?.name ?? null, hint: key.slice(-4) };
}

/** Applies to everybody who acts for a project: it is not disabled, the address is verified, the rate limit is kept. */
async function admit(
  ctx: Context,
  parts: RequestParts,
  { id, disabled, disabledReason }: Omit<ProjectIdentity, "hint" | "named">,
  user: SessionUser | null,
): Promise<void> {
  if (disabled && !isOpenWhenDisabled(parts)) throw problems.projectDisabled(disabledReason);
  if (user) assertVerified(ctx, user);
  assertInPlace(id, parts.request.method, parts.route);
  tellLimit(parts, await (user ? takeMemberRequest(ctx, id, user.id) : takeRequest(ctx, id)));
}

function tellLimit(parts: RequestParts, limit: RateLimit | null): void {
  if (!limit) return;
  Object.assign(parts.set.headers, {
    "ratelimit-limit": String(limit.limit),
    "ratelimit-remaining": String(limit.remaining),
    "ratelimit-reset": String(limit.reset),
    ...rateLimitFields(limit),
  });
}

/** A disabled project is closed, except to look at it, leave it or delete it. */
function isOpenWhenDisabled(parts: RequestParts): boolean {
  if (!/^\/(users\/@me\/)?projects\/:id(\/|$)/.test(parts.route)) return false;
  return isReading(parts) || parts.request.method === "DELETE";
}

/** The session that a token names. Throws UNAUTHORIZED when there is none, and FORBIDDEN for a write from elsewhere. */
async function sessionOf(
  ctx: Context,
  parts: RequestParts,
  token: string,
  projectId: string | null,
): Promise<FoundSession> {
  const cookie = await readSessionCookie(ctx, token);
  const session = cookie && (await findSession(ctx, cookie.sessionId, projectId));
  if (!session) throw problems.unauthorized();
  if (!isReading(parts)) assertOwnPage(ctx, parts.request);
  noteSessionUse(ctx, session);
  await renewSessionCookie(ctx, parts.set, cookie, await slideSession(ctx, session));
  return session;
}

/**
 * The project of a session. Throws if its user is not a member of it, lacks the role that the route requires, or has no
 * two-factor log-in where the project requires it.
 */
function memberProject(
  session: FoundSession,
  projectId: string,
  parts: RequestParts,
): { id: string; role: Role } {
  if (!session.project) throw problems.projectAccessDenied(projectId);
  const { id, role, lacksTwoFactor } = session.project;
  note(parts.request, { projectId: id, caller: { kind: "session", userId: session.user.id } });
  assertRole(role, roleNeeded(parts.request.method, parts.route));
  if (lacksTwoFactor && !isLeaving(parts, session.user)) throw problems.twoFactorNeededHere(id);
  return { id, role };
}

/** Nobody is kept in a project. */
function isLeaving({ request, route, params }: RequestParts, user: SessionUser): boolean {
  const isRemoval = request.method === "DELETE" && route === "/projects/:id/members/:userId";
  return isRemoval && params.userId?.toLowerCase() === user.id;
}

function assertVerified(ctx: Context, user: SessionUser): void {
  if (ctx.config.REQUIRE_EMAIL_VERIFICATION && !user.emailVerified)
    throw problems.emailVerificationRequired();
}

function isReading({ request }: RequestParts): boolean {
  return READS.includes(request.method);
}

/** The cookie's token, where no key is given: who sends a key means it. */
function tokenOf(ctx: Context, { headers }: RequestParts): string | null {
  return headers.authorization === undefined ? sessionToken(ctx, headers.cookie) : null;
}

/** The cookie's token, where a key will not do. */
function requiredToken(ctx: Context, { headers }: RequestParts): string {
  const token = sessionToken(ctx, headers.cookie);
  if (token !== null) return token;
  throw headers.authorization === undefined ? problems.missingAuth("session") : problems.sessionRequired();
}

/** The one token of an `Authorization: Bearer` header. Throws MISSING_AUTH when there is none. */
function bearerToken(header: string | undefined): string {
  const token = /^Bearer +([^\s]+)$/i.exec(header?.trim() ?? "")?.[1];
  if (!token) throw problems.missingAuth();
  return token;
}
