// MTA-STS (RFC 8461): a domain says over HTTPS which hosts take its mail, and that nobody may deliver to them without a
// valid certificate.
import { createCache } from "../cache.ts";
import type { DetailedDns } from "./dns.ts";

/** What a domain asks of those who send to it. */
export interface StsPolicy {
  mode: "enforce" | "testing" | "none";
  /** Patterns such as `mx.example.com` or `*.example.com`. */
  hosts: string[];
  maxAgeS: number;
}

/** Fetches a small text over HTTPS without following redirects; null when that fails or it is no plain text. */
export type FetchPolicy = (url: string) => Promise<string | null>;

/** The policies of domains. */
export interface StsPolicies {
  /** The policy of a domain; null where there is none. Never rejects. */
  of(domain: string): Promise<StsPolicy | null>;
}

interface Kept {
  /** From the DNS: another one announces another policy. Null: there is no policy. */
  id: string | null;
  policy: StsPolicy | null;
  /** The DNS is not asked again before this time; the policy holds until the other. */
  checkedUntil: number;
  until: number;
}

const MAX_DOMAINS = 20_000;
const CHECK_AGAIN_MS = 300_000;
const MAX_AGE_S = 31_557_600;
const MAX_HOSTS = 100;
const RECORD = /^v=STSv1[ \t]*;(?:.*;)?[ \t]*id=([A-Za-z0-9]{1,32})[ \t]*(?:;|$)/;
const HOST = /^(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/** Policies, each kept for as long as it says: a domain without its DNS record for a moment keeps its policy. */
export function createStsPolicies(
  dns: DetailedDns,
  fetchPolicy: FetchPolicy,
  now: () => number,
): StsPolicies {
  const kept = createCache<Kept>({ maxEntries: MAX_DOMAINS });
  const underway = new Map<string, Promise<Kept>>();

  const look = async (domain: string): Promise<Kept> => {
    const before = kept.get(domain);
    const held = before && now() < before.until ? before : undefined;
    const checkedUntil = now() + CHECK_AGAIN_MS;
    const id = await announced(dns, domain);
    // No record, or no answer: the policy from before holds until it ends (RFC 8461, 5.1).
    if (id === null) return { ...(held ?? { id: null, policy: null, until: 0 }), checkedUntil };
    if (held?.id === id) return { ...held, checkedUntil };
    const text = await fetchPolicy(`https://mta-sts.${domain}/.well-known/mta-sts.txt`).catch(() => null);
    const policy = text === null ? null : readPolicy(text);
    if (policy === null) return { ...(held ?? { id: null, policy: null, until: 0 }), checkedUntil };
    return { id, policy, checkedUntil, until: now() + policy.maxAgeS * 1_000 };
  };
  return {
    async of(domain) {
      const known = kept.get(domain);
      if (known && now() < known.checkedUntil) return known.until > now() ? known.policy : null;
      const looking = underway.get(domain) ?? look(domain);
      underway.set(domain, looking);
      try {
        const found = await looking;
        kept.set(domain, found);
        return found.until > now() ? found.policy : null;
      } finally {
        underway.delete(domain);
      }
    },
  };
}

/** The id of the policy that the DNS announces; null where it announces none. */
async function announced(dns: DetailedDns, domain: string): Promise<string | null> {
  const { answer } = await dns.inquire(`_mta-sts.${domain}`, "TXT");
  if (answer.state !== "found") return null;
  const records = answer.records.filter((record) => /^v=STSv1[ \t]*;/.test(record));
  // Two are as good as none (RFC 8461, 3.1).
  return records.length === 1 ? (RECORD.exec(records[0]!)?.[1] ?? null) : null;
}

/** Null for what is not a policy. Exported for its test. */
export function readPolicy(text: string): StsPolicy | null {
  const fields = text
    .split(/\r?\n/)
    .map((line) => /^([a-z0-9_.-]+)[ \t]*:[ \t]*(.*?)[ \t]*$/i.exec(line))
    .filter((match) => match !== null)
    .map(([, name, value]) => [name!.toLowerCase(), value!] as const);
  const first = (name: string) => fields.find(([key]) => key === name)?.[1];
  const mode = first("mode");
  const maxAge = first("max_age");
  if (first("version") !== "STSv1" || !/^\d{1,10}$/.test(maxAge ?? "")) return null;
  if (mode !== "enforce" && mode !== "testing" && mode !== "none") return null;
  const hosts = fields
    .filter(([key]) => key === "mx")
    .map(([, value]) => value.toLowerCase().replace(/\.$/, ""))
    .filter((host) => HOST.test(host))
    .slice(0, MAX_HOSTS);
  if (hosts.length === 0 && mode !== "none") return null;
  return { mode, hosts, maxAgeS: Math.min(Number(maxAge), MAX_AGE_S) };
}

/** Whether a policy names this host. A star stands for one label. */
export function isNamed(host: string, { hosts }: StsPolicy): boolean {
  return hosts.some((pattern) =>
    pattern.startsWith("*.") ? host.slice(host.indexOf(".")) === pattern.slice(1) : host === pattern,
  );
}
