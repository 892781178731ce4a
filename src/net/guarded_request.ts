// A request to an address chosen by somebody else. The name is looked up once, every address that it has is checked,
// and the connection goes to one of those: there is no second look-up. Bun's `fetch` cannot do that.
import type { Socket } from "node:net";
import {
  type AddressRules,
  bareHost,
  checkedAddresses,
  Failed,
  type RefusedAddress,
  readUrl,
  Refused,
} from "./checked_addresses.ts";
import { connectionReason, connectTo, exchange, Unreachable } from "./_exchange.ts";
import { isRedirect, ResponseReader } from "./_response.ts";
import type { KeptConnection, KeptConnections } from "./kept_connections.ts";

/**
 * What is asked for. Names of headers are as they stand; `host` and `content-length` are not among them. Each character of a
 * value is a byte: a text in UTF-8 is given as `Buffer.from(text).toString("latin1")`.
 */
export interface GuardedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

/** What a request may do. */
export interface GuardOptions extends AddressRules {
  /** For everything together, from the look-up to the last byte. */
  timeoutMs?: number | undefined;
  /** How many redirects are followed; left out: 3. */
  maxRedirects?: number | undefined;
  /** Status and headers are all that is read. */
  headOnly?: boolean | undefined;
  /** How much of an answer is read; left out: {@linkcode MAX_ANSWER_BYTES}. */
  maxBytes?: number | undefined;
  /** Certificates to trust instead of the usual ones, as PEM. */
  ca?: string | undefined;
  /** Connections to go on with, of requests with the same rules. Left out: each request has its own. */
  kept?: KeptConnections | undefined;
}

/** What came of it. */
export type GuardedAnswer =
  | { state: "answered"; url: string; status: number; headers: Headers; body: Buffer; isCut: boolean }
  /** Another time it may go well. The reason is half a sentence: `it did not answer within 10 s`. */
  | { state: "failed"; reason: string }
  /** It must not be called, now or ever. The reason reveals only what the caller may know. */
  | { state: "refused"; reason: string; finding: RefusedAddress | null };

/** How much of an answer is read unless more is asked for; the connection is closed then. */
export const MAX_ANSWER_BYTES = 65_536;

const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 3;
/** Of the addresses of a name that can be reached, as many are tried. */
const MAX_TRIED = 4;

/** One way to go: a URL and the address to connect to for it. */
interface GuardedCall extends GuardedRequest {
  at: URL;
  ca: string | undefined;
  headOnly: boolean;
  maxBytes: number;
  kept: KeptConnections | undefined;
}

type Received = Omit<Extract<GuardedAnswer, { state: "answered" }>, "state" | "url">;

/** Makes a request and follows its redirects, each checked as the first was. Never throws. */
export async function guardedRequest(
  request: GuardedRequest,
  { timeoutMs = TIMEOUT_MS, ...options }: GuardOptions,
): Promise<GuardedAnswer> {
  const late = new Failed(`it did not respond within ${timeoutMs / 1000} s`);
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(late), timeoutMs);
  try {
    return await follow(request, options, { signal: end.signal, endsAt: performance.now() + timeoutMs });
  } catch (error) {
    if (error instanceof Refused) return { state: "refused", reason: error.message, finding: error.finding };
    return { state: "failed", reason: end.signal.aborted ? late.message : connectionReason(error) };
  } finally {
    clearTimeout(timer);
    end.abort(late);
  }
}

interface Limit {
  signal: AbortSignal;
  /** A reading of performance.now(). */
  endsAt: number;
}

async function follow(
  request: GuardedRequest,
  options: Omit<GuardOptions, "timeoutMs">,
  limit: Limit,
): Promise<GuardedAnswer> {
  const { ca, kept, headOnly = false, maxRedirects = MAX_REDIRECTS, maxBytes = MAX_ANSWER_BYTES } = options;
  let call: GuardedCall = { ...request, at: readUrl(request.url), ca, headOnly, maxBytes, kept };
  for (let redirects = 0; ; redirects++) {
    const received =
      (await callKept(call, limit.signal)) ??
      (await callFirst(call, await checkedAddresses(call.at, options, limit.signal), limit));
    const location = isRedirect(received.status) ? received.headers.get("location") : null;
    if (location === null) return { state: "answered", url: call.at.href, ...received };
    if (maxRedirects === 0) throw new Failed("it redirects, which is not followed");
    if (redirects === maxRedirects) throw new Failed(`it redirects more than ${maxRedirects} times`);
    call = redirected(call, received.status, readUrl(location, call.at));
  }
}

/** Calls on a kept connection. Null where there is none, and where it turns out to be closed before a response begins. */
async function callKept(call: GuardedCall, signal: AbortSignal): Promise<Received | null> {
  const connection = call.kept?.take(call.at.origin);
  if (!connection) return null;
  const reader = readerOf(call);
  try {
    return await converse(call, connection, reader, signal);
  } catch (error) {
    if (reader.hasBegun || signal.aborted) throw error;
    return null;
  }
}

/** Calls the first address that a connection can be made to. */
async function callFirst(call: GuardedCall, addresses: string[], limit: Limit): Promise<Received> {
  const tried = addresses.slice(0, MAX_TRIED);
  for (const [i, address] of tried.entries()) {
    const left = tried.length - i;
    const connectMs = (limit.endsAt - performance.now()) / left;
    try {
      const socket = await connect(call, address, connectMs, limit.signal);
      const connection = { socket, madeAt: performance.now() };
      return await converse(call, connection, readerOf(call), limit.signal);
    } catch (error) {
      // Once connected, it may have received the request.
      if (!(error instanceof Unreachable) || left === 1) throw error;
    }
  }
  throw new Failed("it has no address");
}

function connect(
  { at, ca }: GuardedCall,
  address: string,
  connectMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  const isSecure = at.protocol === "https:";
  const port = at.port === "" ? (isSecure ? 443 : 80) : Number(at.port);
  return connectTo({ isSecure, host: bareHost(at.hostname), address, port, ca }, connectMs, signal);
}

function readerOf({ method, headOnly, maxBytes }: GuardedCall): ResponseReader {
  return new ResponseReader({ isOfHead: method === "HEAD", headOnly, maxBytes });
}

/** One request on a connection, which is kept afterwards if it can be. */
async function converse(
  call: GuardedCall,
  connection: KeptConnection,
  reader: ResponseReader,
  signal: AbortSignal,
): Promise<Received> {
  let stays = false;
  try {
    await exchange(connection.socket, bytesOf(call), reader, signal);
    stays = reader.isReusable;
  } finally {
    if (stays && call.kept) call.kept.give(call.at.origin, connection);
    // The rest of the response is not awaited.
    else connection.socket.destroy();
  }
  const { status, headers, body, isCut } = reader;
  return { status, headers, body, isCut };
}

/** As it goes over the connection. Nothing in it can end a line before its time, nor become something that does as a byte. */
function bytesOf({ at, method, headers, body, kept }: GuardedCall): Buffer {
  const payload = body === null ? null : Buffer.from(body);
  const all = Object.entries({
    ...headers,
    host: at.host,
    ...(payload && { "content-length": String(payload.length) }),
    ...(!kept && { connection: "close" }),
  });
  const lines = [`${method} ${at.pathname}${at.search} HTTP/1.1`, ...all.map((pair) => pair.join(": "))];
  if (lines.some((line) => /[\0\r\n]|[^\0-\xff]/.test(line))) throw new Refused("its headers cannot be sent");
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  return payload ? Buffer.concat([head, payload]) : head;
}

/** What a redirect leads to, by the rules of `fetch`. */
function redirected(call: GuardedCall, status: number, at: URL): GuardedCall {
  const { at: from, method, headers, body } = call;
  const becomesGet = status === 303 ? method !== "GET" : status < 303 && method === "POST";
  // What was written for one host, such as a key, is not told to another one, nor in the open.
  const isSameHost = at.hostname === from.hostname && at.port === from.port;
  const isTrusted = isSameHost && (at.protocol === from.protocol || at.protocol === "https:");
  const told = Object.entries(headers).filter(
    ([name]) =>
      (isTrusted || SHARED_HEADERS.test(name)) && !(becomesGet && /^(content-|webhook-)/i.test(name)),
  );
  return {
    ...call,
    method: becomesGet ? "GET" : method,
    url: at.href,
    headers: Object.fromEntries(told),
    body: becomesGet ? null : body,
    at,
  };
}

const SHARED_HEADERS = /^(accept|content-type|user-agent|webhook-(id|timestamp|signature))$/i;
