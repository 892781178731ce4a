// Servers on loopback that are asked by webhooks, and that misbehave as a test says.
import { afterEach } from "bun:test";
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** A certificate of `hook.test` and `127.0.0.1` that nobody vouches for, with its key. */
export const CERTIFICATE = readFileSync(new URL("../fixtures/hook.test.pem", import.meta.url), "utf8");

/** A request as it came. */
export interface Heard {
  method: string;
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** Answers one request on its connection. */
export type Answering = (socket: Socket, heard: Heard) => unknown;

/** A running server. */
export interface HookServer {
  port: number;
  /** `http://hook.test:<port>` or `https://…`. */
  url: string;
  heard: Heard[];
  /** Connections that were made, whether or not something was asked. */
  connections: number;
  /** How many requests are being answered, and how many were at most. */
  open: number;
  most: number;
}

/** Servers of one test file; they end with the test. */
export function useHookServers() {
  const endings: (() => void)[] = [];
  afterEach(() => {
    for (const end of endings.splice(0)) end();
  });
  return async (answer: Answering, { secure = false, host = "127.0.0.1" } = {}): Promise<HookServer> => {
    const sockets = new Set<Socket>();
    const state = { heard: [], connections: 0, open: 0, most: 0 } as unknown as HookServer;
    const onSocket = (socket: Socket) => {
      state.connections += 1;
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
      hear(socket, (heard) => {
        state.heard.push(heard);
        state.most = Math.max(state.most, (state.open += 1));
        socket.on("close", () => (state.open -= 1));
        answer(socket, heard);
      });
    };
    const server = secure
      ? createTlsServer({ key: CERTIFICATE, cert: CERTIFICATE }, onSocket)
      : createServer(onSocket);
    server.on("tlsClientError", () => {});
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    endings.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    state.port = (server.address() as AddressInfo).port;
    state.url = `${secure ? "https" : "http"}://hook.test:${state.port}`;
    return state;
  };
}

/** One request after the other, as they come over the connection. */
function hear(socket: Socket, onRequest: (heard: Heard) => void): void {
  let text = "";
  const next = (): Heard | null => {
    const headEnd = text.indexOf("\r\n\r\n");
    if (headEnd === -1) return null;
    const [line = "", ...lines] = text.slice(0, headEnd).split("\r\n");
    const headers = Object.fromEntries(
      lines.map((each): [string, string] => {
        const [name = "", ...value] = each.split(": ");
        return [name.toLowerCase(), value.join(": ")];
      }),
    );
    const end = headEnd + 4 + Number(headers["content-length"] ?? 0);
    if (text.length < end) return null;
    const body = Buffer.from(text.slice(headEnd + 4, end), "latin1").toString();
    text = text.slice(end);
    const [method = "", path = ""] = line.split(" ");
    return { method, path, headers, body };
  };
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1");
    for (let heard = next(); heard; heard = next()) onRequest(heard);
  });
}

/** A whole answer, after which the connection ends. */
export const reply =
  (status: number, body = "", headers: Record<string, string> = {}): Answering =>
  (socket) =>
    socket.end(answerOf(status, body, headers));

/** A whole answer, after which the connection waits for another request. */
export const replyAndStay =
  (status: number, body = ""): Answering =>
  (socket) =>
    socket.write(answerOf(status, body, {}));

function answerOf(status: number, body: string, headers: Record<string, string>): string {
  return [
    `HTTP/1.1 ${status} Whatever`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");
}

/** Leads elsewhere. */
export const redirect = (status: number, to: string): Answering => reply(status, "", { Location: to });
