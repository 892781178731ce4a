// How a provider proves that a webhook comes from it. Each returns half a sentence for why it does not, or null.
import { createHmac, createPublicKey, timingSafeEqual, verify } from "node:crypto";

const FORGED = "its signature is not valid";
const STRANGER = "its user and password, or token, are not those that are set here";

/** `user:password` by Basic authentication, or anything else as a bearer token. */
export function whyNotLoggedIn(headers: Headers, secret: string): string | null {
  const given = headers.get("authorization") ?? "";
  const expected = secret.includes(":")
    ? `Basic ${Buffer.from(secret).toString("base64")}`
    : `Bearer ${secret}`;
  return isEqual(given, expected) ? null : STRANGER;
}

/** HMAC-SHA256 in hex. */
export function whyNotHmac(content: string, signature: string, secret: string): string | null {
  const expected = createHmac("sha256", secret).update(content).digest("hex");
  return isEqual(signature.toLowerCase(), expected) ? null : FORGED;
}

/** Standard Webhooks, as Svix sends them: `whsec_…`, and several signatures while a secret is being changed. */
export function whyNotSvix(headers: Headers, body: Uint8Array, secret: string): string | null {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const [id, at] = [headers.get("svix-id") ?? "", headers.get("svix-timestamp") ?? ""];
  const expected = createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest("base64");
  const given = (headers.get("svix-signature") ?? "").split(" ").map((one) => one.replace(/^v1,/, ""));
  return given.some((one) => isEqual(one, expected)) ? null : FORGED;
}

/** ECDSA over the time and the body; the secret is the public key of the sender. */
export function whyNotEcdsa(
  at: string,
  signature: string,
  body: Uint8Array,
  publicKey: string,
): string | null {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
    const content = Buffer.concat([Buffer.from(at), body]);
    return verify("sha256", content, key, Buffer.from(signature, "base64")) ? null : FORGED;
  } catch {
    return FORGED;
  }
}

/** What was signed too long ago, or not yet, is somebody's recording. */
export function whyNotNow(seconds: string, now: Date, toleranceS: number): string | null {
  const awayS = Math.abs(now.getTime() / 1_000 - Number(seconds));
  return /^\d{1,12}$/.test(seconds) && awayS <= toleranceS ? null : "it was signed too long ago";
}

function isEqual(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
