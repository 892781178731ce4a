// What our own SMTP servers have in common. The library adds an enhanced code (RFC 3463) that follows from the basic one; where
// we say more, ours takes its place.
import type { AddressInfo } from "node:net";
import type { SMTPServer } from "smtp-server";
import { smtpReply } from "./smtp_reply.ts";

interface Connection {
  id: string;
  send(code: number, data: unknown, context?: unknown): void;
}

const OWN_CODE = /^[245]\.\d{1,3}\.\d{1,3} /;

/** From now on the replies to this connection have one enhanced code: that of their text, where it begins with one. */
export function useOwnCodes(server: SMTPServer, id: string): void {
  for (const connection of server.connections as unknown as Iterable<Connection>) {
    if (connection.id !== id) continue;
    const send = connection.send.bind(connection);
    connection.send = (code, data, context) =>
      send(code, data, typeof data === "string" && OWN_CODE.test(data) ? false : context);
    return;
  }
}

/** Calls the library back when `work` is done. What was not meant to be thrown may pass: the client tries again later. */
export async function settle<T>(
  work: () => Promise<T> | T,
  done: (error: Error | null, result?: T) => void,
): Promise<void> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    const isReply = error instanceof Error && "responseCode" in error;
    return done(isReply ? error : smtpReply(451, "4.3.0", "Cannot do this now, try again later"));
  }
  done(null, result);
}

/** Listens, and returns the port; rejects where that is not possible. */
export function listenOn(server: SMTPServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.server.address() as AddressInfo).port);
    });
  });
}
