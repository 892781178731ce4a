// Somebody deletes their own account.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { actorOf, type Person, recordAudits } from "../audit.ts";
import { requestDeletion } from "../projects/removal.ts";
import { notify } from "./notices.ts";

/** What would happen to somebody's projects, were their account deleted now. */
export interface Consequences {
  /** Nobody else is in them: they are deleted with everything in them. */
  deleted: NamedProject[];
  /** They continue without the account. */
  left: NamedProject[];
  /** Others depend on the account as their only owner: it cannot be deleted before there is another one. */
  bound: NamedProject[];
}

/** What deleting an account would do to its projects. */
export async function deletionConsequences(ctx: Context, userId: string): Promise<Consequences> {
  return sorted(await q.members.ofUser(ctx, { userId }));
}

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
    const { bound, deleted } = sorted(projects);
    if (bound.length > 0) throw problems.ownsProjects(bound);
    if (deleted.length > 0 && !withProjects) throw problems.projectsGoToo(deleted);
    const by = actorOf(user);
    for (const { id } of deleted) await requestDeletion(tx, id, by);
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

interface NamedProject {
  id: string;
  name: string;
}

function sorted(projects: Awaited<ReturnType<typeof q.members.ofUser>>): Consequences {
  const named = (those: typeof projects) => those.map(({ projectId, name }) => ({ id: projectId, name }));
  return {
    deleted: named(projects.filter(({ alone }) => alone)),
    left: named(projects.filter(({ alone, onlyOwner }) => !alone && !onlyOwner)),
    bound: named(projects.filter(({ alone, onlyOwner }) => !alone && onlyOwner)),
  };
}
