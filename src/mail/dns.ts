// A DNS client that distinguishes "no such record", "no such name" and "no answer". Bun's own resolver cannot: it
// reports both absences as ENOTFOUND, and a refusal looks like them too. Like any stub resolver it leaves recursion,
// CNAME chains and caching to the servers it asks.

import { AUTHENTIC_DATA, decode, encode, RECURSION_DESIRED, streamEncode } from "dns-packet";
import type { Answer, DecodedPacket, OptAnswer, Packet } from "dns-packet";
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { getServers } from "node:dns";
import { connect, isIPv6 } from "node:net";

/** What a record of each type looks like: names in lower case without the last dot, the strings of a TXT joined. */
export type DnsRecords = {
  A: string;
  AAAA: string;
  CNAME: string;
  /** In order of preference. An empty exchange is a null MX (RFC 7505): the domain accepts no mail. */
  MX: { preference: number; exchange: string };
  NS: string;
  PTR: string;
  /** What the certificate of a server must match (RFC 6698). */
  TLSA: { usage: number; selector: number; matchingType: number; certificate: Buffer };
  TXT: string;
};

/** The record types that can be asked for. */
export type DnsType = keyof DnsRecords;

/** Why no server gave an answer. */
export type DnsFailure = "timeout" | "servfail" | "refused" | "network";

/** `none`: the name exists without such a record. `missing`: no such name, or its CNAME points at none. */
export type DnsAnswer<T extends DnsType = DnsType> =
  | { state: "found"; records: DnsRecords[T][] }
  | { state: "none" }
  | { state: "missing" }
  | { state: "failed"; reason: DnsFailure };

/** Looks names up. `lookup` never rejects and always ends within the time allowed. */
export type Dns = {
  lookup<T extends DnsType>(name: string, type: T, options?: { timeoutMs?: number }): Promise<DnsAnswer<T>>;
};

/** An answer, with what its sender says of it. */
export type DnsInquiry<T extends DnsType> = {
  answer: DnsAnswer<T>;
  /** How long it may be kept, in seconds; 0 for a failure. */
  ttlS: number;
  /** The server has validated it by DNSSEC (AD). Worth as much as the way to that server is safe. */
  isAuthentic: boolean;
};

/** Looks names up, and tells how long an answer holds. */
export type DetailedDns = Dns & {
  inquire<T extends DnsType>(name: string, type: T, options?: { timeoutMs?: number }): Promise<DnsInquiry<T>>;
};

type Server = { host: string; port: number };
type Reply = DecodedPacket & { rcode: string };
/** Sends one query to one server; settles no later than `deadline`, a reading of performance.now(). */
type Exchange = (server: Server, query: Packet, deadline: number) => Promise<Reply | DnsFailure>;

const defaultTimeoutMs = 5_000;
const attemptsWithinTimeout = 4; // a lost packet or a dead first server costs a quarter of the time
const ednsOptions: OptAnswer = {
  type: "OPT",
  name: ".",
  udpPayloadSize: 1232, // what crosses the internet unfragmented (DNS flag day 2020); longer answers come by TCP
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};
/** How long "there is none" is kept where the server does not say (RFC 2308 allows up to 3 hours). */
const negativeTtlS = 300;
const namePattern = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

/** Makes a client of the given servers (`host` or `host:port`), or of the system's when there are none. */
export function createDns(options: { servers: string[]; timeoutMs?: number }): DetailedDns {
  const configured = options.servers.map(parseServer);
  const limitMs = options.timeoutMs ?? defaultTimeoutMs;
  const inquire = async <T extends DnsType>(
    name: string,
    type: T,
    asked: { timeoutMs?: number } = {},
  ): Promise<DnsInquiry<T>> => {
    const asciiName = name.toLowerCase().replace(/\.$/, "");
    // A name that DNS cannot hold does not exist, `www.` before a domain of 250 characters for one.
    if (!namePattern.test(asciiName)) {
      return { answer: { state: "missing" }, ttlS: negativeTtlS, isAuthentic: false };
    }
    const servers = configured.length > 0 ? configured : systemServers();
    const reply = await ask(servers, asciiName, type, Math.min(asked.timeoutMs ?? limitMs, limitMs));
    if (!isReply(reply)) return { answer: { state: "failed", reason: reply }, ttlS: 0, isAuthentic: false };
    return { answer: readAnswer(reply, type), ttlS: ttlOf(reply), isAuthentic: reply.flag_ad };
  };
  return { inquire, lookup: async (name, type, asked) => (await inquire(name, type, asked)).answer };
}

function ttlOf({ answers = [] }: Reply): number {
  const ttls = answers.flatMap((record) => ("ttl" in record && record.ttl !== undefined ? record.ttl : []));
  return ttls.length > 0 ? Math.min(...ttls) : negativeTtlS;
}

/** Asks one server after the other; silent ones are asked again while time remains. */
async function ask(servers: Server[], name: string, type: DnsType, timeoutMs: number) {
  const deadline = performance.now() + timeoutMs;
  let failure: DnsFailure = "timeout";
  let pending = servers;
  while (pending.length > 0) {
    const silent: Server[] = [];
    for (const server of pending) {
      const now = performance.now();
      if (now >= deadline) return failure;
      const attemptDeadline = Math.min(deadline, now + timeoutMs / attemptsWithinTimeout);
      // A socket that cannot even be made (no more file handles) is the network's failure too.
      const reply = await askServer(server, name, type, attemptDeadline).catch((): DnsFailure => "network");
      if (isReply(reply)) return reply;
      // An error from one server says more than the silence of another.
      if (reply === "timeout") silent.push(server);
      else failure = reply;
    }
    pending = silent;
  }
  return failure;
}

async function askServer(server: Server, name: string, type: DnsType, deadline: number) {
  const plain: Packet = {
    type: "query",
    id: randomInt(65_536),
    // AD in a question asks for it in the answer (RFC 6840, 5.7).
    flags: RECURSION_DESIRED | AUTHENTIC_DATA,
    questions: [{ name, type }],
  };
  const query: Packet = { ...plain, additionals: [ednsOptions] };
  let reply = await exchangeUdp(server, query, deadline);
  // Old servers know no EDNS.
  if (isReply(reply) && reply.rcode === "FORMERR") reply = await exchangeUdp(server, plain, deadline);
  if (isReply(reply) && reply.flag_tc) reply = await exchangeTcp(server, plain, deadline);
  return isReply(reply) ? (failureOf(reply) ?? reply) : reply;
}

function isReply(result: Reply | DnsFailure): result is Reply {
  return typeof result !== "string";
}

/** A socket for each query: its port is one more number that a forger has to guess, and being connected
 *  it receives from that server only and learns at once that nobody listens there. */
const exchangeUdp: Exchange = (server, query, deadline) =>
  new Promise((resolve) => {
    const socket = createSocket(isIPv6(server.host) ? "udp6" : "udp4");
    let settled = false;
    const settle = (result: Reply | DnsFailure) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      socket.close();
      resolve(result);
    };
    const timer = setTimeout(() => settle("timeout"), remainingMs(deadline));
    socket.on("error", () => settle("network"));
    socket.on("message", (bytes) => {
      const reply = readReply(bytes, query);
      if (reply) settle(reply);
    });
    socket.once("connect", () => settled || socket.send(encode(query)));
    socket.connect(server.port, server.host);
  });

const exchangeTcp: Exchange = (server, query, deadline) =>
  new Promise((resolve) => {
    const socket = connect(server.port, server.host);
    const settle = (result: Reply | DnsFailure) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => settle("timeout"), remainingMs(deadline));
    let received: Buffer = Buffer.alloc(0);
    socket.on("error", () => settle("network"));
    socket.on("close", () => settle("network"));
    socket.on("data", (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      settle(readReply(received.subarray(2, 2 + received.readUInt16BE(0)), query) ?? "network");
    });
    socket.on("connect", () => socket.write(streamEncode(query)));
  });

function remainingMs(deadline: number): number {
  return Math.max(0, deadline - performance.now());
}

/** The packet, if it answers this very query. */
function readReply(bytes: Buffer, query: Packet): Reply | null {
  try {
    const reply = decode(bytes) as Reply;
    const [asked, answered] = [query.questions?.[0], reply.questions?.[0]];
    // A server that cannot read a query may leave the question out of its complaint.
    const sameQuestion = answered
      ? answered.type === asked?.type && answered.name.toLowerCase() === asked.name
      : reply.rcode !== "NOERROR";
    return reply.flag_qr && reply.id === query.id && sameQuestion ? reply : null;
  } catch {
    return null;
  }
}

function failureOf(reply: Reply): DnsFailure | null {
  if (reply.rcode === "SERVFAIL") return "servfail";
  if (reply.rcode !== "NOERROR" && reply.rcode !== "NXDOMAIN") return "refused";
  // A server that only refers to others (it does not recurse) has not said that there is nothing.
  const authorities = reply.authorities ?? [];
  const isReferral = authorities.some((record) => record.type === "NS") && !reply.flag_aa;
  return isReferral && reply.rcode === "NOERROR" && !reply.answers?.length ? "refused" : null;
}

function readAnswer<T extends DnsType>(reply: Reply, type: T): DnsAnswer<T> {
  if (reply.rcode === "NXDOMAIN") return { state: "missing" };
  const records = (reply.answers ?? []).filter((answer) => answer.type === type).map(readRecord);
  if (records.length === 0) return { state: "none" };
  if (type === "MX") (records as DnsRecords["MX"][]).sort((a, b) => a.preference - b.preference);
  return { state: "found", records: records as DnsRecords[T][] };
}

function readRecord(answer: Answer): DnsRecords[DnsType] {
  switch (answer.type) {
    case "MX":
      return { preference: answer.data.preference ?? 0, exchange: hostName(answer.data.exchange) };
    case "TXT":
      return Buffer.concat(answer.data as Buffer[]).toString();
    case "TLSA":
      return answer.data;
    default:
      return hostName((answer as { data: string }).data);
  }
}

function hostName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

// Read for each look-up: a laptop or a container may change networks while the service runs.
function systemServers(): Server[] {
  const servers = getServers().map(parseServer);
  return servers.length > 0 ? servers : [{ host: "127.0.0.1", port: 53 }];
}

function parseServer(text: string): Server {
  const address = text.trim();
  if (isIPv6(address)) return { host: address, port: 53 };
  const match = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(address);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3] ?? 53);
  if (!host || port < 1 || port > 65_535)
    throw new Error(`Cannot use the DNS server "${text}" because it is not host or host:port`);
  return { host, port };
}
