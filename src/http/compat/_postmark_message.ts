// A message as Postmark's API takes it, in our words.
import type { FieldError } from "../../problem/mod.ts";
import * as content from "./_content.ts";
import { unsupportedIn, unsupportedInEach, wrong } from "./_fields.ts";
import { mailboxesIn } from "./_mailboxes.ts";
import { filled, type SdkFields, tagsOf, asText, type Translated } from "./_message.ts";
import { type Names, namesOfFiles } from "./_names.ts";
import { POSTMARK_FIELDS } from "./_postmark_fields.ts";

/** The names of our fields there. */
export const POSTMARK_NAMES: Names = {
  to: "To",
  cc: "Cc",
  bcc: "Bcc",
  from: "From",
  subject: "Subject",
  body: "HtmlBody",
  replyTo: "ReplyTo",
  headers: "Headers",
  tags: "Metadata",
  tracking: "TrackOpens",
  "tracking.opens": "TrackOpens",
  "tracking.clicks": "TrackLinks",
  template: "TemplateAlias",
  data: "TemplateModel",
  ...namesOfFiles("Attachments", {
    filename: "Name",
    content: "Content",
    contentType: "ContentType",
    contentId: "ContentID",
    disposition: "ContentID",
  }),
};

/** The same where the template is named by its number. */
const OF_TEMPLATE_ID: Names = { ...POSTMARK_NAMES, template: "TemplateId" };

const MAX_RECIPIENTS = 50;
const DEFAULT_STREAM = "outbound";
const LINKS: Readonly<Record<string, boolean>> = {
  None: false,
  HtmlAndText: true,
  HtmlOnly: true,
  TextOnly: true,
};
const OF_TEMPLATES = ["TemplateId", "TemplateAlias", "TemplateModel"];
const OF_MESSAGES = ["HtmlBody", "TextBody"];

/** Reads a message, of which nothing is known. `isTemplate`: its content is that of a template. */
export function readPostmark(body: unknown, isTemplate: boolean): Translated {
  const given = filled(body);
  const [to, cc, bcc] = [given.To, given.Cc, given.Bcc].map(listIn);
  const marks: [string, unknown][] = Object.entries(filled(given.Metadata));
  if (given.MessageStream !== undefined && given.MessageStream !== DEFAULT_STREAM) {
    marks.push(["stream", given.MessageStream]);
  }
  if (given.Tag !== undefined) marks.push(["tag", given.Tag]);
  const { tags, errors: tagErrors } = tagsOf(marks, "Metadata");
  const opens = given.TrackOpens;
  const clicks = Object.hasOwn(LINKS, asText(given.TrackLinks)) ? LINKS[asText(given.TrackLinks)] : undefined;
  const template = given.TemplateAlias ?? given.TemplateId;
  return {
    body: {
      to: to ?? [],
      cc,
      bcc,
      from: given.From,
      subject: content.subjectOf(given.Subject),
      ...(isTemplate
        ? { template: template === undefined ? "" : asText(template), data: dataOf(given.TemplateModel) }
        : { body: content.bodyOf(given.HtmlBody, given.TextBody) }),
      replyTo: repliesOf(given.ReplyTo),
      headers: headersOf(given.Headers),
      tags,
      tracking: opens === undefined && clicks === undefined ? undefined : filled({ opens, clicks }),
      attachments: Array.isArray(given.Attachments) ? given.Attachments.map(fileOf) : given.Attachments,
    },
    errors: [
      ...unsupportedIn(given, POSTMARK_FIELDS),
      ...unsupportedInEach(given.Headers, POSTMARK_FIELDS, "Headers"),
      ...unsupportedInEach(given.Attachments, POSTMARK_FIELDS, "Attachments"),
      ...misplaced(given, isTemplate),
      ...valueErrors(given, to),
      ...headerErrors(given.Headers),
      ...tagErrors,
    ],
    ...(given.TemplateAlias === undefined && given.TemplateId !== undefined && { names: OF_TEMPLATE_ID }),
  };
}

const listIn = (given: unknown) => (typeof given === "string" ? mailboxesIn(given) : given);

const dataOf = (model: unknown) => content.variablesOf(model);

function misplaced(given: SdkFields, isTemplate: boolean): FieldError[] {
  const fields = isTemplate ? OF_MESSAGES : OF_TEMPLATES;
  const message = isTemplate
    ? "This field is for messages without a template: leave it out"
    : "This field is for messages with a template: see /email/withTemplate";
  return fields.filter((name) => given[name] !== undefined).map((name) => wrong(name, message));
}

function valueErrors(given: SdkFields, to: unknown): FieldError[] {
  const errors: FieldError[] = [];
  if (Array.isArray(to) && to.length > MAX_RECIPIENTS) {
    errors.push(wrong("To", `A message has at most ${MAX_RECIPIENTS} recipients`));
  }
  if (given.TrackLinks !== undefined && !Object.hasOwn(LINKS, asText(given.TrackLinks))) {
    errors.push(wrong("TrackLinks", `Expected one of ${Object.keys(LINKS).join(", ")}`));
  }
  return errors;
}

function repliesOf(given: unknown): unknown {
  if (typeof given !== "string") return given;
  const addresses = mailboxesIn(given).map(content.bareAddress);
  return addresses.length === 1 ? addresses[0] : addresses;
}

const pairsOf = (headers: unknown): SdkFields[] => (Array.isArray(headers) ? headers.map(filled) : []);

function headersOf(headers: unknown): unknown {
  if (headers === undefined) return undefined;
  if (!Array.isArray(headers)) return headers;
  return Object.fromEntries(pairsOf(headers).map(({ Name, Value = "" }) => [asText(Name ?? ""), Value]));
}

function headerErrors(headers: unknown): FieldError[] {
  if (headers !== undefined && !Array.isArray(headers)) {
    return [wrong("Headers", "Expected a list of objects with Name and Value")];
  }
  const seen = new Set<string>();
  return pairsOf(headers).flatMap(({ Name }, i) => {
    const name = asText(Name ?? "").toLowerCase();
    if (seen.has(name)) return [wrong(`Headers.${i}.Name`, "Each header can be there once")];
    seen.add(name);
    return [];
  });
}

function fileOf(given: unknown) {
  const { Name, Content, ContentType, ContentID } = filled(given);
  return {
    filename: Name,
    content: Content,
    contentType: ContentType ?? content.typeOfFile(Name),
    ...(typeof ContentID === "string" && {
      contentId: ContentID.replace(/^cid:/i, ""),
      disposition: "inline",
    }),
  };
}
