// What the refusal of a mail server means, beyond "later" and "never".

/**
 * `permanent`: there is no such mailbox. `full`: it is full. `spam`: the mail, or who sends it, is taken for spam. `policy`: something
 * else about the mail or its sender is not accepted. `transient`: it may go well later. `unknown`: it cannot be told.
 */
export type ReplyMeaning = "permanent" | "full" | "spam" | "policy" | "transient" | "unknown";

/**
 * Enhanced status codes without their class (RFC 3463, with the registry of RFC 5248), and what they mean where the
 * reply is final. https://www.iana.org/assignments/smtp-enhanced-status-codes
 */
const BY_STATUS: Record<string, ReplyMeaning> = {
  "1.0": "permanent", // other address status
  "1.1": "permanent", // bad destination mailbox
  "1.2": "permanent", // bad destination system
  "1.3": "permanent", // bad destination mailbox syntax
  "1.4": "permanent", // ambiguous destination mailbox
  "1.6": "permanent", // mailbox has moved
  "1.7": "policy", // bad sender's mailbox syntax
  "1.8": "policy", // bad sender's system
  "1.10": "permanent", // null MX (RFC 7505)
  "2.0": "unknown", // other mailbox status
  "2.1": "permanent", // mailbox disabled
  "2.2": "full",
  "2.3": "policy", // message too long for the mailbox
  "3.1": "full", // mail system full
  "3.2": "transient", // system not accepting messages
  "3.4": "policy", // message too big for the system
  "4.4": "permanent", // unable to route
  "4.7": "transient", // delivery time expired
  "7.0": "policy",
  "7.1": "policy", // delivery not authorised; many write it for spam
  "7.5": "policy",
  "7.8": "policy", // authentication credentials invalid
  "7.20": "policy", // no passing DKIM signature (RFC 7372), and so on
  "7.21": "policy",
  "7.22": "policy",
  "7.23": "policy", // SPF
  "7.24": "policy",
  "7.25": "policy", // reverse DNS
  "7.26": "policy", // several kinds of authentication
  "7.27": "policy", // null MX of the sender (RFC 7505)
  "7.28": "spam", // mail flood detected (RFC 8430)
};

/**
 * Words of large providers. Google: support.google.com/a/answer/3726730. Microsoft: "S3150", "S3140" and "banned sending
 * IP" at sendersupport.olc.protection.outlook.com. Yahoo: "[TSS04]", "[PH01]" at senders.yahooinc.com/smtp-error-codes.
 */
const SPAM_WORDS =
  /spam|unsolicited|block ?list|black ?list|\bblocked\b|blocked using|reputation|\bRBL\b|spamhaus|spamcop|barracuda|S31[45]0|banned sending|\[(?:TSS|PH|BL|TS)\d\d\]|user complaints/i;
const FULL_WORDS =
  /over ?quota|quota (?:exceeded|full)|mailbox (?:is )?full|insufficient storage|out of storage/i;
const NOBODY_WORDS =
  /no such (?:user|mailbox|recipient|account)|user (?:is )?unknown|unknown (?:user|recipient)|(?:user|mailbox|recipient|account)(?: address)?(?: \S+)? (?:not found|does ?n[o']t exist|unavailable)|does not exist|invalid (?:recipient|mailbox)/i;

/** “Too many concurrent SMTP connections”, but not “connection rate limit exceeded”. */
const TOO_MANY_CONNECTIONS = /^(?!.*\brate\b).*\b(?:too many|maximum|limit).*\b(?:connections|sessions)\b/i;

/** Whether a server lets nobody more in, though it may take any mail over the connections that there are. */
export function meansTooManyConnections(text: string): boolean {
  return TOO_MANY_CONNECTIONS.test(text);
}

/** Tells what a reply means, by its code (such as 550; 0 for none) and its text. */
export function replyMeaning(code: number, text: string): ReplyMeaning {
  if (code < 400) return "unknown";
  const [, status] = /\b[45]\.(\d{1,3}\.\d{1,3})\b/.exec(text) ?? [];
  const known = status === undefined ? undefined : BY_STATUS[status];
  // A server that takes a sender for a spammer says so under many codes, also of "no such mailbox".
  if (known !== "full" && SPAM_WORDS.test(text)) return "spam";
  if (known === "full" || (known === undefined && FULL_WORDS.test(text))) return "full";
  if (code < 500) return known === "policy" ? "policy" : "transient";
  if (known !== undefined && known !== "unknown" && known !== "transient") return known;
  if (NOBODY_WORDS.test(text)) return "permanent";
  return known ?? "unknown";
}
