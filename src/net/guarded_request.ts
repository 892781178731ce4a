// A request to an address chosen by somebody else. The name is looked up once, every address that it has is checked,
// and the connection goes to one of those: there is no second look-up. Bun's `fetch` cannot do that.
import { request as requestHttp, type ClientRequest, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import {
  type AddressRules,
  bareHost,
  checkedAddresses,
  Failed,
  type RefusedAddress,
  readUrl,
  Refused,
} from "./checked_addresses.ts";

/** What is asked for. Names of headers are as they stand; `host` and `content-length` are not among them. */
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
const MAX_HEADER_BYTES = 16_384;
const MAX_REDIRECTS = 3;
/** Of the addresses of a name that can be reached, as many are tried. */
const MAX_TRIED = 4;

/** One way to go: a URL and the address to connect to for it. */
interface GuardedCall extends GuardedRequest {
  at: URL;
  ca: string | undefined;
  headOnly: boolean;
  maxBytes: number;
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
    return { state: "failed", reason: end.signal.aborted ? late.message : reasonOf(error) };
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
  const { ca, headOnly = false, maxRedirects = MAX_REDIRECTS, maxBytes = MAX_ANSWER_BYTES } = options;
  let call: GuardedCall = { ...request, at: readUrl(request.url), ca, headOnly, maxBytes };
  for (let redirects = 0; ; redirects++) {
    const addresses = await checkedAddresses(call.at, options, limit.signal);
    const received = await callFirst(call, addresses, limit);
    const location = isRedirect(received.status) ? received.headers.get("location") : null;
    if (location === null) return { state: "answered", url: call.at.href, ...received };
    if (maxRedirects === 0) throw new Failed("it redirects, which is not followed");
    if (redirects === maxRedirects) throw new Failed(`it redirects more than ${maxRedirects} times`);
    call = redirected(call, received.status, readUrl(location, call.at));
  }
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** Calls the first address that a connection can be made to. */
async function callFirst(call: GuardedCall, addresses: string[], limit: Limit): Promise<Received> {
  const tried = addresses.slice(0, MAX_TRIED);
  for (const [i, address] of tried.entries()) {
    const left = tried.length - i;
    const connectMs = (limit.endsAt - performance.now()) / left;
    try {
      return await callAddress(call, address, connectMs, limit.signal);
    } catch (error) {
      // Once connected, it may have received the request.
      if (!(error instanceof Unreachable) || left === 1) throw error;
    }
  }
  throw new Failed("it has no address");
}

class Unreachable extends Failed {}

function callAddress(
  call: GuardedCall,
  address: string,
  connectMs: number,
  signal: AbortSignal,
): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const request = open(call, address);
  let isConnected = false;
  const timer = setTimeout(() => request.destroy(new Failed("it could not be reached")), connectMs);
  const connected = () => {
    isConnected = true;
    clearTimeout(timer);
  };
  request.once("socket", (socket) => (socket.connecting ? socket.once("connect", connected) : connected()));
  request.once("response", (response) => receive(response, call).then(resolve, reject));
  request.once("upgrade", (response, socket) => {
    // It is the listener's own now, and does not end with the request.
    socket.destroy();
    resolve(headOf(response));
  });
  request.on("error", (error) => reject(isConnected ? error : new Unreachable(reasonOf(error))));
  const abort = () => {
    reject(signal.reason as Error);
    request.destroy();
  };
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  // As bytes: a body that is text would take the headers along into its own encoding.
  request.end(call.body === null ? undefined : Buffer.from(call.body));
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    // The rest of the response is not awaited.
    request.destroy();
  });
}

/** A request that connects to this address, and asks there for the host of the URL. */
function open({ at, method, headers, body, ca }: GuardedCall, address: string): ClientRequest {
  const isSecure = at.protocol === "https:";
  const host = bareHost(at.hostname);
  const options = {
    host: address,
    port: at.port === "" ? (isSecure ? 443 : 80) : Number(at.port),
    path: at.pathname + at.search,
    method,
    headers: {
      ...headers,
      host: at.host,
      ...(body !== null && { "content-length": String(Buffer.byteLength(body)) }),
    },
    // A connection of its own, which ends with the response.
    agent: false as const,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  if (!isSecure) return requestHttp(options);
  const named = isIP(host) > 0 ? {} : { servername: host };
  return requestHttps({ ...options, ...named, ...(ca !== undefined && { ca }), rejectUnauthorized: true });
}

/** Reads an answer, as much of it as is kept. It stays as it comes: nothing is unpacked. */
function receive(
  response: IncomingMessage,
  { headOnly, maxBytes }: Pick<GuardedCall, "headOnly" | "maxBytes">,
): Promise<Received> {
  if (headOnly || isRedirect(response.statusCode!)) return Promise.resolve(headOf(response));
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = (isCut: boolean) =>
    resolve({
      ...headOf(response),
      body: Buffer.concat(chunks).subarray(0, maxBytes),
      isCut,
    });
  response.on("data", (chunk: Buffer) => {
    if (length > maxBytes) return;
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) finish(true);
  });
  response.on("end", () => finish(false));
  const broken = () => reject(new Failed("the connection ended in the middle of its response"));
  response.on("aborted", broken);
  response.on("error", broken);
  return promise;
}

function headOf(response: IncomingMessage): Received {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers.set(name, String(value));
  }
  return { status: response.statusCode!, headers, body: Buffer.alloc(0), isCut: false };
}

/** What a redirect leads to, by the rules of `fetch`. */
function redirected(
  { at: from, method, headers, body, ca, headOnly, maxBytes }: GuardedCall,
  status: number,
  at: URL,
): GuardedCall {
  const becomesGet = status === 303 ? method !== "GET" : status < 303 && method === "POST";
  // What was written for one host, such as a key, is not told to another one, nor in the open.
  const isSameHost = at.hostname === from.hostname && at.port === from.port;
  const isTrusted = isSameHost && (at.protocol === from.protocol || at.protocol === "https:");
  const kept = Object.entries(headers).filter(
    ([name]) =>
      (isTrusted || SHARED_HEADERS.test(name)) && !(becomesGet && /^(content-|webhook-)/i.test(name)),
  );
  return {
    method: becomesGet ? "GET" : method,
    url: at.href,
    headers: Object.fromEntries(kept),
    body: becomesGet ? null : body,
    at,
    ca,
    headOnly,
    maxBytes,
  };
}

const SHARED_HEADERS = /^(accept|content-type|user-agent|webhook-(id|timestamp|signature))$/i;

/** Half a sentence for what went wrong on the way. */
function reasonOf(error: unknown): string {
  if (error instanceof Failed) return error.message;
  const { code = "" } = error as { code?: string };
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "its certificate is not for this name";
  if (/CERT|SELF_SIGNED|UNABLE_TO_|CA_/.test(code)) return `its certificate is not trusted (${code})`;
  if (/SSL|TLS|EPROTO/.test(code)) return `no secure connection could be made (${code})`;
  if (code === "HPE_HEADER_OVERFLOW") return "the headers of its response are too large";
  if (code.startsWith("HPE_")) return "its response is not HTTP";
  if (code === "ECONNREFUSED") return "it refused the connection";
  if (code === "ECONNRESET" || code === "EPIPE") return "the connection was lost before it responded";
  return code === "" ? "it could not be reached" : `it could not be reached (${code})`;
}
