// A real SMTP server on loopback that keeps what it receives, and misbehaves when told to.
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";

/** One message as it came over the wire. */
export interface Received {
  from: string;
  to: string[];
  source: string;
}

/** When a connection is cut. */
export type Cut = "before data" | "after data";

/** What the server does with the next messages. A reply is `code text`, such as `451 4.7.1 Later`. */
export interface Behaviour {
  /** Reply to RCPT TO. */
  rcpt?: (address: string) => string | undefined;
  /** Before answering RCPT TO. */
  holdRcpt?: (address: string) => Promise<void>;
  /** Reply after the end of the message. */
  data?: () => string | undefined;
  /** Before answering the end of the message. */
  holdData?: (to: string) => Promise<void>;
  /** Cuts the connection: before the message is read, or after its end and before the answer. */
  cut?: Cut | (() => Cut | undefined);
}

/** The running server. */
export interface TestSmtpServer {
  port: number;
  url: string;
  received: Received[];
  /** The address that each of them came from. */
  clients: string[];
  behave(behaviour: Behaviour): void;
  /** Waits until so many messages have come. */
  waitFor(count: number, timeoutMs?: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server; `port` only to bring back one that was stopped. */
export async function startSmtpServer(port = 0): Promise<TestSmtpServer> {
  const received: Received[] = [];
  const clients: string[] = [];
  let behaviour: Behaviour = {};
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onRcptTo: (address, _session, done) => {
      const { holdRcpt, rcpt } = behaviour;
      void (holdRcpt?.(address.address) ?? Promise.resolve()).then(() =>
        done(refusal(rcpt?.(address.address))),
      );
    },
    onData: (stream, session, done) => {
      // A client that dies in mid-message is what these tests are about.
      stream.on("error", () => {});
      void take(stream, session, done).catch(() => {});
    },
  });
  server.on("error", () => {});

  const take = async (
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    done: (error?: Error | null) => void,
  ) => {
    const cutAt = typeof behaviour.cut === "function" ? behaviour.cut() : behaviour.cut;
    if (cutAt === "before data") return cut(session);
    const source = await new Response(stream as unknown as ReadableStream).text();
    await behaviour.holdData?.(session.envelope.rcptTo[0]?.address ?? "");
    if (cutAt === "after data") {
      keep(session, source);
      return cut(session);
    }
    const refused = refusal(behaviour.data?.());
    if (!refused) keep(session, source);
    done(refused);
  };
  const keep = ({ envelope, remoteAddress }: SMTPServerSession, source: string) => {
    clients.push(remoteAddress);
    received.push({
      from: envelope.mailFrom ? envelope.mailFrom.address : "",
      to: envelope.rcptTo.map((recipient) => recipient.address),
      source,
    });
  };
  const cut = (session: SMTPServerSession) => {
    for (const connection of server.connections as Iterable<{ id: string; _socket: { destroy(): void } }>) {
      if (connection.id === session.id) connection._socket.destroy();
    }
  };

  const listening = await new Promise<number>((resolve) => {
    server.listen(port, "127.0.0.1", () => resolve((server.server.address() as { port: number }).port));
  });
  return {
    port: listening,
    url: `smtp://127.0.0.1:${listening}`,
    received,
    clients,
    behave: (next) => (behaviour = next),
    async waitFor(count, timeoutMs = 120_000) {
      const deadline = Date.now() + timeoutMs;
      while (received.length < count) {
        if (Date.now() > deadline) throw new Error(`Cannot see ${count} messages: ${received.length} came`);
        await Bun.sleep(10);
      }
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function refusal(reply: string | undefined): Error | null {
  if (reply === undefined) return null;
  const [, code, text] = /^(\d{3}) (.*)$/.exec(reply)!;
  return Object.assign(new Error(text), { responseCode: Number(code) });
}
