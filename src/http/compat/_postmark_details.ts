// A mail as Postmark shows it: GET /messages/outbound/:id/details.
import type { Context } from "../../context.ts";
import { type Email, getEmail, namedRecipients } from "../../sending/delivery/emails.ts";
import { type MailEvent, mailEvents, showMail } from "../../sending/delivery/shown_mail.ts";
import { filled } from "./_message.ts";

const WAITING: readonly Email["status"][] = ["PENDING", "SENDING", "IN_DOUBT"];
const TYPES: Readonly<Record<string, string>> = {
  "email.delivery": "Delivered",
  "email.open": "Opened",
  "email.click": "LinkClicked",
  "email.bounce": "Bounced",
};

/** One mail, with what happened to it. Throws not-found. */
export async function showPostmark(ctx: Context, projectId: string, id: string) {
  const [mail, shown, events, to] = await Promise.all([
    getEmail(ctx, projectId, id),
    showMail(ctx, projectId, id),
    mailEvents(ctx, projectId, id),
    namedRecipients(ctx, projectId, id),
  ]);
  const tags = new Map(
    (mail.tags as { name: string; value: string }[] | null)?.map((tag) => [tag.name, tag.value]),
  );
  const { tag: Tag = "", stream: MessageStream = "outbound", ...Metadata } = Object.fromEntries(tags);
  const [To, Cc, Bcc] = [to, mail.cc, mail.bcc].map(namedIn) as [Named[], Named[], Named[]];
  return {
    MessageID: id,
    MessageStream,
    Status: WAITING.includes(mail.status) ? "Queued" : "Sent",
    From: mail.fromName ? `${mail.fromName} <${mail.from}>` : mail.from,
    To,
    Cc,
    Bcc,
    Recipients: [...To, ...Cc, ...Bcc].map(({ Email }) => Email),
    ReceivedAt: mail.queuedAt,
    Subject: shown.subject ?? mail.subject,
    TextBody: shown.text,
    HtmlBody: shown.html,
    Body: shown.html,
    Attachments: shown.attachments.map(({ filename }) => filename),
    Tag,
    Metadata,
    Sandboxed: mail.status === "CAPTURED",
    MessageEvents: events.flatMap((event) => eventOf(event, mail.to)),
  };
}

interface Named {
  Email: string;
  Name: string;
}

function namedIn(list: unknown): Named[] {
  return (list as { email: string; name: string | null }[]).map(({ email, name }) => ({
    Email: email,
    Name: name ?? "",
  }));
}

function eventOf({ name, data, createdAt }: MailEvent, Recipient: string | null) {
  if (!Object.hasOwn(TYPES, name)) return [];
  const { url, link = url } = filled(data);
  const Details = typeof link === "string" ? { Summary: TYPES[name], Link: link } : { Summary: TYPES[name] };
  return [{ Type: TYPES[name], Recipient, ReceivedAt: createdAt, Details }];
}
