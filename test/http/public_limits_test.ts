import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PHRASES } from "../../src/content/languages/mod.ts";
import { clientNetwork } from "../../src/http/entry/client_network.ts";
import { PUBLIC_REQUESTS_PER_MINUTE, takePublicRequest } from "../../src/http/entry/public_limits.ts";
import { useService } from "../support/service.ts";

const service = useService();
const proxied = useService({ TRUSTED_PROXIES: "127.0.0.1" });
const PRIVATE = "127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,fd00::/8";

/** A request as it came from there. */
function from(address: string, forwarded?: string) {
  const headers: Record<string, string> = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  return [new Request("http://localhost/manage/x", { headers }), { requestIP: () => ({ address }) }] as const;
}

describe("where a request comes from", () => {
  test.each([
    ["an IPv4 address", "203.0.113.7", undefined, "203.0.113.7"],
    ["IPv4 that is written as IPv6", "::ffff:203.0.113.7", undefined, "203.0.113.7"],
    ["the network of an IPv6 address", "2001:db8:1:2:3:4:5:6", undefined, "2001:db8:1:2"],
    ["the same network, shortened", "2001:0db8:1:2::9", undefined, "2001:db8:1:2"],
    ["a network of zeros", "2001:db8::1", undefined, "2001:db8:0:0"],
    ["IPv6 with a zone", "fe80::1%eth0", undefined, "fe80:0:0:0"],
    ["a stranger's X-Forwarded-For is not believed", "203.0.113.7", "198.51.100.1", "203.0.113.7"],
    ["nor is one from this machine", "127.0.0.1", "198.51.100.1", "127.0.0.1"],
    ["nor is one from a private network", "::ffff:172.20.0.3", "198.51.100.1", "172.20.0.3"],
    ["nor is one from a private network over IPv6", "fd00::2", "2001:db8:5::1", "fd00:0:0:0"],
    ["nor is one that came through two private addresses", "10.0.0.2", "198.51.100.1, 10.0.0.9", "10.0.0.2"],
  ])("%s", (_what, address, forwarded, network) => {
    expect(clientNetwork(service, ...from(address, forwarded))).toBe(network);
  });

  test.each([
    [PRIVATE, "a proxy on this machine", "127.0.0.1", "198.51.100.1", "198.51.100.1"],
    [PRIVATE, "over IPv6", "fd00::2", "2001:db8:5::1", "2001:db8:5:0"],
    [
      PRIVATE,
      "only what the last proxy wrote counts",
      "10.0.0.2",
      "1.1.1.1, 8.8.8.8, 198.51.100.1",
      "198.51.100.1",
    ],
    [PRIVATE, "one proxy behind another", "10.0.0.2", "1.1.1.1, 198.51.100.1, 10.0.0.9", "198.51.100.1"],
    [PRIVATE, "a client in the own network", "127.0.0.1", "192.168.1.20", "192.168.1.20"],
    [PRIVATE, "what is no address is passed over", "10.0.0.2", "198.51.100.1, unknown", "10.0.0.2"],
    [PRIVATE, "an empty one", "10.0.0.2", "", "10.0.0.2"],
    [PRIVATE, "an address with its port", "10.0.0.2", "198.51.100.1:40312", "198.51.100.1"],
    [PRIVATE, "IPv6 in brackets", "10.0.0.2", "[2001:db8:5::1]", "2001:db8:5:0"],
    [PRIVATE, "IPv6 in brackets, with its port", "10.0.0.2", "[2001:db8:5::1]:443", "2001:db8:5:0"],
    [PRIVATE, "what is not in the network is no proxy", "172.32.0.1", "198.51.100.1", "172.32.0.1"],
    ["0", "a neighbour's X-Forwarded-For is not believed", "10.0.0.2", "198.51.100.1", "10.0.0.2"],
    [
      "1",
      "what the one proxy wrote counts, wherever it stands",
      "203.0.113.7",
      "1.1.1.1, 10.0.0.9",
      "10.0.0.9",
    ],
    ["2", "two proxies in a row", "203.0.113.7", "1.1.1.1, 198.51.100.1, 203.0.113.8", "198.51.100.1"],
    ["2", "who came by one of them only", "203.0.113.7", "198.51.100.1", "198.51.100.1"],
    ["203.0.113.0/24", "a proxy in a public network", "203.0.113.7", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
    ["203.0.113.7", "a single proxy", "203.0.113.7", "198.51.100.1", "198.51.100.1"],
    ["203.0.113.7", "its neighbour is none", "203.0.113.8", "198.51.100.1", "203.0.113.8"],
    ["203.0.113.0/24", "private addresses are none then", "10.0.0.2", "198.51.100.1", "10.0.0.2"],
    [
      "10.0.0.0/8, 2001:db8:f::/48",
      "over IPv6",
      "2001:db8:f::2%eth0",
      "198.51.100.1, ::ffff:10.0.0.1",
      "198.51.100.1",
    ],
    ["10.0.0.0/8", "IPv4 that is written as IPv6", "::ffff:10.0.0.2", "198.51.100.1", "198.51.100.1"],
  ])("with TRUSTED_PROXIES=%s: %s", (setting, _what, address, forwarded, network) => {
    const config = { ...service.config, TRUSTED_PROXIES: setting };
    const [request, server] = from(address, forwarded);

    // A service of its own: what is worked out of its settings is kept for a service.
    expect(clientNetwork({ ...service, config, pool: (() => {}) as never }, request, server)).toBe(network);
  });

  test("nobody knows without a server", () => {
    expect(clientNetwork(service, from("")[0], null)).toBeNull();
    expect(clientNetwork(service, from("")[0], { requestIP: () => null })).toBeNull();
  });
});

describe("the minute of an address", () => {
  const take = (address: string) => takePublicRequest(service, ...from(address));

  test("ends after its requests, for that address only, and the next one begins with the clock", () => {
    service.setNow(new Date("2030-01-01T00:00:20Z"));
    const taken = Array.from({ length: PUBLIC_REQUESTS_PER_MINUTE }, () => take("198.51.100.1"));

    expect(taken.every((wait) => wait === null)).toBe(true);
    expect(take("198.51.100.1")).toBeWithin(35, 41);
    expect(take("198.51.100.2")).toBeNull();
    service.setNow(new Date("2030-01-01T00:01:00Z"));
    expect(take("198.51.100.1")).toBeNull();
  });

  test("a flood of addresses is let through, and does not grow without bound", () => {
    service.setNow(new Date("2030-01-02T00:00:00Z"));
    for (let i = 0; i < PUBLIC_REQUESTS_PER_MINUTE; i++) take("198.51.100.1");
    const waits = Array.from({ length: 60_000 }, (_, i) => take(`9.${i >> 16}.${(i >> 8) & 255}.${i & 255}`));

    expect(waits.every((wait) => wait === null)).toBe(true);
    // Forgotten with the oldest.
    expect(take("198.51.100.1")).toBeNull();
  });
});

describe("over HTTP", () => {
  let server: Bun.Server<undefined>;

  beforeAll(() => {
    server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: proxied.app.fetch });
    proxied.app.server = server as never;
  });

  afterAll(async () => {
    proxied.app.server = null;
    await server.stop(true);
  });

  test("somebody who asks too often gets a page that says so; one click is never refused", async () => {
    proxied.setNow(new Date("2030-01-03T00:00:00Z"));
    const ask = async (method: string, path: string, body?: string) => {
      const headers = { "accept-language": "es", "x-forwarded-for": "198.51.100.1" };
      return await fetch(`${server.url.origin}${path}`, { method, headers, ...(body && { body }) });
    };
    for (let i = 0; i < PUBLIC_REQUESTS_PER_MINUTE; i++) await (await ask("GET", "/manage/preview")).text();

    const refused = [
      await ask("GET", "/unsubscribe/preview"),
      await ask("POST", "/subscribe/x"),
      await ask("POST", "/manage/x", "subscribed=true"),
    ];
    const clicks = await Promise.all(
      Array.from({ length: 50 }, () => ask("POST", "/unsubscribe/x", "List-Unsubscribe=One-Click")),
    );

    for (const answer of refused) {
      expect(answer.status).toBe(429);
      expect(Number(answer.headers.get("retry-after"))).toBeWithin(1, 61);
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(await answer.text()).toContain(PHRASES.es.busy.text);
    }
    expect(clicks.map((answer) => answer.status)).toEqual(Array(50).fill(200));
    expect((await fetch(`${server.url.origin}/manage/preview`)).status).toBe(200);
  });

  test("a body that nobody reads does not spoil the connection", async () => {
    const send = async (size: number) =>
      await fetch(`${server.url.origin}/unsubscribe/x`, { method: "POST", body: "x".repeat(size) });

    for (const size of [0, 26, 5_000_000, 26]) expect((await send(size)).status).toBe(200);
  });
});
