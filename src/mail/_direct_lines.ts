// The connections to the mail servers of recipients: to each address, for each demand on its encryption, a pool of its own.
import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { matchesDane } from "./_dane.ts";
import type { Failure } from "./_smtp_dialogue.ts";
import { createSmtpPool, type SmtpPool } from "./_smtp_pool.ts";
import type { DnsRecords } from "./dns.ts";
import type { Via } from "./mailer.ts";

/**
 * What a connection must be like. `dane`: its certificate matches these records. `mta-sts`: it is valid for the host. `encrypted`: any
 * certificate will do. `opportunistic`: encrypted if the server can. `plain`: it cannot.
 */
export type TlsDemand =
  | { kind: "dane"; records: DnsRecords["TLSA"][]; names: string[] }
  | { kind: "mta-sts" | "encrypted" | "opportunistic" | "plain" };

/** One way to the mail server of a recipient. */
export interface Route {
  host: string;
  address: string;
  port: number;
  /** The address of this machine to send from; null: the system chooses. */
  from: string | null;
  demand: TlsDemand;
}

/** A pool, and how its last connection was made. */
export interface DirectLine {
  pool: SmtpPool;
  tls: Via["tls"];
}

/** How connections are made. Times in milliseconds. */
export interface LineOptions {
  /** For EHLO. */
  name: string;
  /** Connections to one address. */
  maxConnections: number;
  /** Certificates to trust instead of the usual ones, as PEM. */
  ca?: string | undefined;
  connectionTimeout?: number | undefined;
  now: () => number;
}

const TIMES = {
  connectionTimeout: 10_000,
  greetingTimeout: 60_000,
  socketTimeout: 120_000,
  messageTimeout: 600_000,
};
/** Recipients' servers have others to serve: a connection does not wait for long, and carries no more than this. */
const IDLE_MS = 5_000;
const MAX_MESSAGES = 100;
/** From here on those that are not in use are dropped. */
const MANY_LINES = 500;
const MAX_CHAIN = 10;

/** The lines of one mailer. */
export interface DirectLines {
  to(route: Route): DirectLine;
  close(): void;
}

/** DirectLines, opened when there is a mail for them. */
export function createDirectLines(options: LineOptions): DirectLines {
  const lines = new Map<string, DirectLine>();
  let isClosed = false;
  return {
    to(route) {
      const key = keyOf(route);
      const known = lines.get(key);
      if (known) return known;
      if (lines.size >= MANY_LINES) {
        for (const [other, { pool }] of lines) if (pool.isEmpty) lines.delete(other);
      }
      const line = open(route, options);
      lines.set(key, line);
      if (isClosed) line.pool.close();
      return line;
    },
    close() {
      isClosed = true;
      for (const { pool } of lines.values()) pool.close();
    },
  };
}

function keyOf({ host, address, port, from, demand }: Route): string {
  const records =
    demand.kind === "dane"
      ? demand.records.map(
          (record) =>
            `${record.usage}${record.selector}${record.matchingType}${record.certificate.toString("hex")}`,
        )
      : [];
  const names = demand.kind === "dane" ? demand.names : [];
  return [address, port, from, host, demand.kind, ...records, ...names].join(" ");
}

function open(route: Route, { name, maxConnections, ca, connectionTimeout, now }: LineOptions): DirectLine {
  const { host, address, port, from, demand } = route;
  const line: DirectLine = {
    tls: null,
    pool: createSmtpPool({
      ...TIMES,
      ...(connectionTimeout !== undefined && { connectionTimeout }),
      host: address,
      port,
      secure: false,
      name,
      servername: host,
      ...(from !== null && { localAddress: from }),
      ...(demand.kind === "plain" ? { ignoreTLS: true } : {}),
      ...(demand.kind === "opportunistic" ? { opportunisticTLS: true } : {}),
      requireTLS: demand.kind !== "plain" && demand.kind !== "opportunistic",
      tls: { servername: host, rejectUnauthorized: demand.kind === "mta-sts", ...(ca && { ca }) },
      maxConnections,
      maxMessages: MAX_MESSAGES,
      idleMs: IDLE_MS,
      inspect(socket, isEncrypted) {
        line.tls = isEncrypted ? factsOf(socket as TLSSocket, demand) : null;
        if (demand.kind !== "dane") return null;
        const isMatch =
          isEncrypted && matchesDane(demand.records, chainOf(socket as TLSSocket), demand.names, now());
        return isMatch
          ? null
          : tlsFailure(`The certificate of ${host} does not match its TLSA records (DANE)`);
      },
    }),
  };
  return line;
}

function factsOf(socket: TLSSocket, { kind }: TlsDemand): NonNullable<Via["tls"]> {
  const policy = kind === "dane" || kind === "mta-sts" ? kind : "opportunistic";
  return {
    version: socket.getProtocol() ?? "unknown",
    isVerified: kind === "dane" || socket.authorized,
    policy,
  };
}

function chainOf(socket: Socket & Partial<TLSSocket>): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next = socket.getPeerX509Certificate?.();
  while (next && chain.length < MAX_CHAIN) {
    chain.push(next);
    const issuer: X509Certificate | undefined = next.issuerCertificate;
    if (!issuer || issuer.raw.equals(next.raw)) break;
    next = issuer;
  }
  return chain;
}

function tlsFailure(words: string): Failure {
  return Object.assign(new Error(words), { code: "ETLS" });
}

/** Whether a connection failed because of its encryption. */
export function isTlsFailure({ code = "", command, message, responseCode }: Failure): boolean {
  if (code === "ETLS" || command === "STARTTLS") return true;
  return (
    responseCode === undefined &&
    /certificate|altnames|\b(?:ssl|tls)\b|handshake|ERR_SSL|EPROTO/i.test(`${code} ${message}`)
  );
}
