/** Puts HTML at the end of the body: before the last `</body>`, or at the very end where there is none. */
export function addBeforeBodyEnd(html: string, addition: string): string {
  let at = html.lastIndexOf("</body");
  if (at === -1) at = html.search(/<\/body(?![\s\S]*<\/body)/i);
  return at === -1 ? html + addition : html.slice(0, at) + addition + html.slice(at);
}
