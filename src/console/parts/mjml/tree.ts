// MJML as a tree that knows where everything is in the text, so that an edit changes its own letters and no others.
// Expressions are read as the service reads them: `{{…}}` is one word wherever it stands, also between the quotes of a value.

/** An attribute of an element; the places are those in the text. */
export interface Attribute {
  name: string;
  /** As it is written, between its quotes. */
  value: string;
  start: number;
  end: number;
  valueStart: number;
  valueEnd: number;
}

/** An element. */
export interface MjmlNode {
  tag: string;
  attributes: Attribute[];
  start: number;
  /** Behind the `>` of its first tag. */
  openEnd: number;
  /** Before its last tag; `openEnd` where it has none. */
  contentEnd: number;
  end: number;
  isSelfClosed: boolean;
  children: MjmlNode[];
  /** The block expressions between its children, such as `{{#if paid}}` and `{{/if}}`. */
  expressions: Span[];
}

/** A part of the text. */
export interface Span {
  start: number;
  end: number;
}

/** Why a text cannot be shown as blocks, and where. */
export class MjmlFault extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** What is in these is HTML or text, and no MJML. */
export const HTML_INSIDE: ReadonlySet<string> = new Set([
  "mj-accordion-text",
  "mj-accordion-title",
  "mj-breakpoint",
  "mj-button",
  "mj-carousel-image",
  "mj-navbar-link",
  "mj-preview",
  "mj-raw",
  "mj-social-element",
  "mj-style",
  "mj-table",
  "mj-text",
  "mj-title",
]);

/** The document: its children are what is at the top, which is one `mjml`. Throws {@linkcode MjmlFault}. */
export function parseMjml(text: string): MjmlNode {
  const root = nodeAt("", 0, 0);
  root.end = root.contentEnd = text.length;
  const open = [root];
  let at = 0;
  while (at < text.length) {
    const parent = open.at(-1)!;
    const next = nextOf(text, at);
    if (next === -1) break;
    if (text.startsWith("{{", next)) {
      at = expressionEnd(text, next);
      if (/^\{\{~?\s*(?:[#/^]|else\b)/.test(text.slice(next, at)))
        parent.expressions.push({ start: next, end: at });
    } else if (text.startsWith("<!--", next)) {
      at = behind(text, "-->", next, "A comment is not closed");
    } else if (/^<mj[\w-]*/.test(text.slice(next, next + 4))) {
      const node = readTag(text, next);
      parent.children.push(node);
      at = node.openEnd;
      if (node.isSelfClosed) continue;
      if (HTML_INSIDE.has(node.tag)) at = closeHtml(text, node);
      else open.push(node);
    } else if (text.startsWith("</mj", next)) {
      at = closeTag(text, next, open);
    } else {
      at = next + 1;
    }
  }
  const unclosed = open.length > 1 ? open.at(-1)! : null;
  if (unclosed) throw new MjmlFault(`<${unclosed.tag}> is not closed`, unclosed.start);
  return root;
}

/** The first `mj-body`, where everything is that is shown. */
export function bodyOf(root: MjmlNode): MjmlNode | undefined {
  const document = root.children.find(({ tag }) => tag === "mjml");
  return document?.children.find(({ tag }) => tag === "mj-body");
}

function nodeAt(tag: string, start: number, openEnd: number): MjmlNode {
  return {
    tag,
    attributes: [],
    start,
    openEnd,
    contentEnd: openEnd,
    end: openEnd,
    isSelfClosed: false,
    children: [],
    expressions: [],
  };
}

/** Where the next tag, comment or expression begins; -1: nowhere. */
function nextOf(text: string, at: number): number {
  const tag = text.indexOf("<", at);
  const expression = text.indexOf("{{", at);
  if (tag === -1 || expression === -1) return Math.max(tag, expression);
  return Math.min(tag, expression);
}

function behind(text: string, end: string, from: number, fault: string): number {
  const at = text.indexOf(end, from);
  if (at === -1) throw new MjmlFault(fault, from);
  return at + end.length;
}

/** Behind the expression that begins here. */
function expressionEnd(text: string, at: number): number {
  const fault = "An expression is not closed";
  if (/^\{\{~?!--/.test(text.slice(at, at + 6)))
    return behind(text, "}}", behind(text, "--", at + 5, fault) - 2, fault);
  if (text.startsWith("{{{", at)) return behind(text, "}}}", at, fault);
  return behind(text, "}}", at, fault);
}

const BLANK = /\s/;
const NAME_END = /[\s=/>]/;

function readTag(text: string, start: number): MjmlNode {
  const [tag] = /^mj[\w-]*/.exec(text.slice(start + 1, start + 40))!;
  const node = nodeAt(tag, start, 0);
  let at = start + 1 + tag.length;
  for (;;) {
    while (at < text.length && BLANK.test(text[at]!)) at++;
    if (at >= text.length) throw new MjmlFault(`The tag <${tag}> is not closed`, start);
    if (text[at] === ">" || text.startsWith("/>", at)) break;
    if (text.startsWith("{{", at)) at = expressionEnd(text, at);
    else if (text[at] === "/" || text[at] === "=") at++;
    else {
      const attribute = readAttribute(text, at);
      node.attributes.push(attribute);
      at = attribute.end;
    }
  }
  node.isSelfClosed = text[at] === "/";
  node.openEnd = node.contentEnd = node.end = at + (node.isSelfClosed ? 2 : 1);
  return node;
}

function readAttribute(text: string, start: number): Attribute {
  let at = start;
  while (at < text.length && !NAME_END.test(text[at]!) && !text.startsWith("{{", at)) at++;
  const name = text.slice(start, at);
  const equals = /^\s*=\s*/.exec(text.slice(at, at + 40));
  if (!equals) return { name, value: "", start, end: at, valueStart: at, valueEnd: at };
  at += equals[0].length;
  const quote = text[at] === '"' || text[at] === "'" ? text[at]! : null;
  const valueStart = quote === null ? at : at + 1;
  at = valueStart;
  while (at < text.length && (quote === null ? !/[\s>]/.test(text[at]!) : text[at] !== quote)) {
    at = text.startsWith("{{", at) ? expressionEnd(text, at) : at + 1;
  }
  if (at >= text.length) throw new MjmlFault(`The value of ${name} is not closed`, start);
  return {
    name,
    value: text.slice(valueStart, at),
    start,
    end: quote === null ? at : at + 1,
    valueStart,
    valueEnd: at,
  };
}

function closeHtml(text: string, node: MjmlNode): number {
  const close = new RegExp(`</${node.tag}\\s*>`, "g");
  close.lastIndex = node.openEnd;
  const found = close.exec(text);
  if (!found) throw new MjmlFault(`<${node.tag}> is not closed`, node.start);
  node.contentEnd = found.index;
  return (node.end = close.lastIndex);
}

function closeTag(text: string, start: number, open: MjmlNode[]): number {
  const [all, tag] = /^<\/(mj[\w-]*)\s*>/.exec(text.slice(start, start + 80)) ?? [];
  if (!all) throw new MjmlFault("A tag is not closed", start);
  const node = open.at(-1)!;
  if (node.tag !== tag) {
    throw new MjmlFault(
      node.tag === "" ? `</${tag}> closes nothing` : `<${node.tag}> is not closed before </${tag}>`,
      start,
    );
  }
  node.contentEnd = start;
  node.end = start + all.length;
  open.pop();
  return node.end;
}
