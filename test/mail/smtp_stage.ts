// Scripted servers, a mailer for them, and mails.
import { afterEach } from "bun:test";
import { prepareMessage } from "../../src/mail/assembly.ts";
import type { Attachment, Handover, Mail, Mailer, ReadyMail } from "../../src/mail/mailer.ts";
import { createSmtpMailer } from "../../src/mail/smtp.ts";
import { type Script, type ScriptedServer, startScriptedServer } from "./scripted_server.ts";

/** Servers and mailers of one test file; they end with the test. */
export function useSmtp() {
  const endings: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0).toReversed()) await end();
  });
  return {
    async serve(script: Script = {}): Promise<ScriptedServer> {
      const server = await startScriptedServer(script);
      endings.push(() => server.stop());
      return server;
    },
    mailerOf(url: string): Mailer {
      const mailer = createSmtpMailer(url);
      endings.push(() => mailer.close());
      return mailer;
    },
    /** What is to be done when the test is over. */
    after: (end: () => unknown) => void endings.push(end),
  };
}

/** From whom and to whom all of these mails are. */
export const envelope = { from: "news@acme.test", to: "ada@example.com" };
const box = (address: string) => ({ name: "", address });
const template = prepareMessage({ from: box(envelope.from), replyTo: null, headers: {} });

/** A mail with this text, or with this source. */
export const ready = (change: { text?: string; source?: Buffer } = {}): ReadyMail => {
  const own = {
    to: box(envelope.to),
    messageId: "1@acme.test",
    date: new Date(0),
    subject: "Hello",
    html: "",
  };
  return {
    messageId: own.messageId,
    envelope,
    subject: own.subject,
    source: template.assemble({ ...own, text: change.text ?? "Hello" }),
    ...change,
  };
};

/** A mail with files, which is composed while it is sent; its lines begin with dots. */
export const withAttachments = (attachments: Attachment[]): Mail => ({
  messageId: "2@acme.test",
  envelope,
  from: box(envelope.from),
  to: box(envelope.to),
  replyTo: null,
  subject: "Files",
  html: "<p>.\r\n.</p>",
  text: ".\n..\nsee there\n",
  headers: {},
  attachments,
  date: new Date(0),
});

/** A file of so many bytes. */
export const file = (bytes: number): Attachment => ({
  filename: "a.bin",
  contentType: "application/octet-stream",
  cid: null,
  disposition: "attachment",
  content: Buffer.alloc(bytes, "0123456789"),
});

/** A mail that is larger than what the sockets of both sides hold. */
export const large = () => ready({ source: Buffer.from(`${"x".repeat(70)}\r\n`.repeat(200_000)) });

/** How many mails came to each end. */
export const statesOf = (handovers: Handover[]) =>
  Object.fromEntries(
    [...Map.groupBy(handovers, ({ state }) => state)].map(([state, list]) => [state, list.length]),
  );

/** Sends so many mails at once, each with a text of its own. */
export const sendMany = (mailer: Mailer, count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => mailer.send(ready({ text: `mail ${n}` }))));
