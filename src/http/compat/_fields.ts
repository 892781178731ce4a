// What becomes of each field of another provider's message: the code goes by these tables, and the guide shows them.
import { type FieldError, MAX_ERRORS } from "../../problem/mod.ts";
import { filled } from "./_message.ts";

/** What becomes of a field: it is in the mail, it has no effect, or a message that has it is refused, and why. */
export interface Fate {
  becomes: "sent" | "ignored" | "refused";
  how: string;
}

/** The fields of a message, with a dot before those within another one, such as `attachments.content`. */
export type FieldTable = Readonly<Record<string, Fate>>;

export const sent = (how = "as it is"): Fate => ({ becomes: "sent", how });
export const ignored = (how: string): Fate => ({ becomes: "ignored", how });
export const refused = (how: string): Fate => ({ becomes: "refused", how });

/**
 * Refuses what would have no effect: fields that the table refuses, and those that it does not know. `at` is where they are
 * in the table, such as `attachments.`, and `place` where they are in the request. No more than a refusal lists.
 */
export function unsupportedIn(given: unknown, table: FieldTable, at = "", place = at): FieldError[] {
  const errors: FieldError[] = [];
  for (const name in filled(given)) {
    const fate = Object.hasOwn(table, `${at}${name}`) ? table[`${at}${name}`]! : null;
    if (fate !== null && fate.becomes !== "refused") continue;
    errors.push(wrong(`${place}${name}`, fate === null ? "This field is not supported here" : fate.how));
    if (errors.length === MAX_ERRORS) break;
  }
  return errors;
}

/** The same of each object in the list `name`. */
export function unsupportedInEach(
  given: unknown,
  table: FieldTable,
  name: string,
  place = name,
): FieldError[] {
  if (!Array.isArray(given)) return [];
  const errors: FieldError[] = [];
  for (const [i, one] of given.entries()) {
    errors.push(...unsupportedIn(one, table, `${name}.`, `${place}.${i}.`));
    if (errors.length >= MAX_ERRORS) break;
  }
  return errors;
}

/** An error of one field. */
export const wrong = (field: string, message: string): FieldError => ({ field, code: "custom", message });
