// The clicks of a campaign written into its mail. As text: a document of a parser of its own has the limits of the console, which
// allow no styles in it.
import type { CampaignLink } from "../../../api.gen.ts";
import { formatCompact } from "../../../parts/format.ts";

/** In the mail's own page: the colours of the console are not there. */
const MARK =
  "display:inline-block;margin:0 0 0 4px;padding:0 6px;border-radius:9px;font:600 11px/18px system-ui,sans-serif;" +
  "letter-spacing:0;text-decoration:none;text-transform:none;white-space:nowrap;vertical-align:middle;";
const FOLLOWED = "background:#a8402a;color:#ffffff;";
const IGNORED = "background:#efece6;color:#57544e;";
/** On a picture, at its corner. */
const ON_PICTURE = "position:absolute;top:6px;left:2px;";
const AROUND_PICTURE = "position:relative;display:inline-block;max-width:100%;";

const LINK = /(<a\b(?:[^>"']|"[^"]*"|'[^']*')*>)([\s\S]*?)(<\/a\s*>)/gi;
const HREF = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/i;

type Counts = Pick<CampaignLink, "link" | "clicks">;

/**
 * The HTML of a mail with the number of clicks at each of its links. A link that differs from mail to mail has the clicks of all
 * that lead to the same page.
 */
export function withClicks(html: string, links: readonly Counts[]): string {
  const exact = sumBy(links, addressOf);
  const pages = sumBy(links, pageOf);
  return html.replace(LINK, (link: string, opening: string, content: string, closing: string) => {
    const target = targetOf(opening);
    if (!/^https?:/i.test(target) || isOwnPage(target)) return link;
    const clicks = exact.get(addressOf(target)) ?? pages.get(pageOf(target)) ?? 0;
    const isPicture = /<img\b/i.test(content) && content.replace(/<[^>]*>/g, "").trim() === "";
    if (!isPicture) return opening + content + markOf(clicks) + closing;
    const marked = content + markOf(clicks, ON_PICTURE);
    return `${opening}<span style="${AROUND_PICTURE}">${marked}</span>${closing}`;
  });
}

function markOf(clicks: number, place = ""): string {
  const style = MARK + (clicks > 0 ? FOLLOWED : IGNORED) + place;
  const words = clicks === 1 ? "1 click" : `${clicks} clicks`;
  return `<span style="${style}" title="${words}">${formatCompact(clicks)}</span>`;
}

function targetOf(opening: string): string {
  const [, double, single, bare] = HREF.exec(opening) ?? [];
  return (double ?? single ?? bare ?? "").replaceAll("&amp;", "&").trim();
}

function sumBy(links: readonly Counts[], keyOf: (link: string) => string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { link, clicks } of links) sums.set(keyOf(link), (sums.get(keyOf(link)) ?? 0) + clicks);
  return sums;
}

function addressOf(link: string): string {
  return URL.canParse(link) ? new URL(link).href : link;
}

function pageOf(link: string): string {
  if (!URL.canParse(link)) return link;
  const { origin, pathname } = new URL(link);
  return origin + pathname;
}

/** Where recipients decide what they get, as previews lead there: nobody counts clicks there. */
function isOwnPage(link: string): boolean {
  return /\/(unsubscribe|subscribe|manage)\/preview$/.test(link);
}
