// One rendering: what it has written, what it may still spend, and the values it reads.

/** Maximum output of one rendering; the rest is cut off. A template without expressions is not counted. */
const MAX_OUTPUT_CHARS = 5_000_000;
/** Steps of one rendering: a node costs one, a string that is read one per 16 characters. About 0.1 s. */
const MAX_STEPS = 1_000_000;
/** Rounds of all `{{#each}}` of one rendering together; the rest of the template is still rendered. */
const MAX_ROUNDS = 10_000;
const MAX_JSON_DEPTH = 20;

/** What is left to spend, by one rendering or by several together. `steps` below zero ends them. */
export interface Budget {
  steps: number;
  /** In characters of output. */
  room: number;
  /** Where it is given, the variables that this rendering was to show are added to it. */
  shown?: Set<string> | undefined;
}

/** The state of one rendering. */
export interface Rendering extends Budget {
  out: string;
  rounds: number;
  readonly root: unknown;
}

/** What an expression sees: `this`, the loop it is in, and the way out. */
export interface Frame {
  readonly value: unknown;
  readonly outer: Frame | null;
  /** What `as |a b|` names. */
  readonly named: readonly unknown[];
  /** `@index`, `@key`, `@first` and `@last`. */
  readonly loop: Readonly<Record<string, unknown>> | null;
}

/** A budget; without numbers that of one mail. */
export function newBudget({ steps = MAX_STEPS, chars = MAX_OUTPUT_CHARS } = {}): Budget {
  return { steps, room: chars };
}

/** Begins a rendering. */
export function newRendering(root: unknown, { steps, room, shown }: Budget): Rendering {
  return { out: "", room, steps, shown, rounds: MAX_ROUNDS, root };
}

/** Says that these variables are to be shown here. */
export function noteShown({ shown }: Rendering, names: readonly string[]): void {
  if (shown) for (const name of names) shown.add(name);
}

/** Writes text, as far as there is room. */
export function write(run: Rendering, text: string): void {
  if (text.length <= run.room) {
    run.out += text;
    run.room -= text.length;
    return;
  }
  run.out += text.slice(0, run.room);
  run.room = 0;
  run.steps = -1;
}

/** Own properties only, so that nothing of JavaScript shows through; functions do not exist. */
export function own(value: unknown, name: string): unknown {
  if (value === null || value === undefined || !Object.hasOwn(value, name)) return undefined;
  const found = (value as Record<string, unknown>)[name];
  return typeof found === "function" ? undefined : found;
}

/** The text of a value: lists of plain values with commas, everything deeper as JSON, never "[object Object]". */
export function textOf(run: Rendering, value: unknown): string {
  if (typeof value === "string") return spend(run, value);
  switch (typeof value) {
    case "number":
    case "boolean":
    case "bigint":
      return String(value);
    case "object":
      return value === null ? "" : textOfObject(run, value);
    default:
      return "";
  }
}

function spend(run: Rendering, text: string): string {
  run.steps -= text.length >> 4;
  return text;
}

function textOfObject(run: Rendering, value: object): string {
  if (value instanceof Date) return isoOf(value);
  if (Array.isArray(value) && value.every(isPlain)) return spend(run, value.join(","));
  return jsonOf(run, value, 0);
}

function isoOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

/** `JSON.stringify` takes milliseconds for a list within a list 30,000 times, and counts nothing. */
function jsonOf(run: Rendering, value: unknown, depth: number): string {
  run.steps -= 4;
  if (run.steps < 0 || depth > MAX_JSON_DEPTH) return "null";
  if (typeof value === "string") return JSON.stringify(spend(run, value));
  if (typeof value !== "object" || value === null) return isPlain(value) ? String(value ?? null) : "null";
  if (value instanceof Date) return JSON.stringify(isoOf(value));
  if (Array.isArray(value)) return `[${value.map((item) => jsonOf(run, item, depth + 1)).join(",")}]`;
  const pairs = Object.keys(value).map(
    (key) => `${JSON.stringify(key)}:${jsonOf(run, own(value, key), depth + 1)}`,
  );
  return `{${pairs.join(",")}}`;
}

function isPlain(value: unknown): boolean {
  return (
    value === null || (typeof value !== "object" && typeof value !== "function" && typeof value !== "symbol")
  );
}

/** What `{{#if}}` takes for true: not missing, false, 0, "", nor an empty list. */
export function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** Whether a fallback is used: 0 and empty lists are values. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === false || value === "";
}

const UNSAFE = /[&<>"'`=]/;
const UNSAFE_ALL = /[&<>"'`=]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
  "`": "&#x60;",
  "=": "&#x3D;",
};

/** How values are written that are not to be taken for more than they are, and what an author wrote in their place. */
export interface Escaping {
  value(text: string): string;
  literal(text: string): string;
}

/** For HTML. */
export const HTML: Escaping = { value: escapeHtml, literal: escapeLiteral };

/** For a part of a URL: nothing that is written can begin another part. */
export const URL_PART: Escaping = { value: encodePart, literal: encodePart };

function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Escapes as Handlebars does: `=` and the backtick too, which guard an attribute without quotes. */
function escapeHtml(text: string): string {
  return UNSAFE.test(text) ? text.replace(UNSAFE_ALL, (char) => ESCAPES[char]!) : text;
}

/** Escapes what an author wrote in HTML: a character reference stays one. */
function escapeLiteral(text: string): string {
  return text.replace(/&(?!#?\w+;)|[<>"'`=]/g, (char) => ESCAPES[char]!);
}
