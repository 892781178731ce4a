// The certificates that SNS signs with, remembered so that a message costs no fetch.
import { type KeyObject, X509Certificate } from "node:crypto";
import { createCache } from "../cache.ts";

/** Whose signatures count, and when. */
export interface Signer {
  key: KeyObject;
  validFrom: number;
  validTo: number;
}

/** Where the certificates come from. */
interface Source {
  /** Fetches the PEM; null if there is none. */
  fetchCertificate(url: URL): Promise<string | null>;
  now(): Date;
}

/** Amazon has one or two that are valid for each region. */
const MAX_CERTIFICATES = 256;
/** One that was taken back counts no longer than this. */
const REMEMBER_MS = 24 * 3_600_000;

/**
 * Finds signers by the addresses of their certificates. Concurrent callers share one fetch, and `beforeFetch` is called
 * only for an address that was never valid. Only valid certificates are remembered: however many unknown ones are
 * requested, the genuine ones stay, and one that is invalid, or not there, may be valid the next time.
 */
export function createSignerMemory({ fetchCertificate, now }: Source) {
  const signers = createCache<Signer>({
    maxEntries: MAX_CERTIFICATES,
    keepMs: REMEMBER_MS,
    now: () => now().getTime(),
  });
  const wereValid = createCache<boolean>({ maxEntries: MAX_CERTIFICATES });

  const fetchSigner = async (url: URL, beforeFetch?: () => void): Promise<Signer> => {
    const wasValid = wereValid.get(url.href) ?? false;
    if (!wasValid) beforeFetch?.();
    const signer = toSigner(await fetchCertificate(url));
    const isValid = signer !== null && isValidAt(signer, now());
    if (isValid !== wasValid) wereValid.set(url.href, isValid);
    if (!isValid) throw new NotValid(signer);
    return signer;
  };

  return async (url: URL, beforeFetch?: () => void): Promise<Signer | null> => {
    try {
      return await signers.load(url.href, () => fetchSigner(url, beforeFetch));
    } catch (error) {
      if (error instanceof NotValid) return error.signer;
      throw error;
    }
  };
}

/** A certificate that does not count at this time, or none: it is not remembered. */
class NotValid extends Error {
  readonly signer: Signer | null;

  constructor(signer: Signer | null) {
    super("The certificate is not valid");
    this.signer = signer;
  }
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
