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
  /** It says nothing about the message: nobody was let in, or we kept its end back. */
  isAboutUs?: "unreached" | "withheld" | undefined;
}

/** What a server says: its code, 0 where there is none, and all of its words. */
export interface Reply {
  code: number;
  text: string;
  /** It began before all that we said had left, so that it is no answer to the end of it. */
  isEarly: boolean;
}

/** A conversation with a server. */
export interface Dialogue {
  /** Nothing is said or heard any more. */
  readonly isOver: boolean;
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

/** What a dialogue tells the connection that it is held on. */
export interface DialogueEvents {
  /** A piece of what was said has left, or a whole reply has come. */
  progress(): void;
  /** There is no sense in going on. */
  hangUp(reason: Failure): void;
}

/** Takes over a socket. */
export function createDialogue(socket: Socket, { progress, hangUp }: DialogueEvents): Dialogue {
  const decoder = new StringDecoder();
  const listeners: PromiseWithResolvers<Reply>[] = [];
  let received = "";
  let isEarly = false;
  /** What we have said and has not left yet. */
  let leaving = 0;
  let over: Failure | null = null;

  const hear = (text: string) => {
    const reply = {
      code: Number(/^\d{3}(?!\d)/.exec(text)?.[0] ?? 0),
      text,
      isEarly: isEarly || leaving > 0,
    };
    isEarly = false;
    progress();
    const listener = listeners.shift();
    listener?.resolve(reply);
    // 421 is said before hanging up, asked or not (RFC 5321 3.8); anything else that nobody asked for is out of step.
    if (!listener || reply.code === 421) hangUp(refusal("CONN", reply));
  };
  const hearAll = () => {
    for (let found = REPLY.exec(received); found && !over; found = REPLY.exec(received)) {
      received = received.slice(found[0].length);
      if (found[0].trim() !== "") hear(found[0].trim());
    }
  };
  const take = (bytes: Buffer) => {
    const text = decoder.write(bytes);
    received += text;
    if (text.includes("\n")) hearAll();
    if (over) return;
    if (received.length > MAX_REPLY_CHARS) hangUp(new Error("The reply of the server has no end"));
    // What nobody waits for would be taken for the beginning of the next reply.
    else if (listeners.length === 0 && received.trim() !== "") hangUp(outOfTurn());
  };
  socket.removeAllListeners("data");
  socket.on("data", take);
  return {
    get isOver() {
      return over !== null;
    },
    say(words, given) {
      const left = () => {
        leaving -= 1;
        isEarly = received.trim() !== "";
        progress();
        given?.();
      };
      if (over) return;
      leaving += 1;
      socket.write(words, "latin1", (error) => !error && left());
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
      received = "";
      // Whatever may still come until the socket is closed is not kept.
      socket.removeListener("data", take).resume();
      for (const listener of listeners.splice(0)) listener.reject(over);
    },
  };
}

/** The server has said something before it was asked. */
export function outOfTurn(): Failure {
  return new Error("The server speaks out of turn");
}

/** The failure that this reply to a command means. */
export function refusal(command: string, { code, text }: Pick<Reply, "code" | "text">): Failure {
  const words = { command, response: text, ...(code > 0 && { responseCode: code }) };
  return Object.assign(new Error(`${command} was refused: ${text}`), words);
}
