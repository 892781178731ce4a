// One connection to an SMTP server. The mail library opens it: names, greeting, EHLO, STARTTLS, AUTH and their timeouts
// are its business. Mails then go over its socket in our own words. Measured in one run, with mails of 10 KB over 40
// connections, in milliseconds of processor time a mail: 0.18 with the pool of the library and ready-made sources, 0.10
// with its connections alone, 0.07 with these; composing and sending with the library takes 0.40.

import { isIP, type Socket } from "node:net";
import { Readable } from "node:stream";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { socketOf, unreadOf } from "./_library_connection.ts";
import {
  createDialogue,
  type Dialogue,
  type Failure,
  outOfTurn,
  refusal,
  type Reply,
} from "./_smtp_dialogue.ts";
import { type Message, type Pieces, split, toPieces } from "./_smtp_message.ts";
import type { MayEnd } from "./mailer.ts";
import { createPatience, type SmtpPatience, type PatienceOptions } from "./_smtp_patience.ts";

/** How a server is reached, in the options of the mail library. */
export type SessionOptions = SMTPConnection.Options &
  PatienceOptions & {
    auth?: { user: string; pass: string };
    /** `PLAIN`, `LOGIN` or `CRAM-MD5`; left out: the first of them that the server offers. */
    authMethod?: string;
    /** Looks at a new connection before anything is sent over it; what speaks against it ends it. */
    inspect?: (socket: Socket, isEncrypted: boolean) => Failure | null;
    /** See {@linkcode AddressesOf}. */
    addressesOf?: AddressesOf | undefined;
  };

/** The addresses of a host that may be called; rejects where there is none. */
export type AddressesOf = (host: string) => Promise<string[]>;

/** From whom and to whom. The addresses have been checked. */
export interface Envelope {
  from: string;
  to: string;
}

/** An open connection, which carries one message at a time. */
export interface Session {
  /** How many messages it was given. */
  readonly messages: number;
  /** Hands a message over, and returns the server's reply. Rejects with a `Failure`. */
  deliver(envelope: Envelope, message: Message, mayEnd?: MayEnd): Promise<string>;
  /** Says goodbye. */
  quit(): void;
}

/** What the owner of a session is told about it. */
export interface SessionEvents {
  /** It is open, or done with a message. */
  free(session: Session): void;
  /** It has ended, or never began: then there is no session. Called once. */
  end(reason: Failure, session: Session | null): void;
}

/** How much of a message has left. */
type Progress = Required<Pick<Failure, "sent">>;

const GOOD = /^2/;
/** What announces a message. Some servers answer DATA with 250; the mail library continues then, too. */
const COMMANDS = [
  { name: "MAIL FROM", good: GOOD, words: ({ from }: Envelope) => `MAIL FROM:<${from}>\r\n` },
  { name: "RCPT TO", good: GOOD, words: ({ to }: Envelope) => `RCPT TO:<${to}>\r\n` },
  { name: "DATA", good: /^[23]/, words: () => "DATA\r\n" },
];

/** Opens a connection, and logs in where the options say so and the server wants it. */
export function openSession(options: SessionOptions, on: SessionEvents): void {
  if (!options.addressesOf) return openAt(options, on);
  addressed(options).then(
    (at) => openAt(at, on),
    (reason: Failure) => on.end(reason, null),
  );
}

/**
 * The same server by an address that may be called: there is no second look-up, which could have another answer. What the
 * certificate must name stays.
 */
export async function addressed(options: SessionOptions): Promise<SessionOptions> {
  const { addressesOf, host = "localhost", servername } = options;
  if (!addressesOf) return options;
  const addresses = await addressesOf(host);
  const family = isIP(addresses[0]!);
  const alike = addresses.filter((address) => isIP(address) === family);
  const address = alike[Math.floor(Math.random() * alike.length)]!;
  const named = servername ?? (isIP(host) > 0 ? undefined : host);
  return { ...options, host: address, ...(named !== undefined && { servername: named }) };
}

function openAt(options: SessionOptions, on: SessionEvents): void {
  const connection = new SMTPConnection(options);
  let reason: Failure = new Error("Connection closed unexpectedly");
  let dialogue: Dialogue | undefined;
  let session: Session | null = null;
  // The library would let all that waits to be written leave first, and the end of a message might be among it.
  const hangUp = (why?: Failure) => {
    if (why) reason = why;
    socketOf(connection)?.destroy();
    connection.close();
  };
  const patience = createPatience(options, hangUp);
  const tooSlow = new Error("Timeout: the server takes too long to accept the connection");
  const opening = setTimeout(hangUp, options.messageTimeout, tooSlow);
  connection.on("error", hangUp);
  connection.once("end", () => {
    clearTimeout(opening);
    patience.end();
    dialogue?.end(reason);
    on.end(reason, session);
  });
  connection.connect((error) => {
    if (error) return void (reason = error); // its end follows
    const unsafe = options.inspect?.(socketOf(connection)!, connection.secure);
    if (unsafe) return hangUp(unsafe);
    const pipelines = /^250[ -]PIPELINING\b/im.test(String(connection.lastServerResponse));
    logIn(connection, options, (refused) => {
      if (refused) return hangUp(refused);
      // The library would take anything that the server sends unasked for its last reply.
      if (unreadOf(connection).trim() !== "") return hangUp(outOfTurn());
      clearTimeout(opening);
      dialogue = createDialogue(socketOf(connection)!, { progress: patience.note, hangUp });
      const leave = () => connection.close();
      session = createSession({ dialogue, patience, pipelines, hangUp, leave }, on.free);
      on.free(session);
    });
  });
}

function logIn(
  connection: SMTPConnection,
  { auth, authMethod }: SessionOptions,
  done: (refused: Failure | null) => void,
): void {
  if (!auth || !connection.allowsAuth) done(null);
  else connection.login({ ...auth, method: authMethod ?? false }, done);
}

/** What a session needs of its connection. */
interface Line {
  dialogue: Dialogue;
  patience: SmtpPatience;
  pipelines: boolean;
  /** Ends the connection at once; nothing more is sent. */
  hangUp(why?: Failure): void;
  /** Ends it when everything has been sent. */
  leave(): void;
}

function createSession(line: Line, free: (session: Session) => void): Session {
  const { dialogue, patience, hangUp, leave } = line;
  const session = {
    messages: 0,
    async deliver(envelope: Envelope, message: Message, mayEnd?: MayEnd) {
      const progress: Progress = { sent: "nothing" };
      session.messages += 1;
      patience.begin();
      try {
        await announce(line, envelope);
        const { text } = await transfer(line, { message, mayEnd }, progress);
        rest();
        return text;
      } catch (error) {
        void recover(progress);
        throw Object.assign(error as Failure, progress);
      }
    },
    quit() {
      dialogue.say("QUIT\r\n");
      leave();
    },
  };
  const rest = () => {
    patience.end();
    if (!dialogue.isOver) free(session);
  };
  const recover = async ({ sent }: Progress) => {
    // Refused in mid-message: anything sent now would be part of it.
    if (sent === "part") return hangUp();
    dialogue.say("RSET\r\n");
    const reply = await dialogue.listen().catch(() => null);
    if (reply && GOOD.test(reply.text)) rest();
    else hangUp();
  };
  return session;
}

/** One command after the other or, where the server allows it, all at once, which saves two round trips (RFC 2920). */
async function announce({ dialogue, pipelines, hangUp }: Line, envelope: Envelope): Promise<void> {
  for (const turn of pipelines ? [COMMANDS] : COMMANDS.map((command) => [command])) {
    dialogue.say(turn.map(({ words }) => words(envelope)).join(""));
    const replies = await Promise.allSettled(turn.map(dialogue.listen));
    const failures = turn.map(({ name, good }, i) => failureOf(name, good, replies[i]!));
    const failure = failures.find((each) => each !== null);
    if (!failure) continue;
    // A server that still waits for the message would take the next command for it.
    const last = replies.at(-1)!;
    if (last.status === "fulfilled" && last.value.code < 400) hangUp();
    throw failure;
  }
}

function failureOf(command: string, good: RegExp, reply: PromiseSettledResult<Reply>): Failure | null {
  if (reply.status === "rejected") return reply.reason as Failure;
  return good.test(reply.value.text) ? null : refusal(command, reply.value);
}

/** The message, and who decides whether its end may be sent. */
interface Transfer {
  message: Message;
  mayEnd: MayEnd | undefined;
}

/** Sends the message after its announcement, and returns the server's reply to it. */
async function transfer(line: Line, { message, mayEnd }: Transfer, progress: Progress): Promise<Reply> {
  progress.sent = "part"; // from here on the server takes everything for a part of the message
  const pieces = toPieces(message, mayEnd !== undefined);
  const reply = line.dialogue.listen();
  give(line, pieces, { mayEnd, whole: () => (progress.sent = "whole") }).catch(line.hangUp);
  try {
    return assertTaken(line, await reply, progress);
  } finally {
    if (pieces instanceof Readable) pieces.destroy();
  }
}

/** The end of a message: whether it may be sent, and what is called when it has been. */
interface End {
  mayEnd: MayEnd | undefined;
  whole(): void;
}

/** Says one part when the one before has left, and the last one, which ends the message, when that is allowed. */
async function give({ dialogue }: Line, pieces: Pieces, { mayEnd, whole }: End): Promise<void> {
  let last: Buffer | undefined;
  for await (const piece of pieces) {
    for (const part of split(piece as Buffer)) {
      if (last) await new Promise<void>((resolve) => dialogue.say(last!, resolve));
      last = part;
    }
  }
  // Not after the loop: this must be known before any reply is.
  if (!mayEnd) return dialogue.say(last!, whole);
  if (!(await mayEnd())) throw withheld();
  if (dialogue.isOver) return;
  // Known before the network has taken it: a connection may end between the two.
  whole();
  dialogue.say(last!);
}

function withheld(): Failure {
  return Object.assign(new Error("The end of the mail was kept back"), { isAboutUs: "withheld" as const });
}

function assertTaken(line: Line, reply: Reply, { sent }: Progress): Reply {
  const isGood = GOOD.test(reply.text);
  // A refusal may come before the end of a message. Any other early reply is not a reply to it.
  if (sent === "whole" ? reply.isEarly : isGood) {
    line.hangUp();
    throw refusal("CONN", reply);
  }
  if (!isGood) throw refusal("DATA", reply);
  return reply;
}
