// What the doctor is shown: servers that are well, wrong or silent.
import { afterEach } from "bun:test";
import { createServer } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { type Config, loadConfig } from "../../src/config/mod.ts";
import { examine, type Finding } from "../../src/doctor/mod.ts";
import type { TestService } from "./service.ts";

/** An address where nobody listens. */
export const CLOSED = "127.0.0.1:9";

/** A secret as the doctor wants it. */
export const SECRET_KEY = new Bun.CryptoHasher("sha256").update("a good secret").digest("hex");

/** The doctor of a service, and servers that end with each test, as do `endings`. */
export function useDoctor(service: TestService) {
  const endings: (() => unknown)[] = [];

  afterEach(async () => {
    for (const end of endings.splice(0).toReversed()) await end();
  });

  /** What the doctor says of the database of this file, with these settings beside it. */
  const see = async (settings: Partial<Record<keyof Config, string>> = {}, options = {}) => {
    const env = { DATABASE_URL: service.databaseUrl, BASE_URL: await here(), SECRET_KEY, ...settings };
    return await examine(() => loadConfig(env), options);
  };
  const about = (findings: Finding[], check: string) => findings.filter((finding) => finding.check === check);

  /** The address of an HTTP server on loopback; as the service answers, where nothing else is said. */
  const here = async (
    answer: (url: URL) => Response | Promise<Response> = () => Response.json({ status: "ok" }),
  ) => {
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => answer(new URL(request.url)),
    });
    endings.push(() => server.stop(true));
    return `http://127.0.0.1:${server.port}`;
  };

  /** The address of a server that takes connections and never says a word. */
  const silent = async () => {
    const sockets = new Set<{ destroy(): void }>();
    const server = createServer((socket) => sockets.add(socket.on("error", () => {})));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    endings.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return `127.0.0.1:${(server.address() as { port: number }).port}`;
  };

  /** The port of an SMTP server that knows one user, and what it was asked for. */
  const smtpServer = async (options: SMTPServerOptions = {}) => {
    const mails: string[] = [];
    const server = new SMTPServer({
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 50,
      onAuth: ({ username, password }, _, done) =>
        username === "ada" && password === "right" ? done(null, { user: username }) : done(new Error("No")),
      onMailFrom: ({ address }, _, done) => {
        mails.push(address);
        done();
      },
      ...options,
    });
    server.on("error", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    endings.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
    return { port: (server.server.address() as { port: number }).port, mails };
  };

  return { see, about, here, silent, smtpServer, endings };
}
