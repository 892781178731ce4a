// What the secret of a provider's webhook looks like, so that a wrong one is noticed when it is given.
import { createPublicKey } from "node:crypto";
import type { FeedbackSource } from "./provider_marks.ts";

const MIN_LENGTH = 8;
/** Longest secret. */
export const MAX_SECRET = 1_000;
const LOG_IN = "the user and password in the address of the webhook, such as hook:a-long-password";

/** What is expected of a secret, as the end of a sentence; null where nothing is wrong with it. */
export function wrongInSecret(provider: FeedbackSource, secret: string): string | null {
  // A user is told from the password by the colon; no secret has blanks, which are lost when it is copied.
  if (/[^!-~]/.test(secret)) return "no blanks, and nothing but ASCII";
  if (secret.length < MIN_LENGTH) return `at least ${MIN_LENGTH} characters`;
  switch (provider) {
    case "sendgrid":
      return isPublicKey(secret) ? null : "the verification key of SendGrid's signed event webhook";
    case "resend":
      return /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(secret) ? null : "the signing secret of Resend, whsec_…";
    case "postmark":
    case "mailjet":
      return /^[^:]+:.+$/.test(secret) ? null : LOG_IN;
    case "mailgun":
    case "brevo":
    case "arf":
      return null;
  }
}

function isPublicKey(text: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(text, "base64"), format: "der", type: "spki" });
    return key.asymmetricKeyType === "ec";
  } catch {
    return false;
  }
}
