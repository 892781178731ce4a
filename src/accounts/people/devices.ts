// What a browser is called, for people who look through their sessions.
import { parse } from "bowser";

/** How much of the `User-Agent` header is kept. */
export const MAX_USER_AGENT = 200;

/** The header as it is kept: one line, shortened. */
export function keptUserAgent(header: string | null): string {
  return (header ?? "").replace(/[^\x20-\x7e]/g, "").slice(0, MAX_USER_AGENT);
}

/**
 * A browser in a few words, such as "Firefox on Windows"; a program by its own name, such as "curl"; "Unknown device"
 * where it does not say. The header proves nothing: any client can send any.
 */
export function describeDevice(userAgent: string): string {
  if (userAgent === "") return "Unknown device";
  const { browser, os } = parse(userAgent);
  if (browser.name && os.name) return `${browser.name} on ${os.name}`;
  return browser.name || os.name || userAgent.split(/[/ ]/, 1)[0] || "Unknown device";
}
