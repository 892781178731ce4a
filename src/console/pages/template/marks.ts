// What the code editor shows at its lines: faults, and expressions that have no value for the contact of the preview.
import type { FieldFault } from "../../api.ts";
import type { Mark } from "../../parts/code/editor.tsx";

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
  const wanted = new Set(missing);
  const warnings = expressionsOf(body).flatMap(({ at, text }): Mark[] => {
    const name = namesIn(text).find((one) => wanted.has(one));
    if (name === undefined) return [];
    const message = `${whom} has no ${name}. ${text.includes("??") ? "The words behind ?? are shown." : "Nothing is shown: write {{" + name + " ?? something}} to show something else."}`;
    return [{ ...placeAt(body, at), length: text.length, severity: "warning", message }];
  });
  return [...errors, ...warnings.slice(0, MAX_WARNINGS)];
}

const MAX_WARNINGS = 200;

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
