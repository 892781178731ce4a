// `POST /v1/verify`: what can be known of an address without writing to it. No mail server is contacted.

import { parseAddress } from "../../mail/address.ts";
import type { Dns, DnsAnswer, DnsFailure } from "../../mail/dns.ts";

/** The answer of `/v1/verify`. */
export type Verification = {
  /** The address as read: trimmed, in lower case, the domain in its ASCII form. */
  email: string;
  /**
   * Nothing speaks against writing to it: it is well-formed, its domain exists and has somewhere to deliver mail
   * (MX, or an address record as RFC 5321 allows), and it is neither disposable nor an evident typing mistake.
   * Aliases, plus addresses and personal addresses are valid. A look-up that failed never makes it false.
   */
  valid: boolean;
  /** The domain belongs to a throw-away mail service. */
  isDisposable: boolean;
  /** The domain belongs to a forwarding service (Hide My Email, SimpleLogin, …); a person reads it. */
  isAlias: boolean;
  /** A typo away from a well-known mail domain; `reasons` says which. */
  isTypo: boolean;
  /** `ada+news@…`. */
  isPlusAddressed: boolean;
  /** At a provider where anybody can have a mailbox (Gmail, Hotmail, …). */
  isPersonalEmail: boolean;
  /** False when DNS says that there is no such domain; null if it could not be asked: `reasons` says why. */
  domainExists: boolean | null;
  /** The domain or its `www.` has an address record; for information only. */
  hasWebsite: boolean;
  /** False when DNS says that there are none, or only a null MX; null if it could not be asked. */
  hasMxRecords: boolean | null;
  /** Everything that speaks against the address or could not be checked, in words; empty when all is well. */
  reasons: string[];
};

type DomainFindings = Pick<Verification, "domainExists" | "hasWebsite" | "hasMxRecords"> & {
  /** Why mail cannot reach the domain, if that is certain. */
  obstacle: string | null;
  /** What could not be found out, and why. */
  doubt: string | null;
};

const dnsTimeoutMs = 5_000; // in all: the look-ups run side by side

const failureTexts: Record<DnsFailure, string> = {
  timeout: "DNS timed out",
  servfail: "DNS answered with a server failure",
  refused: "DNS refused to answer",
  network: "DNS could not be reached",
};

/** Checks one address. Never rejects, and returns within 5 seconds. */
export async function verifyAddress(ctx: { dns: Dns }, email: string): Promise<Verification> {
  const address = parseAddress(email);
  if (!address) return malformed(email);
  // The lists take 30 MB: a service that verifies nothing does without them.
  const { isAliasDomain, isDisposableDomain, isPersonalDomain, suggestDomain } =
    await import("./_mail_domains.ts");
  const { domain } = address;
  const local = address.email.slice(0, -domain.length - 1);
  const meant = suggestDomain(domain);
  const isDisposable = isDisposableDomain(domain);
  const { obstacle, doubt, ...findings } = await inspectDomain(ctx.dns, domain);
  const objections = [
    obstacle,
    isDisposable ? `The domain ${domain} belongs to a disposable mail service` : null,
    meant ? `Did you mean ${local}@${meant}?` : null,
  ].filter((reason) => reason !== null);
  return {
    email: address.email,
    valid: objections.length === 0,
    isDisposable,
    isAlias: isAliasDomain(domain),
    isTypo: meant !== null,
    isPlusAddressed: local.indexOf("+") > 0,
    isPersonalEmail: meant === null && isPersonalDomain(domain),
    ...findings,
    reasons: doubt === null ? objections : [...objections, doubt],
  };
}

async function inspectDomain(dns: Dns, domain: string): Promise<DomainFindings> {
  const options = { timeoutMs: dnsTimeoutMs };
  const [mx, a, aaaa, wwwA, wwwAaaa] = await Promise.all([
    dns.lookup(domain, "MX", options),
    dns.lookup(domain, "A", options),
    dns.lookup(domain, "AAAA", options),
    dns.lookup(`www.${domain}`, "A", options),
    dns.lookup(`www.${domain}`, "AAAA", options),
  ]);
  const own = [mx, a, aaaa];
  // Some servers say "no such name" for a type they do not know, so one that knows of the name outweighs them.
  const isKnown = own.some((answer) => answer.state === "found" || answer.state === "none");
  const isMissing = !isKnown && own.some((answer) => answer.state === "missing");
  const hasNullMx = mx.state === "found" && mx.records.every((record) => record.exchange === "");
  return {
    domainExists: isMissing ? false : isKnown || null,
    hasWebsite: [a, aaaa, wwwA, wwwAaaa].some(isFound),
    hasMxRecords: mx.state === "failed" && !isMissing ? null : mx.state === "found" && !hasNullMx,
    obstacle: findObstacle(domain, { isMissing, hasNullMx, hasNoServer: own.every(isAbsence) }),
    doubt: isMissing ? null : doubtAbout(domain, mx, [a, aaaa], [wwwA, wwwAaaa]),
  };
}

function findObstacle(domain: string, is: { isMissing: boolean; hasNullMx: boolean; hasNoServer: boolean }) {
  if (is.isMissing) return `The domain ${domain} does not exist`;
  if (is.hasNullMx) return `The domain ${domain} accepts no mail`;
  return is.hasNoServer ? `The domain ${domain} has no mail server` : null;
}

function isFound(answer: DnsAnswer): boolean {
  return answer.state === "found";
}

function isAbsence(answer: DnsAnswer): boolean {
  return answer.state === "none" || answer.state === "missing";
}

function doubtAbout(domain: string, mx: DnsAnswer, own: DnsAnswer[], www: DnsAnswer[]): string | null {
  if (mx.state === "failed") return `The domain ${domain} could not be checked: ${failureTexts[mx.reason]}`;
  // One address settles it. One at `www.` does so only when the domain surely has none: mail may go to its own.
  const isSettled = own.some(isFound) || (own.every(isAbsence) && www.some(isFound));
  const failed = [...own, ...www].find((answer) => answer.state === "failed");
  if (!failed || isSettled) return null;
  return `The addresses of ${domain} could not be checked: ${failureTexts[failed.reason]}`;
}

function malformed(email: string): Verification {
  return {
    email,
    valid: false,
    isDisposable: false,
    isAlias: false,
    isTypo: false,
    isPlusAddressed: false,
    isPersonalEmail: false,
    domainExists: false,
    hasWebsite: false,
    hasMxRecords: false,
    reasons: ["The address is not well-formed"],
  };
}
