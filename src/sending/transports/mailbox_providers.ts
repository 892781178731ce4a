// Who keeps the mailboxes of the domains that mails go to, as this process knows it. Nobody waits for the DNS: a domain that is not
// known yet counts as a provider of its own, and is asked for meanwhile.
import { createCache } from "../../cache.ts";
import { perService } from "../../context.ts";
import type { Dns } from "../../mail/dns.ts";
import { providerOf, providerOfHosts } from "../../mail/mailbox_provider.ts";

/** The providers as this process knows them. */
export interface MailboxProviders {
  /** A name such as `google`, or the domain of the mail servers, or the domain itself as long as nobody knows. */
  of(domain: string): string;
  /** The same, after a look-up where there is time for one. Never rejects. */
  lookUp(domain: string): Promise<string>;
  /** What a delivery has seen. */
  note(domain: string, provider: string): void;
}

const MAX_DOMAINS = 20_000;
/** Look-ups at once: what finds no place is asked for with its next mail. */
const MAX_UNDERWAY = 20;
const LOOKUP_MS = 4_000;
/** Few domains change their provider, and nothing breaks where one has: an old answer counts until there is a new one. */
const KEEP_MS = { found: 6 * 3_600_000, none: 3_600_000, failed: 60_000 };

/** Of this process. */
export const mailboxProvidersOf = perService((ctx): MailboxProviders =>
  createMailboxProviders(ctx.dns, () => ctx.now().getTime()),
);

/** Knows nobody but the great ones yet. `now`: milliseconds. */
export function createMailboxProviders(dns: Dns, now: () => number): MailboxProviders {
  const known = createCache<{ provider: string; until: number }>({ maxEntries: MAX_DOMAINS });
  const underway = new Map<string, Promise<string>>();

  const keep = (domain: string, provider: string, keepMs: number): string => {
    known.set(domain, { provider, until: now() + keepMs });
    return provider;
  };
  const ask = async (domain: string): Promise<string> => {
    const answer = await dns.lookup(domain, "MX", { timeoutMs: LOOKUP_MS });
    if (answer.state === "found") {
      const hosts = answer.records.flatMap(({ exchange }) => exchange || []);
      return keep(domain, providerOfHosts(domain, hosts), KEEP_MS.found);
    }
    // Until somebody knows better.
    const before = known.get(domain)?.provider ?? domain;
    return answer.state === "failed"
      ? keep(domain, before, KEEP_MS.failed)
      : keep(domain, domain, KEEP_MS.none);
  };
  const asked = (domain: string): Promise<string> => {
    const waiting =
      underway.get(domain) ??
      ask(domain)
        .catch(() => keep(domain, known.get(domain)?.provider ?? domain, KEEP_MS.failed))
        .finally(() => underway.delete(domain));
    underway.set(domain, waiting);
    return waiting;
  };
  return {
    of(domain) {
      const great = providerOf(domain);
      if (great !== domain) return great;
      const entry = known.get(domain);
      const isFresh = entry !== undefined && now() < entry.until;
      if (!isFresh && underway.size < MAX_UNDERWAY) void asked(domain);
      return entry?.provider ?? domain;
    },
    async lookUp(domain) {
      const great = providerOf(domain);
      if (great !== domain) return great;
      const entry = known.get(domain);
      return entry !== undefined && now() < entry.until ? entry.provider : await asked(domain);
    },
    note(domain, provider) {
      const entry = known.get(domain);
      if (entry?.provider !== provider || now() >= entry.until) keep(domain, provider, KEEP_MS.found);
    },
  };
}
