// "This was not me": the owner of an address removes the account that somebody else has made with it.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJob } from "../../jobs.ts";
import { problems } from "../../problem/mod.ts";
import { useToken } from "./tokens.ts";
import { type Actor, actorOf, recordAudits, SERVICE } from "../audit.ts";
import { generateKeys } from "../projects/keys.ts";
import { sandboxIdOf } from "../projects/sandbox_id.ts";
import { requestDeletion } from "../projects/removal.ts";
import { disableProject, NO_OWNER } from "../projects/mod.ts";

/** How long after its creation an account can be removed by somebody who says that they did not create it. */
const NEW_MS = 24 * 3_600_000;

/** An account with the address that it was made with. */
export interface RemovableAccount {
  id: string;
  email: string;
  emailVerifiedAt: Date | null;
  createdAt: Date;
}

/**
 * Whether a mail may offer to remove an account: it is new, and nobody with access to the mail of its address has
 * confirmed that it is theirs. Any other account may be in use, and anybody can trigger such a mail: a password reset
 * gives it to the owner of the address as well, and loses nothing.
 */
export function isDisownable(ctx: Context, { emailVerifiedAt, createdAt }: RemovableAccount): boolean {
  return emailVerifiedAt === null && ctx.now().getTime() - createdAt.getTime() < NEW_MS;
}

/** What happens to the projects of an account that is removed: their names. */
export interface ProjectFates {
  /** They have no other members. */
  deleted: string[];
  goOn: string[];
  /** They have nobody left who may own them. */
  disabled: string[];
}

/** What would happen to the projects of an account, were it removed now. */
export async function projectFates(ctx: Context, userId: string): Promise<ProjectFates> {
  return fatesOf(await q.members.ofUser(ctx, { userId }));
}

/**
 * Removes the account that a token of the mail is about, with its sessions. Projects without other members are deleted;
 * the others continue, or are disabled where nobody may own them. Invitations of the address stay. Throws 400 for a bad
 * token, and 409 if somebody has confirmed in the meantime that the account is theirs.
 */
export async function disownAccount(ctx: Context, token: string): Promise<ProjectFates> {
  const { fates, ...removed } = await inTransaction(ctx, async (tx) => {
    const userId = await useToken(tx, token, "REMOVE_ACCOUNT");
    const { email, emailVerifiedAt, proven } = await q.users.byId(tx, { userId });
    if (emailVerifiedAt !== null) throw problems.accountVerified();
    await q.members.holdProjects(tx, { userId });
    const projects = await q.members.ofUser(tx, { userId });
    const own = projects.filter(({ alone }) => alone);
    const by = actorOf({ id: userId, email, proven });
    for (const { projectId } of own) await requestDeletion(tx, projectId, by);
    const shared = projects.filter(({ alone }) => !alone);
    await leave(tx, { id: userId, email }, by, shared);
    await q.users.remove(tx, { userId });
    return { userId, fates: fatesOf(projects) };
  });
  const projectCount = fates.deleted.length;
  ctx.log.warn("account removed by the owner of its address", { ...removed, projects: projectCount });
  return fates;
}

type OwnProject = Awaited<ReturnType<typeof q.members.ofUser>>[number];

function fatesOf(projects: OwnProject[]): ProjectFates {
  const names = (those: OwnProject[]) => those.map(({ name }) => name);
  return {
    deleted: names(projects.filter(({ alone }) => alone)),
    goOn: names(projects.filter(({ led }) => led)),
    disabled: names(projects.filter(({ alone, led }) => !alone && !led)),
  };
}

/**
 * These projects have other members, who lose nothing but a member. If that was the only owner, an admin becomes
 * one; without an admin the project is disabled until the operator has appointed an owner. A former owner may know the
 * secret key of the project, so it is revoked. All are notified by mail.
 */
async function leave(
  tx: Context,
  { id: userId, email }: { id: string; email: string },
  by: Actor,
  projects: OwnProject[],
): Promise<void> {
  const projectIds = projects.map(({ projectId }) => projectId);
  await q.members.leave(tx, { userId, projectIds });
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
  await passOn(tx, projectIds);
  for (const { projectId, role } of projects) {
    if (role === "OWNER") await endSecretKey(tx, projectId);
    await addJob(tx, "send_departure_mail", { projectId, email, owned: role === "OWNER" });
  }
}

/** Gives these projects an owner, where they have none and there is an admin; else disables them. */
async function passOn(tx: Context, projectIds: string[]): Promise<void> {
  const heirs = await q.members.promote(tx, { projectIds });
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
  for (const { id } of await q.members.withoutOwner(tx, { projectIds })) {
    await disableProject(tx, id, NO_OWNER, SERVICE);
  }
}

/** Nobody is shown the new keys, of the project and of its sandbox if it has one: an owner or admin creates some. */
async function endSecretKey(tx: Context, ofProject: string): Promise<void> {
  for (const projectId of [ofProject, sandboxIdOf(ofProject)]) {
    const { secretHash, secretHint } = generateKeys(projectId);
    const changed = await q.projects.setSecret(tx, { projectId, secretHash, secretHint, now: tx.now() });
    if (changed === 0) continue;
    await recordAudits(tx, SERVICE, [{ projectId, action: "keys.regenerated", details: { secretHint } }]);
  }
}
