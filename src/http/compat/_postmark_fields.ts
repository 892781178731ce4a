// What becomes of each field of a message to `POST /email`, and of the others that send.
import { type FieldTable, ignored, sent } from "./_fields.ts";

/** Of a message. */
export const POSTMARK_FIELDS: FieldTable = {
  From: sent(),
  To: sent("separated by commas: up to 50 recipients with those of `Cc` and `Bcc`"),
  Cc: sent("as `To`"),
  Bcc: sent("as `To`"),
  Subject: sent(),
  HtmlBody: sent(),
  TextBody: sent("where there is no `HtmlBody`"),
  ReplyTo: sent("one or more addresses, without the names"),
  Headers: sent("each name once"),
  "Headers.Name": sent(),
  "Headers.Value": sent(),
  Tag: sent("the tag `tag`"),
  Metadata: sent("a tag for each"),
  MessageStream: sent("the tag `stream`, but for `outbound`"),
  TrackOpens: sent(),
  TrackLinks: sent("`None`, or any other for all links of the HTML"),
  Attachments: sent("up to ten files"),
  "Attachments.Name": sent(),
  "Attachments.Content": sent(),
  "Attachments.ContentType": sent("left out: by the name of the file"),
  "Attachments.ContentID": sent("an inline image, with `cid:` or without"),
  "Attachments.ContentLength": ignored("the content says it"),
  "Attachments.Disposition": ignored("an inline image is one with `ContentID`"),
  TemplateId: sent("the alias of a template, as a number"),
  TemplateAlias: sent("the alias of a template, or its id"),
  TemplateModel: sent("the variables of the template, for this mail only: they are not stored"),
  InlineCss: ignored("templates of ours have their styles as they were written"),
};
