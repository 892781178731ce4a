// Get the logged-in user. The row decides: a cookie is worth nothing once its session was ended.
import { createBatcher } from "../../batcher.ts";
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Role } from "../projects/roles.ts";

/** Who a session is. */
export interface SessionUser {
  id: string;
  email: string;
  emailVerified: boolean;
  /** The holder of the account is known to read the mail of its address. */
  proven: boolean;
  sessionId: string;
}

/** A session, and what its user is to the project that was asked for. */
export interface FoundSession {
  user: SessionUser;
  createdAt: Date;
  expiresAt: Date;
  /** Null where no project was asked for, where it does not exist, and where the user is not a member of it. */
  project: { id: string; role: Role; disabled: boolean; disabledReason: string | null } | null;
}

/** For how long nothing has to be heard of a session before it ends. */
export const SESSION_MS = 7 * 24 * 3_600_000;

/** A session ends then, however much it is used. */
const MAX_SESSION_MS = 90 * 24 * 3_600_000;

/** A session that is used is written at most so often. */
const SLIDE_MS = 3_600_000;

const PURGE_LIMIT = 10_000;

/** Stands for no project in an array of ids. */
const NOWHERE = "00000000-0000-0000-0000-000000000000";

/** Begins a session, always a new one: its id was never known before. */
export async function startSession(
  tx: Context,
  userId: string,
): Promise<{ sessionId: string; expiresAt: Date }> {
  const now = tx.now();
  const { id, expiresAt } = await q.sessions.insert(tx, { userId, now, expiresAt: endOf(now) });
  return { sessionId: id, expiresAt };
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

/** Ends one session. */
export async function endSession(tx: Context, sessionId: string): Promise<void> {
  await q.sessions.end(tx, { sessionId });
}

/** Ends every session of a user except one. */
export async function endSessionsOf(
  tx: Context,
  userId: string,
  { except }: { except?: string } = {},
): Promise<void> {
  await q.sessions.endOfUser(tx, { userId, except: except ?? null });
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
    { maxItems: 500, maxFlights: 2 },
  ),
);

function toSession(row: Awaited<ReturnType<typeof q.sessions.found>>[number]): FoundSession {
  const {
    id: sessionId,
    userId,
    email,
    emailVerified,
    proven,
    createdAt,
    expiresAt,
    projectId,
    role,
    disabled,
  } = row;
  const isMember = projectId !== null && role !== null;
  return {
    user: { id: userId, email, emailVerified, proven, sessionId },
    createdAt,
    expiresAt,
    project: isMember ? { id: projectId, role, disabled, disabledReason: row.disabledReason } : null,
  };
}
