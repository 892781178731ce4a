// A proxy before the service that nobody has named: all who come through it share one limit, and that is said.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { loadConfig } from "../../src/config/mod.ts";
import { examine } from "../../src/doctor/mod.ts";
import { signUp } from "../support/accounts.ts";
import { type TestService, useService } from "../support/service.ts";

const service = useService();
const named = useService({ TRUSTED_PROXIES: "10.0.0.0/8" });
const counted = useService({ TRUSTED_PROXIES: "1" });
const direct = useService({ TRUSTED_PROXIES: "0" });
const limited = useService({ LOGIN_LIMIT_PER_NETWORK: "3" });

const HOUR_MS = 3_600_000;
let clock = Date.parse("2031-01-01T00:00:00Z");

beforeEach(async () => {
  // Nothing was said for hours.
  service.setNow(new Date((clock += 3 * HOUR_MS)));
  await service.pool`delete from unnamed_proxies`;
});

afterEach(() => {
  for (const one of [service, named, counted, direct]) {
    one.lines.length = 0;
    one.app.server = null;
  }
});

const ask = async (from: string, on: TestService = service, path = "/health") => {
  on.app.server = { requestIP: () => ({ address: from }) } as never;
  await on.request("GET", path, { headers: { "x-forwarded-for": "198.51.100.1" } });
};
const warnings = (on: TestService = service) =>
  on.lines.filter(({ message }) => String(message).startsWith("X-Forwarded-For"));
const peers = async () =>
  (await service.pool`select peer from unnamed_proxies order by peer`).map(({ peer }) => peer);
/** It is written down a moment after the request. */
const written = async (...expected: string[]) => {
  while (JSON.stringify(await peers()) !== JSON.stringify(expected)) await Bun.sleep(5);
};

describe("the log", () => {
  test("names the address and the setting, at any request", async () => {
    await ask("::ffff:10.0.0.2");

    expect(warnings()).toMatchObject([
      {
        level: "warn",
        message: expect.stringContaining("TRUSTED_PROXIES"),
        peer: "10.0.0.2",
        advice: expect.stringContaining("If 10.0.0.2 is a proxy of yours, name it in TRUSTED_PROXIES"),
      },
    ]);
  });

  test("says it once an hour, however many requests come", async () => {
    for (let i = 0; i < 20; i++) await ask("10.0.0.2");
    const atFirst = warnings().length;
    service.setNow(new Date((clock += HOUR_MS - 10_000)));
    await ask("10.0.0.2");
    const stillFirst = warnings().length;
    service.setNow(new Date((clock += 20_000)));
    await ask("10.0.0.2");

    expect([atFirst, stillFirst, warnings().length]).toEqual([1, 1, 2]);
  });

  test("is not filled by strangers, who do not hide a proxy of the own network", async () => {
    for (let i = 1; i < 20; i++) await ask(`203.0.113.${i}`);
    await ask("10.0.0.2");

    expect(warnings().map(({ peer }) => peer)).toEqual(["203.0.113.1", "10.0.0.2"]);
  });

  test("names each peer of the own network once an hour, and not more than twenty", async () => {
    for (let round = 0; round < 2; round++) for (let i = 1; i <= 30; i++) await ask(`10.0.0.${i}`);
    const first = warnings().map(({ peer }) => peer);
    service.setNow(new Date((clock += HOUR_MS + 60_000)));
    await ask("10.0.0.30");

    expect(first).toEqual(Array.from({ length: 20 }, (_, i) => `10.0.0.${i + 1}`));
    expect(warnings().at(-1)!.peer).toBe("10.0.0.30");
    while ((await peers()).length < 21) await Bun.sleep(5);
  });

  test.each<[string, string, () => TestService]>([
    ["a proxy that is named", "10.0.0.2", () => named],
    ["proxies that are counted", "203.0.113.9", () => counted],
    ["a service that is reached directly", "203.0.113.9", () => direct],
  ])("says nothing of %s", async (_what, from, on) => {
    await ask(from, on());

    expect(warnings(on())).toEqual([]);
  });

  test("says nothing of a request without the header", async () => {
    service.app.server = { requestIP: () => ({ address: "10.0.0.2" }) } as never;
    await service.request("GET", "/health");

    expect(warnings()).toEqual([]);
  });
});

describe("admin doctor", () => {
  const see = async (TRUSTED_PROXIES = "") => {
    const env = { DATABASE_URL: service.databaseUrl, BASE_URL: "http://127.0.0.1:9", TRUSTED_PROXIES };
    const findings = await examine(() => loadConfig(env), { now: service.now });
    return findings.find(({ check }) => check === "trusted_proxies")!;
  };

  test("names those that were seen lately, until they are named in the setting", async () => {
    await ask("10.0.0.2");
    await ask("2001:db8::7");
    await written("10.0.0.2", "2001:db8::7");
    const [finding, half, done, declared] = [
      await see(),
      await see("10.0.0.0/8"),
      await see("10.0.0.2,2001:db8::/32"),
      await see("0"),
    ];

    expect(finding.status).toBe("warning");
    expect(finding.message).toContain("10.0.0.2");
    expect(finding.message).toContain("2001:db8::7");
    expect(finding.advice).toContain("TRUSTED_PROXIES");
    expect([half.message.includes("10.0.0.2"), half.message.includes("2001:db8::7")]).toEqual([false, true]);
    expect([done.status, declared.status]).toEqual(["ok", "ok"]);
  });

  test("is not misled by those that were named meanwhile, however many they are", async () => {
    await service.pool`
      insert into unnamed_proxies (peer, seen_at)
      select '10.0.0.' || n, ${service.now()}::timestamptz from generate_series(1, 20) n
      union all select '192.168.7.7', ${service.now()}::timestamptz - interval '1 hour'`;
    const finding = await see("10.0.0.0/8");

    expect([finding.status, finding.message.includes("192.168.7.7")]).toEqual(["warning", true]);
  });

  test("says nothing where nobody has come like that, or only days ago", async () => {
    const before = await see();
    await ask("10.0.0.2");
    await written("10.0.0.2");
    service.setNow(new Date((clock += 25 * HOUR_MS)));

    expect([before.status, (await see()).status]).toEqual(["ok", "ok"]);
  });

  test("what was seen is forgotten after a week", async () => {
    await ask("10.0.0.2");
    await written("10.0.0.2");
    service.setNow(new Date((clock += 8 * 24 * HOUR_MS)));
    await ask("10.0.0.3");

    await written("10.0.0.3");
  });
});

test("a limit by network is not passed by from a private address with another header each time", async () => {
  limited.app.server = { requestIP: () => ({ address: "10.0.0.2" }) } as never;
  const statuses = [];
  for (let i = 1; i <= 5; i++) {
    const { email } = await signUp(limited);
    const { status } = await limited.request("POST", "/auth/login", {
      body: { email, password: "wrong horse battery" },
      headers: { "x-forwarded-for": `198.51.100.${i}` },
    });
    statuses.push(status);
  }

  expect(statuses).toEqual([401, 401, 401, 429, 429]);
});
