// Which addresses are those of proxies that are trusted, as the settings name them.
import { BlockList, isIPv6 } from "node:net";
import { type Config, trustedProxies } from "./config/mod.ts";

/** Whether the `X-Forwarded-For` of an address counts, with that many trusted ones after it. */
export type ProxyMatcher = (address: string, hops: number) => boolean;

/** What TRUSTED_PROXIES says of an address. If it is empty, nobody is trusted. */
export function proxyMatcher(config: Pick<Config, "TRUSTED_PROXIES">): ProxyMatcher {
  const trusted = trustedProxies(config);
  if (typeof trusted === "number") return (_address, hops) => hops < trusted;
  const list = new BlockList();
  for (const item of trusted) {
    const [network = "", length] = item.split("/");
    const family = isIPv6(network) ? "ipv6" : "ipv4";
    if (length === undefined) list.addAddress(network, family);
    else list.addSubnet(network, Number(length), family);
  }
  return (address) => {
    const v4 = asV4(address);
    return v4 === null ? list.check(withoutZone(address), "ipv6") : list.check(v4, "ipv4");
  };
}

/** Whether an address is in a private network, as those of proxies often are. */
export function isPrivate(address: string): boolean {
  const v4 = asV4(address);
  return v4 === null ? PRIVATE_V6.test(address) : PRIVATE_V4.test(v4);
}

const PRIVATE_V4 =
  /^(10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;
const PRIVATE_V6 = /^(::1$|f[cd]|fe[89ab])/i;

/** An IPv4 address, also one that is written as IPv6. */
export function asV4(address: string): string | null {
  return /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? null;
}

/** Without the interface that some addresses of IPv6 name. */
export function withoutZone(address: string): string {
  return address.replace(/%.*$/, "");
}
