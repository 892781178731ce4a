// What is kept of a refused body: whatever it looks like, no secret, no more than 4 KB, and text that Postgres can hold.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  addressesIn,
  describeBody,
  MAX_BODY_BYTES,
  withoutSecrets,
} from "../../src/insight/requests/_redaction.ts";

const SECRET = "Tr0ub4dor";
const NAMES = [
  "password",
  "newPassword",
  "API_KEY",
  "api-key",
  "client_secret",
  "Authorization",
  "X-Auth-Token",
  "cookie",
];

const anything = fc.jsonValue({ maxDepth: 4 });
const named = fc
  .tuple(
    fc.constantFrom(...NAMES),
    fc.oneof(fc.constant(SECRET), fc.constant([SECRET]), fc.constant({ a: SECRET })),
  )
  .map(([name, value]) => ({ [name]: value }));
/** A body with a secret somewhere, among anything else. */
const body = fc.letrec((tie) => ({
  node: fc.oneof({ maxDepth: 5 }, named, tie("list"), tie("object")),
  list: fc.tuple(anything, tie("node"), anything),
  object: fc.record({ before: anything, inner: tie("node"), after: anything }),
})).node;

describe("a body", () => {
  test("that is JSON is kept without what its names say is secret", () => {
    fc.assert(
      fc.property(body, (value) => {
        const kept = describeBody(value);
        expect(kept).not.toContain(SECRET);
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(MAX_BODY_BYTES);
      }),
      { numRuns: 300 },
    );
  });

  test("that breaks off anywhere is kept without them too", () => {
    fc.assert(
      fc.property(named, fc.nat(60), fc.constantFrom(0, 1, 2), (value, end, indent) => {
        const text = `{"to": "ada@x.test", "data": ${JSON.stringify(value, null, indent)}}`;
        expect(describeBody(text.slice(0, text.length - end))).not.toContain(SECRET);
      }),
      { numRuns: 300 },
    );
  });

  test("of any text is something that Postgres can hold, and no longer than 4 KB", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 5_000, size: "max" }),
        fc.boolean(),
        (text, isJson) => {
          const kept = describeBody(isJson ? { text, list: [text, text], [text]: text } : text);
          expect(kept).not.toContain("\0");
          expect(kept.isWellFormed()).toBe(true);
          expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(MAX_BODY_BYTES);
        },
      ),
      { numRuns: 40, endOnFailure: true },
    );
  });

  test("that is enormous costs as little as a small one", () => {
    let read = 0;
    const list = Array.from({ length: 100_000 }, () => ({
      get email() {
        read++;
        return "somebody@example.com";
      },
    }));
    const kept = describeBody({ to: list });

    expect(read).toBeLessThan(500);
    expect(kept).toContain("somebody@example.com");
    expect(kept).toContain("more");
  });
});

describe("a text", () => {
  test.each([
    ["a secret key", `sk_${"a1".repeat(24)}`],
    ["a public key", `pk_${"a1".repeat(24)}`],
    ["a key of Stripe", "sk_live_4eC39HqLyjWDarjtT1zdp7dc"],
    ["the secret of webhooks", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"],
    ["a bearer token", "Bearer abcdefgh12345678"],
    ["a password in an address", "postgres://me:hunter2hunter2@db/x"],
    ["a JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"],
    [
      "a private key",
      "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA12345678\n-----END RSA PRIVATE KEY-----",
    ],
    ["a token in a query", "https://x.test/a?page=2&access_token=abcdefgh12345678"],
  ])("loses %s, wherever it stands", (_what, secret) => {
    const clean = withoutSecrets(`before ${secret} after`);
    const rest = secret.split(/[ ?&=:/@.\n]+/).filter((part) => /\d/.test(part) && part.length > 7);

    expect(clean).toStartWith("before ");
    expect(clean).toEndWith(" after");
    expect(rest).not.toEqual([]);
    for (const part of rest) expect(clean).not.toContain(part);
  });

  test("keeps what is none, and addresses are found in it as contacts have them", () => {
    const text = "Ada <Ada@Example.com>, bob@exämple.de; /contacts?search=cy%40x.test&page=2, a basic plan";

    expect(withoutSecrets(text)).toBe(text);
    expect(addressesIn([text, null])).toEqual(["ada@example.com", "bob@xn--exmple-cua.de", "cy@x.test"]);
  });
});
