// Encryption between us and the servers of recipients: what is demanded of it, by whom, and what happens without.
import { createHash, X509Certificate } from "node:crypto";
import { describe, expect, test } from "bun:test";
import { createStsPolicies, isNamed, readPolicy } from "../../src/mail/_mta_sts.ts";
import { createDns } from "../../src/mail/dns.ts";
import { createTlsFailures } from "../../src/mail/tls_failures.ts";
import { makeCertificate } from "../support/certificates.ts";
import { makeAuthority, sendTo, serveBroken, useDirect } from "./direct_stage.ts";

const { stage, serve, mailer, domain } = useDirect();
const { authority, issue } = makeAuthority();
const ca = authority.certificate;

describe("without a policy of the domain", () => {
  test("a mail goes encrypted where the server can, whatever its certificate, and plain where it cannot", async () => {
    const servers = [
      await serve("127.0.0.2", { certificate: issue("mx.good.test") }),
      await serve("127.0.0.3", { certificate: makeCertificate({ name: "elsewhere.test" }) }),
      await serve("127.0.0.4"),
    ];
    domain("good.test", { "10 mx.good.test": "127.0.0.2" });
    domain("wrong.test", { "10 mx.wrong.test": "127.0.0.3" });
    domain("none.test", { "10 mx.none.test": "127.0.0.4" });
    const own = mailer({ ca });
    const ways = [];
    for (const name of ["good", "wrong", "none"]) ways.push((await sendTo(own, `a@${name}.test`)).via?.tls);

    expect(ways).toEqual([
      { version: "TLSv1.3", isVerified: true, policy: "opportunistic" },
      { version: "TLSv1.3", isVerified: false, policy: "opportunistic" },
      null,
    ]);
    expect(servers.map(({ received }) => received[0]!.secure)).toEqual([true, true, false]);
  });

  test("a server that breaks STARTTLS gets the mail plain, is counted, and is not asked for it each time", async () => {
    const broken = await serveBroken("127.0.0.5", stage.port);
    domain("broken.test", { "10 mx.broken.test": "127.0.0.5" });
    const tlsFailures = createTlsFailures();
    const own = mailer({ tlsFailures });

    for (const to of ["a@broken.test", "b@broken.test"]) {
      expect(await sendTo(own, to)).toMatchObject({ state: "accepted", via: { tls: null } });
    }
    expect([...tlsFailures.counts]).toEqual([["broken.test", 1]]);
    expect(broken.handshakes).toBe(1);
    await broken.stop();
  });
});

describe("MTA-STS", () => {
  const policy = (mode: string, ...hosts: string[]) =>
    `version: STSv1\r\nmode: ${mode}\r\n${hosts.map((host) => `mx: ${host}\r\n`).join("")}max_age: 86400\r\n`;

  test("enforced: only named hosts with a valid certificate get the mail; else it waits", async () => {
    const [good, wrong, unnamed] = [
      await serve("127.0.0.2", { certificate: issue("mx.good.test") }),
      await serve("127.0.0.3", { certificate: issue("elsewhere.test") }),
      await serve("127.0.0.4", { certificate: issue("mx.unnamed.test") }),
    ];
    const plain = await serve("127.0.0.5");
    for (const [name, address] of [
      ["good", 2],
      ["wrong", 3],
      ["unnamed", 4],
      ["plain", 5],
    ] as const) {
      domain(`${name}.test`, { [`10 mx.${name}.test`]: `127.0.0.${address}` });
      stage.names.set(`_mta-sts.${name}.test`, "TXT", ["v=STSv1; id=1;"]);
    }
    const fetchPolicy = async (url: string) => {
      const name = /^https:\/\/mta-sts\.(.*)\/\.well-known\/mta-sts\.txt$/.exec(url)![1]!;
      return policy("enforce", name === "unnamed.test" ? "other.unnamed.test" : `*.${name}`);
    };
    const tlsFailures = createTlsFailures();
    const own = mailer({ ca, fetchPolicy, tlsFailures });

    expect(await sendTo(own, "a@good.test")).toMatchObject({
      state: "accepted",
      via: { tls: { isVerified: true, policy: "mta-sts" } },
    });
    for (const name of ["wrong", "unnamed", "plain"]) {
      expect(await sendTo(own, `a@${name}.test`)).toMatchObject({ state: "deferred", meaning: "policy" });
    }
    expect([good, wrong, unnamed, plain].map(({ received }) => received.length)).toEqual([1, 0, 0, 0]);
    expect(unnamed.connections).toBe(0);
    expect([...tlsFailures.counts.keys()].toSorted()).toEqual(["plain.test", "wrong.test"]);
  });

  test("in testing forbids nothing, and neither does a policy that cannot be read", async () => {
    const server = await serve("127.0.0.2", { certificate: issue("elsewhere.test") });
    domain("testing.test", { "10 mx.testing.test": "127.0.0.2" });
    stage.names.set("_mta-sts.testing.test", "TXT", ["v=STSv1; id=1;"]);
    for (const text of [policy("testing", "mx.testing.test"), "nonsense", null]) {
      expect((await sendTo(mailer({ ca, fetchPolicy: async () => text }), "a@testing.test")).state).toBe(
        "accepted",
      );
    }
    expect(server.received).toHaveLength(3);
  });

  test("is fetched once for each id, and holds while the DNS or the page is away", async () => {
    let [now, fetched, isAway] = [0, 0, false];
    const fetchPolicy = async () => {
      fetched += 1;
      return isAway ? null : policy("enforce", "mx.kept.test");
    };
    const policies = createStsPolicies(createDns({ servers: [stage.names.address] }), fetchPolicy, () => now);
    const ask = async (minutes: number) => {
      now += minutes * 60_000;
      return (await policies.of("kept.test"))?.mode ?? null;
    };
    expect(await ask(0)).toBeNull();
    stage.names.set("_mta-sts.kept.test", "TXT", ["v=STSv1; id=1"]);
    expect([await ask(10), await ask(10), await ask(10), fetched]).toEqual([
      "enforce",
      "enforce",
      "enforce",
      1,
    ]);
    stage.names.set("_mta-sts.kept.test", "TXT", ["v=STSv1; id=2"]);
    isAway = true;
    expect([await ask(10), fetched]).toEqual(["enforce", 2]);
    stage.names.set("_mta-sts.kept.test", "TXT", "NXDOMAIN");
    expect(await ask(10)).toBe("enforce");
    expect(await ask(24 * 60)).toBeNull();
  });

  test("names hosts, with a star for one label, and is strict about itself", () => {
    const read = readPolicy(policy("enforce", "mx.a.test", "*.b.test"))!;

    expect(
      ["mx.a.test", "x.b.test", "b.test", "y.x.b.test", "a.test"].map((host) => isNamed(host, read)),
    ).toEqual([true, true, false, false, false]);
    expect(readPolicy("version: STSv1\nmode: enforce\nmax_age: 1\n")).toBeNull();
    expect(readPolicy("version: STSv2\nmode: none\nmax_age: 1\n")).toBeNull();
    expect(readPolicy("version: STSv1\nmode: none\nmax_age: 99999999999\n")).toBeNull();
  });
});

describe("DANE", () => {
  const spki = (pem: string) => new X509Certificate(pem).publicKey.export({ type: "spki", format: "der" });
  const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
  const prepare = (name: string, address: string, tlsa: string[] | "SERVFAIL") => {
    domain(`${name}.test`, { [`10 mx.${name}.test`]: address });
    stage.names.set(`_${stage.port}._tcp.mx.${name}.test`, "TLSA", tlsa);
  };

  test("lets mail go only to a certificate that the signed DNS names, of the server or of its authority", async () => {
    const own = makeCertificate({ name: "whatever" });
    const servers = [
      await serve("127.0.0.2", { certificate: own }),
      await serve("127.0.0.3", { certificate: issue("mx.anchor.test") }),
      await serve("127.0.0.4", { certificate: issue("elsewhere.test") }),
      await serve("127.0.0.5", { certificate: own }),
      await serve("127.0.0.6"),
    ];
    const anchor = `2 0 1 ${sha256(new X509Certificate(ca).raw)}`;
    prepare("own", "127.0.0.2", [`3 1 1 ${"00".repeat(32)}`, `3 1 1 ${sha256(spki(own.certificate))}`]);
    prepare("anchor", "127.0.0.3", [anchor]);
    prepare("othername", "127.0.0.4", [anchor]);
    prepare("mismatch", "127.0.0.5", [`3 1 1 ${"00".repeat(32)}`]);
    prepare("plain", "127.0.0.6", [`3 1 1 ${"00".repeat(32)}`]);
    prepare("withheld", "127.0.0.2", "SERVFAIL");
    stage.names.isValidating = true;
    const dane = mailer({ dane: true });

    for (const name of ["own", "anchor"]) {
      expect(await sendTo(dane, `a@${name}.test`)).toMatchObject({
        state: "accepted",
        via: { tls: { isVerified: true, policy: "dane" } },
      });
    }
    for (const name of ["othername", "mismatch", "plain", "withheld"]) {
      expect([name, (await sendTo(dane, `a@${name}.test`)).state]).toEqual([name, "deferred"]);
    }
    expect(servers.map(({ received }) => received.length)).toEqual([1, 1, 0, 0, 0]);
  });

  test("says nothing where nobody has validated it, or it is not switched on", async () => {
    const server = await serve("127.0.0.2", { certificate: makeCertificate({ name: "x" }) });
    prepare("unsigned", "127.0.0.2", [`3 1 1 ${"00".repeat(32)}`]);

    expect(await sendTo(mailer({ dane: true }), "a@unsigned.test")).toMatchObject({
      state: "accepted",
      via: { tls: { policy: "opportunistic" } },
    });
    stage.names.isValidating = true;
    expect((await sendTo(mailer(), "a@unsigned.test")).state).toBe("accepted");
    expect(server.received).toHaveLength(2);
  });
});
