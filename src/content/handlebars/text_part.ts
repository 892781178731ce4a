// The text part of a mail, made from its HTML template once, and from each mail only if that would differ.
import { createCache } from "../../cache.ts";
import { readSyntax, type Expression } from "./syntax.ts";
import { plainText, tidy } from "../plain_text.ts";
import { compileTemplate, readTemplate, type Scope, type CompiledTemplate } from "./mod.ts";

const MAX_CACHED_PARTS = 200;
const MAX_CACHED_BYTES = 20_000_000;

const parts = createCache<CompiledTemplate>({ maxEntries: MAX_CACHED_PARTS, maxBytes: MAX_CACHED_BYTES });

/**
 * Compiles the text part of an HTML template: `compileTextPart(html)(scope)` reads like
 * `plainText(compileTemplate(html, "html")(scope))`, at a small part of its cost. Never throws.
 */
export function compileTextPart(html: string): CompiledTemplate {
  const known = parts.get(html);
  if (known) return known;
  const made = makeTextPart(html);
  parts.set(html, made, html.length * 2);
  return made;
}

function makeTextPart(html: string): CompiledTemplate {
  if (!html.includes("{{")) {
    const text = plainText(html);
    return Object.assign(() => text, { variables: [] });
  }
  const source = textSource(html);
  const made = source === null ? null : readTemplate(source, "text");
  const template = made ?? compileTemplate(html, "html");
  const finish = made === null ? plainText : /<pre\b/i.test(html) ? tidy : tidyValues;
  return Object.assign((scope: Scope) => finish(template(scope)), { variables: template.variables });
}

/** What HTML would have done where a value is empty: one blank instead of two, and no address instead of "()". */
function tidyValues(text: string): string {
  return tidy(text.replace(/ \(\)/g, "").replace(/(?<=\S) {2,}/g, " "));
}

type MarkKind = "value" | "open" | "else" | "close";

/** An expression on its way through the conversion: to HTML it is a letter, and has to come out where it belongs. */
interface Mark {
  source: string;
  kind: MarkKind;
  /** The branches of blocks that contain it. */
  within: string;
}

const OPEN = "\uE000";
const CLOSE = "\uE001";
const MARK = /\uE000(\d+)\uE001/g;

/** The template of the text part, or null if the text has to be made from the mail itself. */
function textSource(html: string): string | null {
  const expressions = html.includes(OPEN) ? null : expressionsOf(html);
  if (!expressions?.every(({ at, end, sign }) => isConvertible(html.slice(at, end), sign))) return null;
  if (repeatsNumbers(html)) return null;
  const { marked, marks } = markAll(html, expressions);
  const text = plainText(marked);
  // What the conversion has made of character references must not become an expression, nor hide one.
  if (/\{\{|[\\{]\uE000/.test(text) || !keepsBlocks(text, marks)) return null;
  const source = text.replace(MARK, (_, index: string) => marks[Number(index)]!.source);
  return source.includes(OPEN) ? null : source;
}

/** Null if they cannot be read. */
function expressionsOf(html: string): Expression[] | null {
  try {
    return readSyntax(html).expressions;
  } catch {
    return null;
  }
}

/** What is not escaped may be HTML, and a fallback with `&amp;` is HTML. */
function isConvertible(expression: string, sign: string): boolean {
  return sign !== "{" && sign !== "&" && !/&#?\w+;/.test(expression);
}

/** A list with numbers counts its items when it is converted; between the first and the last no block may repeat one. */
function repeatsNumbers(html: string): boolean {
  const first = html.search(/<ol\b/i);
  const last = html.toLowerCase().lastIndexOf("</ol");
  return first !== -1 && /\{\{~?#/.test(html.slice(first, last === -1 ? html.length : last));
}

/** Puts a mark for every expression; equal ones get the same, so that a link whose text is its address is seen. */
function markAll(html: string, expressions: readonly Expression[]): { marked: string; marks: Mark[] } {
  const marks: Mark[] = [];
  const known = new Map<string, number>();
  const blocks: Branch[] = [];
  let marked = "";
  let copied = 0;
  for (const { at, end, sign } of expressions) {
    const source = html.slice(at, end);
    const kind = kindOf(source, sign);
    const within = enter(blocks, kind, marks.length);
    const key = kind === "value" ? `${within}:${source}` : `${marks.length}`;
    const index = known.get(key) ?? marks.push({ source, kind, within }) - 1;
    known.set(key, index);
    marked += html.slice(copied, at) + OPEN + index + CLOSE;
    copied = end;
  }
  return { marked: marked + html.slice(copied), marks };
}

function kindOf(source: string, sign: string): MarkKind {
  if (sign === "#") return "open";
  if (sign === "/") return "close";
  return sign === "^" || /^\{\{~?\s*else\b/.test(source) ? "else" : "value";
}

/** A block that is open, by its mark, and how many of its `{{else}}` have been passed. */
interface Branch {
  mark: number;
  passed: number;
}

/** The position of a mark; then continues after it. */
function enter(blocks: Branch[], kind: MarkKind, mark: number): string {
  const within = blocks.map((block) => `${block.mark}.${block.passed}`).join("/");
  if (kind === "open") blocks.push({ mark, passed: 0 });
  else if (kind === "close") blocks.pop();
  else if (kind === "else") blocks.at(-1)!.passed += 1;
  return within;
}

/** Every block is still there and whole, and every value in the branch in which it was. */
function keepsBlocks(text: string, marks: readonly Mark[]): boolean {
  const blocks: Branch[] = [];
  let left = marks.filter((mark) => mark.kind !== "value").length;
  for (const [, index] of text.matchAll(MARK)) {
    const { kind, within } = marks[Number(index)]!;
    if (blocks.length === 0 && (kind === "else" || kind === "close")) return false;
    if (enter(blocks, kind, Number(index)) !== within) return false;
    if (kind !== "value") left -= 1;
  }
  return left === 0;
}
