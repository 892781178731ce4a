// "This was not me": the owner of an address removes the account that somebody else has made with it.
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { problems } from "../problem.ts";
import { useToken } from "./account_tokens.ts";
import { type Actor, actorOf, recordAudits, SERVICE } from "./audit.ts";
import { requestDeletion } from "./project_removal.ts";

/**
 * Removes the account that a token of the mail is about, with its sessions. The projects that nobody else is in are deleted;
 * the others go on, with a new owner where that was the only one. Invitations of the address stay. Throws 400 for a bad
 * token, and 409 where it was proven meanwhile that the account is theirs.
 */
export async function disownAccount(ctx: Context, token: string): Promise<void> {
  const removed = await inTransaction(ctx, async (tx) => {
    const userId = await useToken(tx, token, "REMOVE_ACCOUNT");
    const { email, emailVerifiedAt, proven } = await q.users.byId(tx, { userId });
    if (proven) throw problems.accountProven();
    await q.members.holdProjects(tx, { userId });
    const projects = await q.members.ofUser(tx, { userId });
    const own = projects.filter(({ alone }) => alone);
    const by = actorOf({ id: userId, email, emailVerified: emailVerifiedAt !== null });
    for (const { projectId } of own) await requestDeletion(tx, projectId, by);
    await leave(
      tx,
      userId,
      email,
      by,
      projects.filter(({ alone }) => !alone),
    );
    await q.users.remove(tx, { userId });
    return { userId, projects: own.length };
  });
  ctx.log.warn("account removed by the owner of its address", removed);
}

/** Others are in these projects: they lose nothing but a member, and always have an owner. */
async function leave(
  tx: Context,
  userId: string,
  email: string,
  by: Actor,
  projects: Awaited<ReturnType<typeof q.members.ofUser>>,
): Promise<void> {
  const projectIds = projects.map(({ projectId }) => projectId);
  await q.members.leave(tx, { userId, projectIds });
  const heirs = await q.members.promote(tx, { projectIds });
  await recordAudits(
    tx,
    by,
    projects.map(({ projectId, role }) => ({
      projectId,
      action: "members.removed",
      subject: email,
      details: { role },
    })),
  );
  await recordAudits(
    tx,
    SERVICE,
    heirs.map(({ projectId, email: subject, was }) => ({
      projectId,
      action: "members.role_changed",
      subject,
      details: { from: was, to: "OWNER" },
    })),
  );
}
