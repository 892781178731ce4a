// What is written into mails for a provider's webhooks: each provider gives one header field back, and by it a mail is found
// again.
import { Readable } from "node:stream";
import type { Message } from "./_smtp_message.ts";
import type { Origin } from "./mailer.ts";
import type { MailName } from "./notice.ts";

/** Providers whose webhooks are understood. */
export const MAIL_PROVIDERS = ["postmark", "mailgun", "sendgrid", "resend", "brevo", "mailjet"] as const;

/** Who may tell what became of mails: these, and mail servers that pass complaint reports on (ARF, RFC 5965). */
export const FEEDBACK_SOURCES = [...MAIL_PROVIDERS, "arf"] as const;

/** One of them. */
export type FeedbackSource = (typeof FEEDBACK_SOURCES)[number];

/** A provider whose webhooks are understood. */
export type MailProvider = (typeof MAIL_PROVIDERS)[number];

const HOSTS: Record<MailProvider, RegExp> = {
  postmark: /(^|\.)postmarkapp\.com$/i,
  mailgun: /(^|\.)mailgun\.org$/i,
  sendgrid: /(^|\.)sendgrid\.net$/i,
  resend: /(^|\.)resend\.com$/i,
  brevo: /(^|\.)(brevo|sendinblue)\.com$/i,
  mailjet: /(^|\.)mailjet\.com$/i,
};

/** The field, and what is in it. It comes back as metadata, a variable or an argument. */
const FIELDS: Record<MailProvider, [name: string, value: (mark: string) => string]> = {
  postmark: ["X-PM-Metadata-postrider", (mark) => mark],
  mailgun: ["X-Mailgun-Variables", (mark) => JSON.stringify({ postrider: mark })],
  sendgrid: ["X-SMTPAPI", (mark) => JSON.stringify({ unique_args: { postrider: mark } })],
  resend: ["X-Entity-Ref-ID", (mark) => mark],
  brevo: ["X-Mailin-custom", (mark) => mark],
  mailjet: ["X-MJ-CustomID", (mark) => mark],
};

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const MARK = new RegExp(`^\\s*(${UUID})\\.(${UUID})\\s*$`, "i");
/** The id by which Resend will speak of a mail stands in the reply of its server. */
const ID_IN_REPLY = new RegExp(`\\b(${UUID})\\b`, "i");
const MAX_HEAD_BYTES = 65_536;

/** The provider behind a server; null for any other server. */
export function providerBehind(host: string): MailProvider | null {
  return MAIL_PROVIDERS.find((provider) => HOSTS[provider].test(host)) ?? null;
}

/** The provider that mails to this URL are marked for: by its host, or by `provider` behind another name. */
export function providerOfUrl(url: URL): MailProvider | null {
  const given = url.searchParams.get("provider");
  return isProvider(given) ? given : providerBehind(url.hostname);
}

/** Whether this is the name of a provider. */
export function isProvider(name: unknown): name is MailProvider {
  return (MAIL_PROVIDERS as readonly unknown[]).includes(name);
}

/** Whether this is the name of somebody who may tell what became of mails. */
export function isFeedbackSource(name: unknown): name is FeedbackSource {
  return (FEEDBACK_SOURCES as readonly unknown[]).includes(name);
}

/** The message with the field that its provider gives back. A field of that name that is there already is left alone. */
export function marked(message: Message, provider: MailProvider, { projectId, emailId }: Origin): Message {
  const [name, value] = FIELDS[provider];
  const field = Buffer.from(`${name}: ${value(`${projectId}.${emailId}`)}\r\n`);
  if (typeof message === "function") return () => Readable.from(preceded(field, message()));
  return hasField(message, name) ? message : Buffer.concat([field, message]);
}

async function* preceded(field: Buffer, rest: Readable): AsyncGenerator<Buffer> {
  yield field;
  yield* rest as AsyncIterable<Buffer>;
}

function hasField(source: Buffer, name: string): boolean {
  const end = source.indexOf("\r\n\r\n");
  const head = source.subarray(0, Math.min(end === -1 ? source.length : end, MAX_HEAD_BYTES));
  return `\r\n${head.toString("latin1")}`.toLowerCase().includes(`\r\n${name.toLowerCase()}:`);
}

/** The mail that a mark names; null for anything else. */
export function readMark(text: unknown): { projectId: string; emailId: string } | null {
  const [, projectId, emailId] = typeof text === "string" ? (MARK.exec(text) ?? []) : [];
  return projectId && emailId ? { projectId: projectId.toLowerCase(), emailId: emailId.toLowerCase() } : null;
}

/** A mail by its mark, or by the id that the provider gave it. */
export function markedMail(mark: unknown, providerId: unknown = null): MailName {
  const known = readMark(mark);
  const id = typeof providerId === "string" && providerId.length <= 200 ? providerId : null;
  return { projectId: known?.projectId ?? null, emailId: known?.emailId ?? null, providerId: id };
}

/** The id of a mail at its provider, by which its webhooks name it where they give no field back. */
export function providerIdIn(provider: MailProvider, response: string): string | null {
  return provider === "resend" ? (ID_IN_REPLY.exec(response)?.[1]?.toLowerCase() ?? null) : null;
}
