// What signs the webhooks of a project, in the form of Standard Webhooks. It is sealed before it reaches the database.
import { randomBytes } from "node:crypto";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { type Actor, OPERATOR, recordAudit } from "../audit.ts";
import { seal, unseal } from "../secrets.ts";

/** What signs webhooks, as `whsec_` and base64: neither for the log nor for an answer of the API. */
export interface WebhookSecrets {
  secret: string;
  /** Signs besides the new one until then, so that a receiver can change over without a gap. */
  previous: { secret: string; until: Date } | null;
}

const PURPOSE = "webhook secrets";
const SECRET_BYTES = 32;
const OVERLAP_MS = 24 * 3_600_000;

/**
 * The secrets of a project, made when they are first asked for. Null, with a line in the log, when `SECRET_KEY` is not
 * the one they were sealed with. Throws not-found.
 */
export async function webhookSecretsOf(ctx: Context, projectId: string): Promise<WebhookSecrets | null> {
  const { webhookSecret } = (await q.webhookSecrets.get(ctx, { projectId })) ?? {};
  const sealed = webhookSecret ?? (await makeSecret(ctx, projectId));
  const secrets = opened(ctx, projectId, sealed);
  if (!secrets) {
    ctx.log.error("webhook secret cannot be decrypted: is this the SECRET_KEY that it was encrypted with?", {
      projectId,
    });
    return null;
  }
  return validSecrets(ctx, secrets);
}

/** Without the previous one, if it no longer signs. */
export function validSecrets(ctx: Pick<Context, "now">, secrets: WebhookSecrets): WebhookSecrets {
  return secrets.previous && secrets.previous.until > ctx.now() ? secrets : { ...secrets, previous: null };
}

/** What may be shown of the secrets of a project. */
export interface WebhookSecretHint {
  /** The last characters; null while there is none, or where it cannot be decrypted. */
  hint: string | null;
  /** As long as the one before signs as well. */
  previousUntil: Date | null;
}

/** What may be shown of the secrets of a project. None is made by looking. Throws not-found. */
export async function webhookSecretHint(ctx: Context, projectId: string): Promise<WebhookSecretHint> {
  const row = await q.webhookSecrets.get(ctx, { projectId });
  if (!row) throw problems.notFound("project", projectId);
  return hintOf(ctx, projectId, row.webhookSecret);
}

/** What may be shown of sealed secrets. */
export function hintOf(ctx: Context, projectId: string, sealed: Uint8Array | null): WebhookSecretHint {
  const secrets = sealed && opened(ctx, projectId, sealed);
  const until = secrets?.previous?.until;
  return {
    hint: secrets?.secret.slice(-4) ?? null,
    previousUntil: until && until > ctx.now() ? until : null,
  };
}

/** Gives a project a new secret. For a day webhooks are signed with the one before as well. Throws not-found. */
export async function rotateWebhookSecret(
  ctx: Context,
  projectId: string,
  actor: Actor = OPERATOR,
): Promise<WebhookSecrets> {
  return await inTransaction(ctx, async (tx) => {
    if ((await q.projects.hold(tx, { projectId })) === 0) throw problems.notFound("project", projectId);
    const { webhookSecret } = (await q.webhookSecrets.get(tx, { projectId })) ?? {};
    // One that does not open could not sign anything either.
    const old = webhookSecret ? opened(tx, projectId, webhookSecret) : null;
    const secrets = rotatedSecrets(tx, old);
    const replaced = await q.webhookSecrets.replace(tx, {
      projectId,
      webhookSecret: sealedOf(tx, projectId, secrets),
    });
    if (replaced === 0) throw problems.notFound("project", projectId);
    await recordAudit(tx, { projectId, actor, action: "webhook_secret.rotated" });
    return secrets;
  });
}

async function makeSecret(ctx: Context, projectId: string): Promise<Uint8Array> {
  const webhookSecret = sealedOf(ctx, projectId, rotatedSecrets(ctx, null));
  const made = await q.webhookSecrets.make(ctx, { projectId, webhookSecret });
  if (!made) throw problems.notFound("project", projectId);
  return made.webhookSecret;
}

function sealedOf(ctx: Context, projectId: string, secrets: WebhookSecrets): Buffer {
  return sealSecrets(ctx, secrets, [projectId]);
}

function opened(ctx: Context, projectId: string, sealed: Uint8Array): WebhookSecrets | null {
  return openSecrets(ctx, sealed, [projectId]);
}

function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/** A new secret, and for a day the one before. Null: there is none before. */
export function rotatedSecrets(ctx: Pick<Context, "now">, old: WebhookSecrets | null): WebhookSecrets {
  const until = new Date(ctx.now().getTime() + OVERLAP_MS);
  return { secret: newSecret(), previous: old && { secret: old.secret, until } };
}

/** Secrets as the database has them, bound to a place: the ids of their row. */
export function sealSecrets(ctx: Context, secrets: WebhookSecrets, place: string[]): Buffer {
  return seal(ctx, PURPOSE, JSON.stringify(secrets), place);
}

/** What {@linkcode sealSecrets} was given. Null when `SECRET_KEY` is another one. */
export function openSecrets(ctx: Context, sealed: Uint8Array, place: string[]): WebhookSecrets | null {
  const text = unseal(ctx, PURPOSE, sealed, place);
  if (text === null) return null;
  const { secret, previous } = JSON.parse(text) as WebhookSecrets;
  return { secret, previous: previous && { secret: previous.secret, until: new Date(previous.until) } };
}
