import { describe, expect, test } from "bun:test";
import { loadConfig } from "../../src/config/mod.ts";
import { recordsOf, shownRecordsOf } from "../../src/sending/domains/records.ts";

const ROW = {
  domain: "shop.example",
  returnPath: "bounces.shop.example",
  dkimSelector: "pr1",
  dkimPublicKey: "YWJj",
};
const valuesWith = (settings: Record<string, string>) =>
  recordsOf(loadConfig({ SECRET_KEY: "x".repeat(32), ...settings }), ROW).map(
    ({ purpose, type, value }) => `${purpose} ${type} ${value}`,
  );
const dkim = "DKIM TXT v=DKIM1; k=rsa; p=YWJj";
const dmarc = "DMARC TXT v=DMARC1; p=none;";

describe("the records of a domain", () => {
  test("direct bounces to INBOUND_HOST, else to the host of BASE_URL", () => {
    const both = { BASE_URL: "https://Mail.Acme.Example:8443/app", INBOUND_HOST: "MX.Acme.Example" };
    const withHost = (host: string) => [
      dkim,
      `SPF TXT v=spf1 a:${host} ~all`,
      `RETURN_PATH MX ${host}`,
      `RETURN_PATH TXT v=spf1 a:${host} ~all`,
      dmarc,
    ];

    expect(valuesWith(both)).toEqual(withHost("mx.acme.example"));
    expect(valuesWith({ BASE_URL: both.BASE_URL })).toEqual(withHost("mail.acme.example"));
  });

  test.each(["http://localhost:3000", "http://192.0.2.1", "http://[::1]:3000", "http://intranet"])(
    "offer no return path at %s, which nobody else could find",
    (BASE_URL) => {
      expect(valuesWith({ BASE_URL })).toEqual([dkim, "SPF TXT v=spf1 a mx ~all", dmarc]);
    },
  );

  test("name what SPF_INCLUDE says", () => {
    expect(valuesWith({ SPF_INCLUDE: "_spf.Relay.Example" })[1]).toBe(
      "SPF TXT v=spf1 include:_spf.relay.example ~all",
    );
  });

  test("are PENDING until something is known of them", () => {
    const config = loadConfig({ SECRET_KEY: "x".repeat(32) });
    const shown = shownRecordsOf(config, {
      ...ROW,
      recordStates: { "DKIM TXT": "MISMATCH", gone: "VERIFIED" },
      recordFindings: { "DKIM TXT": { found: ["v=DKIM1; p=x"], reason: "The key is another one" } },
    });

    expect(shown.map(({ status }) => status)).toEqual(["MISMATCH", "PENDING", "PENDING"]);
    expect(shown.map(({ reason }) => reason)).toEqual(["The key is another one", null, null]);
  });
});

test.each([
  ["SPF_INCLUDE", "include:amazonses.com"],
  ["SPF_INCLUDE", "amazonses.com -all"],
  ["INBOUND_HOST", "https://mail.example"],
  ["INBOUND_HOST", "192.0.2.1"],
  ["INBOUND_HOST", "mail"],
])("%s cannot be %s", (name, value) => {
  expect(() => loadConfig({ [name]: value })).toThrow(name);
});
