// Everybody behind a proxy that is not configured shares one limit: this is reported, seldom.
import { recordUnnamedProxy } from "../../accounts/unnamed_proxies.ts";
import { trustedProxies } from "../../config/mod.ts";
import { type Context, perService } from "../../context.ts";
import { asV4, isPrivate, proxyMatcher, withoutZone } from "../../proxies.ts";
import type { KnowsAddress } from "./client_network.ts";

const HOUR_MS = 3_600_000;
/** The peers that were named within the hour. */
const MAX_PEERS = 20;

/**
 * Warns where a request with X-Forwarded-For comes from an address that TRUSTED_PROXIES does not list. Each address of
 * a private network is reported at most hourly, so that a neighbour does not hide the proxy; all strangers on the
 * internet share one report.
 */
export function noteForwarded(ctx: Context, request: Request, server: KnowsAddress | null): void {
  if (!request.headers.has("x-forwarded-for")) return;
  const watch = watches(ctx);
  const address = watch && server?.requestIP?.(request)?.address;
  if (!address || watch.isProxy(address, 0)) return;
  const peer = asV4(address) ?? withoutZone(address);
  if (!isDue(watch.next, isPrivate(address) ? peer : "public", ctx.now().getTime())) return;
  ctx.log.warn("X-Forwarded-For does not count: its sender is not named in TRUSTED_PROXIES", {
    peer,
    advice:
      `If ${peer} is a proxy of yours, name it in TRUSTED_PROXIES: until then all who come through it share one limit. ` +
      "If it is not, it has made the header up; where there is no proxy at all, TRUSTED_PROXIES=0.",
  });
  // Where it cannot be stored, it is still in the log.
  void recordUnnamedProxy(ctx, peer).catch(() => {});
}

/** Whether to report this peer; then it is not reported again for an hour. Of too many at once the rest waits. */
function isDue(next: Map<string, number>, peer: string, now: number): boolean {
  if (now < (next.get(peer) ?? -Infinity)) return false;
  // Strangers share one place beside those of the own network.
  if (peer !== "public" && !next.has(peer) && next.size >= MAX_PEERS) {
    for (const [known, due] of next) if (due <= now) next.delete(known);
    if (next.size >= MAX_PEERS) return false;
  }
  next.set(peer, now + HOUR_MS);
  return true;
}

/** Null if the setting gives the number of proxies, or says that there is none. */
const watches = perService(({ config }) =>
  typeof trustedProxies(config) === "number"
    ? null
    : { isProxy: proxyMatcher(config), next: new Map<string, number>() },
);
