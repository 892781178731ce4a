import { createTransport, type NodemailerError } from "nodemailer";
import type SMTPPool from "nodemailer/lib/smtp-pool";
import type { Handover, Mailer } from "./mailer.ts";
import { toMessage } from "./message.ts";
import { type Part, toSource } from "./source.ts";

const DEFAULTS = {
  // What is claimed and not settled is never more than this, and the wait for a commit is part of it.
  maxConnections: 40,
  connectionTimeout: 15_000,
  greetingTimeout: 15_000,
  // A server that is silent for so long is given up. After the end of a message RFC 5321 (4.5.3.2.6) would wait ten
  // minutes; a shorter wait costs a mail in doubt now and then, a longer one would hold a connection hostage.
  socketTimeout: 120_000,
};

/**
 * Hands mail to the SMTP server of `url` over a pool of connections. The query of the URL takes the options of the
 * mail library, such as `maxConnections` and `socketTimeout` (milliseconds).
 */
export function createSmtpMailer(url: string): Mailer {
  const settings = { ...DEFAULTS, ...urlOptions(url) };
  const transport = createTransport({
    pool: true,
    maxMessages: Infinity,
    ...settings,
    url: withoutQuery(url),
  } as SMTPPool.Options);
  transport.use("stream", (compiled, done) => {
    const { message, data } = compiled as unknown as StreamedMail;
    const createReadStream = message.createReadStream.bind(message);
    message.createReadStream = (options) => {
      const source = data.source ?? toSource(message);
      return source
        ? handedOverWhole(source, data.messageEnd)
        : createReadStream(options).once("end", data.messageEnd);
    };
    done();
  });
  return {
    connections: Number(settings.maxConnections),
    async send(mail) {
      let ended = false;
      const whole = "source" in mail ? { ...mail, raw: "-" } : toMessage(mail);
      const message = { ...whole, messageEnd: () => (ended = true) };
      try {
        const { response } = await transport.sendMail(message);
        return { state: "accepted", response: line(response) };
      } catch (error) {
        return classify(error as NodemailerError, ended);
      }
    },
    close: () => transport.close(),
  };
}

interface StreamedMail {
  message: Part & { createReadStream(options?: unknown): NodeJS.ReadableStream };
  data: { source?: Buffer; messageEnd(): void };
}

/**
 * What the library takes for a stream. `messageEnd` is called when the last byte, with the dot that ends the message,
 * has been given to the socket: from then on the server may have taken it.
 */
function handedOverWhole(source: Buffer, messageEnd: () => void): NodeJS.ReadableStream {
  const stream = {
    // The library asks it before it sends a message again over another connection.
    readableDidRead: false,
    pipe(to: NodeJS.ReadWriteStream) {
      stream.readableDidRead = true;
      to.once("end", messageEnd);
      to.end(source);
    },
  };
  return stream as unknown as NodeJS.ReadableStream;
}

/** Tells what a failed handover means for the mail (wire.md section 6; RFC 5321 section 4.2, RFC 3463). */
function classify(error: NodemailerError, messageEnded: boolean): Handover {
  const response = line(error.response || error.message);
  const code = error.responseCode;
  const command = error.command ?? "";
  if (code !== undefined && code >= 400 && code < 500) return { state: "deferred", response };
  // A refusal that is about us and not about this mail (greeting, EHLO, STARTTLS, AUTH) may be mended by tomorrow.
  const aboutMail = /^(MAIL FROM|RCPT TO|DATA)/.test(command);
  if (code !== undefined && code >= 500 && aboutMail) {
    return { state: isRecipientsFault(response, code, command) ? "bounced" : "refused", response };
  }
  // An answer after the end of the message that is none: nobody knows.
  if (messageEnded && code === undefined) return { state: "in_doubt", response };
  const isOurs = code === undefined && (error.code === "EENVELOPE" || error.code === "EMESSAGE");
  return { state: isOurs ? "refused" : "deferred", response };
}

/** The enhanced status code where there is one (x.1.1 bad mailbox, x.2.1 disabled …), else the reply to RCPT TO. */
function isRecipientsFault(response: string, code: number, command: string): boolean {
  const enhanced = /\b5\.(\d{1,3})\.(\d{1,3})\b/.exec(response);
  if (enhanced) {
    const [, subject, detail] = enhanced.map(Number);
    const aboutSender = subject === 1 && (detail === 7 || detail === 8);
    return (subject === 1 || subject === 2) && !aboutSender;
  }
  return command.startsWith("RCPT TO") && [550, 551, 552, 553].includes(code);
}

function urlOptions(url: string): Record<string, unknown> {
  const options = [...new URL(url).searchParams].map(([name, value]) => [name, asValue(value)]);
  return Object.fromEntries(options);
}

function asValue(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return /^\d+$/.test(text) ? Number(text) : text;
}

function withoutQuery(url: string): string {
  const address = new URL(url);
  address.search = "";
  return address.href;
}

/** Remote text in one line: without control characters, and without half of a character where it is cut. */
function line(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, 500)
    .toWellFormed();
}
