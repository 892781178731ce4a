// A captured mail as the inbox returns it. The content of a mail is considered hostile: no part of it ever runs.
import { type Attachment, decodeWords } from "postal-mime";
import type { ListedMail, readCapturedMail } from "../../sending/captured/mod.ts";
import { contentDisposition, downloadResponse, FILE_CSP, PRIVATE } from "./download.ts";
import { escapeHtml } from "./html.ts";

type OpenedMail = Awaited<ReturnType<typeof readCapturedMail>>;

// No scripts, no forms, no frames, no change of our page. Pictures and fonts load as in a mail program, and links open a
// page of their own, which is then free of these limits.
const MAIL_CSP =
  "default-src 'none'; img-src data: https: http: 'self'; style-src 'unsafe-inline'; font-src https: data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; " +
  "sandbox allow-popups allow-popups-to-escape-sandbox";

// What a browser draws and never runs. SVG is not here: opened on its own it is a document with scripts.
const PICTURES = /^image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)$/;

// A picture may be named many times in one mail, and each time it is written out.
const MAX_PICTURES_CHARS = 64 * 1_048_576;

/** The mail as lists show it. */
export function toListed(mail: ListedMail) {
  const { id, projectId, emailId, subject, capturedAt, readAt } = mail;
  return { id, projectId, emailId, from: mail.fromAddress, to: mail.toAddress, subject, capturedAt, readAt };
}

/** The mail without its source and the content of its files. */
export function toMailJson({ content, ...mail }: OpenedMail) {
  return {
    ...toListed(mail),
    headers: content.headers.map(({ originalKey, value }) => ({
      name: originalKey,
      value: decodeWords(value),
    })),
    hasHtml: content.html !== undefined,
    html: content.html ?? null,
    text: content.text ?? null,
    attachments: content.attachments.map((attachment, index) => ({
      index,
      filename: filenameOf(attachment, index),
      contentType: attachment.mimeType,
      sizeBytes: bytesOf(attachment).byteLength,
      inline: isInlinePicture(attachment),
    })),
  };
}

/** The mail's HTML as a document for the sandboxed frame. */
export function htmlResponse({ content }: OpenedMail): Response {
  const html = content.html ?? `<pre>${escapeHtml(content.text ?? "")}</pre>`;
  const headers = {
    ...PRIVATE,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": MAIL_CSP,
  };
  return new Response(withLinksInNewTabs(withPictures(html, content.attachments)), { headers });
}

/**
 * For the frame of a mail that was deleted while it was opened. It is no error, and a browser takes any other status, and a
 * page that may not be framed, for one.
 */
export function deletedResponse(): Response {
  const headers = {
    ...PRIVATE,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": MAIL_CSP,
  };
  return new Response("<!doctype html><p>This mail was deleted.</p>", { headers });
}

/** The message as it would have gone over the wire. */
export function sourceResponse(source: Uint8Array): Response {
  const headers = {
    ...PRIVATE,
    "content-type": "text/plain; charset=utf-8",
    "content-security-policy": FILE_CSP,
  };
  return new Response(new Uint8Array(source), { headers });
}

/**
 * One file of the mail: a picture of its HTML as such, anything else as a download. Null when there is no such file.
 */
export function attachmentResponse({ content }: OpenedMail, n: string): Response | null {
  const attachment = /^\d{1,4}$/.test(n) ? content.attachments[Number(n)] : undefined;
  if (!attachment) return null;
  const filename = filenameOf(attachment, Number(n));
  if (!isInlinePicture(attachment)) return downloadResponse(filename, bytesOf(attachment));
  const headers = {
    ...PRIVATE,
    "content-type": attachment.mimeType,
    "content-disposition": contentDisposition("inline", filename),
    "content-security-policy": FILE_CSP,
  };
  return new Response(bytesOf(attachment), { headers });
}

/**
 * Puts the mail's own pictures in the place of their `cid:` addresses. As data, because a sandboxed document counts as
 * another site: the browser would ask for a picture without the password that production wants.
 */
function withPictures(html: string, attachments: Attachment[]): string {
  const pictures = new Map(
    attachments.filter(isInlinePicture).map((a) => [a.contentId?.replace(/^<|>$/g, ""), a]),
  );
  let room = MAX_PICTURES_CHARS;
  return html.replace(/(["'(=]\s*)cid:([^"'()<>\s]+)/gi, (whole, before: string, cid: string) => {
    const picture = pictures.get(cid) ?? pictures.get(decodePercent(cid));
    const data = picture && Buffer.from(bytesOf(picture)).toString("base64");
    if (!data || data.length > room) return whole;
    room -= data.length;
    return `${before}data:${picture.mimeType};base64,${data}`;
  });
}

/** Puts our `<base>` before any other one, and after the doctype: before it, the page would be drawn in quirks mode. */
function withLinksInNewTabs(html: string): string {
  const start = skipBlanksAndComments(html);
  const doctype = /<!doctype[^>]*>/iy;
  doctype.lastIndex = start;
  const end = doctype.test(html) ? doctype.lastIndex : 0;
  return `${html.slice(0, end)}<base target="_blank">${html.slice(end)}`;
}

/** Where the first other thing stands. Step by step: a regular expression would try every way to part the comments. */
function skipBlanksAndComments(html: string): number {
  const blanks = /\s*/y;
  let at = 0;
  while (true) {
    blanks.lastIndex = at;
    blanks.test(html);
    at = blanks.lastIndex;
    if (!html.startsWith("<!--", at)) return at;
    const end = html.indexOf("-->", at + 2); // "<!-->" is a comment too
    if (end === -1) return at;
    at = end + 3;
  }
}

function isInlinePicture({ contentId, mimeType }: Attachment): boolean {
  return contentId !== undefined && PICTURES.test(mimeType);
}

function filenameOf({ filename }: Attachment, index: number): string {
  return filename || `attachment-${index + 1}`;
}

function bytesOf({ content }: Attachment): Uint8Array<ArrayBuffer> {
  return typeof content === "string" ? Uint8Array.from(Buffer.from(content)) : new Uint8Array(content);
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
