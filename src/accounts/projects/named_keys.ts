// Keys of a project besides its pair: made, changed and revoked by its admins.
import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { type Actor, nameOf, recordAudit } from "../audit.ts";
import { generateKey } from "./keys.ts";
import { changesOf } from "./mod.ts";
import { type KeyScope, SCOPES } from "./scopes.ts";

type Row = Awaited<ReturnType<Queries["projectKeys"]["list"]>>[number];

/** A key as its project sees it: never the key itself. */
export type ProjectKey = Omit<Row, "scopes" | "isPublic"> & {
  scopes: KeyScope[];
  /** The first letters of the key: `public` for `pk_`, `secret` for `sk_`. */
  kind: "public" | "secret";
};

/** What a key is made of. A time that is left out or null is none. */
export interface KeyInput {
  name: string;
  scopes: readonly KeyScope[];
  expiresAt?: Date | null | undefined;
}

const PUBLIC_SCOPES: FieldError = {
  field: "scopes",
  code: "custom",
  message: "A key that begins with pk_ may be part of a web page, so it may only track: create another one",
};

/** How many a project may have. */
export const MAX_KEYS = 50;

/** The keys of a project, oldest first; those that have expired too, until they are revoked. */
export async function listKeys(ctx: Context, projectId: string): Promise<ProjectKey[]> {
  return (await q.projectKeys.list(ctx, { projectId })).map(toKey);
}

/**
 * Makes a key, and returns it this once. One that may only track begins with `pk_`, and may be part of a web page. Those of a
 * sandbox begin with `sk_test_` and `pk_test_`. Throws 409 where
 * the project has 50, and not-found.
 */
export async function createKey(
  ctx: Context,
  projectId: string,
  { name, scopes: given, expiresAt = null }: KeyInput,
  actor: Actor,
): Promise<ProjectKey & { key: string }> {
  const scopes = inOrder(given);
  const isPublic = onlyTracks(scopes);
  const { key, hash, hint } = generateKey(isPublic ? "public" : "secret", projectId);
  return await inTransaction(ctx, async (tx) => {
    await holdProject(tx, projectId);
    const row = await q.projectKeys.insert(tx, {
      projectId,
      id: newId(tx),
      name,
      scopes,
      isPublic,
      hash,
      hint,
      createdBy: nameOf(actor),
      now: tx.now(),
      expiresAt,
      max: MAX_KEYS,
    });
    if (!row) throw problems.tooManyKeys(MAX_KEYS);
    const details = { hint, scopes, expiresAt };
    await recordAudit(tx, { projectId, actor, action: "keys.created", subject: name, details });
    return { ...toKey(row), key };
  });
}

/**
 * Changes the name, the scopes or the expiry of a key. Throws not-found, and 422 if one that begins with `pk_` is to do more
 * than track: it may be in pages.
 */
export async function updateKey(
  ctx: Context,
  projectId: string,
  keyId: string,
  { name, scopes: given, expiresAt }: Partial<KeyInput>,
  actor: Actor,
): Promise<ProjectKey> {
  const scopes = given && inOrder(given);
  return await inTransaction(ctx, async (tx) => {
    await holdProject(tx, projectId);
    const before = await q.projectKeys.byId(tx, { projectId, keyId });
    if (!before) throw problems.notFound("key", keyId);
    if (before.isPublic && scopes && !onlyTracks(scopes)) throw problems.invalid([PUBLIC_SCOPES]);
    const after = await q.projectKeys.patch(tx, {
      projectId,
      keyId,
      name: name ?? null,
      scopes: scopes ?? null,
      setExpiresAt: expiresAt !== undefined,
      expiresAt: expiresAt ?? null,
    });
    const changes = changesOf(settingsOf(before), settingsOf(after));
    if (Object.keys(changes).length > 0) {
      const deed = { action: "keys.updated", subject: after.name } as const;
      await recordAudit(tx, { projectId, actor, ...deed, details: { hint: after.hint, ...changes } });
    }
    return toKey(after);
  });
}

/** Revokes a key: the next request with it is refused. Throws not-found. */
export async function revokeKey(ctx: Context, projectId: string, keyId: string, actor: Actor): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await holdProject(tx, projectId);
    const row = await q.projectKeys.remove(tx, { projectId, keyId });
    if (!row) throw problems.notFound("key", keyId);
    const { name, hint } = row;
    await recordAudit(tx, { projectId, actor, action: "keys.revoked", subject: name, details: { hint } });
  });
}

/** Changes of the keys of a project take turns, and none outlives it. */
async function holdProject(tx: Context, projectId: string): Promise<void> {
  if ((await q.projects.hold(tx, { projectId })) === 0) throw problems.notFound("project", projectId);
}

/** Each once, in the order of {@linkcode SCOPES}. */
function inOrder(scopes: readonly KeyScope[]): KeyScope[] {
  return SCOPES.filter((scope) => scopes.includes(scope));
}

function onlyTracks(scopes: readonly KeyScope[]): boolean {
  return scopes.every((scope) => scope === "track");
}

function settingsOf({ name, scopes, expiresAt }: Row) {
  return { name, scopes, expiresAt };
}

function toKey({ scopes, isPublic, ...row }: Row): ProjectKey {
  return { ...row, scopes: scopes as KeyScope[], kind: isPublic ? "public" : "secret" };
}
