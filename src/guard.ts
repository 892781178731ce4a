// What may be called for somebody who is not to be trusted with our network, by the settings.
import { lookup } from "node:dns/promises";
import type { Context } from "./context.ts";
import { type AddressRules, checkedAddresses } from "./net/checked_addresses.ts";
import type { GuardOptions } from "./net/guarded_request.ts";
import { reasonAgainstAddress } from "./net/public_address.ts";

/** What decides: the settings, and how names are looked up. */
type Guarded = Pick<Context, "dns" | "config">;

/** How long the look-up of a mail server may take. */
const LOOKUP_MS = 10_000;

/** The rules for a guarded request: public addresses only, unless the installation is in a closed network. */
export function guardOf(ctx: Guarded): GuardOptions {
  return rulesOf(ctx, "ALLOW_PRIVATE_WEBHOOKS");
}

/** The rules for what the operator asks for: any address, by the names that the machine knows too. */
export function operatorGuard({ dns }: Pick<Context, "dns">): GuardOptions {
  return { dns, reasonAgainst: () => null, localAddresses: addressesHere };
}

/**
 * The addresses at which a mail server of a project may be called, by its host. Throws `Refused` where one of them is private,
 * and `Failed` where there is none now.
 */
export async function mailServerAddresses(ctx: Guarded, host: string): Promise<string[]> {
  const signal = AbortSignal.timeout(LOOKUP_MS);
  return await checkedAddresses({ hostname: host }, rulesOf(ctx, "ALLOW_PRIVATE_TRANSPORTS"), signal);
}

function rulesOf(
  { dns, config }: Guarded,
  setting: "ALLOW_PRIVATE_WEBHOOKS" | "ALLOW_PRIVATE_TRANSPORTS",
): AddressRules {
  const isClosed = config[setting];
  return {
    dns,
    reasonAgainst(address: string) {
      const reason = reasonAgainstAddress(address, isClosed);
      const couldBeAllowed = reason !== null && reasonAgainstAddress(address, true) === null;
      return couldBeAllowed ? `${reason} (see ${setting})` : reason;
    },
    localAddresses: isClosed ? addressesHere : undefined,
  };
}

/** As the machine knows them, from its hosts file for one. */
async function addressesHere(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
