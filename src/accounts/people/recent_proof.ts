// Whether somebody has shown lately that they are the holder of the account: an open browser is not enough for what
// changes who may log in.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import type { FoundSession } from "./sessions.ts";

/** For how long a proof is recent. */
export const PROOF_MS = 10 * 60_000;

/**
 * Throws REAUTHENTICATION_REQUIRED unless the holder of a session has logged in, or entered the password or a factor again,
 * within ten minutes.
 */
export function assertRecentProof(ctx: Context, { createdAt, provenAt }: FoundSession): void {
  const last = Math.max(createdAt.getTime(), provenAt?.getTime() ?? 0);
  if (ctx.now().getTime() - last >= PROOF_MS) throw problems.reauthenticationRequired();
}

/**
 * The same, where having logged in does not count: for what cannot be undone. It does for those who have nothing to
 * enter, because they sign in at a provider.
 */
export async function assertProvenAgain(ctx: Context, session: FoundSession): Promise<void> {
  const { user, provenAt } = session;
  const isRecent = provenAt !== null && ctx.now().getTime() - provenAt.getTime() < PROOF_MS;
  if (isRecent) return;
  const { canProve } = await q.users.canProve(ctx, { userId: user.id });
  if (canProve) throw problems.reauthenticationRequired();
  assertRecentProof(ctx, session);
}

/** Notes that the holder of a session has just shown who they are. */
export async function noteProof(tx: Context, sessionId: string): Promise<void> {
  await q.sessions.noteProof(tx, { sessionId, now: tx.now() });
}
