// Where a request comes from: what limits for strangers are counted by.
import { BlockList, isIP, isIPv6 } from "node:net";
import { trustedProxies } from "../config.ts";
import { type Context, perService } from "../context.ts";

const MAX_FORWARDED_LENGTH = 1000;
const PRIVATE_V4 =
  /^(10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;
const PRIVATE_V6 = /^(::1$|f[cd]|fe[89ab])/i;

/** Whatever knows where a request came from, as Bun's server does. */
export interface KnowsAddress {
  requestIP?(request: Request): { address: string } | null;
}

/**
 * The network that a request comes from: an IPv4 address, or the first half of an IPv6 one. `X-Forwarded-For` counts
 * only where a proxy that is trusted has written it, and from its end only as far as such a proxy vouches for it: what
 * stands before that, anybody may have written.
 */
export function clientNetwork(ctx: Context, request: Request, server: KnowsAddress | null): string | null {
  let client = server?.requestIP?.(request)?.address;
  if (client === undefined) return null;
  const isProxy = proxies(ctx);
  const forwarded = (request.headers.get("x-forwarded-for") ?? "").slice(-MAX_FORWARDED_LENGTH);
  for (const [hops, text] of forwarded.split(",").reverse().entries()) {
    const address = addressOf(text.trim());
    if (address === null || !isProxy(client, hops)) break;
    client = address;
  }
  return networkOf(client);
}

/** Whether an address is that of a proxy that is trusted, which so many others stand behind. */
const proxies = perService(({ config }): ((address: string, hops: number) => boolean) => {
  const trusted = trustedProxies(config);
  if (trusted === null) return isPrivate;
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
});

/** What a proxy has written, without a port and brackets; null for what is no address. */
function addressOf(text: string): string | null {
  const [, bracketed, v4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? [];
  const address = bracketed ?? v4 ?? text;
  return isIP(address) ? address : null;
}

function isPrivate(address: string): boolean {
  const v4 = asV4(address);
  return v4 === null ? PRIVATE_V6.test(address) : PRIVATE_V4.test(v4);
}

function networkOf(address: string): string {
  return asV4(address) ?? firstHalf(address);
}

/** An IPv4 address, also one that is written as IPv6. */
function asV4(address: string): string | null {
  return /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? null;
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, "");
}

function firstHalf(address: string): string {
  const [head = "", tail] = withoutZone(address).split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const rest = tail === "" ? [] : tail.split(":");
    while (groups.length + rest.length < 8) groups.push("0");
  }
  return groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(":");
}
