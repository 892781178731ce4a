// A message as Mailgun's API takes it, in our words: one of ours, or one for each recipient that has variables.
import { createPauses } from "../../pauses.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { parseObject } from "../entry/body.ts";
import type { UploadedFile } from "../entry/form.ts";
import * as content from "./_content.ts";
import { wrong } from "./_fields.ts";
import { mailboxesIn } from "./_mailboxes.ts";
import type { MailgunForm } from "./_mailgun_form.ts";
import { filled, type SdkFields, sendAtOf, tagsOf, type Translated } from "./_message.ts";
import { type Names, namesOfFiles } from "./_names.ts";
import { newSubstituter } from "./_substitutions.ts";

/** The names of our fields there. */
export const MAILGUN_NAMES: Names = {
  body: "html",
  replyTo: "h:Reply-To",
  headers: "h:",
  tags: "o:tag",
  sendAt: "o:deliverytime",
  tracking: "o:tracking",
  "tracking.opens": "o:tracking-opens",
  "tracking.clicks": "o:tracking-clicks",
  data: "t:variables",
  ...namesOfFiles("attachment", {
    filename: "filename",
    content: "content",
    contentType: "content-type",
    contentId: "filename",
    disposition: "filename",
  }),
};

const MAX_RECIPIENTS = 1_000;
const JSON_LIMITS = { values: 50_000, levels: 70 };
const RECIPIENT_WORD = /%recipient(?:\.[^%\s]{1,128}|_email|_name)?%/g;
const UNSUBSCRIBE = /%unsubscribe_url%/g;

/** Reads a message. Throws 422 for what cannot be read at all. */
export async function readMailgun(form: MailgunForm, now: Date): Promise<Translated[]> {
  const recipients = form.texts("to").flatMap(mailboxesIn);
  const { tags, errors: optionErrors, ...options } = optionsOf(form, now);
  const errors = [...form.errors, ...optionErrors];
  if (recipients.length > MAX_RECIPIENTS)
    errors.push(wrong("to", `A message has at most ${MAX_RECIPIENTS} recipients`));
  if (errors.length > 0) throw problems.invalid(errors);
  const texts = await textsOf(form);
  const own = await recipientVariables(form);
  const [cc, bcc] = ["cc", "bcc"].map((name) => form.texts(name).flatMap(mailboxesIn));
  const copies = { ...(cc!.length > 0 && { cc }), ...(bcc!.length > 0 && { bcc }) };
  const shared = { from: form.text("from"), ...copies, ...options, tags, attachments: filesOf(form) };
  const all = (to: unknown, said: Texts) => ({ body: { to, ...shared, ...bodyOf(said) }, errors: [] });
  const isSame = own === null || !JSON.stringify(texts).includes("%recipient");
  if (isSame) return [all(recipients, texts)];
  return await eachOf(recipients, own, texts, all);
}

/** What a message says in words. */
interface Texts {
  subject: string | undefined;
  html: string | undefined;
  text: string | undefined;
  template: string | undefined;
  headers: SdkFields;
  replyTo: string | undefined;
  variables: SdkFields;
}

async function textsOf(form: MailgunForm): Promise<Texts> {
  const headers = form.prefixed("h:");
  const named = (pattern: RegExp) => headers.find(([name]) => pattern.test(name))?.[1];
  const template = form.text("template");
  const [variables, more] = [form.text("t:variables"), named(/^x-mailgun-variables$/i)];
  return {
    subject: form.text("subject"),
    html: form.text("html"),
    text: form.text("text"),
    template,
    headers: Object.fromEntries(headers.filter(([name]) => !/^(reply-to|x-mailgun-variables)$/i.test(name))),
    replyTo: named(/^reply-to$/i),
    variables: {
      ...(template === undefined ? {} : Object.fromEntries(form.prefixed("v:"))),
      ...(more === undefined ? {} : await parseObject(more, "h:X-Mailgun-Variables", JSON_LIMITS)),
      ...(variables === undefined ? {} : await parseObject(variables, "t:variables", JSON_LIMITS)),
    },
  };
}

function bodyOf({ subject, html, text, template, headers, replyTo, variables }: Texts): SdkFields {
  const body = content.bodyOf(html, text);
  const replies = replyTo === undefined ? [] : mailboxesIn(replyTo).map(content.bareAddress);
  return {
    subject: content.subjectOf(subject),
    body: typeof body === "string" ? body.replace(UNSUBSCRIBE, "{{unsubscribeUrl}}") : body,
    template,
    headers: Object.keys(headers).length === 0 ? undefined : headers,
    replyTo: replies.length === 0 ? undefined : replies,
    data: Object.keys(variables).length === 0 ? undefined : content.variablesOf(variables),
  };
}

/** The variables of each recipient, by address; null where there are none. */
async function recipientVariables(form: MailgunForm): Promise<Map<string, SdkFields> | null> {
  const text = form.text("recipient-variables");
  if (text === undefined) return null;
  const given = await parseObject(text, "recipient-variables", JSON_LIMITS);
  return new Map(
    Object.entries(given).map(([address, variables]) => [
      String(content.bareAddress(address)).toLowerCase(),
      typeof variables === "object" ? { ...variables } : {},
    ]),
  );
}

async function eachOf(
  recipients: string[],
  own: Map<string, SdkFields>,
  texts: Texts,
  all: (to: unknown, said: Texts) => Translated,
): Promise<Translated[]> {
  const substituter = newSubstituter("recipient-variables");
  const messages: Translated[] = [];
  const pause = createPauses();
  for (const recipient of recipients) {
    await pause();
    const valueOf = valuesFor(recipient, own);
    const fill = (text: unknown) =>
      typeof text === "string"
        ? substituter.replaceEach(text, RECIPIENT_WORD, valueOf)
        : (substituter.pass(), text);
    messages.push(all(recipient, withFilled(texts, fill) as Texts));
  }
  return messages;
}

/** What the words say for a recipient. */
function valuesFor(recipient: string, own: Map<string, SdkFields>): (word: string) => string | undefined {
  const address = String(content.bareAddress(recipient));
  const variables = own.get(address.toLowerCase()) ?? {};
  const shownName = /^(.*)<[^<]*>$/s.exec(recipient)?.[1]?.trim().replace(/^"|"$/g, "") ?? "";
  return (word) => {
    if (word === "%recipient%") return recipient;
    if (word === "%recipient_email%") return address;
    if (word === "%recipient_name%") return shownName;
    const name = word.slice("%recipient.".length, -1);
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return value === undefined || value === null
      ? undefined
      : typeof value === "string"
        ? value
        : JSON.stringify(value);
  };
}

/** A copy in which every value without parts is what `fill` makes of it. */
function withFilled(value: unknown, fill: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => withFilled(one, fill));
  if (typeof value !== "object" || value === null) return fill(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withFilled(one, fill)]));
}

/** What goes with a message, whatever it says. */
export function optionsOf(form: MailgunForm, now: Date) {
  const marks: [string, unknown][] = form.texts("o:tag").map((tag) => [tag, "true"]);
  const mayMark = form.text("template") === undefined;
  const { tags, errors } = tagsOf(mayMark ? [...marks, ...form.prefixed("v:")] : marks, "o:tag");
  const time = timeOf(form.text("o:deliverytime"), now);
  const [both, opens, clicks] = ["o:tracking", "o:tracking-opens", "o:tracking-clicks"].map(form.isOn);
  const tracking = filled({ opens: opens ?? both, clicks: clicks ?? both });
  return {
    tags,
    sendAt: time.sendAt,
    tracking: Object.keys(tracking).length === 0 ? undefined : tracking,
    errors: [...errors, ...time.errors],
  };
}

/** A date as mails have it, such as `Fri, 14 Oct 2033 23:10:10 -0000`. */
function timeOf(text: string | undefined, now: Date): { sendAt?: string | undefined; errors: FieldError[] } {
  if (text === undefined) return { errors: [] };
  const time = new Date(text.length < 60 && /[a-z]{3}.*\d{2}:\d{2}/i.test(text) ? text : Number.NaN);
  if (!Number.isNaN(time.getTime())) return { sendAt: sendAtOf(time, now), errors: [] };
  const message = "Expected a date in RFC 2822, such as Fri, 14 Oct 2033 23:10:10 +0000";
  return { errors: [wrong("o:deliverytime", message)] };
}

function filesOf(form: MailgunForm): SdkFields[] | undefined {
  const files = [
    ...form.files("attachment").map(fileOf),
    ...form.files("inline").map((file) => ({ ...fileOf(file), contentId: file.name, disposition: "inline" })),
  ];
  return files.length === 0 ? undefined : files;
}

function fileOf({ name, type, bytes }: UploadedFile): SdkFields {
  const isUnknown = type === "" || type === "application/octet-stream";
  return {
    filename: name,
    content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
    contentType: isUnknown ? content.typeOfFile(name) : type,
  };
}
