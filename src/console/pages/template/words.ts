// What is written of a template.
import type { Template, TemplatePatch, TemplateVersion } from "../../api.gen.ts";

/** The fields of a template; what is not there is empty. */
export interface Words {
  name: string;
  description: string;
  subject: string;
  preheader: string;
  body: string;
  from: string;
  fromName: string;
  replyTo: string;
  type: Template["type"];
}

/** A field of {@linkcode Words}. */
export type Field = keyof Words;

/** What the fields are called, in the order in which differences are listed. */
export const LABELS: Record<Field, string> = {
  name: "Name",
  description: "Description",
  subject: "Subject",
  preheader: "Preview text",
  from: "Sender",
  fromName: "Name of the sender",
  replyTo: "Answers go to",
  type: "Kind",
  body: "Body",
};

export const FIELDS = Object.keys(LABELS) as Field[];

/** Those that are null where they are empty. */
const CLEARED = new Set<Field>(["description", "preheader", "fromName", "replyTo"]);

/** The fields of a template, or of one of its versions. */
export function wordsOf(template: Template | TemplateVersion): Words {
  const { name, description, subject, preheader, body, from, fromName, replyTo, type } = template;
  return {
    name,
    description: description ?? "",
    subject,
    preheader: preheader ?? "",
    body,
    from,
    fromName: fromName ?? "",
    replyTo: replyTo ?? "",
    type,
  };
}

/** Which fields differ. */
export const changedIn = (before: Words, after: Words): Field[] =>
  FIELDS.filter((field) => before[field] !== after[field]);

/** A change of these fields, and of no others: what somebody else has written in them stays. */
export function patchOf(words: Words, fields: Field[]): TemplatePatch {
  return Object.fromEntries(
    fields.map((field) => [field, CLEARED.has(field) ? words[field] || null : words[field]]),
  );
}
