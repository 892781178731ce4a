// The one place that decides what a domain looks like that mail can be sent from.

import { domainToASCII } from "node:url";
import { parse } from "tldts";
import { parseAddress } from "./address.ts";

/** The longest name that leaves room for the names of its records before it: DNS ends at 253 characters. */
const maxDomainLength = 220;
/** No ending of domains has a digit in it, but for encoded ones: `127.0.0.0x1` is an address to some. */
const endingPattern = /\.(?:[a-z]+|xn--[a-z0-9-]+)$/;

/**
 * Reads a domain that somebody can own: trimmed, without dots at its end, in lower case and in its ASCII form. Null for
 * anything else, such as an IP address, a single label, or what registries sell names under (`co.uk`).
 */
export function parseDomain(text: string): string | null {
  if (text.length > maxDomainLength * 2) return null;
  const name = text.trim().replace(/[.\u3002\uff0e\uff61]+$/, "");
  const domain = parseAddress(`postmaster@${name}`)?.domain;
  // What says that it is encoded may be nonsense all the same: `xn--a`.
  if (!domain || domain.length > maxDomainLength || domainToASCII(domain) !== domain) return null;
  return endingPattern.test(domain) && parse(domain).domain !== null ? domain : null;
}

/** The domain that was bought for this one: `acme.co.uk` for `news.acme.co.uk`. */
export function registeredDomain(domain: string): string {
  return parse(domain).domain ?? domain;
}
