// What may be called for somebody who is not to be trusted with our network, by the settings.
import { lookup } from "node:dns/promises";
import type { Context } from "./context.ts";
import type { GuardOptions } from "./net/guarded_request.ts";
import { reasonAgainstAddress } from "./net/public_address.ts";

/** The rules for a guarded request: public addresses only, unless the installation is in a closed network. */
export function guardOf({ dns, config }: Pick<Context, "dns" | "config">): GuardOptions {
  const isClosed = config.ALLOW_PRIVATE_WEBHOOKS;
  return {
    dns,
    reasonAgainst(address: string) {
      const reason = reasonAgainstAddress(address, isClosed);
      const couldBeAllowed = reason !== null && reasonAgainstAddress(address, true) === null;
      return couldBeAllowed ? `${reason} (see ALLOW_PRIVATE_WEBHOOKS)` : reason;
    },
    localAddresses: isClosed ? addressesHere : undefined,
  };
}

/** As the machine knows them, from its hosts file for one. */
async function addressesHere(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
