import { describe, expect, test } from "bun:test";
import { assert, constantFrom, emailAddress, oneof, property, string, tuple } from "fast-check";
import { parseAddress, parseMailbox, searchedAddress } from "../../src/mail/address.ts";
import { effortOf } from "../support/effort.ts";

const longLabel = "d".repeat(63);

describe("parseAddress", () => {
  test.each([
    ["ada@acme.test", "ada@acme.test"],
    ["  Ada.Lovelace@ACME.Test \t", "ada.lovelace@acme.test"],
    ["ada+news@acme.test", "ada+news@acme.test"],
    ["o'hara_{x}!#$%&*/=?^`|~-@acme.test", "o'hara_{x}!#$%&*/=?^`|~-@acme.test"],
    ["a@b.co", "a@b.co"],
    ["1@1.a1", "1@1.a1"],
    ["a@x--y.acme.test", "a@x--y.acme.test"],
    [`${"l".repeat(64)}@acme.test`, `${"l".repeat(64)}@acme.test`],
    [`a@${longLabel}.test`, `a@${longLabel}.test`],
    ["ada@münchen.de", "ada@xn--mnchen-3ya.de"],
    ["ada@MÜNCHEN。de", "ada@xn--mnchen-3ya.de"],
    ["ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah"],
  ])("%j is read as %j", (text, email) => {
    expect(parseAddress(text)).toEqual({ email, domain: email.slice(email.lastIndexOf("@") + 1) });
  });

  test.each([
    "",
    " ",
    "@",
    "ada",
    "ada@",
    "@acme.test",
    "ada@localhost",
    "ada@acme.test.",
    "ada@.acme.test",
    "ada@acme..test",
    ".ada@acme.test",
    "ada.@acme.test",
    "a..da@acme.test",
    "ada@@acme.test",
    "ada@acme@test.io",
    '"ada"@acme.test',
    "ada(x)@acme.test",
    "ada lovelace@acme.test",
    "ada@ac me.test",
    "<ada@acme.test>",
    "ada@acme.test,bob@acme.test",
    "ada@acme.test;bob@acme.test",
    "ada@acme.test\r\nRCPT TO:<evil@x.io>",
    "ada@acme.test\nx",
    "ada\u0000@acme.test",
    "ada@acme\u0000.test",
    "ada@acme\u007f.test",
    "ada@-acme.test",
    "ada@acme-.test",
    "ada@ac_me.test",
    "ada@[127.0.0.1]",
    "ada@127.0.0.1",
    "ada@acme.123",
    "ada@acme.test:25",
    "ada@münchen.de/x",
    "ada@münchen.de?x",
    "ada@münchen%2ede",
    "ada@münchen\u200b.\u0000de",
    "ädä@acme.test",
    "\u212a@acme.test", // KELVIN SIGN, lower case: k
    "ada\u202e@acme.test",
    `${"l".repeat(65)}@acme.test`,
    `a@${longLabel}d.test`,
    `a@${`${longLabel}.`.repeat(4)}test`,
    `a@${"ü".repeat(60)}.${"ö".repeat(60)}.${"ä".repeat(60)}.${"é".repeat(60)}.de`, // fits only before it is ASCII
  ])("%j is refused", (text) => {
    expect(parseAddress(text)).toBeNull();
  });

  test("whatever is accepted is safe in a header and reads as itself", () => {
    const piece = constantFrom(
      "a",
      "Z",
      "9",
      ".",
      "@",
      "-",
      "+",
      "_",
      " ",
      ",",
      "<",
      ">",
      '"',
      "\r",
      "\n",
      "\0",
      "ü",
      "K",
      "。",
    );
    const likely = tuple(string({ unit: piece, maxLength: 8 }), string({ unit: piece, maxLength: 12 }));
    const texts = oneof(
      string({ unit: "binary" }),
      string({ unit: piece }),
      likely.map(([local, domain]) => `${local}a@${domain}b.io`),
      emailAddress(),
    );
    let accepted = 0;
    assert(
      property(texts, (text) => {
        const address = parseAddress(text);
        if (!address) return;
        accepted++;
        expect(address.email).toMatch(/^[!-~]+$/);
        expect(address.email).not.toMatch(/[<>,;:"()[\]\\]/);
        expect(address.email.endsWith(`@${address.domain}`)).toBe(true);
        expect(parseAddress(address.email)).toEqual(address);
      }),
      { numRuns: 5_000 },
    );
    expect(accepted).toBeGreaterThan(200);
  });
});

describe("searchedAddress", () => {
  test.each([
    ["Ada@EXÄMPLE.de", "ada@xn--exmple-cua.de"],
    ["exämple", "xn--exmple-cua"],
    [" @exämple.de ", "@xn--exmple-cua.de"],
    [".exämple.", ".xn--exmple-cua."],
    ["ada@例。中国", "ada@xn--fsq.xn--fiqs8s"],
    ["Ada@", "ada@"],
    ["Zoë Müller", "zoë müller"],
    ["exämple/%61", "exämple/%61"],
    ["ä".repeat(300), "ä".repeat(300)],
  ])("looks for %p as it is stored", (text, stored) => {
    expect(searchedAddress(text)).toBe(stored);
  });
});

describe("parseMailbox", () => {
  test.each([
    ["ada@acme.test", { email: "ada@acme.test" }],
    [" ADA@acme.test ", { email: "ada@acme.test" }],
    ["<ada@acme.test>", { email: "ada@acme.test" }],
    ["Ada <ada@acme.test>", { email: "ada@acme.test", name: "Ada" }],
    ["Ada Lovelace<Ada@Acme.test>", { email: "ada@acme.test", name: "Ada Lovelace" }],
    [
      "Müller & Söhne (Köln) < kontakt@müller.de >",
      { email: "kontakt@xn--mller-kva.de", name: "Müller & Söhne (Köln)" },
    ],
    ['"Lovelace, Ada" <ada@acme.test>', { email: "ada@acme.test", name: "Lovelace, Ada" }],
    ['"The \\"A\\" <Team> \\\\" <ada@acme.test>', { email: "ada@acme.test", name: 'The "A" <Team> \\' }],
    ['"" <ada@acme.test>', { email: "ada@acme.test" }],
    ["\tAda <ada@acme.test>\r\n", { email: "ada@acme.test", name: "Ada" }],
    ["Ada 🚀 <ada@acme.test>", { email: "ada@acme.test", name: "Ada 🚀" }],
  ])("%j is read", (text, mailbox) => {
    expect(parseMailbox(text)).toEqual(mailbox);
  });

  test.each([
    "",
    "Ada",
    "Ada <>",
    "Ada <ada>",
    "Ada ada@acme.test",
    "ada@acme.test>",
    "Ada <ada@acme.test> x",
    "Lovelace, Ada <ada@acme.test>",
    "Ada <a@x.io>, Bob <b@x.io>",
    "Ada <evil@x.io> <ada@acme.test>",
    'Ada "x" <ada@acme.test>',
    '"Ada <ada@acme.test>',
    '"Ada" x <ada@acme.test>',
    '"Ada\\" <ada@acme.test>',
    "Ada\r\nBcc: evil@x.io\r\n <ada@acme.test>",
    "Ada\n<ada@acme.test>",
    "A\0da <ada@acme.test>",
    `${"A".repeat(1_000)} <ada@acme.test>`,
  ])("%j is refused", (text) => {
    expect(parseMailbox(text)).toBeNull();
  });
});

test.each([
  ["a"],
  ["a."],
  [".a"],
  ["@"],
  ["a@"],
  ["a-"],
  ["ü"],
  [" "],
  ["<"],
  ['"'],
  ["\\"],
  ["\\."],
  ['\\"'],
  ["a@b."],
])("100 KB of %j are refused in no time", (unit) => {
  const flood = unit.repeat(100_000 / unit.length);
  const hostile = [
    flood,
    `${flood}@acme.test`,
    `a@${flood}`,
    `a@${flood}.io`,
    `"${flood}" <a@b.io>`,
    `${flood}<${flood}>`,
  ];
  const effort = effortOf(() => {
    for (const text of hostile) expect([parseAddress(text), parseMailbox(text)]).toEqual([null, null]);
  });

  expect(effort).toBeLessThan(5);
});
