// Which addresses this machine can send from: of those that are named, some may be of another machine, or not be there yet.
import { createServer } from "node:net";

/** Addresses to send from. */
export interface OwnAddresses {
  /** Those that can be used now. Never rejects. */
  usable(): Promise<readonly string[]>;
}

const KEEP_MS = 60_000;
/** Where all of them are missing, somebody may be about to add them. */
const KEEP_NONE_MS = 5_000;

/** Looks at these addresses, each time anew after a minute. */
export function createOwnAddresses(addresses: readonly string[], now: () => number): OwnAddresses {
  let known: Promise<readonly string[]> | null = null;
  let until = -Infinity;
  const look = async (): Promise<readonly string[]> => {
    const found = await Promise.all(addresses.map(canSendFrom));
    const usable = addresses.filter((_, i) => found[i]);
    until = now() + (usable.length > 0 ? KEEP_MS : KEEP_NONE_MS);
    return usable;
  };
  return {
    usable() {
      if (known === null || now() >= until) {
        until = now() + KEEP_MS;
        known = look();
      }
      return known;
    },
  };
}

/** Whether this machine has the address: the system is asked, which knows more than a list of its interfaces. */
export async function canSendFrom(address: string): Promise<boolean> {
  const server = createServer();
  return await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen({ host: address, port: 0 }, () => server.close(() => resolve(true)));
  });
}
