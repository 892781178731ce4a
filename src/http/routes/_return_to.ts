// Where a browser may be sent after signing in: to our pages, and to the dashboards in the settings.
import { type Config, dashboardAddress, dashboardOrigins } from "../../config/mod.ts";

const MAX_LENGTH = 1_000;

/**
 * The address to continue to, in full and in its one spelling; null for one that leads elsewhere. What is asked for is a
 * path, or an address of a dashboard; nothing asked for is the first dashboard, or our own front page.
 */
export function returnAddress(config: Config, asked: string | undefined): string | null {
  const own = new URL(config.BASE_URL).origin;
  if (asked === undefined || asked === "") return `${dashboardAddress(config)}/`;
  // Browsers drop tabs and line breaks from an address, and take a backslash for a slash.
  if (asked.length > MAX_LENGTH || /[\s\\\p{Cc}]/u.test(asked)) return null;
  const url = URL.parse(asked, own);
  if (!url || url.username + url.password !== "") return null;
  const isPath = /^\/(?!\/)/.test(asked);
  if (isPath) return url.origin === own ? url.href : null;
  // A blob URL has the origin of the page that created it, but is not a page of it.
  return /^https?:$/.test(url.protocol) && dashboardOrigins(config).includes(url.origin) ? url.href : null;
}
