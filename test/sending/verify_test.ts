import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createDns } from "../../src/mail/dns.ts";
import type { Dns } from "../../src/mail/dns.ts";
import { isDisposableDomain, isPersonalDomain, suggestDomain } from "../../src/sending/send/_mail_domains.ts";
import { verifyAddress } from "../../src/sending/send/verify.ts";
import { quickestOf } from "../support/effort.ts";
import { startNameServer } from "../support/name_server.ts";
import type { NameServer } from "../support/name_server.ts";

const mail = { MX: ["10 mx.test"], A: ["192.0.2.1"], AAAA: [] };
const personal = `
  gmail.com googlemail.com hotmail.com hotmail.co.uk outlook.com live.com msn.com yahoo.com yahoo.fr
  ymail.com aol.com icloud.com me.com mac.com proton.me protonmail.com gmx.de gmx.net web.de
  t-online.de mail.ru yandex.ru qq.com 163.com naver.com fastmail.com hey.com tuta.com posteo.de
  orange.fr free.fr libero.it seznam.cz comcast.net btinternet.com mail.com zoho.com
`
  .trim()
  .split(/\s+/);
const rightAsTheyAre = `
  acme.com acme.co acme.cm acme.net acme.io acme.dev acme.ai acme.test acme.local acme.co.uk
  example.com email.com mail.com ymail.com jmail.com cloud.com gmx.com aol.com live.com love.com
  five.com uber.com apple.com google.com grail.com gail.com yahoo.com.hk yahoo.com.tr hotmail.be
  outlook.at gmail.acme.com photon.me horizon.net github.io
`
  .trim()
  .split(/\s+/);
let server: NameServer;
let dns: Dns;

beforeAll(async () => {
  server = await startNameServer({
    "acme.test": mail,
    "gmail.com": mail,
    "gmial.com": mail,
    "mailinator.com": mail,
    "duck.com": mail,
    "implicit.test": { A: ["192.0.2.1"] },
    "implicit6.test": { AAAA: ["2001:db8::1"] },
    "mailonly.test": { MX: ["10 mx.test"] },
    "www.mailonly.test": { A: ["192.0.2.1"] },
    "null.test": { MX: ["0 ."], A: ["192.0.2.1"] },
    "empty.test": [],
    "odd.test": { MX: ["10 mx.test"], A: "NXDOMAIN", AAAA: "NXDOMAIN" },
    "broken.test": "SERVFAIL",
    "refusing.test": "REFUSED",
    "silent.test": "SILENT",
    "halfbroken.test": { MX: "SERVFAIL", A: ["192.0.2.1"] },
    "hidden.test": { MX: [], A: "SERVFAIL", AAAA: [] },
    "www.hidden.test": { A: ["192.0.2.1"] },
    "gone.test": { MX: "SERVFAIL", A: "NXDOMAIN", AAAA: "NXDOMAIN" },
  });
  for (const name of ["broken", "refusing", "silent"]) server.set(`www.${name}.test`, "*", "SERVFAIL");
  dns = createDns({ servers: [server.address], timeoutMs: 200 });
});
afterAll(() => server.stop());

test("an ordinary address is valid, and nothing is said of it", async () => {
  expect(await verifyAddress({ dns }, " Ada@Acme.test ")).toEqual({
    email: "ada@acme.test",
    valid: true,
    isDisposable: false,
    isAlias: false,
    isTypo: false,
    isPlusAddressed: false,
    isPersonalEmail: false,
    domainExists: true,
    hasWebsite: true,
    hasMxRecords: true,
    reasons: [],
  });
});

describe("what DNS says", () => {
  test.each([
    [
      "ada@nowhere.test",
      {
        valid: false,
        domainExists: false,
        hasMxRecords: false,
        reasons: ["The domain nowhere.test does not exist"],
      },
    ],
    [
      "ada@null.test",
      {
        valid: false,
        domainExists: true,
        hasMxRecords: false,
        reasons: ["The domain null.test accepts no mail"],
      },
    ],
    [
      "ada@empty.test",
      {
        valid: false,
        domainExists: true,
        hasMxRecords: false,
        reasons: ["The domain empty.test has no mail server"],
      },
    ],
    [
      "ada@implicit.test",
      { valid: true, domainExists: true, hasMxRecords: false, hasWebsite: true, reasons: [] },
    ],
    [
      "ada@implicit6.test",
      { valid: true, domainExists: true, hasMxRecords: false, hasWebsite: true, reasons: [] },
    ],
    [
      "ada@mailonly.test",
      { valid: true, domainExists: true, hasMxRecords: true, hasWebsite: true, reasons: [] },
    ],
    ["ada@odd.test", { valid: true, domainExists: true, hasMxRecords: true, hasWebsite: false, reasons: [] }],
    [
      "ada@gone.test",
      {
        valid: false,
        domainExists: false,
        hasMxRecords: false,
        reasons: ["The domain gone.test does not exist"],
      },
    ],
  ])("%s", async (email, findings) => {
    expect(await verifyAddress({ dns }, email)).toMatchObject(findings);
  });

  test.each([
    [
      "ada@broken.test",
      null,
      "The domain broken.test could not be checked: DNS answered with a server failure",
    ],
    ["ada@refusing.test", null, "The domain refusing.test could not be checked: DNS refused to answer"],
    ["ada@silent.test", null, "The domain silent.test could not be checked: DNS timed out"],
    [
      "ada@halfbroken.test",
      true,
      "The domain halfbroken.test could not be checked: DNS answered with a server failure",
    ],
  ])("a resolver that fails is reported and held against nobody: %s", async (email, domainExists, reason) => {
    expect(await verifyAddress({ dns }, email)).toMatchObject({
      valid: true,
      domainExists,
      hasMxRecords: null,
      reasons: [reason],
    });
  });

  test("an address record that could not be looked up may be where mail goes", async () => {
    expect(await verifyAddress({ dns }, "ada@hidden.test")).toMatchObject({
      valid: true,
      hasMxRecords: false,
      reasons: ["The addresses of hidden.test could not be checked: DNS answered with a server failure"],
    });
  });

  test("no resolver at all is reported and held against nobody", async () => {
    const gone = await startNameServer();
    await gone.stop();

    expect(
      await verifyAddress({ dns: createDns({ servers: [gone.address] }) }, "ada@acme.test"),
    ).toMatchObject({
      valid: true,
      domainExists: null,
      hasMxRecords: null,
      reasons: ["The domain acme.test could not be checked: DNS could not be reached"],
    });
  });

  test("the look-ups share one time-out", async () => {
    server.set("www.silent.test", "*", "SILENT");

    expect(await quickestOf(500, () => verifyAddress({ dns }, "ada@silent.test"))).toBeLessThan(500);
  });

  test("a domain too long for a www. before it is judged all the same", async () => {
    const domain = `${"d".repeat(60)}.${"d".repeat(60)}.${"d".repeat(60)}.${"d".repeat(62)}.test`;
    server.set(domain, "MX", ["10 mx.test"]);

    expect(await verifyAddress({ dns }, `a@${domain}`)).toMatchObject({
      valid: true,
      hasMxRecords: true,
      hasWebsite: false,
    });
  });
});

test("a malformed address is invalid, and DNS is not asked", async () => {
  const before = server.queries.length;

  const result = await verifyAddress({ dns }, "ada@@acme.test");

  expect(result).toMatchObject({
    email: "ada@@acme.test",
    valid: false,
    reasons: ["The address is not well-formed"],
  });
  expect(server.queries.length).toBe(before);
});

describe("what the lists say", () => {
  test("a disposable address is flagged, named and not valid", async () => {
    expect(await verifyAddress({ dns }, "ada@mailinator.com")).toMatchObject({
      valid: false,
      isDisposable: true,
      isAlias: false,
      isPersonalEmail: false,
      reasons: ["The domain mailinator.com belongs to a disposable mail service"],
    });
  });

  test("an alias is flagged, valid, and not disposable", async () => {
    expect(await verifyAddress({ dns }, "ada@duck.com")).toMatchObject({
      valid: true,
      isAlias: true,
      isDisposable: false,
      reasons: [],
    });
  });

  test("a plus address at a personal provider is valid and both are flagged", async () => {
    const result = await verifyAddress({ dns }, "ada+news@gmail.com");

    expect(result).toMatchObject({
      valid: true,
      isPlusAddressed: true,
      isPersonalEmail: true,
      isTypo: false,
      reasons: [],
    });
  });

  test("a typing mistake is flagged with what was meant, even where somebody squats on it", async () => {
    expect(await verifyAddress({ dns }, "ada+x@gmial.com")).toMatchObject({
      valid: false,
      isTypo: true,
      isPersonalEmail: false,
      hasMxRecords: true,
      reasons: expect.arrayContaining(["Did you mean ada+x@gmail.com?"]),
    });
  });

  test.each([
    "relay@privaterelay.appleid.com",
    "x@sub.mozmail.com",
    "x@me.anonaddy.com",
    "x@simplelogin.com",
    "x@passmail.net",
  ])("%s is an alias", async (email) => {
    expect(await verifyAddress({ dns }, email)).toMatchObject({
      isAlias: true,
      isDisposable: false,
      isPersonalEmail: false,
    });
  });

  test.each([
    "mailinator.com",
    "deep.sub.mailinator.com",
    "yopmail.com",
    "guerrillamail.com",
    "10minutemail.com",
  ])("%s is disposable", (domain) => expect(isDisposableDomain(domain)).toBe(true));

  test.each(personal)("%s is personal, and neither disposable nor a typing mistake", (domain) => {
    expect([isPersonalDomain(domain), isDisposableDomain(domain), suggestDomain(domain)]).toEqual([
      true,
      false,
      null,
    ]);
  });

  test.each([
    "acme.test",
    "microsoft.com",
    "example.com",
    "facebook.com",
    "duck.com",
    "mailinator.com",
    "mail.gmail.com",
  ])("%s is not personal", (domain) => expect(isPersonalDomain(domain)).toBe(false));
});

describe("typing mistakes", () => {
  test.each([
    ["gmial.com", "gmail.com"],
    ["gamil.com", "gmail.com"],
    ["gmai.com", "gmail.com"],
    ["gmal.com", "gmail.com"],
    ["gmaill.com", "gmail.com"],
    ["gnail.com", "gmail.com"],
    ["mgail.com", "gmail.com"],
    ["gmail.con", "gmail.com"],
    ["gmail.co", "gmail.com"],
    ["gmail.cm", "gmail.com"],
    ["gmail.comm", "gmail.com"],
    ["gmial.con", "gmail.com"],
    ["hotmal.com", "hotmail.com"],
    ["hotmial.fr", "hotmail.fr"],
    ["yaho.com", "yahoo.com"],
    ["yahooo.co.uk", "yahoo.co.uk"],
    ["outlok.com", "outlook.com"],
    ["iclod.com", "icloud.com"],
    ["comcast.ne", "comcast.net"],
    ["acme.con", "acme.com"],
    ["acme.ogr", "acme.org"],
    ["shop.acme.cmo", "shop.acme.com"],
  ])("%s is %s", (typed, meant) => {
    expect(suggestDomain(typed)).toBe(meant);
  });

  test.each(rightAsTheyAre)("%s is what it says", (domain) => expect(suggestDomain(domain)).toBeNull());
});
