// The text of an HTML mail, for a reader without HTML.
//
// html-to-text takes about 155 µs for a mail of 8.5 KB. Bun's own HTMLRewriter takes 65 µs to find the same tags and
// texts, before anything is done with them: not three times faster, and so the kept library does the work.
// `compileTextPart` has it done once for a template instead of once for a mail.
import { compile, type FormatCallback } from "html-to-text";

/** What follows is cut off, from the HTML and from the text: mail programs show about 100 KB. */
const MAX_CHARS = 200_000;
/**
 * At each tag the parser looks through the elements that are open, so its time is quadratic where they are never closed:
 * seconds for 200 KB. This many looks take it some 20 ms; a mail of 100 KB needs a tenth of them.
 */
const MAX_LOOKS = 2_000_000;
/** What a tag costs besides: some 13,000 of them are too many as well, where a long newsletter has 3,000. */
const LOOKS_A_TAG = 150;
/** The next one of the same kind closes them. */
const CLOSED_BY_NEXT = new Set(["p", "li", "td", "th", "tr", "dt", "dd", "option"]);
const NEVER_OPEN = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
const TAG = /^<\/?([a-zA-Z][^\s/>]{0,40})/;
/** Deeper than mails are; the conversion is recursive. */
const MAX_DEPTH = 100;

const HIDDEN = /display\s*:\s*none|mso-hide\s*:\s*all/i;

const formatters: Record<string, FormatCallback> = {
  /** A block, unless it is hidden, as the preview text for inboxes is. */
  box(element, walk, builder, { leadingLineBreaks = 1, trailingLineBreaks = 1 }) {
    if (HIDDEN.test(element.attribs.style ?? "")) return;
    builder.openBlock({ leadingLineBreaks });
    walk(element.children, builder);
    builder.closeBlock({ trailingLineBreaks });
  },
  span(element, walk, builder) {
    if (!HIDDEN.test(element.attribs.style ?? "")) walk(element.children, builder);
  },
  cell(element, walk, builder) {
    if (HIDDEN.test(element.attribs.style ?? "")) return;
    builder.addInline(" ");
    walk(element.children, builder);
  },
  alt(element, _, builder) {
    if (element.attribs.alt) builder.addInline(element.attribs.alt);
  },
};

const convert = compile({
  wordwrap: false,
  baseElements: { selectors: [], returnDomByDefault: true }, // as a browser, also what stands behind </body>
  limits: { maxDepth: MAX_DEPTH, maxInputLength: MAX_CHARS },
  formatters,
  selectors: [
    {
      selector: "a",
      options: { linkBrackets: ["(", ")"], hideLinkHrefIfSameAsText: true, noAnchorUrl: true },
    },
    { selector: "img", format: "alt" },
    { selector: "p", format: "box", options: { leadingLineBreaks: 2, trailingLineBreaks: 2 } },
    { selector: "ul", options: { itemPrefix: "- " } },
    { selector: "hr", options: { length: 20 } },
    { selector: "span", format: "span" },
    ...["div", "table", "tr"].map((selector) => ({ selector, format: "box" })),
    ...["td", "th"].map((selector) => ({ selector, format: "cell" })),
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
    ...["head", "title", "style", "script", "noscript"].map((selector) => ({ selector, format: "skip" })),
  ],
});

/** The text of an HTML body: links as `text (https://…)`, lists with dashes, a line for a row. Never throws. */
export function plainText(html: string): string {
  const bounded = html.slice(0, MAX_CHARS);
  try {
    if (isQuick(bounded)) return tidy(convert(bounded));
  } catch {
    // As below.
  }
  return tidy(bounded.replace(/<[^<>]*>/g, " "));
}

/** Whether the parser is done with it in time: goes through the tags as it does, and counts its looks. */
function isQuick(html: string): boolean {
  const open: string[] = [];
  let looks = 0;
  for (let at = html.indexOf("<"); at !== -1; at = html.indexOf("<", at + 1)) {
    if (html.startsWith("<!--", at)) {
      at = html.indexOf("-->", at + 4);
      if (at === -1) return true;
      continue;
    }
    const name = TAG.exec(html.slice(at, at + 48))?.[1]?.toLowerCase();
    if (name === undefined) continue;
    looks += open.length + LOOKS_A_TAG;
    if (looks > MAX_LOOKS) return false;
    if (NEVER_OPEN.has(name)) continue;
    if (html[at + 1] === "/") {
      const opened = open.lastIndexOf(name);
      if (opened !== -1) open.length = opened;
    } else if (!(CLOSED_BY_NEXT.has(name) && open.at(-1) === name)) open.push(name);
  }
  return true;
}

/** No blanks at the end of a line, and never more than one empty line. */
export function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  return lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
    .slice(0, MAX_CHARS);
}
