// Load over HTTP/1.1 at the lowest cost: raw sockets that are kept open, one request at a time on each. It runs as a
// process of its own, because on a small machine its work must not look like the service's.
import { percentile } from "./report.ts";
import { runChild } from "./child.ts";

/** What is requested, by how many at once, for how long. */
export interface Load {
  port: number;
  path: string;
  /** Goes into the `Authorization` header. */
  key: string;
  /** JSON; every `{n}` becomes the same random number below `population`. */
  body: string;
  population: number;
  connections: number;
  seconds: number;
  /** From so many networks, as a proxy would say; left out: from one, and no proxy. */
  networks?: number;
}

/** What came of it. Times are milliseconds from the first byte written to the last byte read. */
export interface LoadResult {
  requests: number;
  rate: number;
  p50: number;
  p95: number;
  p99: number;
  /** Answers other than 200, and connections that broke. */
  errors: number;
  firstError: string | null;
}

const WARM_UP_MS = 1_000;
const PATIENCE_MS = 30_000;

/** Runs the load in a process of its own. */
export async function runLoad(load: Load): Promise<LoadResult> {
  return await runChild<LoadResult>(import.meta.path, load, WARM_UP_MS + load.seconds * 1000 + PATIENCE_MS);
}

if (import.meta.main) console.log(JSON.stringify(await generate(JSON.parse(process.argv[2]!) as Load)));

async function generate(load: Load): Promise<LoadResult> {
  const head = [
    `POST ${load.path} HTTP/1.1`,
    `Host: 127.0.0.1:${load.port}`,
    `Authorization: Bearer ${load.key}`,
    "Content-Type: application/json",
    "",
  ].join("\r\n");
  const pieces = load.body.split("{n}");
  const begin = performance.now() + WARM_UP_MS;
  const end = begin + load.seconds * 1000;
  const times: number[] = [];
  let errors = 0;
  let firstError: string | null = null;
  const nextRequest = () => {
    const body = pieces.join(String(Math.floor(Math.random() * load.population)));
    return `${head}${proxied(load.networks)}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
  const onAnswer = (answer: string, startedAt: number, now: number) => {
    if (!answer.startsWith("200", 9)) {
      errors++;
      firstError ??= answer.slice(0, 1000);
    } else if (now >= begin && now < end) times.push(now - startedAt);
    return now < end;
  };
  await Promise.all(
    Array.from({ length: load.connections }, () =>
      converse(load.port, nextRequest, onAnswer).catch((error: Error) => {
        errors++;
        firstError ??= error.message;
      }),
    ),
  );
  return {
    requests: times.length,
    rate: times.length / load.seconds,
    p50: percentile(times, 50),
    p95: percentile(times, 95),
    p99: percentile(times, 99),
    errors,
    firstError,
  };
}

/** The header of a proxy, for a network of the block that is set aside for benches (RFC 2544); nothing without one. */
function proxied(networks: number | undefined): string {
  if (networks === undefined) return "";
  const n = Math.floor(Math.random() * networks);
  return `X-Forwarded-For: 198.18.${n >> 8}.${n & 255}\r\n`;
}

interface Conversation {
  /** What is left of a request that the socket did not take at once. */
  unsent: Buffer | null;
  received: string;
  startedAt: number;
}

/** Asks again and again on one connection, until `onAnswer` says that it was enough, at once or when it knows. */
export async function converse(
  port: number,
  nextRequest: () => string,
  onAnswer: (answer: string, startedAt: number, now: number) => boolean | Promise<boolean>,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const write = (socket: Bun.Socket<Conversation>, request: Buffer) => {
    const written = socket.write(request);
    socket.data.unsent = written < request.length ? request.subarray(Math.max(0, written)) : null;
  };
  const ask = (socket: Bun.Socket<Conversation>) => {
    const request = Buffer.from(nextRequest());
    socket.data = { unsent: null, received: "", startedAt: performance.now() };
    write(socket, request);
  };
  const proceed = (socket: Bun.Socket<Conversation>, goesOn: boolean) => {
    if (goesOn) return ask(socket);
    resolve();
    socket.end();
  };
  await Bun.connect<Conversation>({
    hostname: "127.0.0.1",
    port,
    data: { unsent: null, received: "", startedAt: 0 },
    socket: {
      open: ask,
      drain(socket) {
        if (socket.data.unsent) write(socket, socket.data.unsent);
      },
      data(socket, bytes) {
        const { data } = socket;
        data.received += bytes.toString("latin1");
        if (!isComplete(data.received)) return;
        const goesOn = onAnswer(data.received, data.startedAt, performance.now());
        if (typeof goesOn === "boolean") proceed(socket, goesOn);
        else void goesOn.then((more) => proceed(socket, more));
      },
      close: () => reject(new Error("The connection was closed")),
      error: (_socket, error) => reject(error),
    },
  });
  await promise;
}

function isComplete(answer: string): boolean {
  const headEnd = answer.indexOf("\r\n\r\n");
  if (headEnd === -1) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer.slice(0, headEnd))?.[1];
  if (length === undefined)
    throw new Error(`Cannot read an answer without a length: ${answer.slice(0, 300)}`);
  return answer.length >= headEnd + 4 + Number(length);
}
