// Messages of Amazon SNS: how they are read, and whether Amazon has signed them
// (https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html).
import { type KeyObject, verify } from "node:crypto";
import { createSignerMemory, isValidAt } from "./_sns_certificates.ts";

/** A message as SNS posts it. Whether it is genuine is another question: {@linkcode createSnsVerifier}. */
export interface SnsMessage {
  Type: "Notification" | "SubscriptionConfirmation" | "UnsubscribeConfirmation";
  MessageId: string;
  TopicArn: string;
  Message: string;
  Timestamp: string;
  Subject?: string;
  /** Of the two confirmations. */
  Token?: string;
  SubscribeURL?: string;
  SignatureVersion: string;
  Signature: string;
  SigningCertURL: string;
}

/** What a signature covers, in this order. A subject is covered if there is one. */
const SIGNED = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: [
    "Message",
    "MessageId",
    "SubscribeURL",
    "Timestamp",
    "Token",
    "TopicArn",
    "Type",
  ],
  UnsubscribeConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
} as const;

const ALWAYS = [
  "MessageId",
  "TopicArn",
  "Message",
  "Timestamp",
  "SignatureVersion",
  "Signature",
  "SigningCertURL",
] as const;
const OF_CONFIRMATIONS = ["Token", "SubscribeURL"] as const;
const OPTIONAL = ["Subject", ...OF_CONFIRMATIONS] as const;

/** By the version of a signature. */
const ALGORITHMS = new Map([
  ["1", "RSA-SHA1"],
  ["2", "RSA-SHA256"],
]);

/** Only the message itself may have lines: a list of lines is signed, and must not be readable in two ways. */
const ONE_LINE = /^[^\r\n]{0,2048}$/;
const MESSAGE_ID = /^[\w-]{1,100}$/;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** The hosts of SNS, one a region. */
const SNS_HOST = /^sns\.[a-z]{2,4}(?:-[a-z]{2,12}){1,3}-\d{1,2}\.amazonaws\.com(?:\.cn)?$/;
const CERTIFICATE_PATH = /^\/[\w-]{1,200}\.pem$/;

/** Reads a message; null when it is none. */
export function readSnsMessage(text: string): SnsMessage | null {
  const given = parseObject(text);
  if (!given || typeof given.Type !== "string" || !Object.hasOwn(SIGNED, given.Type)) return null;
  const isNotification = given.Type === "Notification";
  const required = isNotification ? ALWAYS : [...ALWAYS, ...OF_CONFIRMATIONS];
  const message: Record<string, string> = { Type: given.Type };
  for (const field of [...ALWAYS, ...OPTIONAL]) {
    const value = given[field];
    if ((value === undefined || value === null) && !(required as readonly string[]).includes(field)) continue;
    if (typeof value !== "string" || (field !== "Message" && !ONE_LINE.test(value))) return null;
    message[field] = value;
  }
  return MESSAGE_ID.test(message.MessageId!) ? (message as unknown as SnsMessage) : null;
}

/** When SNS has made a message; null if that cannot be read. A repeat has the time of the first try. */
export function snsTime({ Timestamp }: SnsMessage): Date | null {
  const time = TIME.test(Timestamp) ? Date.parse(Timestamp) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time);
}

/** The text that the signature of a message is about. */
export function signedText(message: SnsMessage): string {
  return SIGNED[message.Type]
    .filter((field) => message[field] !== undefined)
    .map((field) => `${field}\n${message[field]}\n`)
    .join("");
}

/** The address, where it is one of SNS itself over HTTPS; else null. */
export function snsUrl(text: string): URL | null {
  const url = URL.parse(text);
  if (!url || url.protocol !== "https:" || !SNS_HOST.test(url.host)) return null;
  // Also what the parser has put in order, such as `HTTPS:\\`, tabs or a full-width dot, is not what SNS writes.
  return url.username + url.password === "" && text.startsWith(`https://${url.host}/`) ? url : null;
}

/** How the certificates come that signatures are checked with. */
export interface SnsVerifierOptions {
  /** Fetches the PEM; null if there is none. The address has passed the rules already. */
  fetchCertificate(url: URL): Promise<string | null>;
  now(): Date;
}

/** Checks the signatures of messages. */
export interface SnsVerifier {
  /**
   * Why this message does not count as one of SNS; null when it does. Throws if its certificate cannot be fetched
   * at the moment. `beforeFetch` is called where a certificate was never seen before, and may throw to prevent the fetch.
   */
  whyForged(message: SnsMessage, beforeFetch?: () => void): Promise<string | null>;
}

/** A verifier that remembers certificates. Signatures are checked off the main thread. */
export function createSnsVerifier(options: SnsVerifierOptions): SnsVerifier {
  const signerAt = createSignerMemory(options);
  return {
    async whyForged(message, beforeFetch) {
      const algorithm = ALGORITHMS.get(message.SignatureVersion);
      if (algorithm === undefined) return "its SignatureVersion is neither 1 nor 2";
      const url = snsUrl(message.SigningCertURL);
      if (!url || !CERTIFICATE_PATH.test(url.pathname) || url.search + url.hash !== "") {
        return "its SigningCertURL is not an SNS address";
      }
      const signer = await signerAt(url, beforeFetch);
      if (!signer) return "there is no certificate at its SigningCertURL";
      if (!isValidAt(signer, options.now())) return "its certificate is not valid at this time";
      if (!(await isSignedBy(signer.key, algorithm, message))) return "its signature is wrong";
      return snsTime(message) === null ? "its Timestamp is not a time" : null;
    },
  };
}

function isSignedBy(key: KeyObject, algorithm: string, message: SnsMessage): Promise<boolean> {
  const signature = Buffer.from(message.Signature, "base64");
  return new Promise((resolve) => {
    // With a callback it runs in the thread pool.
    verify(algorithm, Buffer.from(signedText(message)), key, signature, (error, isRight) =>
      resolve(!error && isRight),
    );
  });
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Bounds of a fetch. */
export interface FetchOptions {
  timeoutMs?: number;
  maxBytes?: number;
  /** Certificates of the authorities to trust, in PEM. Left out: those of the system. */
  ca?: string;
}

/**
 * Gets a short text, without following a redirect. Null if the answer is anything but 200, or larger than the
 * limit; throws if there is none in time, and for a 5xx: asking again may help then.
 */
export async function fetchShortText(
  url: URL,
  { timeoutMs = 5_000, maxBytes = 65_536, ca }: FetchOptions = {},
): Promise<string | null> {
  const response = await fetch(url, {
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
    ...(ca !== undefined && { tls: { ca } }),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    if (response.status < 500) return null;
    throw new Error(`Cannot fetch from ${url.host}: it answers ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    // Leaving the loop ends the connection.
    if (length > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
