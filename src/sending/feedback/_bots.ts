// Who requests a pixel or a link: a person, or a bot before one. Bots are recorded, people are counted.
import { isbot } from "isbot";

/**
 * Fetch at the moment when a person opens the mail, so they are that person:
 * - Gmail fetches an image through its proxy when the mail is opened (https://wordtothewise.com/2013/12/gmail-deploys-image-proxy-servers/).
 * - Yahoo does the same (https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html, the address in its user agent).
 * - Outlook on a phone names itself in one word, as robots do.
 */
const PEOPLE = /GoogleImageProxy|YahooMailProxy|^Outlook-(?:iOS|Android)\b/;

/**
 * Fetch before anybody has looked:
 * - Apple's Mail Privacy Protection loads everything when the mail arrives, and says exactly this and no more
 *   (https://help.socketlabs.com/docs/identifying-apple-mpp-opens-in-notification-api-events).
 * - Gmail, open in a tab or an app, loads the images of what comes in, as an Edge that does not exist; opening the mail
 *   then goes through the proxy above (https://messagebird.com/blog/gmail-prefetching-images).
 */
const BEFORE_PEOPLE = /^Mozilla\/5\.0$|Edge\/12\.246 Mozilla\/5\.0$/;

/**
 * Scanners of companies look behind every link before they hand a mail on. Those that want to be taken for a browser
 * are not known by this; these say who they are. "Barracuda Sentinel (EE)" is filtered by others as well (Braze, Matomo);
 * Microsoft's ask as Exchange, SafeLinks, or Office's "Existence Discovery".
 */
const SCANNERS =
  /barracuda|proofpoint|mimecast|ironport|cisco.?secure|symantec|messagelabs|trend.?micro|\bTMES\b|sophos|fortinet|fortimail|forcepoint|fireeye|trellix|zscaler|check ?point|safe ?links|microsoft exchange|existence discovery/i;

/** How a browser announces that it prefetches a page, and with which words. */
const PREFETCH_HEADERS = ["sec-purpose", "purpose", "x-purpose", "x-moz"];
const PREFETCH = /prefetch|prerender|preview/i;

/** True if the request itself shows that no person is behind it. */
export function isBot(headers: Headers): boolean {
  const userAgent = headers.get("user-agent")?.trim() ?? "";
  if (userAgent === "" || BEFORE_PEOPLE.test(userAgent) || SCANNERS.test(userAgent)) return true;
  if (PREFETCH_HEADERS.some((name) => PREFETCH.test(headers.get(name) ?? ""))) return true;
  return !PEOPLE.test(userAgent) && isbot(userAgent);
}
