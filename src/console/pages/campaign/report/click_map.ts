// The clicks of a campaign written into its mail.
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

type Counts = Pick<CampaignLink, "link" | "clicks">;

/**
 * The HTML of a mail with the number of clicks at each of its links. A link that differs from mail to mail has the clicks of all
 * that lead to the same page.
 */
export function withClicks(html: string, links: readonly Counts[]): string {
  const page = new DOMParser().parseFromString(html, "text/html");
  const exact = sumBy(links, addressOf);
  const pages = sumBy(links, pageOf);
  for (const anchor of page.querySelectorAll<HTMLAnchorElement>("a[href]")) {
    const target = anchor.getAttribute("href")!.trim();
    if (!/^https?:/i.test(target) || isOwnPage(target)) continue;
    const clicks = exact.get(addressOf(target)) ?? pages.get(pageOf(target)) ?? 0;
    anchor.append(markOf(page, clicks, anchor));
  }
  return page.documentElement.outerHTML;
}

function markOf(page: Document, clicks: number, anchor: HTMLAnchorElement): HTMLElement {
  const mark = page.createElement("span");
  const isPicture = anchor.querySelector("img") !== null && anchor.textContent.trim() === "";
  if (isPicture) anchor.setAttribute("style", `position:relative;${anchor.getAttribute("style") ?? ""}`);
  mark.setAttribute("style", MARK + (clicks > 0 ? FOLLOWED : IGNORED) + (isPicture ? ON_PICTURE : ""));
  mark.setAttribute("title", clicks === 1 ? "1 click" : `${clicks} clicks`);
  mark.textContent = formatCompact(clicks);
  return mark;
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
