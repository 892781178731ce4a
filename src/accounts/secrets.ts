import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { type Context, perService } from "../context.ts";

/** What a derived key is for. A key for one purpose is of no use for another. */
export type Purpose = "subscription links" | "followed mails" | "click targets";

/** A 32-byte key for one purpose, derived from `SECRET_KEY` (HKDF, RFC 5869). */
export function derivedKey(ctx: Context, purpose: Purpose): Buffer {
  const keys = derivedKeys(ctx);
  let key = keys.get(purpose);
  if (!key) {
    key = Buffer.from(hkdfSync("sha256", ctx.config.SECRET_KEY, "postrider", purpose, 32));
    keys.set(purpose, key);
  }
  return key;
}

const derivedKeys = perService(() => new Map<Purpose, Buffer>());

// 128 bits: as hard to guess as a key, and links stay short.
const SIGNATURE_BYTES = 16;

/** `payload` as a token for links: nobody without the key can make or change one. */
export function signToken(ctx: Context, purpose: Purpose, payload: Buffer): string {
  return Buffer.concat([payload, signature(ctx, purpose, payload)]).toString("base64url");
}

/** The payload of a token made by {@linkcode signToken} for the same purpose, or null. */
export function openToken(ctx: Context, purpose: Purpose, token: string): Buffer | null {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length <= SIGNATURE_BYTES) return null;
  const payload = bytes.subarray(0, -SIGNATURE_BYTES);
  const signed = timingSafeEqual(bytes.subarray(-SIGNATURE_BYTES), signature(ctx, purpose, payload));
  return signed ? payload : null;
}

function signature(ctx: Context, purpose: Purpose, payload: Buffer): Buffer {
  return createHmac("sha256", derivedKey(ctx, purpose)).update(payload).digest().subarray(0, SIGNATURE_BYTES);
}
