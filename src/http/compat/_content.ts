// What a message of another provider says, in our words: content, addresses, variables and files.
import { parseMailbox } from "../../mail/address.ts";
import { escapeHtml } from "../pages/html.ts";

/** HTML in which nothing is taken for a variable. Text alone becomes HTML that shows it as it is. */
export function bodyOf(html: unknown, text: unknown): unknown {
  if (html === undefined && typeof text === "string") {
    const lines = escapeHtml(text).replace(/\r?\n/g, "<br>");
    return literal(`<div style="white-space: pre-wrap">${lines}</div>`);
  }
  return typeof html === "string" ? literal(html) : html;
}

const literal = (html: string) =>
  html.replace(/(\\*)\{\{/g, (_all, slashes: string) => `${"&#92;".repeat(slashes.length)}\\{{`);

/** A subject in which nothing is taken for a variable. */
export function subjectOf(subject: unknown): unknown {
  return typeof subject === "string" ? subject.replaceAll("{{", "\\{{") : subject;
}

/** The address of a mailbox, without its name; what is none is left for the schema. */
export function bareAddress(mailbox: unknown): unknown {
  return typeof mailbox === "string" ? (parseMailbox(mailbox)?.email ?? mailbox) : mailbox;
}

/** The variables of a template, for this mail only: a provider's SDK knows of no contacts to keep them. */
export function variablesOf(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, { value: value as unknown, persistent: false }]),
  );
}

/** The type of a file that does not say it, by its name. */
export function typeOfFile(filename: unknown): string {
  return typeof filename === "string" ? Bun.file(filename).type : "application/octet-stream";
}
