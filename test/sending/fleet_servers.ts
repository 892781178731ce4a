// The mail servers of providers of mailboxes, each at an address of its own on loopback.
import { SMTPServer, type SMTPServerSession } from "smtp-server";
import type { Certificate } from "../support/certificates.ts";
import type { NameServer } from "../support/name_server.ts";
import type { Provider } from "./fleet_providers.ts";

/** A mail as its server sees it: how often its recipient was named so far, this time included. */
export interface Try {
  to: string;
  tries: number;
}

/** How a server behaves. A reply is `code text`; none: it goes on. */
export interface Behaviour {
  certificate?: Certificate;
  /** The greeting, by the connections that are open. */
  greet?: (open: number) => string | undefined;
  rcpt?: (mail: Try & { ofConnection: number }) => string | undefined | Promise<string | undefined>;
  /** At DATA: hangs up before it has read the message, or after. */
  cut?: (mail: Try) => "in the message" | "after a while without an answer" | undefined;
  /** After the end of the message. */
  data?: (mail: Try) => string | undefined;
}

/** A running server. */
export interface FleetServer {
  /** How often a mail has come, by address. */
  arrivals: Map<string, number>;
  /** When each of them came, `Date.now()`. */
  times: number[];
  /** How many came over TLS. */
  encrypted: number;
  /** How many were told to come later, or to slow down. */
  refused: number;
  stop(): Promise<void>;
}

const HANG_MS = 500;

/** Where the servers are. */
export interface Place {
  names: NameServer;
  /** Of all servers. */
  port: number;
  domains: number;
}

/** Starts the servers of all providers, and lets the DNS lead to them. */
export async function startFleet(fleet: Provider[], place: Place): Promise<Map<string, FleetServer>> {
  const { names, port, domains } = place;
  const servers = new Map<string, FleetServer>();
  for (const [i, { name, hosts = ["10 {mx}"], behaviour }] of fleet.entries()) {
    const [mx, address] = [`mx.${name}.test`, `127.0.1.${i + 1}`];
    servers.set(name, await serve(address, port, behaviour?.() ?? {}));
    names.set(mx, "A", [address]);
    for (let n = 0; n < domains; n++)
      names.set(
        `d${n}.${name}.test`,
        "MX",
        hosts.map((host) => host.replace("{mx}", mx)),
      );
  }
  // Nobody listens there.
  names.set("dead.second.test", "A", ["127.0.2.1"]);
  names.set(`_${port}._tcp.mx.dane.test`, "TLSA", [`3 1 1 ${"00".repeat(32)}`]);
  return servers;
}

async function serve(address: string, port: number, behaviour: Behaviour): Promise<FleetServer> {
  const { certificate, greet, rcpt, cut, data } = behaviour;
  const seen: FleetServer = {
    arrivals: new Map(),
    times: [],
    encrypted: 0,
    refused: 0,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const tries = new Map<string, number>();
  const ofConnection = new Map<string, number>();
  const tryOf = ({ envelope }: SMTPServerSession): Try => {
    const to = envelope.rcptTo[0]!.address;
    return { to, tries: tries.get(to)! };
  };
  const keep = ({ to }: Try, { secure }: SMTPServerSession) => {
    seen.arrivals.set(to, (seen.arrivals.get(to) ?? 0) + 1);
    seen.times.push(Date.now());
    if (secure) seen.encrypted += 1;
  };
  const refuse = (reply: string | undefined): Error | null => {
    if (reply?.startsWith("4")) seen.refused += 1;
    return refusal(reply);
  };
  const hangUp = ({ id }: SMTPServerSession) => {
    for (const open of server.connections as Iterable<{ id: string; _socket: { destroy(): void } }>)
      if (open.id === id) open._socket.destroy();
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: certificate ? ["AUTH"] : ["AUTH", "STARTTLS"],
    ...(certificate && { cert: certificate.certificate, key: certificate.key }),
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onConnect: (_session, done) => done(refuse(greet?.(server.connections.size))),
    onClose: ({ id }) => void ofConnection.delete(id),
    onRcptTo({ address: to }, { id }, done) {
      tries.set(to, (tries.get(to) ?? 0) + 1);
      ofConnection.set(id, (ofConnection.get(id) ?? 0) + 1);
      const mail = { to, tries: tries.get(to)!, ofConnection: ofConnection.get(id)! };
      void Promise.resolve(rcpt?.(mail)).then((reply) => done(refuse(reply)));
    },
    onData(stream, session, done) {
      // A client that is killed in mid-message is what this is about.
      stream.on("error", () => {});
      const mail = tryOf(session);
      const end = cut?.(mail);
      if (end === "in the message") return hangUp(session);
      stream.on("end", () => {
        const refused = refuse(data?.(mail));
        if (refused) return done(refused);
        keep(mail, session);
        if (end === undefined) return done();
        setTimeout(() => hangUp(session), HANG_MS);
      });
      stream.resume();
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(port, address, () => resolve()));
  return seen;
}

function refusal(reply: string | undefined): Error | null {
  if (reply === undefined) return null;
  const [, code, text] = /^(\d{3}) (.*)$/.exec(reply)!;
  return Object.assign(new Error(text), { responseCode: Number(code) });
}
