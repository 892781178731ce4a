// Get the logged-in user. The row decides: a cookie is worth nothing once its session was ended.
import { createBatcher } from "../../batcher.ts";
import { type Context, inTransaction, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { createUseNotes } from "../last_uses.ts";
import type { Role } from "../projects/roles.ts";
import { describeDevice, keptUserAgent } from "./devices.ts";
import { notify } from "./notices.ts";

/** Who a session is. */
export interface SessionUser {
  id: string;
  email: string;
  name: string | null;
  emailVerified: boolean;
  /** The holder of the account is known to read the mail of its address. */
  proven: boolean;
  /** A log-in needs a second factor. */
  twoFactor: boolean;
  sessionId: string;
}

/** A session, and what its user is to the project that was asked for. */
export interface FoundSession {
  user: SessionUser;
  createdAt: Date;
  expiresAt: Date;
  lastUsedAt: Date;
  /** When its holder last entered the password or a factor again; null for not since it began. */
  provenAt: Date | null;
  /** Null if no project was asked for, if it does not exist, and where the user is not a member of it. */
  project: SessionProject | null;
}

/** A project that the user of a session is a member of. */
export interface SessionProject {
  id: string;
  role: Role;
  disabled: boolean;
  disabledReason: string | null;
  /** It lets in only those who have two-factor log-in, which this user has not. */
  lacksTwoFactor: boolean;
}

/** For how long nothing has to be heard of a session before it ends. */
export const SESSION_MS = 7 * 24 * 3_600_000;

/** A session ends then, however much it is used. */
const MAX_SESSION_MS = 90 * 24 * 3_600_000;

/** A session that is used is written at most so often. */
const SLIDE_MS = 3_600_000;

/** How many sessions of a user are shown. */
const MAX_LISTED = 200;

const PURGE_LIMIT = 10_000;

/** Stands for no project in an array of ids. */
const NOWHERE = "00000000-0000-0000-0000-000000000000";

/** The browser, or program, that wants a session. */
export interface Visitor {
  /** Where it is, for limits; null if that is not known. */
  network: string | null;
  /** What it calls itself. */
  userAgent: string | null;
  /** The session that it has by now, which ends. */
  replaces: string | null;
}

/** A session that has begun. */
export interface NewSession {
  sessionId: string;
  expiresAt: Date;
}

/** Begins a session, always a new one: its id was never known before. `userAgent` is the header of the browser. */
export async function startSession(
  tx: Context,
  userId: string,
  userAgent: string | null = null,
): Promise<NewSession> {
  const now = tx.now();
  const session = { userId, now, expiresAt: endOf(now), userAgent: keptUserAgent(userAgent) };
  const { id, expiresAt } = await q.sessions.insert(tx, session);
  return { sessionId: id, expiresAt };
}

/** Begins a session for a visitor, whose present one ends. */
export async function replaceSession(tx: Context, userId: string, visitor: Visitor): Promise<NewSession> {
  if (visitor.replaces !== null) await endSession(tx, visitor.replaces);
  return await startSession(tx, userId, visitor.userAgent);
}

/**
 * The session with this id, or null when it has ended; with the role of its user in a project. Nothing is cached: a
 * look-up begins after the request arrived. Concurrent requests share a look-up.
 */
export async function findSession(
  ctx: Context,
  sessionId: string,
  projectId: string | null,
): Promise<FoundSession | null> {
  return await lookUps(ctx)({ sessionId, projectId });
}

/** Whether this is a session of this user that stands. */
export async function isSessionOf(ctx: Context, sessionId: string, userId: string): Promise<boolean> {
  return (await q.sessions.isOf(ctx, { sessionId, userId, now: ctx.now() })).stands;
}

/** Extends a session that is in use, at most once an hour. Returns when it ends now. */
export async function slideSession(
  ctx: Context,
  { user, createdAt, expiresAt }: FoundSession,
): Promise<Date> {
  const now = ctx.now();
  const later = new Date(Math.min(endOf(now).getTime(), createdAt.getTime() + MAX_SESSION_MS));
  if (later.getTime() - expiresAt.getTime() < SLIDE_MS) return expiresAt;
  await q.sessions.slide(ctx, { sessionId: user.sessionId, expiresAt: later, now });
  return later;
}

/** Notes that a session is in use, to the minute. Nothing waits for it. */
export function noteSessionUse(ctx: Context, { user, lastUsedAt }: FoundSession): void {
  useNotes(ctx)({ id: user.sessionId, lastUsedAt });
}

const useNotes = perService((ctx) =>
  createUseNotes(ctx, async (used: { id: string; lastUsedAt: Date }[], now) => {
    await q.sessions.noteUse(ctx, { sessionIds: used.map(({ id }) => id), now });
  }),
);

/** A session as its user sees it. */
export interface ListedSession {
  id: string;
  /** In a few words, such as "Firefox on Windows". */
  device: string;
  /** What the browser called itself, shortened. */
  userAgent: string;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
  /** The one that asks. */
  current: boolean;
}

/** The sessions of a user, last used first: at most 200. */
export async function listSessions(ctx: Context, { id, sessionId }: SessionUser): Promise<ListedSession[]> {
  const rows = await q.sessions.list(ctx, { userId: id, now: ctx.now(), limit: MAX_LISTED });
  return rows.map((row) => ({
    ...row,
    device: describeDevice(row.userAgent),
    current: row.id === sessionId,
  }));
}

/** Ends one session of a user, who is told by mail unless it is the one that asks. Throws not-found. */
export async function endOwnSession(ctx: Context, user: SessionUser, sessionId: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const ended = await q.sessions.endOwn(tx, { sessionId, userId: user.id, now: tx.now() });
    if (!ended) throw problems.notFound("session", sessionId);
    if (sessionId !== user.sessionId) await notify(tx, user, { what: "sessions_ended" });
  });
}

/** Ends all sessions of a user but the one that asks. The user is told by mail, if there were any. */
export async function endOtherSessions(ctx: Context, user: SessionUser): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const ended = await endSessionsOf(tx, user.id, { except: user.sessionId });
    if (ended > 0) await notify(tx, user, { what: "sessions_ended" });
  });
}

/** Ends one session. */
export async function endSession(tx: Context, sessionId: string): Promise<void> {
  await q.sessions.end(tx, { sessionId });
}

/** Ends every session of a user except one, and every log-in that waits for a second factor. Returns how many sessions. */
export async function endSessionsOf(
  tx: Context,
  userId: string,
  { except }: { except?: string } = {},
): Promise<number> {
  await q.twoFactor.endChallenges(tx, { userId });
  return await q.sessions.endOfUser(tx, { userId, except: except ?? null });
}

/** Deletes sessions that have expired. */
export async function purgeSessions(ctx: Context): Promise<void> {
  while ((await q.sessions.purge(ctx, { now: ctx.now(), limit: PURGE_LIMIT })) === PURGE_LIMIT);
}

function endOf(now: Date): Date {
  return new Date(now.getTime() + SESSION_MS);
}

const lookUps = perService((ctx) =>
  createBatcher(
    async (asked: { sessionId: string; projectId: string | null }[]) => {
      const rows = await q.sessions.found(ctx, {
        sessionIds: asked.map(({ sessionId }) => sessionId),
        projectIds: asked.map(({ projectId }) => projectId ?? NOWHERE),
        now: ctx.now(),
      });
      const found = new Map(rows.map((row) => [row.place, toSession(row)]));
      return asked.map((_, i): FoundSession | null => found.get(i + 1) ?? null);
    },
    { name: "look up sessions", maxItems: 500, maxFlights: 2 },
  ),
);

function toSession(row: Awaited<ReturnType<typeof q.sessions.found>>[number]): FoundSession {
  const { id: sessionId, userId, email, name, emailVerified, proven } = row;
  const { createdAt, expiresAt, lastUsedAt, provenAt, projectId, role, disabled, disabledReason } = row;
  const { twoFactor, requiresTwoFactor } = row;
  const isMember = projectId !== null && role !== null;
  const lacksTwoFactor = requiresTwoFactor === true && !twoFactor;
  return {
    user: { id: userId, email, name, emailVerified, proven, twoFactor, sessionId },
    createdAt,
    expiresAt,
    lastUsedAt,
    provenAt,
    project: isMember ? { id: projectId, role, disabled, disabledReason, lacksTwoFactor } : null,
  };
}
