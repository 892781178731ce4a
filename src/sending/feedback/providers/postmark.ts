// Postmark: one event a request, Basic authentication in the address of the webhook.
// https://postmarkapp.com/developer/webhooks/webhooks-overview
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

const PERMANENT = new Set(["HardBounce", "BadEmailAddress"]);
/** Answers of people and programs, which say nothing about whether the mail arrived. */
const NO_BOUNCE = new Set([
  "AutoResponder",
  "AddressChange",
  "ChallengeVerification",
  "Subscribe",
  "Unsubscribe",
  "OpenRelayTest",
  "InboundError",
]);
const REJECTED = new Set(["SMTPApiError", "TemplateRenderingFailed", "Unconfirmed", "ManuallyDeactivated"]);

/** Postmark. */
export const postmarkProvider: FeedbackProvider = {
  whyForged: ({ headers }, secret) => whyNotLoggedIn(headers, secret),
  read({ body, now }) {
    const event = object(body);
    const at = instant(event.DeliveredAt ?? event.BouncedAt ?? event.ReceivedAt ?? event.ChangedAt, now);
    const said: Said = {
      mail: markedMail(object(event.Metadata).postrider),
      at,
      sentAt: null,
      recipient: addressIn(event.Recipient ?? event.Email),
    };
    const notice = noticeOf(event, said);
    if (!notice) return [];
    const id = [
      event.RecordType,
      event.ID,
      event.MessageID,
      said.recipient,
      at.toISOString(),
      event.OriginalLink,
    ];
    return [{ id: id.map(text).join(" "), notice }];
  },
};

function noticeOf(event: JsonFields, said: Said): Notice | null {
  switch (event.RecordType) {
    case "Delivery":
      return { ...said, kind: "delivery" };
    case "SpamComplaint":
      return { ...said, kind: "complaint" };
    case "Open":
      return { ...said, kind: "open", userAgent: agentIn(event.UserAgent) };
    case "Click":
      return {
        ...said,
        kind: "click",
        link: linkIn(event.OriginalLink),
        userAgent: agentIn(event.UserAgent),
      };
    case "Bounce":
      return bounceOf(event, said);
    default:
      return null;
  }
}

function bounceOf({ Type, Details, Description }: JsonFields, said: Said): Notice | null {
  const type = text(Type);
  const diagnostic = diagnosticIn(Details, Description, type);
  if (NO_BOUNCE.has(type)) return null;
  if (type === "SpamComplaint") return { ...said, kind: "complaint" };
  if (type === "Transient") return { ...said, kind: "delay", diagnostic };
  if (REJECTED.has(type)) return { ...said, kind: "rejection", diagnostic };
  return bounce(said, PERMANENT.has(type) ? "Permanent" : "Transient", diagnostic);
}
