// Which IP addresses may be called for somebody who is not to be trusted with our network.
import ipaddr from "ipaddr.js";

/** Where a cloud keeps what only its machines may know. Some of them are public by their range. */
const METADATA = [
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
].map((address) => ipaddr.parse(address).toNormalizedString());

/** What a range is called. The others are reserved. */
const WORDS: Record<string, string> = {
  unspecified: "an unspecified address",
  broadcast: "a broadcast address",
  multicast: "a multicast address",
  linkLocal: "a link-local address",
  loopback: "a loopback address",
  carrierGradeNat: "an address behind a carrier's NAT",
  private: "a private address",
  uniqueLocal: "a private address",
  ipv4Mapped: "an IPv4 address in disguise",
  rfc6145: "an IPv4 address in disguise",
  rfc6052: "an IPv4 address in disguise",
  "6to4": "an IPv4 address in disguise",
  teredo: "an IPv4 address in disguise",
};

/** What a closed network is made of. */
const CLOSED = ["private", "uniqueLocal", "loopback", "carrierGradeNat"];

/** Of all IPv6 addresses only these are given out to the world (RFC 4291). */
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/**
 * What speaks against calling this address, such as `a private address`; null when it may be called. In a closed network
 * the private ones may be, but never those of metadata, or of no single machine.
 */
export function reasonAgainstAddress(address: string, allowPrivate: boolean): string | null {
  if (!ipaddr.isValid(address)) return "no address";
  const parsed = ipaddr.parse(address);
  if (METADATA.includes(parsed.toNormalizedString())) return "an address of metadata";
  const range: string = parsed.range();
  if (range === "unicast" && (parsed.kind() === "ipv4" || parsed.match(GLOBAL_IPV6))) return null;
  if (allowPrivate && CLOSED.includes(range)) return null;
  return WORDS[range] ?? "a reserved address";
}
