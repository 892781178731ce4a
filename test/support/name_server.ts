// A real name server on loopback, UDP and TCP on one port, whose zone the tests write.

import {
  AUTHENTIC_DATA,
  decode,
  encode,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from "dns-packet";
import type { Answer, Packet, Question, RecordType } from "dns-packet";
import { createSocket } from "node:dgram";
import type { Socket as UdpSocket } from "node:dgram";
import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";

/** One record: MX as `"10 mx.acme.test"` (null MX: `"0 ."`), a TLSA as `"3 1 1 <hex>"`, a TXT of several strings as an array, others as text. */
export type ZoneRecord = string | string[];

/** Records, or how to misbehave. An empty list is "the name exists, but not with this type". */
export type ZoneAnswer =
  | ZoneRecord[]
  | "NXDOMAIN"
  | "SERVFAIL"
  | "REFUSED"
  | "FORMERR" /** complains about EDNS and answers a plain query with nothing */
  | "SILENT"
  | "GARBAGE"
  | "FORGED" /** answers with another id, then keeps silent */
  | "REFERRAL";

/** `{ "acme.test": { MX: ["10 mx.acme.test"] }, "gone.test": "SERVFAIL" }`; a name that is not there is NXDOMAIN. */
export type Zone = Record<string, Partial<Record<string, ZoneAnswer>> | ZoneAnswer>;

/** A running name server. */
export type NameServer = {
  /** `127.0.0.1:port`, as DNS_SERVERS takes it. */
  address: string;
  /** Whether it says of all answers that it has validated them (AD). */
  isValidating: boolean;
  /** Every question asked so far. */
  queries: { name: string; type: string; transport: "udp" | "tcp" }[];
  /** Sets the answer for one type of a name, or for `"*"`, any type that has none of its own. */
  set(name: string, type: string, answer: ZoneAnswer): void;
  /** Stops listening; whoever asks afterwards meets a closed port. */
  stop(): Promise<void>;
};

type Reply = Packet & { rcode: string };
const rcodes = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];
const plainUdpLimit = 512;

/** Starts a name server with the given zone. */
export async function startNameServer(zone: Zone = {}): Promise<NameServer> {
  const names = new Map<string, Map<string, ZoneAnswer>>();
  const queries: NameServer["queries"] = [];
  const set: NameServer["set"] = (name, type, answer) => {
    const types = names.get(name.toLowerCase()) ?? new Map<string, ZoneAnswer>();
    names.set(name.toLowerCase(), types.set(type, answer));
  };
  for (const [name, entry] of Object.entries(zone)) {
    const types = typeof entry === "string" || Array.isArray(entry) ? { "*": entry } : entry;
    for (const [type, answer] of Object.entries(types)) if (answer) set(name, type, answer);
  }

  const server = { isValidating: false };
  const respond = (bytes: Buffer, transport: "udp" | "tcp"): Buffer | null => {
    const query = decode(bytes);
    const question = query.questions?.[0];
    if (!question) return null;
    queries.push({ name: question.name.toLowerCase(), type: question.type, transport });
    return reply(names, query, question, { transport, isValidating: server.isValidating });
  };
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    serveTcp(socket, respond);
  });
  const udp = await listen(tcp);
  udp.on("message", (bytes, peer) => {
    const answer = respond(bytes, "udp");
    if (answer) udp.send(answer, peer.port, peer.address);
  });
  const { port } = udp.address();
  const stop = () => close(udp, tcp, sockets);
  return Object.assign(server, { address: `127.0.0.1:${port}`, queries, set, stop });
}

/** One port for both transports; the one the system gave to UDP may be taken in TCP, so it may take a few tries. */
async function listen(tcp: Server): Promise<UdpSocket> {
  for (;;) {
    const udp = createSocket("udp4");
    await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
    const { port } = udp.address() as AddressInfo;
    const isFree = await new Promise<boolean>((resolve) => {
      tcp.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (isFree) return udp;
    udp.close();
  }
}

async function close(udp: UdpSocket, tcp: Server, sockets: Set<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  await Promise.all([
    new Promise<void>((resolve) => udp.close(() => resolve())),
    new Promise<void>((resolve) => tcp.close(() => resolve())),
  ]);
}

function serveTcp(socket: Socket, respond: (bytes: Buffer, transport: "tcp") => Buffer | null): void {
  let received: Buffer = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
    const answer = respond(received.subarray(2), "tcp");
    if (!answer) return;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(answer.length);
    socket.end(Buffer.concat([length, answer]));
  });
}

function reply(
  names: Map<string, Map<string, ZoneAnswer>>,
  query: Packet,
  question: Question,
  { transport, isValidating }: { transport: "udp" | "tcp"; isValidating: boolean },
): Buffer | null {
  const types = names.get(question.name.toLowerCase());
  const zoneAnswer = types?.get(question.type) ?? types?.get("*");
  if (zoneAnswer === "SILENT") return null;
  if (zoneAnswer === "GARBAGE") return Buffer.from("not a DNS packet");
  const id = (query.id ?? 0) ^ (zoneAnswer === "FORGED" ? 1 : 0);
  const isFormError = zoneAnswer === "FORMERR" && !!query.additionals?.length;
  const { rcode, ...sections } = isFormError
    ? { rcode: "FORMERR", answers: [] }
    : resolveName(names, question.name.toLowerCase(), question.type);
  const base = {
    type: "response" as const,
    id,
    flags:
      RECURSION_DESIRED | RECURSION_AVAILABLE | (isValidating ? AUTHENTIC_DATA : 0) | rcodes.indexOf(rcode),
    questions: [question],
  };
  const bytes = encode({ ...base, ...sections });
  const options = query.additionals?.find((record) => record.type === "OPT");
  const limit = options && "udpPayloadSize" in options ? options.udpPayloadSize : plainUdpLimit;
  if (transport === "tcp" || bytes.length <= limit) return bytes;
  return encode({ ...base, flags: base.flags | TRUNCATED_RESPONSE });
}

/** Answers as a recursive server does: it follows a CNAME and gives the whole chain. */
function resolveName(
  names: Map<string, Map<string, ZoneAnswer>>,
  name: string,
  type: string,
  depth = 0,
): Reply {
  const types = names.get(name);
  const answer = types?.get(type) ?? types?.get("*");
  const alias = types?.get("CNAME");
  if (!answer && Array.isArray(alias) && depth < 8) {
    const target = resolveName(names, String(alias[0]).toLowerCase(), type, depth + 1);
    return { ...target, answers: [...toAnswers(name, "CNAME", alias), ...(target.answers ?? [])] };
  }
  if (answer === "REFERRAL") {
    return {
      rcode: "NOERROR",
      answers: [],
      authorities: [{ name: "test", type: "NS", ttl: 60, data: "ns.elsewhere.test" }],
    };
  }
  if (Array.isArray(answer)) return { rcode: "NOERROR", answers: toAnswers(name, type, answer) };
  if (answer && rcodes.includes(answer) && answer !== "FORMERR") return { rcode: answer, answers: [] };
  return { rcode: types ? "NOERROR" : "NXDOMAIN", answers: [] };
}

function toAnswers(name: string, type: string, records: ZoneRecord[]): Answer[] {
  return records.map((record) => {
    const [preference, exchange = ""] = String(record).split(" ");
    const data =
      type === "MX"
        ? { preference: Number(preference), exchange }
        : type === "TLSA"
          ? toTlsa(String(record))
          : record;
    return { name, type: type as RecordType, ttl: 60, data } as Answer;
  });
}

function toTlsa(record: string) {
  const [usage, selector, matchingType, hex = ""] = record.split(" ");
  return {
    usage: Number(usage),
    selector: Number(selector),
    matchingType: Number(matchingType),
    certificate: Buffer.from(hex, "hex"),
  };
}
