// A message in transit: dots at the start of its lines doubled, and a line with a dot at its end.

import { pipeline, Readable } from "node:stream";
import DataStream from "nodemailer/lib/smtp-connection/data-stream";

/** A source, or what opens it when the server is ready for it. */
export type Message = Buffer | (() => Readable);

const PART_BYTES = 65_536;
const LAST_LINE = Buffer.from(".\r\n");
const LINE_END = Buffer.from("\r\n");
const DOT = 0x2e;
/** Also behind half a line break. */
const LEADING_DOTS = [Buffer.from("\n."), Buffer.from("\r.")];

/** A message as it goes over the wire, with the line that ends it. No piece is empty. */
export type Pieces = Buffer[] | Readable;

/**
 * Opens the message and prepares it for transmission; its last line is a separate piece where `isEndApart`. Throws what
 * opening it throws.
 */
export function toPieces(message: Message, isEndApart: boolean): Pieces {
  if (isPlain(message)) {
    return isEndApart ? [...split(message), LAST_LINE] : split(Buffer.concat([message, LAST_LINE]));
  }
  const source = message instanceof Buffer ? Readable.from([message]) : message();
  // The encoder of the library fixes line breaks, doubles dots and writes the last line, always apart. What befalls the source
  // befalls the encoder.
  return pipeline(source, new DataStream(), () => {});
}

/** Pieces that each leave soon, so that a slow server can be told from one that hangs. */
export function split(piece: Buffer): Buffer[] {
  if (piece.length <= PART_BYTES) return [piece];
  const starts = Array.from({ length: Math.ceil(piece.length / PART_BYTES) }, (_, n) => n * PART_BYTES);
  return starts.map((start) => piece.subarray(start, start + PART_BYTES));
}

/** Whether a source can be sent as it is: nothing in it ends the message, or looks like it (RFC 5321 4.5.2). */
function isPlain(message: Message): message is Buffer {
  if (!(message instanceof Buffer) || message[0] === DOT) return false;
  return message.subarray(-2).equals(LINE_END) && !LEADING_DOTS.some((dot) => message.includes(dot));
}
