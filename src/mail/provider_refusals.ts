// What a relay says when it refuses the account and not the mail: the mail may go another way, because nobody has taken it.
// Each line with the page of the provider that describes it, as of November 2026.

/**
 * RATE: too fast, for a moment. QUOTA: used up, until it begins anew. ACCOUNT: the account or its log-in is refused until a
 * person has done something.
 */
export type RefusalKind = "RATE" | "QUOTA" | "ACCOUNT";

interface Refusal {
  kind: RefusalKind;
  words: RegExp;
}

const REFUSALS: readonly Refusal[] = [
  // Amazon SES: docs.aws.amazon.com/ses/latest/dg/troubleshoot-smtp.html
  { kind: "QUOTA", words: /Throttling failure: Daily message quota exceeded/i },
  { kind: "RATE", words: /Throttling failure: Maximum sending rate exceeded/i },
  { kind: "ACCOUNT", words: /Sending (is )?(paused|suspended)|account('s ability to send)? is paused/i },
  // Google: support.google.com/a/answer/3726730
  { kind: "QUOTA", words: /5\.4\.5 .*(Daily|sending) .*(quota|limit) exceeded/i },
  { kind: "QUOTA", words: /Daily (user sending|SMTP relay) (quota|limit) exceeded/i },
  { kind: "RATE", words: /(Mail|SMTP) relay.* (rate|limit) exceeded|4\.7\.0 Too many login attempts/i },
  // Microsoft: learn.microsoft.com/exchange/mail-flow-best-practices/non-delivery-reports-in-exchange-online
  { kind: "RATE", words: /4\.3\.2 STOREDRV\.ClientSubmit; sender thread limit exceeded/i },
  {
    kind: "QUOTA",
    words: /5\.1\.90|reached your daily limit for message recipients|submission quota exceeded/i,
  },
  { kind: "ACCOUNT", words: /5\.1\.8 .*bad outbound sender|5\.7\.50[123]\b/i },
  // SendGrid: docs.sendgrid.com/for-developers/sending-email/smtp-errors-and-troubleshooting
  { kind: "QUOTA", words: /Maximum credits exceeded|reached your messaging? limits?/i },
  // Mailgun: help.mailgun.com (SMTP responses)
  {
    kind: "QUOTA",
    words: /is not allowed to send: .*limit exceeded|(hourly|daily|monthly) .*limit .*exceeded/i,
  },
  {
    kind: "ACCOUNT",
    words: /Domain .* is (disabled|not allowed to send)|account (is )?(disabled|suspended|inactive)/i,
  },
  // Postmark: postmarkapp.com/developer/user-guide/send-email-with-smtp
  { kind: "ACCOUNT", words: /account (is )?(pending approval|has been (disabled|suspended))/i },
  { kind: "QUOTA", words: /not enough (email )?credits|out of (email )?credits/i },
  // Any: RFC 4954 (section 6), of a log-in
  { kind: "ACCOUNT", words: /^(454|530|534|535|538)\b/ },
];

/** A mailbox that does not exist, is disabled or full, or has its own limits, is no business of the account. */
const ABOUT_RECIPIENT =
  /\b[45]\.(2\.[0-9]+|1\.[12346]|1\.10)\b|mailbox|recipient.*(over|exceed).*quota|over quota/i;
/** Replies repeat the address of the recipient, who could choose one that looks like a refusal. */
const ADDRESS = /<[^>]*>|\S+@\S+/g;

/** What a reply of a relay says of the account. Null: it is about the mail, its recipient or the moment. */
export function refusalOf(response: string): RefusalKind | null {
  if (!/^[45]\d\d\b/.test(response)) return null;
  const said = response.replace(ADDRESS, "");
  const found = REFUSALS.find(({ words }) => words.test(said));
  if (!found) return null;
  return ABOUT_RECIPIENT.test(said) && !/sending|relay|submission|throttling/i.test(said) ? null : found.kind;
}
