// MJML before it is compiled. What the compiler takes without a word is refused here: tags that are never closed,
// includes, text that it would lose, and what would keep it busy for long.
import { blankOut, newWords, type Piece, piecesOf, putWords } from "./_expressions.ts";
import { refuse } from "../handlebars/syntax.ts";

/** A source without expressions, and the way back. */
export interface MjmlSource {
  /** What is compiled. */
  text: string;
  /** Puts the expressions back into the result for `text`, or into a message about it. */
  restore(made: string): string;
  /** True for a part of `text` that contains an expression. */
  hasExpression(part: string): boolean;
  /** Where an element with this name begins on this line, if possible one with one of `hints` in its tag. */
  placeOf(name: string, line: number, hints: string[]): number;
  /** Where a block expression stands that is not in `made`; null when all of them are. */
  lostBlock(made: string): number | null;
}

const MAX_ELEMENTS = 3_000;
const MAX_DEPTH = 30;
/** What these hold is repeated at every element. */
const REPEATED = new Set(["mj-attributes", "mj-html-attributes"]);
const MAX_REPEATED_CHARS = 20_000;
/** A carousel has a rule for every two of its images. */
const MAX_CAROUSEL_IMAGES = 50;

/** The elements whose content is HTML or text: nothing in it is MJML. */
export const ENDING_TAGS: ReadonlySet<string> = new Set([
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

/** The elements that show their children one after another: a block may begin and end between these. */
export const BLOCK_PARENTS: ReadonlySet<string> = new Set([
  "mj-accordion",
  "mj-body",
  "mj-column",
  "mj-group",
  "mj-hero",
  "mj-navbar",
  "mj-section",
  "mj-social",
  "mj-wrapper",
]);

interface Element {
  name: string;
  at: number;
  /** Behind its opening tag. */
  end: number;
}

/** What is between tags, where MJML has no text. */
interface Gap {
  at: number;
  end: number;
  parent: string | null;
}

interface Scan {
  plain: string;
  elements: Element[];
  open: Element[];
  gaps: Gap[];
}

/** Reads MJML whose expressions are known to be right. Throws by `refuse`. */
export function readMjml(body: string): MjmlSource {
  const pieces = piecesOf(body);
  const scan: Scan = { plain: blankOut(body, pieces), elements: [], open: [], gaps: [] };
  scanElements(scan);
  assertStructure(scan);
  const { opening, closing } = gapsWithBlocks(body, scan, pieces);
  const words = newWords(body);
  return {
    // Blocks that are between elements are lost, unless they are elements too.
    text: putWords(body, pieces, words, {
      before: (piece) => (opening.has(piece) ? "<mj-raw>" : ""),
      behind: (piece) => (closing.has(piece) ? "</mj-raw>" : ""),
    }),
    restore: (made) => words.replace(made, (index) => body.slice(pieces[index]!.at, pieces[index]!.end)),
    hasExpression: (part) => words.in(part).size > 0,
    placeOf: (name, line, hints) => placeOf(scan, name, line, hints),
    lostBlock(made) {
      const found = words.in(made);
      return pieces.find(({ kind }, index) => kind === "block" && !found.has(index))?.at ?? null;
    },
  };
}

function scanElements(scan: Scan): void {
  const { plain } = scan;
  for (let at = 0; at < plain.length;) {
    const tag = nextTag(plain, at);
    if (tag > at) scan.gaps.push({ at, end: tag, parent: scan.open.at(-1)?.name ?? null });
    at = tag === plain.length ? tag : readTag(scan, tag);
  }
  const open = scan.open.at(-1);
  if (open) refuse(`"<${open.name}>" is never closed by "</${open.name}>"`, open.at);
}

function nextTag(plain: string, from: number): number {
  const tag = /<(?:!--|!\[CDATA\[|\/?[a-z])/gi;
  tag.lastIndex = from;
  return tag.exec(plain)?.index ?? plain.length;
}

/** Reads one tag, or a whole element whose content is not MJML. Returns the offset after it. */
function readTag(scan: Scan, at: number): number {
  const { plain } = scan;
  if (plain.startsWith("<!--", at)) return behind(plain, "-->", at, "A comment");
  if (plain[at + 1] === "!") return behind(plain, "]]>", at, "A CDATA section");
  const name = match(plain, /<\/?([^\s/>]+)/y, at)![1]!.toLowerCase();
  if (plain[at + 1] === "/") return closeElement(scan, name, at);
  const tag = match(plain, /<[^"'>]*(?:(?:"[^"]*"|'[^']*')[^"'>]*)*>/y, at)?.[0];
  if (!tag) return refuse(`The tag "<${name}" is never closed by ">"`, at);
  return openElement(scan, { name, at, end: at + tag.length });
}

function openElement(scan: Scan, element: Element): number {
  const { name, at, end } = element;
  if (name === "mj-include") refuseInclude(at);
  if (scan.open.length === 0 && scan.elements.length > 0) refuse("Nothing can follow </mjml>", at);
  scan.elements.push(element);
  if (scan.elements.length > MAX_ELEMENTS) refuse(`There are more than ${MAX_ELEMENTS} elements`, at);
  if (!name.startsWith("mj") || scan.plain[end - 2] === "/") return end;
  if (ENDING_TAGS.has(name)) return behindContent(scan.plain, element);
  scan.open.push(element);
  if (scan.open.length > MAX_DEPTH) refuse(`More than ${MAX_DEPTH} elements are nested`, at);
  return end;
}

function closeElement(scan: Scan, name: string, at: number): number {
  const end = behind(scan.plain, ">", at, `"</${name}"`);
  if (!name.startsWith("mj")) return end;
  const open = scan.open.pop();
  if (!open) return refuse(`"</${name}>" closes nothing`, at);
  if (open.name !== name) refuse(`"</${name}>" found where "</${open.name}>" is expected`, at);
  if (REPEATED.has(name) && at - open.end > MAX_REPEATED_CHARS) {
    refuse(`<${name}> holds more than ${MAX_REPEATED_CHARS} characters`, open.at);
  }
  return end;
}

/** The offset behind `</name>`. Elements of the same name may be nested, and comments may hold anything. */
function behindContent(plain: string, { name, at, end }: Element): number {
  // A tag ends before the next one begins: so the search never starts over.
  const tags = new RegExp(`<!--|<mj-include\\b|<(/?)${name}(?=[\\s/>])[^<>]*>`, "gi");
  tags.lastIndex = end;
  let depth = 1;
  for (let tag = tags.exec(plain); tag; tag = tags.exec(plain)) {
    if (tag[0] === "<!--") tags.lastIndex = behind(plain, "-->", tag.index, "A comment");
    else if (/^<mj-include/i.test(tag[0])) refuseInclude(tag.index);
    else if (tag[1]) depth -= 1;
    else if (!tag[0].endsWith("/>")) depth += 1;
    if (depth === 0) return tags.lastIndex;
  }
  return refuse(`"<${name}>" is never closed by "</${name}>"`, at);
}

function refuseInclude(at: number): never {
  return refuse('"<mj-include>" is not possible: put its content here', at);
}

function behind(plain: string, ending: string, at: number, what: string): number {
  const found = plain.indexOf(ending, at);
  return found === -1 ? refuse(`${what} is never closed by "${ending}"`, at) : found + ending.length;
}

function match(text: string, sticky: RegExp, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}

function assertStructure({ elements }: Scan): void {
  if (!elements.some(({ name }) => name === "mj-body")) {
    refuse("<mjml> needs an <mj-body>", elements[0]?.at ?? 0);
  }
  const image = elements.filter(({ name }) => name === "mj-carousel-image")[MAX_CAROUSEL_IMAGES];
  if (image) refuse(`Carousels have more than ${MAX_CAROUSEL_IMAGES} images`, image.at);
}

/**
 * The first and the last expression of every gap that has some. Throws by `refuse` for anything that is not a block.
 */
function gapsWithBlocks(body: string, { plain, gaps }: Scan, pieces: readonly Piece[]) {
  const opening = new Set<Piece>();
  const closing = new Set<Piece>();
  let next = 0;
  for (const gap of gaps) {
    while (next < pieces.length && pieces[next]!.at < gap.at) next += 1;
    const from = next;
    while (next < pieces.length && pieces[next]!.at < gap.end) next += 1;
    const within = pieces.slice(from, next).filter(({ kind }) => kind !== "comment");
    if (within.length === 0 || gap.parent === "mj-html-attribute") continue;
    assertBlocks(body, plain, gap, within);
    opening.add(within[0]!);
    closing.add(within.at(-1)!);
  }
  return { opening, closing };
}

function assertBlocks(body: string, plain: string, { at, end, parent }: Gap, within: Piece[]): void {
  const where = parent ? `directly inside <${parent}>` : "outside of <mjml>";
  const textAt = findText(plain, at, end, within);
  if (textAt !== -1) refuse(`Text cannot be placed ${where}: MJML would drop it`, textAt);
  const wrong = within.find(({ kind }) => kind === "value" || !BLOCK_PARENTS.has(parent ?? ""));
  if (!wrong) return;
  const expression = body.slice(wrong.at, wrong.end).slice(0, 100);
  refuse(`"${expression}" cannot be placed ${where}: MJML would drop it`, wrong.at);
}

/** The offset of the first letter between `at` and `end` that belongs to none of the pieces; -1 without one. */
function findText(plain: string, at: number, end: number, pieces: readonly Piece[]): number {
  const starts = [at, ...pieces.map((piece) => piece.end)];
  const ends = [...pieces.map((piece) => piece.at), end];
  for (const [i, start] of starts.entries()) {
    const found = plain.slice(start, ends[i]).search(/\S/);
    if (found !== -1) return start + found;
  }
  return -1;
}

function placeOf({ plain, elements }: Scan, name: string, line: number, hints: string[]): number {
  let start = 0;
  for (let n = 1; n < line; n++) start = plain.indexOf("\n", start) + 1;
  const end = plain.indexOf("\n", start);
  const onLine = elements.filter(
    (element) => element.at >= start && (end === -1 || element.at < end) && element.name === name,
  );
  const hinted = onLine.find((element) =>
    hints.some((hint) => plain.slice(element.at, element.end).includes(hint)),
  );
  return (hinted ?? onLine[0])?.at ?? start;
}
