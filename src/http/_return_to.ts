// Where a browser may be sent after signing in: to pages of ours, and to the dashboards that the settings name.
import { type Config, dashboardOrigins } from "../config.ts";

const MAX_LENGTH = 1_000;

/**
 * The address to go on to, in full and in its one spelling; null for one that leads elsewhere. What is asked for is a
 * path, or an address of a dashboard; nothing asked for is the first dashboard, or our own front page.
 */
export function returnAddress(config: Config, asked: string | undefined): string | null {
  const own = new URL(config.BASE_URL).origin;
  const dashboards = dashboardOrigins(config);
  if (asked === undefined || asked === "") return dashboards[0] ? `${dashboards[0]}/` : `${config.BASE_URL}/`;
  // Browsers drop tabs and line breaks from an address, and take a backslash for a slash.
  if (asked.length > MAX_LENGTH || /[\s\\\p{Cc}]/u.test(asked)) return null;
  const url = URL.parse(asked, own);
  if (!url || url.username + url.password !== "") return null;
  const isPath = /^\/(?!\/)/.test(asked);
  return isPath ? (url.origin === own ? url.href : null) : dashboards.includes(url.origin) ? url.href : null;
}
