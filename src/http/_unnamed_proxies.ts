// Whoever stands behind a proxy that nobody has named shares one limit with all others there: that is said, seldom.
import { recordUnnamedProxy } from "../accounts/unnamed_proxies.ts";
import { trustedProxies } from "../config.ts";
import { type Context, perService } from "../context.ts";
import { asV4, isPrivate, proxyMatcher, withoutZone } from "../proxies.ts";
import type { KnowsAddress } from "./_client_network.ts";

const HOUR_MS = 3_600_000;

/**
 * Warns where a request comes with X-Forwarded-For from an address that TRUSTED_PROXIES does not name, once an hour. What
 * strangers in the internet make up does not hide a proxy in the own network: each of the two has its hour.
 */
export function noteForwarded(ctx: Context, request: Request, server: KnowsAddress | null): void {
  if (!request.headers.has("x-forwarded-for")) return;
  const watch = watches(ctx);
  const address = watch && server?.requestIP?.(request)?.address;
  if (!address || watch.isProxy(address, 0)) return;
  const kind = isPrivate(address) ? "private" : "public";
  const now = ctx.now().getTime();
  if (now < watch.next[kind]) return;
  watch.next[kind] = now + HOUR_MS;
  const peer = asV4(address) ?? withoutZone(address);
  ctx.log.warn("X-Forwarded-For does not count: its sender is not named in TRUSTED_PROXIES", {
    peer,
    advice:
      `If ${peer} is a proxy of yours, name it in TRUSTED_PROXIES: until then all who come through it share one limit. ` +
      "If it is not, it has made the header up; where there is no proxy at all, TRUSTED_PROXIES=0 says so.",
  });
  // Where it cannot be written down, the log has said it.
  void recordUnnamedProxy(ctx, peer).catch(() => {});
}

/** Null where the setting says how many proxies there are, or that there is none. */
const watches = perService(({ config }) =>
  typeof trustedProxies(config) === "number"
    ? null
    : { isProxy: proxyMatcher(config), next: { private: -Infinity, public: -Infinity } },
);
