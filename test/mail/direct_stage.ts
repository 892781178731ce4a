// Mail servers of recipients: each at an address of its own on loopback, all at one port, and a name server that leads to them.
import { afterAll, afterEach, beforeAll } from "bun:test";
import { createServer, type Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { createDns } from "../../src/mail/dns.ts";
import { createDirectMailer, type DirectOptions } from "../../src/mail/direct_mailer.ts";
import type { Handover, Mailer } from "../../src/mail/mailer.ts";
import { type Certificate, makeCertificate } from "../support/certificates.ts";
import { type NameServer, startNameServer } from "../support/name_server.ts";
import { unusedPort } from "../support/process.ts";

/** A server of a recipient. */
export interface MxServer {
  /** Who got a mail, and whether it came encrypted. */
  received: { to: string; secure: boolean }[];
  /** Connections so far. */
  connections: number;
}

/** How a server behaves. A reply is `code text`. */
export interface MxBehaviour {
  /** Left out: it offers no STARTTLS. */
  certificate?: Pick<Certificate, "certificate" | "key">;
  rcpt?: (address: string) => string | undefined;
  greeting?: () => string | undefined;
  /** Before RCPT is answered. */
  hold?: () => Promise<void>;
}

/** The stage of one test file. */
export function useDirect() {
  const endings: (() => unknown)[] = [];
  const stage = {} as { names: NameServer; port: number };

  beforeAll(async () => {
    stage.names = await startNameServer();
    stage.port = await unusedPort();
  });
  afterAll(() => stage.names.stop());
  afterEach(async () => {
    stage.names.isValidating = false;
    for (const end of endings.splice(0).toReversed()) await end();
  });

  const serve = async (address: string, behaviour: MxBehaviour = {}): Promise<MxServer> => {
    const seen: MxServer = { received: [], connections: 0 };
    const { certificate, rcpt, greeting, hold } = behaviour;
    const options: SMTPServerOptions = {
      authOptional: true,
      disabledCommands: certificate ? ["AUTH"] : ["AUTH", "STARTTLS"],
      ...(certificate && { cert: certificate.certificate, key: certificate.key }),
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 50,
      onConnect(_session, done) {
        seen.connections += 1;
        done(refusal(greeting?.()));
      },
      onRcptTo({ address: to }, _session, done) {
        void (hold?.() ?? Promise.resolve()).then(() => done(refusal(rcpt?.(to))));
      },
      async onData(stream, session, done) {
        for await (const _ of stream);
        const [to] = session.envelope.rcptTo;
        seen.received.push({ to: to!.address, secure: session.secure });
        done();
      },
    };
    const server = new SMTPServer(options);
    server.on("error", () => {});
    await new Promise<void>((resolve) => server.listen(stage.port, address, () => resolve()));
    endings.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
    return seen;
  };

  /** A mailer on this stage: loopback is allowed, and equals are tried in the order of the DNS. */
  const mailer = (options: Partial<DirectOptions> = {}): Mailer => {
    const made = createDirectMailer({
      name: "sender.example",
      dns: createDns({ servers: [stage.names.address], timeoutMs: 2_000 }),
      reasonAgainst: () => null,
      fetchPolicy: async () => null,
      port: stage.port,
      connectionTimeout: 2_000,
      random: () => 0,
      ...options,
    });
    endings.push(() => made.close());
    return made;
  };

  /** A domain whose mail goes to these hosts, such as `{"10 mx.a.test": "127.0.0.2"}`; an address may be missing. */
  const domain = (name: string, hosts: Record<string, string | null>) => {
    stage.names.set(name, "MX", Object.keys(hosts));
    for (const [mx, address] of Object.entries(hosts)) {
      if (address !== null) stage.names.set(mx.split(" ")[1]!, "A", [address]);
    }
  };
  return { stage, serve, mailer, domain };
}

/** Hands a small mail over. */
export async function sendTo(mailer: Mailer, to: string): Promise<Handover> {
  const source = Buffer.from("Subject: Hello\r\n\r\nHello\r\n");
  const envelope = { from: "news@shop.example", to };
  return await mailer.send({ messageId: "a@shop.example", envelope, subject: "Hello", source });
}

/** An authority, and certificates that it vouches for. */
export function makeAuthority() {
  const authority = { name: "Authority", ...makeCertificate({ name: "Authority" }) };
  const issue = (host: string) => {
    const own = makeCertificate({ name: host, hosts: [host], issuer: authority });
    return { ...own, certificate: own.certificate + authority.certificate };
  };
  return { authority, issue };
}

/** A server that offers STARTTLS and then talks nonsense; plain mail it takes. */
export async function serveBroken(address: string, port: number) {
  const seen = { handshakes: 0, stop: async () => {} };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let [isData, isBroken] = [false, false];
    socket.on("error", () => {});
    socket.write("220 broken\r\n");
    socket.on("data", (bytes) => {
      if (isBroken) return socket.end("500 What?\r\n");
      for (const line of bytes
        .toString()
        .split("\r\n")
        .filter((text) => text !== "")) {
        if (isData) {
          if (line === ".") socket.write("250 2.0.0 Taken\r\n");
          isData &&= line !== ".";
        } else if (line.startsWith("EHLO")) socket.write("250-broken\r\n250 STARTTLS\r\n");
        else if (line.startsWith("STARTTLS")) {
          seen.handshakes += 1;
          isBroken = true;
          socket.write("220 Go\r\n");
        } else if (line.startsWith("DATA")) {
          isData = true;
          socket.write("354 Go\r\n");
        } else socket.write("250 OK\r\n");
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  seen.stop = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return seen;
}

function refusal(reply: string | undefined): Error | null {
  if (reply === undefined) return null;
  const [, code, text] = /^(\d{3}) (.*)$/.exec(reply)!;
  return Object.assign(new Error(text), { responseCode: Number(code) });
}
