// Messages over SMTP at the lowest cost: connections that are kept open and logged in, one message at a time on each, its
// commands pipelined. It runs as a process of its own, because its work must not look like the service's.
import { connect, type Socket } from "node:net";
import { runChild } from "./child.ts";
import { percentile } from "./report.ts";

/** What is submitted, by how many at once, for how long. */
export interface SmtpLoad {
  port: number;
  key: string;
  from: string;
  /** The message with CRLF; every `{n}` becomes the same random number below `population`. */
  message: string;
  population: number;
  connections: number;
  seconds: number;
}

/** What came of it. Times are milliseconds from the first command of a message to its confirmation. */
export interface SmtpLoadResult {
  rate: number;
  p50: number;
  p99: number;
  /** Replies other than those that are wanted. */
  errors: number;
  firstError: string | null;
}

const WARM_UP_MS = 1_000;
const PATIENCE_MS = 30_000;

/** Runs the load in a process of its own. */
export async function runSmtpLoad(load: SmtpLoad): Promise<SmtpLoadResult> {
  const limitMs = WARM_UP_MS + load.seconds * 1000 + PATIENCE_MS;
  return await runChild<SmtpLoadResult>(import.meta.path, load, limitMs);
}

if (import.meta.main) console.log(JSON.stringify(await generate(JSON.parse(process.argv[2]!) as SmtpLoad)));

async function generate(load: SmtpLoad): Promise<SmtpLoadResult> {
  const begin = performance.now() + WARM_UP_MS;
  const end = begin + load.seconds * 1000;
  const times: number[] = [];
  let errors = 0;
  let firstError: string | null = null;
  const pieces = load.message.split("{n}");
  const one = async () => {
    const { say, end: hangUp } = open(load.port);
    await say("", 1);
    await say("EHLO bench.example\r\n", 1);
    await say(`AUTH PLAIN ${Buffer.from(`\0any\0${load.key}`).toString("base64")}\r\n`, 1);
    for (let now = performance.now(); now < end;) {
      const startedAt = now;
      const n = String(Math.floor(Math.random() * load.population));
      const envelope = `MAIL FROM:<${load.from}>\r\nRCPT TO:<user${n}@example.com>\r\nDATA\r\n`;
      const ready = await say(envelope, 3);
      const reply = ready.startsWith("354") ? await say(`${pieces.join(n)}\r\n.\r\n`, 1) : ready;
      now = performance.now();
      if (!reply.startsWith("250")) {
        errors++;
        firstError ??= reply;
        if (!ready.startsWith("354")) await say("RSET\r\n", 1);
      } else if (now >= begin && now < end) times.push(now - startedAt);
    }
    hangUp();
  };
  await Promise.all(
    Array.from({ length: load.connections }, () =>
      one().catch((error: Error) => {
        errors++;
        firstError ??= error.message;
      }),
    ),
  );
  return {
    rate: times.length / load.seconds,
    p50: percentile(times, 50),
    p99: percentile(times, 99),
    errors,
    firstError,
  };
}

/** A connection. `say` writes, waits for so many replies, and returns the last line of the last one. */
function open(port: number) {
  const socket: Socket = connect(port, "127.0.0.1");
  socket.setEncoding("latin1");
  let received = "";
  let wanted: { left: number; resolve(line: string): void; reject(error: Error): void } | null = null;
  const read = () => {
    for (let at = received.indexOf("\r\n"); wanted && at !== -1; at = received.indexOf("\r\n")) {
      const line = received.slice(0, at);
      received = received.slice(at + 2);
      if (line[3] === "-" || --wanted.left > 0) continue;
      const { resolve } = wanted;
      wanted = null;
      resolve(line);
    }
  };
  socket.on("data", (piece) => {
    received += String(piece);
    read();
  });
  socket.on("error", () => {});
  socket.on("close", () => wanted?.reject(new Error("The server has closed the connection")));
  return {
    say: (text: string, replies: number) =>
      new Promise<string>((resolve, reject) => {
        wanted = { left: replies, resolve, reject };
        if (text !== "") socket.write(text);
        read();
      }),
    end: () => socket.destroy(),
  };
}
