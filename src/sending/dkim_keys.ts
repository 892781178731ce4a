// The keys that sign the mails of a domain. The private half is sealed before it reaches the database.
import { generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { type Actor, OPERATOR, recordAudit } from "../accounts/audit.ts";
import { type KeyHolder, seal, unseal } from "../accounts/secrets.ts";
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { problems } from "../problem/mod.ts";

/** What signs the mails of a domain. `privateKey` is PEM (PKCS #8): neither for the log nor for an answer. */
export interface DkimKey {
  selector: string;
  domain: string;
  privateKey: string;
}

/** A new key as its row in `domains` holds it. */
export interface StoredDkimKey {
  dkimSelector: string;
  /** Base64, as in the DNS. */
  dkimPublicKey: string;
  dkimPrivateKey: Buffer;
}

const PURPOSE = "dkim keys";
const KEY_BITS = 2048;
const SELECTOR_BYTES = 5;

const makePair = promisify(generateKeyPair);

const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

/** A key that was sealed with another `SECRET_KEY`. */
export class LostDkimKey extends Error {
  override name = "LostDkimKey";
}

/**
 * The key of a project's domain, by its ASCII name. Null unless the domain is VERIFIED and the public half has been
 * seen in the DNS. Throws {@linkcode LostDkimKey}, with a line in the log, when it was encrypted with another
 * `SECRET_KEY`: receivers expect a signature by now, and nobody would see why mail is treated as spam.
 */
export async function dkimKeyOf(ctx: Context, projectId: string, domain: string): Promise<DkimKey | null> {
  const row = await q.domains.signingKey(ctx, { projectId, domain });
  if (!row) return null;
  const privateKey = openDkimKey(ctx, { ...row, projectId });
  if (privateKey === null) {
    const said = "DKIM key cannot be decrypted: is this the SECRET_KEY that it was encrypted with?";
    ctx.log.error(`${said} Mails of its domain wait`, { projectId, domain });
    throw new LostDkimKey(said);
  }
  return { selector: row.dkimSelector, domain: row.domain, privateKey };
}

/** The private half of a stored key; null when `SECRET_KEY` is not the one it was sealed with. */
export function openDkimKey(
  ctx: KeyHolder,
  row: { projectId: string; id: string; dkimPrivateKey: Uint8Array },
): string | null {
  return unseal(ctx, PURPOSE, row.dkimPrivateKey, [row.projectId, row.id]);
}

/** Whether the first of all keys opens, as a sign of all: a `SECRET_KEY` that was lost is lost for each that is older. */
export async function keysOpen(ctx: KeyHolder & Pick<Context, "sql" | "patienceMs">): Promise<boolean> {
  const first = { afterProjectId: BEFORE_ALL, afterId: BEFORE_ALL, limit: 1 };
  const [row] = await q.doctor.dkimKeys(ctx, first);
  return row === undefined || openDkimKey(ctx, row) !== null;
}

/** Creates a key for one domain of a project. Takes up to a few 100 ms, off the main thread. */
export async function newDkimKey(ctx: Context, projectId: string, domainId: string): Promise<StoredDkimKey> {
  const { publicKey, privateKey } = await makePair("rsa", {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return {
    // Another one for each key: a domain may be in several projects, and may be removed and added again.
    dkimSelector: `pr${randomBytes(SELECTOR_BYTES).toString("hex")}`,
    dkimPublicKey: publicKey.toString("base64"),
    dkimPrivateKey: seal(ctx, PURPOSE, privateKey, [projectId, domainId]),
  };
}

/** Gives a domain its key and has it checked soon. One that has a key keeps it. */
export async function makeDkimKey(ctx: Context, projectId: string, domainId: string): Promise<void> {
  const key = await newDkimKey(ctx, projectId, domainId);
  await q.domains.setKey(ctx, { projectId, domainId, ...key, now: ctx.now() });
}

/**
 * Gives a domain another key where its own cannot be decrypted any more, and returns whether it did. Then it has to be
 * verified again, unless the operator vouches for it. A key that can be decrypted is kept, and so is one that another
 * process stored in the meantime. Throws 404.
 */
export async function replaceLostDkimKey(
  ctx: Context,
  projectId: string,
  domain: string,
  actor: Actor = OPERATOR,
): Promise<{ domainId: string; isReplaced: boolean }> {
  const row = await q.domains.sealedKey(ctx, { projectId, domain });
  if (!row) throw problems.notFound("domain", domain);
  const { id: domainId, dkimSelector: replaced, dkimPrivateKey } = row;
  const isKept =
    replaced === null ||
    dkimPrivateKey === null ||
    openDkimKey(ctx, { projectId, id: domainId, dkimPrivateKey }) !== null;
  if (isKept) return { domainId, isReplaced: false };
  const key = await newDkimKey(ctx, projectId, domainId);
  return await inTransaction(ctx, async (tx) => {
    const changed = await q.domains.replaceKey(tx, { projectId, domainId, ...key, replaced, now: tx.now() });
    if (changed === 0) return { domainId, isReplaced: false };
    await recordAudit(tx, { projectId, actor, action: "domain.rekeyed", subject: domain });
    return { domainId, isReplaced: true };
  });
}
