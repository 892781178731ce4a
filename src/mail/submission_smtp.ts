// The SMTP server for applications that send (RFC 6409). Everybody logs in, over TLS; what is accepted is confirmed only once it
// is stored. Whose mail it is, and what becomes of it, others say: this file is about connections.
//
// Anybody may connect, so everything has an end: connections, of one network and in all, the time until somebody has logged
// in, the size of a message, and how long it takes. Of a message that comes in, a few hundred KB are held; larger ones come in
// turn, and while one waits its client is not read from.
import type { Socket } from "node:net";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import { createCrowd, isLoopback, networkOf } from "./_crowd.ts";
import { type FixedMessage, fixLineEnds } from "./_line_ends.ts";
import { listenOn, settle, useOwnCodes } from "./_smtp_serving.ts";
import { smtpReply } from "./smtp_reply.ts";

/** A message as it came in. */
export interface GivenMessage<Caller> {
  caller: Caller;
  recipients: string[];
  message: FixedMessage;
  /** How the client has named itself. */
  client: string;
  /** Such as `ESMTPSA`. */
  protocol: string;
}

/** What the server asks, and whom it hands messages to. What they throw is a `smtpReply`; anything else is a 451. */
export interface SubmissionParts<Caller> {
  /** By what name it greets. */
  hostname: string;
  /** Who has this password. */
  logIn(password: string, network: string): Promise<Caller>;
  /** Whether a message may come now. */
  begin(caller: Caller): Promise<void>;
  /** The address of a recipient as it is stored; null where it is not well-formed. */
  addressOf(recipient: string): string | null;
  /** Does `work`, which holds a large message, when its turn has come. */
  inTurn<T>(caller: Caller, work: () => Promise<T>): Promise<T>;
  /** Stores a message, and returns what is said about it. */
  take(message: GivenMessage<Caller>): Promise<string>;
}

/** Where it listens. */
export interface SubmissionPlace {
  host: string;
  port: number;
  /** TLS from the first byte, and not after STARTTLS. */
  isSecure: boolean;
  /** Left out: there is no TLS. */
  certificate?: Certificate | undefined;
  /** Whether passwords may come without TLS from other machines. */
  allowPlain: boolean;
}

/** A certificate with those that lead to a known one, and its key; both PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** What one client may do, and for how long. */
export interface SubmissionLimits {
  messageBytes: number;
  recipients: number;
  connections: number;
  connectionsOfNetwork: number;
  newConnectionsOfNetworkPerMinute: number;
  /** Wrong passwords of one connection. */
  logIns: number;
  /** From the first byte until somebody has logged in. */
  logInMs: number;
  /** Between two commands. */
  silenceMs: number;
  /** Of one message, from DATA to its end. */
  messageMs: number;
  /** How long others may finish what they have begun when the server stops. */
  goodbyeMs: number;
}

/** The running server. */
export interface SubmissionServer {
  port: number;
  /** From now on new connections get this certificate. */
  renew(certificate: Certificate): void;
  /** Accepts no more messages, and resolves when those in progress are stored. */
  stop(): Promise<void>;
}

const LIMITS: SubmissionLimits = {
  messageBytes: 16 * 1_048_576,
  recipients: 1_000,
  connections: 300,
  connectionsOfNetwork: 200,
  newConnectionsOfNetworkPerMinute: 12_000,
  logIns: 3,
  logInMs: 60_000,
  silenceMs: 300_000,
  messageMs: 180_000,
  goodbyeMs: 5_000,
};

const MAX_COMMAND_BYTES = 4_096;
/** So much of a message is held before it has to wait for its turn. */
const FREE_BYTES = 262_144;
const DISABLED = ["XCLIENT", "XFORWARD", "HELP", "VRFY", "WIZ", "SHELL", "KILL"];

/** Somebody who is connected. */
interface Talk<Caller> {
  caller: Caller | null;
  wrong: number;
  isFree: () => void;
}

/** Listens, and rejects where that is not possible. Port 0 takes any that is free. */
export async function startSubmissionSmtp<Caller>(
  parts: SubmissionParts<Caller>,
  { host, port, isSecure, certificate, allowPlain }: SubmissionPlace,
  given: Partial<SubmissionLimits> = {},
): Promise<SubmissionServer> {
  const limits = { ...LIMITS, ...given };
  const crowd = createCrowd(limits);
  const talks = new Map<string, Talk<Caller>>();
  const underway = new Set<Promise<string>>();
  const withoutTls = certificate ? DISABLED : [...DISABLED, "STARTTLS"];

  const enter = (session: SMTPServerSession): void => {
    useOwnCodes(server, session.id);
    const mayLogIn = session.secure || allowPlain || isLoopback(session.remoteAddress);
    // Not even offered: a client would send the password first.
    if (!mayLogIn) disable(session, [...withoutTls, "AUTH"]);
    crowd.enter(session);
    const end = setTimeout(() => hangUp(server, session.id), limits.logInMs);
    talks.set(session.id, { caller: null, wrong: 0, isFree: () => clearTimeout(end) });
  };

  const logIn = async (password: string, session: SMTPServerSession): Promise<Caller> => {
    const talk = talks.get(session.id)!;
    try {
      talk.caller = await parts.logIn(password, networkOf(session.remoteAddress));
    } catch (error) {
      if (++talk.wrong >= limits.logIns && (error as { responseCode?: number }).responseCode === 535) {
        throw smtpReply(421, "4.7.0", "Too many wrong keys");
      }
      throw error;
    }
    talk.isFree();
    return talk.caller;
  };

  const callerOf = (session: SMTPServerSession): Caller => {
    const caller = session.user ? talks.get(session.id)?.caller : null;
    if (caller) return caller;
    const advice = session.secure || !certificate ? "Log in first" : "Say STARTTLS and log in first";
    throw smtpReply(530, "5.7.0", advice);
  };

  const receive = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> => {
    const caller = callerOf(session);
    const recipients = session.envelope.rcptTo.map(({ address }) => parts.addressOf(address)!);
    const deadline = setTimeout(() => hangUp(server, session.id), limits.messageMs);
    const take = async (message: FixedMessage | null): Promise<string> => {
      clearTimeout(deadline);
      // The library says that it is too large.
      if (message === null) return "";
      const { hostNameAppearsAs: client, transmissionType: protocol } = session;
      return await parts.take({ caller, recipients, message, client: String(client), protocol });
    };
    const taking = read(stream, limits.messageBytes, (rest) =>
      parts.inTurn(caller, async () => await take(await rest())),
    ).then((small) => (small.text === undefined ? take(small.message) : small.text));
    underway.add(taking);
    return await taking.finally(() => {
      clearTimeout(deadline);
      underway.delete(taking);
    });
  };

  const server = new SMTPServer({
    name: parts.hostname,
    heloResponse: "%s",
    logger: false,
    secure: isSecure,
    ...certificate,
    size: limits.messageBytes,
    rejectOversized: true,
    maxClients: limits.connections,
    maxRecipients: limits.recipients,
    maxCommandLength: MAX_COMMAND_BYTES,
    socketTimeout: limits.silenceMs,
    closeTimeout: limits.goodbyeMs,
    disabledCommands: withoutTls,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    authMethods: ["PLAIN", "LOGIN"],
    // Whether it is allowed without TLS is decided for each connection.
    allowInsecureAuth: true,
    onConnect: (session, done) => void settle(() => enter(session), done),
    onSecure: (_socket, session, done) =>
      void settle(() => {
        // After STARTTLS the library has forgotten everything, and so do we.
        const talk = talks.get(session.id);
        if (talk) talk.caller = null;
        disable(session, undefined);
      }, done),
    onAuth: ({ password }, session, done) =>
      void settle(
        () => logIn(password ?? "", session),
        (error) => {
          if (error) done(error);
          else done(null, { user: "key" });
        },
      ),
    onMailFrom: (_address, session, done) =>
      void settle(
        () => parts.begin(callerOf(session)),
        (error) => done(error),
      ),
    onRcptTo: ({ address }, _session, done) =>
      void settle(() => {
        if (parts.addressOf(address) === null)
          throw smtpReply(553, "5.1.3", "This address is not well-formed");
      }, done),
    onData: (stream, session, done) =>
      void settle(
        () => receive(stream, session),
        (error, text) => (error ? done(error) : done(null, text)),
      ),
    onClose: (session) => {
      talks.get(session.id)?.isFree();
      talks.delete(session.id);
      crowd.leave(session);
    },
  });
  const listening = await listenOn(server, host, port);
  // Connections that break off are everyday life.
  server.on("error", () => {});
  return {
    port: listening,
    renew: (renewed) => server.updateSecureContext({ ...renewed }),
    async stop() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.allSettled(underway);
    },
  };
}

function disable(session: SMTPServerSession, commands: string[] | undefined): void {
  (session as { disabledCommands?: string[] | undefined }).disabledCommands = commands;
}

/** Ends a connection that takes too long. */
function hangUp(server: SMTPServer, id: string): void {
  const connections = server.connections as Iterable<{
    id: string;
    _socket: Socket;
    send(code: number, text: string): void;
  }>;
  for (const connection of connections) {
    if (connection.id !== id) continue;
    connection.send(421, "4.4.2 This takes too long");
    connection._socket.destroySoon();
  }
}

/**
 * Reads a message. A small one is returned; the rest of a larger one is read by `whole`, when it may be held. Null when it is
 * larger than allowed: it is still read to its end, so that the reply arrives.
 */
async function read(
  stream: SMTPServerDataStream,
  maxBytes: number,
  whole: (rest: () => Promise<FixedMessage | null>) => Promise<string>,
): Promise<{ message: FixedMessage | null; text?: undefined } | { text: string }> {
  const pieces = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let lines = fixLineEnds();
  let length = 0;
  const readOn = async (upTo: number): Promise<boolean> => {
    while (length <= upTo) {
      const { done, value } = await pieces.next();
      if (done) return true;
      length += value.length;
      if (length <= maxBytes) lines.take(value);
      else lines = fixLineEnds();
    }
    return false;
  };
  const message = () => (length > maxBytes ? null : lines.end());
  if (await readOn(FREE_BYTES)) return { message: message() };
  return {
    text: await whole(async () => {
      await readOn(Infinity);
      return message();
    }),
  };
}
