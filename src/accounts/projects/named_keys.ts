// Keys of a project beside its pair: made, changed and revoked by its admins.
import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { problems } from "../../problem.ts";
import { type Actor, nameOf, recordAudit } from "../audit.ts";
import { generateKey } from "./keys.ts";
import type { Scope } from "./scopes.ts";

type Row = Awaited<ReturnType<Queries["projectKeys"]["list"]>>[number];

/** A key as its project sees it: never the key itself. */
export type ProjectKey = Omit<Row, "scopes"> & { scopes: Scope[] };

/** What a key is made of. A time that is left out or null is none. */
export interface KeyInput {
  name: string;
  scopes: readonly Scope[];
  expiresAt?: Date | null | undefined;
}

/** How many a project may have. */
export const MAX_KEYS = 50;

/** The keys of a project, the oldest first; those that have expired too, until they are revoked. */
export async function listKeys(ctx: Context, projectId: string): Promise<ProjectKey[]> {
  return (await q.projectKeys.list(ctx, { projectId })).map(toKey);
}

/**
 * Makes a key, and returns it this once. One that may only track begins with `pk_`, and may stand in a page. Throws 409 where
 * the project has 50.
 */
export async function createKey(
  ctx: Context,
  projectId: string,
  { name, scopes, expiresAt = null }: KeyInput,
  actor: Actor,
): Promise<ProjectKey & { key: string }> {
  const onlyTracks = scopes.every((scope) => scope === "track");
  const { key, hash, hint } = generateKey(onlyTracks ? "public" : "secret");
  return await inTransaction(ctx, async (tx) => {
    if ((await q.projects.hold(tx, { projectId })) === 0) throw problems.notFound("project", projectId);
    const row = await q.projectKeys.insert(tx, {
      projectId,
      id: newId(tx),
      name,
      scopes: [...new Set(scopes)],
      hash,
      hint,
      createdBy: nameOf(actor),
      now: tx.now(),
      expiresAt,
      max: MAX_KEYS,
    });
    if (!row) throw problems.tooManyKeys(MAX_KEYS);
    await recordAudit(tx, {
      projectId,
      actor,
      action: "keys.created",
      subject: name,
      details: { hint, scopes: row.scopes },
    });
    return { ...toKey(row), key };
  });
}

/** Changes the name, the scopes or the expiry of a key. Throws not-found, and 422 for scopes that its kind cannot have. */
export async function updateKey(
  ctx: Context,
  projectId: string,
  keyId: string,
  { name, scopes, expiresAt }: Partial<KeyInput>,
  actor: Actor,
): Promise<ProjectKey> {
  return await inTransaction(ctx, async (tx) => {
    const row = await q.projectKeys.patch(tx, {
      projectId,
      keyId,
      name: name ?? null,
      scopes: scopes ? [...new Set(scopes)] : null,
      setExpiresAt: expiresAt !== undefined,
      expiresAt: expiresAt ?? null,
    });
    if (!row) throw problems.notFound("key", keyId);
    const details = { hint: row.hint, scopes: row.scopes, expiresAt: row.expiresAt };
    await recordAudit(tx, { projectId, actor, action: "keys.updated", subject: row.name, details });
    return toKey(row);
  });
}

/** Revokes a key: the next request with it is refused. Throws not-found. */
export async function revokeKey(ctx: Context, projectId: string, keyId: string, actor: Actor): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const row = await q.projectKeys.remove(tx, { projectId, keyId });
    if (!row) throw problems.notFound("key", keyId);
    const { name, hint } = row;
    await recordAudit(tx, { projectId, actor, action: "keys.revoked", subject: name, details: { hint } });
  });
}

function toKey(row: Row): ProjectKey {
  return { ...row, scopes: row.scopes as Scope[] };
}
