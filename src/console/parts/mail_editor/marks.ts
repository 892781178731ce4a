// What the code editor shows at its lines: faults, and expressions that have no value for the contact of the preview.
import type { FieldFault } from "../../api.ts";
import type { Mark } from "../code/editor.tsx";

/** The marks of a body. `whom`: for whom values are missing. */
export function marksOf(body: string, faults: FieldFault[], missing: string[], whom: string): Mark[] {
  const errors = faults
    .filter(({ field }) => field === "body")
    .map(({ line, column, message }): Mark => ({
      line,
      column,
      severity: "error",
      message: withoutPlace(message),
    }));
  const warnings = unfilled(body, missing).map(({ at, text, name }): Mark => {
    const message = `${whom} has no ${name}: nothing is shown here. Write {{${name} ?? something}} to show something else.`;
    return { ...placeAt(body, at), length: text.length, severity: "warning", message };
  });
  return [...errors, ...warnings.slice(0, MAX_WARNINGS)];
}

const MAX_WARNINGS = 200;

/** Of the names that have no value, those that leave a hole: nothing is said to show in their place. */
export function holesIn(texts: string[], missing: string[]): string[] {
  const found = new Set(texts.flatMap((text) => unfilled(text, missing)).map(({ name }) => name));
  return missing.filter((name) => found.has(name));
}

/** The expressions that print nothing. A block such as `{{#if plan}}` expects that there may be no value. */
function unfilled(text: string, missing: string[]): { at: number; text: string; name: string }[] {
  const wanted = new Set(missing);
  return expressionsOf(text).flatMap((expression) => {
    if (/^\{+~?\s*(?:#if|#unless|#each|#with|else|\/|default\b)|\?\?/.test(expression.text)) return [];
    const name = namesIn(expression.text).find((one) => wanted.has(one));
    return name === undefined ? [] : [{ ...expression, name }];
  });
}

/** The place is shown already. */
const withoutPlace = (message: string) => message.replace(/ \(line \d+, column \d+\)$/, "");

function expressionsOf(body: string): { at: number; text: string }[] {
  return [...body.matchAll(/\{\{\{?[^{}]*\}?\}\}/g)].map(({ index, 0: text }) => ({ at: index, text }));
}

/** Everything in an expression that may be the name of a value. */
function namesIn(text: string): string[] {
  const inner = text
    .replace(/^\{+[#/&^]?\s*|\s*\}+$/g, "")
    .split("??")[0]!
    .trim();
  return [inner, ...inner.split(/[\s()]+/)].map((word) => word.replace(/^\[(.*)\]$/, "$1"));
}

function placeAt(body: string, at: number): { line: number; column: number } {
  const before = body.slice(0, at).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
