// The certificates that SNS signs with, remembered so that a message costs no fetch.
import { type KeyObject, X509Certificate } from "node:crypto";
import { LRUCache } from "lru-cache";

/** Whose signatures count, and when. */
export interface Signer {
  key: KeyObject;
  validFrom: number;
  validTo: number;
}

/** Where the certificates come from. */
interface Source {
  /** Fetches the PEM; null where there is none. */
  fetchCertificate(url: URL): Promise<string | null>;
  now(): Date;
}

/** Amazon has one or two that are valid for each region. */
const MAX_CERTIFICATES = 256;
/** One that was taken back counts no longer than this. */
const REMEMBER_MS = 24 * 3_600_000;

/**
 * Finds signers by the addresses of their certificates. Concurrent callers share one fetch, and `beforeFetch` is called
 * only for an address that was never valid. Fetches in progress are kept apart from valid certificates: however many
 * unknown ones are requested, the genuine ones stay.
 */
export function createSignerMemory({ fetchCertificate, now }: Source) {
  const known = new LRUCache<string, { signer: Signer; until: number }>({ max: MAX_CERTIFICATES });
  const underway = new Map<string, Promise<Signer | null>>();

  const keep = (href: string, signer: Signer | null) => {
    known.delete(href);
    // An invalid certificate, or none, is not remembered: it may be valid the next time.
    if (!signer || !isValidAt(signer, now())) return;
    known.set(href, { signer, until: now().getTime() + REMEMBER_MS });
  };

  const load = async (url: URL): Promise<Signer | null> => {
    try {
      const signer = toSigner(await fetchCertificate(url));
      keep(url.href, signer);
      return signer;
    } finally {
      underway.delete(url.href);
    }
  };

  return async (url: URL, beforeFetch?: () => void): Promise<Signer | null> => {
    const found = known.get(url.href);
    if (found && found.until > now().getTime()) return found.signer;
    const waiting = underway.get(url.href);
    if (waiting) return await waiting;
    if (!found) beforeFetch?.();
    const signer = load(url);
    underway.set(url.href, signer);
    return await signer;
  };
}

/** Whether the certificate of a signer counts at this time. */
export function isValidAt({ validFrom, validTo }: Signer, time: Date): boolean {
  return validFrom <= time.getTime() && time.getTime() <= validTo;
}

function toSigner(pem: string | null): Signer | null {
  if (pem === null) return null;
  try {
    const certificate = new X509Certificate(pem);
    const key = certificate.publicKey;
    const [validFrom, validTo] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    return key.asymmetricKeyType === "rsa" && validFrom <= validTo ? { key, validFrom, validTo } : null;
  } catch {
    return null;
  }
}
