// The fields of a header that somebody else has written.
import { decodeWords } from "postal-mime";
import { parseHeaderValue } from "nodemailer/lib/mime-funcs";

/** One field, with its folding and without its line end, one character a byte. */
export interface HeaderField {
  /** In lower case. Empty for a line that is no field. */
  name: string;
  text: string;
}

/** The fields of a header without the empty line behind it, one character a byte, in their order. */
export function fieldsOf(head: string): HeaderField[] {
  if (head === "") return [];
  return head.split(/\r\n(?![ \t])/).map((text) => {
    const name = /^[!-9;-~]+(?=[ \t]*:)/.exec(text)?.[0] ?? "";
    return { name: name.toLowerCase(), text };
  });
}

/** The value of a field in one line, in Unicode where its bytes are UTF-8, its encoded words as they are. */
export function rawValueOf({ text }: HeaderField): string {
  const value = text.slice(text.indexOf(":") + 1).replace(/\r\n/g, "");
  return utf8Of(value).trim();
}

/** The value as a reader sees it. */
export function valueOf(field: HeaderField): string {
  return clean(decodeWords(rawValueOf(field)));
}

/** A value with parameters, such as that of Content-Type; the value itself and the names are in lower case. */
export function structuredValueOf(field: HeaderField | undefined): {
  value: string;
  params: Record<string, string>;
} {
  if (!field) return { value: "", params: {} };
  const { value, params } = parseHeaderValue(rawValueOf(field), { stripComments: true });
  return { value: value.trim().toLowerCase(), params };
}

/** One line that anything can hold: without control characters and halves of a character. */
export function clean(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, " ")
    .toWellFormed()
    .trim();
}

/** The text that these bytes are, one character each; as they are, where they are not UTF-8. */
function utf8Of(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(bytes, "latin1"));
  } catch {
    return bytes;
  }
}
