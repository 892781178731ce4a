// The other side of SMTP, command by command, for what no mail library would do.
import { connect, type Socket } from "node:net";

/** A connection to a server. */
export interface SmtpClient {
  /** Writes these lines at once, and waits for one reply. */
  say(...lines: string[]): Promise<string>;
  /** Writes as it is. */
  write(text: string): void;
  /** Waits for the next reply, all of its lines; rejects when the connection is closed before. */
  reply(): Promise<string>;
  /** Resolves when the server has closed the connection. */
  closed: Promise<void>;
  end(): void;
}

/** Connects to a server, on loopback where nothing else is said. The greeting is the first reply. */
export function connectSmtp(port: number, host = "127.0.0.1"): SmtpClient {
  const socket: Socket = connect(port, host);
  const replies: string[] = [];
  const waiting: { resolve: (reply: string) => void; reject: (error: Error) => void }[] = [];
  let received = "";
  let isClosed = false;
  socket.setEncoding("latin1");
  socket.on("error", () => {});
  socket.on("data", (piece) => {
    received += String(piece);
    for (;;) {
      const whole = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\n/.exec(received)?.[0];
      if (whole === undefined) break;
      received = received.slice(whole.length);
      const next = waiting.shift();
      if (next) next.resolve(whole.trim());
      else replies.push(whole.trim());
    }
  });
  const closed = new Promise<void>((resolve) => {
    socket.on("close", () => {
      isClosed = true;
      for (const { reject } of waiting) reject(new Error("The server has closed the connection"));
      resolve();
    });
  });
  const reply = async () => {
    const ready = replies.shift();
    if (ready !== undefined) return ready;
    if (isClosed) throw new Error("The server has closed the connection");
    return await new Promise<string>((resolve, reject) => waiting.push({ resolve, reject }));
  };
  return {
    async say(...lines) {
      socket.write(lines.map((line) => `${line}\r\n`).join(""));
      return await reply();
    },
    write: (text) => void socket.write(text),
    reply,
    closed,
    end: () => socket.destroy(),
  };
}
