import { withPreheader } from "../../content/preheader.ts";
import { type IdempotentRequest, once } from "../../accounts/idempotency.ts";
import { dataProblem, shownData, sortData } from "../../audience/contacts/data.ts";
import { contactKey, upsertContacts, type WrittenContact } from "../../audience/contacts/mod.ts";
import { plainText } from "../../content/plain_text.ts";
import { type Context, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { parseAddress } from "../../mail/address.ts";
import { problems } from "../../problem/mod.ts";
import { assertMayBeSent, enterLedger } from "./ledger.ts";
import { type Recipient, recipientsOf, type SendInput, sendErrors, toRecipient } from "./input.ts";

/** What was accepted: for each recipient, in order, the contact and the id of the mail in the ledger. */
export interface SendResult {
  emails: { contact: { id: string; email: string }; email: string }[];
  timestamp: Date;
}

type Template = NonNullable<Awaited<ReturnType<Queries["templates"]["byId"]>>>;
type Content = Omit<Parameters<Queries["contents"]["insert"]>[1], "shared">;

/**
 * Accepts one message for 1 to 1,000 recipients. Everything is checked before anything is written; then contacts,
 * content, ledger rows, jobs and the idempotency key are one transaction: when this resolves, the mail is not lost. A
 * mail to a suppressed address is accepted as well, and its row in the ledger says why it is not sent. Errors: 422 with
 * all fields, 403 for a sender domain that is not verified, 404 for an unknown template, 400 for recipients who have
 * opted out of MARKETING mail, 409 for a used key, 402 where less is left of this month's limit.
 */
export async function send(ctx: Context, request: IdempotentRequest, input: SendInput): Promise<SendResult> {
  const errors = await sendErrors(input, { attachmentBytes: ctx.config.MAX_ATTACHMENT_SIZE_MB * 1_048_576 });
  if (errors.length > 0) throw problems.invalid(errors);
  const recipients = recipientsOf(input);
  try {
    return await once(ctx, request, async (tx) => {
      const content = await contentOf(tx, request.projectId, input);
      await assertMayBeSent(
        tx,
        content,
        recipients.map((recipient) => recipient.email),
      );
      return await accept(tx, content, recipients, input);
    });
  } catch (error) {
    throw dataProblem(error);
  }
}

/** The message: the request merged over the template. Throws when there is no sender or no such template. */
async function contentOf(tx: Context, projectId: string, input: SendInput): Promise<Content> {
  const template = input.template === undefined ? null : await templateOf(tx, projectId, input.template);
  const from = senderOf(input, template);
  const html = input.body ?? withPreheader(template!.html, template!.preheader);
  return {
    projectId,
    id: newId(tx),
    subject: input.subject ?? template!.subject,
    html,
    // Made now where it is the same for everyone: sending has less to do, and an answer does not wait for sending.
    text: html.includes("{{") ? null : plainText(html),
    fromEmail: from.email,
    fromName: from.name,
    replyTo: input.reply === undefined ? (template?.replyTo ?? null) : parseAddress(input.reply)!.email,
    headers: input.headers ?? null,
    data: input.data ? shownData(input.data) : null,
    templateId: template?.id ?? null,
    type: template?.type ?? "TRANSACTIONAL",
  };
}

async function templateOf(tx: Context, projectId: string, templateId: string): Promise<Template> {
  const template = await q.templates.byId(tx, { projectId, templateId });
  if (!template) throw problems.templateNotFound(templateId);
  return template;
}

/** The sender of the request, or that of its template: one of them is there (`sendErrors`). */
function senderOf(input: SendInput, template: Template | null): Recipient {
  if (input.from === undefined) return { email: template!.fromEmail.toLowerCase(), name: template!.fromName };
  const { email, name } = toRecipient(input.from)!;
  // `name` is for a sender given as text without one, as clients of old send it.
  const isBare = typeof input.from === "string" && name === null;
  return { email, name: isBare ? input.name?.trim() || null : name };
}

async function accept(
  tx: Context,
  content: Content,
  recipients: Recipient[],
  input: SendInput,
): Promise<SendResult> {
  const { projectId } = content;
  const contacts = await upsertRecipients(tx, projectId, recipients, input);
  const rows = recipients.map(({ email, name }) => {
    const contact = contacts.get(contactKey(projectId, email))!;
    return { id: newId(tx), contact_id: contact.id, address: contact.email, to_name: name };
  });
  await q.contents.insert(tx, { ...content, shared: recipients.length > 1 });
  if (input.attachments?.length) await attach(tx, content, input.attachments);
  await enterLedger(tx, content, rows);
  return {
    emails: rows.map((row) => ({ contact: { id: row.contact_id, email: row.address }, email: row.id })),
    timestamp: tx.now(),
  };
}

/** One contact per address, however often it was named. */
async function upsertRecipients(
  tx: Context,
  projectId: string,
  recipients: Recipient[],
  { subscribed, data }: SendInput,
): Promise<Map<string, WrittenContact>> {
  const change = sortData(data);
  const emails = [...new Set(recipients.map((recipient) => recipient.email))];
  return await upsertContacts(
    tx,
    emails.map((email) => ({ projectId, email, given: { subscribed }, subscribedDefault: false, change })),
  );
}

async function attach(
  tx: Context,
  content: Content,
  attachments: NonNullable<SendInput["attachments"]>,
): Promise<void> {
  await q.contents.attach(tx, {
    projectId: content.projectId,
    contentId: content.id,
    rows: attachments.map((attachment, position) => ({
      position,
      filename: attachment.filename,
      content_type: attachment.contentType,
      cid: attachment.contentId,
      disposition: attachment.disposition ?? "attachment",
      content: attachment.content,
    })),
  });
}
