// What a message of another provider says, in our words: content, addresses, variables and files.
import { parseMailbox } from "../../mail/address.ts";
import { escapeHtml } from "../pages/html.ts";

/** More than any content may have: what is longer is left as it is, for the schema to refuse. */
const MAX_CHARS = 1_048_576;

/** HTML in which nothing is taken for a variable. Text alone becomes HTML that shows it as it is. */
export function bodyOf(html: unknown, text: unknown): unknown {
  const given = html === undefined ? text : html;
  if (typeof given === "string" && given.length > MAX_CHARS) return given;
  if (html === undefined && typeof text === "string") {
    const lines = escapeHtml(text).replace(/\r?\n/g, "<br>");
    return literal(`<div style="white-space: pre-wrap">${lines}</div>`);
  }
  return typeof html === "string" ? literal(html) : html;
}

// The lookbehind: without it a long run of backslashes is looked through again from each of them.
const literal = (html: string) =>
  html.replace(/(?<!\\)(\\*)\{\{/g, (_all, slashes: string) => `${"&#92;".repeat(slashes.length)}\\{{`);

/** A subject in which nothing is taken for a variable; an empty comment takes the backslash that would undo the escape. */
export function subjectOf(subject: unknown): unknown {
  if (typeof subject !== "string" || subject.length > MAX_CHARS) return subject;
  return subject.replace(/(?<!\\)(\\*)\{\{/g, (_all, slashes: string) =>
    slashes === "" ? "\\{{" : `${slashes}\\{{!}}\\{{`,
  );
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

/** The type of a file that does not say it, by the ending of its name: the whole name may be none that a file can have. */
export function typeOfFile(filename: unknown): string {
  const ending =
    typeof filename === "string" ? /\.[a-z0-9]{1,20}$/i.exec(filename.slice(-21))?.[0] : undefined;
  return ending === undefined ? "application/octet-stream" : Bun.file(`file${ending}`).type;
}
