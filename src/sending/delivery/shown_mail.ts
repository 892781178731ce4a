// A mail as its recipient has it, and what happened to it, to be looked up later.
import { firstIdAt } from "../../audience/conditions/tree.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { createPauses } from "../../pauses.ts";
import { problems } from "../../problem/mod.ts";
import { type Addressee, type Content, prepareContent } from "../compose/mod.ts";
import { messageOfMail, type RowOfMessage } from "../compose/message_of_mail.ts";
import { fileOfSubmitted, showSubmitted, WHOLE_MESSAGE } from "../compose/submitted.ts";
import { getEmail } from "./emails.ts";

/** An attachment, without its bytes. */
export interface ShownAttachment {
  filename: string;
  contentType: string;
  disposition: string;
  /** In bytes. */
  size: number;
}

/** What a mail said. */
export interface ShownMail {
  /** As it was sent. Null once the content is gone. */
  subject: string | null;
  /** Null, like all below, once the body has been removed. */
  html: string | null;
  text: string | null;
  headers: Record<string, string>;
  attachments: ShownAttachment[];
  /** When the body was removed; null while it is kept. */
  removedAt: Date | null;
}

/** Something that happened to a mail. */
export interface MailEvent {
  id: string;
  name: string;
  data: unknown;
  /** By a program: it is not counted. */
  bot: boolean;
  createdAt: Date;
}

/**
 * A mail, rendered with the data that its contact has now: what a template makes of them is not stored for each mail, but for
 * the subject. Its links are its own, and following them counts for nobody. Throws not-found.
 */
export async function showMail(ctx: Context, projectId: string, emailId: string): Promise<ShownMail> {
  const row = await q.emailDetails.content(ctx, { projectId, emailId });
  if (!row) throw problems.notFound("email", emailId);
  const { contentId, html, subject, sentSubject, emptiedAt } = row;
  const nothing = { html: null, text: null, headers: {}, attachments: [], removedAt: emptiedAt };
  if (contentId === null || html === null || subject === null) {
    return { subject: sentSubject ?? subject, ...nothing };
  }
  const content: Content = {
    projectId,
    sourceType: row.sourceType,
    campaignId: row.campaignId,
    templateId: row.templateId,
    type: row.type!,
    subject,
    html,
    text: row.text,
    fromEmail: row.fromEmail!,
    fromName: row.fromName,
    replyTo: row.replyTo,
    headers: row.headers as Record<string, string> | null,
    data: row.requestData as Record<string, unknown> | null,
    tracked: false,
    offersUnsubscribe: row.offersUnsubscribe,
    projectName: row.projectName,
    postalAddress: row.postalAddress,
    language: row.language,
  };
  const attachments = await q.emailDetails.attachments(ctx, { projectId, contentId });
  if (attachments[0]?.disposition === WHOLE_MESSAGE) {
    const source = await wholeMessage(ctx, projectId, contentId);
    return { ...showSubmitted(source), subject, removedAt: null };
  }
  const prepared = await prepareContent(ctx, content, createPauses());
  const shown = prepared.show(addresseeOf(row));
  return { ...shown, subject: sentSubject ?? shown.subject, attachments, removedAt: null };
}

/** One file of a mail, by its place among `attachments`. Throws not-found, also once the body has been removed. */
export async function getAttachment(ctx: Context, projectId: string, emailId: string, index: number) {
  const file = await q.emailDetails.attachment(ctx, { projectId, emailId, index });
  const found =
    file?.disposition === WHOLE_MESSAGE ? fileOfSubmitted(Buffer.from(file.content), index) : file;
  if (!found) throw problems.notFound("attachment", String(index));
  return found;
}

async function wholeMessage(ctx: Context, projectId: string, contentId: string): Promise<Buffer> {
  const [file] = await q.contents.attachments(ctx, { projectIds: [projectId], contentIds: [contentId] });
  return Buffer.from(file?.content ?? []);
}

interface Row extends RowOfMessage {
  address: string;
  toName: string | null;
  contactId: string | null;
  subscribed: boolean | null;
  contactData: unknown;
  ownData: unknown;
}

function addresseeOf(row: Row): Addressee {
  const { id, address, toName, contactId, subscribed, contactData, ownData } = row;
  const contact =
    contactId === null || subscribed === null
      ? null
      : { id: contactId, subscribed, data: contactData as Record<string, unknown> };
  const data = ownData as Record<string, unknown> | null;
  return { emailId: id, address, toName, contact, data, message: messageOfMail(row) };
}

/** The names of the events of a mail. */
const MAIL_EVENTS = ["sent", "delivery", "open", "click", "bounce", "complaint", "received"].map(
  (name) => `email.${name}`,
);
const MAX_EVENTS = 200;
const DAY_MS = 86_400_000;

/** What happened to a mail, oldest first, up to 200, from its acceptance on. A click has its link. Throws not-found. */
export async function mailEvents(ctx: Context, projectId: string, emailId: string): Promise<MailEvent[]> {
  const { contactId, queuedAt } = await getEmail(ctx, projectId, emailId);
  return await q.emailDetails.timeline(ctx, {
    projectId,
    emailId,
    contactId,
    names: [...MAIL_EVENTS, "contact.unsubscribed"],
    since: firstIdAt(new Date(queuedAt.getTime() - DAY_MS)),
    limit: MAX_EVENTS,
  });
}
