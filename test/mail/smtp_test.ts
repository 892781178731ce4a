// Handing mail to servers that do whatever a server can do, at every step of a conversation.
import { afterEach, describe, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import PostalMime from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { prepareMessage } from "../../src/mail/assembly.ts";
import type { Handover, Mail, Mailer, ReadyMail } from "../../src/mail/mailer.ts";
import { createSmtpMailer } from "../../src/mail/smtp.ts";

/** Where a conversation is: before the first word, at a command, or at the end of a message. */
type Step = "greeting" | "EHLO" | "HELO" | "AUTH" | "MAIL" | "RCPT" | "DATA" | "message" | "RSET" | "QUIT";
/** A reply; or the line is cut; or nothing is said. */
type Answer = string | typeof CUT | typeof SILENCE;

const CUT = Symbol("cut");
const SILENCE = Symbol("silence");
const USUAL: Record<Step, string> = {
  greeting: "220 scripted",
  EHLO: "250-scripted\r\n250 8BITMIME",
  HELO: "250 scripted",
  AUTH: "235 2.7.0 Welcome",
  MAIL: "250 2.1.0 Ok",
  RCPT: "250 2.1.5 Ok",
  DATA: "354 Go on",
  message: "250 2.0.0 Taken",
  RSET: "250 2.0.0 Ok",
  QUIT: "221 2.0.0 Bye",
};

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

/** A server of which every word is decided by the test. `n` counts the connections from 1. */
async function startScripted(script: Partial<Record<Step, Answer | ((n: number) => Answer)>> = {}) {
  const seen = { connections: 0, open: 0, mostOpen: 0, steps: [] as string[], packets: [] as string[] };
  const messages: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const n = ++seen.connections;
    sockets.add(socket);
    seen.mostOpen = Math.max(seen.mostOpen, ++seen.open);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      seen.open--;
    });
    const answer = (step: Step) => {
      const scripted = script[step];
      const words = typeof scripted === "function" ? scripted(n) : (scripted ?? USUAL[step]);
      seen.steps.push(step);
      if (words === CUT) socket.destroy();
      else if (words !== SILENCE) socket.write(`${words as string}\r\n`);
      if (step === "QUIT") socket.end();
      return words;
    };
    let input = Buffer.alloc(0);
    let isMessage = false;
    socket.on("data", (bytes: Buffer) => {
      seen.packets.push(bytes.toString("latin1"));
      input = Buffer.concat([input, bytes]);
      for (;;) {
        const end = isMessage ? `\r\n${input}`.indexOf("\r\n.\r\n") : input.indexOf("\r\n");
        if (end < 0 || socket.destroyed) return;
        const [length, after] = isMessage ? [end, end + 3] : [end, end + 2];
        const text = input.subarray(0, length);
        input = input.subarray(after);
        if (isMessage) {
          isMessage = false;
          messages.push(text);
          answer("message");
        } else {
          const words = answer(text.toString("latin1").slice(0, 4).toUpperCase() as Step);
          isMessage = text.toString() === "DATA" && typeof words === "string" && words.startsWith("354");
        }
      }
    });
    answer("greeting");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as { port: number };
  return { ...seenAs(seen), url: `smtp://127.0.0.1:${port}`, messages, sockets, server };
}
