// Signatures of all kinds of messages, checked by a library that is not the one who made them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constantFrom,
  dictionary,
  integer,
  oneof,
  record,
  string,
  uint8Array,
} from "fast-check";
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { prepareMessage } from "../../src/mail/assembly.ts";
import { fieldsWrittenBy, signMail, signMessage } from "../../src/mail/dkim.ts";
import { unsubscribeHeaders } from "../../src/mail/headers.ts";
import type { Attachment, Mail, ReadyMail, StreamedMail } from "../../src/mail/mailer.ts";
import { verdictOn } from "../support/dkim_verifier.ts";
import { type NameServer, startNameServer } from "../support/name_server.ts";
import { useSmtp } from "./smtp_stage.ts";

const DOMAIN = "acme.test";
const at = new Date("2026-05-04T09:08:07Z");
let names: NameServer;
let key: { domain: string; selector: string; privateKey: KeyObject };

beforeAll(async () => {
  names = await startNameServer();
  key = { ...publishKey("s1", DOMAIN), domain: DOMAIN };
});
afterAll(() => names.stop());

/** Makes a key, and publishes its record in strings of the length that DNS allows. */
function publishKey(selector: string, domain: string) {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const text = `v=DKIM1; k=rsa; p=${publicKey.toString("base64")}`;
  names.set(`${selector}._domainkey.${domain}`, "TXT", [text.match(/.{1,255}/g)!]);
  return { selector, privateKey: createPrivateKey(privateKey) };
}

const verdict = (source: string | Buffer) => verdictOn(source, names.address);
const resultOf = async (source: string | Buffer) => (await verdict(source)).result;
const sign = (source: string) => signMessage(Buffer.from(source, "latin1"), key, { at });
const signedSource = async (lines: string[]) => (await sign(lines.join("\r\n"))).toString("latin1");

const HEAD = [
  `From: Shop <news@${DOMAIN}>`,
  "To: ada@example.com",
  "Subject: Hello",
  "Date: Mon, 04 May 2026 09:08:07 +0000",
  `Message-ID: <1@${DOMAIN}>`,
  "MIME-Version: 1.0",
  "Content-Type: text/plain",
];

const mail: Mail = {
  messageId: `2@${DOMAIN}`,
  envelope: { from: `news@${DOMAIN}`, to: "ada@example.com" },
  from: { name: "Shop", address: `news@${DOMAIN}` },
  to: { name: "", address: "ada@example.com" },
  replyTo: null,
  subject: "Hello",
  html: "<p>Hello</p>",
  text: "Hello",
  headers: {},
  attachments: [],
  date: at,
};
const file = (contentType: string, content: Uint8Array | string): Attachment => ({
  filename: "a file, with ü.bin",
  contentType,
  cid: null,
  disposition: "attachment",
  content: typeof content === "string" ? Buffer.from(content) : content,
});
const readyOf = (parts: Mail): ReadyMail => ({ ...parts, source: prepareMessage(parts).assemble(parts) });
const sourceOf = async (signed: ReadyMail | StreamedMail) =>
  "source" in signed ? signed.source : Buffer.concat(await signed.open().toArray());
const signedMail = async (parts: Mail | ReadyMail) => await sourceOf(await signMail(parts, key, { at }));

describe("a signature", () => {
  test("is of the domain in From, and says how and when it was made, without a length", async () => {
    const source = await signedSource([...HEAD, "", "Hello", ""]);
    const field = source.slice(0, source.indexOf("From:"));

    expect(await verdict(source)).toMatchObject({
      result: "pass",
      domain: DOMAIN,
      selector: "s1",
      aligned: true,
    });
    expect(field).toStartWith(
      "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=acme.test;\r\n s=s1; ",
    );
    expect(field).toContain(` t=${at.getTime() / 1000};`);
    expect(field).not.toMatch(/\bl=/);
    expect(source.slice(field.length)).toBe([...HEAD, "", "Hello", ""].join("\r\n"));
  });

  test("stands in lines of less than 80 characters, also with the longest list of fields", async () => {
    const extras = ["Sender", "References", "In-Reply-To", "List-Id", "List-Post", "Feedback-ID"];
    const source = await signedSource([...HEAD, ...extras.map((name) => `${name}: x`), "", "Hello", ""]);
    const lines = source.slice(0, source.indexOf("From:")).split("\r\n");

    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(80);
    expect(lines.slice(1, -1).every((line) => /^ \S/.test(line))).toBe(true);
    expect(await resultOf(source)).toBe("pass");
  });

  test("covers the fields about unsubscribing and feedback, which RFC 8058 and Gmail ask for", async () => {
    const headers = {
      ...unsubscribeHeaders("https://shop.example/u/1"),
      "Feedback-ID": "a:b:c:d",
      "X-A": "1",
    };
    const { result, signed } = await verdict(await signedMail(readyOf({ ...mail, headers })));

    expect(result).toBe("pass");
    expect(signed).toEqual([
      ..."from from to to cc subject subject date date message-id message-id reply-to".split(" "),
      ..."mime-version mime-version content-type content-type content-transfer-encoding".split(" "),
      ..."list-unsubscribe list-unsubscribe-post feedback-id".split(" "),
    ]);
  });

  test("leaves out what SES writes itself, and nothing for another server", async () => {
    const ses = [
      "smtp://user:pass@email-smtp.eu-west-1.amazonaws.com:587",
      "smtps://email-smtp-fips.us-east-1.amazonaws.com",
      "smtp://vpce-1.email-smtp.us-east-1.vpce.amazonaws.com",
    ];
    const except = fieldsWrittenBy(ses[0]);
    const lines = [...HEAD, "Feedback-ID: a:b:c:d", "", "Hello", ""];
    const source = (await signMessage(Buffer.from(lines.join("\r\n")), key, { at, except })).toString();
    const rewritten = source
      .replace(/^Date: .*\r\n/m, "Date: Tue, 05 May 2026 00:00:00 +0000\r\n")
      .replace(/^Message-ID: .*\r\n/m, "Message-ID: <010001@eu-west-1.amazonses.com>\r\n")
      .replace(/^Feedback-ID: .*\r\n/m, "Feedback-ID: ::1.eu-west-1.x:AmazonSES\r\n");

    expect(rewritten).not.toBe(source);
    expect(await resultOf(rewritten)).toBe("pass");
    expect((await verdict(source)).signed).toContain("subject");
    expect(ses.map((url) => fieldsWrittenBy(url).size)).toEqual([3, 3, 3]);
    for (const url of [
      undefined,
      "smtp://mail.example.com",
      "smtp://email-smtp.eu-west-1.amazonaws.com.evil.com",
    ]) {
      expect(fieldsWrittenBy(url).size).toBe(0);
    }
  });

  test("is made beside the main thread, many at once", async () => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 400 }, () => sign([...HEAD, "", "Hello", ""].join("\r\n"))));
    isDone = true;

    expect(turns).toBeGreaterThan(10);
  });
});

describe("a signed message", () => {
  const lines = [...HEAD, `Reply-To: help@${DOMAIN}`, "List-Unsubscribe: <https://a.test/>", "", "Hello", ""];

  test.each([
    ["the body", (source: string) => source.replace(/Hello\r\n$/, "Hullo\r\n")],
    ["text behind the body", (source: string) => `${source}More\r\n`],
    ["the subject", (source: string) => source.replace("Subject: Hello", "Subject: Hullo")],
    ["the sender", (source: string) => source.replace("Shop <news@", "Bank <news@")],
    ["the recipient", (source: string) => source.replace("To: ada@", "To: bob@")],
    ["the date", (source: string) => source.replace("Date: Mon, 04", "Date: Mon, 05")],
    ["the message id", (source: string) => source.replace("Message-ID: <1@", "Message-ID: <2@")],
    ["where answers go", (source: string) => source.replace("Reply-To: help@", "Reply-To: evil@")],
    ["the way to unsubscribe", (source: string) => source.replace("<https://a.test/>", "<https://b.test/>")],
    ["the time of the signature", (source: string) => source.replace(/ t=\d+;/, " t=1;")],
    ["a field that is gone", (source: string) => source.replace(/^List-Unsubscribe:.*\r\n/m, "")],
  ])("does not pass with a change of %s", async (_, change) => {
    const source = await signedSource(lines);

    expect(change(source)).not.toBe(source);
    expect([await resultOf(source), await resultOf(change(source))]).toEqual([
      "pass",
      expect.not.stringMatching("pass"),
    ]);
  });

  test.each("From To Cc Subject Date Message-ID Reply-To MIME-Version Content-Type".split(" "))(
    "does not pass with another %s added before or behind its own",
    async (name) => {
      const source = await signedSource(lines);
      const first = `${name}: evil\r\n${source}`;
      const last = source.replace("\r\n\r\n", `\r\n${name}: evil\r\n\r\n`);

      expect([await resultOf(first), await resultOf(last)]).not.toContain("pass");
    },
  );

  test("passes when a server folds, pads or adds what does not matter", async () => {
    const source = (await signedSource(lines))
      .replace("Subject: Hello", "SUBJECT:\r\n\t Hello  ")
      .replace("\r\n\r\nHello\r\n", "\r\n\r\nHello  \r\n\r\n\r\n");

    expect(await resultOf(`Received: by a.test\r\nX-Spam: no\r\n${source}`)).toBe("pass");
  });
});

describe("a message passes", () => {
  test.each([
    ["with an empty body", [...HEAD, "", ""]],
    ["with a body of empty lines", [...HEAD, "", "", "", "", ""]],
    ["without a body", HEAD],
    ["without a line end at the end", [...HEAD, "", "Hello"]],
    ["with empty lines at the end", [...HEAD, "", "Hello", "", "", ""]],
    ["with empty lines at the start", [...HEAD, "", "", "", "Hello", ""]],
    ["with blanks everywhere", [...HEAD, "", "  a \t b  ", "\t", " ", "c\t", " ", ""]],
    ["with bytes above 127 in header and body", [...HEAD, "Sender: \xa0ü\xa0", "", "gr\xfc\xdfe\xa0", ""]],
    [
      "with dots, and what looks like a header in the body",
      [...HEAD, "", ".", "..", "From: x", "", ".x", ""],
    ],
    ["with fields that come twice", [...HEAD, "List-Id: <a>", "X: y", "list-id: <b>", "", "Hello", ""]],
    [
      "with folded fields and odd blanks",
      ["Subject:\t a \t b", "Sender: a\r\n\t b\r\n   c", ...HEAD, "", "x", ""],
    ],
    ["with an empty field", ["Sender:", "Reply-To: ", ...HEAD, "", "x", ""]],
  ])("%s", async (_, lines) => {
    expect(await resultOf(await sign(lines.join("\r\n")))).toBe("pass");
  });

  test("of a domain with the longest name", async () => {
    const domain = `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.acme.test`;
    const other = { ...publishKey("s2", domain), domain };
    const source = await signMessage(
      readyOf({ ...mail, from: { name: "", address: `n@${domain}` } }).source,
      other,
      { at },
    );

    expect(await verdict(source)).toMatchObject({ result: "pass", domain, aligned: true });
  });
});

describe("a mail with attachments", () => {
  const MEGABYTE = 1_048_576;

  test("passes, whatever they are, and each time that it is opened", async () => {
    const attachments = [
      file("application/octet-stream", Buffer.alloc(300_000, "0123456789")),
      { ...file("image/png", Buffer.from([0, 1, 2, 255])), cid: "logo", disposition: "inline" as const },
      file("message/rfc822", "Subject: a\n\nloose \nline\rends\r\n.\r\n\tü \n\n"),
      file("text/plain", ""),
    ];
    const signed = (await signMail({ ...mail, attachments }, key, { at })) as StreamedMail;
    const [one, two] = [await sourceOf(signed), await sourceOf(signed)];

    expect(signed).toMatchObject({ messageId: mail.messageId, envelope: mail.envelope, subject: "Hello" });
    expect(one.equals(two)).toBe(true);
    expect(await verdict(one)).toMatchObject({ result: "pass", aligned: true });
    expect(await resultOf(one.toString("latin1").replace("MDEy", "MDEz"))).not.toBe("pass");
  });

  test("is never held as a whole: ten of 10 MB under way take less than one", async () => {
    const attachments = [file("application/octet-stream", Buffer.alloc(10 * MEGABYTE, "0123456789"))];
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    const signed = await Promise.all(
      Array.from({ length: 10 }, () => signMail({ ...mail, attachments }, key, { at })),
    );
    Bun.gc(true);
    const grown = (process.memoryUsage.rss() - before) / MEGABYTE;

    expect(signed).toHaveLength(10);
    expect(grown).toBeLessThan(100);
  });
});

describe("on the wire", () => {
  const { serve, mailerOf } = useSmtp();

  test.each([
    ["a ready-made mail", readyOf({ ...mail, html: ".\r\n", text: "." })],
    ["a mail with attachments", { ...mail, attachments: [file("message/rfc822", "A: b\n\n.\n..\rend")] }],
  ])("%s arrives with a signature that passes", async (_, parts) => {
    const server = await serve();
    const { state } = await mailerOf(server.url).send(await signMail(parts, key, { at }));

    expect(state).toBe("accepted");
    expect(await resultOf(server.messages[0]!)).toBe("pass");
  });
});

describe("any mail", () => {
  const anyText: Arbitrary<string> = oneof(
    string({ unit: "binary", maxLength: 300 }),
    string({ unit: "grapheme", maxLength: 300 }),
    string({
      unit: constantFrom("a", " ", "\t", "\r\n", "\n", ".", "=?", "\u00a0", "é", "😀", "مرحبا"),
      maxLength: 200,
    }),
    string({ minLength: 900, maxLength: 2_000 }),
  );
  const headerText = anyText.map((text) => text.replaceAll(/\p{Cc}/gu, ""));
  const box = record({ name: headerText, address: constantFrom(`news@${DOMAIN}`, `a+b@${DOMAIN}`) });
  const headerName = oneof(
    string({ unit: constantFrom("a", "Z", "-", "9"), maxLength: 30 }).map((name) => `X-${name}`),
    constantFrom(
      "List-Id",
      "list-id",
      "References",
      "Sender-Name",
      "List-Unsubscribe",
      "Feedback-ID",
      "Precedence",
    ),
  );
  const attachment = record({
    filename: headerText,
    contentType: constantFrom("text/plain", "application/pdf", "message/rfc822", "image/png; name=x"),
    cid: constantFrom(null, "logo"),
    disposition: constantFrom("attachment" as const, "inline" as const),
    content: oneof(
      uint8Array({ maxLength: 300 }),
      anyText.map((text) => Buffer.from(text)),
    ),
  });
  const mails = record({
    from: box,
    to: record({ name: headerText, address: constantFrom("ada@example.com") }),
    replyTo: constantFrom(null, "help@example.com"),
    subject: headerText,
    headers: dictionary(headerName, headerText, { maxKeys: 5 }),
    html: oneof(anyText, constantFrom("")),
    text: oneof(anyText, constantFrom("")),
    attachments: array(attachment, { maxLength: 2 }),
    at: integer({ min: 0, max: 2_000_000_000 }).map((seconds) => new Date(seconds * 1000)),
  });

  test("passes, with attachments and without", async () => {
    await assert(
      asyncProperty(mails, async ({ at: date, ...parts }) => {
        const whole: Mail = { ...mail, ...parts, date };
        const made = parts.attachments.length === 0 ? readyOf(whole) : whole;
        const { result, aligned } = await verdict(await sourceOf(await signMail(made, key, { at: date })));
        expect({ result, aligned }).toEqual({ result: "pass", aligned: true });
      }),
      { numRuns: 300 },
    );
  });

  test("of any bytes passes", async () => {
    const unit = constantFrom("a", " ", "\t", "\r\n", "\r\n ", ":", ".", "\xa0", "\xff", "=", "\x00");
    const body = string({ unit, maxLength: 100 });
    const field = string({ unit: constantFrom("a", " ", "\t", "\r\n ", ":", "\xa0", "\xff"), maxLength: 60 });
    await assert(
      asyncProperty(body, field, async (text, value) => {
        const source = `${HEAD.join("\r\n")}\r\nReferences: x${value}x\r\n\r\n${text}\r\n`;
        expect(await resultOf(await sign(source))).toBe("pass");
      }),
      { numRuns: 300 },
    );
  });
});
