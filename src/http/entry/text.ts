// Text of a limited length, counted in code points as JSON Schema does (`maxLength`, RFC 8259 characters): TypeBox
// counts UTF-16 units, of which an emoji has two.
import { FormatRegistry, Kind, type TSchema, TypeRegistry } from "@sinclair/typebox";
import { t } from "elysia";
import type { FieldErrorCode } from "../../problem/mod.ts";

/** What text may be. */
export interface TextOptions {
  minLength?: number;
  maxLength: number;
  /** Spaces around it do not count, because it is trimmed before it is used. */
  trimmed?: boolean;
  format?: string;
  /** A regular expression. */
  pattern?: string;
  /** What it wants, in words: such as "Expected a type such as text/plain". */
  expected?: string;
  description?: string;
  examples?: string[];
}

/** Text of at most so many characters. What is trimmed and not empty has something in it: the document says so. */
export const Text = ({ trimmed, expected, ...options }: TextOptions) =>
  t.Unsafe<string>({
    [Kind]: "Text",
    type: "string",
    ...(trimmed && options.minLength && { pattern: "\\S" }),
    ...options,
    ...(trimmed && { [TRIMMED]: true }),
    ...(expected !== undefined && { [EXPECTED]: expected }),
  });

const TRIMMED = Symbol("trimmed");
const EXPECTED = Symbol("expected");

/** What is wrong with a value; null if nothing is. A format is left to say what it expects: its message is empty. */
export function textFault(schema: TSchema, value: unknown): { code: FieldErrorCode; message: string } | null {
  if (typeof value !== "string") return { code: "invalid_type", message: "Expected a string" };
  const { minLength = 0, maxLength, pattern, format } = schema as unknown as TextOptions;
  const text = (schema as { [TRIMMED]?: boolean })[TRIMMED] ? value.trim() : value;
  if (isShorter(text, minLength)) return { code: "too_small", message: atLeast(minLength) };
  if (isLonger(text, maxLength))
    return { code: "too_big", message: `Expected at most ${maxLength} characters` };
  if (pattern !== undefined && !patternOf(pattern).test(text)) {
    return {
      code: "invalid_string",
      message:
        pattern === "\\S"
          ? atLeast(1)
          : ((schema as { [EXPECTED]?: string })[EXPECTED] ?? `Expected text like ${pattern}`),
    };
  }
  const isFormatted = format === undefined || FormatRegistry.Get(format)?.(text) !== false;
  return isFormatted ? null : { code: "invalid_string", message: "" };
}

TypeRegistry.Set("Text", (schema, value) => textFault(schema as TSchema, value) === null);

function atLeast(length: number): string {
  return length === 1 ? "Expected some text" : `Expected at least ${length} characters`;
}

function isShorter(text: string, least: number): boolean {
  return text.length < least * 2 && characters(text) < least;
}

function isLonger(text: string, most: number): boolean {
  return text.length > most && (text.length > most * 2 || characters(text) > most);
}

/** In code points; half a pair counts as one. */
function characters(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length - 1; i++) {
    const isPair = (text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    if (isPair) pairs++;
  }
  return text.length - pairs;
}

const patterns = new Map<string, RegExp>();

function patternOf(pattern: string): RegExp {
  let found = patterns.get(pattern);
  if (!found) patterns.set(pattern, (found = new RegExp(pattern)));
  return found;
}
