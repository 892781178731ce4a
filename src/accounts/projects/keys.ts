import { createHash, randomBytes } from "node:crypto";
import { createBatcher } from "../../batcher.ts";
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem.ts";

/** Which of the two keys of a project. */
export type KeyKind = "public" | "secret";

/** The caller. */
export interface ProjectIdentity {
  id: string;
  /** The end of the secret key; null for a public one. */
  hint: string | null;
  disabled: boolean;
  disabledReason: string | null;
}

const PATTERNS: Record<KeyKind, RegExp> = { public: /^pk_[0-9a-f]{48}$/, secret: /^sk_[0-9a-f]{48}$/ };

/** A new pair. The secret key is shown once and stored only as a hash. */
export function generateKeys() {
  const publicKey = `pk_${randomBytes(24).toString("hex")}`;
  const secretKey = `sk_${randomBytes(24).toString("hex")}`;
  return { publicKey, secretKey, secretHash: hashKey(secretKey), secretHint: secretKey.slice(-4) };
}

/**
 * The project that this key belongs to, whether disabled or not. Nothing is cached: a look-up begins after the request
 * arrived, so a rotated key fails on the very next one. Concurrent requests share a look-up. Throws INVALID_API_KEY for
 * an unknown key and for the wrong kind of key.
 */
export async function projectByKey(ctx: Context, kind: KeyKind, key: string): Promise<ProjectIdentity> {
  if (!PATTERNS[kind].test(key)) throw problems.invalidApiKey(kind);
  const project = await lookUps(ctx)[kind](key);
  if (!project) throw problems.unknownApiKey(kind);
  return project;
}

const lookUps = perService((ctx) => {
  const options = { maxItems: 500, maxFlights: 2 };
  return {
    public: createBatcher(async (keys: string[]) => {
      const rows = await q.projects.byPublicKeys(ctx, { keys });
      const found = new Map(rows.map((row) => [row.key, { ...row, hint: null }]));
      return keys.map((key): ProjectIdentity | null => found.get(key) ?? null);
    }, options),
    secret: createBatcher(async (keys: string[]) => {
      // Digests are compared, by the index: its timing says nothing about the key itself.
      const hashes = keys.map((key) => hashKey(key).toString("hex"));
      const rows = await q.projects.bySecretHashes(ctx, { hashes });
      const found = new Map(rows.map((row) => [row.key, row]));
      return hashes.map((hash): ProjectIdentity | null => found.get(hash) ?? null);
    }, options),
  };
});

function hashKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
