import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { type Actor, OPERATOR, recordAudit } from "../audit.ts";
import { HIDDEN, nameErrors } from "../names.ts";
import { generateKeys } from "./keys.ts";
import { timezoneErrors } from "./_timezones.ts";

// One mail in a quarter of an hour, and more than any server takes: beyond is a slip of the hand.
const MIN_SEND_RATE = 0.001;
const MAX_SEND_RATE = 1_000_000;
/** Longest postal address of a project. */
export const MAX_POSTAL_ADDRESS = 500;
const MAX_ADDRESS_LINES = 10;

/** A project just made, with both keys. The secret one is not shown again. */
export interface NewProject {
  id: string;
  name: string;
  public: string;
  secret: string;
  createdAt: Date;
}

/** Makes a project with its two keys. Throws 422 for a name that is empty, too long or could lead people astray. */
export async function createProject(
  ctx: Context,
  name: string,
  actor: Actor = OPERATOR,
): Promise<NewProject> {
  const errors = nameErrors(name);
  if (errors.length > 0) throw problems.invalid(errors);
  return await inTransaction(ctx, async (tx) => {
    const id = newId(tx);
    const { publicKey, secretKey, secretHash, secretHint } = generateKeys(id);
    const row = { id, name, publicKey, secretHash, secretHint, now: tx.now() };
    const project = await q.projects.insert(tx, row);
    await recordAudit(tx, { projectId: id, actor, action: "project.created", subject: name });
    return { ...project, public: publicKey, secret: secretKey };
  });
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

/** The languages of hosted pages and footers (guides/contacts.md). */
export const LANGUAGES = ["en", "nl", "de", "fr", "es", "pt", "it"] as const;

/** When opens and clicks are followed. */
export const TRACKING = ["ENABLED", "DISABLED", "MARKETING_ONLY"] as const;

/** Kinds of mail that may be sent again when they are in doubt (guides/reliability.md). */
export const RESENDABLE = ["TRANSACTIONAL", "WORKFLOW", "CAMPAIGN"] as const;

/** What may be changed of a project. What is left out stays. */
export interface ProjectPatch {
  name?: string | undefined;
  tracking?: string | undefined;
  language?: string | undefined;
  /** A name of the IANA time zones, such as Europe/Berlin. */
  timezone?: string | undefined;
  /** Mails a second, above 0; null takes the limit away. For the operator. */
  sendRate?: number | null | undefined;
  /**
   * Of which kinds mails in doubt are sent again, after 15 minutes; the others are kept as they are. TRANSACTIONAL takes
   * workflow mail of transactional templates along.
   */
  resendInDoubt?: string[] | undefined;
  /** Where the sender is, for the footer of MARKETING mail; null or empty shows none. */
  postalAddress?: string | null | undefined;
  /** Whether members get in only with two-factor log-in. */
  requiresTwoFactor?: boolean | undefined;
}

/**
 * Changes settings of a project, and returns all of them. Its sandbox has them too, by the trigger `projects_update_sandbox`.
 * Throws 422 with every bad field, and not-found.
 */
export async function updateProject(
  ctx: Context,
  projectId: string,
  patch: ProjectPatch,
  actor: Actor = OPERATOR,
) {
  const errors = patchErrors(patch);
  if (errors.length > 0) throw problems.invalid(errors);
  const { name, tracking, language, timezone, sendRate, resendInDoubt, postalAddress } = patch;
  return await inTransaction(ctx, async (tx) => {
    if ((await q.projects.hold(tx, { projectId })) === 0) throw problems.notFound("project", projectId);
    const before = (await q.projects.settings(tx, { projectId }))!;
    const after = await q.projects.patch(tx, {
      projectId,
      name: name ?? null,
      tracking: (tracking as (typeof TRACKING)[number] | undefined) ?? null,
      language: language ?? null,
      timezone: timezone ?? null,
      setSendRate: sendRate !== undefined,
      sendRate: sendRate ?? null,
      resendInDoubt: resendInDoubt ? RESENDABLE.filter((kind) => resendInDoubt.includes(kind)) : null,
      setPostalAddress: postalAddress !== undefined,
      postalAddress: postalAddress ? linesOf(postalAddress) || null : null,
      requiresTwoFactor: patch.requiresTwoFactor ?? null,
      now: tx.now(),
    });
    const details = changesOf(before, after!);
    if (Object.keys(details).length > 0) {
      await recordAudit(tx, { projectId, actor, action: "project.updated", details });
    }
    return after!;
  });
}

/** Every fault of a patch. */
export function patchErrors(patch: ProjectPatch): FieldError[] {
  const { name, tracking, language, timezone, sendRate, resendInDoubt = [] } = patch;
  return [
    ...(name === undefined ? [] : nameErrors(name)),
    ...notAmong("tracking", tracking, TRACKING),
    ...notAmong("language", language, LANGUAGES),
    ...(timezone === undefined ? [] : timezoneErrors(timezone)),
    ...rateErrors(sendRate),
    ...addressErrors(patch.postalAddress),
    ...resendInDoubt.flatMap((kind, i) => notAmong(`resendInDoubt.${i}`, kind, RESENDABLE)),
  ];
}

/** Each changed setting, with its old and its new value. */
export function changesOf(before: object, after: object): Record<string, { from: unknown; to: unknown }> {
  const was = before as Record<string, unknown>;
  const is = after as Record<string, unknown>;
  const changed = Object.keys(was).filter((setting) => !Bun.deepEquals(was[setting], is[setting]));
  return Object.fromEntries(changed.map((setting) => [setting, { from: was[setting], to: is[setting] }]));
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

function addressErrors(address: string | null | undefined): FieldError[] {
  const lines = linesOf(address ?? "");
  if (lines.length > MAX_POSTAL_ADDRESS || lines.split("\n").length > MAX_ADDRESS_LINES) {
    const message = `An address has at most ${MAX_POSTAL_ADDRESS} characters in ${MAX_ADDRESS_LINES} lines`;
    return [{ field: "postalAddress", code: "too_big", message }];
  }
  if (!lines.split("\n").some((line) => HIDDEN.test(line))) return [];
  const message = "An address is lines of text, without invisible characters";
  return [{ field: "postalAddress", code: "invalid_string", message, received: lines.slice(0, 100) }];
}

/** Its lines, without the blank ones and the space around them. */
function linesOf(address: string): string {
  const lines = address.split(/\r\n|\r|\n/).map((line) => line.trim());
  return lines.filter((line) => line !== "").join("\n");
}

/** The reason of a suspension for too many bounces or complaints. */
export const EMAIL_REPUTATION = "EMAIL_REPUTATION";

/** The reason of a suspension where the account that owned the project was removed, and no admin is left. */
export const NO_OWNER = "NO_OWNER";

/** Disables a project: its requests get 403 and its queue is held, not lost. False when it was disabled already. */
export async function disableProject(
  ctx: Context,
  projectId: string,
  reason: string | null,
  actor: Actor = OPERATOR,
): Promise<boolean> {
  return await inTransaction(ctx, async (tx) => {
    if ((await q.projects.disable(tx, { projectId, reason, now: tx.now() })) === 0) return false;
    await recordAudit(tx, { projectId, actor, action: "project.disabled", details: { reason } });
    return true;
  });
}

/**
 * Enables a project again: what waited in its queue is sent. If it was disabled for its reputation, it starts afresh:
 * earlier counts are not held against it. False when it was not disabled.
 */
export async function enableProject(
  ctx: Context,
  projectId: string,
  actor: Actor = OPERATOR,
): Promise<boolean> {
  return await inTransaction(ctx, async (tx) => {
    const now = tx.now();
    if ((await q.projects.enable(tx, { projectId, now })) === 0) return false;
    const lifted = await q.projects.liftSuspension(tx, { projectId, now });
    const isForgiven = lifted.some(({ reason }) => reason === EMAIL_REPUTATION);
    if (isForgiven) await q.reputation.forgive(tx, { projectId, now });
    await recordAudit(tx, { projectId, actor, action: "project.enabled" });
    return true;
  });
}
