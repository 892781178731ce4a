// Mailjet: one event a request, or a list of up to 800 where events are grouped; Basic authentication.
// https://dev.mailjet.com/email/guides/webhooks
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

/** Mailjet. */
export const mailjetProvider: FeedbackProvider = {
  whyForged: ({ headers }, secret) => whyNotLoggedIn(headers, secret),
  read({ body, now }) {
    const events = Array.isArray(body) ? body.slice(0, MAX_EVENTS) : [body];
    return events.map(object).flatMap((event) => {
      const said: Said = {
        mail: markedMail(event.CustomID),
        at: instant(event.time, now),
        sentAt: null,
        recipient: addressIn(event.email),
      };
      const notice = noticeOf(event, said);
      if (!notice) return [];
      const id = [event.event, event.Message_GUID ?? event.MessageID, event.email, event.time, event.url];
      return [{ id: id.map(text).join(" "), notice }];
    });
  },
};

function noticeOf(event: JsonFields, said: Said): Notice | null {
  const diagnostic = diagnosticIn(event.comment, event.error, event.event);
  const userAgent = agentIn(event.agent);
  switch (event.event) {
    // Their word for what the recipient's server has accepted.
    case "sent":
      return { ...said, kind: "delivery" };
    case "spam":
      return { ...said, kind: "complaint" };
    case "bounce":
      return bounce(said, event.hard_bounce === true ? "Permanent" : "Transient", diagnostic);
    case "blocked":
      return { ...said, kind: "rejection", diagnostic };
    case "open":
      return { ...said, kind: "open", userAgent };
    case "click":
      return { ...said, kind: "click", link: linkIn(event.url), userAgent };
    default:
      return null;
  }
}
