// DANE for SMTP (RFC 7672): a domain whose DNS is signed says there which certificates its servers have.
import { createHash, type X509Certificate } from "node:crypto";
import { createLifetimes } from "./_lifetimes.ts";
import type { DetailedDns, DnsRecords } from "./dns.ts";

type Tlsa = DnsRecords["TLSA"];

/** What the DNS says of the certificates of a host. */
export type DaneRecords =
  /** Nothing, or nothing that was validated: other rules apply. */
  | { state: "none" }
  /** Only a certificate that matches one of these will do. None that we understand: it must be encrypted all the same. */
  | { state: "found"; records: Tlsa[] }
  /** The answer was withheld: without it, nobody knows whether the host may be trusted (RFC 7672, 2.1.2). */
  | { state: "unknown" };

/** Looks up the records of hosts. */
export interface DaneLookup {
  of(host: string, port: number): Promise<DaneRecords>;
}

const MAX_HOSTS = 20_000;
const MAX_RECORDS = 20;
/** `DANE-TA`: of an authority in the chain. `DANE-EE`: of the server itself, whatever its names and dates say. */
const [TRUST_ANCHOR, END_ENTITY] = [2, 3];
const HASHES: Record<number, string> = { 1: "sha256", 2: "sha512" };

/** Look-ups by a resolver that validates. */
export function createDaneLookup(dns: DetailedDns, now: () => number): DaneLookup {
  const known = createLifetimes<DaneRecords>(MAX_HOSTS, now);
  return {
    of: (host, port) =>
      known.load(`${host}:${port}`, async () => {
        const { answer, ttlS, isAuthentic } = await dns.inquire(`_${port}._tcp.${host}`, "TLSA");
        if (answer.state === "failed") return { value: { state: "unknown" }, ttlS };
        if (answer.state !== "found" || !isAuthentic) return { value: { state: "none" }, ttlS };
        return {
          value: { state: "found", records: answer.records.filter(isUsable).slice(0, MAX_RECORDS) },
          ttlS,
        };
      }),
  };
}

function isUsable({ usage, selector, matchingType, certificate }: Tlsa): boolean {
  if (usage !== TRUST_ANCHOR && usage !== END_ENTITY) return false;
  const bytes = { 1: 32, 2: 64 }[matchingType];
  return selector <= 1 && (matchingType === 0 || bytes === certificate.length);
}

/**
 * Whether one of these records is about the certificate of a server. `chain` begins with it, and goes on with what it was
 * sent with; `names` are those of which it must have one, where an authority vouches for it.
 */
export function matchesDane(
  records: readonly Tlsa[],
  chain: readonly X509Certificate[],
  names: readonly string[],
  now: number,
): boolean {
  const [own, ...issuers] = chain;
  if (!own) return false;
  return records.some((record) => {
    if (record.usage === END_ENTITY) return isOf(record, own);
    const at = issuers.findIndex((issuer) => isOf(record, issuer));
    if (at === -1 || !names.some((name) => own.checkHost(name) !== undefined)) return false;
    const path = [own, ...issuers.slice(0, at + 1)];
    return path.every(
      (certificate, i) => isCurrent(certificate, now) && isIssuedBy(certificate, path[i + 1]),
    );
  });
}

function isOf({ selector, matchingType, certificate }: Tlsa, of: X509Certificate): boolean {
  const bytes = selector === 0 ? of.raw : of.publicKey.export({ type: "spki", format: "der" });
  const hash = HASHES[matchingType];
  const said = hash === undefined ? bytes : createHash(hash).update(bytes).digest();
  return certificate.equals(said);
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate | undefined): boolean {
  // The last one is the authority that the record names.
  return issuer === undefined || (certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey));
}

function isCurrent({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo);
}
