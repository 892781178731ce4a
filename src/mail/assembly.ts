// Messages of one content, assembled for each recipient: what all share is written once, and the mail library encodes
// and folds every value. The cost of preparing a template and assembling a message: `bun run bench render`.

import { encodeWord, foldLines } from "nodemailer/lib/mime-funcs";
import MimeNode from "nodemailer/lib/mime-node";
import { encodeText } from "./text_part.ts";
import { namesUnsubscription, unsubscribeHeaders } from "./headers.ts";
import { type MailParty, type NamedParties, REPLY_SEPARATOR } from "./mailer.ts";

/** What all mails of one content have in common. */
export interface MessageSample {
  from: MailParty;
  /** Several addresses are separated by `REPLY_SEPARATOR`. */
  replyTo: string | null;
  /** Those of the request, with ours added. Fields that are written for each mail are left out. */
  headers: Readonly<Record<string, string>>;
  /** Whom all of them name; otherwise each names its own recipient. */
  named?: NamedParties | null;
}

/** What is one recipient's own. */
export interface OwnParts {
  to: MailParty;
  /** Without angle brackets. */
  messageId: string;
  date: Date;
  subject: string;
  /** An empty part is left out. */
  html: string;
  text: string;
  /** For an unsubscription with one click, unless the headers name a way of their own. */
  unsubscribeUrl?: string | null;
}

/** The messages of one content. */
export interface MessageTemplate {
  /**
   * The source of one mail, in ASCII: each line ends in CRLF, is at most 998 characters long and does not begin with a
   * dot. No value can end its header. Never throws.
   */
  assemble(own: OwnParts): Buffer;
}

/** Fields of our own, which no custom header may repeat. */
const RESERVED = /^(?:from|sender|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*)$/i;
const FOLD_AT = 76;
const WORD_LENGTH = 52; // as the mail library has it; RFC 2047 allows 75 with all that is around it
/**
 * What folding does not fix: a line of over 998 characters (RFC 5322 2.1.1) or of blanks alone, and anything that is
 * not text.
 */
const UNSOUND = /(?:^|\n)(?:[^\r\n]{999}|[ \t]*(?:\r|$))|\n[^ \t]|\r(?!\n)|[^\t\r\n -~]/;
// These are what most mails have, and need neither encoding nor folding.
const PLAIN_ADDRESS = /^[\w.+-]{1,30}@[\w.-]{1,38}$/;
const PLAIN_SUBJECT = /^(?! )[ !#-<>-~]{1,60}(?<! )$/;

// Encodes values as it would in a message of its own, and keeps nothing of them.
const encoder = new MimeNode(undefined, { textEncoding: "base64" });

/** Prepares the messages of one content. Takes some microseconds, and never throws. */
export function prepareMessage({ from, replyTo, headers, named = null }: MessageSample): MessageTemplate {
  const common =
    addressField("From", from) +
    (replyTo ? addressesField("Reply-To", replyTo.split(REPLY_SEPARATOR).map(unnamed)) : "") +
    (named ? addressesField("To", named.to) + addressesField("Cc", named.cc) : "") +
    Object.entries(headers).map(customField).join("") +
    "MIME-Version: 1.0\r\n";
  const boundary = `=_${crypto.randomUUID()}`; // no encoded text has a line that begins with "--=_"
  const hasOwnWay = namesUnsubscription(headers);
  return {
    assemble(own) {
      const head =
        common +
        (named ? "" : addressField("To", own.to)) +
        subjectField(own.subject) +
        oneLine("Message-ID", `<${own.messageId.replace(/[^!-;=?-~]/g, "")}>`) +
        oneLine("Date", own.date.toUTCString().replace("GMT", "+0000")) +
        (own.unsubscribeUrl && !hasOwnWay ? unsubscribeFields(own.unsubscribeUrl) : "");
      return Buffer.concat([Buffer.from(head, "latin1"), ...body(own, boundary)]);
    },
  };
}

function addressField(name: string, { name: shown, address }: MailParty): string {
  if (!shown && PLAIN_ADDRESS.test(address)) return `${name}: ${address}\r\n`;
  const encoded = encoder.encodeHeaderValue(name, { name: shown, address });
  return field(name, encoded, () => inAsciiWords({ name: shown, address }));
}

function unnamed(address: string): MailParty {
  return { name: "", address };
}

function addressesField(name: string, parties: readonly MailParty[]): string {
  if (parties.length === 0) return "";
  if (parties.length === 1) return addressField(name, parties[0]!);
  const encoded = encoder.encodeHeaderValue(name, [...parties]);
  const asWords = () => parties.map(inAsciiWords).join(", ");
  return field(name, encoded, asWords);
}

function inAsciiWords({ name, address }: MailParty): string {
  return `${inWords(name)} <${address.replace(/[^!-;=?-~]/g, "")}>`;
}

function subjectField(subject: string): string {
  if (PLAIN_SUBJECT.test(subject)) return `Subject: ${subject}\r\n`;
  return field("Subject", encoder.encodeHeaderValue("Subject", subject), () => inWords(subject));
}

function customField([name, value]: [string, string]): string {
  const key = name.replace(/[^!-9;-~]/g, "");
  if (key === "" || RESERVED.test(key)) return "";
  return field(key, encoder.encodeHeaderValue(key, value), () => inWords(value));
}

function unsubscribeFields(url: string): string {
  const fields = Object.entries(unsubscribeHeaders(url)).map(([name, value]) => oneLine(name, value));
  return fields.includes("") ? "" : fields.join("");
}

/** Not folded: that could only be before the first character, and some readers stumble over it. */
function oneLine(name: string, value: string): string {
  const line = `${name}: ${value}`;
  return UNSOUND.test(line) ? "" : `${line}\r\n`;
}

/** The field in lines; as encoded words where it would not fit else, and nothing if even those would not. */
function field(name: string, value: string, asWords: () => string): string {
  if (value.trim() === "") return "";
  const lines = foldLines(`${name}: ${value}`, FOLD_AT);
  if (!UNSOUND.test(lines)) return `${lines}\r\n`;
  const words = foldLines(`${name}: ${asWords()}`, FOLD_AT);
  return UNSOUND.test(words) ? "" : `${words}\r\n`;
}

function inWords(value: string): string {
  return encodeWord(value, "B", WORD_LENGTH);
}

function body({ text, html }: OwnParts, boundary: string): Buffer[] {
  if (html === "") return part("", "plain", text, "\r\n");
  if (text === "") return part("", "html", html, "\r\n");
  const begin = `Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n--${boundary}\r\n`;
  return [
    ...part(begin, "plain", text, `\r\n--${boundary}\r\n`),
    ...part("", "html", html, `\r\n--${boundary}--\r\n`),
  ];
}

function part(before: string, subtype: "plain" | "html", content: string, after: string): Buffer[] {
  const encoded = encodeText(content);
  const head = `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoded.encoding}\r\n\r\n`;
  return [Buffer.from(before + head, "latin1"), encoded.body, Buffer.from(after, "latin1")];
}
