// The projects of a user: making them, showing them, and giving them new keys.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { actorOf, type Person, recordAudit } from "../audit.ts";
import { takeToday } from "../daily_limits.ts";
import { addSandboxDomain } from "./domains.ts";
import { generateKeys } from "./keys.ts";
import { createProject, type ProjectPatch, updateProject } from "./mod.ts";
import type { Role } from "./roles.ts";
import type { Sandbox } from "./sandbox.ts";
import { hintOf } from "./webhook_secrets.ts";

/** A project as a member sees it. */
export interface OwnProject {
  id: string;
  name: string;
  /** The public key. Of the secret one only the last characters are known. */
  public: string;
  secretHint: string;
  tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY";
  language: string;
  timezone: string;
  resendInDoubt: string[];
  /** Mails a second, where the operator has set a limit. */
  sendRate: number | null;
  postalAddress: string | null;
  requiresTwoFactor: boolean;
  disabled: boolean;
  disabledReason: string | null;
  createdAt: Date;
  updatedAt: Date;
  role: Role;
  /** For a sandbox, its project. */
  sandboxOf: string | null;
  sandbox: Sandbox | null;
}

/** With the secret key, which is shown only once. */
export type ProjectWithSecret = OwnProject & { secret: string };

/** How many projects one user may own. */
export const MAX_PROJECTS = 100;
/** How many projects one user may create in a day, even if some are deleted. */
export const MAX_MADE_A_DAY = 100;

/** The projects that a user looks after, oldest first; each with its sandbox, which is not among them. */
export async function listOwnProjects(ctx: Context, userId: string): Promise<OwnProject[]> {
  return (await q.projects.ofUser(ctx, { userId, projectId: null })).map(withSandbox);
}

/** A project as its key sees it too, which has no role in it. */
export type ProjectDetails = Omit<OwnProject, "role"> & {
  role: Role | null;
  /** The end of what signs its webhooks; null while there is none, or where it cannot be decrypted. */
  webhookSecretHint: string | null;
};

/** One project, as this user sees it; as its key does if there is none. Throws not-found. */
export async function getProject(
  ctx: Context,
  projectId: string,
  userId: string | null,
): Promise<ProjectDetails> {
  const found = await q.projects.details(ctx, { projectId, userId });
  if (!found) throw problems.notFound("project", projectId);
  const { webhookSecret, ...project } = withSandbox(found);
  return { ...project, webhookSecretHint: hintOf(ctx, projectId, webhookSecret).hint };
}

/**
 * Makes a project that the user owns. Throws 409 if they own as many as one may, also under a race, and 429 after too
 * many on a day.
 */
export async function createOwnProject(ctx: Context, name: string, user: Person): Promise<ProjectWithSecret> {
  return await inTransaction(ctx, async (tx) => {
    const userId = user.id;
    // Removed since the request began.
    if ((await q.members.holdUser(tx, { userId })) === 0) throw problems.unauthorized();
    const { total } = await q.members.ownedBy(tx, { userId });
    if (total >= MAX_PROJECTS) throw problems.tooManyProjects(MAX_PROJECTS);
    await takeToday(tx, { [`projects by ${userId}`]: MAX_MADE_A_DAY }, problems.tooManyNewProjects);
    const { id, secret } = await createProject(tx, name, actorOf(user));
    await q.members.add(tx, { projectId: id, userId, role: "OWNER" });
    await addSandboxDomain(tx, id);
    return { ...(await ownProject(tx, userId, id)), secret };
  });
}

/** Changes settings of a project. Throws 422 with every bad field. */
export async function patchOwnProject(
  ctx: Context,
  projectId: string,
  patch: ProjectPatch,
  user: Person,
): Promise<OwnProject> {
  return await inTransaction(ctx, async (tx) => {
    await updateProject(tx, projectId, patch, actorOf(user));
    return await ownProject(tx, user.id, projectId);
  });
}

/** Gives a project two new keys. From now on, the previous ones are unknown. */
export async function regenerateKeys(
  ctx: Context,
  projectId: string,
  user: Person,
): Promise<ProjectWithSecret> {
  const { publicKey, secretKey, secretHash, secretHint } = generateKeys(projectId);
  return await inTransaction(ctx, async (tx) => {
    const keys = { publicKey, secretHash, secretHint };
    if ((await q.projects.setKeys(tx, { projectId, ...keys, now: tx.now() })) === 0)
      throw problems.notFound("project", projectId);
    const deed = { action: "keys.regenerated", details: { secretHint } } as const;
    await recordAudit(tx, { projectId, actor: actorOf(user), ...deed });
    return { ...(await ownProject(tx, user.id, projectId)), secret: secretKey };
  });
}

/** Throws not-found where the user has left, or the project is gone, since the request began. */
async function ownProject(ctx: Context, userId: string, projectId: string): Promise<OwnProject> {
  const [project] = await q.projects.ofUser(ctx, { userId, projectId });
  if (!project) throw problems.notFound("project", projectId);
  return withSandbox(project);
}

/** What is joined of its sandbox, as a part of its own. */
function withSandbox<
  Row extends {
    sandboxId: string | null;
    sandboxPublic: string | null;
    sandboxSecretHint: string | null;
    sandboxCreatedAt: Date | null;
  },
>({ sandboxId, sandboxPublic, sandboxSecretHint, sandboxCreatedAt, ...project }: Row) {
  const sandbox: Sandbox | null = sandboxId
    ? { id: sandboxId, public: sandboxPublic!, secretHint: sandboxSecretHint!, createdAt: sandboxCreatedAt! }
    : null;
  return { ...project, sandbox };
}
