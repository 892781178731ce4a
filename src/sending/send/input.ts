// What `POST /v1/send` may carry, and everything about it that a schema cannot say.
import { setImmediate } from "node:timers/promises";
import { type DataInput, dataErrors } from "../../audience/contacts/data.ts";
import { templateErrors } from "../../content/handlebars/errors.ts";
import type { FieldError } from "../../problem/mod.ts";
import { type MailboxInput, recipientErrors, type RecipientsInput } from "./recipients.ts";
import { sendAtErrors } from "./send_at.ts";

/** A file as the request carries it. */
export interface AttachmentInput {
  filename: string;
  /** Base64. */
  content: string;
  contentType: string;
  contentId?: string | undefined;
  disposition?: "attachment" | "inline" | undefined;
}

/** What mails are marked with; a name occurs once. */
export interface Tag {
  name: string;
  value: string;
}

/** The body of `POST /v1/send`, valid by its schema. */
export interface SendInput extends RecipientsInput {
  subject?: string | undefined;
  body?: string | undefined;
  template?: string | undefined;
  from?: MailboxInput | undefined;
  name?: string | undefined;
  subscribed?: boolean | undefined;
  data?: DataInput | undefined;
  headers?: Record<string, string> | undefined;
  reply?: string | undefined;
  attachments?: AttachmentInput[] | undefined;
  /** When it is sent, in ISO 8601; left out: at once. */
  sendAt?: string | undefined;
  /** In place of `reply`. */
  replyTo?: string | string[] | undefined;
  tags?: Tag[] | undefined;
  /** What is left out is decided by the project's setting. */
  tracking?: boolean | { opens?: boolean | undefined; clicks?: boolean | undefined } | undefined;
  /** Header fields of one-click unsubscription, whatever the type of the message. */
  unsubscribe?: boolean | undefined;
}

const MAX_MESSAGE_BYTES = 40 * 1_048_576;
const BASE64 = /^[A-Za-z0-9+/]*$/;
const BASE64_END = /^[A-Za-z0-9+/]*={0,2}$/;
/** This many characters are scanned in some milliseconds. */
const CHARS_A_SLICE = 4_194_304;
const HEADER_NAME = /^[\x21-\x39\x3b-\x7e]{1,100}$/;
const FORBIDDEN_HEADER =
  /^(from|to|cc|bcc|sender|subject|date|message-id|feedback-id|dkim-signature|return-path|received|resent-.*|mime-version|content-.*)$/i;

/**
 * Everything wrong with the input besides its schema: cross-field rules, templates, headers, sizes. `refused` are
 * fields left out of it because their schema is not satisfied.
 */
export async function sendErrors(
  input: SendInput,
  limits: { attachmentBytes: number; now: Date; mayBeOver?: boolean },
  refused: ReadonlySet<string> = new Set(),
): Promise<FieldError[]> {
  return [
    ...(refused.has("template") ? [] : contentErrors(input)),
    ...recipientErrors(input),
    ...templateErrors("subject", input.subject),
    ...templateErrors("body", input.body),
    ...dataErrors(input.data),
    ...headerErrors(input.headers),
    ...optionErrors(input),
    ...sendAtErrors(input.sendAt, limits.now, limits),
    ...(await attachmentErrors(input.attachments, limits.attachmentBytes)),
    ...messageErrors(input),
  ];
}

/** What a message of its own has, in the words of a refusal. */
const CONTENT = { subject: "subject", body: "body", from: "sender" } as const;

function contentErrors(input: SendInput): FieldError[] {
  if (input.template !== undefined) return [];
  const missing = (["subject", "body", "from"] as const).filter((field) => input[field] === undefined);
  return missing.map((field) => ({
    field,
    code: "required",
    message: `A ${CONTENT[field]} is required without a template`,
  }));
}

/** What is wrong with the options of a message, whatever its content. */
export function optionErrors({
  reply,
  replyTo,
  tags = [],
}: Pick<SendInput, "reply" | "replyTo" | "tags">): FieldError[] {
  const errors: FieldError[] = [];
  if (reply !== undefined && replyTo !== undefined) {
    const message = "Use either reply or replyTo, which takes several addresses";
    errors.push({ field: "replyTo", code: "custom", message });
  }
  const names = tags.map(({ name }) => name);
  for (const [i, name] of names.entries()) {
    if (names.indexOf(name) === i) continue;
    const message = `Each tag has a name of its own: ${name} is there twice`;
    errors.push({ field: `tags.${i}.name`, code: "custom", message });
  }
  return errors;
}

/** All of them, values that are no text included: the schema lets them through. */
function headerErrors(headers: Record<string, unknown> = {}): FieldError[] {
  return Object.entries(headers).flatMap(([name, value]): FieldError[] => {
    const field = `headers.${name.replace(/[^\x20-\x7e]/g, "?").slice(0, 100)}`;
    if (!HEADER_NAME.test(name)) {
      return [
        {
          field,
          code: "invalid_string",
          message: "A header name is printable ASCII without spaces and colons",
        },
      ];
    }
    if (FORBIDDEN_HEADER.test(name)) {
      return [
        { field, code: "custom", message: "This header is written by the service and cannot be replaced" },
      ];
    }
    if (typeof value !== "string") return [{ field, code: "invalid_type", message: "Expected a string" }];
    if (/[\r\n\0]/.test(value)) {
      return [{ field, code: "invalid_string", message: "A header value has no line breaks and no NUL" }];
    }
    return value.length > 998
      ? [{ field, code: "too_big", message: "A header value has at most 998 characters" }]
      : [];
  });
}

async function attachmentErrors(
  attachments: AttachmentInput[] = [],
  limitBytes: number,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  for (const [i, attachment] of attachments.entries()) {
    const wrong = await fileErrors(attachment);
    errors.push(...wrong.map((error) => ({ ...error, field: `attachments.${i}.${error.field}` })));
  }
  const total = attachments.reduce((sum, { content }) => sum + decodedLength(content), 0);
  if (total > limitBytes) {
    const message = `All attachments together have at most ${limitBytes / 1_048_576} MB`;
    errors.push({ field: "attachments", code: "too_big", message });
  }
  return errors;
}

/** Everything wrong with one attachment besides its schema; `refused` are fields left out of it because of that. */
export async function fileErrors(
  { content, disposition, contentId }: Partial<AttachmentInput>,
  refused: ReadonlySet<string> = new Set(),
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  if (content !== undefined && !(await isBase64(content)))
    errors.push({ field: "content", code: "invalid_string", message: "The content is not base64" });
  if (disposition === "inline" && !contentId && !refused.has("contentId")) {
    const message = "An inline attachment needs a content id, so that the HTML can show it as cid:…";
    errors.push({ field: "contentId", code: "required", message });
  }
  return errors;
}

/** How many bytes base64 stands for. */
function decodedLength(content: string): number {
  const padding = content.endsWith("==") ? 2 : content.endsWith("=") ? 1 : 0;
  return (content.length * 3) / 4 - padding;
}

/** Slice by slice, so that others get their turn: a file may have many megabytes. */
async function isBase64(text: string): Promise<boolean> {
  if (text.length % 4 !== 0) return false;
  let at = 0;
  for (; at + CHARS_A_SLICE < text.length; at += CHARS_A_SLICE) {
    if (!BASE64.test(text.slice(at, at + CHARS_A_SLICE))) return false;
    await setImmediate();
  }
  return BASE64_END.test(text.slice(at));
}

function messageErrors({ body = "", attachments = [] }: SendInput): FieldError[] {
  // The body is sent twice, as HTML and as text, and everything in base64.
  const bytes =
    (Buffer.byteLength(body) * 8) / 3 + attachments.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes <= MAX_MESSAGE_BYTES) return [];
  return [{ field: "body", code: "too_big", message: "The whole message has at most 40 MB" }];
}
