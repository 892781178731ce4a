import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import type { Config } from "../config/mod.ts";
import type { Context } from "../context.ts";

/** What a derived key is for. A key for one purpose is of no use for another. */
export type Purpose =
  | "sign-ins at providers"
  | "links to providers"
  | "subscription links"
  | "followed mails"
  | "click targets"
  | "dkim keys"
  | "webhook secrets"
  | "project links"
  | "return paths"
  | "sessions"
  | "two-factor secrets"
  | "passkey challenges"
  | "log-in challenges"
  | "platform mails"
  | "transports"
  | "moves"
  | "agent confirmations";

/** Where `SECRET_KEY` is taken from. */
export type KeyHolder = Pick<Context, "config">;

/** A 32-byte key for one purpose, derived from `SECRET_KEY` (HKDF, RFC 5869). */
export function derivedKey({ config }: KeyHolder, purpose: Purpose): Buffer {
  let keys = derivedKeys.get(config);
  if (!keys) derivedKeys.set(config, (keys = new Map()));
  let key = keys.get(purpose);
  if (!key) {
    key = Buffer.from(hkdfSync("sha256", config.SECRET_KEY, "postrider", purpose, 32));
    keys.set(purpose, key);
  }
  return key;
}

// They depend on nothing else, so that two services in one process share nothing.
const derivedKeys = new WeakMap<Config, Map<Purpose, Buffer>>();

// 128 bits: as hard to guess as a key, and links stay short.
const SIGNATURE_BYTES = 16;

/** `payload` as a token for links: only the holder of the key can create or change one. */
export function signToken(ctx: KeyHolder, purpose: Purpose, payload: Buffer): string {
  return Buffer.concat([payload, signatureOf(ctx, purpose, payload)]).toString("base64url");
}

/** The payload of a token made by {@linkcode signToken} for the same purpose, or null. */
export function openToken(ctx: KeyHolder, purpose: Purpose, token: string): Buffer | null {
  const bytes = Buffer.from(token, "base64url");
  // There is a single valid encoding: the decoder alone would also accept other characters, and ignore unknown ones.
  if (bytes.length <= SIGNATURE_BYTES || bytes.toString("base64url") !== token) return null;
  const payload = bytes.subarray(0, -SIGNATURE_BYTES);
  const signed = timingSafeEqual(bytes.subarray(-SIGNATURE_BYTES), signatureOf(ctx, purpose, payload));
  return signed ? payload : null;
}

/** The signature of `payload`: 16 bytes; the first few are enough if there is little room. */
export function signatureOf(ctx: KeyHolder, purpose: Purpose, payload: Buffer): Buffer {
  return createHmac("sha256", derivedKey(ctx, purpose)).update(payload).digest().subarray(0, SIGNATURE_BYTES);
}

/** What signs the links of one project. It moves with the project, and is of no use for the links of another. */
export function linkKeyOf(ctx: KeyHolder, projectId: string): Buffer {
  return createHmac("sha256", derivedKey(ctx, "project links")).update(projectId).digest();
}

// A sealed value: the number of this format, a random nonce, the ciphertext, and its authentication tag.
const SEALED_FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";

/**
 * `plaintext` encrypted for one purpose and for one place, such as the ids of its row: moved to another place it does
 * not open.
 */
export function seal(ctx: KeyHolder, purpose: Purpose, plaintext: string, place: string[]): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, derivedKey(ctx, purpose), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(boundTo(place));
  const sealed = [cipher.update(plaintext, "utf8"), cipher.final()];
  return Buffer.concat([Buffer.of(SEALED_FORMAT), nonce, ...sealed, cipher.getAuthTag()]);
}

/**
 * What {@linkcode seal} was given, for the same purpose and place. Null when it was changed or moved, and when it was
 * sealed with another `SECRET_KEY`.
 */
export function unseal(ctx: KeyHolder, purpose: Purpose, sealed: Uint8Array, place: string[]): string | null {
  const bytes = Buffer.from(sealed);
  if (bytes[0] !== SEALED_FORMAT || bytes.length < 1 + NONCE_BYTES + TAG_BYTES) return null;
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, derivedKey(ctx, purpose), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(boundTo(place));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const opened = [decipher.update(bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES)), decipher.final()];
    return Buffer.concat(opened).toString("utf8");
  } catch {
    return null;
  }
}

/** Told apart from any other place, also where parts run into each other. */
function boundTo(place: string[]): Buffer {
  return Buffer.from(JSON.stringify([SEALED_FORMAT, ...place]));
}
