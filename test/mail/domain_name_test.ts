import { expect, test } from "bun:test";
import { parseDomain, registeredDomain } from "../../src/mail/domain_name.ts";

test.each([
  [" Shop.Example ", "shop.example"],
  ["shop.example.", "shop.example"],
  ["shop.example..", "shop.example"],
  ["München.de", "xn--mnchen-3ya.de"],
  ["MÜNCHEN.DE", "xn--mnchen-3ya.de"],
  ["xn--mnchen-3ya.de", "xn--mnchen-3ya.de"],
  ["例え。テスト。", "xn--r8jz45g.xn--zckzah"],
  ["ｓｈｏｐ.example", "shop.example"],
  ["news.acme.co.uk", "news.acme.co.uk"],
  ["uk.com", "uk.com"],
  ["somebody.github.io", "somebody.github.io"],
  ["xn--80ak6aa92e.com", "xn--80ak6aa92e.com"],
])("%p is %s", (text, domain) => {
  expect(parseDomain(text)).toBe(domain);
});

test.each([
  "",
  ".",
  "shop",
  "localhost",
  "com",
  "co.uk",
  "kawasaki.jp",
  "xn--p1ai",
  "1.2.3.4",
  "１.２.３.４",
  "127.0.0.0x1",
  "[::1]",
  "::1",
  "shop..example",
  ".shop.example",
  "-shop.example",
  "shop-.example",
  "sh_op.example",
  "*.shop.example",
  "shop.example:25",
  "https://shop.example",
  "shop.example/path",
  "ada@shop.example",
  "shop.example, other.example",
  "shop .example",
  "shop.exa\nmple",
  "shop.example\0",
  "xn--a.example",
  "%73hop.example",
  `${"a".repeat(64)}.example`,
  `${"a.".repeat(107)}example`,
  "a".repeat(100_000),
])("%p is no domain that somebody can own", (text) => {
  expect(parseDomain(text)).toBeNull();
});

test("the longest name leaves room for the names of its records", () => {
  const domain = `${`${"a".repeat(63)}.`.repeat(3)}${"b".repeat(20)}.example`;

  expect(domain.length).toBe(220);
  expect(parseDomain(domain)).toBe(domain);
  expect(parseDomain(`a${domain}`)).toBeNull();
  expect(parseDomain(domain.replace("b.", "bb."))).toBeNull();
});

test.each([
  ["news.acme.co.uk", "acme.co.uk"],
  ["acme.co.uk", "acme.co.uk"],
  ["a.b.shop.example", "shop.example"],
])("%s was registered as %s", (domain, registered) => {
  expect(registeredDomain(domain)).toBe(registered);
});
