// What is written down of a request that was refused: as much as helps to find the mistake, and no secret.
import { parseAddress } from "../../mail/address.ts";

/** What is in place of a secret. */
export const REMOVED = "[removed]";

/** Of a body, in bytes. */
export const MAX_BODY_BYTES = 4_096;
const MAX_VALUE_LENGTH = 1_000;
const MAX_DEPTH = 20;
const MAX_ADDRESSES = 200;
const MAX_ADDRESS_LENGTH = 320;

/** Parts of names whose values are secrets, and whole names. Case and punctuation do not count. */
const SECRET_PART =
  /passw(or)?d|passphrase|passcode|secret|token|apikey|accesskey|privatekey|authorization|credential|cookie|signature/;
const SECRET_NAMES = new Set(["key", "pass", "pwd", "pin", "otp", "auth", "cvc", "cvv"]);

/** Secrets that are known by how they look, wherever they stand. */
const SECRETS: [pattern: RegExp, instead: string][] = [
  [/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^]*?(-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g, REMOVED],
  [/\b[spr]k_[0-9A-Za-z_]{12,}/g, REMOVED],
  [/\bwhsec_[\w+/=-]{8,}/g, REMOVED],
  [/\b(bearer|basic)\s{1,5}[\w.~+/=-]{8,}/gi, `$1 ${REMOVED}`],
  [/\beyJ[\w-]{5,}\.[\w-]{5,}(\.[\w-]{0,2000})?/g, REMOVED],
  // A password may hold anything, also what should have been percent-encoded: up to the last @ all is one.
  [/(\bsmtps?:\/\/)[^\s"]{1,2000}@/gi, `$1${REMOVED}@`],
  [/(:\/\/[^/\s:@"]{0,200}:)[^/\s@"]{1,200}@/g, `$1${REMOVED}@`],
];
const QUERY_PAIR = /([?&])([^=&#\s"]{1,100})=([^&#\s"]+)/g;
/** `"name": value` or `name=value` in text that is not JSON. */
const TEXT_PAIR =
  /("(?:[^"\\]|\\.){1,40}"|(?<![\w-])[\w-]{1,100})(\s{0,20}[:=]\s{0,20})("(?:[^"\\]|\\.)*"?|[{[]|[^\s,;&}\]{["]+)/g;
const ADDRESS = /[^\s"'<>,;:\\()[\]{}@=?&/]{1,64}@[^\s"'<>,;:\\()[\]{}@?&/]{1,255}/g;

/** Text that Postgres can hold, without what looks like a secret. */
export function withoutSecrets(text: string): string {
  let clean = text.toWellFormed().replaceAll("\0", "\ufffd");
  for (const [pattern, instead] of SECRETS) clean = clean.replace(pattern, instead);
  return clean.replace(QUERY_PAIR, (pair, mark: string, name: string) =>
    isSecretName(name) ? `${mark}${name}=${REMOVED}` : pair,
  );
}

/** Up to 4 KB of a JSON body: values by their names, long texts and lists cut. Of one that is not JSON, its beginning. */
export function describeBody(body: unknown): string {
  const text = typeof body === "string" ? describeText(body) : JSON.stringify(copyOf(body));
  return cutTo(withoutSecrets(text), MAX_BODY_BYTES);
}

/** The addresses in these texts, as contacts have them. */
export function addressesIn(texts: (string | null)[]): string[] {
  const found = new Set<string>();
  for (const text of texts) {
    if (!text || !/@|%40/.test(text)) continue;
    for (const [match] of text.replaceAll("%40", "@").matchAll(ADDRESS)) {
      const address = parseAddress(match.replace(/^\.+|\.+$/g, ""))?.email;
      if (address !== undefined && found.size < MAX_ADDRESSES) found.add(address);
    }
  }
  return [...found];
}

function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  return SECRET_NAMES.has(plain) || SECRET_PART.test(plain);
}

/** A copy that is about as long as is kept, so that the work does not depend on the size of the body. */
function copyOf(value: unknown, room = { left: MAX_BODY_BYTES }, depth = 0): unknown {
  if (typeof value === "string") {
    const kept = value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value;
    room.left -= kept.length + 3;
    return kept;
  }
  room.left -= 6;
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) return "…";
  if (Array.isArray(value)) return copyOfList(value, room, depth);
  const copy = Object.create(null) as Record<string, unknown>;
  for (const name in value) {
    if (room.left <= 0) break;
    const shown = name.slice(0, MAX_VALUE_LENGTH);
    room.left -= shown.length + 4;
    copy[shown] = isSecretName(shown)
      ? REMOVED
      : copyOf((value as Record<string, unknown>)[name], room, depth + 1);
  }
  return copy;
}

function copyOfList(list: unknown[], room: { left: number }, depth: number): unknown[] {
  const copy: unknown[] = [];
  for (const item of list) {
    if (room.left <= 0) {
      copy.push(`… ${list.length - copy.length} more`);
      break;
    }
    copy.push(copyOf(item, room, depth + 1));
  }
  return copy;
}

function describeText(text: string): string {
  const shown = text.slice(0, MAX_BODY_BYTES);
  // Where a secret ends that is an object is unknown in text that cannot be parsed.
  const open = shown
    .matchAll(TEXT_PAIR)
    .find(([, name, , value]) => isSecretName(name!) && /^[{[]/.test(value!));
  const clean = shown
    .slice(0, open?.index)
    .replace(TEXT_PAIR, (pair, name: string, colon: string) =>
      isSecretName(name) ? `${name}${colon}${REMOVED}` : pair,
    );
  return open ? `${clean}${REMOVED}` : clean;
}

function cutTo(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const kept = Buffer.from(text)
    .subarray(0, bytes - 3)
    .toString()
    .replace(/\ufffd{1,3}$/, "");
  // Half an address at the end would be found by nobody who looks for it.
  const lastWord = /[^\s"<>,;:]*$/.exec(kept.slice(-MAX_ADDRESS_LENGTH))![0];
  return `${kept.slice(0, kept.length - lastWord.length).toWellFormed()}…`;
}
