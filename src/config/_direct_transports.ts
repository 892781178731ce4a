// From which addresses of this machine projects may deliver directly.
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** What `ALLOW_DIRECT_TRANSPORTS` says, as {@linkcode directAddresses} of the settings has it; `unreadable`: nothing that counts. */
export function readDirectAddresses(setting: string): readonly string[] | null | "unreadable" {
  const text = setting.trim().toLowerCase();
  if (text === "true" || text === "1") return null;
  if (text === "false" || text === "0") return [];
  const addresses = text.split(",").flatMap((item) => item.trim() || []);
  const isSound = addresses.every((address) => isIP(address) > 0 && !address.includes("%"));
  return isSound && addresses.length > 0 ? [...new Set(addresses.map(sameAddress))] : "unreadable";
}

/** An address as it is written where two ways to write it are to be one: `2001:DB8:0::7` is `2001:db8::7`. */
export function sameAddress(address: string): string {
  return ipaddr.parse(address).toString();
}
