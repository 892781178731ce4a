// What becomes of each field of another provider's message: the code goes by these tables, and the guide shows them.
import type { FieldError } from "../../problem/mod.ts";
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
 * in the table, such as `attachments.`, and `place` where they are in the request.
 */
export function unsupportedIn(given: unknown, table: FieldTable, at = "", place = at): FieldError[] {
  return Object.keys(filled(given)).flatMap((name) => {
    const fate = Object.hasOwn(table, `${at}${name}`) ? table[`${at}${name}`]! : null;
    if (fate !== null && fate.becomes !== "refused") return [];
    return [wrong(`${place}${name}`, fate === null ? "This field is not supported here" : fate.how)];
  });
}

/** The same of each object in the list `name`. */
export function unsupportedInEach(
  given: unknown,
  table: FieldTable,
  name: string,
  place = name,
): FieldError[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((one, i) => unsupportedIn(one, table, `${name}.`, `${place}.${i}.`));
}

/** An error of one field. */
export const wrong = (field: string, message: string): FieldError => ({ field, code: "custom", message });
