// The preheader: what inboxes show beside the subject.

/** How long one may be: no inbox shows more than half of it. */
export const MAX_PREHEADER = 255;

const HIDDEN =
  "display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all";
/** Keeps inboxes from showing the beginning of the body behind a short one. */
const FILL = "&#847;&zwnj;&nbsp;".repeat(60);

/** HTML that begins with a preheader nobody sees in the mail itself. Both may have expressions. Unchanged without one. */
export function withPreheader(html: string, preheader: string | null): string {
  if (!preheader?.trim()) return html;
  const at = placeOfBodyStart(html);
  return `${html.slice(0, at)}<div style="${HIDDEN}">${preheader}${FILL}</div>${html.slice(at)}`;
}

/** Behind the tag that begins the body, or behind what comes before one if there is none. In one pass. */
function placeOfBodyStart(html: string): number {
  const bare = withoutComments(html);
  const body = bare.search(/<body(?=[\s>])/i);
  const above = [...bare.matchAll(/<\/head(?=[\s>])|<html(?=[\s>])|<!doctype\s/gi)].at(-1);
  return (body === -1 ? undefined : endOfTag(bare, body)) ?? (above && endOfTag(bare, above.index)) ?? 0;
}

function endOfTag(html: string, at: number): number | undefined {
  const tag = /[^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*)*>/y;
  tag.lastIndex = at;
  return tag.test(html) ? tag.lastIndex : undefined;
}

/** The same length, with spaces in place of comments. Not by an expression: one that looks for an end has no bound. */
function withoutComments(html: string): string {
  let bare = "";
  for (let at = 0; ;) {
    const start = html.indexOf("<!--", at);
    if (start === -1) return bare + html.slice(at);
    const closed = html.indexOf("-->", start + 4);
    const end = closed === -1 ? html.length : closed + 3;
    bare += html.slice(at, start) + " ".repeat(end - start);
    at = end;
  }
}
