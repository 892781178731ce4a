// An SMTP server that says yes to everything and keeps nothing, at the lowest cost: what is measured against it is the
// sender. Run as a program it is a process of its own that counts for its parent.

/** The running sink. */
export interface Sink {
  port: number;
  stop(): void;
}

/** When so many messages came in: the time from the first to the last. */
export interface Tally {
  messages: number;
  seconds: number;
}

/** A mail that somebody waits for. */
interface Urgent {
  urgent: string;
  at: number;
}

interface Session {
  isMessage: boolean;
  /** How long the answer to its message takes: it goes to a tarpit. */
  holdMs: number;
  /** The last bytes of a message, or the beginning of a command line. */
  tail: string;
}

const END = "\r\n.\r\n";
/** As servers of today answer: several commands may come at once (RFC 2920). The mail library sends them one by one all the same. */
const HELLO = "250-sink\r\n250 PIPELINING\r\n";
const BYE = "221 bye\r\n";
/** Domains of which every mail takes long: `tarpit<n>.test`. With an even number it is the end of a message that does. */
const TARPIT = /@tarpit(\d+)\.test>/i;
const TARPIT_MS = 20_000;

/** What a sink tells of what comes. */
interface SinkEvents {
  onData?: () => void;
  /** A message has come, but for those to tarpits. */
  onMessage?: () => void;
  /** The line of a RCPT TO. */
  onRecipient?: (line: string) => void;
}

/** Starts a sink in this process. */
export function startSink(on: SinkEvents): Sink {
  const server = Bun.listen<Session>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        socket.data = { isMessage: false, holdMs: 0, tail: "" };
        socket.setNoDelay(true);
        socket.write("220 sink\r\n");
      },
      data(socket, bytes) {
        const session = socket.data;
        // The sender waits for our answer after commands and after a message, so both end where a chunk ends.
        if (session.isMessage) {
          session.tail = (
            session.tail + bytes.toString("latin1", Math.max(0, bytes.length - END.length))
          ).slice(-END.length);
          if (session.tail !== END) return;
          session.isMessage = false;
          session.tail = "";
          if (session.holdMs === 0) on.onMessage?.();
          say(socket, "250 2.0.0 taken\r\n", Math.max(0, session.holdMs));
          return;
        }
        session.tail += bytes.toString("latin1");
        if (!session.tail.endsWith("\r\n")) return;
        const lines = session.tail.slice(0, -2).split("\r\n");
        session.tail = "";
        const answers = lines.map((line) => answerTo(line, session, on));
        if (answers.includes(BYE)) return void socket.end(BYE);
        const isTarpit = session.holdMs === -1 && lines.some((line) => /^RCPT/i.test(line));
        say(socket, answers.join(""), isTarpit ? TARPIT_MS : 0);
      },
    },
  });
  return { port: server.port, stop: () => server.stop(true) };
}

function answerTo(line: string, session: Session, on: SinkEvents): string {
  const command = line.slice(0, 4).toUpperCase();
  if (command === "EHLO") return HELLO;
  if (command === "QUIT") return BYE;
  if (command === "RCPT") {
    const tarpit = TARPIT.exec(line)?.[1];
    on.onRecipient?.(line);
    session.holdMs = tarpit === undefined ? 0 : Number(tarpit) % 2 === 0 ? TARPIT_MS : -1;
  }
  if (command !== "DATA") return "250 2.0.0 yes\r\n";
  session.isMessage = true;
  session.tail = "\r\n";
  on.onData?.();
  return "354 go on\r\n";
}

/** Says it at once, or to a sender who waits in a tarpit, later. */
function say(socket: Bun.Socket<Session>, words: string, afterMs: number): void {
  if (afterMs === 0) socket.write(words);
  else setTimeout(() => socket.write(words), afterMs);
}

/** A sink in a process of its own. */
export interface SinkProcess {
  port: number;
  /** Begins to count again, and resolves when so many messages have come. */
  expect(messages: number, timeoutMs: number): Promise<Tally>;
  /** Called for each recipient whose address begins with `urgent`, with the time (`Date.now()`). */
  onUrgent?: (address: string, at: number) => void;
  stop(): void;
}

/** Starts a sink in a process of its own. */
export async function startSinkProcess(): Promise<SinkProcess> {
  let onMessage: ((message: { port: number } | Tally) => void) | undefined;
  const sink = {} as SinkProcess;
  const next = <T>() => new Promise<T>((resolve) => (onMessage = resolve as (message: object) => void));
  const started = next<{ port: number }>();
  const child = Bun.spawn([process.execPath, import.meta.path], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (message: { port: number } | Tally | Urgent) => {
      if ("urgent" in message) sink.onUrgent?.(message.urgent, message.at);
      else onMessage?.(message);
    },
  });
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill);
  const { port } = await started;
  return Object.assign(sink, {
    port,
    async expect(messages: number, timeoutMs: number) {
      const tally = next<Tally>();
      child.send(messages);
      const late = Bun.sleep(timeoutMs).then(() => null);
      const result = await Promise.race([tally, late]);
      if (!result)
        throw new Error(`Cannot count ${messages} messages: they did not come within ${timeoutMs} ms`);
      return result;
    },
    stop() {
      process.off("exit", kill);
      kill();
    },
  });
}

if (import.meta.main) {
  let expected = 0;
  let messages = 0;
  let firstAt = 0;
  const sink = startSink({
    onRecipient(line) {
      const address = /<(urgent[^>]*)>/i.exec(line)?.[1];
      if (address) process.send!({ urgent: address, at: Date.now() });
    },
    onMessage() {
      if (messages++ === 0) firstAt = performance.now();
      if (messages === expected) process.send!({ messages, seconds: (performance.now() - firstAt) / 1000 });
    },
  });
  process.on("message", (count: number) => {
    expected = count;
    messages = 0;
  });
  process.on("disconnect", () => process.exit(0));
  process.send!({ port: sink.port });
}
