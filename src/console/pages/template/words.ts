// What is written of a template.
import type { Template, TemplatePatch, TemplateVersion } from "../../api.gen.ts";
import { MAIL_LABELS, type MailWords } from "../../parts/mail_editor/mail.ts";

/** The fields of a template; what is not there is empty. */
export interface Words extends MailWords {
  name: string;
  alias: string;
  description: string;
}

/** A field of {@linkcode Words}. */
export type Field = keyof Words;

/** What the fields are called. */
export const LABELS: Record<Field, string> = {
  name: "Name",
  alias: "Alias",
  description: "Description",
  ...MAIL_LABELS,
};

/** Those that are null where they are empty. */
const CLEARED = new Set<Field>(["alias", "description", "preheader", "fromName", "replyTo"]);

/** The fields of a template, or of one of its versions, which has no alias. */
export function wordsOf(template: Template | TemplateVersion): Words {
  const { name, description, subject, preheader, body, from, fromName, replyTo, type } = template;
  return {
    name,
    alias: ("alias" in template && template.alias) || "",
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

/** A change of these fields, and of no others: what somebody else has written in them stays. */
export function patchOf(words: Words, fields: Field[]): TemplatePatch {
  return Object.fromEntries(
    fields.map((field) => [field, CLEARED.has(field) ? words[field] || null : words[field]]),
  );
}
