// Somebody deletes their own account.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem.ts";
import { actorOf, type Person, recordAudits } from "../audit.ts";
import { requestDeletion } from "../projects/removal.ts";
import { notify } from "./notices.ts";

/**
 * Deletes an account with its sessions, and leaves the projects that others are in. Those that nobody else is in are deleted
 * with everything in them, where `withProjects` says so. Throws 409 while there are such projects and it does not, and
 * while others depend on this account as their only owner; both name the projects.
 */
export async function deleteAccount(
  ctx: Context,
  user: Person,
  { withProjects }: { withProjects: boolean },
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const userId = user.id;
    // No project is created meanwhile, and nobody is added to or leaves one.
    if ((await q.members.holdUser(tx, { userId })) === 0) throw problems.unauthorized();
    await q.members.holdProjects(tx, { userId });
    const projects = await q.members.ofUser(tx, { userId });
    const bound = projects.filter(({ alone, onlyOwner }) => !alone && onlyOwner);
    if (bound.length > 0) throw problems.ownsProjects(named(bound));
    const own = projects.filter(({ alone }) => alone);
    if (own.length > 0 && !withProjects) throw problems.projectsGoToo(named(own));
    const by = actorOf(user);
    for (const { projectId } of own) await requestDeletion(tx, projectId, by);
    const shared = projects.filter(({ alone }) => !alone);
    await q.members.leave(tx, { userId, projectIds: shared.map(({ projectId }) => projectId) });
    await recordAudits(
      tx,
      by,
      shared.map(({ projectId, role }) => ({
        projectId,
        action: "members.removed",
        subject: user.email,
        details: { role },
      })),
    );
    await q.users.remove(tx, { userId });
    await notify(tx, user, { what: "account_deleted" });
  });
}

const named = (projects: { projectId: string; name: string }[]) =>
  projects.map(({ projectId, name }) => ({ id: projectId, name }));
