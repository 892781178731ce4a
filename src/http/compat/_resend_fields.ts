// What becomes of each field of a message to `POST /emails`.
import { type FieldTable, refused, sent } from "./_fields.ts";

/** Of a message. */
export const RESEND_FIELDS: FieldTable = {
  from: sent(),
  to: sent(),
  cc: sent("up to 50 recipients with those of `to` and `bcc`"),
  bcc: sent("up to 50 recipients with those of `to` and `cc`"),
  subject: sent(),
  html: sent("what the SDK makes of `react`, too"),
  text: sent("where there is no `html`"),
  reply_to: sent("one or more addresses, without the names"),
  headers: sent(),
  tags: sent(),
  attachments: sent("up to ten files"),
  "attachments.content": sent("base64; as a Buffer in JSON, which older SDKs write, up to 50,000 bytes"),
  "attachments.filename": sent(),
  "attachments.content_type": sent("left out: by the name of the file"),
  "attachments.content_id": sent("an inline image"),
  "attachments.path": refused("Files are not fetched: send the content of the file as base64"),
  scheduled_at: sent("ISO 8601, up to 90 days ahead; no words such as `in 1 hour`"),
  template: sent(),
  "template.id": sent("the alias of a template, or its id"),
  "template.variables": sent("for this mail only: they are not stored"),
  topic_id: refused(
    "Topics are not supported: a template of the type MARKETING goes to subscribed contacts only",
  ),
};
