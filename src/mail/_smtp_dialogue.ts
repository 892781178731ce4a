// Commands and replies on an open connection: what is sent, and who waits for which reply.

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
  /** It says nothing about the message: the connection was not accepted, or we withheld its end. */
  isAboutUs?: "unreached" | "withheld" | undefined;
  /** Of the system, or of the mail library, such as `ECONNREFUSED`. */
  code?: string | undefined;
}

/** A server's reply: its code, 0 if there is none, and its full text. */
export interface Reply {
  code: number;
  text: string;
  /** It began before everything we sent had left, so it cannot be the reply to the end of it. */
  isEarly: boolean;
}

/** A conversation with a server. */
export interface Dialogue {
  /** Nothing is sent or received any more. */
  readonly isOver: boolean;
  /** Sends something that has no reply of its own. `given`: the network has accepted all of it. */
  say(words: string | Buffer, given?: () => void): void;
  /** The next reply that nobody waits for yet. Rejects with the reason why there is none. */
  listen(): Promise<Reply>;
  /** Nothing more will come, for this reason. */
  end(reason: Failure): void;
}

const MAX_REPLY_CHARS = 65_536;
/** Lines that announce another one, and one that does not (RFC 5321 4.2.1). */
const REPLY = /^(?:\d{3}-[^\n]*\n)*(?!\d{3}-)[^\n]*\n/;
/** A refusal that lacks only its line end. */
const CUT_REFUSAL = /^[45]\d{2}[ -]/;

/** What a dialogue tells the connection that it is held on. */
export interface DialogueEvents {
  /** A piece of the output has left, or a whole reply has arrived. */
  progress(): void;
  /** There is no point in going on. */
  hangUp(reason: Failure): void;
}

/** Takes over a socket. */
export function createDialogue(socket: Socket, { progress, hangUp }: DialogueEvents): Dialogue {
  const decoder = new StringDecoder();
  const listeners: PromiseWithResolvers<Reply>[] = [];
  let received = "";
  let isEarly = false;
  /** What we have sent and has not left yet. */
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
    // 421 announces a disconnect, at any time (RFC 5321 3.8); any other unrequested reply is out of step.
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
    // An unrequested line would be taken for the beginning of the next reply.
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
      // Whatever still arrives before the socket is closed is dropped.
      socket.removeListener("data", take).resume();
      for (const listener of listeners.splice(0)) listener.reject(over);
    },
  };
}

/** The server has sent something before it was asked. */
export function outOfTurn(): Failure {
  return new Error("The server speaks out of turn");
}

/** The failure that this reply to a command means. */
export function refusal(command: string, { code, text }: Pick<Reply, "code" | "text">): Failure {
  const words = { command, response: text, ...(code > 0 && { responseCode: code }) };
  return Object.assign(new Error(`${command} was refused: ${text}`), words);
}
