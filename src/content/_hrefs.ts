// The positions of the links of a page, so that everything else can stay byte for byte the same.

/** The value of an `href`, without its quotes. */
export interface Href {
  from: number;
  to: number;
  quote: '"' | "'" | "";
}

/** Placed before every link that the parser finds. No text under examination contains it. */
const MARK = "\u0002";
const TAG_NAME = /<[a-z]+/iy;
// As browsers read a tag: a name, and behind "=" a value in quotes, or without up to the next blank or ">".
const ATTRIBUTE =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:(")([^"]*)"|(')([^']*)'|([^\t\n\f\r >"'][^\t\n\f\r >]*|)))?/y;

/**
 * Finds every `href` of an `<a>` or `<area>` that is not marked with `data-track="false"`, in order. The text must be
 * free of control characters. Throws if the parser gives up.
 */
export function findHrefs(html: string): Href[] {
  // The parser knows comments, scripts and the like, but no positions: they follow from what it inserts before a tag.
  const marked = new HTMLRewriter()
    .on("a[href], area[href]", { element: (link) => void link.before(MARK, { html: true }) })
    .transform(html);
  const starts: number[] = [];
  for (let at = marked.indexOf(MARK); at !== -1; at = marked.indexOf(MARK, at + 1)) {
    starts.push(at - starts.length);
  }
  if (marked.length - starts.length !== html.length) throw new Error("The parser changed the page");
  return starts.flatMap((at) => hrefsOfTag(html, at));
}

/** A tag may have several: expressions may choose one of them. */
function hrefsOfTag(html: string, at: number): Href[] {
  const found: Href[] = [];
  TAG_NAME.lastIndex = at;
  ATTRIBUTE.lastIndex = at + TAG_NAME.exec(html)![0].length;
  for (let match = ATTRIBUTE.exec(html); match; match = ATTRIBUTE.exec(html)) {
    const [, name, double, inDouble, single, inSingle, bare] = match;
    const value = inDouble ?? inSingle ?? bare ?? "";
    const quote = (double ?? single ?? "") as Href["quote"];
    const to = ATTRIBUTE.lastIndex - quote.length;
    switch (name!.toLowerCase()) {
      case "href":
        found.push({ from: to - value.length, to, quote });
        break;
      case "data-track":
        if (value.trim().toLowerCase() === "false") return [];
    }
  }
  return found;
}
