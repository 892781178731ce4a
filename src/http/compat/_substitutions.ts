// Words in a message that stand for what a recipient has: replaced in the text as it is, as the provider does it.
import { problems } from "../../problem/mod.ts";

/** As much as a body may have. */
const MAX_CHARS = 1_048_576;
/** Characters that are looked through for one request: about 0.1 seconds. */
const MAX_WORK = 100_000_000;
/** What a value costs that is looked at or replaced, however short it is. */
const WORK_A_VALUE = 50;

/** Replaces words in the texts of one request, within bounds for all of them together. */
export interface Substituter {
  /** Every `key` of `values` becomes its value. */
  replaceAll(text: string, values: ReadonlyMap<string, string>): string;
  /** What a pattern finds becomes what `valueOf` says, or stays where that is undefined. */
  replaceEach(text: string, pattern: RegExp, valueOf: (found: string) => string | undefined): string;
  /** Counts a value that is looked at and has no text. */
  pass(): void;
}

/** Throws 422 where a text becomes too long, or there is too much to do: `field` is what the refusal names. */
export function newSubstituter(field: string): Substituter {
  let work = 0;
  const add = (chars: number, length: number) => {
    work += chars;
    const message =
      length > MAX_CHARS
        ? `A text has at most ${MAX_CHARS} characters once this is in it`
        : work > MAX_WORK
          ? "This is too much for one request: send fewer messages at once, or use a template with variables"
          : null;
    if (message !== null) throw problems.invalid([{ field, code: "too_big", message }]);
  };
  return {
    pass: () => add(WORK_A_VALUE, 0),
    replaceAll(text, values) {
      let replaced = text;
      for (const [key, value] of values) {
        if (key === "") continue;
        const pieces = replaced.split(key);
        add(
          replaced.length + pieces.length * WORK_A_VALUE,
          replaced.length + (pieces.length - 1) * (value.length - key.length),
        );
        replaced = pieces.join(value);
      }
      return replaced;
    },
    replaceEach(text, pattern, valueOf) {
      add(text.length + WORK_A_VALUE, 0);
      let length = text.length;
      return text.replace(pattern, (found) => {
        const value = valueOf(found) ?? found;
        length += value.length - found.length;
        add(value.length + WORK_A_VALUE, length);
        return value;
      });
    },
  };
}
