// The secrets of a project on their way: under a key that is made of a passphrase, because that of an installation stays
// there.
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";

/** What an export says about its passphrase. */
export interface PassphraseNote {
  kdf: "scrypt";
  N: number;
  r: number;
  p: number;
  /** Base64. */
  salt: string;
  /** Opens with the right passphrase only. */
  check: string;
}

/** Seals and opens secrets under one passphrase. */
export interface Wrapping {
  note: PassphraseNote;
  /** `secret` for one place, such as a column and the ids of its row. */
  wrap(secret: string, place: string[]): string;
  /** What {@linkcode Wrapping.wrap} was given for the same place. Throws for one that was changed or moved. */
  unwrap(wrapped: string, place: string[]): string;
}

/** Of an export: 128 MB and half a second for each guess. Tests take less. */
export const COST = { N: 2 ** 17, r: 8, p: 1 };
/** A file may ask for this much at most: it comes from elsewhere. */
const MAX_N = 2 ** 18;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";
const CHECK = "postrider";

/** Shortest passphrase of an export. */
export const MIN_PASSPHRASE = 12;

/** A new key for an export. Throws for a passphrase that is too short. */
export async function wrapWith(passphrase: string): Promise<Wrapping> {
  if (passphrase.length < MIN_PASSPHRASE) {
    throw new Error(
      `Cannot export with this passphrase: it has ${passphrase.length} characters, and needs ${MIN_PASSPHRASE}`,
    );
  }
  const salt = randomBytes(SALT_BYTES);
  const key = await keyOf(passphrase, salt, COST);
  const note: PassphraseNote = { kdf: "scrypt", ...COST, salt: salt.toString("base64"), check: "" };
  note.check = sealWith(key, CHECK, ["check"]);
  return toWrapping(key, note);
}

/** The key of an export. Throws for a wrong passphrase. */
export async function unwrapWith(passphrase: string, note: PassphraseNote): Promise<Wrapping> {
  const { kdf, N, r, p } = note;
  if (kdf !== "scrypt" || !(N <= MAX_N && r <= 8 && p === 1)) {
    throw new Error("Cannot read this export: its passphrase was used in a way that is not known here");
  }
  const key = await keyOf(passphrase, Buffer.from(note.salt, "base64"), { N, r, p });
  if (openWith(key, note.check, ["check"]) !== CHECK) {
    throw new Error("Cannot import this file: the passphrase is not the one that it was exported with");
  }
  return toWrapping(key, note);
}

function toWrapping(key: Buffer, note: PassphraseNote): Wrapping {
  return {
    note,
    wrap: (secret, place) => sealWith(key, secret, place),
    unwrap(wrapped, place) {
      const secret = openWith(key, wrapped, place);
      if (secret === null) throw new Error(`Cannot import this file: a secret of ${place[0]} was changed`);
      return secret;
    },
  };
}

function keyOf(passphrase: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { ...cost, maxmem: 256 * cost.N * cost.r };
    scrypt(passphrase.normalize("NFKC"), salt, 32, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

function sealWith(key: Buffer, secret: string, place: string[]): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(JSON.stringify(place)));
  const sealed = [cipher.update(secret, "utf8"), cipher.final()];
  return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]).toString("base64");
}

function openWith(key: Buffer, wrapped: string, place: string[]): string | null {
  const bytes = Buffer.from(wrapped, "base64");
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(JSON.stringify(place)));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const opened = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
    return Buffer.concat(opened).toString("utf8");
  } catch {
    return null;
  }
}
