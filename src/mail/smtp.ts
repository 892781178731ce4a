import MailComposer from "nodemailer/lib/mail-composer";
import { parseConnectionUrl } from "nodemailer/lib/shared";
import type { Failure } from "./_smtp_dialogue.ts";
import type { Message } from "./_smtp_message.ts";
import { createSmtpPool, type SmtpPoolOptions } from "./_smtp_pool.ts";
import type { Handover, Mail, Mailer, ReadyMail, StreamedMail } from "./mailer.ts";
import { toMessage } from "./message.ts";

const DEFAULTS = {
  // What is claimed and not settled is never more than this, and the wait for a commit is part of it.
  maxConnections: 40,
  maxMessages: Infinity,
  connectionTimeout: 15_000,
  greetingTimeout: 15_000,
  // A server that is silent for so long is given up. After the end of a message RFC 5321 (4.5.3.2.6) would wait ten
  // minutes; a shorter wait costs a mail in doubt now and then, a longer one would hold a connection hostage.
  socketTimeout: 120_000,
  // A server that continues, however slowly, has so long for one message.
  messageTimeout: 600_000,
};

interface SmtpMailerOptions {
  /** How many connections at most, whatever the URL says. */
  connections?: number | null;
}

/**
 * Hands mail to the SMTP server of `url` over a pool of connections. The query of the URL takes `maxConnections`,
 * `maxMessages` (of a connection), `messageTimeout` (milliseconds for one message, however it continues) and what the
 * mail library knows of a connection, such as `socketTimeout` (milliseconds without progress), `requireTLS`,
 * `authMethod` and `tls.rejectUnauthorized`.
 */
export function createSmtpMailer(url: string, { connections = null }: SmtpMailerOptions = {}): Mailer {
  const given = parseConnectionUrl(url);
  const maxConnections = connections ?? countOf(given.maxConnections, DEFAULTS.maxConnections);
  const counts = {
    maxConnections,
    maxMessages: countOf(given.maxMessages, DEFAULTS.maxMessages),
    socketTimeout: countOf(given.socketTimeout, DEFAULTS.socketTimeout),
    messageTimeout: countOf(given.messageTimeout, DEFAULTS.messageTimeout),
  };
  const pool = createSmtpPool({ ...DEFAULTS, ...given, ...counts } as SmtpPoolOptions);
  return {
    connections: maxConnections,
    async send(mail, mayEnd) {
      const unfit = Object.values(mail.envelope).find((address) => !PLAIN_ADDRESS.test(address));
      if (unfit !== undefined) return { state: "refused", response: line(`Not an address: ${unfit}`) };
      try {
        return {
          state: "accepted",
          response: line(await pool.deliver(mail.envelope, toSource(mail), mayEnd)),
        };
      } catch (error) {
        return classify(error as Failure);
      }
    },
    async reach() {
      try {
        await pool.reach();
        return null;
      } catch (error) {
        return wordsOf(error as Failure);
      }
    },
    close: () => pool.close(),
  };
}

/** A number, 1 or more, that a timer can wait for; otherwise the default. */
function countOf(given: unknown, usual: number): number {
  return typeof given === "number" && given >= 1 ? Math.min(Math.floor(given), 2 ** 31 - 1) : usual;
}

/** What can be between the brackets of an SMTP command, and cannot end it. */
const PLAIN_ADDRESS = /^[!-;=?-~]+$/;

/** A mail with attachments may be large, so it is written while it is sent. */
function toSource(mail: Mail | ReadyMail | StreamedMail): Message {
  if ("source" in mail) return mail.source;
  if ("open" in mail) return () => mail.open();
  const message = new MailComposer(toMessage(mail)).compile();
  return () => message.createReadStream();
}

/** Tells what a failed handover means for the mail (guides/sending.md; RFC 5321 section 4.2, RFC 3463). */
function classify(failure: Failure): Handover {
  const response = wordsOf(failure);
  if (failure.isAboutUs) return { state: failure.isAboutUs, response };
  const { responseCode: code = 0, command = "", sent } = failure;
  // After the end of a message only a reply to it counts. Without one, or with an invalid one, the outcome is unknown.
  const isAnswer = code >= 400 && (sent !== "whole" || command === "DATA");
  if (!isAnswer) return { state: sent === "whole" ? "in_doubt" : "deferred", response };
  // A refusal that is about us and not about this mail (greeting, EHLO, STARTTLS, AUTH) may be fixed by tomorrow.
  const aboutMail = /^(MAIL FROM|RCPT TO|DATA)/.test(command);
  if (code < 500 || !aboutMail) return { state: "deferred", response };
  return { state: isRecipientsFault(response, code, command) ? "bounced" : "refused", response };
}

/** The enhanced status code if there is one (x.1.1 bad mailbox, x.2.1 disabled …), else the reply to RCPT TO. */
function isRecipientsFault(response: string, code: number, command: string): boolean {
  const enhanced = /\b5\.(\d{1,3})\.(\d{1,3})\b/.exec(response);
  if (enhanced) {
    const [, subject, detail] = enhanced.map(Number);
    const aboutSender = subject === 1 && (detail === 7 || detail === 8);
    return (subject === 1 || subject === 2) && !aboutSender;
  }
  return command.startsWith("RCPT TO") && [550, 551, 552, 553].includes(code);
}

function wordsOf(failure: Failure): string {
  return line(failure.response || failure.message || String(failure));
}

/** Remote text in one line: without control characters, and without half of a character where it is cut. */
function line(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, 500)
    .toWellFormed();
}
