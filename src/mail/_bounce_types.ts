// Whether an address works, by the words of those who could not deliver to it. Only a bounce about the address itself
// is permanent: a server that takes us for spam, or a message for too large, says nothing about the next one.
import type { BounceType } from "./notice.ts";

/** An enhanced status code (RFC 3463): class, subject, detail. Neither a version nor a part of an IP address. */
const ENHANCED = /(?<![\d.])([245])\.([0-7])\.(\d{1,3})(?!\.?\d)/g;
/** The code of an SMTP reply, before its text. */
const REPLY = /(?<![\d.])([45])\d\d[ \-#]/;

const GONE =
  /unknown (?:user|recipient|address|mailbox|account)|(?:user|recipient|mailbox|address|account)(?: is)? unknown|no such (?:user|recipient|mailbox|address|account|person)|no (?:mailbox|valid recipient)|(?:does not|doesn't|didn't|not) exist|(?:recipient|mailbox|address|account|user|domain)(?: was| is)? not found|host or domain name not found|invalid (?:recipient|mailbox|address|user)|mailbox unavailable|address rejected|(?:user|recipient|mailbox|address|account)[^.;]{0,40}(?:disabled|closed|deactivated|inactive|discontinued)/i;
const FULL =
  /(?:mailbox|quota|storage)[^.;]{0,40}(?:full|exceed)|(?:over|exceed)[^.;]{0,20}(?:quota|storage)/i;
const NOT_THE_ADDRESS =
  /spam|junk|virus|blocked|block ?list|black ?list|listed|policy|reputation|rate limit|too (?:many|large|big)|exceeds[^.;]{0,30}size|content|relay|authenticat|dmarc|\bspf\b|dkim|access denied|not authori[sz]ed|permission/i;

/**
 * What a failed delivery says about the address. `status` is the code of a report, `words` the server's reply, or the
 * text of a mail without a code.
 */
export function bounceTypeOf(status: string | null, words: string): BounceType {
  const codes = [...(status ?? "").matchAll(ENHANCED), ...words.matchAll(ENHANCED).take(10)].map(
    ([, kind, subject, detail]) => ({ kind: kind!, subject: Number(subject), detail: Number(detail) }),
  );
  // `5.0.0` only says that it failed: the server's words may be more specific.
  const code = codes.find(({ subject }) => subject !== 0) ?? codes[0];
  const kind = code?.kind ?? REPLY.exec(words)?.[1];
  if (kind === "4") return "Transient";
  if (kind !== "5") return "Undetermined";
  return permanenceOf(code?.subject ?? 0, code?.detail ?? 0, words);
}

/** Of a failure of class 5. */
function permanenceOf(subject: number, detail: number, words: string): BounceType {
  // The sender's address is meant.
  if (subject === 1) return detail === 7 || detail === 8 ? "Undetermined" : "Permanent";
  if (subject === 2) return byMailbox(detail);
  // There is no such host; for Exchange, no such domain.
  if (subject === 4 && (detail === 4 || detail === 310)) return "Permanent";
  // Time has run out.
  if (subject === 4 && detail === 7) return "Transient";
  // Exchange uses 5.4.1 for unknown recipients, with these words.
  if (subject === 4 && detail === 1) return GONE.test(words) ? "Permanent" : "Undetermined";
  if (subject !== 0 && subject !== 5) return "Undetermined";
  if (FULL.test(words)) return "Transient";
  if (GONE.test(words)) return "Permanent";
  return NOT_THE_ADDRESS.test(words) ? "Undetermined" : "Permanent";
}

function byMailbox(detail: number): BounceType {
  if (detail === 2) return "Transient";
  // Too large for this recipient; a list that could not be expanded.
  return detail === 3 || detail === 4 ? "Undetermined" : "Permanent";
}
