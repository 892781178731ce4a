// Edits of MJML. Each makes a new text of the one before, and touches nothing but what it is about.
import { type MjmlNode, parseMjml, type Span } from "./tree.ts";

/** Where an element is: the numbers of the children that lead to it from the top. */
export type Path = readonly number[];

/** The element at a path. Throws if there is none. */
export function nodeOf(root: MjmlNode, path: Path): MjmlNode {
  return path.reduce((node, index) => {
    const child = node.children[index];
    if (!child) throw new Error(`There is no element at ${path.join(".")}`);
    return child;
  }, root);
}

/** The value of an attribute as people read it; undefined if it is not there. */
export function attributeOf(node: MjmlNode, name: string): string | undefined {
  const found = node.attributes.find((one) => one.name === name);
  return found && unescaped(found.value);
}

const ENTITIES: Record<string, string> = { quot: '"', apos: "'", lt: "<", gt: ">", amp: "&" };

const unescaped = (value: string) =>
  value.replace(/\{\{[^]*?\}\}|&(quot|apos|lt|gt|amp);/g, (found, name?: string) =>
    name ? ENTITIES[name]! : found,
  );

/** For a value between double quotes. What is in an expression stays as it is, and so does what is no entity. */
function escaped(value: string): string {
  return value.replace(/\{\{[^]*?\}\}|&(?=(?:\w+|#\d+);)|["<>]/g, (found) => {
    if (found.startsWith("{{")) return found;
    if (found === "&") return "&amp;";
    return found === '"' ? "&quot;" : found === "<" ? "&lt;" : "&gt;";
  });
}

/** Sets an attribute, or takes it away with null. */
export function setAttribute(text: string, path: Path, name: string, value: string | null): string {
  const node = nodeOf(parseMjml(text), path);
  const found = node.attributes.find((one) => one.name === name);
  if (value === null) {
    if (!found) return text;
    const before = text.slice(0, found.start).trimEnd();
    return before + text.slice(found.end);
  }
  if (found && unescaped(found.value) === value) return text;
  const written = `${name}="${escaped(value)}"`;
  if (found) return text.slice(0, found.start) + written + text.slice(found.end);
  const at = node.attributes.at(-1)?.end ?? node.start + 1 + node.tag.length;
  return `${text.slice(0, at)} ${written}${text.slice(at)}`;
}

/** What is between the tags of an element. */
export const contentOf = (text: string, node: MjmlNode): string => text.slice(node.openEnd, node.contentEnd);

/** Puts something else between its tags. */
export function setContent(text: string, path: Path, content: string): string {
  const node = nodeOf(parseMjml(text), path);
  if (!node.isSelfClosed) return text.slice(0, node.openEnd) + content + text.slice(node.contentEnd);
  const head = text.slice(node.start, node.openEnd - 2).trimEnd();
  return `${text.slice(0, node.start)}${head}>${content}</${node.tag}>${text.slice(node.end)}`;
}

/** Takes an element away, with the blanks before it. */
export function removeNode(text: string, path: Path): string {
  const node = nodeOf(parseMjml(text), path);
  return text.slice(0, unitStart(text, node)) + text.slice(node.end);
}

/** The same element once more, behind it. */
export function duplicateNode(text: string, path: Path): string {
  const node = nodeOf(parseMjml(text), path);
  return text.slice(0, node.end) + text.slice(unitStart(text, node), node.end) + text.slice(node.end);
}

/** What is in an element, in its order: elements, and block expressions between them such as `{{#if paid}}`. */
export type Item = { node: MjmlNode; index: number; span: Span } | { node: null; span: Span };

/** The items of an element. `index` counts its children alone. */
export function itemsOf(parent: MjmlNode): Item[] {
  const nodes = parent.children.map((node, index): Item => ({ node, index, span: node }));
  const expressions = parent.expressions.map((span): Item => ({ node: null, span }));
  return [...nodes, ...expressions].toSorted((a, b) => a.span.start - b.span.start);
}

/** Puts an element into another as its `place`th item; it is indented as its new neighbours are. */
export function insertNode(
  text: string,
  parentPath: Path,
  place: number,
  element: string,
  indent = "",
): string {
  const parent = nodeOf(parseMjml(text), parentPath);
  if (parent.isSelfClosed) return setContent(text, parentPath, element);
  const items = itemsOf(parent);
  const [before, after] = [items[place - 1]?.span, items[place]?.span];
  const neighbour = before ?? after;
  const isOnLines = neighbour ? isFirstOfLine(text, neighbour.start) : text.includes("\n");
  const wanted = neighbour ? indentAt(text, neighbour.start) : `${indentAt(text, parent.start)}  `;
  const written = isOnLines ? lineEnd(text) + wanted + indented(element, indent, wanted) : element;
  if (after) {
    const at = unitStart(text, after);
    return text.slice(0, at) + written + text.slice(at);
  }
  if (before) return text.slice(0, before.end) + written + text.slice(before.end);
  const isOneLine = !text.slice(parent.openEnd, parent.contentEnd).includes("\n");
  const last = isOnLines && isOneLine ? lineEnd(text) + indentAt(text, parent.start) : "";
  return text.slice(0, parent.openEnd) + written + last + text.slice(parent.openEnd);
}

/**
 * Puts one more column beside those of a section. Where all of them have a width in percent, they make room for it; without
 * widths all are as wide as each other anyway.
 */
export function addColumn(text: string, sectionPath: Path, content: string): string {
  const section = nodeOf(parseMjml(text), sectionPath);
  const columns = section.children.flatMap((node, index) =>
    node.tag === "mj-column" ? [{ node, index }] : [],
  );
  const widths = columns.map(({ node }) => /^([\d.]+)%$/.exec(attributeOf(node, "width") ?? "")?.[1]);
  const hasShares = widths.length > 0 && widths.every((width) => width !== undefined);
  const count = columns.length + 1;
  const share = (of: number) => `${Math.round(of * 100) / 100}%`;
  const narrowed = hasShares
    ? columns.reduce(
        (before, { index }, n) =>
          setAttribute(
            before,
            [...sectionPath, index],
            "width",
            share((Number(widths[n]) * (count - 1)) / count),
          ),
        text,
      )
    : text;
  const width = hasShares ? ` width="${share(100 / count)}"` : "";
  const place = itemsOf(nodeOf(parseMjml(narrowed), sectionPath)).length;
  return insertNode(narrowed, sectionPath, place, `<mj-column${width}>\n  ${content}\n</mj-column>`);
}

/**
 * Moves an element into another, so that it is its `place`th item; the path and the place are counted with the element taken
 * away. Its letters stay the same, but for the indentation where that is another.
 */
export function moveNode(text: string, from: Path, parentPath: Path, place: number): string {
  const node = nodeOf(parseMjml(text), from);
  const element = text.slice(node.start, node.end);
  return insertNode(removeNode(text, from), parentPath, place, element, indentAt(text, node.start));
}

/** A text, with the place of the element that it was about. */
export interface Moved {
  text: string;
  path: Path;
}

/** As {@linkcode moveNode}, with the path and the place counted as they are now. Into itself it cannot go: then null. */
export function moveTo(text: string, from: Path, parentPath: Path, place: number): Moved | null {
  if (isWithin(parentPath, from)) return null;
  const items = itemsOf(nodeOf(parseMjml(text), parentPath));
  const isSibling = isWithin(parentPath, from.slice(0, -1)) && parentPath.length === from.length - 1;
  const own = isSibling ? items.findIndex((item) => item.node && item.index === from.at(-1)) : -1;
  const target = own !== -1 && own < place ? place - 1 : place;
  if (own === target) return null;
  const parent = pathWithout(parentPath, from);
  const before = items.slice(0, place).filter(({ node }, n) => node !== null && n !== own).length;
  return { text: moveNode(text, from, parent, target), path: [...parent, before] };
}

const isWithin = (path: Path, start: Path) => start.every((index, n) => path[n] === index);

/** A path when the element at `gone` is not there any more. */
export function pathWithout(path: Path, gone: Path): Path {
  const depth = gone.length - 1;
  const isBehind = isWithin(path, gone.slice(0, -1)) && path.length > depth && path[depth]! > gone[depth]!;
  return isBehind ? path.map((index, n) => (n === depth ? index - 1 : index)) : path;
}

/** Where something begins with the blanks before it. */
const unitStart = (text: string, { start }: Span) => text.slice(0, start).trimEnd().length;

const lineEnd = (text: string) => (text.includes("\r\n") ? "\r\n" : "\n");

/** The blanks at the beginning of the line. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)![0];
}

const isFirstOfLine = (text: string, at: number) => /\n[ \t]*$/.test(text.slice(0, at));

/** The lines of an element moved from one indentation to another; as they are where one of them begins further left. */
function indented(element: string, from: string, to: string): string {
  const [first, ...rest] = element.split("\n");
  const isBlank = (line: string) => line.trim() === "";
  if (from === to || !rest.every((line) => isBlank(line) || line.startsWith(from))) return element;
  const moved = rest.map((line) => (isBlank(line) ? line : to + line.slice(from.length)));
  return [first, ...moved].join("\n");
}
