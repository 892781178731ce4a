// The header fields that tell mail servers and mailbox providers what kind of mail this is. Custom headers of the
// request win over all of them, whatever their case.

/** What the fields are derived from. */
export interface MailKind {
  type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
  sourceType: "TRANSACTIONAL" | "CAMPAIGN" | "WORKFLOW";
  projectId: string;
  campaignId: string | null;
}

/** Gmail's name for who sends: 5 to 15 characters, the same in all mails of an installation. */
const SENDER_ID = "postrider";

const UNSUBSCRIBE_FIELDS = ["list-unsubscribe", "list-unsubscribe-post"];

/**
 * The fields of one content, the same for all of its recipients.
 *
 * A newsletter is `Precedence: bulk`: automatic responders, such as absence notes, do not answer it. It is not
 * `Auto-Submitted`, which is for mail that no person has sent (RFC 3834 section 5). Everything else is: a mail caused
 * by a request or by a workflow, and also a transactional campaign, since a filter may sort bulk mail away.
 * `X-Auto-Response-Suppress` says the same to Exchange, with only the two values about automatic answers: `All` would
 * suppress delivery reports as well.
 *
 * There is no `List-Id`: it names a list that people are on (RFC 2919), and an audience is different each time.
 */
export function deliverabilityHeaders(kind: MailKind): Record<string, string> {
  const isNewsletter = kind.sourceType === "CAMPAIGN" && kind.type !== "TRANSACTIONAL";
  return {
    ...(isNewsletter ? { Precedence: "bulk" } : { "Auto-Submitted": "auto-generated" }),
    "X-Auto-Response-Suppress": "OOF, AutoReply",
    "Feedback-ID": feedbackId(kind),
  };
}

/**
 * The two fields of one-click unsubscription. RFC 8058 requires https; with an http address the fields are present all
 * the same, for an installation that is being tried out, and mail clients ignore them.
 */
export function unsubscribeHeaders(url: string): Record<string, string> {
  return {
    "List-Unsubscribe": `<${headerUrl(url)}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  };
}

/**
 * The headers of the request, and those of ours that it does not set. A request that sets one of the two fields about
 * unsubscribing has its own way to do it: then neither of ours is added, since each refers to the other.
 */
export function mergeHeaders(
  custom: Readonly<Record<string, string>> | null,
  ours: Readonly<Record<string, string>>,
): Record<string, string> {
  const named = new Set(Object.keys(custom ?? {}).map((name) => name.toLowerCase()));
  if (namesUnsubscription(custom)) for (const name of UNSUBSCRIBE_FIELDS) named.add(name);
  const added = Object.entries(ours).filter(([name]) => !named.has(name.toLowerCase()));
  return { ...Object.fromEntries(added), ...custom };
}

/** Whether these headers hold a way to unsubscribe. */
export function namesUnsubscription(headers: Readonly<Record<string, string>> | null): boolean {
  return Object.keys(headers ?? {}).some((name) => UNSUBSCRIBE_FIELDS.includes(name.toLowerCase()));
}

/**
 * Up to three identifiers and then the sender, for Gmail's feedback loop, which counts complaints for each of them
 * separately. So none may identify a single mail or recipient, and no two fields may have the same value.
 */
function feedbackId({ type, sourceType, projectId, campaignId }: MailKind): string {
  const source = campaignId ?? (sourceType === "TRANSACTIONAL" ? "api" : sourceType.toLowerCase());
  return [source, projectId, type.toLowerCase(), SENDER_ID].join(":");
}

/** Any URL in a form that may be between angle brackets in a header. */
function headerUrl(url: string): string {
  return url.toWellFormed().replace(/[^!-;=?-~]/gu, encodeURIComponent);
}
