/** How far from the end it is looked for where it is not written as everybody does. */
const TAIL_CHARS = 1_000;

/** Puts HTML at the end of the body: before the last `</body>`, or at the very end if there is none. */
export function addBeforeBodyEnd(html: string, addition: string): string {
  const at = placeOfBodyEnd(html);
  return html.slice(0, at) + addition + html.slice(at);
}

function placeOfBodyEnd(html: string): number {
  const isInComment = commentsBefore(html);
  for (
    let at = html.lastIndexOf("</body");
    at > -1;
    at = at === 0 ? -1 : html.lastIndexOf("</body", at - 1)
  ) {
    if (!isInComment(at)) return at;
  }
  const start = Math.max(0, html.length - TAIL_CHARS);
  const inTail = html.slice(start).search(/<\/body(?![^]*<\/body)/i);
  return inTail === -1 || commentsBefore(html)(start + inTail) ? html.length : start + inTail;
}

/**
 * Whether a place is within a comment: anything put there would not be shown. Outlook's conditions are comments too. To
 * be asked from the end on: what was found for one place is not searched again, so all of them together are one pass.
 */
function commentsBefore(html: string): (at: number) => boolean {
  // Bun finds a text from the front ten times as quickly as from the end, and most mails have no comment.
  if (!html.includes("<!--")) return () => false;
  let [begin, end] = [Infinity, Infinity];
  return (at) => {
    if (begin > at) begin = html.lastIndexOf("<!--", at);
    if (end > at) end = html.lastIndexOf("-->", at);
    return begin > end;
  };
}
