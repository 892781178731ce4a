// What Amazon SES says in the messages that it sends through SNS: events of a configuration set (`eventType`) and
// feedback of an identity (`notificationType`) differ in little but that name, and so does received mail
// (https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html and
// https://docs.aws.amazon.com/ses/latest/dg/receiving-email-notifications-contents.html).
import { parseAddress, parseMailbox } from "./address.ts";
import {
  type BounceType,
  diagnosticOf,
  type MailName,
  type Notice,
  type ReceivedMail,
  storableText,
} from "./notice.ts";

/** The content of one message of SES. */
export interface SesReport {
  notices: Notice[];
  received: ReceivedMail | null;
}

/** SES has at most 50 recipients in a mail. */
const MAX_RECIPIENTS = 100;
const MAX_HEADERS = 1_000;
/** One line of a header (RFC 5322); ours are shorter. */
const MAX_HEADER = 998;
const MAX_SUBJECT = 998;
const MAX_LINK = 8_000;
const MAX_AGENT = 1_000;
const MAX_NAME = 500;
/** Times before SES existed are not credible. */
const EARLIEST = Date.UTC(2011, 0, 1);

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** Our own headers (`headers.ts`, `compose.ts`), which SES gives back as they were. */
const OUR_MESSAGE_ID = new RegExp(`^\\s*<?(${UUID})@`, "i");
const OUR_FEEDBACK_ID = new RegExp(`^[^:]+:(${UUID}):[^:]+:postrider\\s*$`, "i");

/** How the SMTP server of SES confirms a mail, with its id. */
const SES_REPLY = new RegExp(`^250 (?:2\\.\\d\\.\\d )?Ok ([0-9a-f]{16}-${UUID}-\\d{6})$`, "i");

/** The verdicts on a received mail, and their names here. */
const VERDICTS = {
  spam: "spamVerdict",
  virus: "virusVerdict",
  spf: "spfVerdict",
  dkim: "dkimVerdict",
  dmarc: "dmarcVerdict",
};

type Json = Record<string, unknown>;

/** What of every message goes into each of its notices. */
type Common = Pick<Notice, "mail" | "sentAt">;

/** The id by which SES will speak of a mail, from the reply of its SMTP server; null for the reply of any other. */
export function sesMessageId(response: string): string | null {
  return SES_REPLY.exec(response)?.[1] ?? null;
}

/** Reads the message of a notification; null when it is not from SES, or of a kind that is of no use here. */
export function readSesMessage(message: string, now: Date): SesReport | null {
  const report = parse(message);
  const kind = report.eventType ?? report.notificationType;
  if (kind === "Received") return { notices: [], received: receivedMail(report, now) };
  const read = typeof kind === "string" && Object.hasOwn(READERS, kind) ? READERS[kind]! : null;
  if (!read) return null;
  const mail = object(report.mail);
  const common = { mail: mailName(mail), sentAt: instant(mail.timestamp, now) };
  return { notices: read(report, common, now), received: null };
}

const READERS: Record<string, (report: Json, common: Common, now: Date) => Notice[]> = {
  Send: ({ mail }, common, now) =>
    recipients(object(mail).destination).map((recipient) => ({
      ...common,
      kind: "sent",
      at: common.sentAt ?? now,
      recipient,
    })),

  Delivery: (report, common, now) => {
    const delivery = object(report.delivery);
    const at = instant(delivery.timestamp, now) ?? now;
    return recipients(delivery.recipients).map((recipient) => ({
      ...common,
      kind: "delivery",
      at,
      recipient,
    }));
  },

  Bounce: (report, common, now) => {
    const bounce = object(report.bounce);
    const at = instant(bounce.timestamp, now) ?? now;
    const bounceType = bounceTypeOf(bounce.bounceType);
    return people(bounce.bouncedRecipients).map(({ recipient, words }) => {
      const diagnostic =
        words ?? diagnosticOf(`${bounceType} bounce: ${text(bounce.bounceSubType) ?? "unknown"}`);
      return { ...common, kind: "bounce", at, recipient, bounceType, diagnostic };
    });
  },

  Complaint: (report, common, now) => {
    const complaint = object(report.complaint);
    // Somebody took the mail out of the spam folder.
    if (complaint.complaintFeedbackType === "not-spam") return [];
    const at = instant(complaint.timestamp, now) ?? now;
    return people(complaint.complainedRecipients).map(({ recipient }) => ({
      ...common,
      kind: "complaint",
      at,
      recipient,
    }));
  },

  Reject: (report, common, now) => {
    const diagnostic = diagnosticOf(
      `Rejected by the provider: ${text(object(report.reject).reason) ?? "unknown"}`,
    );
    return [{ ...common, kind: "rejection", at: common.sentAt ?? now, recipient: null, diagnostic }];
  },

  "Rendering Failure": (report, common, now) => {
    const diagnostic = diagnosticOf(text(object(report.failure).errorMessage) ?? "Rendering failure");
    return [{ ...common, kind: "rejection", at: common.sentAt ?? now, recipient: null, diagnostic }];
  },

  DeliveryDelay: (report, common, now) => {
    const delay = object(report.deliveryDelay);
    const at = instant(delay.timestamp, now) ?? now;
    return people(delay.delayedRecipients).map(({ recipient, words }) => {
      const diagnostic = words ?? diagnosticOf(`Delayed: ${text(delay.delayType) ?? "unknown"}`);
      return { ...common, kind: "delay", at, recipient, diagnostic };
    });
  },

  Open: (report, common, now) => {
    const open = object(report.open);
    const at = instant(open.timestamp, now) ?? now;
    return [
      { ...common, kind: "open", at, recipient: null, userAgent: storableText(open.userAgent, MAX_AGENT) },
    ];
  },

  Click: (report, common, now) => {
    const click = object(report.click);
    const at = instant(click.timestamp, now) ?? now;
    const link = storableText(click.link, MAX_LINK) ?? "";
    const userAgent = storableText(click.userAgent, MAX_AGENT);
    return [{ ...common, kind: "click", at, recipient: null, link, userAgent }];
  },
};

/** By our headers, as far as SES reports them; `Message-ID` is then the one that we assigned. */
function mailName(mail: Json): MailName {
  const headers = list(mail.headers, MAX_HEADERS).map(object);
  const header = (name: string) =>
    line(headers.find((field) => text(field.name)?.toLowerCase() === name)?.value);
  const messageIds = [header("message-id"), line(object(mail.commonHeaders).messageId)];
  const emailId = messageIds.map((id) => OUR_MESSAGE_ID.exec(id)?.[1]).find((id) => id !== undefined);
  const projectId = OUR_FEEDBACK_ID.exec(header("feedback-id"))?.[1];
  const isOurs = emailId !== undefined && projectId !== undefined;
  return {
    projectId: isOurs ? projectId.toLowerCase() : null,
    emailId: isOurs ? emailId.toLowerCase() : null,
    providerId: storableText(mail.messageId, 200),
  };
}

function receivedMail(report: Json, now: Date): ReceivedMail {
  const [mail, receipt] = [object(report.mail), object(report.receipt)];
  const headers = object(mail.commonHeaders);
  const verdicts = Object.entries(VERDICTS).flatMap(([name, field]) => {
    const status = storableText(object(receipt[field]).status, 20);
    return status === null ? [] : [[name, status] as const];
  });
  const matched = addresses(receipt.recipients);
  return {
    sender: senderOf(text(mail.source), text(list(headers.from)[0])),
    recipients: matched.length > 0 ? matched : addresses(mail.destination),
    subject: storableText(headers.subject, MAX_SUBJECT),
    messageId: storableText(text(headers.messageId)?.replace(/^\s*<|>\s*$/g, ""), MAX_SUBJECT),
    at: instant(receipt.timestamp, now) ?? instant(mail.timestamp, now) ?? now,
    verdicts: Object.fromEntries(verdicts),
  };
}

/** The author; a mail without a return path is a report, and has none. */
function senderOf(returnPath: string | null, from: string | null): ReceivedMail["sender"] {
  if (returnPath !== null && ["", "<>"].includes(returnPath.trim())) return null;
  const author = parseMailbox(from ?? "") ?? parseMailbox(returnPath ?? "");
  return author && { email: author.email, name: storableText(author.name, MAX_NAME) };
}

function bounceTypeOf(type: unknown): BounceType {
  return type === "Permanent" || type === "Transient" ? type : "Undetermined";
}

/** Those in a list of `{emailAddress, diagnosticCode?}`; an empty list is about an unknown recipient. */
function people(value: unknown): { recipient: string | null; words: string | null }[] {
  const named = list(value).map((entry) => ({
    recipient: addressOf(object(entry).emailAddress),
    words: diagnosticOf(object(entry).diagnosticCode),
  }));
  return named.length > 0 ? named : [{ recipient: null, words: null }];
}

function recipients(value: unknown): (string | null)[] {
  const named = list(value).map(addressOf);
  return named.length > 0 ? named : [null];
}

function addresses(value: unknown): string[] {
  return list(value)
    .map(addressOf)
    .filter((address) => address !== null);
}

function addressOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  return (parseAddress(value) ?? parseMailbox(value))?.email ?? null;
}

/** A time as ISO 8601; what lies ahead of our own clock happened now. Null for anything else, and for ancient times. */
function instant(value: unknown, now: Date): Date | null {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT/.test(value)) return null;
  const time = Date.parse(value);
  return time >= EARLIEST ? new Date(Math.min(time, now.getTime())) : null;
}

function parse(message: string): Json {
  try {
    return object(JSON.parse(message));
  } catch {
    return {};
  }
}

function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown, atMost = MAX_RECIPIENTS): unknown[] {
  return Array.isArray(value) ? value.slice(0, atMost) : [];
}

/** A header no longer than ours are; anything else counts as empty. */
function line(value: unknown): string {
  return typeof value === "string" && value.length <= MAX_HEADER ? value : "";
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
