import { describe, expect, test } from "bun:test";
import { type DomainRecord, judgeRecord, neededRecords } from "../../src/mail/domain_records.ts";
import { findingOf } from "../../src/mail/record_findings.ts";

const KEY = `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA${"q1W2e3R4t5/+".repeat(28)}AQIDAQAB==`;
const RECORDS = neededRecords({
  domain: "shop.example",
  returnPath: "bounces.shop.example",
  dkim: { selector: "pr1", publicKey: KEY },
  host: "mail.host.example",
  spfInclude: "amazonses.com",
});
const recordFor = (purpose: string, type = "TXT") =>
  RECORDS.find((record) => record.purpose === purpose && record.type === type)!;

function explain(record: DomainRecord, records: unknown[]) {
  const answer = records.length > 0 ? { state: "found", records } : { state: "none" };
  const state = judgeRecord(record, answer as never)!;
  return { state, ...findingOf(record, state, answer as never) };
}

describe("what was found in place of a record", () => {
  test.each([
    ["DKIM", [], "MISSING", "There is no TXT record at this name"],
    ["DKIM", ["hello"], "MISMATCH", "The TXT record holds no key: publish the whole value, from v=DKIM1 on"],
    ["DKIM", ["v=DKIM1; p="], "MISMATCH", "The key is empty, which says that it was revoked"],
    ["DKIM", ["v=DKIM1; p=AAAA"], "MISMATCH", "The key is another one: replace the value with this one"],
    [
      "DKIM",
      [`v=DKIM1; p=${KEY.slice(0, 200)}`],
      "MISMATCH",
      `The key is cut off after 200 of ${KEY.length - 2} characters: split the value into strings of at most 255 characters`,
    ],
    [
      "DKIM",
      [`v=DKIM1; p=${KEY}`, "v=DKIM1; p=AAAA"],
      "MISMATCH",
      "There are 2 keys at this name: leave only this one",
    ],
    [
      "DKIM",
      [`v=DKIM1; s=tlsrpt; p=${KEY}`],
      "MISMATCH",
      "The key is right, but another part of the record forbids its use: publish this value",
    ],
    ["SPF", ["google-site-verification=1"], "MISSING", "There is no SPF record at this name"],
    [
      "SPF",
      ["v=spf1 a ~all", "v=spf1 mx ~all"],
      "MISMATCH",
      "There are 2 SPF records, of which receivers take none: merge them into one",
    ],
    [
      "SPF",
      ["v=spf1 mx ~all"],
      "MISMATCH",
      "It does not name this service: add include:amazonses.com before “all”",
    ],
    [
      "SPF",
      ["v=spf1 ~all include:amazonses.com"],
      "MISMATCH",
      "include:amazonses.com stands after “all”, where nothing is read: move it before it",
    ],
    [
      "SPF",
      ["v=spf1 -include:amazonses.com ~all"],
      "MISMATCH",
      "It refuses include:amazonses.com: take away the sign before it",
    ],
    ["DMARC", ["v=DMARC1; p=maybe"], "MISMATCH", "Its policy has to be p=none, p=quarantine or p=reject"],
    [
      "DMARC",
      ["v=DMARC1; p=none", "v=DMARC1; p=reject"],
      "MISMATCH",
      "There are 2 DMARC records, of which receivers take none: merge them into one",
    ],
  ])("%s %p is %s: %s", (purpose, records, state, reason) => {
    expect(explain(recordFor(purpose), records)).toMatchObject({ state, reason });
  });

  test("a server of another name is named", () => {
    const servers = [{ preference: 5, exchange: "mx.other.example" }];

    expect(explain(recordFor("RETURN_PATH", "MX"), servers)).toEqual({
      state: "MISMATCH",
      found: ["5 mx.other.example"],
      reason: "Bounces go to mx.other.example first, and not to mail.host.example",
    });
  });

  test("what is right has no reason, and is shown", () => {
    for (const { purpose, value } of RECORDS.filter(({ type }) => type === "TXT")) {
      expect(explain(recordFor(purpose), [value])).toEqual({
        state: "VERIFIED",
        found: [value],
        reason: null,
      });
    }
  });

  test("a name with many long texts shows five, each cut", () => {
    const { found } = explain(
      recordFor("DKIM"),
      Array.from({ length: 60 }, () => "x".repeat(1_000)),
    );

    expect(found.map(({ length }) => length)).toEqual([800, 800, 800, 800, 800]);
  });
});
