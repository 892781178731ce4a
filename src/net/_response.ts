// A response of HTTP/1.1 as its bytes come in: read strictly, and no more of it than is kept. Nothing is unpacked.
import { Failed } from "./checked_addresses.ts";

const MAX_HEADER_BYTES = 16_384;
/** The line before a piece: its size, and extensions that nobody uses. */
const MAX_LINE_BYTES = 1_024;
/** What may come around a piece and its data; more of it is borne up to this, and not that a body is wrapped in megabytes. */
const FREE_LINE_BYTES = 16;
const MAX_EXCESS_BYTES = 16_384;

const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: [^\0\r\n]*)?$/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PIECE_SIZE = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i;

/** Whether a response leads elsewhere. Its body is not read. */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** What comes next: the head, a body by its length, in pieces (their sizes, data, ends and trailers), or until the end. */
type State = "head" | "length" | "size" | "piece" | "pieceEnd" | "trailers" | "end" | "done";

/** How much of a response is read. */
export interface ResponseRules {
  /** It answers a HEAD: it has no body, whatever its headers say. */
  isOfHead: boolean;
  /** Status and headers are all that is read. */
  headOnly: boolean;
  /** Of its body: the connection is closed then. */
  maxBytes: number;
}

/** Reads one response. Each method throws {@linkcode Failed} where it is none. */
export class ResponseReader {
  status = 0;
  headers = new Headers();
  /** There was more of it than is kept. */
  isCut = false;
  /** Another request may follow on the same connection. */
  isReusable = false;
  /** Something has come of it. */
  hasBegun = false;
  readonly #rules: ResponseRules;
  #state: State = "head";
  #rest: Buffer = Buffer.alloc(0);
  #left = 0;
  /** Of all heads: words in between count, too. */
  #headBytes = 0;
  #excessBytes = 0;
  #trailerBytes = 0;
  readonly #kept: Buffer[] = [];
  #length = 0;

  constructor(rules: ResponseRules) {
    this.#rules = rules;
  }

  /** As much of the body as is kept. */
  get body(): Buffer {
    return Buffer.concat(this.#kept).subarray(0, this.#rules.maxBytes);
  }

  /** Takes what has come. True when the response is whole, or as much of it is there as is kept. */
  take(bytes: Buffer): boolean {
    this.hasBegun = true;
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#state !== "done" && this.#step());
    // What nobody asked for may be the answer to the next request: it gets another connection.
    if (this.#rest.length > 0) this.isReusable = false;
    return this.#state === "done";
  }

  /** The connection has ended. True when that is the end of the response, too. */
  end(): true {
    this.isReusable = false;
    if (this.#state === "head") throw new Failed("the connection was lost before it responded");
    if (this.#state !== "end" && this.#state !== "done")
      throw new Failed("the connection ended in the middle of its response");
    return true;
  }

  /** Goes on by one step. False when more bytes are needed. */
  #step(): boolean {
    switch (this.#state) {
      case "head":
        return this.#readHead();
      case "length":
        return this.#readBytes("done");
      case "piece":
        return this.#readBytes("pieceEnd");
      case "size":
        return this.#readLine((line) => this.#beginPiece(line));
      case "pieceEnd":
        return this.#readLine((line) => {
          if (line !== "") throw notHttp();
          this.#state = "size";
        });
      case "trailers":
        return this.#readLine((line) => this.#passTrailer(line));
      case "end":
        this.#left = this.#rest.length;
        return this.#readBytes("end") && false;
      case "done":
        return false;
    }
  }

  #readHead(): boolean {
    const end = this.#rest.indexOf("\r\n\r\n");
    if (this.#headBytes + (end === -1 ? this.#rest.length : end) > MAX_HEADER_BYTES) throw tooLarge();
    if (end === -1) {
      const start = this.#rest.toString("latin1", 0, 5);
      if (!"HTTP/".startsWith(start)) throw notHttp();
      return false;
    }
    const [first = "", ...lines] = this.#rest.toString("latin1", 0, end).split("\r\n");
    this.#rest = this.#rest.subarray(end + 4);
    this.#headBytes += end;
    const [, minor, status] = STATUS_LINE.exec(first) ?? [];
    if (status === undefined) throw notHttp();
    this.status = Number(status);
    this.headers = headersOf(lines);
    // A word in between: the response follows.
    if (this.status >= 100 && this.status < 200 && this.status !== 101) return true;
    const stays = minor === "1" && !/\bclose\b/i.test(this.headers.get("connection") ?? "");
    this.#beginBody(stays);
    return true;
  }

  #beginBody(stays: boolean): void {
    const { isOfHead, headOnly } = this.#rules;
    const hasNone = isOfHead || this.status === 204 || this.status === 304;
    if (hasNone || headOnly || this.status === 101 || isRedirect(this.status)) {
      this.isReusable = stays && hasNone;
      this.#state = "done";
      return;
    }
    const pieces = this.headers.get("transfer-encoding");
    const length = this.headers.get("content-length");
    if (pieces !== null) {
      // With a length as well, it is not sure where it ends.
      this.isReusable = stays && length === null;
      this.#state = /(^|,)[ \t]*chunked$/i.test(pieces) ? "size" : "end";
      return;
    }
    if (length === null) {
      this.#state = "end";
      return;
    }
    if (!/^\d{1,15}$/.test(length)) throw notHttp();
    this.#left = Number(length);
    this.isReusable = stays;
    this.#state = this.#left === 0 ? "done" : "length";
  }

  #beginPiece(line: string): void {
    const [, size] = PIECE_SIZE.exec(line) ?? [];
    if (size === undefined) throw notHttp();
    this.#left = Number.parseInt(size, 16);
    this.#excessBytes = Math.max(0, this.#excessBytes + line.length - FREE_LINE_BYTES - this.#left);
    if (this.#excessBytes > MAX_EXCESS_BYTES) throw notHttp();
    this.#state = this.#left === 0 ? "trailers" : "piece";
  }

  #passTrailer(line: string): void {
    this.#trailerBytes += line.length;
    if (this.#trailerBytes > MAX_HEADER_BYTES) throw tooLarge();
    if (line === "") this.#state = "done";
  }

  /** Keeps what there is of a body, or of a piece of it; when that is whole, `then` comes. */
  #readBytes(then: State): boolean {
    if (this.#rest.length === 0) return false;
    const bytes = this.#rest.subarray(0, this.#left);
    this.#rest = this.#rest.subarray(bytes.length);
    this.#left -= bytes.length;
    this.#kept.push(bytes);
    this.#length += bytes.length;
    if (this.#length > this.#rules.maxBytes) {
      this.isCut = true;
      this.isReusable = false;
      this.#state = "done";
    } else if (this.#left === 0) this.#state = then;
    return true;
  }

  #readLine(read: (line: string) => void): boolean {
    const end = this.#rest.indexOf("\r\n");
    if ((end === -1 ? this.#rest.length : end) > MAX_LINE_BYTES) throw notHttp();
    if (end === -1) return false;
    const line = this.#rest.toString("latin1", 0, end);
    this.#rest = this.#rest.subarray(end + 2);
    read(line);
    return true;
  }
}

function headersOf(lines: string[]): Headers {
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    if (!NAME.test(name)) throw notHttp();
    try {
      headers.append(name, line.slice(colon + 1).trim());
    } catch {
      throw notHttp();
    }
  }
  return headers;
}

function notHttp(): Failed {
  return new Failed("its response is not HTTP");
}

function tooLarge(): Failed {
  return new Failed("the headers of its response are too large");
}
