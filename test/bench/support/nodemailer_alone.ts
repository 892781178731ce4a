// The ceiling of a delivery: the mail library alone, with messages that are ready to be sent.
import { createTransport, type SendMailOptions } from "nodemailer";
import type { DkimKey } from "../../../src/sending/dkim_keys.ts";
import { plainText } from "../../../src/content/plain_text.ts";
import { runChild } from "./child.ts";
import { newsletter } from "./newsletter.ts";
import { DOMAIN } from "./stage.ts";

/** What is sent where. */
export interface Batch {
  port: number;
  connections: number;
  mails: number;
  /** What signs them, where they are to be signed. */
  dkim?: DkimKey | undefined;
}

/** Sends the mails from a process of its own, and tells how much processor time that took. */
export async function sendWithNodemailer(batch: Batch, timeoutMs: number): Promise<{ processorMs: number }> {
  return await runChild(import.meta.path, batch, timeoutMs);
}

if (import.meta.main) {
  const processorMs = await sendAll(JSON.parse(process.argv[2]!) as Batch);
  console.log(JSON.stringify({ processorMs }));
}

async function sendAll({ port, connections, mails, dkim }: Batch): Promise<number> {
  const transport = createTransport({
    host: "127.0.0.1",
    port,
    pool: true,
    maxConnections: connections,
    maxMessages: Infinity,
    ...(dkim && {
      dkim: { domainName: dkim.domain, keySelector: dkim.selector, privateKey: dkim.privateKey },
    }),
  });
  const messages = Array.from({ length: mails }, (_, n) => toMessage(n));
  const before = process.cpuUsage();
  // Each connection always has one more mail waiting for it.
  const loop = async () => {
    for (let message = messages.pop(); message; message = messages.pop()) await transport.sendMail(message);
  };
  await Promise.all(Array.from({ length: connections * 2 }, loop));
  transport.close();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** As `src/mail/message.ts` makes it, with the text part ready-made. */
function toMessage(n: number): SendMailOptions {
  const html = newsletter(n);
  const from = `news@${DOMAIN}`;
  const to = `user${n}@example.com`;
  return {
    messageId: `<${crypto.randomUUID()}@${DOMAIN}>`,
    envelope: { from, to: [to] },
    from: { name: "Shop", address: from },
    to: { name: "", address: to },
    subject: `Issue ${n}`,
    html,
    text: plainText(html),
    date: new Date(),
    textEncoding: "base64",
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
