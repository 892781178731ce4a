// The one place that decides what an email address looks like. Stricter than RFC 5322, as every mailbox provider is:
// no quoted local parts, comments or address literals. What passes is safe to write into SMTP commands and headers.

import { domainToASCII } from "node:url";

/** A well-formed address: lower case, ASCII, the domain in its DNS form. */
export type Address = { email: string; domain: string };

/** An address with the name shown beside it. */
export type Mailbox = { email: string; name?: string };

const maxAddressLength = 254; // RFC 5321 4.5.3.1.3: a path of 256 octets, less its two brackets
const maxLocalLength = 64;
const maxMailboxLength = 1_000; // about one header line
const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
// The last label must hold a letter: `a@1.2.3.4` is not a mail domain. The text is cut to 254 characters first.
const addressPattern = new RegExp(`^${atom}(?:\\.${atom})*@(?:${label}\\.)+(?![0-9]+$)${label}$`);

/** Reads one bare address, trimmed and in lower case; null when it is not well-formed. */
export function parseAddress(text: string): Address | null {
  const trimmed = text.trim();
  if (trimmed.length > maxAddressLength) return null;
  const at = trimmed.lastIndexOf("@");
  if (at < 1 || at > maxLocalLength) return null;
  const local = trimmed.slice(0, at);
  // Before lower-casing: the Kelvin sign and its like would turn into ASCII letters.
  if (!isAscii(local)) return null;
  const domain = toAsciiDomain(trimmed.slice(at + 1));
  const email = `${local.toLowerCase()}@${domain}`;
  return email.length <= maxAddressLength && addressPattern.test(email) ? { email, domain } : null;
}

/**
 * What to look for in stored addresses: a whole one as it is stored. Of a part, in lower case, what is after the @, or all
 * if there is none, in its DNS form: only domains have letters beyond ASCII.
 */
export function searchedAddress(text: string): string {
  const whole = parseAddress(text);
  if (whole) return whole.email;
  const part = text.trim().toLowerCase();
  if (isAscii(part) || part.length > maxAddressLength) return part;
  const start = part.lastIndexOf("@") + 1;
  const labels = part.slice(start).split(".");
  const encoded = labels.map(toAsciiDomain);
  const isDomain = labels.every((one, i) => one === "" || encoded[i] !== "");
  return isDomain ? part.slice(0, start) + encoded.join(".") : part;
}

/** Reads `Name <a@b.io>`, `"Quoted, Name" <a@b.io>` or a bare address; null for anything else, and for control characters. */
export function parseMailbox(text: string): Mailbox | null {
  const trimmed = text.trim();
  if (trimmed.length > maxMailboxLength || hasControls(trimmed)) return null;
  if (!trimmed.endsWith(">")) {
    const plain = parseAddress(trimmed);
    return plain && { email: plain.email };
  }
  const open = trimmed.lastIndexOf("<");
  const address = open < 0 ? null : parseAddress(trimmed.slice(open + 1, -1));
  const name = address && parseName(trimmed.slice(0, open).trim());
  if (!address || name === null) return null;
  return name === "" ? { email: address.email } : { email: address.email, name };
}

/** The display name, unquoted; null when it could be read as a list or as a second address. */
function parseName(text: string): string | null {
  if (!text.startsWith('"')) return /["<>,;]/.test(text) ? null : text;
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(text)?.[1];
  return quoted === undefined ? null : quoted.replace(/\\(.)/g, "$1").trim();
}

function toAsciiDomain(domain: string): string {
  if (isAscii(domain)) return domain.toLowerCase();
  // domainToASCII reads its input as part of a URL: it would decode `%61` and cut at `/`, `?` and `#`.
  return /[^a-z0-9.\u0080-\uffff-]/i.test(domain) ? "" : domainToASCII(domain);
}

function hasControls(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 32 || code === 127) return true;
  }
  return false;
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}
