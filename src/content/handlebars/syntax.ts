// What Handlebars' own parser does not know or reports badly: the literal after `??`, and where a template is broken.
// Anything hidden from the parser is replaced by blanks, so that every line and column matches what the author sees.

const MAX_SOURCE_CHARS = 1_000_000;
/** All expressions of an accepted template together: they take most of the parsing time, some 15 ms, in one piece. */
export const MAX_EXPRESSION_CHARS = 10_000;
/** For templates accepted under an earlier, higher limit. */
const MAX_STORED_EXPRESSION_CHARS = 200_000;
const MAX_NESTED_BLOCKS = 50;
const MAX_NESTED_PARENTHESES = 20;

/** Stands for a brace that is text although it touches an expression: `{color:{{color}}}`. */
export const TEXT_BRACE = "\u0001";

/** The blocks of the language. */
export const BLOCKS: ReadonlySet<string> = new Set(["if", "unless", "each", "with"]);

/** A template that Handlebars' parser can read, and the fallbacks that it cannot, by the offset of `{{` or `(`. */
export interface Syntax {
  text: string;
  fallbacks: Map<number, string>;
  /** Where the expressions are, without comments. */
  expressions: Expression[];
  expressionChars: number;
}

/** One `{{…}}` and the sign behind its braces. */
export interface Expression {
  at: number;
  end: number;
  sign: string;
}

interface OpenBlock {
  name: string;
  at: number;
  levels: number;
  hasElse: boolean;
}

interface Scan {
  source: string;
  pieces: string[];
  copied: number;
  blocks: OpenBlock[];
  depth: number;
  fallbacks: Map<number, string>;
  expressions: Expression[];
}

/** Aborts the reading of a template: `checkTemplate` reports where, as line and column. */
export function refuse(message: string, at: number): never {
  throw new Error(message, { cause: { at } });
}

/** Reads the outer form of a template with at most that many characters of expressions. Throws by `refuse`. */
export function readSyntax(given: string, maxExpressionChars = MAX_STORED_EXPRESSION_CHARS): Syntax {
  if (given.length > MAX_SOURCE_CHARS)
    refuse(`The template is longer than ${MAX_SOURCE_CHARS} characters`, 0);
  // Control characters have no place in a mail; U+2028 and U+2029 confuse the parser's count of columns.
  const source = given.replace(/(?![\t\r\n])[\p{Cc}\u2028\u2029]/gu, " ");
  const fallbacks = new Map<number, string>();
  const scan: Scan = { source, pieces: [], copied: 0, blocks: [], depth: 0, fallbacks, expressions: [] };
  let expressionChars = 0;
  for (let at = source.indexOf("{{"); at !== -1;) {
    const end = isEscaped(source, at) ? at + 2 : readMustache(scan, at);
    expressionChars += end - at;
    if (expressionChars > maxExpressionChars) {
      refuse(`The expressions have more than ${maxExpressionChars} characters together`, at);
    }
    at = source.indexOf("{{", end);
  }
  const open = scan.blocks.at(-1);
  if (open) refuse(`"{{#${open.name}}}" is never closed by "{{/${open.name}}}"`, open.at);
  scan.pieces.push(source.slice(scan.copied));
  return { text: scan.pieces.join(""), fallbacks, expressions: scan.expressions, expressionChars };
}

/** `\{{x}}` is the text `{{x}}`; `\\{{x}}` is a backslash and the value of x. */
function isEscaped(source: string, at: number): boolean {
  return source[at - 1] === "\\" && source[at - 2] !== "\\";
}

/** Reads one `{{…}}` and returns the offset after it. */
function readMustache(scan: Scan, at: number): number {
  const [opening, sign = ""] = match(scan.source, /\{\{~?(\{\{|#>|#\*|[#/^>&{*!])?/y, at)!;
  switch (sign) {
    case "{{":
      return refuse('Raw blocks ("{{{{") are not supported', at);
    case ">":
    case "#>":
      return refuse("Partials are not supported", at);
    case "*":
    case "#*":
      return refuse("Decorators are not supported", at);
    case "!":
      return hideComment(scan, at, at + opening!.length);
  }
  const inside = at + opening!.length;
  if (sign === "#") openBlock(scan, at, inside);
  else if (sign === "/") closeBlock(scan, at, inside);
  else if (sign === "^") readElse(scan, at, inside, true);
  else if (!sign && match(scan.source, /\s*else\b/y, inside)) readElse(scan, at, inside, false);
  const takesFallback = sign === "" || sign === "{" || sign === "&";
  const end = readInside(scan, at, inside, sign === "{", takesFallback);
  scan.expressions.push({ at, end, sign });
  return end;
}

/** Keeps a comment as an empty comment, for the sake of lines of its own. */
function hideComment(scan: Scan, at: number, inside: number): number {
  const closing = scan.source.startsWith("--", inside) ? /--~?\}\}/g : /~?\}\}/g;
  closing.lastIndex = inside;
  const end = closing.exec(scan.source);
  if (!end) return refuse("A comment is never closed", at);
  const behind = closing.lastIndex;
  blank(scan, inside, behind - (end[0].includes("~") ? 3 : 2));
  return behind;
}

function openBlock(scan: Scan, at: number, inside: number): void {
  const name = wordAt(scan.source, inside);
  if (!BLOCKS.has(name)) refuse(`"{{#${name}}}" is unknown: a block is if, unless, each or with`, at);
  scan.blocks.push({ name, at, levels: 1, hasElse: false });
  deepen(scan, at);
}

function closeBlock(scan: Scan, at: number, inside: number): void {
  const name = wordAt(scan.source, inside);
  const block = scan.blocks.pop();
  if (!block) return refuse(`"{{/${name}}}" closes nothing`, at);
  if (block.name !== name) refuse(`"{{/${name}}}" found where "{{/${block.name}}}" is expected`, at);
  scan.depth -= block.levels;
}

/** `{{else}}`, `{{else if x}}`, and `{{^}}`, which is an else too. */
function readElse(scan: Scan, at: number, inside: number, isCaret: boolean): void {
  const word = wordAt(
    scan.source,
    isCaret ? inside : match(scan.source, /\s*else/y, inside)![0]!.length + inside,
  );
  if (isCaret && word) return refuse(`"{{^${word}}}" is not supported: write "{{#unless ${word}}}"`, at);
  const block = scan.blocks.at(-1);
  if (!block) return refuse('"{{else}}" stands outside of a block', at);
  if (block.hasElse) refuse('"{{else}}" stands behind the last "{{else}}" of its block', at);
  if (!word) return void (block.hasElse = true);
  if (!BLOCKS.has(word)) refuse(`"{{else ${word}}}" is unknown: a block is if, unless, each or with`, at);
  block.levels += 1;
  deepen(scan, at);
}

function deepen(scan: Scan, at: number): void {
  scan.depth += 1;
  if (scan.depth > MAX_NESTED_BLOCKS) refuse(`More than ${MAX_NESTED_BLOCKS} blocks are nested`, at);
}

/** Reads from behind the sign to behind the closing braces, over strings, `[keys]` and parentheses. */
function readInside(
  scan: Scan,
  at: number,
  inside: number,
  isTriple: boolean,
  takesFallback: boolean,
): number {
  const { source } = scan;
  const parentheses: number[] = [];
  const stop = /["'[()}{]|\?\?/g;
  stop.lastIndex = inside;
  for (let found = stop.exec(source); found; found = stop.exec(source)) {
    const here = found.index;
    if (found[0] === "{") return refuse(notClosed(isTriple), at);
    if (found[0] === "}") return close(scan, at, here, isTriple);
    if (found[0] === "(") parentheses.push(here);
    else if (found[0] === ")") parentheses.pop();
    else if (found[0] !== "??") stop.lastIndex = behindQuoted(source, here);
    else if (parentheses.length > 0) stop.lastIndex = hideFallback(scan, parentheses.at(-1)!, here, /\)/g);
    else if (takesFallback) stop.lastIndex = hideFallback(scan, at, here, isTriple ? /\}\}\}/g : /~?\}\}/g);
    else refuse('"??" stands in parentheses here: "(name ?? fallback)"', here);
    if (parentheses.length > MAX_NESTED_PARENTHESES) {
      refuse(`More than ${MAX_NESTED_PARENTHESES} parentheses are nested`, here);
    }
  }
  return refuse(notClosed(isTriple), at);
}

function notClosed(isTriple: boolean): string {
  return isTriple ? '"{{{" is never closed by "}}}"' : '"{{" is never closed by "}}"';
}

function close(scan: Scan, at: number, here: number, isTriple: boolean): number {
  const end = match(scan.source, isTriple ? /\}~?\}\}/y : /\}\}/y, here);
  if (!end) return refuse(notClosed(isTriple), at);
  const behind = here + end[0]!.length;
  if (scan.source[behind] === "}") replace(scan, behind, behind + 1, TEXT_BRACE);
  return behind;
}

/** The offset behind a string or a `[key]` that begins here. */
function behindQuoted(source: string, here: number): number {
  const quote = source[here] === "[" ? "]" : source[here]!;
  for (let end = source.indexOf(quote, here + 1); end !== -1; end = source.indexOf(quote, end + 1)) {
    if (source[end - 1] !== "\\") return end + 1;
  }
  return refuse(`A ${source[here]} is never closed by ${quote}`, here);
}

/** Takes the literal between `??` and what ends it out of the template, and returns the offset of that end. */
function hideFallback(scan: Scan, owner: number, here: number, ending: RegExp): number {
  const { source } = scan;
  const quoted = match(source, /\?\?\s*("(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*')\s*/y, here);
  const behindQuote = quoted ? here + quoted[0]!.length : -1;
  const isQuoted = quoted !== null && indexOf(source, ending, behindQuote) === behindQuote;
  const end = isQuoted ? behindQuote : indexOf(source, ending, here);
  const literal = source.slice(here + 2, end === -1 ? source.length : end).trim();
  if (end === -1 || (!isQuoted && literal.includes("{{"))) refuse("A fallback is never closed", here);
  if (!isQuoted && literal.includes("??")) refuse('"??" stands twice: only one fallback is possible', here);
  scan.fallbacks.set(owner, isQuoted ? literal.slice(1, -1).replace(/\\(["'\\])/g, "$1") : literal);
  blank(scan, here, end);
  return end;
}

function indexOf(source: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(source)?.index ?? -1;
}

function wordAt(source: string, at: number): string {
  return match(source, /\s*([^\s~{}()|="']*)/y, at)![1]!;
}

function match(source: string, sticky: RegExp, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(source);
}

function blank(scan: Scan, from: number, to: number): void {
  replace(scan, from, to, scan.source.slice(from, to).replace(/[^\r\n]/g, " "));
}

function replace(scan: Scan, from: number, to: number, by: string): void {
  scan.pieces.push(scan.source.slice(scan.copied, from), by);
  scan.copied = to;
}
