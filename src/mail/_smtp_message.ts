// A message on its way over the wire: dots at the start of its lines doubled, and a line with a dot at its end.

import { pipeline, Readable } from "node:stream";
import DataStream from "nodemailer/lib/smtp-connection/data-stream";

/** A source, or what opens it when the server is ready for it. */
export type Message = Buffer | (() => Readable);

const PIECE_BYTES = 65_536;
const LAST_LINE = Buffer.from(".\r\n");
const LINE_END = Buffer.from("\r\n");
const DOT = 0x2e;
/** Also behind half a line break. */
const LEADING_DOTS = [Buffer.from("\n."), Buffer.from("\r.")];

/** A message as it goes over the wire, with the line that ends it. */
export type Pieces = Buffer[] | Readable;

/** Opens the message and makes it fit for the wire. Throws what its opening throws. */
export function toPieces(message: Message): Pieces {
  if (isPlain(message)) return split(message);
  const source = message instanceof Buffer ? Readable.from([message]) : message();
  // The encoder of the library mends line breaks, doubles dots and writes the last line. What befalls the source
  // befalls the encoder.
  return pipeline(source, new DataStream(), () => {});
}

/** Mostly in one piece; a large message in several, so that a server which is slow can be told from one that hangs. */
function split(message: Buffer): Buffer[] {
  if (message.length <= PIECE_BYTES) return [Buffer.concat([message, LAST_LINE])];
  const starts = Array.from({ length: Math.ceil(message.length / PIECE_BYTES) }, (_, n) => n * PIECE_BYTES);
  return [...starts.map((start) => message.subarray(start, start + PIECE_BYTES)), LAST_LINE];
}

/** Whether a source can go over the wire as it is: nothing in it ends the message, or looks like it (RFC 5321 4.5.2). */
function isPlain(message: Message): message is Buffer {
  if (!(message instanceof Buffer) || message[0] === DOT) return false;
  return message.subarray(-2).equals(LINE_END) && !LEADING_DOTS.some((dot) => message.includes(dot));
}
