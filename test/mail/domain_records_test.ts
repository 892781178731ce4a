import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createDns } from "../../src/mail/dns.ts";
import {
  type DomainRecord,
  inheritedDmarcName,
  judgeRecord,
  recordKey,
  neededRecords,
  type RecordPurpose,
} from "../../src/mail/domain_records.ts";
import { type NameServer, startNameServer, type ZoneAnswer } from "../support/name_server.ts";

// 392 characters, as the public half of a key of 2,048 bits has.
const KEY = `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA${"q1W2e3R4t5/+".repeat(28)}AQIDAQAB==`;
const FACTS = {
  domain: "shop.example",
  returnPath: "bounces.shop.example",
  dkim: { selector: "pr1", publicKey: KEY },
  host: "mail.host.example",
  spfInclude: "amazonses.com",
};

let server: NameServer;
let lookUp: (record: DomainRecord) => Promise<string | null>;

beforeAll(async () => {
  server = await startNameServer();
  const dns = createDns({ servers: [server.address], timeoutMs: 200 });
  lookUp = async (record) => judgeRecord(record, await dns.lookup(record.name, record.type));
});
afterAll(() => server.stop());

const recordFor = (purpose: RecordPurpose, facts: Partial<typeof FACTS> = {}, type = "TXT") =>
  neededRecords({ ...FACTS, ...facts }).find((r) => r.purpose === purpose && r.type === type)!;

/** What a record is taken for that the DNS answers so. */
async function stateWith(record: DomainRecord, answer: ZoneAnswer): Promise<string | null> {
  server.set(record.name, record.type, answer);
  return await lookUp(record);
}

describe("the records of a domain", () => {
  test("are a key, a policy, a way back and a policy for receivers, the required one first", () => {
    const spf = "v=spf1 include:amazonses.com ~all";

    expect(neededRecords(FACTS)).toEqual([
      {
        type: "TXT",
        name: "pr1._domainkey.shop.example",
        value: `v=DKIM1; k=rsa; p=${KEY}`,
        purpose: "DKIM",
        required: true,
      },
      { type: "TXT", name: "shop.example", value: spf, purpose: "SPF", required: false },
      {
        type: "MX",
        name: "bounces.shop.example",
        value: "mail.host.example",
        priority: 10,
        purpose: "RETURN_PATH",
        required: false,
      },
      { type: "TXT", name: "bounces.shop.example", value: spf, purpose: "RETURN_PATH", required: false },
      {
        type: "TXT",
        name: "_dmarc.shop.example",
        value: "v=DMARC1; p=none;",
        purpose: "DMARC",
        required: false,
      },
    ]);
  });

  test("have no way back where the installation has no name, and no key where there is none", () => {
    const records = neededRecords({ ...FACTS, dkim: null, host: null, spfInclude: undefined });

    expect(records.map(({ purpose, value }) => [purpose, value])).toEqual([
      ["SPF", "v=spf1 a mx ~all"],
      ["DMARC", "v=DMARC1; p=none;"],
    ]);
    expect(neededRecords({ ...FACTS, spfInclude: undefined })[1]!.value).toBe(
      "v=spf1 a:mail.host.example ~all",
    );
  });

  test("are told apart by their keys", () => {
    const keys = neededRecords(FACTS).map(recordKey);
    expect(new Set(keys).size).toBe(5);
    expect(keys[0]).toBe("DKIM TXT");
  });
});

describe("DKIM", () => {
  const dkim = recordFor("DKIM");
  const chunks = (text: string, length: number) => text.match(new RegExp(`.{1,${length}}`, "g"))!;
  const other = KEY.replace("q1W2", "q1W3");

  test.each([
    ["in one piece, as strings of 255", [chunks(dkim.value, 255)]],
    ["in small strings, cut anywhere", [chunks(dkim.value, 7)]],
    ["without spaces", [chunks(`v=DKIM1;k=rsa;p=${KEY};`, 255)]],
    ["in another order", [chunks(`p=${KEY}; k=rsa; v=DKIM1`, 255)]],
    ["with spaces everywhere", [chunks(` v = DKIM1 ;\tk = RSA ; p = ${KEY} ; `, 255)]],
    ["with spaces inside of the key", [chunks(`v=DKIM1; k=rsa; p=${chunks(KEY, 64).join(" ")}`, 255)]],
    ["with nothing but the key", [chunks(`p=${KEY}`, 255)]],
    ["without the padding of the key", [chunks(`v=DKIM1; p=${KEY.replace(/=+$/, "")}`, 255)]],
    ["with more tags", [chunks(`v=DKIM1; h=sha1:sha256; s=email; t=s; n=note; p=${KEY}`, 255)]],
    ["beside text that is no key", [["v=spf1 -all"], ["site-check=1"], chunks(dkim.value, 255)]],
    ["twice the same", [chunks(dkim.value, 255), chunks(dkim.value, 100)]],
  ])("%s is our key", async (_, answer) => {
    expect(await stateWith(dkim, answer)).toBe("VERIFIED");
  });

  test.each([
    ["another key", [chunks(dkim.value.replace(KEY, other), 255)]],
    ["a key that was lower-cased", [chunks(dkim.value.toLowerCase(), 255)]],
    ["a key that was cut at 255 characters", [chunks(dkim.value, 255).slice(0, 1)]],
    ["a revoked key", [["v=DKIM1; k=rsa; p="]]],
    ["another kind of key", [chunks(`v=DKIM1; k=ed25519; p=${KEY}`, 255)]],
    ["a key for other hashes", [chunks(`v=DKIM1; h=sha1; p=${KEY}`, 255)]],
    ["a key for other services", [chunks(`v=DKIM1; s=tlsrpt; p=${KEY}`, 255)]],
    ["another version", [chunks(`v=DKIM2; p=${KEY}`, 255)]],
    ["the quotes of a zone file", [chunks(`"${dkim.value}"`, 255)]],
    ["the backslashes of a zone file", [chunks(dkim.value.replaceAll(";", "\\;"), 255)]],
    ["a key with more padding than there is", [chunks(`v=DKIM1; p=${KEY}==`, 255)]],
    [
      "a text longer than any record, though it names our key",
      [chunks(`${dkim.value}; n=${"x".repeat(4_000)}`, 255)],
    ],
    ["our key beside such a text", [chunks(dkim.value, 255), chunks("=".repeat(4_100), 255)]],
    ["a tag that stands twice", [chunks(`${dkim.value}; p=${KEY}`, 255)]],
    ["other text", [["hello"]]],
    ["an empty string", [[""]]],
    ["two keys, one of them ours", [chunks(dkim.value, 255), ["v=DKIM1; p=YWJj"]]],
    ["two keys, the second of them ours", [["v=DKIM1; p=YWJj"], chunks(dkim.value, 255)]],
  ])("%s is a mismatch", async (_, answer) => {
    expect(await stateWith(dkim, answer)).toBe("MISMATCH");
  });

  test.each([
    ["no such name", "NXDOMAIN"],
    ["a name without text", []],
  ] as [string, ZoneAnswer][])("%s is missing", async (_, answer) => {
    expect(await stateWith(dkim, answer)).toBe("MISSING");
  });

  test.each(["SERVFAIL", "REFUSED", "SILENT", "GARBAGE", "REFERRAL"] as ZoneAnswer[])(
    "%s says nothing",
    async (answer) => {
      expect(await stateWith(dkim, answer)).toBeNull();
    },
  );

  test("is found behind a chain of aliases, and missing where it ends nowhere", async () => {
    const record = recordFor("DKIM", { domain: "chain.example" });
    server.set(record.name, "CNAME", ["one.chain.example"]);
    server.set("one.chain.example", "CNAME", ["two.chain.example"]);
    const without = await lookUp(record);
    server.set("two.chain.example", "TXT", [chunks(record.value, 255)]);
    const found = await lookUp(record);
    server.set("two.chain.example", "TXT", "SERVFAIL");

    expect([without, found, await lookUp(record)]).toEqual(["MISSING", "VERIFIED", null]);
  });
});

describe("SPF", () => {
  test.each([
    ["v=spf1 include:amazonses.com ~all"],
    ["V=SPF1 Include:AmazonSES.com -all"],
    ["v=spf1 mx +include:amazonses.com include:_spf.google.com ?all"],
    ["v=spf1  ip4:192.0.2.1  include:amazonses.com"],
  ])("%s includes what it must", async (text) => {
    expect(await stateWith(recordFor("SPF"), [text, "site-check=1", "v=spf10 -all"])).toBe("VERIFIED");
  });

  test.each([
    ["lacks the include", ["v=spf1 mx -all"], "MISMATCH"],
    ["includes a longer name", ["v=spf1 include:amazonses.com.example -all"], "MISMATCH"],
    ["refuses what it includes", ["v=spf1 -include:amazonses.com -all"], "MISMATCH"],
    [
      "refuses it before it includes it",
      ["v=spf1 ?include:amazonses.com include:amazonses.com -all"],
      "MISMATCH",
    ],
    ["includes it where nobody looks any more", ["v=spf1 -all include:amazonses.com"], "MISMATCH"],
    ["refuses everybody", ["v=spf1 -all"], "MISMATCH"],
    ["stands there twice", ["v=spf1 include:amazonses.com -all", "v=spf1 mx -all"], "MISMATCH"],
    ["is not there beside other text", ["site-check=1", "spf2.0/pra -all"], "MISSING"],
    ["is not there", "NXDOMAIN", "MISSING"],
    ["cannot be looked up", "SERVFAIL", null],
  ] as [string, ZoneAnswer, string | null][])("%s", async (_, answer, state) => {
    expect(await stateWith(recordFor("SPF"), answer)).toBe(state);
    expect(await stateWith(recordFor("RETURN_PATH"), answer)).toBe(state);
  });

  test.each([
    ["v=spf1", "VERIFIED", "MISMATCH"],
    ["v=spf1 mx -all", "VERIFIED", "MISMATCH"],
    ["v=spf1 redirect=_spf.other.example", "VERIFIED", "MISMATCH"],
    ["v=spf1 +all", "VERIFIED", "MISMATCH"],
    ["v=spf1 a:mail.host.example ~all", "VERIFIED", "VERIFIED"],
    ["v=spf1 ip4:192.0.2.1 +A:Mail.Host.Example -all", "VERIFIED", "VERIFIED"],
    ["v=spf1 mx -all a:mail.host.example", "VERIFIED", "MISMATCH"],
    ["v=spf1 -a:mail.host.example mx -all", "VERIFIED", "MISMATCH"],
    ["v=spf1 -all", "MISMATCH", "MISMATCH"],
    ["v=spf1 ~all mx", "MISMATCH", "MISMATCH"],
    ["v=spf1 -mx exp=why.shop.example redirect=_spf.other.example -ALL", "MISMATCH", "MISMATCH"],
  ])(
    "%s, where no include is asked for, is %s; for the return path, which is our host's, %s",
    async (text, own, back) => {
      const facts = { spfInclude: undefined } as object;

      expect(await stateWith(recordFor("SPF", facts), [text])).toBe(own);
      expect(await stateWith(recordFor("RETURN_PATH", facts), [text])).toBe(back);
    },
  );

  test("that stands there twice is a mismatch also where no include is asked for", async () => {
    const record = recordFor("SPF", { spfInclude: undefined } as object);
    expect(await stateWith(record, ["v=spf1 mx -all", "v=spf1 a -all"])).toBe("MISMATCH");
  });
});

describe("the return path", () => {
  test.each([
    ["our host", ["10 mail.host.example"], "VERIFIED"],
    ["our host in capitals, before another", ["5 Mail.Host.Example", "10 mx.other.example"], "VERIFIED"],
    ["our host after another", ["10 mail.host.example", "5 mx.other.example"], "MISMATCH"],
    ["our host and another alike", ["10 mail.host.example", "10 mx.other.example"], "MISMATCH"],
    ["another host", ["10 mx.other.example"], "MISMATCH"],
    ["no mail at all", ["0 ."], "MISMATCH"],
    ["nothing", [], "MISSING"],
    ["silence", "SILENT", null],
  ] as [string, ZoneAnswer, string | null][])("%s", async (_, answer, state) => {
    expect(await stateWith(recordFor("RETURN_PATH", {}, "MX"), answer)).toBe(state);
  });
});

describe("DMARC", () => {
  test.each([
    ["v=DMARC1; p=none;", "VERIFIED"],
    ["v=DMARC1;p=reject;rua=mailto:d@shop.example", "VERIFIED"],
    ["v = DMARC1 ; p = Quarantine", "VERIFIED"],
    ["v=DMARC1; rua=mailto:d@shop.example", "MISMATCH"],
    ["v=DMARC1; p=perhaps", "MISMATCH"],
    ["v=DMARC1", "MISMATCH"],
    ["v=DMARC12; p=none", "MISSING"],
    ["p=none; v=DMARC1", "MISSING"],
  ])("%s is %s", async (text, state) => {
    expect(await stateWith(recordFor("DMARC"), [text, "other text"])).toBe(state);
  });

  test("that stands there twice is a mismatch", async () => {
    const twice = ["v=DMARC1; p=none", "v=DMARC1; p=reject"];
    expect(await stateWith(recordFor("DMARC"), twice)).toBe("MISMATCH");
  });

  test.each([
    ["_dmarc.news.acme.co.uk", "_dmarc.acme.co.uk"],
    ["_dmarc.a.b.shop.example", "_dmarc.shop.example"],
    ["_dmarc.shop.example", null],
  ])("%s inherits from %s", (name, above) => {
    expect(inheritedDmarcName(name)).toBe(above);
  });
});
