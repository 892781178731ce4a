import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { createDns } from "../../src/mail/dns.ts";
import type { Dns } from "../../src/mail/dns.ts";
import { quickestOf } from "../support/effort.ts";
import { startNameServer } from "../support/name_server.ts";
import type { NameServer } from "../support/name_server.ts";

const longText = [
  "v=DKIM1; k=rsa; p=",
  ..."x"
    .repeat(20)
    .split("")
    .map((letter) => letter.repeat(200)),
];
let server: NameServer;
let dns: Dns;

beforeAll(async () => {
  server = await startNameServer({
    "acme.test": {
      A: ["192.0.2.1", "192.0.2.2"],
      AAAA: ["2001:db8::1"],
      MX: ["20 Backup.acme.test", "5 mx.acme.test"],
      NS: ["ns.acme.test"],
      TXT: ["v=spf1 -all", ["two ", "strings"]],
    },
    "_dmarc.acme.test": { TXT: ["v=DMARC1; p=none"] },
    "null.test": { MX: ["0 ."] },
    "www.acme.test": { CNAME: ["edge.acme.test"] },
    "edge.acme.test": { CNAME: ["acme.test"] },
    "dangling.test": { CNAME: ["gone.test"] },
    "long.test": { TXT: [longText] },
    "broken.test": "SERVFAIL",
    "refusing.test": "REFUSED",
    "silent.test": "SILENT",
    "garbage.test": "GARBAGE",
    "forged.test": "FORGED",
    "referring.test": "REFERRAL",
    "old.test": "FORMERR",
    "empty.test": [],
  });
  dns = createDns({ servers: [server.address], timeoutMs: 200 });
});
afterAll(() => server.stop());

test.each([
  ["acme.test", "A", ["192.0.2.1", "192.0.2.2"]],
  ["acme.test", "AAAA", ["2001:db8::1"]],
  ["acme.test", "NS", ["ns.acme.test"]],
  ["acme.test", "TXT", ["v=spf1 -all", "two strings"]],
  ["_dmarc.acme.test", "TXT", ["v=DMARC1; p=none"]],
  ["ACME.test.", "A", ["192.0.2.1", "192.0.2.2"]],
  ["www.acme.test", "CNAME", ["edge.acme.test"]],
  ["www.acme.test", "AAAA", ["2001:db8::1"]],
] as const)("%s %s is found, through aliases too", async (name, type, records) => {
  expect(await dns.lookup(name, type)).toEqual({ state: "found", records: [...records] });
});

test("mail servers come in order of preference", async () => {
  expect(await dns.lookup("acme.test", "MX")).toEqual({
    state: "found",
    records: [
      { preference: 5, exchange: "mx.acme.test" },
      { preference: 20, exchange: "backup.acme.test" },
    ],
  });
});

test("a null MX has an empty exchange", async () => {
  expect(await dns.lookup("null.test", "MX")).toEqual({
    state: "found",
    records: [{ preference: 0, exchange: "" }],
  });
});

test("an answer too long for UDP comes whole by TCP", async () => {
  expect(await dns.lookup("long.test", "TXT")).toEqual({ state: "found", records: [longText.join("")] });
  const transports = server.queries
    .filter((query) => query.name === "long.test")
    .map((query) => query.transport);
  // On a busy machine it is asked again before the answer is read.
  expect([...new Set(transports)]).toEqual(["udp", "tcp"]);
});

test.each([
  ["acme.test", "CNAME", { state: "none" }],
  ["www.acme.test", "MX", { state: "found", records: expect.anything() }],
  ["empty.test", "A", { state: "none" }],
  ["old.test", "A", { state: "none" }],
  ["nowhere.test", "A", { state: "missing" }],
  ["dangling.test", "A", { state: "missing" }],
  ["broken.test", "MX", { state: "failed", reason: "servfail" }],
  ["refusing.test", "MX", { state: "failed", reason: "refused" }],
  ["referring.test", "MX", { state: "failed", reason: "refused" }],
  ["silent.test", "MX", { state: "failed", reason: "timeout" }],
  ["garbage.test", "MX", { state: "failed", reason: "timeout" }],
  ["forged.test", "MX", { state: "failed", reason: "timeout" }],
] as const)("%s %s: absence, refusal and silence are told apart", async (name, type, answer) => {
  expect(await dns.lookup(name, type)).toEqual(answer);
});

test.each(["", ".", "a..test", "ä.test", "a b.test", `${"x".repeat(64)}.test`, `${"abc.".repeat(64)}test`])(
  "%j cannot be a name, so nobody is asked",
  async (name) => {
    const before = server.queries.length;

    expect(await dns.lookup(name, "A")).toEqual({ state: "missing" });
    expect(server.queries.length).toBe(before);
  },
);

describe("time", () => {
  test("a silent server is asked again, and given up on time", async () => {
    const elapsedMs = await quickestOf(500, () => dns.lookup("silent.test", "A"));
    expect(elapsedMs).toBeGreaterThan(150);
    expect(elapsedMs).toBeLessThan(500);
    expect(
      server.queries.filter((query) => query.name === "silent.test" && query.type === "A").length,
    ).toBeGreaterThan(1);
  });

  test.each([
    [30, 0, 150],
    [60_000, 150, 500],
  ])("a caller can shorten the time, not stretch it: %d ms", async (timeoutMs, atLeastMs, atMostMs) => {
    const elapsedMs = await quickestOf(atMostMs, () => dns.lookup("silent.test", "NS", { timeoutMs }));
    expect(elapsedMs).toBeGreaterThan(atLeastMs);
    expect(elapsedMs).toBeLessThan(atMostMs);
  });

  test("a hundred look-ups at once do not get mixed up", async () => {
    for (let index = 0; index < 100; index++) server.set(`host${index}.test`, "A", [`192.0.2.${index}`]);

    const patient = createDns({ servers: [server.address], timeoutMs: 10_000 });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => patient.lookup(`host${index}.test`, "A")),
    );

    expect(answers).toEqual(answers.map((_, index) => ({ state: "found", records: [`192.0.2.${index}`] })));
  });
});

describe("several servers", () => {
  const found = { state: "found", records: ["192.0.2.7"] } as const;

  test.each(["SERVFAIL", "REFUSED", "SILENT", "GARBAGE"] as const)(
    "the second is asked when the first is %s",
    async (fault) => {
      const first = await startNameServer({ "acme.test": fault });
      const second = await startNameServer({ "acme.test": { A: ["192.0.2.7"] } });
      const both = createDns({ servers: [first.address, second.address], timeoutMs: 400 });

      expect(await both.lookup("acme.test", "A")).toEqual({ ...found, records: [...found.records] });

      await Promise.all([first.stop(), second.stop()]);
    },
  );

  test("the second is asked at once when the first does not listen", async () => {
    const first = await startNameServer();
    await first.stop();
    const second = await startNameServer({ "acme.test": { A: ["192.0.2.7"] } });
    const both = createDns({ servers: [first.address, second.address], timeoutMs: 600_000 });

    expect(await both.lookup("acme.test", "A")).toEqual({ ...found, records: [...found.records] });

    await second.stop();
  });

  test("no such name is an answer: the second is not asked", async () => {
    const second = await startNameServer({ "nowhere.test": { A: ["192.0.2.7"] } });
    const both = createDns({ servers: [server.address, second.address] });

    expect(await both.lookup("nowhere.test", "A")).toEqual({ state: "missing" });
    expect(second.queries).toEqual([]);

    await second.stop();
  });

  test("a failure that was said outweighs silence", async () => {
    const silent = await startNameServer({ "acme.test": "SILENT" });
    const broken = await startNameServer({ "acme.test": "SERVFAIL" });
    const both = createDns({ servers: [broken.address, silent.address], timeoutMs: 100 });

    expect(await both.lookup("acme.test", "A")).toEqual({ state: "failed", reason: "servfail" });

    await Promise.all([silent.stop(), broken.stop()]);
  });

  test("a server that is gone is a network failure", async () => {
    const gone = await startNameServer();
    await gone.stop();

    expect(await createDns({ servers: [gone.address] }).lookup("acme.test", "A")).toEqual({
      state: "failed",
      reason: "network",
    });
  });
});

test("an answer from elsewhere is not believed", async () => {
  // A silent server, while another socket shoots at every port: the connected socket never sees it.
  const quiet = createSocket("udp4");
  const forger = createSocket("udp4");
  await new Promise<void>((resolve) => quiet.bind(0, "127.0.0.1", resolve));
  quiet.on("message", (query, peer) => {
    const answer = Buffer.from(query);
    answer.writeUInt16BE(0x8183, 2); // NXDOMAIN, with the right id and question
    forger.send(answer, peer.port, peer.address);
  });
  const { port } = quiet.address();

  expect(await createDns({ servers: [`127.0.0.1:${port}`], timeoutMs: 60 }).lookup("acme.test", "A")).toEqual(
    {
      state: "failed",
      reason: "timeout",
    },
  );

  quiet.close();
  forger.close();
});

test("a server may be given by name", async () => {
  const port = server.address.split(":")[1];

  expect(await createDns({ servers: [` localhost:${port} `] }).lookup("empty.test", "A")).toEqual({
    state: "none",
  });
});

test.each(["", "a:b", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:53:53", "[::1", "a b", "http://x"])(
  "%j is no server",
  (text) => {
    expect(() => createDns({ servers: [text] })).toThrow("Cannot use the DNS server");
  },
);

test.each(["127.0.0.1", "dns", "::1", "[::1]", "[::1]:5353", "fe80::1%eth0"])("%j is a server", (text) => {
  expect(() => createDns({ servers: [text] })).not.toThrow();
});
