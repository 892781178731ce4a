// The one place that decides what a domain looks like that mail can be sent from.

import { domainToASCII } from "node:url";
import { parse } from "tldts";
import { parseAddress } from "./address.ts";

/** The longest name that leaves room for the names of its records before it: DNS ends at 253 characters. */
const maxDomainLength = 220;
/** No top-level domain contains a digit, except for encoded ones: `127.0.0.0x1` is an address to some programs. */
const endingPattern = /\.(?:[a-z]+|xn--[a-z0-9-]+)$/;

/**
 * Reads a registrable domain: trimmed, without trailing dots, in lower case and in its ASCII form. Null for anything
 * else, such as an IP address, a single label, or a public suffix (`co.uk`).
 */
export function parseDomain(text: string): string | null {
  if (text.length > maxDomainLength * 2) return null;
  const name = text.trim().replace(/[.\u3002\uff0e\uff61]+$/, "");
  const domain = parseAddress(`postmaster@${name}`)?.domain;
  // Even the encoded form may be invalid: `xn--a`.
  if (!domain || domain.length > maxDomainLength || domainToASCII(domain) !== domain) return null;
  return endingPattern.test(domain) && parse(domain).domain !== null ? domain : null;
}

/** The domain that was bought for this one: `acme.co.uk` for `news.acme.co.uk`. */
export function registeredDomain(domain: string): string {
  return parse(domain).domain ?? domain;
}
