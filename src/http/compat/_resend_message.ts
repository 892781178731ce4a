// A message as Resend's API takes it, in our words.
import * as content from "./_content.ts";
import { unsupportedIn, unsupportedInEach } from "./_fields.ts";
import { filled, type Translated } from "./_message.ts";
import { type Names, namesOfFiles } from "./_names.ts";
import { RESEND_FIELDS } from "./_resend_fields.ts";

/** The names of our fields there. */
export const RESEND_NAMES: Names = {
  body: "html",
  sendAt: "scheduled_at",
  replyTo: "reply_to",
  template: "template.id",
  data: "template.variables",
  ...namesOfFiles("attachments", {
    filename: "filename",
    content: "content",
    contentType: "content_type",
    contentId: "content_id",
    disposition: "content_id",
  }),
};

/** Reads a message, of which nothing is known. */
export function readResend(given: unknown): Translated {
  const { from, to, cc, bcc, subject, html, text, headers, tags, scheduled_at, ...rest } = filled(given);
  const template = filled(rest.template);
  return {
    body: {
      from,
      to,
      cc,
      bcc,
      subject: content.subjectOf(subject),
      body: content.bodyOf(html, text),
      headers,
      tags,
      sendAt: scheduled_at,
      replyTo: Array.isArray(rest.reply_to)
        ? rest.reply_to.map(content.bareAddress)
        : content.bareAddress(rest.reply_to),
      attachments: Array.isArray(rest.attachments) ? rest.attachments.map(fileOf) : rest.attachments,
      template: rest.template === undefined ? undefined : (template.id ?? ""),
      data: content.variablesOf(template.variables),
    },
    errors: [
      ...unsupportedIn(given, RESEND_FIELDS),
      ...unsupportedIn(rest.template, RESEND_FIELDS, "template."),
      ...unsupportedInEach(rest.attachments, RESEND_FIELDS, "attachments"),
    ],
  };
}

function fileOf(given: unknown) {
  const { filename, content: bytes, content_type, content_id } = filled(given);
  return {
    filename,
    content: isBuffer(bytes) ? Buffer.from(bytes.data).toString("base64") : bytes,
    contentType: content_type ?? content.typeOfFile(filename),
    ...(content_id !== undefined && { contentId: content_id, disposition: "inline" }),
  };
}

/** A Buffer of Node, as it is written to JSON. */
function isBuffer(bytes: unknown): bytes is { data: number[] } {
  const { type, data } = filled(bytes);
  return type === "Buffer" && Array.isArray(data);
}
