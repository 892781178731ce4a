// An assembled message against the one that the mail library composes of the same parts.
import { describe, expect, test } from "bun:test";
import {
  type Arbitrary,
  assert,
  asyncProperty,
  constantFrom,
  dictionary,
  oneof,
  property,
  record,
  string,
} from "fast-check";
import MailComposer from "nodemailer/lib/mail-composer";
import { decodeWords, type Email } from "postal-mime";
import { type MessageSample, type OwnParts, prepareMessage } from "../../src/mail/assembly.ts";
import { toMessage } from "../../src/mail/message.ts";
import { readMail } from "../support/received_mail.ts";

type MailParts = MessageSample & OwnParts;

const plain: MailParts = {
  from: { name: "Shop", address: "news@acme.test" },
  replyTo: null,
  headers: {},
  to: { name: "", address: "ada@example.com" },
  messageId: "0190@acme.test",
  date: new Date("2026-05-04T09:08:07Z"),
  subject: "Hello",
  html: "<p>Hello</p>",
  text: "Hello",
};

const assemble = (change: Partial<MailParts>) => {
  const mail = { ...plain, ...change };
  return prepareMessage(mail).assemble(mail);
};
const parse = (change: Partial<MailParts>) => readMail(assemble(change));
const headerOf = (email: Email, name: string) => email.headers.find((header) => header.key === name)?.value;
const headOf = (source: Buffer) => source.toString("latin1").split("\r\n\r\n")[0]!;
const namesIn = (source: Buffer) => [...headOf(source).matchAll(/^([^\s:]+):/gm)].map((match) => match[1]!);

async function composedByLibrary({ from, replyTo, headers, ...own }: MailParts): Promise<Buffer> {
  const envelope = { from: from.address, to: own.to.address };
  return await new MailComposer(toMessage({ ...own, envelope, from, replyTo, headers, attachments: [] }))
    .compile()
    .build();
}

/** The header as a reader understands it. */
function meaningOf({ headers, from, to, replyTo, subject, messageId, date }: Email) {
  const fields = headers
    .filter(({ key }) => !key.startsWith("content-"))
    .map(({ key, value }) => `${key}: ${value}`);
  return { fields: fields.toSorted(), from, to, replyTo, subject, messageId, date };
}

/** What the decoder of the parser makes of a text. */
const decoded = (text: string) =>
  new TextDecoder().decode(Buffer.from(text.replace(/\r\n?/g, "\n"))).replace(/\n+$/, "");

const hostileUnit = constantFrom(
  "a",
  " ",
  "\t",
  "\r",
  "\n",
  "\r\n",
  "\r\n.",
  "\0",
  ":",
  ",",
  "<",
  ">",
  '"',
  "\\",
  "=?",
  "é",
);
const oddUnit = constantFrom(
  "a",
  " ",
  "=?",
  "?=",
  "utf-8?Q?",
  "?b?",
  '"',
  "é",
  "😀",
  "👩‍👩‍👧",
  "\ud83d",
  "\ude00",
  "مرحبا",
  "\u202e",
  ".",
);
const anyText: Arbitrary<string> = oneof(
  string({ unit: "binary", maxLength: 400 }),
  string({ unit: "grapheme", maxLength: 400 }),
  string({ unit: oddUnit, maxLength: 200 }),
  string({ unit: hostileUnit, maxLength: 200 }),
);
const address = string({ unit: constantFrom("a", "-", "+", "0", "_"), minLength: 1, maxLength: 60 }).map(
  (local) => `${local}@${"sub.".repeat(local.length % 5)}acme.test`,
);
const headerName = string({ unit: constantFrom("a", "Z", "-", "9"), maxLength: 20 }).map(
  (name) => `X-${name}`,
);

/** Mails with these texts in every field of the header, and any text in the parts. */
function mailsWith(headerText: Arbitrary<string>): Arbitrary<MailParts> {
  const mailbox = record({ name: headerText, address });
  return record({
    from: mailbox,
    to: mailbox,
    replyTo: oneof(address, constantFrom(null)),
    headers: dictionary(headerName, headerText, { maxKeys: 4 }),
    messageId: constantFrom("0190@acme.test", `${"0190-".repeat(12)}@acme.test`),
    date: constantFrom(new Date(0), plain.date, new Date("2030-12-31T23:59:59.999Z")),
    subject: headerText,
    html: anyText,
    text: anyText,
  });
}

// What reaches a header has been checked: no control characters.
const checkedText = anyText.map((text) => text.replaceAll(/\p{Cc}/gu, ""));

describe("an assembled message", () => {
  test("says in its header what the library's own would", async () => {
    await assert(
      asyncProperty(mailsWith(checkedText), async (mail) => {
        const [mine, theirs] = await Promise.all([assemble(mail), composedByLibrary(mail)]);
        expect(meaningOf(await readMail(mine))).toEqual(meaningOf(await readMail(theirs)));
      }),
      { numRuns: 500 },
    );
  });

  test("carries both parts unchanged, and nothing else", async () => {
    await assert(
      asyncProperty(mailsWith(checkedText), async (mail) => {
        const { html, text, attachments } = await parse(mail);
        expect({ html: html ?? "", text: text ?? "", attachments }).toEqual({
          html: decoded(mail.html),
          text: decoded(mail.text),
          attachments: [],
        });
      }),
      { numRuns: 500 },
    );
  });

  test("is sound on the wire, whatever is in it", () => {
    assert(
      property(mailsWith(anyText), (mail) => {
        const source = assemble(mail).toString("latin1");
        expect(source).toMatch(/^[\t\r\n -~]*\r\n$/);
        expect(headOf(Buffer.from(source))).not.toMatch(/^[ \t]+$/m);
        for (const line of source.split("\r\n")) {
          expect(line).not.toMatch(/[\r\n]|^\./);
          expect(line.length).toBeLessThanOrEqual(998);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("has the fields it should have and no others, whatever is in them", () => {
    const allowed = /^(X-[\w-]*|From|To|Reply-To|Subject|Message-ID|Date|MIME-Version|Content-[\w-]+)$/;
    assert(
      property(mailsWith(anyText), (mail) => {
        const names = namesIn(assemble(mail));
        expect(names.filter((name) => !allowed.test(name))).toEqual([]);
        expect(names.filter((name) => /^(From|To|Message-ID|Date)$/.test(name)).toSorted()).toEqual([
          "Date",
          "From",
          "Message-ID",
          "To",
        ]);
        expect(names.length).toBeLessThanOrEqual(9 + Object.keys(mail.headers).length);
      }),
      { numRuns: 500 },
    );
  });

  test("is the same, no matter what was assembled before", () => {
    const template = prepareMessage(plain);
    const first = template.assemble(plain);
    template.assemble({ ...plain, to: { name: "Bob", address: "bob@example.com" }, subject: "Grüße" });

    expect(template.assemble(plain)).toEqual(first);
  });
});

describe("a value with line breaks cannot end its header:", () => {
  const evil = "x\r\nBcc: evil@x.io\r\n\r\n<script>";

  test.each([
    ["subject", { subject: evil }],
    ["name of the recipient", { to: { name: evil, address: "ada@example.com" } }],
    ["address of the recipient", { to: { name: "", address: `ada@example.com${evil}` } }],
    ["name of the sender", { from: { name: evil, address: "news@acme.test" } }],
    ["address of the sender", { from: { name: "", address: `news@acme.test${evil}` } }],
    ["reply address", { replyTo: `a@b.io${evil}` }],
    ["message id", { messageId: evil }],
    ["value of a header", { headers: { "X-A": evil } }],
    ["name of a header", { headers: { [evil]: "a" } }],
    ["name of a header, with a colon", { headers: { "Bcc: evil@x.io (": ")" } }],
    ["unsubscribe address", { unsubscribeUrl: `https://acme.test/${evil}` }],
    ["bare CR", { subject: "x\rBcc: evil@x.io" }],
    ["bare LF", { subject: "x\nBcc: evil@x.io" }],
  ])("%s", async (_, change) => {
    const source = assemble(change);
    const email = await readMail(source);

    expect(namesIn(source)).toContainValues(["From", "To", "Subject", "Message-ID", "Date"]);
    expect(namesIn(source)).not.toContain("Bcc");
    expect(email.bcc).toBeUndefined();
    expect([email.html, email.text]).toEqual(["<p>Hello</p>", "Hello"]);
  });
});

describe("names and subjects", () => {
  test.each([
    "Grüße aus Köln",
    "日本語の件名".repeat(20),
    "مرحبا بالعالم ".repeat(12).trim(),
    "👩‍👩‍👧‍👦 🏳️‍🌈 ".repeat(15).trim(),
    `a${"é".repeat(900)}`,
    "=?utf-8?Q?no end",
    '"quoted" \\ and, comma <x@y>',
  ])("in any script arrive as they are, in lines of 78 at most: %p", async (value) => {
    const source = assemble({ subject: value, to: { name: value, address: "ada@example.com" } });
    const email = await readMail(source);

    expect(email.subject).toBe(value);
    expect(email.to).toEqual([{ name: value, address: "ada@example.com" }]);
    for (const line of headOf(source).split("\r\n")) expect(line.length).toBeLessThanOrEqual(78);
    for (const word of headOf(source).match(/=\?[^?]+\?.\?[^?]*\?=/g) ?? [])
      expect(word.length).toBeLessThanOrEqual(75);
  });

  test("a long subject in ASCII is folded at its blanks", async () => {
    const subject = "Everything must go ".repeat(50).trim();
    const source = assemble({ subject });

    expect((await readMail(source)).subject).toBe(subject);
    expect(headOf(source)).toContain("\r\n must go");
  });

  test.each([
    ["one word of 998 characters", "x".repeat(998)],
    ["a line of blanks", `a${" ".repeat(400)}b`],
  ])("what cannot be folded is encoded: %s", async (_, value) => {
    const source = assemble({
      subject: value,
      to: { name: value, address: "ada@example.com" },
      headers: { "X-Long": value },
    });
    const email = await readMail(source);

    expect(email.subject).toBe(value);
    expect(email.to![0]!.name).toBe(value);
    expect(decodeWords(headerOf(email, "x-long")!)).toBe(value);
    expect(
      Math.max(
        ...headOf(source)
          .split("\r\n")
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(78);
  });
});

describe("headers of the request", () => {
  test("are there with their values", async () => {
    const email = await parse({ headers: { "X-Campaign": "spring", References: "<a@b.io> <c@d.io>" } });

    expect(headerOf(email, "x-campaign")).toBe("spring");
    expect(email.references).toBe("<a@b.io> <c@d.io>");
  });

  test("replace none of what is written for each mail", () => {
    const names = [
      "FROM",
      "to",
      "Cc",
      "bcc",
      "Reply-To",
      "subject",
      "Date",
      "message-id",
      "MIME-version",
      "Content-Type",
    ];
    const source = assemble({ headers: Object.fromEntries(names.map((name) => [name, "evil@x.io"])) });

    expect(namesIn(source)).toEqual(namesIn(assemble({})));
    expect(source.toString()).not.toContain("evil");
  });
});

describe("one-click unsubscription", () => {
  const url = `https://mail.acme.test/unsubscribe/${"t".repeat(150)}`;

  test("has both fields of RFC 8058, and the address in one line", async () => {
    const source = assemble({ unsubscribeUrl: url });
    const email = await readMail(source);

    expect(headOf(source)).toContain(`\r\nList-Unsubscribe: <${url}>\r\n`);
    expect(headerOf(email, "list-unsubscribe")).toBe(`<${url}>`);
    expect(headerOf(email, "list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
  });

  test("is left out where the headers name a way of their own, in any case", async () => {
    const email = await parse({
      headers: { "LIST-unsubscribe": "<mailto:out@acme.test>" },
      unsubscribeUrl: url,
    });

    expect(headerOf(email, "list-unsubscribe")).toBe("<mailto:out@acme.test>");
    expect(headerOf(email, "list-unsubscribe-post")).toBeUndefined();
  });

  test.each([null, undefined, ""])("is not there without an address: %p", (unsubscribeUrl) => {
    expect(namesIn(assemble(unsubscribeUrl === undefined ? {} : { unsubscribeUrl })).join()).not.toContain(
      "List-",
    );
  });
});

test.each([
  ["without HTML is text alone", { html: "" }, undefined, "Hello"],
  ["without text is HTML alone", { text: "" }, "<p>Hello</p>", undefined],
] as const)("a mail %s", async (_, change, html, text) => {
  const email = await parse(change);

  expect([email.html, email.text]).toEqual([html, text]);
  expect(headerOf(email, "content-type")).toStartWith(text ? "text/plain" : "text/html");
});

test("a content that holds the boundary of an earlier mail is not cut by it", async () => {
  const template = prepareMessage(plain);
  const text = template.assemble(plain).toString();
  const email = await readMail(template.assemble({ ...plain, text }));

  expect(email.text).toBe(decoded(text));
  expect(email.html).toBe(plain.html);
});
