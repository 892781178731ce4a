// Which hosts take the mail of a domain, and at which addresses (RFC 5321 section 5.1, RFC 7505).
import type { DetailedDns } from "./dns.ts";
import { createLifetimes } from "./_lifetimes.ts";

/** A host that takes mail; those with the same preference share it. */
export interface MailHost {
  name: string;
  preference: number;
}

/** Where the mail of a domain goes. The words are half a sentence or a reply of our own. */
export type MailHosts =
  | { state: "found"; hosts: MailHost[]; isAuthentic: boolean }
  /** There never will be a way: no such domain, or one that says that it takes no mail. */
  | { state: "never"; response: string }
  | { state: "unknown"; response: string };

/** The addresses of a host. */
export type HostAddresses =
  { state: "found"; addresses: string[]; isAuthentic: boolean } | { state: "none" } | { state: "unknown" };

/** Look-ups of hosts and addresses, each kept as long as the DNS says. */
export interface MailHostLookup {
  /** The hosts of a domain, in no order among those of one preference. */
  hostsOf(domain: string): Promise<MailHosts>;
  /** The addresses of a host: IPv4 first, whose reputation and reverse names are more often in order. */
  addressesOf(host: string): Promise<HostAddresses>;
}

const MAX_DOMAINS = 20_000;
/** A domain with more hosts has had its chance with these. */
const MAX_HOSTS = 20;
const MAX_ADDRESSES = 8;

/** Look-ups by this resolver. `ipv6`: whether this machine may use it; without, such an address is found where there is no other. */
export function createMailHostLookup(dns: DetailedDns, ipv6: boolean, now: () => number): MailHostLookup {
  const domains = createLifetimes<MailHosts>(MAX_DOMAINS, now);
  const hosts = createLifetimes<HostAddresses>(MAX_DOMAINS, now);
  return {
    hostsOf: (domain) =>
      domains.load(domain, async () => {
        const { answer, ttlS, isAuthentic } = await dns.inquire(domain, "MX");
        return { value: readHosts(domain, answer, isAuthentic), ttlS };
      }),
    addressesOf: (host) => hosts.load(host, () => readAddresses(dns, host, ipv6)),
  };
}

function readHosts(
  domain: string,
  answer: Awaited<ReturnType<DetailedDns["inquire"]>>["answer"],
  isAuthentic: boolean,
): MailHosts {
  if (answer.state === "missing") {
    return { state: "never", response: `550 5.1.2 There is no domain ${domain}` };
  }
  if (answer.state === "failed") {
    const response = `The mail servers of ${domain} could not be looked up (${answer.reason})`;
    return { state: "unknown", response };
  }
  // Without an MX the domain itself is the host.
  if (answer.state === "none") {
    return { state: "found", hosts: [{ name: domain, preference: 0 }], isAuthentic };
  }
  const records = answer.records as { preference: number; exchange: string }[];
  const named = records.filter(({ exchange }) => exchange !== "" && exchange !== ".");
  if (named.length === 0) {
    return { state: "never", response: `556 5.1.10 ${domain} accepts no mail (null MX)` };
  }
  const hosts = named.slice(0, MAX_HOSTS).map(({ exchange, preference }) => ({ name: exchange, preference }));
  return { state: "found", hosts, isAuthentic };
}

async function readAddresses(
  dns: DetailedDns,
  host: string,
  ipv6: boolean,
): Promise<{ value: HostAddresses; ttlS: number }> {
  const first = ipv6 ? dns.inquire(host, "AAAA") : null;
  const four = await dns.inquire(host, "A");
  const six = await (first ?? (four.answer.state === "none" ? dns.inquire(host, "AAAA") : null));
  const answers = six ? [four, six] : [four];
  const found = answers.filter(({ answer }) => answer.state === "found");
  const addresses = found
    .flatMap(({ answer }) => (answer.state === "found" ? (answer.records as string[]) : []))
    .slice(0, MAX_ADDRESSES);
  const ttlS = Math.min(...(found.length > 0 ? found : answers).map((each) => each.ttlS));
  if (addresses.length > 0) {
    const isAuthentic = found.every((each) => each.isAuthentic);
    return { value: { state: "found", addresses, isAuthentic }, ttlS };
  }
  const isUnknown = answers.some(({ answer }) => answer.state === "failed");
  return { value: { state: isUnknown ? "unknown" : "none" }, ttlS };
}

/** Hosts in the order in which they are tried: by preference, at random among equals. */
export function inOrder(hosts: readonly MailHost[], random: () => number): MailHost[] {
  return hosts
    .map((host) => ({ host, lot: random() }))
    .toSorted((a, b) => a.host.preference - b.host.preference || a.lot - b.lot)
    .map(({ host }) => host);
}
