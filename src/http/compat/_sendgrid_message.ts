// A message as SendGrid's API takes it, in our words: one of ours for each of its personalizations.
import { createPauses } from "../../pauses.ts";
import type { FieldError } from "../../problem/mod.ts";
import { isUuid } from "../entry/schemas.ts";
import * as content from "./_content.ts";
import { unsupportedIn, unsupportedInEach, wrong } from "./_fields.ts";
import { filled, type SdkFields, sendAtOf, tagsOf, asText, type Translated } from "./_message.ts";
import { SENDGRID_FIELDS } from "./_sendgrid_fields.ts";
import { namesOfFiles } from "./_names.ts";
import { newSubstituter, type Substituter } from "./_substitutions.ts";

/** The messages of a request, or what is wrong with what they share. */
export interface SendgridRequest {
  messages: Translated[];
  errors: FieldError[];
  /** Nothing is to be sent. */
  isTrial: boolean;
}

const MAX_PERSONALIZATIONS = 1_000;
const MAX_RECIPIENTS = 1_000;
const SETTINGS = ["mail_settings", "tracking_settings"] as const;

/** Reads a request, of which nothing is known but that it is an object. */
export async function readSendgrid(body: SdkFields, now: Date): Promise<SendgridRequest> {
  const given = withoutUnused(body);
  const { personalizations } = given;
  const isTrial = isEnabled(filled(given.mail_settings).sandbox_mode);
  const errors = [...sharedErrors(given), ...countErrors(personalizations)];
  if (errors.length > 0) return { messages: [], errors, isTrial };
  const shared = sharedOf(given);
  const substituter = newSubstituter("personalizations.substitutions");
  const all = merged(personalizations as unknown[]);
  const messages: Translated[] = [];
  const pause = createPauses();
  for (const { at, own } of all) {
    await pause();
    messages.push(messageOf(given, shared, { at, own, now, substituter }));
  }
  return { messages, errors, isTrial };
}

/** Settings that are turned off say nothing, but for those of tracking. */
function withoutUnused(body: SdkFields): SdkFields {
  const given = filled(body);
  for (const name of SETTINGS) {
    const used = Object.entries(filled(given[name])).filter(
      ([setting, value]) => isEnabled(value) || /^(click|open)_tracking$/.test(setting),
    );
    if (given[name] !== undefined) given[name] = Object.fromEntries(used);
  }
  return given;
}

const isEnabled = (setting: unknown) => filled(setting).enable === true;

function sharedErrors(given: SdkFields): FieldError[] {
  return [
    ...unsupportedIn(given, SENDGRID_FIELDS),
    ...SETTINGS.flatMap((name) => unsupportedIn(given[name], SENDGRID_FIELDS, `${name}.`)),
    ...unsupportedInEach(given.personalizations, SENDGRID_FIELDS, "personalizations"),
    ...unsupportedInEach(given.content, SENDGRID_FIELDS, "content"),
    ...unsupportedInEach(given.attachments, SENDGRID_FIELDS, "attachments"),
    ...contentErrors(given.content),
  ];
}

function contentErrors(parts: unknown): FieldError[] {
  if (parts === undefined) return [];
  if (!Array.isArray(parts)) return [wrong("content", "Expected a list of parts with type and value")];
  return parts.flatMap((part, i) => {
    const { type, value } = filled(part);
    if (typeof type !== "string" || !/^text\/(plain|html)\s*(;|$)/i.test(type)) {
      return [wrong(`content.${i}.type`, "Expected text/plain or text/html: other types are not supported")];
    }
    return typeof value === "string" ? [] : [wrong(`content.${i}.value`, "Expected a text")];
  });
}

function countErrors(personalizations: unknown): FieldError[] {
  const field = "personalizations";
  if (!Array.isArray(personalizations)) return [wrong(field, "Expected a list of one or more objects")];
  if (personalizations.length > MAX_PERSONALIZATIONS) {
    return [wrong(field, `Expected at most ${MAX_PERSONALIZATIONS}`)];
  }
  const countOf = ({ to, cc, bcc }: SdkFields) => listOf(to).length + listOf(cc).length + listOf(bcc).length;
  const recipients = personalizations.reduce((sum: number, one) => sum + countOf(filled(one)), 0);
  return recipients > MAX_RECIPIENTS
    ? [wrong(field, `All of them together have at most ${MAX_RECIPIENTS} recipients`)]
    : [];
}

const listOf = (given: unknown): unknown[] => (Array.isArray(given) ? given : []);

/** Those that have nothing but recipients are one message: every recipient gets a mail of their own anyway. */
function merged(personalizations: unknown[]): { at: number; own: SdkFields }[] {
  const all = personalizations.map((one, at) => ({ at, own: filled(one) }));
  const plain = all.filter(({ own }) => Object.keys(own).join() === "to" && Array.isArray(own.to));
  const [first] = plain;
  if (first === undefined) return all;
  const rest = new Set(plain.slice(1));
  const to = plain.flatMap(({ own }) => own.to);
  return all
    .filter((one) => !rest.has(one))
    .map((one) => (one === first ? { at: one.at, own: { to } } : one));
}

/** What all messages of a request have. */
function sharedOf(given: SdkFields) {
  const { click_tracking, open_tracking, subscription_tracking } = filled(given.tracking_settings);
  const choices = { opens: filled(open_tracking).enable, clicks: filled(click_tracking).enable };
  const tracking = filled(choices);
  return {
    replyTo: given.reply_to_list === undefined ? addressOf(given.reply_to) : repliesOf(given.reply_to_list),
    attachments: Array.isArray(given.attachments) ? given.attachments.map(fileOf) : given.attachments,
    template: templateOf(given.template_id),
    tracking: Object.keys(tracking).length === 0 ? undefined : tracking,
    unsubscribe: isEnabled(subscription_tracking) || undefined,
  };
}

/** The SDKs send the variables of a template only where its id begins with `d-`. */
const templateOf = (id: unknown) =>
  typeof id === "string" && isUuid(id.replace(/^d-/, "")) ? id.replace(/^d-/, "") : id;

const repliesOf = (list: unknown) => (Array.isArray(list) ? list.map(addressOf) : list);
const addressOf = (mailbox: unknown) =>
  typeof mailbox === "string" ? content.bareAddress(mailbox) : mailbox && filled(mailbox).email;

function fileOf(given: unknown) {
  const { content: bytes, type, filename, disposition, content_id } = filled(given);
  return {
    filename,
    content: bytes,
    contentType: type ?? content.typeOfFile(filename),
    ...(disposition !== undefined && { disposition }),
    ...(content_id !== undefined && { contentId: content_id }),
  };
}

/** One personalization. */
interface Own {
  at: number;
  own: SdkFields;
  now: Date;
  substituter: Substituter;
}

function messageOf(given: SdkFields, shared: object, { at, own, now, substituter }: Own): Translated {
  const place = `personalizations.${at}`;
  const fill = filler(own.substitutions, substituter);
  const time = timeOf(own.send_at ?? given.send_at, now, own.send_at === undefined ? "" : `${place}.`);
  const args = { ...filled(given.custom_args), ...filled(own.custom_args) };
  const marks: [string, unknown][] = listOf(given.categories).map((category) => [asText(category), "true"]);
  const { tags, errors: tagErrors } = tagsOf([...marks, ...Object.entries(args)], "categories");
  const { html, text } = partsOf(given.content, fill);
  return {
    body: {
      ...shared,
      to: own.to ?? [],
      cc: own.cc,
      bcc: own.bcc,
      from: own.from ?? given.from,
      subject: content.subjectOf(fill(own.subject ?? given.subject)),
      body: content.bodyOf(html, text),
      headers: headersOf(given.headers, own.headers, fill),
      tags,
      sendAt: time.sendAt,
      data: content.variablesOf(own.dynamic_template_data),
    },
    errors: [...time.errors, ...tagErrors],
    names: {
      to: `${place}.to`,
      cc: `${place}.cc`,
      bcc: `${place}.bcc`,
      from: own.from === undefined ? "from" : `${place}.from`,
      body: "content",
      subject: own.subject === undefined ? "subject" : `${place}.subject`,
      data: `${place}.dynamic_template_data`,
      replyTo: given.reply_to_list === undefined ? "reply_to" : "reply_to_list",
      sendAt: own.send_at === undefined ? "send_at" : `${place}.send_at`,
      ...NAMES,
    },
  };
}

/** Of what all messages of a request have. */
const NAMES = {
  template: "template_id",
  tags: "categories",
  tracking: "tracking_settings",
  "tracking.opens": "tracking_settings.open_tracking.enable",
  "tracking.clicks": "tracking_settings.click_tracking.enable",
  unsubscribe: "tracking_settings.subscription_tracking.enable",
  ...namesOfFiles("attachments", {
    filename: "filename",
    content: "content",
    contentType: "type",
    contentId: "content_id",
    disposition: "disposition",
  }),
};

type Fill = (text: unknown) => unknown;

/** All of them, however many: an empty one has nothing stand in the place of its word. */
function filler(substitutions: unknown, substituter: Substituter): Fill {
  const given = typeof substitutions === "object" ? Object.entries(substitutions ?? {}) : [];
  const values = new Map(given.map(([key, value]) => [key, asText(value ?? "")]));
  if (values.size === 0) return (text) => text;
  return (text) => (typeof text === "string" ? substituter.replaceAll(text, values) : text);
}

function partsOf(parts: unknown, fill: Fill): { html?: unknown; text?: unknown } {
  const of = (type: string) =>
    listOf(parts)
      .map(filled)
      .find((part) => asText(part.type).toLowerCase().startsWith(type))?.value;
  return { html: fill(of("text/html")), text: fill(of("text/plain")) };
}

function headersOf(shared: unknown, own: unknown, fill: Fill): SdkFields | undefined {
  const headers = Object.entries({ ...filled(shared), ...filled(own) });
  return headers.length === 0
    ? undefined
    : Object.fromEntries(headers.map(([name, value]) => [name, fill(value)]));
}

/** A Unix time in seconds. */
function timeOf(
  given: unknown,
  now: Date,
  place: string,
): { sendAt?: string | undefined; errors: FieldError[] } {
  if (given === undefined) return { errors: [] };
  const time = new Date(Number(asText(given)) * 1_000);
  if (!/^\d{1,12}$/.test(asText(given)) || Number.isNaN(time.getTime())) {
    return { errors: [wrong(`${place}send_at`, "Expected a Unix time in seconds")] };
  }
  return { sendAt: sendAtOf(time, now), errors: [] };
}
