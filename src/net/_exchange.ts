// A connection to an address that was checked, and one request and its response on it. Bun's `node:http` takes ten times as
// long for a request, and its `fetch` neither connects to a chosen address nor tells connections of two names apart there.
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import { Failed } from "./checked_addresses.ts";
import type { ResponseReader } from "./_response.ts";

/** Where a connection goes. */
export interface CheckedPlace {
  isSecure: boolean;
  /** The host that is asked for: its certificate must be of this name. */
  host: string;
  address: string;
  port: number;
  /** Certificates to trust instead of the usual ones, as PEM. */
  ca: string | undefined;
}

/** No connection could be made: nothing was received there. */
export class Unreachable extends Failed {}

/**
 * Connects, within `connectMs`, and until `signal` is aborted. Throws {@linkcode Unreachable}, and the error of TLS where the
 * connection cannot be secure.
 */
export function connectTo(place: CheckedPlace, connectMs: number, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  let isConnected = false;
  const socket = open(place);
  const fail = (error: Error) => {
    reject(isConnected ? error : new Unreachable(connectionReason(error)));
    socket.destroy();
  };
  const timer = setTimeout(() => fail(new Failed("it could not be reached")), connectMs);
  const abort = () => {
    reject(signal.reason as Error);
    socket.destroy();
  };
  socket.once("connect", () => {
    isConnected = true;
    clearTimeout(timer);
    if (!place.isSecure) resolve(socket);
  });
  socket.once("secureConnect", () => resolve(socket));
  socket.on("error", fail);
  socket.once("close", () => fail(new Failed("the connection was lost before it responded")));
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    socket.removeAllListeners();
    // What goes wrong from here on is heard of by whoever uses it.
    socket.on("error", () => {});
  });
}

function open({ isSecure, host, address, port, ca }: CheckedPlace): Socket {
  const to = { host: address, port, noDelay: true };
  if (!isSecure) return connectPlain(to);
  const named = isIP(host) > 0 ? {} : { servername: host };
  return connectSecure({ ...to, ...named, ...(ca !== undefined && { ca }), rejectUnauthorized: true });
}

/**
 * Sends a request and reads the response. The connection can be used again if the response says so. Throws where it breaks;
 * `reader.hasBegun` says whether anything had come by then.
 */
export function exchange(
  socket: Socket,
  request: Buffer,
  reader: ResponseReader,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const settle = (isDone: () => boolean) => {
    try {
      if (isDone()) resolve();
    } catch (error) {
      reject(error as Error);
    }
  };
  const listeners = {
    data: (bytes: Buffer) => settle(() => reader.take(bytes)),
    end: () => settle(() => reader.end()),
    close: () => settle(() => reader.end()),
    error: (error: Error) => (reader.hasBegun ? settle(() => reader.end()) : reject(error)),
  };
  for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener);
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  else socket.write(request);
  return promise.finally(() => {
    signal.removeEventListener("abort", abort);
    for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener);
  });
}

/** Half a sentence for what went wrong on the way. */
export function connectionReason(error: unknown): string {
  if (error instanceof Failed) return error.message;
  const { code = "" } = error as { code?: string };
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "its certificate is not for this name";
  if (/CERT|SELF_SIGNED|UNABLE_TO_|CA_/.test(code)) return `its certificate is not trusted (${code})`;
  if (/SSL|TLS|EPROTO/.test(code)) return `no secure connection could be made (${code})`;
  if (code === "ECONNREFUSED") return "it refused the connection";
  if (code === "ECONNRESET" || code === "EPIPE") return "the connection was lost before it responded";
  return code === "" ? "it could not be reached" : `it could not be reached (${code})`;
}
