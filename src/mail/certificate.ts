// A certificate for a server of ours, as its files have it.
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Certificate } from "./submission_smtp.ts";

/** What a certificate says. */
export interface CertificateFacts {
  /** The names it is for, as it lists them. */
  names: string;
  validTo: Date;
}

/** The two as a server takes them. Throws, in words, where one cannot be read or they do not belong together. */
export function readCertificate(cert: string, key: string): Certificate {
  const certificate = parse(cert);
  const privateKey = (() => {
    try {
      return createPrivateKey(key);
    } catch {
      throw new Error("The key is not a private key in PEM without a passphrase");
    }
  })();
  if (!certificate.checkPrivateKey(privateKey)) throw new Error("The key does not belong to the certificate");
  return { cert, key };
}

/** What the first certificate of a file says. Throws where there is none. */
export function certificateFacts(cert: string): CertificateFacts {
  const certificate = parse(cert);
  return { names: certificate.subjectAltName ?? certificate.subject, validTo: new Date(certificate.validTo) };
}

function parse(cert: string): X509Certificate {
  try {
    return new X509Certificate(cert);
  } catch {
    throw new Error(
      "The certificate cannot be read: PEM is expected, with the certificate of this host first",
    );
  }
}
