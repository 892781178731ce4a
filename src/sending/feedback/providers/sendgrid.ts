// SendGrid: up to 1,000 events a request, signed as a whole; the secret is its public key.
// https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event
import { REMEMBER_RECEIPTS_MS } from "../../../accounts/webhook_receipts.ts";
import { markedMail } from "../../../mail/provider_marks.ts";
import type { Notice } from "../../../mail/notice.ts";
import {
  addressIn,
  agentIn,
  bounce,
  instant,
  type JsonFields,
  linkIn,
  object,
  type Said,
  text,
  typeOfRefusal,
  diagnosticIn,
} from "./_fields.ts";
import type { FeedbackProvider } from "./_provider.ts";
import { whyNotEcdsa, whyNotNow } from "./_proofs.ts";

const MAX_EVENTS = 5_000;
/** It repeats for a day, and does not say whether with a new signature. What is repeated counts once for longer than this. */
const TOLERANCE_S = REMEMBER_RECEIPTS_MS / 1_000 - 3_600;
const SIGNATURE = "x-twilio-email-event-webhook-signature";
const TIMESTAMP = "x-twilio-email-event-webhook-timestamp";

/** SendGrid. */
export const sendgridProvider: FeedbackProvider = {
  whyForged({ headers, bytes, now }, secret) {
    const at = headers.get(TIMESTAMP) ?? "";
    return whyNotEcdsa(at, headers.get(SIGNATURE) ?? "", bytes, secret) ?? whyNotNow(at, now, TOLERANCE_S);
  },
  read({ body, now }) {
    const events = Array.isArray(body) ? body.slice(0, MAX_EVENTS) : [];
    return events.map(object).flatMap((event) => {
      const said: Said = {
        mail: markedMail(event.postrider),
        at: instant(event.timestamp, now),
        sentAt: null,
        recipient: addressIn(event.email),
      };
      const notice = noticeOf(event, said);
      return notice && text(event.sg_event_id) !== "" ? [{ id: text(event.sg_event_id), notice }] : [];
    });
  },
};

function noticeOf(event: JsonFields, said: Said): Notice | null {
  const diagnostic = diagnosticIn(event.reason, event.response, event.status);
  const userAgent = agentIn(event.useragent);
  switch (event.event) {
    case "processed":
      return { ...said, kind: "sent" };
    case "delivered":
      return { ...said, kind: "delivery" };
    case "spamreport":
      return { ...said, kind: "complaint" };
    case "deferred":
      return { ...said, kind: "delay", diagnostic };
    case "dropped":
      return { ...said, kind: "rejection", diagnostic };
    case "open":
      return { ...said, kind: "open", userAgent };
    case "click":
      return { ...said, kind: "click", link: linkIn(event.url), userAgent };
    case "bounce":
      // `blocked`: this mail, for a reason that may pass.
      if (event.type === "blocked") return bounce(said, "Transient", diagnostic);
      return bounce(said, typeOfRefusal(codeOf(diagnostic), diagnostic), diagnostic);
    default:
      return null;
  }
}

function codeOf(words: string | null): number {
  return Number(/^\s*([45]\d\d)\b/.exec(words ?? "")?.[1] ?? 0);
}
