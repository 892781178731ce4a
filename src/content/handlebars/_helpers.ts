// The fixed set of functions of the language.
import { formatDate, formatNumber, toNumber } from "./_formats.ts";
import { isBlank, isTruthy, textOf, type Rendering } from "./_rendering.ts";

type Named = Readonly<Record<string, unknown>>;

/** A function of the language: how many values it takes, its named ones, and its result. */
export interface Helper {
  least: number;
  most: number;
  named: readonly string[];
  call(run: Rendering, values: readonly unknown[], named: Named): unknown;
}

const MANY = 20;

/** Every helper by its name. */
export const helpers: ReadonlyMap<string, Helper> = new Map([
  ["eq", helper(2, 2, (run, [a, b]) => isEqual(run, a, b))],
  ["ne", helper(2, 2, (run, [a, b]) => !isEqual(run, a, b))],
  ["gt", helper(2, 2, (run, [a, b]) => isLess(run, b, a))],
  ["lt", helper(2, 2, (run, [a, b]) => isLess(run, a, b))],
  ["and", helper(2, MANY, (_, values) => firstOrLast(values, (value) => !isTruthy(value)))],
  ["or", helper(2, MANY, (_, values) => firstOrLast(values, isTruthy))],
  ["not", helper(1, 1, (_, [value]) => !isTruthy(value))],
  ["default", helper(2, 2, (_, [value, fallback]) => (isBlank(value) ? fallback : value))],
  ["upper", helper(1, 1, (run, [value]) => textOf(run, value).toUpperCase())],
  ["lower", helper(1, 1, (run, [value]) => textOf(run, value).toLowerCase())],
  ["truncate", helper(1, 3, (run, [value, length, ending]) => truncate(textOf(run, value), length, ending))],
  ["number", helper(1, 2, printNumber, ["decimals", "locale"])],
  ["date", helper(1, 2, printDate, ["format", "locale", "timeZone"])],
]);

function helper(least: number, most: number, call: Helper["call"], named: readonly string[] = []): Helper {
  return { least, most, call, named };
}

/** Compares what would be printed: "5" is 5, and a missing value is "". */
function isEqual(run: Rendering, a: unknown, b: unknown): boolean {
  return a === b || textOf(run, a) === textOf(run, b);
}

/** Numbers as numbers, everything else as text, so that ISO dates have their order; a missing value is not less. */
function isLess(run: Rendering, a: unknown, b: unknown): boolean {
  if (isBlank(a) || isBlank(b)) return false;
  const [left, right] = [toNumber(a), toNumber(b)];
  return left !== null && right !== null ? left < right : textOf(run, a) < textOf(run, b);
}

function firstOrLast(values: readonly unknown[], test: (value: unknown) => boolean): unknown {
  return values.at(values.findIndex(test)); // -1 is none found, and the last
}

function truncate(text: string, length: unknown, ending: unknown): string {
  const most = Math.max(Math.trunc(toNumber(length) ?? 100), 0);
  if (text.length <= most) return text;
  const tail = (typeof ending === "string" ? ending : "…").slice(0, most);
  const head = text.slice(0, most - tail.length).replace(/[\uD800-\uDBFF]$/, "");
  return head.trimEnd() + tail;
}

function printNumber(run: Rendering, [value, decimals]: readonly unknown[], named: Named): string {
  return formatNumber(run, value, decimals ?? named.decimals, named.locale);
}

function printDate(run: Rendering, [value, format]: readonly unknown[], named: Named): string {
  return formatDate(run, value, {
    format: format ?? named.format,
    locale: named.locale,
    timeZone: named.timeZone,
  });
}
