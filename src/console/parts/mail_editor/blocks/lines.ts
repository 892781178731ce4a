// Words with line breaks, as people write them, and as HTML has them.

const INLINE = "a|b|strong|i|em|u|s|span|small|sub|sup|br";
const TAGS = /<\/?([a-z][\w-]*)\b[^>]*>|<!--/gi;
const KNOWN = new RegExp(`^(?:${INLINE})$`, "i");

/** Whether there is nothing in it but words, line breaks, and tags within a line. */
export function isPlain(html: string): boolean {
  return [...html.matchAll(TAGS)].every(([, name]) => name !== undefined && KNOWN.test(name));
}

/** As people write it: a line break for each `<br>`; those of the source mean a blank, or nothing at its ends. */
export function toLines(html: string): string {
  return html
    .replace(/^[ \t]*\r?\n\s*|\s*\n[ \t]*$/g, "")
    .replace(/(<br\s*\/?>)?\s*\r?\n\s*/gi, (_all, lineBreak?: string) => lineBreak ?? " ")
    .replace(/<br\s*\/?>/gi, "\n");
}

/** As HTML has it. */
export const toHtml = (lines: string): string => lines.replaceAll(/\r?\n/g, "<br />");
