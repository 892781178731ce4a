// The limit for the public pages that need no key: requests a minute for one address.
import { type Context, perService } from "../../context.ts";
import { clientNetwork, type KnowsAddress } from "./client_network.ts";

/** Requests a minute from one network, over all public pages of this process. */
export const PUBLIC_REQUESTS_PER_MINUTE = 600;

/** Addresses remembered within a minute; beyond that the oldest are forgotten. */
const MAX_ADDRESSES = 50_000;

/**
 * Takes one request from the minute of its address. Returns the seconds until there are more, or null when it may go
 * on, as also where the address is unknown, without a server.
 */
export function takePublicRequest(
  ctx: Context,
  request: Request,
  server: KnowsAddress | null,
): number | null {
  const address = clientNetwork(ctx, request, server);
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
