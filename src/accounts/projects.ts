import { type Context, inTransaction, newId } from "../context.ts";
import { q } from "../db/queries.ts";
import { type FieldError, problems } from "../problem.ts";
import { generateKeys } from "./keys.ts";

// One mail in a quarter of an hour, and more than any server takes: beyond is a slip of the hand.
const MIN_SEND_RATE = 0.001;
const MAX_SEND_RATE = 1_000_000;

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

/** Throws not-found unless there is such a project. */
export async function assertProject(ctx: Context, projectId: string): Promise<void> {
  if (!(await q.projects.presented(ctx, { projectId }))) throw problems.notFound("project", projectId);
}

/** Every project, oldest first, without secrets. For the operator. */
export async function listProjects(ctx: Context) {
  return await q.projects.list(ctx);
}

/** The languages of hosted pages and footers (wire.md section 8). */
export const LANGUAGES = ["en", "nl", "de", "fr", "es", "pt", "it"] as const;

/** When opens and clicks are followed. */
export const TRACKING = ["ENABLED", "DISABLED", "MARKETING_ONLY"] as const;

/** What may be changed of a project. What is left out stays. */
export interface ProjectPatch {
  tracking?: string | undefined;
  language?: string | undefined;
  /** Mails a second, above 0; null takes the limit away. */
  sendRate?: number | null | undefined;
}

/** Changes settings of a project, and answers all of them. Throws 422 with every bad field, and not-found. */
export async function updateProject(ctx: Context, projectId: string, patch: ProjectPatch) {
  const { tracking, language, sendRate } = patch;
  const errors = [
    ...notAmong("tracking", tracking, TRACKING),
    ...notAmong("language", language, LANGUAGES),
    ...rateErrors(sendRate),
  ];
  if (errors.length > 0) throw problems.invalid(errors);
  const project = await q.projects.patch(ctx, {
    projectId,
    tracking: (tracking as (typeof TRACKING)[number] | undefined) ?? null,
    language: language ?? null,
    setSendRate: sendRate !== undefined,
    sendRate: sendRate ?? null,
  });
  if (!project) throw problems.notFound("project", projectId);
  return project;
}

function notAmong(field: string, given: string | undefined, words: readonly string[]): FieldError[] {
  if (given === undefined || words.includes(given)) return [];
  const message = `Expected one of ${words.join(", ")}`;
  return [{ field, code: "invalid_enum_value", message, received: given }];
}

function rateErrors(rate: number | null | undefined): FieldError[] {
  if (rate === undefined || rate === null || (rate >= MIN_SEND_RATE && rate <= MAX_SEND_RATE)) return [];
  const message = `Expected ${MIN_SEND_RATE} to ${MAX_SEND_RATE} mails a second`;
  return [{ field: "sendRate", code: rate > MAX_SEND_RATE ? "too_big" : "too_small", message }];
}

/** The reason of a suspension for too many bounces or complaints. */
export const EMAIL_REPUTATION = "EMAIL_REPUTATION";

/** Disables a project: its requests get 403 and its queue is held, not lost. False when it was disabled already. */
export async function disableProject(
  ctx: Context,
  projectId: string,
  reason: string | null,
): Promise<boolean> {
  return (await q.projects.disable(ctx, { projectId, reason, now: ctx.now() })) === 1;
}

/**
 * Enables a project again: what waited in its queue goes out. Where it was disabled for its reputation, it starts
 * afresh: what was counted until now is not held against it. False when it was not disabled.
 */
export async function enableProject(ctx: Context, projectId: string): Promise<boolean> {
  return await inTransaction(ctx, async (tx) => {
    const now = tx.now();
    if ((await q.projects.enable(tx, { projectId, now })) === 0) return false;
    const lifted = await q.projects.liftSuspension(tx, { projectId, now });
    const isForgiven = lifted.some(({ reason }) => reason === EMAIL_REPUTATION);
    if (isForgiven) await q.reputation.forgive(tx, { projectId, now });
    return true;
  });
}
