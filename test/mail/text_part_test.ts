// The encoding of texts in a mail, read by decoders that are not ours.
import { describe, expect, test } from "bun:test";
import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  oneof,
  string,
  tuple,
} from "fast-check";
import PostalMime from "postal-mime";
import { encodeText, type TextPart } from "../../src/mail/text_part.ts";

/** What a reader gets. Bytes are compared, since no decoder of text is asked. */
async function readerGets({ encoding, body }: TextPart): Promise<string> {
  const head =
    'Content-Type: multipart/mixed; boundary="=_b"\r\n\r\n--=_b\r\n' +
    `Content-Type: application/x-text\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
  const source = Buffer.concat([Buffer.from(head), body, Buffer.from("\r\n--=_b--\r\n")]);
  const { attachments } = await PostalMime.parse(source);
  const bytes = Buffer.from(attachments[0]!.content as ArrayBuffer).toString();
  // The reader ends each line of what is not base64, also the last one.
  return encoding === "base64" ? bytes.replaceAll("\r\n", "\n") : bytes.replace(/\n$/, "");
}

/** A text with the line ends of a reader; what is no text is shown as such. */
const asRead = (text: string) => Buffer.from(text.replace(/\r\n?/g, "\n")).toString();
const linesOf = ({ body }: TextPart) => body.toString("latin1").split("\r\n");
const base64Of = (text: string) => {
  const encoded = Buffer.from(text).toString("base64");
  return encoded.length + 2 * Math.floor(Math.max(0, encoded.length - 1) / 76);
};

const DELICATE = [
  ".",
  "From ",
  "--=_",
  "--",
  "=",
  "=3D",
  "=\n",
  " ",
  "  ",
  "\t",
  "\n",
  "\r",
  "\r\n",
  "\n.\n",
  " \n",
];
const LETTERS = [
  "a",
  "Grüße",
  "é",
  "😀",
  "👩‍👩‍👧",
  "日本語",
  "مرحبا",
  "\0",
  "\x7f",
  "\x1b",
  "\ud83d",
  "e".repeat(70),
];
const unit = constantFrom(...DELICATE, ...LETTERS, "plain English text, as most of it is ");
const anyText: Arbitrary<string> = oneof(
  string({ unit, maxLength: 60 }),
  string({ unit: constantFrom(...DELICATE), maxLength: 200 }),
  string({ unit: "binary", maxLength: 300 }),
  // Every column where a line may be broken, with everything that may stand there.
  tuple(integer({ min: 0, max: 80 }), array(unit, { maxLength: 6 })).map(
    ([columns, units]) => `${"x".repeat(columns)}${units.join("")}é${"y".repeat(300)}`,
  ),
  tuple(integer({ min: 970, max: 1_000 }), unit).map(
    ([columns, last]) => `${"x".repeat(columns)}${last}z\nend`,
  ),
);

test("a reader gets what was written, with line ends of one kind", async () => {
  await assert(
    asyncProperty(anyText, async (text) => {
      expect(await readerGets(encodeText(text))).toBe(asRead(text));
    }),
    { numRuns: 1_000 },
  );
});

test("what is on the wire is sound, whatever the text: no server has a reason to change it", async () => {
  await assert(
    asyncProperty(anyText, async (text) => {
      const part = encodeText(text);
      const lines = linesOf(part);

      expect(part.body.toString("latin1")).toMatch(/^[\t\r\n -~]*$/);
      expect(lines.filter((line) => /[\r\n]|^\.|^From |^--=_/.test(line))).toEqual([]);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(
        part.encoding === "7bit" ? 980 : 76,
      );
      if (part.encoding !== "7bit") expect(lines.filter((line) => /[ \t]$/.test(line))).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test("nothing is longer than it would be in base64", async () => {
  await assert(
    asyncProperty(anyText, async (text) => {
      const { encoding, body } = encodeText(text);
      // Line ends of one byte become two, in base64 as well.
      if (encoding !== "7bit")
        expect(body.length).toBeLessThanOrEqual(base64Of(text.replace(/\r\n?|\n/g, "\r\n")));
    }),
    { numRuns: 500 },
  );
});

describe("a text is encoded", () => {
  const prose = "The quick brown fox jumps over the lazy dog. ";

  test.each([
    ["not at all in plain English", `${prose}\n\n-- \nThe shop\n`, "7bit"],
    ["not at all in lines of 980", `${"x".repeat(980)}\n${"y".repeat(980)}`, "7bit"],
    ["not at all without any text", "", "7bit"],
    ["not at all with a tab and an equals sign", "\ta = b", "7bit"],
    ["in quoted-printable with a line of 981", "x".repeat(981), "quoted-printable"],
    ["in quoted-printable in German", `${prose}Grüße aus Köln`, "quoted-printable"],
    ["in quoted-printable with a dot at a line's start", `${prose}\n.\n${prose}`, "quoted-printable"],
    ["in quoted-printable with From at a line's start", `${prose}\nFrom here`, "quoted-printable"],
    ["in quoted-printable with what may be a boundary", `${prose}\n--=_x`, "quoted-printable"],
    ["in quoted-printable with a NUL", `${prose}\0`, "quoted-printable"],
    ["in base64 in Japanese", "日本語の件名 ".repeat(20), "base64"],
    ["in base64 in Arabic", "مرحبا بالعالم ".repeat(20), "base64"],
  ])("%s", (_, text, encoding) => {
    expect(encodeText(text).encoding).toBe(encoding as TextPart["encoding"]);
  });

  test("as RFC 2045 shows it", () => {
    const part = encodeText(
      `If you believe that truth=beauty, then surely mathematics is the most beautiful branch of philosophy: é \n.`,
    );

    expect(linesOf(part)).toEqual([
      "If you believe that truth=3Dbeauty, then surely mathematics is the most bea=",
      "utiful branch of philosophy: =C3=A9=20",
      "=2E",
    ]);
  });

  test("without cutting a character in two", () => {
    const lines = linesOf(
      encodeText(`${"x".repeat(70)}😀 and much more of plain English, so that it is mostly ASCII`),
    );

    expect(lines[0]).toBe(`${"x".repeat(70)}=`);
    expect(lines[1]).toStartWith("=F0=9F=98=80 and");
  });

  test("with many short lines: there is room for all of their line ends", () => {
    const text = "\n".repeat(100_000);

    expect(encodeText(text)).toEqual({ encoding: "7bit", body: Buffer.from("\r\n".repeat(100_000)) });
  });
});
