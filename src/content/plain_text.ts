// The text of an HTML mail, for a reader without HTML.
//
// html-to-text takes about 155 µs for a mail of 8.5 KB. Bun's own HTMLRewriter takes 65 µs to find the same tags and
// texts, before anything is done with them: not three times faster, and so the kept library does the work.
// `compileTextPart` has it done once for a template instead of once for a mail.
import { compile, type FormatCallback } from "html-to-text";

/**
 * What follows is cut off, from the HTML and from the text: mail programs show about 100 KB. The parser takes quadratic
 * time for what is nested, 0.1 s for so much of the worst (`<div>` and never `</div>`), and all else waits meanwhile.
 */
const MAX_CHARS = 200_000;
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
    return tidy(convert(bounded));
  } catch {
    return tidy(bounded.replace(/<[^<>]*>/g, " "));
  }
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
