/** How far from the end it is looked for where it is not written as everybody does. */
const TAIL_CHARS = 1_000;

/** Puts HTML at the end of the body: before the last `</body>`, or at the very end where there is none. */
export function addBeforeBodyEnd(html: string, addition: string): string {
  const at = placeOfBodyEnd(html);
  return html.slice(0, at) + addition + html.slice(at);
}

function placeOfBodyEnd(html: string): number {
  for (
    let at = html.lastIndexOf("</body");
    at > -1;
    at = at === 0 ? -1 : html.lastIndexOf("</body", at - 1)
  ) {
    if (!isInComment(html, at)) return at;
  }
  const start = Math.max(0, html.length - TAIL_CHARS);
  const inTail = html.slice(start).search(/<\/body(?![^]*<\/body)/i);
  return inTail === -1 || isInComment(html, start + inTail) ? html.length : start + inTail;
}

/** What is put there would not be seen. Outlook's conditions are comments too. */
function isInComment(html: string, at: number): boolean {
  return html.lastIndexOf("<!--", at) > html.lastIndexOf("-->", at);
}
