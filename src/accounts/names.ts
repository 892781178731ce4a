// Names of projects and people are shown to others, also in mails.
import type { FieldError } from "../problem/mod.ts";

/** Longest name of a project or a person. */
export const MAX_NAME = 100;

/** Characters that are not seen, and ends of lines. The joiners of letters and emoji (U+200C and U+200D) are none of them. */
export const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/u;

/** A name is shown to people in mails: one line, with no hidden characters and no link. */
const MISLEADING = new RegExp(`${HIDDEN.source}|:\\/\\/|\\bwww\\.`, "iu");

/** What is wrong with a name: it is empty, too long, or could lead people astray. */
export function nameErrors(name: string): FieldError[] {
  if (name.trim() === "" || name.length > MAX_NAME) {
    const message = `A name has 1 to ${MAX_NAME} characters`;
    return [{ field: "name", code: name.length > MAX_NAME ? "too_big" : "too_small", message }];
  }
  if (!MISLEADING.test(name)) return [];
  const message = "A name is one line of text, without invisible characters and web addresses";
  return [{ field: "name", code: "invalid_string", message, received: name }];
}
