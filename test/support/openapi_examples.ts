// Makes examples readable, and the same from one run to the next: what is different each time is replaced.

import { createHash } from "node:crypto";

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const KEY = /\b([ps]k)_[0-9a-f]{48}\b/g;
const RECOVERY_CODE = /^[0-9a-z]{4}(-[0-9a-z]{4}){3,}$/;
const LONG = 400;
/** What factors and devices make up, by the name of its field. */
const RANDOM: Record<string, { is: RegExp; plain: string }> = {
  startCursor: { is: /^[\w-]{20,}$/, plain: "WyIwMTlhYThmMCJd" },
  cursor: { is: /^[\w-]{20,}$/, plain: "WyIwMTlhYThmMCJd" },
  hint: { is: /^[0-9a-f]{4}$/, plain: "46e0" },
  secretHint: { is: /^\S{4}$/, plain: "2e73" },
  version: { is: /^"[\w-]{22}"$/, plain: '"GGhTpZIdhpNAJYoTSjMeFM"' },
  webhookSecretHint: { is: /^.{4}$/, plain: "zY8=" },
  challenge: { is: /^[\w.-]{20,}$/, plain: "QnokEJZmiQADl2cS4rnLcrPk" },
  code: { is: /^\d{6}$/, plain: "492039" },
  secret: { is: /^[A-Z2-7]{16,}$/, plain: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP" },
  id: { is: /^[\w-]{20,}$/, plain: "mT3fU0aPzq8kXw1n" },
  rawId: { is: /^[\w-]{20,}$/, plain: "mT3fU0aPzq8kXw1n" },
  userHandle: { is: /^[\w-]{8,}$/, plain: "AZqo8BwA" },
  clientDataJSON: { is: /^[\w-]{8,}$/, plain: "eyJ0eXBlIjoi" },
  attestationObject: { is: /^[\w-]{8,}$/, plain: "o2NmbXRk" },
  authenticatorData: { is: /^[\w-]{8,}$/, plain: "SZYN5YgO" },
  signature: { is: /^[\w-]{8,}$/, plain: "MEUCIQDx" },
};
const NOW = Date.parse("2026-11-22T08:00:00.000Z");

/** The same examples, by operation, with ids, times and keys that nobody has. */
export function plainExamples<T extends object>(examples: T): T {
  const ids = new Map<string, string>();
  return Object.fromEntries(
    Object.entries(examples).map(([operation, example]) => [
      operation,
      plainExample(operation, example, ids),
    ]),
  ) as T;
}

/** An id is named after the operation that it is first seen at: a new operation does not rename those of all others. */
function plainExample(operation: string, example: unknown, ids: Map<string, string>): unknown {
  const recoveryCodes = new Map<string, string>();
  let own = 0;
  const idOf = (id: string) => {
    if (!ids.has(id))
      ids.set(id, `019aa8f0-1c00-7000-8000-${digitsOf(`${operation} ${++own}`).slice(0, 12)}`);
    return ids.get(id)!;
  };
  return JSON.parse(JSON.stringify(example), (key, value: unknown) => {
    if (key === "durationMs") return 12.5;
    if (typeof value !== "string") return value;
    const random = RANDOM[key];
    if (random?.is.test(value) && value.search(UUID) !== 0) return random.plain;
    const plain = value
      .replace(RECOVERY_CODE, (code) => {
        if (!recoveryCodes.has(code)) recoveryCodes.set(code, recoveryCodeOf(recoveryCodes.size));
        return recoveryCodes.get(code)!;
      })
      .replace(/(otpauth:.*[?&]secret=)[A-Z2-7]+/, `$1${RANDOM.secret!.plain}`)
      .replace(UUID, idOf)
      .replace(TIME, (time) => (isRecent(time) ? new Date(NOW).toISOString() : time))
      .replace(KEY, (_, kind: string) => `${kind}_${"0123456789abcdef".repeat(3)}`)
      .replace(/(p=)[A-Za-z0-9+/]{40,}={0,2}/, "$1MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA…")
      .replace(/\b[0-9a-f]{32,}\b/g, "5f2c…")
      .replace(/\bpr[0-9a-f]{10}\b/g, "pr9bac38c1c3")
      .replace(/(\/(?:unsubscribe|manage)\/)[\w-]{40,}/g, "$1AaIaN6T7ceCIGJYP")
      .replace(/\b(whsec_)[A-Za-z0-9+/]{40,}=*/g, "$1RoP6tiifEBkEYrUn2bgeeduvxHhE04SIDqUxKiglc0")
      .replace(/(secret key …)[0-9a-f]{4}\b/, `$1${RANDOM.secretHint!.plain}`)
      .replace(/eyJ[\w.-]{20,}/g, "eyJhbGciOi…");
    return plain.length > LONG ? `${plain.slice(0, LONG)}…` : plain;
  });
}

/** The n-th recovery code, which nobody has. */
function recoveryCodeOf(n: number): string {
  return digitsOf(`recovery code ${n}`)
    .slice(0, 16)
    .replace(/(.{4})(?=.)/g, "$1-");
}

const digitsOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** Of this run; another one stands in a request. */
function isRecent(time: string): boolean {
  return Math.abs(Date.parse(time) - Date.now()) < 400 * 24 * 3_600_000;
}
