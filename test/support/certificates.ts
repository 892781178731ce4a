// X.509 certificates of an authority of the test's own, written out in DER: as much of RFC 5280 as a TLS server needs.
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

/** A certificate with its key. */
export interface Certificate {
  /** PEM. */
  certificate: string;
  /** PEM. */
  key: string;
  privateKey: KeyObject;
}

/** What a certificate says. */
export interface CertificateOptions {
  name: string;
  /** Names and addresses of a TLS server. */
  hosts?: string[];
  /** Left out: it signs itself, and may sign others. */
  issuer?: { name: string } & Certificate;
  validFrom?: Date;
  validTo?: Date;
}

const DAY_MS = 86_400_000;

const der = (tag: number, ...content: Uint8Array[]): Buffer => {
  const body = Buffer.concat(content);
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...content: Uint8Array[]) => der(0x30, ...content);
const integer = (bytes: Uint8Array) => der(0x02, bytes);
const octets = (content: Uint8Array) => der(0x04, content);
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content);
const yes = der(0x01, Buffer.from([255]));
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));

const COMMON_NAME = oid("550403");
const SUBJECT_ALT_NAME = oid("551d11");
const BASIC_CONSTRAINTS = oid("551d13");
const SHA256_WITH_RSA = sequence(oid("2a864886f70d01010b"), der(0x05));

const nameOf = (name: string) => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))));

function timeOf(time: Date): Buffer {
  const digits = time.toISOString().replace(/\.\d+|[-:T]/g, "");
  // Years up to 2049 have two digits.
  return time.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(digits.slice(2)))
    : der(0x18, Buffer.from(digits));
}

function altNames(hosts: string[]): Buffer {
  const names = hosts.map((host) =>
    isIP(host) === 4 ? der(0x87, Buffer.from(host.split(".").map(Number))) : der(0x82, Buffer.from(host)),
  );
  return sequence(SUBJECT_ALT_NAME, octets(sequence(...names)));
}

/** A certificate over a new RSA key. Left out, its time is from yesterday until tomorrow. */
export function makeCertificate({
  name,
  hosts = [],
  issuer,
  validFrom,
  validTo,
}: CertificateOptions): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const extensions = issuer
    ? hosts.length > 0
      ? [altNames(hosts)]
      : []
    : [sequence(BASIC_CONSTRAINTS, yes, octets(sequence(yes)))];
  const content = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    SHA256_WITH_RSA,
    nameOf(issuer?.name ?? name),
    sequence(
      timeOf(validFrom ?? new Date(Date.now() - DAY_MS)),
      timeOf(validTo ?? new Date(Date.now() + DAY_MS)),
    ),
    nameOf(name),
    publicKey.export({ type: "spki", format: "der" }),
    ...(extensions.length > 0 ? [der(0xa3, sequence(...extensions))] : []),
  );
  const signer = issuer ? createPrivateKey(issuer.key) : privateKey;
  const whole = sequence(content, SHA256_WITH_RSA, bits(sign("RSA-SHA256", content, signer)));
  const lines = whole.toString("base64").replace(/.{64}(?!$)/g, "$&\n");
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    privateKey,
  };
}
