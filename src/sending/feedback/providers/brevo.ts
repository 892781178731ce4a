// Brevo: one event a request, or a list of them; Basic authentication or a bearer token.
// https://developers.brevo.com/docs/transactional-webhooks
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
  diagnosticIn,
} from "./_fields.ts";
import type { FeedbackProvider } from "./_provider.ts";
import { whyNotLoggedIn } from "./_proofs.ts";

const MAX_EVENTS = 5_000;

/** Brevo. */
export const brevoProvider: FeedbackProvider = {
  whyForged: ({ headers }, secret) => whyNotLoggedIn(headers, secret),
  read({ body, now }) {
    const events = Array.isArray(body) ? body.slice(0, MAX_EVENTS) : [body];
    return events.map(object).flatMap((event) => {
      // Of the fields about time these are in UTC, and `date` in the zone of the account.
      const at = instant(event.ts_event ?? event.ts, now);
      const said: Said = {
        mail: markedMail(event["X-Mailin-custom"]),
        at,
        sentAt: null,
        recipient: addressIn(event.email),
      };
      const notice = noticeOf(event, said);
      if (!notice) return [];
      const id = [event.event, event["message-id"], event.email, event.ts_event ?? event.ts, event.link];
      return [{ id: id.map(text).join(" "), notice }];
    });
  },
};

function noticeOf(event: JsonFields, said: Said): Notice | null {
  const diagnostic = diagnosticIn(event.reason, event.event);
  const userAgent = agentIn(event.user_agent);
  switch (event.event) {
    case "request":
      return { ...said, kind: "sent" };
    case "delivered":
      return { ...said, kind: "delivery" };
    case "spam":
      return { ...said, kind: "complaint" };
    case "deferred":
      return { ...said, kind: "delay", diagnostic };
    case "hard_bounce":
    case "invalid_email":
      return bounce(said, "Permanent", diagnostic);
    case "soft_bounce":
      return bounce(said, "Transient", diagnostic);
    case "blocked":
    case "error":
      return { ...said, kind: "rejection", diagnostic };
    case "opened":
      return { ...said, kind: "open", userAgent };
    case "click":
      return { ...said, kind: "click", link: linkIn(event.link), userAgent };
    default:
      return null;
  }
}
