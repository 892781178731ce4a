// Words and answers on a connection that is open: what is said, and who waits for which reply.

import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";

/** Why something was not done: a reply of the server or, without one, the loss of the connection. */
export interface Failure extends Error {
  response?: string | undefined;
  responseCode?: number | undefined;
  /** The command that was refused. */
  command?: string | undefined;
  /** How much of the message has left. `whole`: with the dot that ends it, so that the server may have taken it. */
  sent?: "nothing" | "part" | "whole";
}

/** What a server says: its code, 0 where there is none, and all of its words. */
export interface Reply {
  code: number;
  text: string;
}

/** A conversation with a server. */
export interface Dialogue {
  /** Says something that has no reply of its own. `given`: the network has taken all of it. */
  say(words: string | Buffer, given?: () => void): void;
  /** The next reply that nobody waits for yet. Rejects with the reason why there is none. */
  listen(): Promise<Reply>;
  /** Nothing more will come, for this reason. */
  end(reason: Failure): void;
}

const MAX_REPLY_CHARS = 65_536;
/** Lines that announce another one, and one that does not (RFC 5321 4.2.1). */
const REPLY = /^(?:\d{3}-[^\n]*\n)*(?!\d{3}-)[^\n]*\n/;
/** A refusal of which only the line end is missing. */
const CUT_REFUSAL = /^[45]\d{2}[ -]/;

/** Takes over a socket; `hangUp` is called when there is no sense in going on. */
export function createDialogue(socket: Socket, hangUp: (reason: Failure) => void): Dialogue {
  const decoder = new StringDecoder();
  const listeners: PromiseWithResolvers<Reply>[] = [];
  let received = "";
  let over: Failure | null = null;

  const hear = (text: string) => {
    const reply = { code: Number(/^\d{3}(?!\d)/.exec(text)?.[0] ?? 0), text };
    const listener = listeners.shift();
    listener?.resolve(reply);
    // 421 is said before hanging up, asked or not (RFC 5321 3.8); anything else that nobody asked for is out of step.
    if (!listener || reply.code === 421) hangUp(refusal("CONN", reply));
  };
  socket.removeAllListeners("data");
  socket.on("data", (bytes: Buffer) => {
    received += decoder.write(bytes);
    for (let found = REPLY.exec(received); found && !over; found = REPLY.exec(received)) {
      received = received.slice(found[0].length);
      if (found[0].trim() !== "") hear(found[0].trim());
    }
    if (received.length > MAX_REPLY_CHARS) hangUp(new Error("The reply of the server has no end"));
  });
  return {
    say(words, given) {
      if (!over) socket.write(words, "latin1", (error) => !error && given?.());
    },
    listen() {
      const listener = Promise.withResolvers<Reply>();
      if (over) listener.reject(over);
      else listeners.push(listener);
      return listener.promise;
    },
    end(reason) {
      if (CUT_REFUSAL.test(received) && listeners.length > 0) hear(received.trim());
      over ??= reason;
      for (const listener of listeners.splice(0)) listener.reject(over);
    },
  };
}

/** The failure that this reply to a command means. */
export function refusal(command: string, { code, text }: Reply): Failure {
  const words = { command, response: text, ...(code > 0 && { responseCode: code }) };
  return Object.assign(new Error(`${command} was refused: ${text}`), words);
}
