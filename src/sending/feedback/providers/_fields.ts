// Fields of the JSON of strangers: what is not of the expected kind is as good as missing.
import { parseAddress } from "../../../mail/address.ts";
import { replyMeaning } from "../../../mail/reply_meaning.ts";
import { type BounceType, diagnosticOf, type Notice, storableText } from "../../../mail/notice.ts";

export type JsonFields = Record<string, unknown>;

const MAX_AGENT = 1_000;
const MAX_LINK = 8_000;
/** Times before these providers existed are not credible. */
const EARLIEST = Date.UTC(2009, 0, 1);

export function object(value: unknown): JsonFields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonFields) : {};
}

export function text(value: unknown): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value : "";
}

/** A time as ISO 8601 or in seconds since 1970; what lies ahead of our own clock, or is none, happened now. */
export function instant(value: unknown, now: Date): Date {
  const isSeconds =
    typeof value === "number" || (typeof value === "string" && /^\d{9,11}(\.\d+)?$/.test(value));
  const time = isSeconds ? Number(value) * 1_000 : Date.parse(text(value));
  return time >= EARLIEST && time < now.getTime() ? new Date(time) : now;
}

/** A well-formed address, or null. */
export function addressIn(value: unknown): string | null {
  return typeof value === "string" ? (parseAddress(value)?.email ?? null) : null;
}

/** The first words that say something, in one line. */
export function diagnosticIn(...values: unknown[]): string | null {
  for (const value of values) {
    const words = diagnosticOf(value);
    if (words !== null) return words;
  }
  return null;
}

export function agentIn(value: unknown): string | null {
  return storableText(value, MAX_AGENT);
}

export function linkIn(value: unknown): string {
  return storableText(value, MAX_LINK) ?? "";
}

/** What all notices about one mail have in common. */
export type Said = Pick<Notice, "mail" | "at" | "sentAt" | "recipient">;

/** A bounce. */
export function bounce(said: Said, bounceType: BounceType, diagnostic: string | null): Notice {
  return { ...said, kind: "bounce", bounceType, diagnostic };
}

/** Whether a final refusal is about the address: being taken for spam, say, means nothing for the next mail. */
export function typeOfRefusal(code: number, words: string | null): BounceType {
  const meaning = replyMeaning(code >= 400 ? code : 550, words ?? "");
  return meaning === "permanent" || meaning === "unknown" ? "Permanent" : "Undetermined";
}
