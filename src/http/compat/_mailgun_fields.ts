// What becomes of each field of a message to `POST /v3/:domain/messages`.
import { type FieldTable, ignored, refused, sent } from "./_fields.ts";

/** Of a message. `h:…` and `v:…` stand for all that begin so. */
export const MAILGUN_FIELDS: FieldTable = {
  from: sent(),
  to: sent("up to 1,000 recipients, in several fields or separated by commas"),
  cc: sent("up to 50 recipients with those of `to` and `bcc`"),
  bcc: sent("up to 50 recipients with those of `to` and `cc`"),
  subject: sent(),
  text: sent("where there is no `html`"),
  html: sent("`%unsubscribe_url%` is the address of our own page"),
  "amp-html": refused("AMP is not supported: send html"),
  attachment: sent("files, up to ten with those of `inline`"),
  inline: sent("images that the HTML shows as `cid:` with the name of the file"),
  template: sent("the alias of a template, or its id"),
  "t:version": refused("A template is sent as it is now: leave the version out"),
  "t:text": ignored("the text part is written from the HTML"),
  "t:variables": sent("a JSON object: the variables of the template, for this mail only"),
  "recipient-variables": sent(
    "a JSON object by address: `%recipient.name%` in subject, content, headers and variables is replaced, as are `%recipient%`, `%recipient_email%` and `%recipient_name%`",
  ),
  "o:tag": sent("a tag for each: its name is that of Mailgun's, its value `true`"),
  "o:deliverytime": sent("RFC 2822, up to 90 days ahead; a time that is over means at once"),
  "o:deliverytime-optimize-period": refused("The time is not optimized: give one with o:deliverytime"),
  "o:time-zone-localize": refused("Time zones of recipients are not known: give a time with o:deliverytime"),
  "o:testmode": sent("everything is checked, and nothing is sent"),
  "o:tracking": sent(),
  "o:tracking-clicks": sent("`htmlonly` is `yes`: the text part has no tracked links"),
  "o:tracking-opens": sent(),
  "o:require-tls": refused("Encryption is a setting of the transport, not of a message"),
  "o:skip-verification": ignored("a setting of the transport"),
  "o:dkim": ignored("mails are signed where the domain has a key"),
  "o:secondary-dkim": ignored("mails are signed with the key of the domain"),
  "o:sending-ip": ignored("routes decide which transport a mail takes"),
  "o:sending-ip-pool": ignored("routes decide which transport a mail takes"),
  "h:…": sent(
    "`h:Reply-To` is for replies, `h:X-Mailgun-Variables` as `t:variables`, all others are headers",
  ),
  "v:…": sent("a variable of the template, or, without one, a tag"),
};
