// What others report about a mail after it was handed over: a provider's notices, or reports that come back as mail.
// Here they have one shape, whatever the source; `sending/feedback/mod.ts` stores them.

/** By what a notice names the mail: our own ids, both or neither, or the id that the provider gave it. */
export interface MailName {
  projectId: string | null;
  emailId: string | null;
  providerId: string | null;
  /** Whoever tells may tell only about mails of this project. Left out: about all. */
  within?: string;
}

/** Permanent: the address does not work. The others say that this mail did not arrive, and nothing about the next one. */
export type BounceType = "Permanent" | "Transient" | "Undetermined";

interface Said {
  mail: MailName;
  /** When it happened, according to the reporter. */
  at: Date;
  /** When the provider accepted the mail, where it says so. */
  sentAt: Date | null;
  /** The recipient it is about, where given: a well-formed address. */
  recipient: string | null;
}

/** One thing that happened to one mail. `rejection`: the provider took it and then did not send it. */
export type Notice = Said &
  (
    | { kind: "sent" | "delivery" | "complaint" }
    | { kind: "bounce"; bounceType: BounceType; diagnostic: string | null }
    | { kind: "rejection" | "delay"; diagnostic: string | null }
    | { kind: "open"; userAgent: string | null }
    | { kind: "click"; link: string; userAgent: string | null }
  );

/** A mail that somebody has sent to one of our domains. */
export interface ReceivedMail {
  /** The author; null for a report of a mail server, which has none. */
  sender: { email: string; name: string | null } | null;
  /** Well-formed addresses that it was received for. */
  recipients: string[];
  subject: string | null;
  messageId: string | null;
  at: Date;
  /** What the provider's filters say, such as `{spam: "PASS"}`. */
  verdicts: Record<string, string>;
}

const DIAGNOSTIC_LENGTH = 500;

/** The words of a stranger as one line that the database can hold, 500 characters at most; null when there are none. */
export function diagnosticOf(words: unknown): string | null {
  return storableText(words, DIAGNOSTIC_LENGTH);
}

/** Text of a stranger as one line that the database can hold, cut to `maxLength`; null when nothing is left. */
export function storableText(text: unknown, maxLength: number): string | null {
  if (typeof text !== "string") return null;
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
  return line.slice(0, maxLength).toWellFormed() || null;
}
