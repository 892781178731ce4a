// A message that somebody else has made, piece by piece as it comes in: its line ends become CRLF, and what the rest of the
// way has to know about its bytes is found out while others have their turn between the pieces.
import { isAscii } from "node:buffer";

/** A message with CRLF at the end of each line. */
export interface FixedMessage {
  source: Buffer;
  /** It has bytes that are not ASCII. */
  has8bit: boolean;
  hasNul: boolean;
  /** Bytes of its longest line, without the line end. */
  longestLine: number;
}

const [LF, CR] = [10, 13];
const LINE_END = Buffer.from("\r\n");

/** Takes a message piece by piece. */
export function fixLineEnds(): { take(piece: Buffer): void; end(): FixedMessage } {
  const pieces: Buffer[] = [];
  const found = { has8bit: false, hasNul: false, longestLine: 0 };
  /** The last byte was a CR, of which it is not known yet what it ends. */
  let holdsCr = false;
  let column = 0;

  const add = (piece: Buffer) => {
    if (piece.length === 0) return;
    found.has8bit ||= !isAscii(piece);
    found.hasNul ||= piece.includes(0);
    const fixed = isFixed(piece) ? piece : Buffer.from(fix(piece.toString("latin1")), "latin1");
    pieces.push(fixed);
    let from = 0;
    for (let at = fixed.indexOf(LF); at !== -1; at = fixed.indexOf(LF, from)) {
      found.longestLine = Math.max(found.longestLine, column + at - from - 1);
      [from, column] = [at + 1, 0];
    }
    column += fixed.length - from;
    found.longestLine = Math.max(found.longestLine, column);
  };

  return {
    take(piece) {
      let rest = holdsCr ? Buffer.concat([Buffer.of(CR), piece]) : piece;
      holdsCr = rest.at(-1) === CR;
      if (holdsCr) rest = rest.subarray(0, -1);
      add(rest);
    },
    end() {
      // A line that is begun is ended: what comes behind it is the end of the message.
      if (holdsCr || column > 0) pieces.push(LINE_END);
      return { source: Buffer.concat(pieces), ...found };
    },
  };
}

/** Whether every LF is behind a CR, and every CR before an LF. */
function isFixed(piece: Buffer): boolean {
  let from = 0;
  for (let at = piece.indexOf(LF); at !== -1; at = piece.indexOf(LF, from)) {
    if (at === 0 || piece[at - 1] !== CR) return false;
    if (piece.indexOf(CR, from) !== at - 1) return false;
    from = at + 1;
  }
  return piece.indexOf(CR, from) === -1;
}

function fix(text: string): string {
  return text.replace(/\r\n|\r|\n/g, "\r\n");
}
