import { type Context, inTransaction, newId } from "../context.ts";
import { q } from "../db/queries.ts";
import { problems } from "../problem.ts";
import { generateKeys } from "./keys.ts";

/** A project just made, with both keys. The secret one is not shown again. */
export interface NewProject {
  id: string;
  name: string;
  public: string;
  secret: string;
  createdAt: Date;
}

/** Makes a project with its two keys. */
export async function createProject(ctx: Context, name: string): Promise<NewProject> {
  if (name.length < 1 || name.length > 100) {
    throw problems.invalid([{ field: "name", code: "too_big", message: "A name has 1 to 100 characters" }]);
  }
  const { publicKey, secretKey, secretHash, secretHint } = generateKeys();
  const project = await q.projects.insert(ctx, { id: newId(ctx), name, publicKey, secretHash, secretHint });
  return { ...project, public: publicKey, secret: secretKey };
}

/** Makes the first project of an empty database. Null when there is one already, also under a race. */
export async function createFirstProject(
  ctx: Context,
  name: string,
  then: (tx: Context, project: NewProject) => Promise<void>,
): Promise<NewProject | null> {
  return await inTransaction(ctx, async (tx) => {
    await q.projects.lockAll(tx);
    if ((await q.projects.count(tx)).total > 0) return null;
    const project = await createProject(tx, name);
    await then(tx, project);
    return project;
  });
}

/** Every project, oldest first, without secrets. For the operator. */
export async function listProjects(ctx: Context) {
  return await q.projects.list(ctx);
}

/** Disables a project: its requests get 403 and its queue is held, not lost. False when it was disabled already. */
export async function disableProject(
  ctx: Context,
  projectId: string,
  reason: string | null,
): Promise<boolean> {
  return (await q.projects.disable(ctx, { projectId, reason })) === 1;
}

/** Enables a project again: what waited in its queue goes out. False when it was not disabled. */
export async function enableProject(ctx: Context, projectId: string): Promise<boolean> {
  return (await q.projects.enable(ctx, { projectId })) === 1;
}
