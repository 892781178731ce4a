// Amazon SNS as far as a receiver sees it: messages that it has signed, and the server that has its certificate.
import { afterAll, beforeAll } from "bun:test";
import { createSign } from "node:crypto";
import { fetchShortText } from "../../src/mail/sns.ts";
import { type Certificate, makeCertificate } from "./certificates.ts";

/** The topic of all messages that name no other. */
export const TOPIC = "arn:aws:sns:eu-west-1:123456789012:mail";
/** The host that the test's own server stands for. */
export const HOST = "https://sns.eu-west-1.amazonaws.com";

/** How a message is signed. */
export interface SigningOptions {
  version?: "1" | "2";
  signer?: Certificate;
}

type Fields = Record<string, string>;

/** A stand-in for SNS, for one test file. */
export interface Sns {
  signer: Certificate;
  /** The paths that were asked for. */
  requests: string[];
  /** What the server answers at a path. */
  answers: Map<string, () => Response | Promise<Response>>;
  /** The certificate of the authority that its server goes by. */
  ca: string;
  /** The address of the server itself. */
  origin: string;
  /** Fetches as the service does, but from the server that stands for the host. */
  fetchText(url: URL): Promise<string | null>;
  /** A certificate at an address of its own. */
  publish(certificate: Certificate): string;
  /** A message with a signature; `fields` go over those of a notification. */
  sign(fields?: Fields, options?: SigningOptions): Fields;
  /** A notification of SES. */
  notify(report: object, options?: SigningOptions & { fields?: Fields }): Fields;
}

const COVERED = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  Confirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
};

/** Signs as Amazon's documentation says. */
export function signMessage(message: Fields, { privateKey }: Certificate, version: "1" | "2" = "2"): Fields {
  const covered = message.Type === "Notification" ? COVERED.Notification : COVERED.Confirmation;
  const signature = createSign(version === "1" ? "RSA-SHA1" : "RSA-SHA256");
  for (const field of covered) {
    if (message[field] !== undefined) signature.update(`${field}\n${message[field]}\n`);
  }
  return { ...message, SignatureVersion: version, Signature: signature.sign(privateKey, "base64") };
}

/** Gives the test file a stand-in for SNS. */
export function useSns(): Sns {
  const sns = {} as Sns;
  let server: Bun.Server<undefined>;

  beforeAll(() => {
    const authority = { name: "Test authority", ...makeCertificate({ name: "Test authority" }) };
    const own = makeCertificate({ name: "localhost", hosts: ["localhost"], issuer: authority });
    const signer = makeCertificate({ name: "sns.amazonaws.com", issuer: authority });
    const requests: string[] = [];
    const answers: Sns["answers"] = new Map();
    server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      tls: { cert: own.certificate, key: own.key },
      fetch: (request) => {
        const { pathname } = new URL(request.url);
        requests.push(pathname);
        return answers.get(pathname)?.() ?? new Response("nothing here", { status: 404 });
      },
    });
    const origin = `https://localhost:${server.port}`;
    const publish = ({ certificate }: Certificate) => {
      const path = `/SimpleNotificationService-${crypto.randomUUID().replaceAll("-", "")}.pem`;
      answers.set(path, () => new Response(certificate));
      return `${HOST}${path}`;
    };
    const SigningCertURL = publish(signer);
    const sign = (fields: Fields = {}, options: SigningOptions = {}) =>
      signMessage(
        {
          Type: "Notification",
          MessageId: crypto.randomUUID(),
          TopicArn: TOPIC,
          Message: "Hello",
          Timestamp: new Date().toISOString(),
          SigningCertURL,
          ...fields,
        },
        options.signer ?? signer,
        options.version,
      );
    Object.assign(sns, {
      signer,
      requests,
      answers,
      ca: authority.certificate,
      origin,
      fetchText: (url: URL) =>
        // A busy machine takes long for hundreds at once.
        fetchShortText(new URL(url.pathname + url.search, origin), {
          ca: authority.certificate,
          timeoutMs: 60_000,
        }),
      publish,
      sign,
      notify: (report: object, { fields, ...options }: SigningOptions & { fields?: Fields } = {}) =>
        sign({ Message: JSON.stringify(report), ...fields }, options),
    } satisfies Sns);
  });

  afterAll(async () => {
    await server.stop(true);
  });

  return sns;
}

/** A confirmation of a subscription, not yet signed. */
export function confirmation(fields: Fields = {}): Fields {
  return {
    Type: "SubscriptionConfirmation",
    Token: "0123456789abcdef",
    Message: "You have chosen to subscribe to the topic.",
    SubscribeURL: `${HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=0123456789abcdef`,
    ...fields,
  };
}
