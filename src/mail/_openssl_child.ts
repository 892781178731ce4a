// A program of its own, started by `_signatures.ts`: signs with the OpenSSL of the system, by its documented functions
// (EVP_PKEY_sign(3)). Native calls stand here alone: where one crashes or hangs, it is not the service that does.
// Ends with its parent, and with code 1 where there is no OpenSSL 3.
import { dlopen, FFIType, type Pointer, ptr } from "bun:ffi";
import { LRUCache } from "lru-cache";

/** Digests to sign with one key. */
export interface SignatureBatch {
  id: number;
  /** PKCS #8, in DER. */
  key: Uint8Array;
  /** SHA-256, 32 bytes each, one after the other. */
  digests: Uint8Array;
}

/** RSA signatures (PKCS #1 v1.5), one after the other, in the order of the digests. */
export interface SignedBatch {
  id: number;
  signatures: Uint8Array;
}

/** A key, ready to sign. */
interface Signer {
  key: Pointer;
  context: Pointer;
}

export const DIGEST_BYTES = 32;
const MAX_SIGNATURE_BYTES = 2048;
const RSA_PKCS1_PADDING = 1;
const MAX_KEYS = 200;

const { i32, ptr: pointer, u64 } = FFIType;

const load = () =>
  dlopen("libcrypto.so.3", {
    d2i_AutoPrivateKey: { args: [pointer, pointer, FFIType.i64], returns: pointer },
    EVP_PKEY_free: { args: [pointer], returns: FFIType.void },
    EVP_sha256: { args: [], returns: pointer },
    EVP_PKEY_CTX_new: { args: [pointer, pointer], returns: pointer },
    EVP_PKEY_CTX_free: { args: [pointer], returns: FFIType.void },
    EVP_PKEY_sign_init: { args: [pointer], returns: i32 },
    EVP_PKEY_CTX_set_rsa_padding: { args: [pointer, i32], returns: i32 },
    EVP_PKEY_CTX_set_signature_md: { args: [pointer, pointer], returns: i32 },
    EVP_PKEY_sign: { args: [pointer, pointer, pointer, pointer, u64], returns: i32 },
  }).symbols;

/** Signs batches. Throws where there is no OpenSSL 3, and for a key that it does not take. */
export function openSsl(): (batch: SignatureBatch) => SignedBatch {
  const ssl = load();
  const mustBeOne = (result: number, what: string) => {
    if (result !== 1) throw new Error(`OpenSSL refuses: ${what}`);
  };
  const free = ({ key, context }: Signer) => {
    ssl.EVP_PKEY_CTX_free(context);
    ssl.EVP_PKEY_free(key);
  };
  const signers = new LRUCache<string, Signer>({ max: MAX_KEYS, dispose: free });

  const read = (der: Uint8Array): Signer => {
    const start = new BigUint64Array([BigInt(ptr(der))]);
    const key = ssl.d2i_AutoPrivateKey(null, start, der.length) as Pointer | null;
    if (key === null) throw new Error("OpenSSL cannot read this key");
    const context = ssl.EVP_PKEY_CTX_new(key, null) as Pointer;
    mustBeOne(ssl.EVP_PKEY_sign_init(context), "to sign");
    mustBeOne(ssl.EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING), "this padding");
    mustBeOne(ssl.EVP_PKEY_CTX_set_signature_md(context, ssl.EVP_sha256()), "this digest");
    return { key, context };
  };
  const signerOf = (der: Uint8Array): Signer => {
    const name = Buffer.from(der).toString("latin1");
    const known = signers.get(name);
    if (known) return known;
    const signer = read(der);
    signers.set(name, signer);
    return signer;
  };

  const room = new Uint8Array(MAX_SIGNATURE_BYTES);
  const length = new BigUint64Array(1);
  return ({ id, key, digests }) => {
    const { context } = signerOf(key);
    const signatures: Uint8Array[] = [];
    for (let at = 0; at < digests.length; at += DIGEST_BYTES) {
      length[0] = BigInt(room.length);
      const digest = digests.slice(at, at + DIGEST_BYTES);
      mustBeOne(ssl.EVP_PKEY_sign(context, room, length, digest, DIGEST_BYTES), "a signature");
      signatures.push(room.slice(0, Number(length[0])));
    }
    return { id, signatures: Buffer.concat(signatures) };
  };
}

if (import.meta.main) {
  const sign = openSsl();
  process.on("message", (batch: SignatureBatch) => process.send!(sign(batch)));
  process.on("disconnect", () => process.exit(0));
}
