import { createHash, randomBytes } from "node:crypto";
import { createBatcher } from "../../batcher.ts";
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { createUseNotes } from "../last_uses.ts";
import { isSandbox } from "./sandbox_id.ts";

/** Which of the two keys of a project. */
export type KeyKind = "public" | "secret";

/** The caller. */
export interface ProjectIdentity {
  id: string;
  /** The end of the key; null for the public one of the pair. */
  hint: string | null;
  /** A key besides the pair; null for the pair, which may do everything. */
  named: NamedKey | null;
  disabled: boolean;
  disabledReason: string | null;
}

/** A key with a name, and with what it may do. */
export interface NamedKey {
  id: string;
  name: string;
  scopes: string[];
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

/** The keys of a sandbox say so: whoever reads one knows that no mail leaves with it. */
const PATTERNS: Record<KeyKind, RegExp> = {
  public: /^pk_(test_)?[0-9a-f]{48}$/,
  secret: /^sk_(test_)?[0-9a-f]{48}$/,
};

/** A new key of a project or a sandbox, shown once and stored only as a hash. */
export function generateKey(kind: KeyKind, projectId: string) {
  const prefix = `${kind === "public" ? "pk" : "sk"}_${isSandbox(projectId) ? "test_" : ""}`;
  const key = prefix + randomBytes(24).toString("hex");
  return { key, hash: hashKey(key), hint: key.slice(-4) };
}

/** A new pair. The secret key is shown once and stored only as a hash. */
export function generateKeys(projectId: string) {
  const { key: publicKey } = generateKey("public", projectId);
  const { key: secretKey, hash: secretHash, hint: secretHint } = generateKey("secret", projectId);
  return { publicKey, secretKey, secretHash, secretHint };
}

/**
 * The project that this key belongs to, whether disabled or not. Nothing is cached: a look-up begins after the request
 * arrived, so a rotated key fails on the very next one. Concurrent requests share a look-up. What the public key can do, a
 * named key that begins with `sk_` can do as well, where its scopes say so. Throws INVALID_API_KEY for an unknown key and
 * for the wrong kind of key. One that has expired is for the caller to refuse: {@linkcode assertUnexpired}.
 */
export async function projectByKey(ctx: Context, kind: KeyKind, key: string): Promise<ProjectIdentity> {
  const given = kind === "public" && PATTERNS.secret.test(key) ? "secret" : kind;
  if (!PATTERNS[given].test(key)) throw problems.invalidApiKey(kind);
  const project = await lookUps(ctx)[given](key);
  if (given !== kind && !project?.named) throw problems.invalidApiKey(kind);
  if (!project) throw problems.unknownApiKey(kind);
  const { named } = project;
  if (named && !isExpired(ctx, named)) {
    useNotes(ctx)({ projectId: project.id, id: named.id, lastUsedAt: named.lastUsedAt });
  }
  return project;
}

/** Throws INVALID_API_KEY for a key whose time is over. */
export function assertUnexpired(ctx: Context, key: NamedKey): void {
  if (isExpired(ctx, key)) throw problems.expiredApiKey(key.name);
}

function isExpired(ctx: Context, { expiresAt }: NamedKey): boolean {
  return expiresAt !== null && expiresAt <= ctx.now();
}

const lookUps = perService((ctx) => {
  const options = { name: "look up keys", maxItems: 500, maxFlights: 2 };
  return {
    public: createBatcher(async (keys: string[]) => {
      const found = byKey(await q.projects.byPublicKeys(ctx, { keys }));
      return keys.map((key) => found.get(key) ?? null);
    }, options),
    secret: createBatcher(async (keys: string[]) => {
      // Digests are compared, by the index: its timing says nothing about the key itself.
      const hashes = keys.map((key) => hashKey(key).toString("hex"));
      const found = byKey(await q.projects.bySecretHashes(ctx, { hashes }));
      return hashes.map((hash) => found.get(hash) ?? null);
    }, options),
  };
});

type Row = Awaited<ReturnType<typeof q.projects.bySecretHashes>>[number];

function byKey(rows: Row[]): Map<string, ProjectIdentity> {
  return new Map(
    rows.map(({ key, keyId, keyName, scopes, expiresAt, lastUsedAt, ...project }) => {
      const named = keyId && { id: keyId, name: keyName!, scopes: scopes!, expiresAt, lastUsedAt };
      return [key, { ...project, named: named || null }];
    }),
  );
}

const useNotes = perService((ctx) =>
  createUseNotes(ctx, async (keys: { projectId: string; id: string; lastUsedAt: Date | null }[], now) => {
    const projectIds = keys.map(({ projectId }) => projectId);
    await q.projectKeys.noteUse(ctx, { projectIds, ids: keys.map(({ id }) => id), now });
  }),
);

function hashKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
