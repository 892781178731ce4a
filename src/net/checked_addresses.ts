// Where a request may go that somebody else has chosen: the rules for its URL, and for every address of its host.
import { isIP } from "node:net";
import type { Dns } from "../mail/dns.ts";

/** How names are looked up, and what their addresses must be. */
export interface AddressRules {
  dns: Dns;
  /** What speaks against calling an address, such as `a private address`; null when it may be called. */
  reasonAgainst: (address: string) => string | null;
  /** Addresses of a name that the DNS does not know, as those in the hosts file. They are checked, too. */
  localAddresses?: ((name: string) => Promise<string[]>) | undefined;
}

/** What an address was found to be: for the operator's log only. */
export interface RefusedAddress {
  host: string;
  address: string;
  reason: string;
}

/** It must not be asked, now or ever. The message is half a sentence. */
export class Refused extends Error {
  readonly finding: RefusedAddress | null;

  constructor(message: string, finding: RefusedAddress | null = null) {
    super(message);
    this.finding = finding;
  }
}

/** Another time it may go well. The message is half a sentence: `it did not answer within 10 s`. */
export class Failed extends Error {}

/**
 * A URL that may be requested, or {@linkcode Refused}. Numeric hosts in any notation have become plain addresses here.
 */
export function readUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base);
  if (!url || url.port === "0") throw new Refused(`"${cut(text)}" is not a URL`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new Refused(`${cut(url.protocol)}//… is neither http:// nor https://`);
  }
  if (url.username + url.password !== "") throw new Refused("a URL must not contain a user name or password");
  return url;
}

/**
 * Every address of the host, IPv4 first, each looked up once. Throws {@linkcode Refused} where one of them must not be
 * called, without saying which: the caller may not learn about this network. Throws {@linkcode Failed} if there is
 * none, and the reason of `signal` when that is aborted.
 */
export async function checkedAddresses(
  { hostname }: Pick<URL, "hostname">,
  { dns, reasonAgainst, localAddresses }: AddressRules,
  signal: AbortSignal,
): Promise<string[]> {
  const name = bareHost(hostname);
  const addresses = isIP(name) > 0 ? [name] : await lookUp(name, dns, localAddresses, signal);
  for (const address of addresses) {
    const reason = reasonAgainst(address);
    if (reason === null) continue;
    const relation = address === name ? "is" : "leads to";
    throw new Refused(`${cut(name)} ${relation} a private address`, { host: name, address, reason });
  }
  return addresses;
}

/** As much of a text as a reason can hold. */
export function cut(text: string): string {
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…`;
}

const MAX_SHOWN_CHARS = 200;

/** Without the brackets of IPv6, and without the dot at the end. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

async function lookUp(
  name: string,
  dns: Dns,
  localAddresses: AddressRules["localAddresses"],
  signal: AbortSignal,
): Promise<string[]> {
  // This machine, whatever a name server says (RFC 6761).
  if (/(^|\.)localhost$/.test(name)) return ["127.0.0.1"];
  const answers = await Promise.race([
    Promise.all([dns.lookup(name, "A"), dns.lookup(name, "AAAA")]),
    aborted(signal),
  ]);
  const found = answers.flatMap((answer) => (answer.state === "found" ? answer.records : []));
  if (found.length > 0) return found;
  const local = localAddresses ? await Promise.race([localAddresses(name), aborted(signal)]) : [];
  if (local.length > 0) return local;
  if (answers.some(({ state }) => state === "failed"))
    throw new Failed(`${cut(name)} could not be looked up`);
  throw new Failed(`there is no host ${cut(name)}`);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
  });
}
