// Mailgun: one event a request, with a signature in its body that covers a time and a token, and not the event itself.
// https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
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
import { whyNotHmac, whyNotNow } from "./_proofs.ts";

/** It repeats a webhook for eight hours. */
const TOLERANCE_S = 12 * 3_600;

/** Mailgun. */
export const mailgunProvider: FeedbackProvider = {
  whyForged({ body, now }, secret) {
    const { timestamp, token, signature } = object(object(body).signature);
    return (
      whyNotHmac(text(timestamp) + text(token), text(signature), secret) ??
      whyNotNow(text(timestamp), now, TOLERANCE_S)
    );
  },
  read({ body, now }) {
    const event = object(object(body)["event-data"]);
    const said: Said = {
      mail: markedMail(object(event["user-variables"]).postrider),
      at: instant(event.timestamp, now),
      sentAt: null,
      recipient: addressIn(event.recipient),
    };
    const notice = noticeOf(event, said);
    return notice && text(event.id) !== "" ? [{ id: text(event.id), notice }] : [];
  },
};

function noticeOf(event: JsonFields, said: Said): Notice | null {
  const userAgent = agentIn(object(event["client-info"])["user-agent"]);
  switch (event.event) {
    case "accepted":
      return { ...said, kind: "sent" };
    case "delivered":
      return { ...said, kind: "delivery" };
    case "complained":
      return { ...said, kind: "complaint" };
    case "opened":
      return { ...said, kind: "open", userAgent };
    case "clicked":
      return { ...said, kind: "click", link: linkIn(event.url), userAgent };
    case "rejected":
      return {
        ...said,
        kind: "rejection",
        diagnostic: diagnosticIn(object(event.reject).reason, "Rejected by Mailgun"),
      };
    case "failed":
      return failureOf(event, said);
    default:
      return null;
  }
}

function failureOf(event: JsonFields, said: Said): Notice {
  const status = object(event["delivery-status"]);
  const diagnostic = diagnosticIn(status.message, status.description, event.reason);
  if (event.severity !== "permanent") return { ...said, kind: "delay", diagnostic };
  if (event.reason === "suppress-bounce") return bounce(said, "Permanent", diagnostic);
  // On a list of theirs, or given up: nothing was asked of the recipient's server.
  if (/^suppress-|^old$/.test(text(event.reason))) return { ...said, kind: "rejection", diagnostic };
  return bounce(said, typeOfRefusal(Number(status.code) || 0, diagnostic), diagnostic);
}
