// The names of addresses, which mail servers look up of whoever connects to them.
import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import type { Dns } from "./dns.ts";

/** An address as it stands before the name of a list, or of the zone of reverse names: `7.113.0.203`. */
export function reversed(address: string): string {
  if (isIPv4(address)) return address.split(".").toReversed().join(".");
  const bytes = ipaddr.parse(address).toByteArray();
  const digits = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [...digits].toReversed().join(".");
}

/** The reverse names (PTR) of an address; null where nobody can tell now. Never rejects. */
export async function reverseNamesOf(dns: Dns, address: string): Promise<readonly string[] | null> {
  const zone = isIPv4(address) ? "in-addr.arpa" : "ip6.arpa";
  const answer = await dns.lookup(`${reversed(address)}.${zone}`, "PTR");
  if (answer.state === "failed") return null;
  return answer.state === "found" ? answer.records : [];
}
