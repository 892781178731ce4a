// What an HTML template leads to and shows: its links and its images.
import { type Expression, readSyntax } from "./handlebars/syntax.ts";
import { OWN_PAGE, targetOf } from "./links.ts";

/** A link or an image of a template. */
export interface MailReference {
  kind: "link" | "image";
  /** The address as it is there, with its expressions. */
  written: string;
  /** What a browser asks for; null if that depends on the recipient, or it is no web address. */
  target: string | null;
  hasExpressions: boolean;
  /** One of the pages where recipients decide what mail they get. */
  isOwnPage: boolean;
  /** Of an image: whether it has a text for those who do not see it. An empty one says that it is decoration. */
  hasAlt: boolean;
}

/** More than any mail has. */
const MAX_REFERENCES = 2_000;

/** Stands for an expression, with its number between them: letters that no address has. */
const [BEGIN, END] = ["\uE000", "\uE001"];
const STAND_IN = /\uE000(\d+)\uE001/g;
/** What `readSyntax` leaves of a comment. */
const EMPTY_COMMENT = /\{\{~?!\s*~?\}\}/g;

/** The links and images of an HTML template, in their order, up to 2,000; none where it cannot be read. Never throws. */
export function readReferences(html: string): MailReference[] {
  try {
    const { text, expressions } = readSyntax(html);
    return find(withStandIns(text, expressions), (value) => restored(value, html, expressions));
  } catch {
    return [];
  }
}

function withStandIns(text: string, expressions: readonly Expression[]): string {
  const pieces: string[] = [];
  let copied = 0;
  for (const [i, { at, end }] of expressions.entries()) {
    pieces.push(text.slice(copied, at), `${BEGIN}${i}${END}`);
    copied = end;
  }
  pieces.push(text.slice(copied));
  return pieces.join("").replace(EMPTY_COMMENT, "");
}

function restored(value: string, html: string, expressions: readonly Expression[]): string {
  return value.replace(STAND_IN, (stand, index: string) => {
    const expression = expressions[Number(index)];
    return expression ? html.slice(expression.at, expression.end) : stand;
  });
}

function find(masked: string, restore: (value: string) => string): MailReference[] {
  const found: MailReference[] = [];
  const add = (kind: MailReference["kind"], value: string, hasAlt = false) => {
    if (found.length === MAX_REFERENCES) return;
    const written = restore(value);
    const hasExpressions = written !== value;
    const target = hasExpressions ? null : targetOf(value);
    found.push({ kind, written, target, hasExpressions, isOwnPage: OWN_PAGE.test(written), hasAlt });
  };
  new HTMLRewriter()
    .on("a[href], area[href]", { element: (link) => add("link", link.getAttribute("href") ?? "") })
    .on("img", {
      element: (image) => add("image", image.getAttribute("src") ?? "", image.hasAttribute("alt")),
    })
    .transform(masked);
  return found;
}
