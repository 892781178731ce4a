// Resend: one event a request, signed as Standard Webhooks are (Svix). https://resend.com/docs/webhooks/event-types
import { markedMail } from "../../../mail/provider_marks.ts";
import type { BounceType, Notice } from "../../../mail/notice.ts";
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
  diagnosticIn,
} from "./_fields.ts";
import type { FeedbackProvider } from "./_provider.ts";
import { whyNotNow, whyNotSvix } from "./_proofs.ts";

/** Every repetition is signed anew. */
const TOLERANCE_S = 300;
const MAX_HEADERS = 200;
const MARK = "x-entity-ref-id";

/** Resend. */
export const resendProvider: FeedbackProvider = {
  whyForged({ headers, bytes, now }, secret) {
    return (
      whyNotSvix(headers, bytes, secret) ?? whyNotNow(headers.get("svix-timestamp") ?? "", now, TOLERANCE_S)
    );
  },
  read({ headers, body, now }) {
    const event = object(body);
    const data = object(event.data);
    const said: Said = {
      mail: markedMail(markIn(data.headers), data.email_id),
      at: instant(event.created_at, now),
      sentAt: null,
      recipient: addressIn(Array.isArray(data.to) && data.to.length === 1 ? data.to[0] : null),
    };
    const notice = noticeOf(event, data, said);
    return notice ? [{ id: headers.get("svix-id") ?? "", notice }] : [];
  },
};

function markIn(headers: unknown): unknown {
  const fields = Array.isArray(headers) ? headers.slice(0, MAX_HEADERS).map(object) : [];
  return fields.find(({ name }) => text(name).toLowerCase() === MARK)?.value;
}

function noticeOf({ type }: JsonFields, data: JsonFields, said: Said): Notice | null {
  switch (type) {
    case "email.sent":
      return { ...said, kind: "sent" };
    case "email.delivered":
      return { ...said, kind: "delivery" };
    case "email.complained":
      return { ...said, kind: "complaint" };
    case "email.delivery_delayed":
      return { ...said, kind: "delay", diagnostic: "Delayed" };
    case "email.opened":
      return { ...said, kind: "open", userAgent: agentIn(object(data.open).userAgent) };
    case "email.clicked": {
      const { link, userAgent } = object(data.click);
      return { ...said, kind: "click", link: linkIn(link), userAgent: agentIn(userAgent) };
    }
    case "email.failed":
    case "email.suppressed": {
      const diagnostic = diagnosticIn(
        object(data.failed).reason,
        object(data.suppressed).message,
        "Not sent by Resend",
      );
      return { ...said, kind: "rejection", diagnostic };
    }
    case "email.bounced": {
      const { type: kind, message, diagnosticCode } = object(data.bounce);
      const code = Array.isArray(diagnosticCode) ? diagnosticCode[0] : diagnosticCode;
      return bounce(said, typeOf(kind), diagnosticIn(code, message));
    }
    default:
      return null;
  }
}

function typeOf(kind: unknown): BounceType {
  return kind === "Permanent" || kind === "Transient" ? kind : "Undetermined";
}
