// Whether the addresses that direct transports send from are named as these say, forwards and back, as this process knows it.
// Nobody waits for the DNS: it is asked in the background, and what it said counts until it is asked again.
import { isIPv4 } from "node:net";
import { createCache } from "../../cache.ts";
import { sameAddress } from "../../config/mod.ts";
import { type Context, perService } from "../../context.ts";
import type { DirectSettings } from "../../mail/direct_url.ts";
import type { Dns } from "../../mail/dns.ts";
import { reverseNamesOf } from "../../mail/reverse_names.ts";
import { reasonAgainstAddress } from "../../net/public_address.ts";

/** What a direct transport sends as, and from where. */
export type DirectSender = Pick<DirectSettings, "name" | "bindAddresses" | "ipv6">;

/** What the DNS says of the addresses of a sender. */
export interface ReverseStanding {
  addresses: readonly string[];
  /** What is wrong, each as a sentence without its end. */
  faults: readonly string[];
}

/** The standings as this process knows them. */
export interface ReverseNames {
  /** Null: nobody can tell yet. */
  of(sender: DirectSender): ReverseStanding | null;
}

const MAX_SENDERS = 1_000;
const MAX_ADDRESSES = 20;
/** Senders that are looked up at once: what finds no place is asked for with the next look. */
const MAX_UNDERWAY = 10;
/** Who has just mended something looks again soon. */
const KEEP_MS = { fine: 3_600_000, faulty: 60_000, unknown: 30_000 };

/** Of this process. */
export const reverseNamesKnown = perService((ctx): ReverseNames => createReverseNames(ctx));

function createReverseNames({ dns, now }: Pick<Context, "dns" | "now">): ReverseNames {
  const known = createCache<{ standing: ReverseStanding | null; until: number }>({ maxEntries: MAX_SENDERS });
  const underway = new Set<string>();

  const ask = async (key: string, sender: DirectSender): Promise<void> => {
    underway.add(key);
    const found = await standingOf(dns, sender).catch(() => null);
    underway.delete(key);
    const keepMs = found === null ? KEEP_MS.unknown : found.faults.length > 0 ? KEEP_MS.faulty : KEEP_MS.fine;
    // What was known counts on while the DNS does not answer.
    const standing = found ?? known.get(key)?.standing ?? null;
    known.set(key, { standing, until: now().getTime() + keepMs });
  };
  return {
    of(sender) {
      const key = JSON.stringify([sender.name, sender.bindAddresses, sender.ipv6]);
      const entry = known.get(key);
      const isFresh = entry !== undefined && now().getTime() < entry.until;
      if (!isFresh && !underway.has(key) && underway.size < MAX_UNDERWAY) void ask(key, sender);
      return entry?.standing ?? null;
    },
  };
}

/** Null where the DNS does not answer. */
async function standingOf(dns: Dns, sender: DirectSender): Promise<ReverseStanding | null> {
  const { name, bindAddresses = [], ipv6 = true } = sender;
  const [four, six] = await Promise.all([dns.lookup(name, "A"), dns.lookup(name, "AAAA")]);
  if (four.state === "failed" || (ipv6 && six.state === "failed")) return null;
  const records = [four, six].flatMap((answer) => (answer.state === "found" ? answer.records : []));
  const named = records.map(sameAddress);
  if (named.length === 0) return { addresses: [], faults: [`${name} has no address (A or AAAA record)`] };
  // Others see an address inside of a network as the public one of its name.
  const shown = bindAddresses.filter((address) => !isInside(address));
  const isHidden = shown.length < bindAddresses.length || bindAddresses.length === 0;
  const own = isHidden ? named.filter((address) => ipv6 || isIPv4(address)) : [];
  const addresses = [...new Set([...shown.map(sameAddress), ...own])].slice(0, MAX_ADDRESSES);
  const faults = await Promise.all(addresses.map((address) => faultOf(dns, { name, named, address })));
  const found = faults.flatMap((fault) => fault || []);
  return faults.includes(null) && found.length === 0 ? null : { addresses, faults: found };
}

/** Empty: all is well. Null: nobody can tell. */
async function faultOf(
  dns: Dns,
  { name, named, address }: { name: string; named: readonly string[]; address: string },
): Promise<string | null> {
  if (!named.includes(address)) return `${name} does not lead to ${address} (A or AAAA record)`;
  const names = await reverseNamesOf(dns, address);
  if (names === null || names.includes(name)) return names && "";
  return names.length === 0
    ? `${address} has no reverse name (PTR record)`
    : `The reverse name (PTR record) of ${address} is ${names.join(", ")}, and not ${name}`;
}

/** Of a network of its own, behind another address. */
function isInside(address: string): boolean {
  return reasonAgainstAddress(address, false) !== null && reasonAgainstAddress(address, true) === null;
}
