// Handing mail over, by whatever means: an SMTP server, or the capture of the first steps.

import type { Readable } from "node:stream";
import type { ReplyMeaning } from "./reply_meaning.ts";

/** Which mail of which project it is. */
export interface Origin {
  projectId: string;
  emailId: string;
}

/** One mail to one recipient, ready to be handed over. Every string has been checked for CR, LF and NUL. */
export interface Mail {
  /** Kept with what is captured. Left out: a mail of the installation itself. */
  origin?: Origin;
  /** Without angle brackets. Derived from the ledger row, so that a double can be recognised downstream. */
  messageId: string;
  /** What the SMTP server is told; never derived from the headers. */
  envelope: { from: string; to: string };
  from: MailParty;
  to: MailParty;
  /** Whom the header names in place of `to`. */
  named?: NamedParties | null;
  /** Several addresses are separated by {@linkcode REPLY_SEPARATOR}. */
  replyTo: string | null;
  subject: string;
  html: string;
  text: string;
  headers: Readonly<Record<string, string>>;
  attachments: readonly Attachment[];
  date: Date;
}

/** One mail whose source is ready-made, by `prepareMessage`. */
export interface ReadyMail {
  /** As of a {@linkcode Mail}. */
  origin?: Origin;
  /** Without angle brackets; the one in the source. */
  messageId: string;
  /** What the SMTP server is told; never derived from the headers. */
  envelope: { from: string; to: string };
  /** The one in the source, for listings of mails. */
  subject: string;
  /** The whole message (RFC 5322) in ASCII, with CRLF at the end of each line. */
  source: Buffer;
}

/** One mail that is written while it is sent, because it may be large. */
export interface StreamedMail extends Omit<ReadyMail, "source"> {
  /** The whole message, again at each call. If it throws, breaks off or never ends, the mail is deferred. */
  open(): Readable;
}

/** Between the addresses that replies go to: no address contains it. */
export const REPLY_SEPARATOR = ", ";

/** An address with the name it goes by; an empty name for none. */
export interface MailParty {
  name: string;
  address: string;
}

/** The recipients that a message with several of them names. */
export interface NamedParties {
  to: readonly MailParty[];
  cc: readonly MailParty[];
}

/** A file in a mail. `cid` names an inline image for the HTML. */
export interface Attachment {
  filename: string;
  contentType: string;
  cid: string | null;
  disposition: "attachment" | "inline";
  content: Uint8Array;
}

/**
 * How a handover ended. `accepted`: the server has accepted it. `captured`: it is kept here, because there is no
 * server. `deferred`: not accepted, but it may be later. `bounced`: never, because of the recipient. `refused`: never,
 * for another reason. `in_doubt`: the end of the message may have reached the server without a reply, so it may have
 * been accepted. Two say nothing about the mail. `unreached`: the server accepts no connections. `withheld`: we did not
 * send its end.
 */
export interface Handover {
  state: "accepted" | "captured" | "deferred" | "bounced" | "refused" | "in_doubt" | "unreached" | "withheld";
  /** What the other side replied, or what happened. One line, at most 500 characters. */
  response: string;
  /** `accepted`: by the recipient's own server, so it is delivered. */
  isDelivered?: boolean;
  /** `accepted`: how the provider behind the server will name the mail, where it has said so. */
  providerId?: string;
  /** What a refusal means, where it was looked at. */
  meaning?: ReplyMeaning;
  /** `deferred`: in reply to the recipient, and no code says more: it is about nothing else. */
  isOfRecipient?: true;
  /** Which way it went, where there are several. */
  via?: Via;
}

/** The way of a mail to the server of its recipient. */
export interface Via {
  host: string;
  address: string;
  /** Who runs the server, such as `google`. */
  provider: string;
  /** Null: it was not encrypted. `isVerified`: the certificate is the one of the host. */
  tls: { version: string; isVerified: boolean; policy: "dane" | "mta-sts" | "opportunistic" } | null;
}

/** When a deferred mail is tried again, in milliseconds: pauses double from the first to the longest. */
export interface RetrySchedule {
  firstMs: number;
  longestMs: number;
  /** After the first attempt. */
  giveUpMs: number;
}

/**
 * Asked once, when all of a mail except its end has left. Unless it returns true, the end is not sent. Never rejects.
 */
export type MayEnd = () => Promise<boolean>;

/** What a mailer is to be opened for. */
export interface MailerOptions {
  kind: "SMTP" | "DIRECT" | "CAPTURE";
  /** Null: nothing has to be reached. */
  url: string | null;
  /** How many mails at once; null: as the URL says, or as is usual. */
  connections: number | null;
  /** It belongs to a project, so that it may not reach into the network of the service. */
  isOwn: boolean;
}

/** What carries mail away. */
export interface Mailer {
  /** How many mails can be in progress at once. */
  readonly connections: number;
  /** Left out: as behind a server that takes over the waiting. */
  readonly retries?: RetrySchedule;
  /** Hands one mail over. Never throws: what went wrong is in the answer. */
  send(mail: Mail | ReadyMail | StreamedMail, mayEnd?: MayEnd): Promise<Handover>;
  /** Whether the other side lets us in now: null, or why not. Sends nothing. */
  reach(): Promise<string | null>;
  /** Ends all connections that have nothing in progress. */
  close(): void;
}
