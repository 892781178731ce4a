// Reads returned mails: reports of mail servers (RFC 3464, RFC 6533), complaints (ARF, RFC 5965), bounces from servers
// without a format for them, and answers by people and machines, which say nothing. Knows no database.
//
// The input is untrusted: only its beginning is read, no part of it inside of another mail counts, and anything
// unreadable is a mail without a report.
import PostalMime, { type Attachment, type Email } from "postal-mime";
import { bounceTypeOf } from "./_bounce_types.ts";
import { type ReportFields, readGroups } from "./_report_fields.ts";
import { parseAddress } from "./address.ts";
import { type BounceType, diagnosticOf, storableText } from "./notice.ts";

interface Found {
  /** As given in the report; null if it is missing. */
  at: Date | null;
  /** Well-formed; null if it is missing. */
  recipient: string | null;
}

/** One thing that happened to a mail; see {@linkcode Notice}. */
export type ReportedOutcome = Found &
  (
    | { kind: "sent" | "delivery" | "complaint" }
    | { kind: "delay"; diagnostic: string | null }
    | { kind: "bounce"; bounceType: BounceType; diagnostic: string | null }
  );

/** The findings of one mail. */
export interface MailReport {
  /** Empty if it says nothing about a delivery. */
  findings: ReportedOutcome[];
  /** Of a complaint: its fields, where it has some, and the header of the mail it is about, which has the return path. Otherwise empty. */
  evidence: string;
  /** For the log. */
  subject: string | null;
}

/** Reports come first, and the mail they are about at the end. */
const MAX_READ = 128 * 1024;
const MIME_LIMITS = { maxNestingDepth: 20, maxHeadersSize: 64 * 1024, forceRfc822Attachments: true };
const MAX_TEXT = 4_000;
const MAX_EVIDENCE = 64 * 1024;

const DELIVERY_REPORTS = ["message/delivery-status", "message/global-delivery-status"];
const COMPLAINTS = ["abuse", "fraud", "opt-out", "opt-out-list"];
/** How mail servers name themselves and describe a failure, where they have no format for it. */
const DAEMON = /^(?:mailer-daemon|mail-daemon|maildaemon|postmaster)@/i;
const FAILED =
  /undeliver|returned mail|returned to sender|failure notice|(?:mail|message) delivery (?:has )?(?:failed|failure)|delivery (?:has )?fail|delivery status notification|delivery (?:notification|report|error)/i;
const DELAYED =
  /delayed (?:mail|delivery)|(?:mail|message|delivery)[^.]{0,60} delayed|could not send message for past/i;
const JMRP_SENDER = /^staff@hotmail\.com$/i;
const JMRP_SUBJECT = /^complaint about message from/i;
/** From here on it is a copy of the mail. */
const COPY =
  /^-{2,}[^\n]{0,40}(?:below this line|copy of|original message|returned message|message header|unsent message)/im;

/**
 * Reads a returned mail. `fromNobody`: its envelope sender was empty, as for every report. Never throws, and takes a
 * fraction of a second at most, whatever it is.
 */
export async function readMailReport(source: Uint8Array, fromNobody: boolean): Promise<MailReport> {
  const mail = await parse(source);
  const parts = mail?.attachments ?? [];
  const subject = storableText(mail?.subject, 200);
  const complaint = parts.find(({ mimeType }) => mimeType === "message/feedback-report");
  if (complaint) {
    const report = textOf(complaint, MAX_EVIDENCE);
    const findings = complaintsIn(report, dateOf(mail!.date));
    return { findings, evidence: `${report}\n${originalHeader(parts)}`, subject };
  }
  const forwarded = forwardedComplaint(mail, parts);
  if (forwarded) return { ...forwarded, subject };
  const delivery = parts.find(({ mimeType }) => DELIVERY_REPORTS.includes(mimeType));
  const reported = delivery ? deliveriesIn(textOf(delivery), dateOf(mail!.date)) : [];
  const findings = reported.length > 0 ? reported : findingsInText(mail, fromNobody);
  return { findings, evidence: "", subject };
}

async function parse(source: Uint8Array): Promise<Email | null> {
  try {
    return await PostalMime.parse(source.subarray(0, MAX_READ), MIME_LIMITS);
  } catch {
    return null;
  }
}

/** One finding for each recipient that a delivery report speaks of. */
function deliveriesIn(report: string, sentAt: Date | null): ReportedOutcome[] {
  return readGroups(report).flatMap((group) => {
    const status = group.get("status") ?? null;
    const diagnostic = group.get("diagnostic-code")?.replace(/^[\w.-]{1,50}\s*;\s*/, "") ?? "";
    const recipient = addressOf(group.get("original-recipient")) ?? addressOf(group.get("final-recipient"));
    const found = { at: dateOf(group.get("last-attempt-date")) ?? sentAt, recipient };
    const words = diagnosticOf(diagnostic) ?? diagnosticOf(status);
    switch (actionOf(group, status)) {
      case "failed":
        return { ...found, kind: "bounce", bounceType: bounceTypeOf(status, diagnostic), diagnostic: words };
      case "delayed":
        return { ...found, kind: "delay", diagnostic: words };
      case "delivered":
        return { ...found, kind: "delivery" };
      // It was relayed to a server that does not report outcomes.
      case "relayed":
      case "expanded":
        return { ...found, kind: "sent" };
      default:
        return [];
    }
  });
}

/** What was done, in one word; some servers leave it to the status. */
function actionOf(group: ReportFields, status: string | null): string | undefined {
  const action = /^[a-z]+/.exec(group.get("action")?.toLowerCase() ?? "")?.[0];
  return action ?? (/^[45]\./.test(status ?? "") ? "failed" : undefined);
}

function complaintsIn(report: string, at: Date | null): ReportedOutcome[] {
  const groups = readGroups(report);
  const field = (name: string) => groups.map((group) => group.get(name)).find((value) => value !== undefined);
  if (!COMPLAINTS.includes(field("feedback-type")?.toLowerCase() ?? "")) return [];
  return [{ kind: "complaint", at, recipient: addressOf(field("original-rcpt-to")) }];
}

/**
 * What Microsoft's Junk Mail Reporting Program sends: the mail itself, attached, without a report. Its header names whom it went to.
 */
function forwardedComplaint(
  mail: Email | null,
  parts: Attachment[],
): Pick<MailReport, "findings" | "evidence"> | null {
  if (!JMRP_SENDER.test(mail?.from?.address ?? "") || !JMRP_SUBJECT.test(mail?.subject ?? "")) return null;
  const evidence = originalHeader(parts);
  if (evidence === "") return null;
  const recipient = addressOf(/^x-hmxmroriginalrecipient:\s*([^\r\n]{1,320})/im.exec(evidence)?.[1]);
  return { findings: [{ kind: "complaint", at: dateOf(mail!.date), recipient }], evidence };
}

/** The header of the mail that a report is about, with as much of its body as there is room for. */
function originalHeader(parts: Attachment[]): string {
  const original = parts.find(({ mimeType }) =>
    /^(?:message\/(?:global|rfc822)|text\/rfc822-headers)$/.test(mimeType),
  );
  return original ? textOf(original, MAX_EVIDENCE).split(/\r?\n\r?\n/, 1)[0]! : "";
}

/** What a mail without a machine-readable report says: a bounce of an old server, or nothing. */
function findingsInText(mail: Email | null, fromNobody: boolean): ReportedOutcome[] {
  const header = (name: string) => mail?.headers.find(({ key }) => key === name)?.value ?? "";
  const subject = header("subject").slice(0, MAX_TEXT);
  const text = bodyOf(mail);
  const recipient = addressOf(header("x-failed-recipients").split(",", 1)[0]);
  const found = {
    at: dateOf(mail?.date),
    recipient,
    diagnostic: diagnosticOf(text) ?? diagnosticOf(subject),
  };
  const isDaemon = fromNobody || DAEMON.test(mail?.from?.address ?? "");
  if (isDaemon && DELAYED.test(subject)) return [{ ...found, kind: "delay" }];
  if (isDaemon && (recipient !== null || FAILED.test(subject))) {
    return [{ ...found, kind: "bounce", bounceType: bounceTypeOf(null, text) }];
  }
  if (!fromNobody || isAutomatic(header) || isReceipt(mail)) return [];
  return [{ ...found, kind: "bounce", bounceType: "Undetermined" }];
}

/** An absence note, say. Asked only of what does not look like a bounce: reports of mail servers say this as well. */
function isAutomatic(header: (name: string) => string): boolean {
  return (
    /^\s*auto-/i.test(header("auto-submitted")) ||
    /^\s*(?:auto_reply|bulk|junk|list)\b/i.test(header("precedence")) ||
    ["x-autoreply", "x-autorespond", "x-autoresponder"].some((name) => header(name) !== "")
  );
}

/** Somebody has opened the mail. */
function isReceipt(mail: Email | null): boolean {
  return mail?.attachments.some(({ mimeType }) => mimeType === "message/disposition-notification") ?? false;
}

/** What is written, without the copy of the mail that follows. */
function bodyOf(mail: Email | null): string {
  const text = mail?.text ?? mail?.html?.slice(0, MAX_READ).replace(/<[^<>]*>/g, " ") ?? "";
  return text.slice(0, MAX_TEXT).split(COPY, 1)[0]!;
}

/** The address of a typed field (`rfc822; ada@example.com`), or of a plain one. */
function addressOf(value: string | undefined): string | null {
  const address = value?.replace(/^[^;@]*;/, "").replace(/[<>]/g, "");
  return (address && parseAddress(address)?.email) || null;
}

/** Without the comment in which the zone is named. */
function dateOf(value: string | undefined): Date | null {
  const time = Date.parse(value?.slice(0, 100).replace(/\([^()]*\)/g, "") ?? "");
  return Number.isNaN(time) ? null : new Date(time);
}

function textOf({ content }: Attachment, maxBytes = MAX_READ): string {
  const bytes = typeof content === "string" ? Buffer.from(content) : new Uint8Array(content);
  return new TextDecoder().decode(bytes.subarray(0, maxBytes));
}
