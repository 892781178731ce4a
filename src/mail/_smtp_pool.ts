// The connections to one SMTP server, and the messages that wait for one.

import type { Failure } from "./_smtp_dialogue.ts";
import type { Message } from "./_smtp_message.ts";
import type { MayEnd } from "./mailer.ts";
import { type Envelope, openSession, type Session, type SessionOptions } from "./_smtp_session.ts";

/** How many connections there may be, and how many messages each may carry. */
export type SmtpPoolOptions = SessionOptions & {
  maxConnections: number;
  maxMessages: number;
  /** After so long without a message a connection is ended. Left out: when the server does. */
  idleMs?: number;
};

/** The connections to one server. */
export interface SmtpPool {
  /** There is no connection, and no message waits for one. */
  readonly isEmpty: boolean;
  /** Hands a message over on the next free connection, and returns the server's reply. Rejects with a `Failure`. */
  deliver(envelope: Envelope, message: Message, mayEnd?: MayEnd): Promise<string>;
  /** Resolves when there is a connection, which waits for a message then. Rejects with a `Failure`. */
  reach(): Promise<void>;
  /** Ends the connections that have nothing in progress, and the others when they are done. */
  close(): void;
}

/** How long no more connections are tried when the server has refused one while it serves others. */
const PAUSE_MS = 1_000;

/** Makes a pool. Connections are opened when there is a message for them. */
export function createSmtpPool(options: SmtpPoolOptions): SmtpPool {
  let idle: Session[] = [];
  const waiting: PromiseWithResolvers<Session>[] = [];
  let connections = 0;
  let opening = 0;
  let pausedUntil = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const take = (): Promise<Session> => {
    if (isClosed) return Promise.reject(closed());
    const turn = Promise.withResolvers<Session>();
    const session = idle.pop();
    if (session) turn.resolve(session);
    else waiting.push(turn);
    grow();
    return turn.promise;
  };
  const offer = (session: Session) => {
    if (isClosed || session.messages >= options.maxMessages) return session.quit();
    const next = waiting.shift();
    if (next) return next.resolve(session);
    idle.push(session);
    if (options.idleMs !== undefined) leaveLater(session, options.idleMs);
  };
  const leaveLater = (session: Session, afterMs: number) => {
    const { messages } = session;
    const leave = () => {
      // It may have carried another one in the meantime, and have a later appointment.
      if (session.messages !== messages || !idle.includes(session)) return;
      idle = idle.filter((other) => other !== session);
      session.quit();
    };
    setTimeout(leave, afterMs).unref();
  };
  const refuseAll = (reason: Failure) => {
    for (const turn of waiting.splice(0)) turn.reject(reason);
  };
  // What waits gets the next connection that is free, be it new or done with another message. A server that allows
  // fewer than we may have is so kept busy with those it allows, and no message suffers from the refused ones.
  const grow = () => {
    while (!isClosed && opening < waiting.length && connections < options.maxConnections) {
      const pauseMs = connections > 0 ? pausedUntil - performance.now() : 0;
      if (pauseMs > 0) return growLater(pauseMs);
      open();
    }
  };
  const growLater = (delayMs: number) => {
    retry ??= setTimeout(() => {
      retry = undefined;
      grow();
    }, Math.ceil(delayMs));
  };
  const open = () => {
    let isOpen = false;
    connections += 1;
    opening += 1;
    openSession(options, {
      free(session) {
        if (!isOpen) opening -= 1;
        isOpen = true;
        offer(session);
      },
      end(reason, session) {
        connections -= 1;
        idle = idle.filter((other) => other !== session);
        if (isOpen) return grow();
        opening -= 1;
        pausedUntil = performance.now() + PAUSE_MS;
        if (connections === 0) refuseAll(Object.assign(reason, { isAboutUs: "unreached" as const }));
        else grow();
      },
    });
  };
  return {
    get isEmpty() {
      return connections + waiting.length === 0;
    },
    async deliver(envelope, message, mayEnd) {
      for (;;) {
        const session = await take();
        const isFresh = session.messages === 0;
        try {
          return await session.deliver(envelope, message, mayEnd);
        } catch (error) {
          if (isFresh || !wasStale(error as Failure)) throw error;
        }
      }
    },
    reach: async () => offer(await take()),
    close() {
      isClosed = true;
      clearTimeout(retry);
      for (const session of idle) session.quit();
      refuseAll(closed());
    },
  };
}

/** The server has hung up while nothing was in progress, and we see it now: the message can go another way. */
function wasStale({ sent, response, responseCode }: Failure): boolean {
  return sent === "nothing" && (response === undefined || responseCode === 421);
}

function closed(): Failure {
  return Object.assign(new Error("The connections are being closed"), { isAboutUs: "unreached" as const });
}
