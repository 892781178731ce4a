// A mail server of which a test decides every word.
import { createServer, type Socket } from "node:net";

/** Where a conversation is: before the first word, at a command, or at the end of a message. */
export type Step =
  "greeting" | "EHLO" | "HELO" | "AUTH" | "MAIL" | "RCPT" | "DATA" | "message" | "RSET" | "QUIT";

/** A reply, of one or more lines; or the connection is cut; or nothing is said. */
export type Answer = string | typeof CUT | typeof SILENCE;

/** What is said at each step; `n` counts the connections from 1. What is left out is said as usual. */
export type Script = Partial<Record<Step, Answer | ((n: number) => Answer)>>;

export const CUT = Symbol("cut");
export const SILENCE = Symbol("silence");
const END = "\r\n.\r\n";

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

/** The running server, and what it has seen. */
export interface ScriptedServer {
  url: string;
  script: Script;
  connections: number;
  /** The connections that are open now. */
  open: Set<Socket>;
  mostOpen: number;
  steps: Step[];
  /** What came at once, in the order in which it came. */
  packets: string[];
  /** The messages, as they were before dots were doubled. */
  messages: Buffer[];
  stop(): Promise<void>;
}

/** Starts a server on loopback. */
export async function startScriptedServer(script: Script = {}): Promise<ScriptedServer> {
  const listener = createServer((socket) => converse(server, socket));
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as { port: number };
  const server: ScriptedServer = {
    url: `smtp://127.0.0.1:${port}`,
    script,
    connections: 0,
    open: new Set(),
    mostOpen: 0,
    steps: [],
    packets: [],
    messages: [],
    async stop() {
      for (const socket of server.open) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  return server;
}

function converse(server: ScriptedServer, socket: Socket): void {
  const n = ++server.connections;
  let input: Buffer = Buffer.alloc(0);
  /** The message so far: a large one is joined once, when it is whole. */
  let pieces: Buffer[] = [];
  let isMessage = false;
  server.open.add(socket);
  server.mostOpen = Math.max(server.mostOpen, server.open.size);
  socket.on("error", () => {});
  socket.on("close", () => server.open.delete(socket));

  const answer = (step: Step): Answer => {
    const scripted = server.script[step] ?? USUAL[step] ?? "500 What?";
    const words = typeof scripted === "function" ? scripted(n) : scripted;
    server.steps.push(step);
    if (words === CUT) socket.destroy();
    else if (words !== SILENCE) socket.write(`${words as string}\r\n`);
    if (step === "QUIT") socket.end();
    return words;
  };
  const takeMessage = () => {
    const last = Buffer.concat(pieces.slice(-END.length)).subarray(-END.length);
    const at = Buffer.concat([last, input]).indexOf(END);
    const end = at < 0 ? input.length : at + END.length - last.length;
    if (end > 0) pieces.push(input.subarray(0, end));
    input = input.subarray(end);
    if (at < 0) return false;
    const text = Buffer.concat(pieces)
      .toString("latin1")
      .slice(2, 2 - END.length);
    isMessage = false;
    server.messages.push(Buffer.from(text.replaceAll(/^\./gm, ""), "latin1"));
    answer("message");
    return true;
  };
  const takeCommand = () => {
    const end = input.indexOf("\r\n");
    if (end < 0) return false;
    const step = input.toString("latin1", 0, 4).toUpperCase() as Step;
    input = input.subarray(end + 2);
    const words = answer(step);
    isMessage = step === "DATA" && typeof words === "string" && words.startsWith("354");
    // The line of the command ends where the first line of the message begins.
    pieces = [Buffer.from("\r\n")];
    return true;
  };
  socket.on("data", (bytes: Buffer) => {
    server.packets.push(bytes.toString("latin1"));
    input = Buffer.concat([input, bytes]);
    while (!socket.destroyed && (isMessage ? takeMessage() : takeCommand()));
  });
  answer("greeting");
}
