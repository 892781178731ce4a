// Callers that send, and wait while too much of what they sent is not delivered yet; and the mail server that it goes to.
// One process that is not the service's, so that both ends are on one clock.
import { converse } from "./http_load.ts";
import { percentile } from "./report.ts";
import { startSink } from "./smtp_sink.ts";

/** What is sent, by how many at once, for how long. */
export interface Loop {
  port: number;
  key: string;
  /** JSON; every `{n}` becomes a number of its own. */
  body: string;
  callers: number;
  /** So many may be accepted and not delivered. */
  backlog: number;
  seconds: number;
}

/** What came of it. */
export interface LoopResult {
  /** Mails a second that were delivered, all of them accepted in the same loop. */
  rate: number;
  /** Of the requests, in milliseconds. */
  p50: number;
  p99: number;
  /** Answers other than 200. */
  errors: number;
  firstError: string | null;
  /** Accepted and not delivered at the end, after a wait. */
  left: number;
}

/** The loop's process. */
export interface LoopProcess {
  /** Of the mail server. */
  smtpPort: number;
  run(loop: Loop): Promise<LoopResult>;
  stop(): void;
}

const WARM_UP_MS = 1_500;
const LAST_MAILS_MS = 10_000;

/** Starts it. */
export async function startLoopProcess(): Promise<LoopProcess> {
  let heard: ((message: unknown) => void) | undefined;
  const next = <T>() => new Promise<T>((resolve) => (heard = resolve as (message: unknown) => void));
  const started = next<{ smtpPort: number }>();
  const child = Bun.spawn([process.execPath, import.meta.path], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (message: unknown) => heard?.(message),
  });
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill);
  return {
    ...(await started),
    async run(loop) {
      const result = next<LoopResult>();
      child.send(loop);
      return await result;
    },
    stop() {
      process.off("exit", kill);
      kill();
    },
  };
}

if (import.meta.main) {
  let received = 0;
  let onReceived = () => {};
  const sink = startSink({
    onMessage() {
      received++;
      onReceived();
    },
  });
  process.on("message", (loop: Loop) => {
    received = 0;
    void runLoop(loop, {
      received: () => received,
      onReceived: (listener) => (onReceived = listener),
    }).then((result) => process.send!(result));
  });
  process.on("disconnect", () => process.exit(0));
  process.send!({ smtpPort: sink.port });
}

interface Receiver {
  received(): number;
  onReceived(listener: () => void): void;
}

async function runLoop(loop: Loop, receiver: Receiver): Promise<LoopResult> {
  const begin = performance.now() + WARM_UP_MS;
  const end = begin + loop.seconds * 1000;
  const pieces = loop.body.split("{n}");
  const times: number[] = [];
  const waiting: (() => void)[] = [];
  let asked = 0;
  let accepted = 0;
  let errors = 0;
  let firstError: string | null = null;
  let atBegin = 0;
  receiver.onReceived(() => waiting.shift()?.());
  const nextRequest = () => {
    const body = pieces.join(String(asked++));
    const head = [
      "POST /v1/send HTTP/1.1",
      `Host: 127.0.0.1:${loop.port}`,
      `Authorization: Bearer ${loop.key}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    return `${head.join("\r\n")}\r\n\r\n${body}`;
  };
  const onAnswer = async (answer: string, startedAt: number, now: number) => {
    if (answer.startsWith("200", 9)) accepted++;
    else {
      errors++;
      firstError ??= answer.slice(0, 1000);
    }
    if (now >= begin && now < end) times.push(now - startedAt);
    while (accepted - receiver.received() > loop.backlog && performance.now() < end)
      await new Promise<void>((resolve) => waiting.push(resolve));
    return performance.now() < end;
  };
  setTimeout(() => (atBegin = receiver.received()), WARM_UP_MS);
  const measured = Bun.sleep(end - performance.now()).then(() => {
    const count = receiver.received() - atBegin;
    for (const go of waiting.splice(0)) go();
    return count;
  });
  await Promise.all(Array.from({ length: loop.callers }, () => converse(loop.port, nextRequest, onAnswer)));
  const count = await measured;
  const until = performance.now() + LAST_MAILS_MS;
  while (receiver.received() < accepted && performance.now() < until) await Bun.sleep(50);
  return {
    rate: count / loop.seconds,
    p50: percentile(times, 50),
    p99: percentile(times, 99),
    errors,
    firstError,
    left: accepted - receiver.received(),
  };
}
