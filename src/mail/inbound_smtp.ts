// The SMTP server for reports from others. It accepts mail only for recipients it knows, relays nothing, knows no
// passwords, and confirms a mail only once it is stored. There is no STARTTLS: without a certificate it would protect
// nobody, and senders continue without.
//
// Anybody may connect, so everything has an end: connections, of one network and in all, their time, the size of a
// message, and the recipients that somebody may guess at.
import type { Socket } from "node:net";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import { createCrowd } from "./_crowd.ts";
import { listenOn, settle, useOwnCodes } from "./_smtp_serving.ts";
import { smtpReply } from "./smtp_reply.ts";

/** A mail as it came in. */
export interface InboundMail<Addressee> {
  addressee: Addressee;
  /** The envelope sender; empty in a report of a mail server. */
  sender: string;
  source: Buffer;
}

/** What the server asks and whom it hands mails to. */
export interface InboundParts<Addressee> {
  /** By what name it greets. */
  hostname: string;
  /** The owner of an address; null for unknown ones. When it throws, the sender is told to try again. */
  find(recipient: string): Promise<Addressee | null>;
  /** Resolves when the mail is stored. When it throws, the sender is told to try again. */
  take(mail: InboundMail<Addressee>): Promise<void>;
}

/** What one process bears. */
export interface InboundLimits {
  messageBytes: number;
  connections: number;
  /** Connections of one network: an IPv4 address, or the first half of an IPv6 one. */
  connectionsOfNetwork: number;
  newConnectionsOfNetworkPerMinute: number;
  /** Then the connection is ended. */
  refusedRecipients: number;
  /** Between two commands, or two pieces of a message. */
  silenceMs: number;
  /** Of a connection, whatever it does. A mail that is cut off is sent again. */
  lifetimeMs: number;
  /** How long others may finish what they have begun when the server stops. */
  goodbyeMs: number;
}

/** The running server. */
export interface InboundServer {
  port: number;
  /** Accepts no more mails, and resolves when those in progress are done. */
  stop(): Promise<void>;
}

const LIMITS: InboundLimits = {
  messageBytes: 1_048_576,
  connections: 60,
  connectionsOfNetwork: 20,
  newConnectionsOfNetworkPerMinute: 1_200,
  refusedRecipients: 10,
  silenceMs: 60_000,
  lifetimeMs: 300_000,
  goodbyeMs: 2_000,
};

const MAX_COMMAND_BYTES = 2_000;
/** What a server that only takes mail does without, and a joke of the library. */
const DISABLED = ["STARTTLS", "AUTH", "XCLIENT", "XFORWARD", "HELP", "WIZ", "SHELL", "KILL"];

/** Listens, and rejects where that is not possible. Port 0 takes any that is free. */
export async function startInboundSmtp<Addressee>(
  { hostname, find, take }: InboundParts<Addressee>,
  { host, port }: { host: string; port: number },
  given: Partial<InboundLimits> = {},
): Promise<InboundServer> {
  const limits = { ...LIMITS, ...given };
  const crowd = createCrowd(limits);
  /** Whom the mail of a connection is for, and how many others were asked for. */
  const talks = new Map<string, { addressee: Addressee | null; refused: number }>();
  const underway = new Set<Promise<void>>();

  const enter = (session: SMTPServerSession): void => {
    useOwnCodes(server, session.id);
    crowd.enter(session);
    talks.set(session.id, { addressee: null, refused: 0 });
  };

  const name = async (recipient: string, { id }: SMTPServerSession): Promise<void> => {
    const addressee = await find(recipient).catch(() => {
      throw smtpReply(451, "4.3.0", "Cannot look this up now, try again later");
    });
    const talk = talks.get(id);
    if (!talk) return;
    talk.addressee = addressee;
    if (addressee !== null) return;
    if (++talk.refused >= limits.refusedRecipients)
      throw smtpReply(421, "4.7.0", "Too many unknown recipients");
    throw smtpReply(550, "5.1.1", "No such recipient here");
  };

  const receive = async (
    stream: SMTPServerDataStream,
    { id, envelope }: SMTPServerSession,
  ): Promise<void> => {
    const source = await readAll(stream, limits.messageBytes);
    // The library says that it is too large.
    if (source === null) return;
    const addressee = talks.get(id)?.addressee ?? null;
    if (addressee === null) throw smtpReply(451, "4.2.1", "The recipient is not available, try again later");
    const sender = envelope.mailFrom ? envelope.mailFrom.address : "";
    const taken = take({ addressee, sender, source }).catch(() => {
      throw smtpReply(451, "4.3.0", "Cannot accept this now, try again later");
    });
    underway.add(taken);
    await taken.finally(() => underway.delete(taken));
  };

  const server = new SMTPServer({
    name: hostname,
    heloResponse: "%s",
    logger: false,
    size: limits.messageBytes,
    rejectOversized: true,
    maxClients: limits.connections,
    maxRecipients: 1,
    maxCommandLength: MAX_COMMAND_BYTES,
    socketTimeout: limits.silenceMs,
    closeTimeout: limits.goodbyeMs,
    disabledCommands: DISABLED,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    // Reporters may have addresses of any form.
    lenientAddressParsing: true,
    onConnect: (session, done) => settle(() => enter(session), done),
    onClose: (session) => {
      talks.delete(session.id);
      crowd.leave(session);
    },
    onRcptTo: ({ address }, session, done) => void settle(() => name(address, session), done),
    onData: (stream, session, done) =>
      void settle(
        () => receive(stream, session),
        (error) => done(error),
      ),
  });
  server.server.on("connection", (socket: Socket) => {
    const end = setTimeout(() => socket.destroy(), limits.lifetimeMs);
    end.unref();
    socket.once("close", () => clearTimeout(end));
  });
  const listening = await listenOn(server, host, port);
  // Connections that break off are everyday life.
  server.on("error", () => {});
  return {
    port: listening,
    async stop() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.allSettled(underway);
    },
  };
}

/** Null when it is larger; it is still read to its end, so that the reply arrives. */
async function readAll(stream: SMTPServerDataStream, maxBytes: number): Promise<Buffer | null> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length <= maxBytes) pieces.push(piece);
    else pieces = [];
  }
  return length <= maxBytes ? Buffer.concat(pieces) : null;
}
