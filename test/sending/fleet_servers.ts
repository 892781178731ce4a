// The mail servers of providers of mailboxes, each at an address of its own on loopback, and each with faults of its own.
import { SMTPServer, type SMTPServerSession } from "smtp-server";
import { type Certificate, makeCertificate } from "../support/certificates.ts";
import type { NameServer } from "../support/name_server.ts";

/** A mail as its server sees it: how often its recipient was named so far, this time included. */
interface Try {
  to: string;
  tries: number;
}

/** How a server behaves. A reply is `code text`; none: it goes on. */
interface Behaviour {
  certificate?: Certificate;
  /** The greeting, by the connections that are open. */
  greet?: (open: number) => string | undefined;
  rcpt?: (mail: Try & { ofConnection: number }) => string | undefined | Promise<string | undefined>;
  /** At DATA: hangs up before it has read the message, or after. */
  cut?: (mail: Try) => "in the message" | "after a while without an answer" | undefined;
  /** After the end of the message. */
  data?: (mail: Try) => string | undefined;
}

/** A provider, and what has to become of the mails to it. */
export interface Provider {
  /** Its domains are `d0.<name>.test` and so on. */
  name: string;
  /** Of a hundred mails. */
  share: number;
  behaviour?: () => Behaviour;
  /** Left out: one server that has an address. `{mx}` is that server. */
  hosts?: string[];
  /** The status that a mail ends with. Left out: DELIVERED. */
  outcome?: (address: string) => string;
}

/** A running server. */
export interface FleetServer {
  /** How often a mail has come, by address. */
  arrivals: Map<string, number>;
  /** How many came over TLS. */
  encrypted: number;
  stop(): Promise<void>;
}

const HANG_MS = 500;
const TARPIT_MS = 700;

const third = (address: string) => Number(/^r(\d+)@/.exec(address)![1]) % 3 === 0;
const every = (status: string) => (address: string) => (third(address) ? status : "DELIVERED");
const thirdOf =
  (reply: string) =>
  ({ to }: Try) =>
    third(to) ? reply : undefined;
const once =
  (reply: string) =>
  ({ tries }: Try) =>
    tries === 1 ? reply : undefined;

/** Takes so many recipients a second, and asks for patience beyond. */
function throttled(perSecond: number): Behaviour {
  let [second, count] = [0, 0];
  return {
    rcpt() {
      const now = Math.floor(Date.now() / 1_000);
      count = now === second ? count + 1 : 1;
      second = now;
      return count > perSecond ? "421 4.7.0 Too many mails, slow down" : undefined;
    },
  };
}

/** Every provider. `perSecond` is what the one that throttles takes. */
export const providers = (perSecond: number): Provider[] => [
  { name: "fast", share: 30 },
  {
    name: "encrypted",
    share: 6,
    behaviour: () => ({ certificate: makeCertificate({ name: "mx.encrypted.test" }) }),
  },
  {
    name: "elsewhere",
    share: 3,
    behaviour: () => ({ certificate: makeCertificate({ name: "another.example" }) }),
  },
  { name: "paced", share: 10, outcome: () => "SENT" },
  { name: "daily", share: 10 },
  {
    name: "tarpit",
    share: 2,
    behaviour: () => ({ rcpt: () => Bun.sleep(TARPIT_MS).then(() => undefined) }),
  },
  { name: "throttle", share: 5, behaviour: () => throttled(perSecond) },
  { name: "grey", share: 5, behaviour: () => ({ rcpt: once("450 4.2.0 Greylisted, come back later") }) },
  { name: "moody", share: 3, behaviour: () => ({ data: once("451 4.3.0 Local error") }) },
  {
    name: "fewmails",
    share: 4,
    behaviour: () => ({
      rcpt: ({ ofConnection }) =>
        ofConnection > 3 ? "421 4.4.5 Too many mails on this connection" : undefined,
    }),
  },
  {
    name: "fewlines",
    share: 4,
    behaviour: () => ({ greet: (open) => (open > 2 ? "421 4.7.0 Too many connections" : undefined) }),
  },
  {
    name: "content",
    share: 3,
    behaviour: () => ({ data: thirdOf("550 5.7.1 Message rejected because of its content") }),
    outcome: every("FAILED"),
  },
  {
    name: "full",
    share: 2,
    behaviour: () => ({ rcpt: thirdOf("452 4.2.2 Mailbox full") }),
    outcome: every("FAILED"),
  },
  {
    name: "overfull",
    share: 2,
    behaviour: () => ({ rcpt: thirdOf("552 5.2.2 Over quota") }),
    outcome: every("BOUNCED"),
  },
  {
    name: "nobody",
    share: 3,
    behaviour: () => ({ rcpt: thirdOf("550 5.1.1 No such user") }),
    outcome: every("BOUNCED"),
  },
  {
    name: "hang",
    share: 1,
    behaviour: () => ({ cut: ({ tries }) => (tries === 1 ? "after a while without an answer" : undefined) }),
  },
  {
    name: "drop",
    share: 2,
    behaviour: () => ({ cut: ({ tries }) => (tries === 1 ? "in the message" : undefined) }),
  },
  {
    name: "dane",
    share: 0.5,
    behaviour: () => ({ certificate: makeCertificate({ name: "mx.dane.test" }) }),
    outcome: () => "FAILED",
  },
  { name: "second", share: 3, hosts: ["10 dead.second.test", "20 {mx}"] },
  { name: "refuses", share: 1.5, hosts: ["0 ."], outcome: () => "BOUNCED" },
];

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
    encrypted: 0,
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
    if (secure) seen.encrypted += 1;
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
    onConnect: (_session, done) => done(refusal(greet?.(server.connections.size))),
    onClose: ({ id }) => void ofConnection.delete(id),
    onRcptTo({ address: to }, { id }, done) {
      tries.set(to, (tries.get(to) ?? 0) + 1);
      ofConnection.set(id, (ofConnection.get(id) ?? 0) + 1);
      const mail = { to, tries: tries.get(to)!, ofConnection: ofConnection.get(id)! };
      void Promise.resolve(rcpt?.(mail)).then((reply) => done(refusal(reply)));
    },
    onData(stream, session, done) {
      // A client that is killed in mid-message is what this is about.
      stream.on("error", () => {});
      const mail = tryOf(session);
      const end = cut?.(mail);
      if (end === "in the message") return hangUp(session);
      stream.on("end", () => {
        const refused = refusal(data?.(mail));
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
