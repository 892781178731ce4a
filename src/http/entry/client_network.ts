// Where a request comes from: what limits for strangers are counted by.
import { isIP } from "node:net";
import { type Context, perService } from "../../context.ts";
import { asV4, proxyMatcher, withoutZone } from "../../proxies.ts";

const MAX_FORWARDED_LENGTH = 1000;

/** Anything that knows where a request came from, such as Bun's server. */
export interface KnowsAddress {
  requestIP?(request: Request): { address: string } | null;
}

/**
 * The network that a request comes from: an IPv4 address, or the first half of an IPv6 one. `X-Forwarded-For` counts
 * only if a trusted proxy has written it, and from its end only as far as such proxies vouch for it: anybody may
 * have written the rest.
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

const proxies = perService(({ config }) => proxyMatcher(config));

/** An address as a proxy has written it, without port and brackets; null for anything else. */
function addressOf(text: string): string | null {
  const [, bracketed, v4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? [];
  const address = bracketed ?? v4 ?? text;
  return isIP(address) ? address : null;
}

function networkOf(address: string): string {
  return asV4(address) ?? firstHalf(address);
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
