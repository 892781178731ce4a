// What a stranger may ask of the pages that need no key: so many requests a minute for one address.
import { isIP } from "node:net";
import { type Context, perService } from "../context.ts";

/** Requests a minute from one network, over all public pages of this process. */
export const PUBLIC_REQUESTS_PER_MINUTE = 600;

/** Addresses that are remembered within a minute; beyond it those that came first are forgotten. */
const MAX_ADDRESSES = 50_000;
const MAX_FORWARDED_LENGTH = 1000;
const PRIVATE_V4 =
  /^(10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;
const PRIVATE_V6 = /^(::1$|f[cd]|fe[89ab])/i;

/** Whatever knows where a request came from, as Bun's server does. */
export interface KnowsAddress {
  requestIP?(request: Request): { address: string } | null;
}

/**
 * Takes one request from the minute of the address that it comes from. Answers the seconds until there are more, or
 * null when it may go on; so too where the address is not known, as without a server.
 */
export function takePublicRequest(
  ctx: Context,
  request: Request,
  server: KnowsAddress | null,
): number | null {
  const address = clientNetwork(request, server);
  if (address === null) return null;
  const window = windows(ctx);
  const seconds = ctx.now().getTime() / 1000;
  const minute = Math.floor(seconds / 60);
  if (window.minute !== minute) {
    window.minute = minute;
    window.taken.clear();
  }
  const taken = (window.taken.get(address) ?? 0) + 1;
  if (taken === 1 && window.taken.size >= MAX_ADDRESSES) {
    window.taken.delete(window.taken.keys().next().value!);
  }
  window.taken.set(address, taken);
  if (taken <= PUBLIC_REQUESTS_PER_MINUTE) return null;
  return Math.max(1, Math.ceil((minute + 1) * 60 - seconds));
}

const windows = perService(() => ({ minute: 0, taken: new Map<string, number>() }));

/**
 * The network that a request comes from: an IPv4 address, or the first half of an IPv6 one. `X-Forwarded-For` counts
 * only where a proxy of our own network has written it, and from its end only as far as such a proxy vouches for it:
 * what stands before that, anybody may have written.
 */
export function clientNetwork(request: Request, server: KnowsAddress | null): string | null {
  let client = server?.requestIP?.(request)?.address;
  if (client === undefined) return null;
  const forwarded = (request.headers.get("x-forwarded-for") ?? "").slice(-MAX_FORWARDED_LENGTH);
  for (const hop of forwarded.split(",").reverse()) {
    const address = hop.trim();
    if (!isPrivate(client) || !isIP(address)) break;
    client = address;
  }
  return networkOf(client);
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

function firstHalf(address: string): string {
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
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
