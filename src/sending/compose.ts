// A ledger row with its content becomes a mail.
import { compileTemplate, mailScope } from "../content/render.ts";
import { compileTextPart } from "../content/text_part.ts";
import type { Context } from "../context.ts";
import type { Attachment, Mail } from "../mail/mailer.ts";
import { subscriptionUrls } from "./subscription_links.ts";

/** What a mail is made of: the claimed row, joined with its contact and content. */
export interface ComposeInput {
  projectId: string;
  id: string;
  contactId: string;
  address: string;
  toName: string | null;
  subscribed: boolean;
  contactData: Record<string, unknown>;
  requestData: Record<string, unknown> | null;
  subject: string;
  html: string;
  /** Null where it is made for each recipient. */
  text: string | null;
  fromEmail: string;
  fromName: string | null;
  replyTo: string | null;
  headers: Record<string, string> | null;
}

/** The message id of a ledger row: the same at every attempt, in the domain of the sender. */
export function messageIdOf(emailId: string, fromEmail: string): string {
  return `${emailId}@${fromEmail.slice(fromEmail.lastIndexOf("@") + 1)}`;
}

/** Renders one mail for its recipient. A template never makes it fail. */
export function compose(ctx: Context, input: ComposeInput, attachments: Attachment[]): Mail {
  const subject = compileTemplate(input.subject, "subject");
  const html = compileTemplate(input.html, "html");
  const scope =
    subject.variables.length + html.variables.length === 0
      ? {}
      : mailScope({
          contact: {
            id: input.contactId,
            email: input.address,
            subscribed: input.subscribed,
            data: input.contactData,
          },
          data: input.requestData,
          urls: subscriptionUrls(ctx, input.projectId, input.contactId),
        });
  return {
    messageId: messageIdOf(input.id, input.fromEmail),
    envelope: { from: input.fromEmail, to: input.address },
    from: { name: input.fromName ?? "", address: input.fromEmail },
    to: { name: input.toName ?? "", address: input.address },
    replyTo: input.replyTo,
    subject: subject(scope),
    html: html(scope),
    text: input.text ?? compileTextPart(input.html)(scope),
    headers: input.headers ?? {},
    attachments,
    date: ctx.now(),
  };
}
