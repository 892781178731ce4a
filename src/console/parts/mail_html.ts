// A mail made ready for its frame.

/**
 * The mail as it is shown: links open in windows of their own. `withPictures`: remote images are asked for. Style
 * sheets from elsewhere never are; system fonts are used instead. `isDark`: in the colours of a dark program.
 */
export function shownMail(
  html: string,
  { withPictures, isDark }: { withPictures: boolean; isDark: boolean },
): string {
  const kept = withoutAttached(withoutStyles(html));
  const pictured = withPictures ? kept : withoutPictures(kept);
  return inHead(isDark ? darkened(pictured) : pictured, '<base target="_blank">');
}

/** Whether it shows pictures that are not ours. */
export function hasPicturesElsewhere(html: string): boolean {
  const kept = withoutStyles(html);
  return withoutPictures(kept) !== kept;
}

const LINK = /<link\b[^>]*>/gi;
const IMPORT = /@import\s+(?:url\([^)]*\)|"[^"]*"|'[^']*')[^;<]*;?/gi;
const SOURCE = /\s(src|srcset|background)\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi;
const STYLE_ADDRESS =
  /url\(\s*(?:"|'|&quot;|&#39;)?\s*((?:https?:)?\/\/[^)]*?)\s*(?:"|'|&quot;|&#39;)?\s*\)/gi;

function withoutStyles(html: string): string {
  return html.replace(LINK, (tag) => (/\/\//.test(tag) ? "" : tag)).replace(IMPORT, "");
}

/** Pictures that are attached to the mail are not in its HTML: their alt text is shown instead, and nothing is requested. */
function withoutAttached(html: string): string {
  return html.replace(/<img\b[^>]*>/gi, (tag) =>
    tag.replace(SOURCE, (attribute: string, _name, value: string) =>
      /^["']?\s*cid:/i.test(value) ? ' src="data:,"' : attribute,
    ),
  );
}

function withoutPictures(html: string): string {
  return html
    .replace(/<[a-z][^>]*>/gi, (tag) =>
      tag.replace(SOURCE, (attribute: string, _name, value: string) =>
        isElsewhere(value.replace(/^["']|["']$/g, "")) ? "" : attribute,
      ),
    )
    .replace(STYLE_ADDRESS, (address: string, url: string) => (isElsewhere(url) ? "none" : address));
}

function isElsewhere(address: string): boolean {
  const [first] = address.trim().split(/[\s,]/);
  if (!/^(?:https?:)?\/\//i.test(first!)) return false;
  const absolute = first!.startsWith("//") ? window.location.protocol + first! : first!;
  return !URL.canParse(absolute) || new URL(absolute).origin !== window.location.origin;
}

const DARK_RULES = /@media([^{]*)\(\s*prefers-color-scheme\s*:\s*dark\s*\)/gi;
const TURNED = "filter: invert(1) hue-rotate(180deg)";

/** A mail's own colours for the dark where it has some; otherwise turned around, as most programs do, but for its pictures. */
function darkened(html: string): string {
  const own = html.replace(DARK_RULES, "@media$1(min-width: 0)");
  if (own !== html) return own;
  return inHead(html, `<style>html { background: #ededed; ${TURNED}; } img { ${TURNED}; }</style>`);
}

function inHead(html: string, extra: string): string {
  return /<head[\s>]/i.test(html) ? html.replace(/<head([^>]*)>/i, `<head$1>${extra}`) : extra + html;
}
