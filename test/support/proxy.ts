// A way to the database that can be blocked: connections stay open, and nothing comes through any more.
import { createServer, connect, type Socket } from "node:net";

/** A TCP proxy on loopback. */
export interface TestProxy {
  /** The address behind it, through it. */
  url: string;
  /** From now on nothing goes through; new connections are accepted, and get no answer. */
  freeze(): void;
  /** Everything that was held back goes through. */
  thaw(): void;
  /** Ends every connection; with `refuse` it ends new ones at once as well. */
  cut(options?: { refuse?: boolean }): void;
  /** Lets connections in again. */
  admit(): void;
  /** How many connections were asked for so far. */
  attempts(): number;
  /** How many connections are open. */
  connections(): number;
  stop(): Promise<void>;
}

/** Starts a proxy in front of a Postgres. */
export async function startProxy(target: string): Promise<TestProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<[Socket, Socket]>();
  let attempts = 0;
  let isFrozen = false;
  let isRefusing = false;
  const server = createServer((near) => {
    attempts++;
    if (isRefusing) return void near.destroy();
    const far = connect({ host: hostname, port: Number(port) });
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on("data", (chunk) => to.write(chunk));
      from.on("error", () => {});
      from.on("close", () => {
        pairs.delete(pair);
        to.destroy();
      });
      if (isFrozen) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as { port: number }).port);
  const all = () => [...pairs].flat();
  return {
    url: url.href,
    freeze() {
      isFrozen = true;
      for (const socket of all()) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of all()) socket.resume();
    },
    cut({ refuse = false } = {}) {
      isRefusing = refuse;
      for (const socket of all()) socket.destroy();
    },
    admit() {
      isRefusing = false;
    },
    attempts: () => attempts,
    connections: () => pairs.size,
    async stop() {
      for (const socket of all()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
