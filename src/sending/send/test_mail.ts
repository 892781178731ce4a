// Mails that show what a campaign or a template looks like in somebody's mailbox.
import { assertSenderVerified } from "../../accounts/projects/domains.ts";
import { compileTemplate } from "../../content/handlebars/mod.ts";
import { withPreheader } from "../../content/preheader.ts";
import { getTemplateContent, type TemplateType } from "../../content/templates.ts";
import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Json } from "../../db/types.ts";
import { NO_OPTIONS } from "../compose/mod.ts";
import { enterLedger } from "./ledger.ts";

const PREFIX = "[TEST] ";

/** What is tried out. */
export interface TestedMessage {
  subject: string;
  preheader: string | null;
  html: string;
  fromEmail: string;
  fromName: string | null;
  replyTo: string | null;
  type: TemplateType;
  templateId: string | null;
}

/**
 * Sends a message to one address as a test: with the data of the contact who has that address, or with the names of the
 * variables in their place. It is a mail of its own in the ledger: no contact is created, no subscription is checked, and it
 * counts in no statistics. Returns the id of the mail. It counts as a transactional one: throws BILLING_LIMIT_EXCEEDED where
 * none of those is left, and 403 for a sender whose domain is not verified.
 */
export async function sendTest(
  ctx: Context,
  projectId: string,
  message: TestedMessage,
  email: string,
): Promise<string> {
  await assertSenderVerified(ctx, projectId, message.fromEmail);
  return await inTransaction(ctx, async (tx) => {
    const contact = await q.contacts.dataByEmail(tx, { projectId, email });
    const contentId = newId(tx);
    const emailId = newId(tx);
    const data = (contact?.data ?? sampleOf(message)) as Json;
    await q.contents.insertMany(tx, { projectId, rows: [{ ...contentOf(message), id: contentId, data }] });
    await enterLedger(tx, projectId, [
      {
        id: emailId,
        contact_id: null,
        address: email,
        to_name: null,
        content_id: contentId,
        template_id: null,
      },
    ]);
    return emailId;
  });
}

/** Sends what a template says, as it is saved: see {@linkcode sendTest}. Throws TEMPLATE_NOT_FOUND. */
export async function sendTemplateTest(
  ctx: Context,
  projectId: string,
  templateId: string,
  email: string,
): Promise<string> {
  const template = await getTemplateContent(ctx, projectId, templateId);
  const { subject, preheader, html, fromEmail, fromName, replyTo, type } = template;
  const message = { subject, preheader, html, fromEmail, fromName, replyTo, type, templateId };
  return await sendTest(ctx, projectId, message, email);
}

function contentOf({
  subject,
  preheader,
  html,
  fromEmail,
  fromName,
  replyTo,
  type,
  templateId,
}: TestedMessage) {
  return {
    // Cut, if it is too long, when it is rendered.
    subject: PREFIX + subject,
    html: withPreheader(html, preheader),
    text: null,
    from_email: fromEmail,
    from_name: fromName,
    reply_to: replyTo,
    headers: null,
    template_id: templateId,
    type,
    ...NO_OPTIONS,
    shared: false,
  };
}

/** Every variable with its own name as its value. */
function sampleOf({ subject, html }: TestedMessage): Record<string, unknown> {
  const names = [compileTemplate(subject, "subject"), compileTemplate(html, "html")].flatMap(
    (template) => template.variables,
  );
  return Object.fromEntries(names.filter((name) => /^[^.[\]@/]+$/.test(name)).map((name) => [name, name]));
}
