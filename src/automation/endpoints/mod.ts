// The endpoints of a project: where it wants to be told what happens in it, and about what.
import ipaddr from "ipaddr.js";
import { type Actor, nameOf, recordAudit } from "../../accounts/audit.ts";
import {
  openSecrets,
  rotatedSecrets,
  sealSecrets,
  validSecrets,
  type WebhookSecrets,
} from "../../accounts/projects/webhook_secrets.ts";
import { fault } from "../../audience/faults.ts";
import type { Config } from "../../config/mod.ts";
import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { addJob } from "../../jobs.ts";
import { bareHost, readUrl, Refused } from "../../net/checked_addresses.ts";
import { reasonAgainstAddress } from "../../net/public_address.ts";
import { type FieldError, problems } from "../../problem/mod.ts";

type Row = Awaited<ReturnType<Queries["webhooks"]["list"]>>[number];
type Held = NonNullable<Awaited<ReturnType<Queries["webhooks"]["hold"]>>>;

/** An endpoint as its project sees it: never the secret itself. */
export type WebhookEndpoint = Omit<Row, "secret"> & {
  /** The last characters of the secret; null where it cannot be decrypted. */
  secretHint: string | null;
  /** As long as the secret before signs as well. */
  previousSecretUntil: Date | null;
};

/** What a person chooses of an endpoint. */
export interface WebhookInput {
  url: string;
  description: string;
  events: readonly string[];
  /** Of `event.tracked`: only these names; null for all. */
  eventNames: readonly string[] | null;
  enabled: boolean;
}

/** The same as it comes in a request: what is left out is undefined. */
export type GivenInput = { [Field in keyof WebhookInput]?: WebhookInput[Field] | undefined };

/** How many a project may have. */
export const MAX_WEBHOOKS = 20;
/** The calls that are counted are those of so many days, today among them. */
export const COUNTED_DAYS = 7;
const MAX_URL_LENGTH = 2_048;
/** More than that have not been tried before: an endpoint that fails is tried by one delivery at a time. */
const MAX_HASTENED = 10_000;

/** What is wrong with what was chosen, besides its schema. Fields may be missing. */
export function webhookErrors(
  { ALLOW_PRIVATE_WEBHOOKS }: Pick<Config, "ALLOW_PRIVATE_WEBHOOKS">,
  { url, events, eventNames }: GivenInput,
): FieldError[] {
  const namesTracked = events?.some((event) => ["*", "event.*", "event.tracked"].includes(event)) ?? true;
  return [
    ...(url === undefined ? [] : urlErrors(url, ALLOW_PRIVATE_WEBHOOKS)),
    ...(eventNames && !namesTracked
      ? [
          fault(
            "eventNames",
            "custom",
            "Names are of event.tracked: add it to events, or leave the names out",
          ),
        ]
      : []),
  ];
}

function urlErrors(text: string, allowPrivate: boolean): FieldError[] {
  if (text.length > MAX_URL_LENGTH) {
    return [fault("url", "too_big", `A URL has at most ${MAX_URL_LENGTH} characters`)];
  }
  try {
    // A reader of URLs drops what breaks a line, so that another address would be shown than is called.
    if (/[\s\p{Cc}]/u.test(text.trim())) throw new Refused("it has blanks in it");
    const host = bareHost(readUrl(text.trim()).hostname);
    const reason = ipaddr.isValid(host) ? reasonAgainstAddress(host, allowPrivate) : null;
    const isHere = /(^|\.)localhost$/i.test(host) && !allowPrivate;
    if (!reason && !isHere) return [];
    const message = `This leads to ${reason ?? "this very machine"}, which is not called`;
    return [fault("url", "custom", message, text)];
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return [fault("url", "invalid_string", "Expected a URL such as https://example.com/webhooks", text)];
  }
}

/** The endpoints of a project, oldest first, with their calls of the last {@linkcode COUNTED_DAYS} days. */
export async function listWebhooks(ctx: Context, projectId: string): Promise<WebhookEndpoint[]> {
  const rows = await q.webhooks.list(ctx, { projectId, since: countedSince(ctx) });
  return rows.map((row) => toEndpoint(ctx, projectId, row));
}

/** One of them. Throws not-found. */
export async function getWebhook(
  ctx: Context,
  projectId: string,
  webhookId: string,
): Promise<WebhookEndpoint> {
  const row = await q.webhooks.byId(ctx, { projectId, webhookId, since: countedSince(ctx) });
  if (!row) throw problems.notFound("webhook", webhookId);
  return toEndpoint(ctx, projectId, row);
}

/** Makes an endpoint, and returns its secret with it. Throws 409 where the project has 20, and not-found. */
export async function createWebhook(
  ctx: Context,
  projectId: string,
  input: WebhookInput,
  actor: Actor,
): Promise<WebhookEndpoint & { secret: string }> {
  const id = newId(ctx);
  const secrets = rotatedSecrets(ctx, null);
  return await inTransaction(ctx, async (tx) => {
    if ((await q.projects.hold(tx, { projectId })) === 0) throw problems.notFound("project", projectId);
    const made = await q.webhooks.insert(tx, {
      projectId,
      id,
      ...columnsOf(input),
      secret: sealSecrets(tx, secrets, [projectId, id]),
      createdBy: nameOf(actor),
      now: tx.now(),
      max: MAX_WEBHOOKS,
    });
    if (made === 0) throw problems.tooManyWebhooks(MAX_WEBHOOKS);
    const details = { events: input.events, eventNames: input.eventNames };
    await recordAudit(tx, {
      projectId,
      actor,
      action: "webhook.created",
      subject: withoutQuery(input.url),
      details,
    });
    return { ...(await getWebhook(tx, projectId, id)), secret: secrets.secret };
  });
}

/** Changes what is given. Enabling it, and another URL, end its rest: what waits is called at once. Throws not-found. */
export async function updateWebhook(
  ctx: Context,
  projectId: string,
  webhookId: string,
  given: GivenInput,
  actor: Actor,
): Promise<WebhookEndpoint> {
  return await inTransaction(ctx, async (tx) => {
    const before = await hold(tx, projectId, webhookId);
    const { id: _, secret: __, pauseReason, ...old } = before;
    const after: WebhookInput = { ...old, ...definedOf(given) };
    const errors = webhookErrors(tx.config, { events: after.events, eventNames: after.eventNames });
    if (errors.length > 0) throw problems.invalid(errors);
    const startsAnew = after.enabled && (!before.enabled || after.url.trim() !== before.url);
    await q.webhooks.patch(tx, {
      projectId,
      webhookId,
      ...columnsOf(after),
      pauseReason: after.enabled ? null : (pauseReason ?? "USER"),
      startsAnew,
      now: tx.now(),
    });
    if (startsAnew) await hasten(tx, projectId, webhookId);
    const changed = Object.keys(definedOf(given)).filter((name) => !isSame(name, old, after));
    if (changed.length > 0) {
      const details = Object.fromEntries(changed.map((name) => [name, after[name as keyof WebhookInput]]));
      const subject = withoutQuery(before.url);
      await recordAudit(tx, {
        projectId,
        actor,
        action: "webhook.updated",
        subject,
        details: shownDetails(details),
      });
    }
    return await getWebhook(tx, projectId, webhookId);
  });
}

/** Deletes an endpoint with all that waits for it. Throws not-found. */
export async function deleteWebhook(
  ctx: Context,
  projectId: string,
  webhookId: string,
  actor: Actor,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const row = await q.webhooks.remove(tx, { projectId, webhookId });
    if (!row) throw problems.notFound("webhook", webhookId);
    await addJob(tx, "drop_deliveries", { projectId, webhookId });
    await recordAudit(tx, { projectId, actor, action: "webhook.deleted", subject: withoutQuery(row.url) });
  });
}

/** The secret of an endpoint. Throws not-found, and 409 where it cannot be decrypted. */
export async function revealSecret(
  ctx: Context,
  projectId: string,
  webhookId: string,
): Promise<WebhookSecrets> {
  const row = await q.webhooks.there(ctx, { projectId, webhookId });
  if (!row) throw problems.notFound("webhook", webhookId);
  const secrets = openSecrets(ctx, row.secret, [projectId, webhookId]);
  if (!secrets) throw problems.webhookSecretLost();
  return validSecrets(ctx, secrets);
}

/** Gives an endpoint a new secret. For a day it is signed with the one before as well. Throws not-found. */
export async function rotateSecret(
  ctx: Context,
  projectId: string,
  webhookId: string,
  actor: Actor,
): Promise<WebhookSecrets> {
  return await inTransaction(ctx, async (tx) => {
    const { url, secret } = await hold(tx, projectId, webhookId);
    const place = [projectId, webhookId];
    const secrets = rotatedSecrets(tx, openSecrets(tx, secret, place));
    await q.webhooks.setSecret(tx, {
      projectId,
      webhookId,
      secret: sealSecrets(tx, secrets, place),
      now: tx.now(),
    });
    await recordAudit(tx, { projectId, actor, action: "webhook.secret_rotated", subject: withoutQuery(url) });
    return secrets;
  });
}

/** Has everything that waits called now, also what was tried before and would have to wait for hours. */
async function hasten(tx: Context, projectId: string, webhookId: string): Promise<void> {
  await q.webhookLine.hasten(tx, { projectId, webhookId, now: tx.now(), limit: MAX_HASTENED });
  await wakeLine(tx, projectId, webhookId);
}

/** Has a line called now, in the transaction of `tx`. */
export async function wakeLine(tx: Context, projectId: string, webhookId: string): Promise<void> {
  await addJob(tx, "deliver_webhooks", { projectId, webhookId }, { key: lineKey(webhookId) });
}

/** What tells the job of a line from others: of each one waits at most. */
export function lineKey(webhookId: string): string {
  return `deliver_webhooks:${webhookId}`;
}

/** Without what may be a secret in it. */
export function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0]!;
}

async function hold(tx: Context, projectId: string, webhookId: string): Promise<Held> {
  const row = await q.webhooks.hold(tx, { projectId, webhookId });
  if (!row) throw problems.notFound("webhook", webhookId);
  return row;
}

function columnsOf({ url, description, events, eventNames, enabled }: WebhookInput) {
  return {
    url: url.trim(),
    description: description.trim(),
    events: [...new Set(events)],
    eventNames: eventNames && [...new Set(eventNames.map((name) => name.trim()))],
    enabled,
  };
}

function definedOf(given: GivenInput): Partial<WebhookInput> {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Partial<WebhookInput>;
}

function isSame(name: string, before: object, after: object): boolean {
  const valueIn = (of: object) => JSON.stringify((of as Record<string, unknown>)[name]);
  return valueIn(before) === valueIn(after);
}

function shownDetails(details: Record<string, unknown>): Record<string, unknown> {
  return typeof details.url === "string" ? { ...details, url: withoutQuery(details.url) } : details;
}

function countedSince(ctx: Context): Date {
  return new Date(ctx.now().getTime() - (COUNTED_DAYS - 1) * 86_400_000);
}

function toEndpoint(ctx: Context, projectId: string, { secret, ...row }: Row): WebhookEndpoint {
  const secrets = openSecrets(ctx, secret, [projectId, row.id]);
  const { previous } = secrets ? validSecrets(ctx, secrets) : { previous: null };
  return {
    ...row,
    secretHint: secrets?.secret.slice(-4) ?? null,
    previousSecretUntil: previous?.until ?? null,
  };
}
